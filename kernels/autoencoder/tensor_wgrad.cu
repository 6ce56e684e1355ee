// kernels/autoencoder/tensor_wgrad.cu: shares of a weight gradient by tensor cores.
//
// Against wgrad_split_k: for each tap the gradient is a product of two maps over all pixels, the
// output's moved by the tap. Boxes of both come by the copy unit, pixels outside as zeros. What is
// summed over lies outside in both: TF32 has no wgmma for that, so warps take words to registers
// and multiply with mma, which channels they call neighbours being free: 16 bytes of a pixel are
// the same row of four products. In bf16, warpgroups multiply boxes as they lie. The pixels are
// split into shares, whose sums a second kernel adds up in one order. Look at the share of cycles
// in which tensor cores work, and at wavefronts of shared memory beside it, TF32 and bf16.
//
//   BF16, TAPS, PARTS   see tensor_tile.cuh; of TAPS 9 the filter is turned
//   STAGES       of the ring
//   SHARING      blocks of a cluster, neighbours in grid z, that add up their sums in shared memory
//                and store one share, each its part of it
#define MIRRORED 1
#include "autoencoder/tensor_cluster.cuh"
#include "autoencoder/tensor_wgrad_sums.cuh"

namespace {
using namespace tensor;
struct Shared {
  unsigned char dy[STAGES][PARTS * kTileBytes];  // boxes of a slice of channels; a pixel is a row
  unsigned char x[STAGES][PARTS * kTileBytes];
  unsigned long long full[STAGES], empty[STAGES];
};

struct Shape {
  int images, side, box_rows;  // of the map that is read where it lies
  int out, in, pitch;          // channels; of a pixel of the output's gradient, in all parts
};

// A block's tile and its share of the boxes.
struct Share {
  int out, in, first, last;
};
__device__ __forceinline__ Share share_of(const Shape& s) {
  const int across = (s.side + kBoxWidth - 1) / kBoxWidth;
  const int down = (s.side + s.box_rows - 1) / s.box_rows;
  const int images = kPixels / kBoxWidth / s.box_rows;
  const long long boxes =
      static_cast<long long>(across) * down * ((s.images + images - 1) / images);
  const int tiles = (s.out + kTile - 1) / kTile;
  return {static_cast<int>(blockIdx.x) % tiles * kTile,
          static_cast<int>(blockIdx.x) / tiles * kTile,
          static_cast<int>(boxes * blockIdx.z / gridDim.z),
          static_cast<int>(boxes * (blockIdx.z + 1) / gridDim.z)};
}

// The boxes of a share, one after the other.
class Boxes {
 public:
  __device__ Boxes(const Shape& s, int box) : s_(s) {
    const int across = (s.side + kBoxWidth - 1) / kBoxWidth;
    const int down = (s.side + s.box_rows - 1) / s.box_rows;
    column_ = box % across * kBoxWidth;
    row_ = box / across % down * s.box_rows;
    image_ = box / across / down * (kPixels / kBoxWidth / s.box_rows);
  }
  __device__ __forceinline__ void next() {
    if ((column_ += kBoxWidth) < s_.side) return;
    column_ = 0;
    if ((row_ += s_.box_rows) < s_.side) return;
    row_ = 0;
    image_ += kPixels / kBoxWidth / s_.box_rows;
  }
  // Has the copy unit bring slice `part` of the channels, of dy, then of x, in part `half`.
  __device__ __forceinline__ void bring(Shared& shared, const TensorMap& dy, const TensorMap& x,
                                        const Share& share, int part, int half, int stage) const {
    const int tap = TAPS == 9 ? 8 - static_cast<int>(blockIdx.y) : static_cast<int>(blockIdx.y);
    const unsigned full = shared_address(&shared.full[stage]);
    if (part < kBoxes) {
      copy_pixels(shared_address(shared.dy[stage] + half * kTileBytes + part * kBoxBytes), dy,
                  share.out + part * kSliceChannels + half * padded(s_.out),
                  corner_of(tap, 0, column_, row_, s_.pitch), image_, full);
    } else {
      part -= kBoxes;
      copy_pixels(shared_address(shared.x[stage] + half * kTileBytes + part * kBoxBytes), x,
                  share.in + part * kSliceChannels + half * padded(s_.in), {column_, row_, 0, 0},
                  image_, full);
    }
  }

