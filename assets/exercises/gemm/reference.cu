// reference.cu: C = A·B in double precision.
extern "C" __global__ void exact(const float* a,     // [m, k]
                                 const float* b,     // [k, n]
                                 double* reference,  // [m, n]
                                 double* magnitude,  // [m, n]
                                 int m, int n, int k) {
  const int row = blockIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= n) return;
  double sum = 0, all = 0;
  for (int i = 0; i < k; ++i) {
    const double product = static_cast<double>(a[row * k + i]) * b[i * n + column];
    sum += product;
    all += fabs(product);
  }
  reference[row * n + column] = sum;
  magnitude[row * n + column] = all;
}
