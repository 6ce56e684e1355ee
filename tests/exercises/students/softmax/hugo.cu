// tests/exercises/students/softmax/hugo.cu: by an author who knew only the text.
// The row stays in registers: it is read once. Fastest version!
#define PER_THREAD 4
extern "C" __global__ void softmax(const float* __restrict__ x, float* __restrict__ y,
                                   int columns) {
  __shared__ float m4[4], s4[4];
  const int t = threadIdx.x;
  const float* row = x + blockIdx.x * columns;
  float v[PER_THREAD];
  float m = -3.402823466e38f, s = 0;
#pragma unroll
  for (int k = 0; k < PER_THREAD; ++k) {
    const int i = t + 128 * k;
    v[k] = i < columns ? row[i] : -3.402823466e38f;
    m = fmaxf(m, v[k]);
  }
  for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
  if (t % 32 == 0) m4[t / 32] = m;
  __syncthreads();
  m = fmaxf(fmaxf(m4[0], m4[1]), fmaxf(m4[2], m4[3]));
#pragma unroll
  for (int k = 0; k < PER_THREAD; ++k) {
    v[k] = t + 128 * k < columns ? expf(v[k] - m) : 0.f;
    s += v[k];
  }
  for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
  if (t % 32 == 0) s4[t / 32] = s;
  __syncthreads();
  s = 1.f / (s4[0] + s4[1] + s4[2] + s4[3]);
#pragma unroll
  for (int k = 0; k < PER_THREAD; ++k) {
    const int i = t + 128 * k;
    if (i < columns) y[blockIdx.x * columns + i] = v[k] * s;
  }
}
