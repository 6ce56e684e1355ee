// tests/exercises/students/saxpy/fatima.cu: by an author who knew only the text.
extern "C" __global__ void saxpy(const float* __restrict__ x, float* __restrict__ y, int n,
                                 float a) {
  const int last = n - 1;  // do not read past the end!
  int i = blockIdx.x * 1024 + threadIdx.x;
  for (int k = 0; k < 4; ++k, i += 256) {
    if (i < last) y[i] = a * x[i] + y[i];
  }
}
