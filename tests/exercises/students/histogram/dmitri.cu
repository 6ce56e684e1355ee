// tests/exercises/students/histogram/dmitri.cu: by an author who knew only the text.
// To keep the blocks from all hammering counts[0] at the same moment, each block starts
// its final update at another bin.
extern "C" __global__ void histogram(const int* __restrict__ keys, int* __restrict__ counts,
                                     int n) {
  __shared__ int h[64];
  int tid = threadIdx.x;
  if (tid < 64) h[tid] = 0;
  __syncthreads();

  int base = blockIdx.x * 2048;
#pragma unroll
  for (int k = 0; k < 8; k++) {
    int i = base + k * 256 + tid;
    if (i < n) atomicAdd(&h[keys[i]], 1);
  }
  __syncthreads();

  if (tid < 64) {
    int bin = (tid + 5 * blockIdx.x) & 63;  // rotate
    atomicAdd(&counts[bin], h[bin]);
  }
}
