// kernels/led/libraries.cu: the forms of patterns and results that libraries ask for.
//
//   B  side of a block     UINT8, RAW  see operand.cuh
#include "led/operand.cuh"

// Row r of the sparse matrix is the block of out's r-th LED and channel in the frame's order of
// pixels: B² entries with ascending columns. One block of threads per row; row_order as out.
extern "C" __global__ void __launch_bounds__(256)
    blocks_to_csr(const Value* __restrict__ values,   // [C, N, B, B]
                  const int* __restrict__ positions,  // [C, N, 2]
                  int* __restrict__ indptr,           // [N·C + 1]
                  int* __restrict__ indices,          // [N·C·B²]
                  Value* __restrict__ weights,        // [N·C·B²]
                  int leds, int channels, int height, int width, int frame_count, int planar) {
  const Shape shape = {leds, channels, height, width, frame_count, planar};
  const int n = blockIdx.x, c = blockIdx.y;
  const int row = static_cast<int>(output_index(shape, 0, n, c));
  const int2 place = place_of(positions, shape, n, c);
  const Value* const pattern = pattern_of(values, shape, n, c);
  const long long first = static_cast<long long>(row) * (B * B);
  for (int i = threadIdx.x; i < B * B; i += 256) {
    indices[first + i] = (c * height + place.x + i / B) * width + place.y + i % B;
    weights[first + i] = pattern[i];
  }
  if (threadIdx.x == 0) {
    indptr[row] = static_cast<int>(first);
    if (row == leds * channels - 1) indptr[row + 1] = static_cast<int>(first) + B * B;
  }
}

// dense[n, pixel] of one channel: the block among zeros.
extern "C" __global__ void __launch_bounds__(256)
    blocks_to_dense(const Value* __restrict__ values,   // [N, B, B] of the channel
                    const int* __restrict__ positions,  // [N, 2] of the channel
                    Value* __restrict__ dense,          // [N, H·W], zeroed
                    int height, int width) {
  const long long n = blockIdx.x;
  const int2 place = reinterpret_cast<const int2*>(positions)[n];
  for (int i = threadIdx.x; i < B * B; i += 256) {
    dense[(n * height + place.x + i / B) * width + place.y + i % B] = values[n * (B * B) + i];
  }
}

// innermost[p, f] = frames[f, p]: one thread per pixel, for the libraries' column of frames.
extern "C" __global__ void __launch_bounds__(256)
    pixels_to_rows(const Value* __restrict__ frames,  // first pixel of frame 0
                   Value* __restrict__ innermost,     // [pixels, F]
                   long long pixels, long long frame_pixels, int frame_count) {
  const long long p = static_cast<long long>(blockIdx.x) * 256 + threadIdx.x;
  if (p >= pixels) return;
  for (int f = 0; f < frame_count; ++f)
    innermost[p * frame_count + f] = frames[f * frame_pixels + p];
}

// out[f, first + r·stride] = rows[r, f].
extern "C" __global__ void __launch_bounds__(256)
    rows_to_outputs(const Value* __restrict__ rows,  // [rows, F]
                    Value* __restrict__ out,         // [F, N·C]
                    int row_count, int frame_count, int outputs, int first, int stride) {
  const long long i = static_cast<long long>(blockIdx.x) * 256 + threadIdx.x;
  if (i >= static_cast<long long>(row_count) * frame_count) return;
  const long long r = i % row_count, f = i / row_count;
  out[f * outputs + first + r * stride] = rows[r * frame_count + f];
}
