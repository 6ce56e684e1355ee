// tests/exercises/students/softmax/bela.cu: by an author who knew only the text.
#define THREADS 128

// tree reduction in shared memory, like in the lecture
extern "C" __global__ void softmax(const float* __restrict__ x, float* __restrict__ y,
                                   int columns) {
  __shared__ float s[THREADS];
  int tid = threadIdx.x;
  const float* in = x + blockIdx.x * columns;
  float* out = y + blockIdx.x * columns;

  /* 1. maximum. in[0] is always there, so it is a safe start */
  float m = in[0];
  for (int c = tid; c < columns; c += THREADS) m = fmaxf(m, in[c]);
  s[tid] = m;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half >>= 1) {
    if (tid < half) s[tid] = fmaxf(s[tid], s[tid + half]);
    __syncthreads();
  }
  m = s[0];
  __syncthreads(); /* everybody has m before s is used again */

  /* 2. sum; keep exp(x - m) in y, each thread reads only what it wrote */
  float z = 0.0f;
  for (int c = tid; c < columns; c += THREADS) {
    float e = expf(in[c] - m);
    out[c] = e;
    z += e;
  }
  s[tid] = z;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half >>= 1) {
    if (tid < half) s[tid] += s[tid + half];
    __syncthreads();
  }

  /* 3. scale */
  float inv = 1.0f / s[0];
  for (int c = tid; c < columns; c += THREADS) out[c] *= inv;
}
