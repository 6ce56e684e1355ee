// kernels/deform_backward/transposed_sums.cu: the sums of eight points are added up together.
//
// Against vector_atomics a lane keeps its parts of eight points, and eight lanes add them up by
// exchanging halves: 7 shuffles for eight sums in place of 24. Each lane ends with the sums of one
// point, so that a group writes its gradients of eight locations with one request. Look at the
// shuffles, at the sectors per store, and at the registers.
//
//   LEVELS, POINTS, CHANNELS, HEADS, TYPE  see samples.cuh
#include "deform_backward/transposed_sums.cuh"

extern "C" __global__ void transposed_sums(
    const Value* __restrict__ value,       // [batch][rows][HEADS][CHANNELS]
    const long long* __restrict__ shapes,  // [LEVELS][2]
    const long long* __restrict__ starts,  // [LEVELS]
    const Location* __restrict__ loc,      // [batch][queries][HEADS][LEVELS][POINTS]
    const Value* __restrict__ weight,      // [batch][queries][HEADS][LEVELS][POINTS]
    const Value* __restrict__ grad_out,    // [batch][queries][HEADS][CHANNELS]
    float* __restrict__ grad_value,        // as value
    float2* __restrict__ grad_loc,         // as loc
    float* __restrict__ grad_weight,       // as weight
    int batch, int queries, int rows) {
  gradients_of_points<true>(value, shapes, starts, loc, weight, grad_out, grad_value, grad_loc,
                            grad_weight, batch, queries, rows);
}
