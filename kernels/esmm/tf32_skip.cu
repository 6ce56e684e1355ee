// kernels/esmm/tf32_skip.cu: a product of eight k on tensor cores is a pattern byte: skipped at 0.
//
// Against joint_lookup: m16n8k8 multiplies all eight k or none, so a warp of 32 × 32 asks only
// whether the joint byte is 0. Look at how seldom it is: of independent bits at a quarter, one byte
// in ten. Loads are as for a dense product.

namespace {
constexpr int kRows = 64, kColumns = 128, kDepth = 32, kThreads = 256;
// Words from one row to the next: four more than 32 and eight more than 128, so that a fragment's
// rows meet no bank twice.
constexpr int kPitchA = kDepth + 4, kPitchB = kColumns + 8;

struct Stage {
  float a[kRows][kPitchA];
  float b[kDepth][kPitchB];
};

__device__ void copy_quad(float* to, const float* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(from)
               : "memory");
}

__device__ void load(Stage& stage, const float* a, const float* b, long long n, long long k,
                     long long first) {
#pragma unroll
  for (int i = threadIdx.x; i < kRows * kDepth / 4; i += kThreads)
    copy_quad(&stage.a[i / 8][i % 8 * 4],
              a + (blockIdx.y * static_cast<long long>(kRows) + i / 8) * k + first + i % 8 * 4);
#pragma unroll
  for (int i = threadIdx.x; i < kDepth * kColumns / 4; i += kThreads)
    copy_quad(
        &stage.b[i / 32][i % 32 * 4],
        b + (first + i / 32) * n + blockIdx.x * static_cast<long long>(kColumns) + i % 32 * 4);
  asm volatile("cp.async.commit_group;" ::: "memory");
}

__device__ unsigned tf32(float x) {
  unsigned rounded;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(x));
  return rounded;
}

// 32 × 32 of C and eight k: two products down, four across.
__device__ void multiply(float (&c)[2][4][4], const Stage& stage, int row, int column, int k) {
  const int group = threadIdx.x % 32 / 4, of_group = threadIdx.x % 4;
  unsigned b[4][2];
#pragma unroll
  for (int j = 0; j < 4; ++j)
#pragma unroll
    for (int half = 0; half < 2; ++half)
      b[j][half] = tf32(stage.b[k + of_group + half * 4][column + j * 8 + group]);
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    unsigned a[4];
#pragma unroll
    for (int part = 0; part < 4; ++part)
      a[part] = tf32(stage.a[row + i * 16 + group + part % 2 * 8][k + of_group + part / 2 * 4]);
#pragma unroll
    for (int j = 0; j < 4; ++j)
      asm volatile(
          "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
          "{%8,%9}, {%0,%1,%2,%3};"
          : "+f"(c[i][j][0]), "+f"(c[i][j][1]), "+f"(c[i][j][2]), "+f"(c[i][j][3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[j][0]), "r"(b[j][1]));
  }
}
}  // namespace

extern "C" __global__ void __launch_bounds__(kThreads)
    tf32_skip(const float* __restrict__ a,                  // [m][k], m a multiple of 64
              const float* __restrict__ b,                  // [k][n], of 32 and of 128
              const unsigned char* __restrict__ a_pattern,  // [m/32][k/8]
              const unsigned char* __restrict__ b_pattern,  // [n/32][k/8]
              float* __restrict__ c,                        // [m][n]
              long long n, long long k) {
  extern __shared__ __align__(16) unsigned char shared[];
  Stage* stages = reinterpret_cast<Stage*>(shared);
  const int warp = threadIdx.x / 32, row = warp / 4 * 32, column = warp % 4 * 32;
  const long long blocks = k / 8;
  const unsigned char* of_rows = a_pattern + (blockIdx.y * 2LL + warp / 4) * blocks;
  const unsigned char* of_columns = b_pattern + (blockIdx.x * 4LL + warp % 4) * blocks;
  float sum[2][4][4] = {};
  if (k > 0) load(stages[0], a, b, n, k, 0);
  for (long long first = 0; first < k; first += kDepth) {
    const int now = static_cast<int>(first / kDepth % 2);
    if (first + kDepth < k)
      load(stages[1 - now], a, b, n, k, first + kDepth);
    else
      asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __syncthreads();
#pragma unroll
    for (int block = 0; block < kDepth / 8; ++block) {
      const long long at = first / 8 + block;
      if ((of_rows[at] & of_columns[at]) != 0) multiply(sum, stages[now], row, column, block * 8);
    }
    __syncthreads();
  }
  const int group = threadIdx.x % 32 / 4, of_group = threadIdx.x % 4;
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const long long at =
            blockIdx.y * static_cast<long long>(kRows) + row + i * 16 + group + half * 8;
        const long long to =
            blockIdx.x * static_cast<long long>(kColumns) + column + j * 8 + of_group * 2;
        *reinterpret_cast<float2*>(c + at * n + to) =
            make_float2(sum[i][j][half * 2], sum[i][j][half * 2 + 1]);
      }
}
