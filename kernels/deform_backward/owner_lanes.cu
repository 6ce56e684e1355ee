// kernels/deform_backward/owner_lanes.cu: each of eight points has a lane that owns it.
//
// Against transposed_sums the owner alone computes its sample's place and shares, and tells the
// other lanes by shuffles. The lanes add up the four products of grad_out with the corners, and
// the owner makes the three gradients of them. Before, eight lanes computed all that alike. Look
// at the instructions.
//
//   LEVELS, POINTS, CHANNELS, HEADS, TYPE  see samples.cuh
#include "deform_backward/owner_lanes.cuh"

extern "C" __global__ void owner_lanes(
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
  gradients_by_owners<true>(value, shapes, starts, loc, weight, grad_out, grad_value, grad_loc,
                            grad_weight, batch, queries, rows);
}

// The same without the gradient of the values, for variants that compute it in another way.
extern "C" __global__ void gather_sums(
    const Value* __restrict__ value, const long long* __restrict__ shapes,
    const long long* __restrict__ starts, const Location* __restrict__ loc,
    const Value* __restrict__ weight, const Value* __restrict__ grad_out,
    float* __restrict__ grad_value, float2* __restrict__ grad_loc, float* __restrict__ grad_weight,
    int batch, int queries, int rows) {
  gradients_by_owners<false>(value, shapes, starts, loc, weight, grad_out, grad_value, grad_loc,
                             grad_weight, batch, queries, rows);
}
