// tests/exercises/students/convolution/dmitri.cu: by an author who knew only the text.
extern "C" __global__ void convolve(const float* __restrict__ x, const float* __restrict__ filter,
                                    float* __restrict__ y, int n) {
  __shared__ float s[256 + 8];
  int tid = threadIdx.x;
  int i = blockIdx.x * 256 + tid;

  // s[p] is x[256 * blockIdx.x - 4 + p]
  int j = i - 4;
  s[tid] = (j < 0 || j >= n) ? 0.0f : x[j];
  if (tid < 8) {
    j += 256;
    s[tid + 256] = (j >= n) ? 0.0f : x[j];
  }
  __syncthreads();

  if (i < n) {
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 9; k++)
      sum += filter[k] * s[tid + k];  // the filter is small, the cache has it
    y[i] = sum;
  }
}
