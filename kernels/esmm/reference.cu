// kernels/esmm/reference.cu: every element of C in double precision, with the scales of its error
// bound.
//
// One thread per element, 32 × 32 tiles of both operands in shared memory, nothing shared with the
// variants. magnitude = Σ|a||b|, accumulation = Σ|a||b|·√K.

constexpr int kSide = 32;

extern "C" __global__ void __launch_bounds__(kSide* kSide)
    esmm_reference(const float* a,        // [M, K]
                   const float* b,        // [K, N]
                   double* reference,     // [M, N]
                   double* accumulation,  // [M, N]
                   double* magnitude,     // [M, N]
                   long long m, long long n, long long depth) {
  __shared__ float as[kSide][kSide], bs[kSide][kSide];
  const int x = threadIdx.x % kSide, y = threadIdx.x / kSide;
  const long long row = static_cast<long long>(blockIdx.y) * kSide + y;
  const long long column = static_cast<long long>(blockIdx.x) * kSide + x;
  double sum = 0, absolute = 0;
  for (long long k = 0; k < depth; k += kSide) {
    as[y][x] = row < m && k + x < depth ? a[row * depth + k + x] : 0.0f;
    bs[y][x] = k + y < depth && column < n ? b[(k + y) * n + column] : 0.0f;
    __syncthreads();
    for (int step = 0; step < kSide && k + step < depth; ++step) {
      const double product = static_cast<double>(as[y][step]) * bs[step][x];
      sum += product;
      absolute += fabs(product);
    }
    __syncthreads();
  }
  if (row >= m || column >= n) return;
  const long long i = row * n + column;
  reference[i] = sum;
  magnitude[i] = absolute;
  accumulation[i] = absolute * sqrt(static_cast<double>(depth));
}
