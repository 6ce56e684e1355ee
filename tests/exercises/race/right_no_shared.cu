// tests/exercises/race/right_no_shared.cu: reads x in reverse; that is coalesced, too.
extern "C" __global__ void reverse(const float* __restrict__ x,  // [n]
                                   float* __restrict__ y,        // [n]
                                   int n) {
  for (int k = 0; k < 4; ++k) {
    const int begin = (blockIdx.x * 4 + k) * 256, i = begin + threadIdx.x;
    const int size = min(256, n - begin);
    if (i < n) y[i] = x[begin + size - 1 - threadIdx.x];
  }
}
