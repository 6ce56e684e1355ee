// assets/examples/captured_norm/layer_norm_rows.cu: layer norm that keeps a row in registers.
//
// Against PyTorch's kernel: a row is read once. Each thread keeps its part of it in registers for
// the mean, the variance and the result. Look at the sectors that are read, and at the stalls.

#ifndef THREADS
#define THREADS 256
#endif
#define COLUMNS 4096
#define VECTORS (COLUMNS / 4 / THREADS)

__device__ float sum_of_block(float value, float* parts) {
  for (int lane = 16; lane > 0; lane /= 2) value += __shfl_xor_sync(0xffffffffu, value, lane);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  float sum = 0;
  for (int warp = 0; warp < THREADS / 32; ++warp) sum += parts[warp];
  __syncthreads();
  return sum;
}

// The parameters are those of PyTorch's vectorized_layer_norm_kernel<float, float, false>.
extern "C" __global__ void __launch_bounds__(THREADS)
    layer_norm_rows(int columns, float epsilon, const float* x,  // [rows, columns]
                    const float* weight, const float* bias,      // [columns]
                    float* mean, float* rstd,                    // [rows]
                    float* y) {                                  // [rows, columns]
  __shared__ float parts[THREADS / 32];
  const float4* row = reinterpret_cast<const float4*>(x + size_t(blockIdx.x) * columns);
  float4 own[VECTORS];
  float sum = 0;
#pragma unroll
  for (int i = 0; i < VECTORS; ++i) {
    own[i] = row[i * THREADS + threadIdx.x];
    sum += own[i].x + own[i].y + own[i].z + own[i].w;
  }
  const float m = sum_of_block(sum, parts) / columns;
  float squares = 0;
#pragma unroll
  for (int i = 0; i < VECTORS; ++i) {
    const float a = own[i].x - m, b = own[i].y - m, c = own[i].z - m, d = own[i].w - m;
    squares += a * a + b * b + c * c + d * d;
  }
  const float r = rsqrtf(sum_of_block(squares, parts) / columns + epsilon);
  float4* out = reinterpret_cast<float4*>(y + size_t(blockIdx.x) * columns);
#pragma unroll
  for (int i = 0; i < VECTORS; ++i) {
    const int at = i * THREADS + threadIdx.x;
    const float4 w = reinterpret_cast<const float4*>(weight)[at];
    const float4 b = reinterpret_cast<const float4*>(bias)[at];
    out[at] = make_float4((own[i].x - m) * r * w.x + b.x, (own[i].y - m) * r * w.y + b.y,
                          (own[i].z - m) * r * w.z + b.z, (own[i].w - m) * r * w.w + b.w);
  }
  if (threadIdx.x == 0) {
    mean[blockIdx.x] = m;
    rstd[blockIdx.x] = r;
  }
}
