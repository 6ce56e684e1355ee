// tests/exercises/saxpy/wrong_tail.cu: leaves out the last block unless it is full.
extern "C" __global__ void saxpy(const float* __restrict__ x, float* __restrict__ y, int n,
                                 float a) {
  if ((blockIdx.x + 1) * 1024 > n) return;
  for (int k = 0; k < 4; ++k) {
    const int i = blockIdx.x * 1024 + k * 256 + threadIdx.x;
    y[i] = a * x[i] + y[i];
  }
}
