// kernels/autoencoder/tensor_wgrad.cu: shares of a weight gradient by tensor cores.
//
// Against wgrad_split_k: for each tap the gradient is a product of two maps over all pixels, the
// output's moved by the tap. Boxes of both come by the copy unit, pixels outside as zeros. What is
// summed over lies outside in both: TF32 has no wgmma for that, so warps take words to registers
// and multiply with mma; of bf16 warpgroups multiply boxes as they lie. The pixels are split into
// shares, whose sums a second kernel adds up in one order. Look at the share of cycles in which
// tensor cores work, and at wavefronts of shared memory beside it, TF32 and bf16.
//
//   BF16, TAPS   see tensor_tile.cuh; of TAPS 9 the filter is turned
//   STAGES       of the ring
#define MIRRORED 1
#include "autoencoder/tensor_tile.cuh"

namespace {
using namespace tensor;
constexpr int kTile = 128;  // channels of either side
constexpr int kPixels = kSliceChannels, kBoxes = kTile / kSliceChannels, kConsumers = 256;
constexpr int kBoxBytes = kPixels * kSliceBytes, kTileBytes = kBoxes * kBoxBytes;

struct Shared {
  unsigned char dy[STAGES][kTileBytes];  // boxes of a slice of channels; a pixel is a row
  unsigned char x[STAGES][kTileBytes];
  unsigned long long full[STAGES], empty[STAGES];
  float sums[kConsumers];
};

struct Shape {
  int images, side, box_rows;  // of the map that is read where it lies
  int out, in, pitch;          // channels; of a pixel of the output's gradient
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

// Has the copy unit bring box `i` of the share, as soon as its stage is read.
__device__ __forceinline__ void fill_stage(Shared& shared, const TensorMap& dy, const TensorMap& x,
                                           const Shape& s, const Share& share, int i) {
  const int across = (s.side + kBoxWidth - 1) / kBoxWidth;
  const int down = (s.side + s.box_rows - 1) / s.box_rows;
  const int tap = TAPS == 9 ? 8 - static_cast<int>(blockIdx.y) : static_cast<int>(blockIdx.y);
  const int box = share.first + i, stage = i % STAGES;
  if (box >= share.last) return;
  const int column = box % across * kBoxWidth, row = box / across % down * s.box_rows;
  const int image = box / across / down * (kPixels / kBoxWidth / s.box_rows);
  const Corner moved = corner_of(tap, 0, column, row, s.pitch), own = {column, row, 0, 0};
  if (i >= STAGES) barrier_wait(shared_address(&shared.empty[stage]), (i / STAGES - 1) % 2);
  const unsigned full = shared_address(&shared.full[stage]);
  barrier_arrive_expecting(full, 2 * kTileBytes);
  for (int part = 0; part < kBoxes; ++part) {
    copy_pixels(shared_address(shared.dy[stage] + part * kBoxBytes), dy,
                share.out + part * kSliceChannels, moved, image, full);
    copy_pixels(shared_address(shared.x[stage] + part * kBoxBytes), x,
                share.in + part * kSliceChannels, own, image, full);
  }
}

// A channel of a tile at a pixel of its boxes.
__device__ __forceinline__ Element element_of(const unsigned char* tile, int pixel, int channel) {
  constexpr int kPieceChannels = 16 / sizeof(Element);
  const int piece = channel % kSliceChannels / kPieceChannels ^ pixel % 8;
  return *reinterpret_cast<const Element*>(tile + channel / kSliceChannels * kBoxBytes +
                                           pixel * kSliceBytes + piece * 16 +
                                           channel % kPieceChannels * sizeof(Element));
}

// Whether the block's tap meets pixels of the output that no other such tap meets: together they
// give the bias' gradient.
__device__ __forceinline__ bool sums_bias() {
  const int tap = blockIdx.y;
  const bool once = TAPS == 9    ? tap == 4
                    : TAPS == 16 ? (tap % 4 == 1 || tap % 4 == 2) && (tap / 4 == 1 || tap / 4 == 2)
                                 : true;
  return once;
}

// Two threads an output, each half of a box's pixels.
__device__ __forceinline__ float bias_sum(const unsigned char* dy) {
  float sum = 0;
#pragma unroll 8
  for (int i = 0; i < kPixels / 2; ++i)
    sum += number(element_of(dy, threadIdx.x / kTile * (kPixels / 2) + i, threadIdx.x % kTile));
  return sum;
}

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
  template <typename Store>
  __device__ void each_pair(Store store) const {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int i = 0; i < 64; i += 2)
      store(warp * 16 + lane / 4 + i / 2 % 2 * 8, i / 4 * 8 + lane % 4 * 2, d[i], d[i + 1]);
  }
};
#else
// Of a warp, 64 outputs × 32 channels. Lanes of a quad take pixels two apart and, as their second,
// the ones between: so no two words of a request meet in a bank.
struct Sums {
  float d[4][4][4] = {};
  __device__ void add(const unsigned char* dy, const unsigned char* x) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int out = warp % 2 * 64 + lane / 4, in = warp / 2 * 32 + lane / 4;
#pragma unroll 2
    for (int eight = 0; eight < kPixels; eight += 8) {
      const int pixel = eight + lane % 4 * 2;
      unsigned b[4][2];
#pragma unroll
      for (int n = 0; n < 4; ++n)
#pragma unroll
        for (int i = 0; i < 2; ++i) b[n][i] = __float_as_uint(element_of(x, pixel + i, in + n * 8));
          // One row of tiles at a time: more words at once do not fit the registers.
#pragma unroll
      for (int m = 0; m < 4; ++m) {
        unsigned a[4];
#pragma unroll
        for (int i = 0; i < 4; ++i)
          a[i] = __float_as_uint(element_of(dy, pixel + i / 2, out + m * 16 + i % 2 * 8));
#pragma unroll
        for (int n = 0; n < 4; ++n)
          asm volatile(
              "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, "
              "%7}, {%8, %9}, {%0, %1, %2, %3};"
              : "+f"(d[m][n][0]), "+f"(d[m][n][1]), "+f"(d[m][n][2]), "+f"(d[m][n][3])
              : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[n][0]), "r"(b[n][1]));
      }
    }
  }
  template <typename Store>
  __device__ void each_pair(Store store) const {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int m = 0; m < 4; ++m)
