// kernels/csrmm/library_inputs.cu: forms of A and B that libraries need, beside those of
// convert.cu.
//
//   TYPE  of weights and B, stored.cuh
#include "csrmm/stored.cuh"

// One weight per entry, in any type.
extern "C" __global__ void expand_stored_weight(const Element* __restrict__ weight,  // [1]
                                                Element* __restrict__ weights,       // [nnz]
                                                long long nnz) {
  const long long j = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (j < nnz) weights[j] = weight[0];
}

// f32 rounded to bfloat16, to nearest even.
extern "C" __global__ void round_to_bf16(const float* __restrict__ from,        // [elements]
                                         unsigned short* __restrict__ rounded,  // [elements]
                                         long long elements) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= elements) return;
  unsigned short bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(from[i]));
  rounded[i] = bits;
}

// A of blocks on the diagonal, `side` rows and columns each, in square tiles of TILE: each row of
// tiles has side / TILE of them, whether there are entries in them or not. The last block may be a
// part of one: its rows have the last tiles there are.
#ifdef TILE
__device__ long long first_tile_of(long long row_of_tiles, long long rows, int side) {
  const long long each = side / TILE, first = row_of_tiles / each * each;
  return first + each <= rows ? first : rows - each;
}

extern "C" __global__ void list_tiles(int* __restrict__ begins,   // [m / TILE + 1]
                                      int* __restrict__ columns,  // [m / TILE, side / TILE]
                                      long long rows, int side) {
  const long long row = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const int each = side / TILE;
  const int first = static_cast<int>(first_tile_of(row, rows, side));
  if (row == 0) begins[0] = 0;
  begins[row + 1] = static_cast<int>(row + 1) * each;
  for (int i = 0; i < each; ++i) columns[row * each + i] = first + i;
}

// Adds the entries into zeroed tiles, each row by row; duplicates are summed. A warp per row.
extern "C" __global__ void fill_tiles(const int* __restrict__ indptr,     // [m + 1]
                                      const int* __restrict__ indices,    // [nnz]
                                      const float* __restrict__ weights,  // [nnz], [1] when HOMO
                                      float* __restrict__ tiles,  // [m·side / TILE², TILE, TILE]
                                      int m, int side) {
  const long long row = static_cast<long long>(blockIdx.x) * 8 + threadIdx.y;
  if (row >= m) return;
  const long long tiles_before = row / TILE * (side / TILE);
  const long long first_column = first_tile_of(row / TILE, m / TILE, side) * TILE;
  for (int j = indptr[row] + threadIdx.x; j < indptr[row + 1]; j += 32) {
    const int column = static_cast<int>(indices[j] - first_column);
#if HOMO
    const float weight = weights[0];
#else
    const float weight = weights[j];
#endif
    const long long tile = tiles_before + column / TILE;
    atomicAdd(tiles + (tile * TILE + row % TILE) * TILE + column % TILE, weight);
  }
}
#endif
