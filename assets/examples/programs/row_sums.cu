// assets/examples/programs/row_sums.cu: the sum of each row of a matrix, with one thread per row
// and with one warp per row. nvcc compiles it; Warpscope opens it as it is.
#include <cstdio>
#include <vector>

// Lanes of a warp read a column: each element is in another line of 128 bytes.
__global__ void thread_per_row(const float* in, float* out, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int column = 0; column < columns; ++column) sum += in[row * columns + column];
  out[row] = sum;
}

// Lanes of a warp read 32 elements side by side, and add up their sums at the end.
__global__ void warp_per_row(const float* in, float* out, int rows, int columns) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int column = lane; column < columns; column += 32) sum += in[row * columns + column];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
  if (lane == 0) out[row] = sum;
}

int main() {
  const int rows = 2048, columns = 1024;
  float *in, *out;
  cudaMalloc(&in, rows * columns * sizeof(float));
  cudaMalloc(&out, rows * sizeof(float));
  thread_per_row<<<(rows + 127) / 128, 128>>>(in, out, rows, columns);
  warp_per_row<<<(rows + 3) / 4, 128>>>(in, out, rows, columns);
  std::vector<float> sums(rows);
  cudaMemcpy(sums.data(), out, rows * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%g\n", sums[0]);
  cudaFree(in);
  cudaFree(out);
  return 0;
}
