// kernels/deform/two_phase_unrolled.cu: the published kernel: eight points are prepared, then each
// corner of all eight is loaded and added up.
//
// Against interleaved_compile_time_points: the same loads in another order, for one shape alone.
// The struct of a point is the one that the article prints. All eight are alive at once: look at
// the registers per thread, since a multiprocessor has 65536 for all threads of a block.
//
//   CAP  registers that a thread may have: 255, or fewer so that a larger block starts
#include "deform/half_samples.cuh"
#include "deform/points.cuh"

namespace {
struct PointData {
  __half2 weighthalf2;  // the attention weight, in both halves
  int ptr[4];           // the four corners, in elements from the level's first
  __half2 wdataexp[4];  // their bilinear weights, each in both halves
  bool valid;           // a point that is not is neither loaded nor added
};

__device__ __forceinline__ PointData point_data_of(__half2 location, __half attention, int height,
                                                   int width, int stride) {
  const HalfSample s = half_sample(location, height, width);
  const CornerWeights corners = corner_weights(s.from_low);
  PointData point;
  point.valid = s.inside;
  point.weighthalf2 = __float2half2_rn(0.0f);
#pragma unroll
  for (int c = 0; c < 4; ++c) {
    point.ptr[c] = 0;
    point.wdataexp[c] = __float2half2_rn(0.0f);
  }
  if (s.inside) {
    point.weighthalf2 = __half2half2(attention);
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      point.ptr[c] = (s.row + corner_row(c, width + 2)) * stride;
      point.wdataexp[c] = __half2half2(corners.of[c]);
    }
  }
  return point;
}
}  // namespace

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
    PointData point_data[kPoints];
#pragma unroll
    for (int p = 0; p < kPoints; ++p)
      point_data[p] =
          point_data_of(of_level.location[p], of_level.weight[p], height, width, kChannels);
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      Octet vdata2d[kPoints];
#pragma unroll
      for (int p = 0; p < kPoints; ++p)
        if (point_data[p].valid) vdata2d[p] = load_octet(level + point_data[p].ptr[c]);
#pragma unroll
      for (int p = 0; p < kPoints; ++p)
        if (point_data[p].valid)
          add_weighed(sum, __hmul2(point_data[p].wdataexp[c], point_data[p].weighthalf2),
                      vdata2d[p]);
    }
  }
  store_octet(out + query * kChannels + i % kLanes * 8, sum);
}
