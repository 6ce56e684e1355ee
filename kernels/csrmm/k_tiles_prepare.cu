// kernels/csrmm/k_tiles_prepare.cu: puts the entries of A in the order in which k_tiles reads them.
//
// Three kernels, run once for an A. `order_by_tile` sorts each row by the tile of B that an entry
// needs. `plan_segments` cuts long rows and lists the segments, long ones first. `schedule` walks
// the tiles for the sixteen segments of a warp at once: in a step every segment must finish the
// entries of the oldest tile and fills its remaining turns with entries of later tiles, so
// that segments which are ahead wait for nobody and padding is rare.
//
//   HOMO  1: one weight for all entries     TILE  rows of B in a tile
#include "csrmm/k_tiles.cuh"

namespace {

constexpr unsigned kWarp = 0xffffffffu;
constexpr int kClasses = 130;  // of segment length, longest first

__device__ __forceinline__ int lane_of() { return static_cast<int>(threadIdx.x) % 32; }

__device__ __forceinline__ int sum_below(int value) {  // exclusive sum over the lanes of a warp
  int total = value;
  for (int reach = 1; reach < 32; reach *= 2) {
    const int from = __shfl_up_sync(kWarp, total, reach);
    if (lane_of() >= reach) total += from;
  }
  return total - value;
}

}  // namespace

// One warp per row; dynamic shared memory: 4 · tiles bytes per warp. Stable: equal tiles keep the
// order of the row.
extern "C" __global__ void __launch_bounds__(128)
    order_by_tile(const int* __restrict__ indptr,     // [rows + 1]
                  const int* __restrict__ indices,    // [nnz]
                  const float* __restrict__ weights,  // [nnz], [1] when HOMO
                  int* __restrict__ tile_order,       // [nnz]
                  float* __restrict__ tile_weights,   // [nnz], [1] when HOMO
                  int rows, int tiles) {
  extern __shared__ int places[];
  const int lane = lane_of();
  int* const place = places + threadIdx.x / 32 * tiles;
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
#if HOMO
  if (blockIdx.x == 0 && threadIdx.x == 0) tile_weights[0] = weights[0];
#endif
  if (row >= rows) return;
  const int begin = indptr[row], end = indptr[row + 1];
  for (int tile = lane; tile < tiles; tile += 32) place[tile] = 0;
  __syncwarp();
  for (int j = begin + lane; j < end; j += 32) atomicAdd(&place[indices[j] / kTile], 1);
  __syncwarp();
  int before = begin;
  for (int first = 0; first < tiles; first += 32) {
    const int tile = first + lane;
    const int count = tile < tiles ? place[tile] : 0;
    const int below = sum_below(count);
    if (tile < tiles) place[tile] = before + below;
    before += __shfl_sync(kWarp, below + count, 31);
  }
  __syncwarp();
  for (int first = begin; first < end; first += 32) {
    const int j = first + lane;
    const int column = j < end ? indices[j] : 0;
    const int tile = j < end ? column / kTile : -1;
    const unsigned same = __match_any_sync(kWarp, tile);
    const int rank = __popc(same & ((1u << lane) - 1));
    const int to = tile >= 0 ? place[tile] + rank : 0;
    __syncwarp();
    if (tile >= 0) {
      tile_order[to] = column;
#if !HOMO
      tile_weights[to] = weights[j];
#endif
      if (rank == 0) place[tile] += __popc(same);
    }
    __syncwarp();
  }
}

// One warp. Lists the segments of all rows by falling length, in classes of `width` entries, rows
// of one class in their order; empty rows are left out when `skip_empty`.
extern "C" __global__ void __launch_bounds__(32)
    plan_segments(const int* __restrict__ indptr,  // [rows + 1]
                  int* __restrict__ segment_row,   // [segments]
                  int* __restrict__ segment_part,  // [segments]
                  int rows, int limit, int width, int skip_empty) {
  __shared__ int place[kClasses];
  const int lane = lane_of();
  for (int i = lane; i < kClasses; i += 32) place[i] = 0;
  __syncwarp();
  for (int pass = 0; pass < 2; ++pass) {
    for (int first = 0; first < rows; first += 32) {
      const int row = first + lane;
      const int length = row < rows ? indptr[row + 1] - indptr[row] : 0;
      int parts = segments_of(length, limit);
      if (parts == 0 && row < rows && !skip_empty) parts = 1;
      const int longest = parts > 0 ? (length + parts - 1) / parts : 0;
      const int group = kClasses - 1 - (longest + width - 1) / width;
      if (pass == 0) {
        if (parts > 0) atomicAdd(&place[group], parts);
        continue;
      }
      int to = 0;
      for (int other = 0; other < 32; ++other) {  // segments of this class in lower lanes
        const int their_group = __shfl_sync(kWarp, group, other);
        const int their_parts = __shfl_sync(kWarp, parts, other);
        if (other < lane && their_group == group) to += their_parts;
      }
      if (parts > 0) to += place[group];
      __syncwarp();
      if (parts > 0) atomicAdd(&place[group], parts);
      __syncwarp();
      for (int part = 0; part < parts; ++part) {
        segment_row[to + part] = row;
        segment_part[to + part] = part;
      }
    }
    __syncwarp();
    if (pass == 0) {
      int before = 0;
      for (int first = 0; first < kClasses; first += 32) {
        const int i = first + lane;
        const int count = i < kClasses ? place[i] : 0;
        const int below = sum_below(count);
        if (i < kClasses) place[i] = before + below;
        before += __shfl_sync(kWarp, below + count, 31);
      }
      __syncwarp();
    }
  }
}

