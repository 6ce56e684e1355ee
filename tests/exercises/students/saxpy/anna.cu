// tests/exercises/students/saxpy/anna.cu: by an author who knew only the text.
// Anna: neighbouring lanes -> neighbouring floats. The next element is blockDim.x further.
extern "C" __global__ void saxpy(const float* __restrict__ x, float* __restrict__ y, int n,
                                 float a) {
  const int first = 4 * blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int i = first + k * 256;
    if (i < n) y[i] = a * x[i] + y[i];
  }
}
