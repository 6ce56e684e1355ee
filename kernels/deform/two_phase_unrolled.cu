// kernels/deform/two_phase_unrolled.cu: the seed: eight points prepared, then a corner of all eight
// loaded and added up.
//
// Against interleaved_compile_time_points the same loads, requests and bytes in another order, for
// one shape alone. The compiler may take as many registers as a thread can have, as it did for the
// seed: look at how many it takes, since a multiprocessor has 65536 for all threads of a block.
//
//   CAP  registers a thread may have: 255, or fewer to fit a larger block
#include "deform/two_phase.cuh"

extern "C" __global__ void __maxnreg__(CAP)
    two_phase_unrolled(const __half* __restrict__ value,      // [batch][rows][1][32]
                       const long long* __restrict__ shapes,  // [4][2]
                       const long long* __restrict__ starts,  // [4]
                       const __half* __restrict__ loc,        // [batch][queries][1][4][8][2]
                       const __half* __restrict__ weight,     // [batch][queries][1][4][8]
                       __half* __restrict__ out,              // [batch][queries][1][32]
                       int batch, int queries, int rows) {
  constexpr int kLevels = 4, kPoints = 8, kChannels = 32, kLanes = 4;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int query = i / kLanes;
  if (query >= batch * queries) return;
  const int image = static_cast<int>(static_cast<float>(query) / static_cast<float>(queries));
  const __half* const pixels = value + image * rows * kChannels + i % kLanes * 8;
  Octet sum = zero_octet();
#pragma unroll
  for (int l = 0; l < kLevels; ++l) {
    const int height = static_cast<int>(shapes[2 * l]), width = static_cast<int>(shapes[2 * l + 1]);
    const __half* const level = pixels + static_cast<int>(starts[l]) * kChannels;
    const auto of_level = load_points<kPoints>(loc, weight, (query * kLevels + l) * kPoints);
    PreparedPoint points[kPoints];
#pragma unroll
    for (int p = 0; p < kPoints; ++p)
      points[p] =
          prepared_point(of_level.location[p], of_level.weight[p], height, width, level, kChannels);
    add_by_corner(sum, points);
  }
  store_octet(out + query * kChannels + i % kLanes * 8, sum);
}
