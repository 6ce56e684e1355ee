// tests/exercises/students/transpose/chiara.cu: by an author who knew only the text.
// No shared memory at all: the first warp of the block keeps the whole tile in registers
// (lane = column) and transposes it with a butterfly of shuffles. The other warps have nothing to
// do.

template <int S>
__device__ __forceinline__ void exchange(float (&v)[32], int lane) {
  const bool upper = (lane & S) != 0;
#pragma unroll
  for (int r = 0; r < 32; ++r) {
    if ((r & S) == 0) {
      const float send = upper ? v[r] : v[r + S];
      const float got = __shfl_xor_sync(0xffffffffu, send, S);
      v[r] = upper ? got : v[r];
      v[r + S] = upper ? v[r + S] : got;
    }
  }
}

extern "C" __global__ void transpose(const float* __restrict__ x, float* __restrict__ y, int rows,
                                     int columns) {
  if (threadIdx.y != 0) return;
  const int lane = threadIdx.x;
  const int row0 = blockIdx.y * 32;
  const int column0 = blockIdx.x * 32;

  float v[32];
#pragma unroll
  for (int r = 0; r < 32; ++r) {
    v[r] = 0.0f;
    if (row0 + r < rows && column0 + lane < columns)
      v[r] = x[(row0 + r) * columns + column0 + lane];
  }
  exchange<16>(v, lane);
  exchange<8>(v, lane);
  exchange<4>(v, lane);
  exchange<2>(v, lane);
  exchange<1>(v, lane);
#pragma unroll
  for (int c = 0; c < 32; ++c) {
    if (column0 + c < columns && row0 + lane < rows) y[(column0 + c) * rows + row0 + lane] = v[c];
  }
}
