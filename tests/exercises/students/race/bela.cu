// tests/exercises/students/race/bela.cu: by an author who knew only the text.
/* two tiles in turn: one barrier per piece is enough, because who writes
   tile[k % 2] again (at k + 2) has passed the barrier of k + 1, and all have
   read tile[k % 2] before they get there */
extern "C" __global__ void reverse(const float* __restrict__ x, float* __restrict__ y, int n) {
  __shared__ float tile[2][256];
  int t = threadIdx.x;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    int begin = (blockIdx.x * 4 + k) * 256;
    int size = min(256, n - begin);
    float* now = tile[k & 1];
    if (t < size) now[t] = x[begin + t];
    __syncthreads();
    if (t < size) y[begin + t] = now[size - 1 - t];
  }
}
