// kernels/esmm/patterns_pack.cu: the patterns of both operands and A turned k-major, in one pass.
//
// Against the two published builders: one launch reads each operand once, sixteen bytes per lane,
// and keeps what it read in registers. A warp takes 32 rows and 32 columns of A, or 32 rows and 128
// columns of B. Of A it also writes every active column as 128 contiguous bytes: a product can then
// fetch any k of a row group alone, as it can of row-major B. Look at the bytes of DRAM: both
// operands once, the active share of A again, and next to nothing beside.

#ifndef OPERANDS
#define OPERANDS 3  // 1: A, 2: B, 3: both
#endif

namespace {
constexpr unsigned kAll = 0xffffffffu;

__device__ unsigned nonzeros(float4 v) {
  return (v.x != 0.0f ? 1u : 0u) | (v.y != 0.0f ? 2u : 0u) | (v.z != 0.0f ? 4u : 0u) |
         (v.w != 0.0f ? 8u : 0u);
}

// Four neighbours of a row; what lies beyond the matrix is zero.
__device__ float4 quad(const float* matrix, long long rows, long long columns, long long row,
                       long long column) {
  if (row >= rows) return make_float4(0, 0, 0, 0);
  const float* at = matrix + row * columns + column;
  if (columns % 4 == 0 && column + 3 < columns) return *reinterpret_cast<const float4*>(at);
  return make_float4(column < columns ? at[0] : 0, column + 1 < columns ? at[1] : 0,
                     column + 2 < columns ? at[2] : 0, column + 3 < columns ? at[3] : 0);
}
}  // namespace

extern "C" __global__ void __launch_bounds__(256)
    patterns_pack(const float* __restrict__ a,  // [m][k]
                  const float* __restrict__ b,  // [k][n]
                  unsigned* __restrict__ a_pattern,  // [⌈m/32⌉][⌈k/32⌉]: bit j is k = 32·word + j
                  unsigned* __restrict__ b_pattern,  // [⌈n/32⌉][⌈k/32⌉]
                  float* __restrict__ a_columns,  // [⌈m/32⌉][32·⌈k/32⌉][32]: active k only
                  long long m, long long n, long long k) {
  const int lane = threadIdx.x % 32;
  const long long words = (k + 31) / 32, groups = (m + 31) / 32, strips = (n + 127) / 128;
  long long job = static_cast<long long>(blockIdx.x) * 8 + threadIdx.x / 32;
  const long long jobs_of_b = OPERANDS & 2 ? words * strips : 0;
  if (job >= jobs_of_b) {  // B's come first: they are four times as long
    if (!(OPERANDS & 1)) return;
    job -= jobs_of_b;
    if (job >= groups * words) return;
    const long long group = job / words, word = job % words;
    const int q = lane % 8, r = lane / 8;
    float4 v[8];  // rows 4r … 4r+3 and 16+4r … 16+4r+3, columns 4q … 4q+3
#pragma unroll
    for (int i = 0; i < 8; ++i)
      v[i] = quad(a, m, k, group * 32 + i / 4 * 16 + r * 4 + i % 4, word * 32 + q * 4);
    unsigned bits = 0;
#pragma unroll
    for (int i = 0; i < 8; ++i) bits |= nonzeros(v[i]);
    const unsigned active = __reduce_or_sync(kAll, bits << 4 * q);
    if (lane == 0) a_pattern[job] = active;
    float4* out = reinterpret_cast<float4*>(a_columns + (job * 32 + 4 * q) * 32) + r;
    const unsigned mine = active >> 4 * q;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float4 w = v[4 * half], x = v[4 * half + 1], y = v[4 * half + 2], z = v[4 * half + 3];
      if (mine & 1) out[4 * half] = make_float4(w.x, x.x, y.x, z.x);
      if (mine & 2) out[4 * half + 8] = make_float4(w.y, x.y, y.y, z.y);
      if (mine & 4) out[4 * half + 16] = make_float4(w.z, x.z, y.z, z.z);
      if (mine & 8) out[4 * half + 24] = make_float4(w.w, x.w, y.w, z.w);
    }
    return;
  }
  const long long word = job / strips, strip = job % strips;
  unsigned active = 0;
#pragma unroll
  for (int part = 0; part < 4; ++part) {
    float4 v[8];
#pragma unroll
    for (int i = 0; i < 8; ++i)
      v[i] = quad(b, k, n, word * 32 + part * 8 + i, strip * 128 + lane * 4);
#pragma unroll
    for (int i = 0; i < 8; ++i) active |= (nonzeros(v[i]) ? 1u : 0u) << (part * 8 + i);
  }
#pragma unroll
  for (int step = 1; step < 8; step *= 2) active |= __shfl_xor_sync(kAll, active, step);
  const long long group = strip * 4 + lane / 8;
  if (lane % 8 == 0 && group < (n + 31) / 32) b_pattern[group * words + word] = active;
}
