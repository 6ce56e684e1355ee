// kernels/deform/small_levels_in_shared.cu: the small levels of an image wait in shared memory.
//
// Against interleaved_compile_time_points blocks stay, and gather from shared memory what the last
// levels give. Shared memory has the banks of L1, 128 bytes a clock, and takes its place: look at
// the wavefronts of shared memory beside those of L1, and at what is left of L1.
//
//   LEVELS, POINTS, CHANNELS, HEADS  see levels.cuh
//   STAGED  levels that are staged, the last ones
//   BLOCK   threads of a block
#include "deform/staged_levels.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK) small_levels_in_shared(
    const __half* __restrict__ value,      // [batch][rows][HEADS][CHANNELS]
    const long long* __restrict__ shapes,  // [LEVELS][2]
    const long long* __restrict__ starts,  // [LEVELS]
    const __half* __restrict__ loc,        // [batch][queries][HEADS][LEVELS][POINTS][2]
    const __half* __restrict__ weight,     // [batch][queries][HEADS][LEVELS][POINTS]
    __half* __restrict__ out,              // [batch][queries][HEADS][CHANNELS]
    int batch, int queries, int rows) {
  extern __shared__ uint4 staged[];
  const int staged_row = level_of(shapes, starts, kFirstStaged).first_row;
  const int pieces = (rows - staged_row) * kPixelStride / kLaneChannels;
  sums_of_run(value, reinterpret_cast<const __half*>(staged), staged_row, shapes, starts, loc,
              weight, out, batch, queries, rows, [&](int image) {
                const uint4* const from = reinterpret_cast<const uint4*>(
                    value + (static_cast<long long>(image) * rows + staged_row) * kPixelStride);
                for (int i = threadIdx.x; i < pieces; i += BLOCK) staged[i] = __ldg(from + i);
                __syncthreads();
              });
}
