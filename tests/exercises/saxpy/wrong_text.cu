// tests/exercises/saxpy/wrong_text.cu: does not compile.
extern "C" __global__ void saxpy(const float* __restrict__ x, float* __restrict__ y, int n,
                                 float a) {
  y[threadIdx.x] = a * x[threadIdx.x] + y[threadIdx.x]
}
