// kernels/template/scale.cu: one lane multiplies one element.
//
// The first rung of a ladder: one thread per element, neighbouring lanes on neighbouring elements.
// Look at the sectors per request: 32 lanes of 4 bytes fill the 4 sectors of one line.

extern "C" __global__ void __launch_bounds__(256) scale(const float* __restrict__ x,  // [n]
                                                        float* __restrict__ y,        // [n]
                                                        long long n, float factor) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = factor * x[i];
}
