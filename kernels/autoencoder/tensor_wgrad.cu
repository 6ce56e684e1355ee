// kernels/autoencoder/tensor_wgrad.cu: shares of a weight gradient by tensor cores.
//
// Against wgrad_split_k: for each tap the gradient is a product of two maps over all pixels, the
// output's moved by the tap. Boxes of both come by the copy unit, pixels outside as zeros. What is
// summed over lies outside in both: TF32 has no wgmma for that, so warps take words to registers
// and multiply with mma, which channels they call neighbours being free: 16 bytes of a pixel are
// the same row of four products. Of bf16 warpgroups multiply boxes as they lie. The pixels are
// split into shares, whose sums a second kernel adds up in one order. Look at the share of cycles
// in which tensor cores work, and at wavefronts of shared memory beside it, TF32 and bf16.
//
//   BF16, TAPS, PARTS   see tensor_tile.cuh; of TAPS 9 the filter is turned
//   STAGES       of the ring
//   SHARING      blocks of a cluster, neighbours in grid z, that add up their sums in shared memory
//                and store one share, each its part of it
#define MIRRORED 1
#include "autoencoder/tensor_tile.cuh"

namespace {
using namespace tensor;
constexpr int kTile = 128;  // channels of either side
constexpr int kPixels = kSliceChannels, kBoxes = kTile / kSliceChannels, kConsumers = 256;
constexpr int kBoxBytes = kPixels * kSliceBytes, kTileBytes = kBoxes * kBoxBytes;

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

// Whether the block's tap meets pixels of the output that no other such tap meets: together they
// give the bias' gradient.
__device__ __forceinline__ bool sums_bias() {
  const int tap = blockIdx.y;
  const bool once = TAPS == 9    ? tap == 4
                    : TAPS == 16 ? (tap % 4 == 1 || tap % 4 == 2) && (tap / 4 == 1 || tap / 4 == 2)
                                 : true;
  return once;
}

// 16 bytes of a tile's channels at a pixel of its boxes.
__device__ __forceinline__ const void* piece_at(const unsigned char* tile, int pixel, int channel) {
  constexpr int kPieceChannels = 16 / sizeof(Element);
  return tile + channel / kSliceChannels * kBoxBytes + pixel * kSliceBytes +
         (channel % kSliceChannels / kPieceChannels ^ pixel % 8) * 16;
}

// Sums of the output's gradient over pixels. A thread has a piece of the channels at every
// so-manieth pixel.
struct Biases {
  static constexpr int kChannels = 16 / sizeof(Element), kPieces = kTile / kChannels;
  static constexpr int kGroups = kConsumers / kPieces;
  float sums[kChannels] = {};

