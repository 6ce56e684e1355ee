// kernels/esmm/class_lists_tensor_lines.cu: class_lists_tensor with chunks that come by lines.
//
// Against class_lists_tensor only how a chunk comes differs, so the text is that one, told to take
// its chunks from line_copies.cuh. A chunk of sixteen k is a few products of tensor cores, beside
// which address arithmetic weighs more than in single precision: look at the instructions.
#include "esmm/line_copies.cuh"

extern "C" __global__ void class_lists_tensor_lines(
    const float* __restrict__ a_columns,     // [⌈m/32⌉][32·⌈k/32⌉][32]
    const float* __restrict__ b,             // [k][n], n a multiple of 4
    const unsigned* __restrict__ a_pattern,  // [⌈m/32⌉][⌈k/32⌉]
    const unsigned* __restrict__ b_pattern,  // [⌈n/32⌉][⌈k/32⌉]
    float* __restrict__ c,                   // [m][n]
    long long m, long long n, long long k);

#define class_lists_tensor class_lists_tensor_lines
#define for_each_chunk for_each_chunk_of_lines
#define tile_source tile_lines
#include "esmm/class_lists_tensor.cu"
