// reference.cu: sums of 1024 elements each, in double precision.
extern "C" __global__ void exact(const float* x,     // [n]
                                 double* reference,  // [ceil(n / 1024)]
                                 double* magnitude,  // [ceil(n / 1024)]
                                 int n) {
  double sum = 0, all = 0;
  for (int i = blockIdx.x * 1024; i < n && i < (blockIdx.x + 1) * 1024; ++i) {
    sum += x[i];
    all += fabs(static_cast<double>(x[i]));
  }
  reference[blockIdx.x] = sum;
  magnitude[blockIdx.x] = all;
}