  __device__ __forceinline__ void add(const unsigned char* dy) {
#pragma unroll
    for (int pixel = 0; pixel < kPixels; pixel += kGroups) {
      struct alignas(16) Piece {
        Element channels[kChannels];
      };
      const Piece piece =
          *static_cast<const Piece*>(piece_at(dy, pixel + static_cast<int>(threadIdx.x) / kPieces,
                                              static_cast<int>(threadIdx.x) % kPieces * kChannels));
#pragma unroll
      for (int i = 0; i < kChannels; ++i) sums[i] += number(piece.channels[i]);
    }
  }
  // Of the channel that is the thread's number, over the groups, in one order; `parts` is memory
  // for kGroups sums of each channel.
  __device__ __forceinline__ float of_channel(float* parts) const {
#pragma unroll
    for (int i = 0; i < kChannels; ++i) parts[threadIdx.x * kChannels + i] = sums[i];
    wait_for_threads(1, kConsumers);
    float all = 0;
    if (threadIdx.x < kTile)
      for (int group = 0; group < kGroups; ++group) all += parts[group * kTile + threadIdx.x];
    return all;
  }
};

#if BF16
// Of a warpgroup, 64 outputs × 128 channels.
struct Sums {
  float d[64] = {};
  __device__ void add(const unsigned char* dy, const unsigned char* x) {
    const unsigned long long a =
        descriptor(shared_address(dy) + threadIdx.x / 128 * kBoxBytes, kBoxBytes);
    const unsigned long long b = descriptor(shared_address(x), kBoxBytes);
    hold(d);
    begin_products();
#pragma unroll
    for (int part = 0; part < kPixels / 16; ++part) {
      // Sixteen rows of 128 bytes further, in pieces of 16.
      MULTIPLY_128(d, a + part * 128, b + part * 128, ", 1, 1");
    }
    commit_products();
    wait_for_products<0>();
    hold(d);
  }
  __device__ __forceinline__ float value(int i) const { return d[i]; }
  static __device__ __forceinline__ int row_of(int i) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    return warp * 16 + lane / 4 + i / 2 % 2 * 8;
  }
  static __device__ __forceinline__ int column_of(int i) {
    return i / 4 * 8 + static_cast<int>(threadIdx.x) % 4 * 2;
  }
  template <typename Store>
  __device__ void each(Store store) const {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int i = 0; i < 64; i += 2) {
      const float sums[] = {d[i], d[i + 1]};
      store(warp * 16 + lane / 4 + i / 2 % 2 * 8, i / 4 * 8 + lane % 4 * 2, sums);
    }
  }
};
#else
// Of a warp, 64 outputs × 32 channels. What mma calls rows g and g + 8 of a tile are two channels
// of dy side by side, so that a lane takes both at once, into registers that stand as mma wants
// them. Lanes of a quad take pixels two apart and, as their second, the ones between: so no two
// words of a request meet in a bank.
struct Sums {
  float d[4][4][4] = {};

#if PARTS == 2
  // As in tensor_conv: tensor cores cut off, and so add up no more than a box.
  __device__ void add(const unsigned char* dy, const unsigned char* x) {
    Sums of_box;
    of_box.add_parts(dy + kTileBytes, x);
    of_box.add_parts(dy, x + kTileBytes);
    of_box.add_parts(dy, x);
#pragma unroll
    for (int m = 0; m < 4; ++m)
#pragma unroll
      for (int n = 0; n < 4; ++n)
#pragma unroll
        for (int i = 0; i < 4; ++i) d[m][n][i] += of_box.d[m][n][i];
  }
#else
  __device__ void add(const unsigned char* dy, const unsigned char* x) { add_parts(dy, x); }
#endif
  __device__ void add_parts(const unsigned char* dy, const unsigned char* x) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4;
    // Where the lane's words lie in the first eight pixels: what swizzles a piece is its pixel's
    // number of these.
    int of_dy[2][2], of_x[2][4];
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const int pixel = lane % 4 * 2 + k;
#pragma unroll
      for (int m = 0; m < 2; ++m)
        of_dy[k][m] = warp % 2 * 2 * kBoxBytes + pixel * kSliceBytes +
                      ((m * 4 + g / 2) ^ pixel) * 16 + g % 2 * 8;
#pragma unroll
      for (int n = 0; n < 4; ++n)
        of_x[k][n] =
            warp / 2 * kBoxBytes + pixel * kSliceBytes + ((n * 2 + g / 4) ^ pixel) * 16 + g % 4 * 4;
    }
    constexpr int kUnrolled = PARTS == 1 ? kPixels / 8 : 1;  // of two parts registers go before
