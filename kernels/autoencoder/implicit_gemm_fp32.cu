// kernels/autoencoder/implicit_gemm_fp32.cu: the product of im2col, with columns that are never
// there.
//
// Against im2col_cublas_strided: a block multiplies 64 outputs' weights by 64 pixels' columns, of
// which it makes 16 rows at a time in shared memory, where each is read by every thread that needs
// it. Against nchw_grid2d: a thread has 16 sums, so that eight loads of shared memory serve sixteen
// products. Look at the bytes, which are those of the maps alone, and at the share of multiply-adds
// among the instructions. A layer of three outputs fills three of 64 rows: look at its
// instructions.
//
//   DGRAD  see conv.cuh
#include "autoencoder/conv.cuh"

constexpr int kTargets = 64, kPixels = 64, kDepth = 16, kThreads = 256;
constexpr int kSums = 4;  // of a thread, along either side of the tile, 16 apart

// A pixel of the batch; `image` is the number of images or more where there is none.
struct Pixel {
  int image, row, column;
};

// One row of a column: the neighbour `tap` of the pixel in channel `source`, zero outside.
__device__ float neighbour(const float* __restrict__ from, const Pixel& at, int images, int sources,
                           int side, int source, int tap) {
  const int r = at.row + tap / 3 - 1, q = at.column + tap % 3 - 1;
  if (at.image >= images || source >= sources || r < 0 || r >= side || q < 0 || q >= side) return 0;
  return from[((static_cast<long long>(at.image) * sources + source) * side + r) * side + q];
}

extern "C" __global__ void __launch_bounds__(kThreads)
    implicit_gemm_fp32(const float* __restrict__ from,  // [images, sources, side, side]
                       const float* __restrict__ w,     // [out, in, 3, 3]
                       const float* __restrict__ b,     // [targets], of a forward pass
                       float* __restrict__ to,          // [images, targets, side, side]
                       int images, int sources, int targets, int side, int relu) {
  // Two words of padding: a warp writes 16 depths of two neighbouring outputs, each to a bank of
  // its own.
  __shared__ float weights[kDepth][kTargets + 2], columns[kDepth][kPixels];
  const int thread = threadIdx.x, plane = side * side, depth = 9 * sources;
  const int first_target = blockIdx.y * kTargets, first_pixel = blockIdx.x * kPixels;
  const int loaded = first_pixel + thread % kPixels;
  const Pixel at = {loaded / plane, loaded / side % side, loaded % side};
  const int across = thread % 16, down = thread / 16;
  float sums[kSums][kSums] = {};
  for (int first = 0; first < depth; first += kDepth) {
    __syncthreads();  // nobody reads the stage before any more
    for (int e = thread; e < kDepth * kTargets; e += kThreads) {
      const int k = first + e % kDepth, target = first_target + e / kDepth;
      weights[e % kDepth][e / kDepth] =
          k < depth && target < targets ? filter_of(w, k / 9, sources, target, targets).at(k % 9)
                                        : 0.0f;
    }
    for (int row = thread / kPixels; row < kDepth; row += kThreads / kPixels) {
      const int k = first + row;
      columns[row][thread % kPixels] = neighbour(from, at, images, sources, side, k / 9, k % 9);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kDepth; ++k) {
      float weight[kSums], value[kSums];
#pragma unroll
      for (int i = 0; i < kSums; ++i) {
        weight[i] = weights[k][down + 16 * i];
        value[i] = columns[k][across + 16 * i];
      }
#pragma unroll
      for (int i = 0; i < kSums * kSums; ++i)
        sums[i / kSums][i % kSums] += weight[i / kSums] * value[i % kSums];
    }
  }
#pragma unroll
  for (int i = 0; i < kSums; ++i) {
    const int target = first_target + down + 16 * i;
    if (target >= targets) continue;
#pragma unroll
    for (int j = 0; j < kSums; ++j) {
      const int pixel = first_pixel + across + 16 * j;
      if (pixel >= images * plane) continue;
      to[(static_cast<long long>(pixel / plane) * targets + target) * plane + pixel % plane] =
          finished(sums[i][j] + first_of(b, target), relu);
    }
  }
}
