// kernels/esmm/patterns.cu: the pattern words of both operands, in one pass and one launch.
//
// Against build_patterns: a lane reads sixteen bytes, both operands go in one launch, and 32 k of
// 32 rows or columns become one word, so that products run through its set bits. A warp takes 32
// rows and 32 columns of A, or 32 rows and 128 columns of B. Look at the rate of DRAM: the values
// are read once, and next to nothing is written.
//
//   OPERANDS  1: A, 2: B, 3: both

namespace {
constexpr unsigned kAll = 0xffffffffu;

__device__ unsigned nonzeros(float4 v) {
  return (v.x != 0.0f ? 1u : 0u) | (v.y != 0.0f ? 2u : 0u) | (v.z != 0.0f ? 4u : 0u) |
         (v.w != 0.0f ? 8u : 0u);
}

// Which of four neighbours of a row are not zero; what lies beyond the matrix is.
__device__ unsigned nonzeros(const float* matrix, long long rows, long long columns, long long row,
                             long long column) {
  if (row >= rows) return 0;
  const float* const at = matrix + row * columns + column;
  if (columns % 4 == 0 && column < columns) return nonzeros(*reinterpret_cast<const float4*>(at));
  unsigned bits = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i) bits |= (column + i < columns && at[i] != 0.0f ? 1u : 0u) << i;
  return bits;
}
}  // namespace

extern "C" __global__ void __launch_bounds__(256)
    patterns(const float* __restrict__ a,       // [m][k]
             const float* __restrict__ b,       // [k][n]
             unsigned* __restrict__ a_pattern,  // [⌈m/32⌉][⌈k/32⌉]: bit j is k = 32·word + j
             unsigned* __restrict__ b_pattern,  // [⌈n/32⌉][⌈k/32⌉]
             long long m, long long n, long long k) {
  const int lane = threadIdx.x % 32;
  const long long words = (k + 31) / 32, groups = (m + 31) / 32, strips = (n + 127) / 128;
  long long job = static_cast<long long>(blockIdx.x) * 8 + threadIdx.x / 32;
  const long long jobs_of_b = OPERANDS & 2 ? words * strips : 0;
  if (job >= jobs_of_b) {  // B's come first: they are four times as long
    job -= jobs_of_b;
    if (!(OPERANDS & 1) || job >= groups * words) return;
    const long long group = job / words, word = job % words;
    const int quad = lane % 8 * 4;
    unsigned bits = 0;
#pragma unroll
    for (int i = 0; i < 8; ++i)
      bits |= nonzeros(a, m, k, group * 32 + i * 4 + lane / 8, word * 32 + quad);
    const unsigned active = __reduce_or_sync(kAll, bits << quad);
    if (lane == 0) a_pattern[job] = active;
    return;
  }
  const long long word = job / strips, strip = job % strips;
  unsigned active = 0;
#pragma unroll 8
  for (int i = 0; i < 32; ++i)
    active |= (nonzeros(b, k, n, word * 32 + i, strip * 128 + lane * 4) != 0 ? 1u : 0u) << i;
#pragma unroll
  for (int step = 1; step < 8; step *= 2) active |= __shfl_xor_sync(kAll, active, step);
  const long long group = strip * 4 + lane / 8;
  if (lane % 8 == 0 && group < (n + 31) / 32) b_pattern[group * words + word] = active;
}
