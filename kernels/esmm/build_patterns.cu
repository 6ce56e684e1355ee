// kernels/esmm/build_patterns.cu: pattern bytes from values, an operand a launch, in the plain way.
//
// A warp reads 32 neighbouring columns of a row at once, so a request is one line, and a ballot
// says which of them are nonzero. Rows and columns beyond the matrix count as zero. x != 0 decides:
// a zero with a sign counts as zero, a NaN does not. Look at the DRAM rate: the values are read
// once.
//
//   GROUP  rows of A, or columns of B, that share a byte: 8, 32 or 64

// Bytes [rows / GROUP][columns / 8] of a matrix [rows, columns]: its k run along a row. A warp
// takes 32 columns of a group; lane 0 writes their four bytes.
extern "C" __global__ void __launch_bounds__(256)
    patterns_of_rows(const float* __restrict__ x,          // [rows, columns]
                     unsigned char* __restrict__ pattern,  // [rows / GROUP][columns / 8]
                     long long rows, long long columns) {
  const long long warp = (static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  const long long across = (columns + 31) / 32, k_blocks = (columns + 7) / 8;
  const long long group = warp / across, column = warp % across * 32 + lane;
  if (group * GROUP >= rows) return;
  bool any = false;
#pragma unroll 8
  for (int i = 0; i < GROUP; ++i) {
    const long long row = group * GROUP + i;
    if (row < rows && column < columns) any |= x[row * columns + column] != 0.0f;
  }
  const unsigned bits = __ballot_sync(0xFFFFFFFFu, any);
  const long long block = column / 8;
  if (lane % 8 == 0 && block < k_blocks)
    pattern[group * k_blocks + block] = static_cast<unsigned char>(bits >> lane);
}

// Bytes [columns / GROUP][rows / 8] of a matrix [rows, columns]: its k run down a column. A warp
// takes eight rows of a group of columns.
extern "C" __global__ void __launch_bounds__(256)
    patterns_of_columns(const float* __restrict__ x,          // [rows, columns]
                        unsigned char* __restrict__ pattern,  // [columns / GROUP][rows / 8]
                        long long rows, long long columns) {
  const long long warp = (static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  const long long groups = (columns + GROUP - 1) / GROUP, k_blocks = (rows + 7) / 8;
  const long long block = warp / groups, group = warp % groups;
  if (block >= k_blocks) return;
  unsigned byte = 0;
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    const long long row = block * 8 + j;
    bool any = false;
#pragma unroll
    for (int i = lane; i < GROUP; i += 32) {
      const long long column = group * GROUP + i;
      if (row < rows && column < columns) any |= x[row * columns + column] != 0.0f;
    }
    if (__any_sync(0xFFFFFFFFu, any)) byte |= 1u << j;
  }
  if (lane == 0) pattern[group * k_blocks + block] = static_cast<unsigned char>(byte);
}

// Bytes [rows / 8][columns / 8] of a matrix [rows, columns], for eight columns each. A warp takes
// eight rows of 32 columns; four lanes write a byte each.
extern "C" __global__ void __launch_bounds__(256)
    patterns_of_eights(const float* __restrict__ x,          // [rows, columns]
                       unsigned char* __restrict__ pattern,  // [rows / 8][columns / 8]
                       long long rows, long long columns) {
  const long long warp = (static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  const long long across = (columns + 31) / 32, block = warp / across;
  const long long column = warp % across * 32 + lane;
  if (block * 8 >= rows) return;
  unsigned byte = 0;
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    const long long row = block * 8 + j;
    const bool nonzero = row < rows && column < columns && x[row * columns + column] != 0.0f;
    const unsigned bits = __ballot_sync(0xFFFFFFFFu, nonzero) >> (lane / 8 * 8) & 0xFFu;
    if (bits != 0) byte |= 1u << j;
  }
  if (lane % 8 == 0 && column < columns)
    pattern[block * ((columns + 7) / 8) + column / 8] = static_cast<unsigned char>(byte);
}
