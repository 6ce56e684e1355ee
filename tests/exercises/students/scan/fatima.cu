// tests/exercises/students/scan/fatima.cu: by an author who knew only the text.
// Hillis and Steele
extern "C" __global__ void scan(const int* __restrict__ x, int* __restrict__ y, int n) {
  __shared__ int s[256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  s[t] = i < n ? x[i] : 0;
  for (int step = 1; step < 256; step *= 2) {
    __syncthreads();
    if (t >= step) s[t] += s[t - step];
  }
  if (i < n) y[i] = s[t];
}