// A warp of the later grid a warp here; lanes 0–15 own a segment each. Where the stream's capacity
// is too small the warp is marked direct.
extern "C" __global__ void __launch_bounds__(128)
    schedule(const int* __restrict__ indptr,          // [rows + 1]
             const int* __restrict__ tile_order,      // [nnz]
             const float* __restrict__ tile_weights,  // [nnz], [1] when HOMO
             const int* __restrict__ segment_row,     // [segments]
             const int* __restrict__ segment_part,    // [segments]
             uint4* __restrict__ stream,              // [warps, capacity, kWords, 16]
             unsigned char* __restrict__ groups,      // [warps, steps]
             unsigned char* __restrict__ direct,      // [warps]
             int warps, int segments, int limit, int steps, int capacity) {
  const int lane = lane_of();
  const int warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (warp >= warps) return;
  const int segment = warp * kSegments + lane;
  int first = 0, stride = 1, count = 0;
  if (lane < kSegments && segment < segments) {
    const int row = segment_row[segment], part = segment_part[segment];
    const int length = indptr[row + 1] - indptr[row];
    stride = max(segments_of(length, limit), 1);
    first = indptr[row] + part;
    count = length > part ? (length - part + stride - 1) / stride : 0;
  }
  uint4* word = stream + static_cast<long long>(warp) * capacity * kWords * kSegments + lane;
  unsigned char* const group_count = groups + static_cast<long long>(warp) * steps;
  int done = 0, must = 0, may = 0, used = 0;
  bool fits = true;
  for (int step = 0; step < steps && fits; ++step) {
    const int last = min(step + ahead(step), steps - 1);
    while (must < count && tile_order[first + must * stride] / kTile <= step) ++must;
    may = max(may, must);
    while (may < count && tile_order[first + may * stride] / kTile <= last) ++may;
    const int turns = __reduce_max_sync(kWarp, must - done);
    const int wanted = (turns + kTurns - 1) / kTurns;
    fits = wanted <= 255 && used + wanted < capacity;  // one group of padding ends the stream
    if (!fits) break;
    if (lane == 0) group_count[step] = static_cast<unsigned char>(wanted);
    used += wanted;
    for (int group = 0; group < wanted; ++group, word += kWords * kSegments) {
      unsigned offset[kTurns], weight[kTurns];
      for (int turn = 0; turn < kTurns; ++turn) {
        offset[turn] = kZeroRow;
        weight[turn] = 0;
        if (done >= may) continue;
        const int j = first + done++ * stride;
        offset[turn] = ring_offset(tile_order[j]);
#if !HOMO
        weight[turn] = __float_as_uint(tile_weights[j]);
#endif
      }
      if (lane >= kSegments) continue;
#if HOMO
      word[0] = make_uint4(offset[0], offset[1], offset[2], offset[3]);
#else
      word[0] = make_uint4(offset[0], weight[0], offset[1], weight[1]);
      word[kSegments] = make_uint4(offset[2], weight[2], offset[3], weight[3]);
#endif
    }
  }
  if (!fits) {
    for (int step = lane; step < steps; step += 32) group_count[step] = 0;
    word = stream + static_cast<long long>(warp) * capacity * kWords * kSegments + lane;
  }
  if (lane < kSegments) {
    for (int i = 0; i < kWords; ++i) word[i * kSegments] = make_uint4(0, 0, 0, 0);
  }
  if (lane == 0) direct[warp] = fits ? 0 : 1;
}
