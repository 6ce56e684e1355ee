// kernels/esmm/joint_rows.cu: a block loads only what one of its warps takes.
//
// Against joint_bk32: nothing but a test before each copy. Of B a part of a row, 32 columns of one
// k, comes where a row group of the block has that k as well; of A a sector, eight k of a row,
// where one of the eight is in a column group. Look at the bytes from L2: B's follow its own
// pattern, and A's hardly do, since a sector has eight chances.
//
//   STAGES, QUADS_OF_A, QUADS_OF_B  see stages.cuh and word_lists.cuh
#include "esmm/stages.cuh"

extern "C" __global__ void __launch_bounds__(256, 2)
    joint_rows(const float* __restrict__ a,             // [m][k]
               const float* __restrict__ b,             // [k][n]
               const unsigned* __restrict__ a_pattern,  // [⌈m/32⌉][⌈k/32⌉]
               const unsigned* __restrict__ b_pattern,  // [⌈n/32⌉][⌈k/32⌉]
               float* __restrict__ c,                   // [m][n]
               long long m, long long n, long long k) {
  extern __shared__ __align__(16) unsigned char shared[];
  esmm::multiply_tile<true>(*reinterpret_cast<esmm::Ring*>(shared),
                            {a, b, a_pattern, b_pattern, c, m, n, k},
                            static_cast<long long>(blockIdx.y) * esmm::kRows,
                            static_cast<long long>(blockIdx.x) * esmm::kColumns);
}
