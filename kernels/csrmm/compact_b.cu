// kernels/csrmm/compact_b.cu: squeezes the zeros out of B, a warp a strip of 128 columns.
//
// B is the activation: it changes from call to call, so this runs every time and is timed. It reads
// all of B once and writes the kept tenth of it.
//
//   GRANULE  columns that are kept or dropped together
#include "csrmm/compressed_b.cuh"

extern "C" __global__ void __launch_bounds__(256)
    compact_b(const float* __restrict__ b,   // [rows, n]
              unsigned* __restrict__ masks,  // [rows, strips, kGranules]
              float* __restrict__ packed,    // [rows, strips, 128]
              int rows, int n) {
  constexpr unsigned kAllLanes = 0xffffffffu;
  const long long row = static_cast<long long>(blockIdx.x) * 8 + threadIdx.y;
  const int strip = blockIdx.y, lane = threadIdx.x;
  if (row >= rows) return;
  float value[kGranules][GRANULE];
  bool kept[kGranules];
  unsigned word[kGranules];
#pragma unroll
  for (int q = 0; q < kGranules; ++q) {
    kept[q] = false;
#pragma unroll
    for (int e = 0; e < GRANULE; ++e) {
      const int column = strip * kStripColumns + column_of(lane, q, e);
      value[q][e] = column < n ? b[row * n + column] : 0.0f;
      kept[q] = kept[q] || value[q][e] != 0.0f;
    }
  }
  const unsigned below = (1u << lane) - 1;
  int place = 0;
#pragma unroll
  for (int q = 0; q < kGranules; ++q) {
    word[q] = __ballot_sync(kAllLanes, kept[q]);
    place += __popc(word[q] & below);
  }
  const long long at = row * gridDim.y + strip;
  float* const out = packed + at * kStripColumns;
#pragma unroll
  for (int q = 0; q < kGranules; ++q) {
    if (lane == q) masks[at * kGranules + q] = word[q];
    if (!kept[q]) continue;
#pragma unroll
    for (int e = 0; e < GRANULE; ++e) out[place * GRANULE + e] = value[q][e];
    ++place;
  }
}
