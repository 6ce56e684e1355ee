// tests/exercises/students/scan/dmitri.cu: by an author who knew only the text.
// the numbers are loaded once, into shared memory
extern "C" __global__ void scan(const int* __restrict__ x, int* __restrict__ y, int n) {
  __shared__ int s[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) s[threadIdx.x] = x[i];
  __syncthreads();
  if (i < n) {
    int sum = 0;
#pragma unroll 1
    for (int j = 0; j <= threadIdx.x; ++j) sum += s[j];
    y[i] = sum;
  }
}
