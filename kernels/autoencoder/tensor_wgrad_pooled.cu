// kernels/autoencoder/tensor_wgrad_pooled.cu: shares of the first layer's weight gradient, from the
// gradient of the pool after it.
//
// Against tensor_wgrad: the gradient of the map before the pool, four times as large and three
// quarters zeros, is never written. A lane has one pixel of a window: it takes the window's
// gradient where its two bits name that pixel, else zero. The other factor is the image's columns,
// with a one after them, whose sum is the bias' gradient. In bf16 the words are widened, which
// TF32 holds exactly. Look at bytes beside Conv1 in tensor_wgrad.
//
//   BF16, PARTS   see tensor_tile.cuh
//   STAGES   of the ring
#define TAPS 1
#include "autoencoder/tensor_tile.cuh"

namespace {
using namespace tensor;
constexpr int kTile = 128, kConsumers = 256, kWindows = 32;  // of a box of 8 columns
constexpr int kBoxes = kTile / kSliceChannels;
constexpr int kSlopeBytes = kWindows * kSliceBytes, kColumnBytes = 4 * kWindows * kSliceBytes;
constexpr int kWords = 8;      // of places: of 128 outputs one in eight a word
constexpr int kGathered = 28;  // columns, and the one after them

struct Shared {
  unsigned char columns[STAGES][PARTS * kColumnBytes];  // a pixel is a row
  unsigned char slopes[STAGES][PARTS * kBoxes * kSlopeBytes];
  unsigned places[STAGES][kWindows][kWords];
  unsigned long long full[STAGES], empty[STAGES];
};

struct Shape {
  int images, half, box_rows;  // of the pooled map
  int out;
};

struct Share {
  int first, last;
};
__device__ __forceinline__ Share share_of(const Shape& s) {
  const int across = (s.half + kBoxWidth - 1) / kBoxWidth;
  const int down = (s.half + s.box_rows - 1) / s.box_rows;
  const int images = kWindows / kBoxWidth / s.box_rows;
  const long long boxes =
      static_cast<long long>(across) * down * ((s.images + images - 1) / images);
  return {static_cast<int>(boxes * blockIdx.z / gridDim.z),
          static_cast<int>(boxes * (blockIdx.z + 1) / gridDim.z)};
}

__device__ void fill_ring(Shared& shared, const TensorMap& slopes, const TensorMap& places,
                          const TensorMap& columns, const Shape& s) {
  const Share share = share_of(s);
  const int across = (s.half + kBoxWidth - 1) / kBoxWidth;
  const int down = (s.half + s.box_rows - 1) / s.box_rows;
  for (int box = share.first; box < share.last; ++box) {
    const int i = box - share.first, stage = i % STAGES;
    const Corner small = {box % across * kBoxWidth, box / across % down * s.box_rows, 0, 0};
    const Corner large = {2 * small.x, 2 * small.y, 0, 0};
    const int image = box / across / down * (kWindows / kBoxWidth / s.box_rows);
    if (i >= STAGES) barrier_wait(shared_address(&shared.empty[stage]), (i / STAGES - 1) % 2);
    const unsigned full = shared_address(&shared.full[stage]);
    barrier_arrive_expecting(full,
                             PARTS * (kColumnBytes + kBoxes * kSlopeBytes) + kWindows * kWords * 4);
    for (int part = 0; part < PARTS * kBoxes; ++part)
      copy_pixels(shared_address(shared.slopes[stage] + part * kSlopeBytes), slopes,
                  static_cast<int>(blockIdx.x) * kTile + part % kBoxes * kSliceChannels +
                      part / kBoxes * padded(s.out),
                  small, image, full);
    copy_pixels(shared_address(shared.places[stage]), places, static_cast<int>(blockIdx.x) * kWords,
                small, image, full);
    for (int part = 0; part < PARTS; ++part)
      copy_pixels(shared_address(shared.columns[stage] + part * kColumnBytes), columns,
                  part * padded(kGathered), large, image, full);
  }
}

__device__ __forceinline__ const unsigned char* piece_at(const unsigned char* rows, int row,
                                                         int channel) {
  constexpr int kPieceChannels = 16 / sizeof(Element);
  return rows + row * kSliceBytes + (channel / kPieceChannels ^ row % 8) * 16 +
         channel % kPieceChannels * sizeof(Element);
}

// The windows of a quad's lanes, of eight side by side, and as their second the others: so no two
// rows meet in a bank, neither those of windows nor those of every second pixel.
__device__ __forceinline__ int window_of(int lane, int second) {
  constexpr unsigned kFirst = 0x6530, kSecond = 0x7421;
  return (second ? kSecond : kFirst) >> lane % 4 * 4 & 7;
}

// A warp's 16 outputs by 32 columns. Eight windows at one of their four places are what a product
// sums over; what mma calls column g of its four tiles are four columns side by side.
__device__ __forceinline__ void add(float (&d)[4][4], const unsigned char* slopes,
                                    const unsigned (*places)[kWords],
                                    const unsigned char* columns) {
  struct alignas(4 * sizeof(Element)) Four {
    Element columns[4];
  };
  const int lane = threadIdx.x % 32, out = threadIdx.x / 32 * 16 + lane / 4;
#pragma unroll
  for (int eight = 0; eight < kWindows; eight += 8) {
    float slope[4];
    unsigned place_of[4];
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const int window = eight + window_of(lane, k);
      const unsigned word = places[window][out % 8];
#pragma unroll
      for (int m = 0; m < 2; ++m) {
        const int own = out + m * 8;
        slope[k * 2 + m] = number(*reinterpret_cast<const Element*>(
            piece_at(slopes + own / kSliceChannels * kSlopeBytes, window, own % kSliceChannels)));
        place_of[k * 2 + m] = word >> own / 8 * 2 & 3;
      }
    }
#pragma unroll
    for (int place = 0; place < 4; ++place) {
      unsigned a[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) a[i] = place_of[i] == place ? __float_as_uint(slope[i]) : 0;
      Four b[2];
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        const int pixel = (eight / kBoxWidth * 2 + place / 2) * 2 * kBoxWidth +
                          window_of(lane, k) * 2 + place % 2;
        b[k] = *reinterpret_cast<const Four*>(piece_at(columns, pixel, lane / 4 * 4));
      }
#pragma unroll
      for (int n = 0; n < 4; ++n)
        asm volatile(
            "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, "
            "%7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(d[n][0]), "+f"(d[n][1]), "+f"(d[n][2]), "+f"(d[n][3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]),
              "r"(__float_as_uint(number(b[0].columns[n]))),
              "r"(__float_as_uint(number(b[1].columns[n]))));
    }
  }
}
}  // namespace

