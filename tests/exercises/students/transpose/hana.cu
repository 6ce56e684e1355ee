// tests/exercises/students/transpose/hana.cu: by an author who knew only the text.
// Hana: with constant sizes the compiler can compute the addresses itself, much faster!!
#define ROWS 128
#define COLUMNS 96

extern "C" __global__ void transpose(const float* __restrict__ x, float* __restrict__ y, int rows,
                                     int columns) {
  __shared__ float tile[32][33];
  if (rows != ROWS || columns != COLUMNS) return;
  const float* from = x + blockIdx.y * 32 * COLUMNS + blockIdx.x * 32;
  float* to = y + blockIdx.x * 32 * ROWS + blockIdx.y * 32;
#pragma unroll
  for (int k = 0; k < 32; k += 8)
    tile[threadIdx.y + k][threadIdx.x] = from[(threadIdx.y + k) * COLUMNS + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 32; k += 8)
    to[(threadIdx.y + k) * ROWS + threadIdx.x] = tile[threadIdx.x][threadIdx.y + k];
}
