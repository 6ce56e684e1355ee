// warp_a_row.cu: layer normalisation, one warp per row, its lanes side by side.
//
// Against thread_a_row: lane l takes columns l, l + 32, …, so 32 lanes ask for 128 bytes in a row:
// four sectors per request, all of them used. Five exchanges between registers add the lanes' sums.
// Look at the bytes read from DRAM: as many rows are walked at once as warps are resident, and the
// second and third pass over a row may come too late for the caches.

__device__ float warp_sum(float value) {
  for (int apart = 16; apart > 0; apart /= 2) value += __shfl_xor_sync(0xffffffff, value, apart);
  return value;
}

extern "C" __global__ void __launch_bounds__(256)
    warp_a_row(const float* __restrict__ x,      // [rows, columns]
               const float* __restrict__ gamma,  // [columns]
               const float* __restrict__ beta,   // [columns]
               float* __restrict__ y,            // [rows, columns]
               int rows, int columns, float epsilon) {
  const int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  x += static_cast<long long>(row) * columns;
  y += static_cast<long long>(row) * columns;
  float sum = 0, squares = 0;
  for (int c = lane; c < columns; c += 32) sum += x[c];
  const float mean = warp_sum(sum) / columns;
  for (int c = lane; c < columns; c += 32) squares += (x[c] - mean) * (x[c] - mean);
  const float scale = rsqrtf(warp_sum(squares) / columns + epsilon);
  for (int c = lane; c < columns; c += 32) y[c] = (x[c] - mean) * scale * gamma[c] + beta[c];
}
