// tests/exercises/students/transpose/bogdan.cu: by an author who knew only the text.
#define T 32
#define STEP 8

// XOR swizzle: element (r, c) of the tile lies in word r*32 + (c^r). No padding needed.
__device__ __forceinline__ int at(int r, int c) { return r * T + (c ^ r); }

extern "C" __global__ void transpose(const float* __restrict__ x, float* __restrict__ y, int rows,
                                     int columns) {
  __shared__ float s[T * T];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int r0 = blockIdx.y * T, c0 = blockIdx.x * T;

  if (c0 + tx < columns) {
#pragma unroll
    for (int j = 0; j < T; j += STEP) {
      const int r = ty + j;
      if (r0 + r < rows) s[at(r, tx)] = x[(r0 + r) * columns + c0 + tx];
    }
  }
  __syncthreads();
  if (r0 + tx < rows) {
#pragma unroll
    for (int j = 0; j < T; j += STEP) {
      const int c = ty + j;
      if (c0 + c < columns) y[(c0 + c) * rows + r0 + tx] = s[at(tx, c)];
    }
  }
}
