// tests/exercises/students/convolution/ines.cu: by an author who knew only the text.
// Blocks draw a number, so that the tiles are computed in the order in which blocks really start.
__device__ int next_tile = 0;

extern "C" __global__ void convolve(const float* __restrict__ x, const float* __restrict__ filter,
                                    float* __restrict__ y, int n) {
  __shared__ float tile[264];
  __shared__ float w[9];
  __shared__ int number;
  const int t = threadIdx.x;
  if (t == 0) number = atomicAdd(&next_tile, 1);
  if (t >= 32 && t < 41) w[t - 32] = filter[t - 32];
  __syncthreads();
  const int i = number * 256 + t;
  const int j = i - 4;
  tile[t] = j >= 0 && j < n ? x[j] : 0.0f;
  if (t < 8) tile[256 + t] = j + 256 < n ? x[j + 256] : 0.0f;
  __syncthreads();
  if (i < n) {
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 9; ++k) sum = fmaf(w[k], tile[t + k], sum);
    y[i] = sum;
  }
}
