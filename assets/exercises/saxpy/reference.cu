// reference.cu: what y must be, in double precision.
extern "C" __global__ void exact(const float* x,     // [n]
                                 const float* y,     // [n]
                                 double* reference,  // [n]
                                 double* magnitude,  // [n]
                                 int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  reference[i] = 0.5 * x[i] + y[i];
  magnitude[i] = fabs(0.5 * x[i]) + fabs(static_cast<double>(y[i]));
}
