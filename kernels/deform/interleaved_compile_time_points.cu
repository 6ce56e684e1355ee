// kernels/deform/interleaved_compile_time_points.cu: points known to the compiler, a corner loaded
// and added up.
//
// The baseline that was published beside our original, as described: against runtime_point_loop
// levels, points and channels are constants, the loop over points is unrolled, and locations and
// weights of a level come in loads of 16 bytes. Coordinates are made once a point here already.
// Look at a gather request: 16 sectors, all of them needed, in up to 8 lines, because the 64 bytes
// of a corner are half a line.
//
//   LEVELS, POINTS, CHANNELS, HEADS  see levels.cuh
#include "deform/half_samples.cuh"
#include "deform/points.cuh"

extern "C" __global__ void interleaved_compile_time_points(
    const __half* __restrict__ value,      // [batch][rows][HEADS][CHANNELS]
    const long long* __restrict__ shapes,  // [LEVELS][2]
    const long long* __restrict__ starts,  // [LEVELS]
    const __half* __restrict__ loc,        // [batch][queries][HEADS][LEVELS][POINTS][2]
    const __half* __restrict__ weight,     // [batch][queries][HEADS][LEVELS][POINTS]
    __half* __restrict__ out,              // [batch][queries][HEADS][CHANNELS]
    int batch, int queries, int rows) {
  constexpr int kLanes = CHANNELS / 8;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int group = i / kLanes, query = group / HEADS;
  if (query >= batch * queries) return;
  const int image = static_cast<int>(static_cast<float>(query) / static_cast<float>(queries));
  const int channel = group % HEADS * CHANNELS + i % kLanes * 8;
  const __half* const pixels = value + image * rows * HEADS * CHANNELS + channel;
  Octet sum = zero_octet();
  for (int l = 0; l < LEVELS; ++l) {
    const int height = static_cast<int>(shapes[2 * l]), width = static_cast<int>(shapes[2 * l + 1]);
    const int start = static_cast<int>(starts[l]);
    const auto of_level = load_points<POINTS>(loc, weight, (group * LEVELS + l) * POINTS);
#pragma unroll
    for (int p = 0; p < POINTS; ++p) {
      const HalfSample s = half_sample(of_level.location[p], height, width);
      if (!s.inside) continue;
      const CornerWeights corners = corner_weights(s.from_low);
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        const int row = start + s.row + corner_row(c, width + 2);
        add_weighed(sum, __hmul(corners.of[c], of_level.weight[p]),
                    load_octet(pixels + row * (HEADS * CHANNELS)));
      }
    }
  }
  store_octet(out + group * CHANNELS + i % kLanes * 8, sum);
}