#pragma unroll kUnrolled
    for (int eight = 0; eight < kPixels; eight += 8) {
      const unsigned char* const rows_of_dy = dy + eight * kSliceBytes;
      const unsigned char* const rows_of_x = x + eight * kSliceBytes;
      float b[4][2];
#pragma unroll
      for (int n = 0; n < 4; ++n)
#pragma unroll
        for (int k = 0; k < 2; ++k)
          b[n][k] = *reinterpret_cast<const float*>(rows_of_x + of_x[k][n]);
#pragma unroll
      for (int m = 0; m < 4; ++m) {
        float2 a[2];
#pragma unroll
        for (int k = 0; k < 2; ++k)
          a[k] = *reinterpret_cast<const float2*>(rows_of_dy + m / 2 * kBoxBytes + of_dy[k][m % 2]);
#pragma unroll
        for (int n = 0; n < 4; ++n)
          asm volatile(
              "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, "
              "%7}, {%8, %9}, {%0, %1, %2, %3};"
              : "+f"(d[m][n][0]), "+f"(d[m][n][1]), "+f"(d[m][n][2]), "+f"(d[m][n][3])
              : "r"(__float_as_uint(a[0].x)), "r"(__float_as_uint(a[0].y)),
                "r"(__float_as_uint(a[1].x)), "r"(__float_as_uint(a[1].y)),
                "r"(__float_as_uint(b[n][0])), "r"(__float_as_uint(b[n][1])));
      }
    }
  }
  // Of sixteen rows, of every second of them, of eight columns, of two.
  __device__ __forceinline__ float value(int i) const {
    return d[i / 16][i / 2 % 4][i / 8 % 2 * 2 + i % 2];
  }
  static __device__ __forceinline__ int row_of(int i) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    return warp % 2 * 64 + i / 16 * 16 + lane / 4 * 2 + i / 8 % 2;
  }
  static __device__ __forceinline__ int column_of(int i) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    return warp / 2 * 32 + i / 2 % 4 * 8 + lane % 4 * 2;
  }
  template <typename Store>
  __device__ void each(Store store) const {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int m = 0; m < 4; ++m)
#pragma unroll
      for (int half = 0; half < 2; ++half)
#pragma unroll
        for (int n = 0; n < 4; ++n) {
          const float sums[] = {d[m][n][half * 2], d[m][n][half * 2 + 1]};
          store(warp % 2 * 64 + m * 16 + lane / 4 * 2 + half, warp / 2 * 32 + n * 8 + lane % 4 * 2,
                sums);
        }
  }
};
#endif

#if SHARING > 1
__device__ __forceinline__ void wait_for_cluster() {
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}
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
  static constexpr int kValues = 64, kOwn = kValues / SHARING;  // of a thread
  float values[kValues * kConsumers];  // the n-th of all threads side by side
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

extern "C" __global__ void __launch_bounds__(256, 2 / PARTS)
    tensor_wgrad(const __grid_constant__ TensorMap dy,  // boxes of a slice of so many pixels
                 const __grid_constant__ TensorMap x,   // the same
                 float* __restrict__ shares,            // [shares][TAPS][out][in]
                 float* __restrict__ bias_shares,       // [shares][TAPS][out], of some taps
                 int images, int side, int box_rows, int out, int in, int pitch) {
  extern __shared__ __align__(1024) unsigned char bytes[];
  Shared& shared = *reinterpret_cast<Shared*>(bytes);
  const Shape s = {images, side, box_rows, out, in, pitch};
  if (threadIdx.x == 0)
    ring_init(shared_address(shared.full), shared_address(shared.empty), STAGES, kConsumers / 32);
  __syncthreads();
  const Share share = share_of(s);
  const bool biases = share.in == 0 && sums_bias();
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, count = share.last - share.first;
  Sums sums;
  Biases bias;
  Boxes next(s, share.first);
  // Box `i` of the share, as soon as its stage is read. Each warp has a slice of it copied: a warp
  // of its own for the copies would leave 96 registers a thread, too few for the sums.
  const auto fill_stage = [&](int i) {
    const int stage = i % STAGES;
    if (i >= count) return;
    if (lane == 0 && warp < 2 * kBoxes) {
      if (i >= STAGES) barrier_wait(shared_address(&shared.empty[stage]), (i / STAGES - 1) % 2);
      if (warp == 0)
        barrier_arrive_expecting(shared_address(&shared.full[stage]), 2 * PARTS * kTileBytes);
#pragma unroll
      for (int half = 0; half < PARTS; ++half) next.bring(shared, dy, x, share, warp, half, stage);
    }
    next.next();
    __syncwarp();
  };
  for (int i = 0; i < STAGES - 1; ++i) fill_stage(i);
  for (int i = 0; i < count; ++i) {
    const int stage = i % STAGES;
    fill_stage(i + STAGES - 1);
    barrier_wait(shared_address(&shared.full[stage]), i / STAGES % 2);
    sums.add(shared.dy[stage], shared.x[stage]);
#pragma unroll
    for (int half = 0; half < PARTS; ++half)
      if (biases) bias.add(shared.dy[stage] + half * kTileBytes);
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