 private:
  const Shape& s_;
  int column_, row_, image_;
};

// One thread has all boxes of a share copied, each as soon as its stage is read.
__device__ void fill_ring(Shared& shared, const TensorMap& dy, const TensorMap& x, const Shape& s,
                          const Share& share) {
  Boxes next(s, share.first);
  for (int i = 0; i < share.last - share.first; ++i) {
    const int stage = i % STAGES;
    if (i >= STAGES) barrier_wait(shared_address(&shared.empty[stage]), (i / STAGES - 1) % 2);
    barrier_arrive_expecting(shared_address(&shared.full[stage]), 2 * PARTS * kTileBytes);
#pragma unroll
    for (int part = 0; part < 2 * kBoxes; ++part)
#pragma unroll
      for (int half = 0; half < PARTS; ++half) next.bring(shared, dy, x, share, part, half, stage);
    next.next();
  }
}

// The warps that copy leave most of the registers that they begin with to those that sum.
constexpr int kThreads = kConsumers + 128, kCopying = 24;
constexpr int kSumming = PARTS == 2 ? 240 : 232;
static_assert(kConsumers * kSumming + 128 * kCopying <= 65536 * PARTS / 2, "of a multiprocessor");

// Whether the block's tap meets pixels of the output that no other such tap meets: together they
// give the bias' gradient.
__device__ __forceinline__ bool sums_bias() {
  const int tap = blockIdx.y;
  const bool once = TAPS == 9    ? tap == 4
                    : TAPS == 16 ? (tap % 4 == 1 || tap % 4 == 2) && (tap / 4 == 1 || tap / 4 == 2)
                                 : true;
  return once;
}

#if SHARING > 1
// What lies at `address` in the shared memory of a block of the cluster.
__device__ __forceinline__ float from_block(unsigned address, int block) {
  float value;
  asm volatile(
      "{\n.reg .u32 there;\nmapa.shared::cluster.u32 there, %1, %2;\n"
      "ld.shared::cluster.f32 %0, [there];\n}"
      : "=f"(value)
      : "r"(address), "r"(block)
      : "memory");
  return value;
}

// The sums of a cluster's blocks, added up in one order. Each block stores its part of them.
struct Together {
  static constexpr int kValues = kTile * kTile / kConsumers,
                       kOwn = kValues / SHARING;  // a thread's
  float values[kValues * kConsumers];             // the n-th of all threads side by side
  float bias_parts[Biases::kGroups * kTile];
  float biases[kTile];

  template <typename Store, typename StoreBias>
  __device__ void add_up(const Sums& sums, const Biases& bias, bool has_biases, Store store,
                         StoreBias store_bias) {
#pragma unroll
    for (int i = 0; i < kValues; ++i) values[i * kConsumers + threadIdx.x] = sums.value(i);
    const int rank = static_cast<int>(blockIdx.z) % SHARING;
    if (has_biases) {
      const float all = bias.of_channel(bias_parts);
      if (threadIdx.x < kTile) biases[threadIdx.x] = all;
    }
    wait_for_cluster();
    const unsigned first = shared_address(values + rank * kOwn * kConsumers + threadIdx.x);
#pragma unroll
    for (int i = 0; i < kOwn; i += 2) {
      float pair[2] = {};
#pragma unroll
      for (int block = 0; block < SHARING; ++block)
#pragma unroll
        for (int j = 0; j < 2; ++j) pair[j] += from_block(first + (i + j) * kConsumers * 4, block);
      store(Sums::row_of(rank * kOwn + i), Sums::column_of(rank * kOwn + i), pair);
    }
    if (has_biases && rank == 0 && threadIdx.x < kTile) {
      float all = 0;
      for (int block = 0; block < SHARING; ++block)
        all += from_block(shared_address(biases + threadIdx.x), block);
      store_bias(all);
    }
    // Nobody leaves while its sums are read.
    wait_for_cluster();
  }
};
static_assert(sizeof(Together) <= STAGES * 2 * PARTS * kTileBytes, "it lies where the ring was");
#endif
}  // namespace

extern "C" __global__ void __launch_bounds__(kThreads, 2 / PARTS)
    tensor_wgrad(const __grid_constant__ TensorMap dy,  // boxes of a slice of so many pixels
                 const __grid_constant__ TensorMap x,   // the same
                 float* __restrict__ shares,            // [shares][TAPS][out][in]
                 float* __restrict__ bias_shares,       // [shares][TAPS][out], of some taps
                 int images, int side, int box_rows, int out, int in, int pitch) {
  extern __shared__ __align__(1024) unsigned char bytes[];
  Shared& shared = *reinterpret_cast<Shared*>(bytes);
  const Shape s = {images, side, box_rows, out, in, pitch};
  if (threadIdx.x == 0)
    ring_init(shared_address(shared.full), shared_address(shared.empty), STAGES, kWarps);
  __syncthreads();
  const Share share = share_of(s);
  if (threadIdx.x >= kConsumers) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kCopying));
    if (threadIdx.x == kConsumers) fill_ring(shared, dy, x, s, share);
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kSumming));
  const bool biases = share.in == 0 && sums_bias();
  const int lane = threadIdx.x % 32, count = share.last - share.first;
  Sums sums;
  Biases bias;
  for (int i = 0; i < count; ++i) {
    const int stage = i % STAGES;
    barrier_wait(shared_address(&shared.full[stage]), i / STAGES % 2);
    sums.add(shared.dy[stage], shared.x[stage], bias, biases);
    __syncwarp();
    if (lane == 0) barrier_arrive(shared_address(&shared.empty[stage]));
  }
  const long long plane = static_cast<long long>(blockIdx.z / SHARING) * TAPS + blockIdx.y;
  const auto store = [&](int row, int column, const auto& some) {
    constexpr int kCount = 2;
    row += share.out, column += share.in;
    float* const to = shares + (plane * out + row) * in + column;
    if (row >= out) return;
    if (column + kCount <= in && in % kCount == 0) {
      *reinterpret_cast<float2*>(to) = make_float2(some[0], some[1]);
      return;
    }
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      if (column + i < in) to[i] = some[i];
  };
  const auto store_bias = [&](float sum) {
    const int channel = share.out + static_cast<int>(threadIdx.x);
    if (threadIdx.x < kTile && channel < out) bias_shares[plane * out + channel] = sum;
  };
#if SHARING > 1
  // All have read their boxes.
  wait_for_threads(1, kConsumers);
  reinterpret_cast<Together*>(shared.dy)->add_up(sums, bias, biases, store, store_bias);
#else
  sums.each(store);
  if (!biases) return;
  wait_for_threads(1, kConsumers);
  store_bias(bias.of_channel(reinterpret_cast<float*>(shared.dy)));
#endif
}