#pragma unroll
      for (int n = 0; n < 4; ++n)
#pragma unroll
        for (int i = 0; i < 4; i += 2)
          store(warp % 2 * 64 + m * 16 + lane / 4 + i / 2 * 8, warp / 2 * 32 + n * 8 + lane % 4 * 2,
                d[m][n][i], d[m][n][i + 1]);
  }
};
#endif
}  // namespace

extern "C" __global__ void __launch_bounds__(256, 2)
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
  Sums sums;
  float bias = 0;
  // A warp of its own for the copies would leave 96 registers a thread, too few for the sums.
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES - 1; ++i) fill_stage(shared, dy, x, s, share, i);
  }
  for (int i = 0; i < share.last - share.first; ++i) {
    const int stage = i % STAGES;
    if (threadIdx.x == 0) fill_stage(shared, dy, x, s, share, i + STAGES - 1);
    __syncwarp();
    barrier_wait(shared_address(&shared.full[stage]), i / STAGES % 2);
    sums.add(shared.dy[stage], shared.x[stage]);
    if (biases) bias += bias_sum(shared.dy[stage]);
    __syncwarp();
    if (threadIdx.x % 32 == 0) barrier_arrive(shared_address(&shared.empty[stage]));
  }
  const long long plane = static_cast<long long>(blockIdx.z) * TAPS + blockIdx.y;
  sums.each_pair([&](int row, int column, float first, float second) {
    row += share.out, column += share.in;
    float* const to = shares + (plane * out + row) * in + column;
    if (row < out && column < in) to[0] = first;
    if (row < out && column + 1 < in) to[1] = second;
  });
  if (!biases) return;
  shared.sums[threadIdx.x] = bias;
  wait_for_threads(1, kConsumers);
  const int row = share.out + static_cast<int>(threadIdx.x);
  if (threadIdx.x < kTile && row < out)
    bias_shares[plane * out + row] = bias + shared.sums[threadIdx.x + kTile];
}
