// tests/exercises/students/saxpy/emil.cu: by an author who knew only the text.
// each thread looks through the 1024 elements of its block and takes every 256th,
// the one that belongs to it
extern "C" __global__ void saxpy(const float* __restrict__ x, float* __restrict__ y, int n,
                                 float a) {
  int start = blockIdx.x * 1024;
  int end = start + 1024;
  if (end > n) end = n;
  for (int i = start; i < end; i++) {
    if (i % 256 == (int)threadIdx.x) {
      y[i] = a * x[i] + y[i];
    }
  }
}