extern "C" __global__ void __launch_bounds__(288, 2 / PARTS)
    tensor_wgrad_pooled(const __grid_constant__ TensorMap slopes,   // of the pooled map
                        const __grid_constant__ TensorMap places,   // words of it
                        const __grid_constant__ TensorMap columns,  // of the images
                        float* __restrict__ shares,                 // [shares][out][28]
                        int images, int half, int box_rows, int out) {
  extern __shared__ __align__(1024) unsigned char bytes[];
  Shared& shared = *reinterpret_cast<Shared*>(bytes);
  const Shape s = {images, half, box_rows, out};
  if (threadIdx.x == 0)
    ring_init(shared_address(shared.full), shared_address(shared.empty), STAGES, kConsumers / 32);
  __syncthreads();
  if (threadIdx.x >= kConsumers) {
    if (threadIdx.x == kConsumers) fill_ring(shared, slopes, places, columns, s);
    return;
  }
  const Share share = share_of(s);
  float d[4][4] = {};
  for (int i = 0; i < share.last - share.first; ++i) {
    const int stage = i % STAGES;
    barrier_wait(shared_address(&shared.full[stage]), i / STAGES % 2);
    const unsigned char* const of_slopes = shared.slopes[stage];
    const unsigned char* const of_columns = shared.columns[stage];
#if PARTS == 2
    // As in tensor_conv: tensor cores cut off, and so add up no more than a box.
    float of_box[4][4] = {};
    add(of_box, of_slopes + kBoxes * kSlopeBytes, shared.places[stage], of_columns);
    add(of_box, of_slopes, shared.places[stage], of_columns + kColumnBytes);
    add(of_box, of_slopes, shared.places[stage], of_columns);
#pragma unroll
    for (int k = 0; k < 16; ++k) d[k / 4][k % 4] += of_box[k / 4][k % 4];
#else
    add(d, of_slopes, shared.places[stage], of_columns);
#endif
    __syncwarp();
    if (threadIdx.x % 32 == 0) barrier_arrive(shared_address(&shared.empty[stage]));
  }
  const int lane = threadIdx.x % 32;
  const int first = blockIdx.x * kTile + threadIdx.x / 32 * 16 + lane / 4;
#pragma unroll
  for (int n = 0; n < 4; ++n)
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int row = first + i / 2 * 8, column = (lane % 4 * 2 + i % 2) * 4 + n;
      if (row < out && column < kGathered)
        shares[(static_cast<long long>(blockIdx.z) * out + row) * kGathered + column] = d[n][i];
    }
}
