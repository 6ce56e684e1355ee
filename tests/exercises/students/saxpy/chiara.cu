// tests/exercises/students/saxpy/chiara.cu: by an author who knew only the text.
// grid-stride loop, like in the blog post
extern "C" __global__ void saxpy(const float* x, float* y, int n, float a) {
  int stride = gridDim.x * blockDim.x;
#pragma unroll 1
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) y[i] = a * x[i] + y[i];
}
