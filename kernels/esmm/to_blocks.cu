// kernels/esmm/to_blocks.cu: a dense matrix with zeros as square blocks that a library multiplies
// by.
//
// A warp has a row of blocks and looks at one block after the other: those that hold a nonzero are
// kept whole, zeros and all. Sizes are multiples of the block's side.
//
//   SIDE  rows and columns of a block: 8, 16 or 32

constexpr int kElements = SIDE * SIDE;

// Whether the block that begins at `x` holds a nonzero, for all lanes of the warp.
__device__ __forceinline__ bool holds_nonzero(const float* x, long long columns) {
  bool any = false;
  for (int i = threadIdx.x % 32; i < kElements; i += 32)
    any |= x[i / SIDE * columns + i % SIDE] != 0.0f;
  return __any_sync(0xFFFFFFFFu, any);
}

__device__ __forceinline__ long long row_of_warp() {
  return (static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
}

// Blocks of each row of blocks, at counts[row].
extern "C" __global__ void __launch_bounds__(256)
    count_blocks(const float* __restrict__ x,  // [rows, columns]
                 int* __restrict__ counts,     // [rows / SIDE]
                 long long rows, long long columns) {
  const long long row = row_of_warp();
  if (row >= rows / SIDE) return;
  int count = 0;
  for (long long column = 0; column < columns; column += SIDE)
    count += holds_nonzero(x + row * SIDE * columns + column, columns) ? 1 : 0;
  if (threadIdx.x % 32 == 0) counts[row] = count;
}

extern "C" __global__ void __launch_bounds__(256)
    fill_bsr(const float* __restrict__ x,     // [rows, columns]
             const int* __restrict__ indptr,  // [rows / SIDE + 1]
             int* __restrict__ indices,       // [blocks]
             float* __restrict__ weights,     // [blocks][SIDE, SIDE]
             long long rows, long long columns) {
  const long long row = row_of_warp();
  if (row >= rows / SIDE) return;
  long long next = indptr[row];
  for (long long column = 0; column < columns; column += SIDE) {
    const float* const block = x + row * SIDE * columns + column;
    if (!holds_nonzero(block, columns)) continue;
    if (threadIdx.x % 32 == 0) indices[next] = static_cast<int>(column / SIDE);
    for (int i = threadIdx.x % 32; i < kElements; i += 32)
      weights[next * kElements + i] = block[i / SIDE * columns + i % SIDE];
    ++next;
  }
}

// The numbers of each row's blocks, padded with -1 to `width`.
extern "C" __global__ void __launch_bounds__(256)
    list_blocks(const float* __restrict__ x,  // [rows, columns]
                int* __restrict__ indices,    // [rows / SIDE][width]
                long long rows, long long columns, long long width) {
  const long long row = row_of_warp();
  if (row >= rows / SIDE) return;
  long long next = 0;
  for (long long column = 0; column < columns; column += SIDE) {
    if (!holds_nonzero(x + row * SIDE * columns + column, columns)) continue;
    if (threadIdx.x % 32 == 0) indices[row * width + next] = static_cast<int>(column / SIDE);
    ++next;
  }
  for (; next < width; ++next) {
    if (threadIdx.x % 32 == 0) indices[row * width + next] = -1;
  }
}
