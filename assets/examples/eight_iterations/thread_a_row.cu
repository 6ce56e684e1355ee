// thread_a_row.cu: layer normalisation, one thread per row, as one would write it for a processor.
//
// Mean, variance about that mean, then the row again to write: x is read three times. The lanes of
// a warp stand a row apart, so each of their 4 bytes lies in a sector of its own. Look at
// Coalescing: 32 sectors per request where neighbours would need 4.

extern "C" __global__ void __launch_bounds__(64)
    thread_a_row(const float* __restrict__ x,      // [rows, columns]
                 const float* __restrict__ gamma,  // [columns]
                 const float* __restrict__ beta,   // [columns]
                 float* __restrict__ y,            // [rows, columns]
                 int rows, int columns, float epsilon) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  x += static_cast<long long>(row) * columns;
  y += static_cast<long long>(row) * columns;
  float sum = 0, squares = 0;
  for (int c = 0; c < columns; ++c) sum += x[c];
  const float mean = sum / columns;
  for (int c = 0; c < columns; ++c) squares += (x[c] - mean) * (x[c] - mean);
  const float scale = rsqrtf(squares / columns + epsilon);
  for (int c = 0; c < columns; ++c) y[c] = (x[c] - mean) * scale * gamma[c] + beta[c];
}
