// kernels/template/reference.cu: y in double precision, with the scales of its error bound.

extern "C" __global__ void reference_scale(const float* x,        // [n]
                                           double* reference,     // [n]
                                           double* accumulation,  // [n]
                                           double* magnitude,     // [n]
                                           long long n, float factor) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  reference[i] = static_cast<double>(factor) * x[i];
  accumulation[i] = magnitude[i] = fabs(reference[i]);
}
