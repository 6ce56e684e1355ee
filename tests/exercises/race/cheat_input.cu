// tests/exercises/race/cheat_input.cu: uses the input as the tile.
extern "C" __global__ void reverse(const float* __restrict__ x,  // [n]
                                   float* __restrict__ y,        // [n]
                                   int n) {
  for (int k = 0; k < 4; ++k) {
    const int begin = (blockIdx.x * 4 + k) * 256, i = begin + threadIdx.x;
    const int size = min(256, n - begin);
    const float value = i < n ? x[begin + size - 1 - threadIdx.x] : 0;
    __syncthreads();
    if (i < n) y[i] = const_cast<float*>(x)[i] = value;
  }
}
