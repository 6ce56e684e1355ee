// kernels/esmm/joint_bk32.cu: 32 k a stage, copied ahead past the registers, and a pattern word
// whose set bits are the steps.
//
// Against joint: a row of A gives 128 bytes to a stage instead of 32, so that a request touches
// four lines and not sixteen; three or four stages are under way while one is multiplied; and 32 k
// are one word of which a warp takes bit after bit, without a table or a switch. Look at the lines
// per request of A, and at the blocks that wait for nothing. A word of 32 k is hardly ever 0: the
// block loads everything.
//
//   STAGES, QUADS_OF_A, QUADS_OF_B  see stages.cuh and word_lists.cuh
#include "esmm/stages.cuh"

extern "C" __global__ void __launch_bounds__(256, 2)
    joint_bk32(const float* __restrict__ a,             // [m][k]
               const float* __restrict__ b,             // [k][n]
               const unsigned* __restrict__ a_pattern,  // [⌈m/32⌉][⌈k/32⌉]
               const unsigned* __restrict__ b_pattern,  // [⌈n/32⌉][⌈k/32⌉]
               float* __restrict__ c,                   // [m][n]
               long long m, long long n, long long k) {
  extern __shared__ __align__(16) unsigned char shared[];
  esmm::multiply_tile<false>(*reinterpret_cast<esmm::Ring*>(shared),
                             {a, b, a_pattern, b_pattern, c, m, n, k},
                             static_cast<long long>(blockIdx.y) * esmm::kRows,
                             static_cast<long long>(blockIdx.x) * esmm::kColumns);
}
