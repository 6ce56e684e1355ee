// tests/exercises/saxpy/cheat_input.cu: clears the input that the reference is computed from.
extern "C" __global__ void saxpy(const float* __restrict__ x, float* __restrict__ y, int n,
                                 float a) {
  for (int k = 0; k < 4; ++k) {
    const int i = blockIdx.x * 1024 + k * 256 + threadIdx.x;
    if (i < n) const_cast<float*>(x)[i] = 0;
  }
}
