// tests/exercises/students/race/chiara.cu: by an author who knew only the text.
// Without shared memory there is nothing to race for: 32 neighbouring floats are read in the other
// order.
template <int pieces>
__device__ __forceinline__ void reverse_pieces(const float* __restrict__ x, float* __restrict__ y,
                                               int n) {
#pragma unroll
  for (int k = 0; k < pieces; ++k) {
    const int begin = (blockIdx.x * pieces + k) * 256;
    const int size = min(256, n - begin), t = threadIdx.x;
    if (t < size) y[begin + t] = __ldg(&x[begin + size - 1 - t]);
  }
}
extern "C" __global__ void reverse(const float* __restrict__ x, float* __restrict__ y, int n) {
  reverse_pieces<4>(x, y, n);
}
