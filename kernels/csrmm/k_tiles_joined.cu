// kernels/csrmm/k_tiles_joined.cu: as k_tiles.cu, but a warp adds up the parts of a row by
// shuffles.
//
// k_tiles adds every part of a cut row to C with atomics: 5000 additions to each element of the row
// where one row has all two million entries. Parts of one row are beside each other in a warp, so
// here the first of them gets the sum of all sixteen, and only that one is added to C.
//
// The loop over the tiles is the one of k_tiles.cu, written again: recorded times of k_tiles hold
// only while its text is as it was recorded. Share the loop when the session is recorded anew.
//
//   HOMO  1: one weight for all entries     TILE  rows of B in a tile
#include "csrmm/k_tiles.cuh"
#include "tensor_copy.cuh"

namespace {

constexpr int kPieces = 4;      // float4 a lane owns
constexpr int kPieceStep = 32;  // bytes from a lane's piece to its next

__device__ __forceinline__ float4 read_shared(unsigned address) {
  float4 value;
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
               : "r"(address));
  return value;
}

// The stream is read once: it must not displace what L1 holds.
__device__ __forceinline__ uint4 read_stream(const uint4* address) {
  uint4 value;
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "l"(address));
  return value;
}

__device__ __forceinline__ void multiply_add(float4& sum, float weight, const float4& value) {
  sum.x += weight * value.x;
  sum.y += weight * value.y;
  sum.z += weight * value.z;
  sum.w += weight * value.w;
}

__device__ __forceinline__ void exchange(float4& one, float4& other) {
  const float4 first = one;
  one = other;
  other = first;
}

// The first part of a row in the warp gets the sum of all. Lanes keep their pieces in rotated
// order, so before that the pieces are put in the order of their columns.
__device__ __forceinline__ void add_parts(float4 (&sum)[kPieces], int row, int mine) {
  if (mine % 2 != 0) {
    exchange(sum[0], sum[1]);
    exchange(sum[2], sum[3]);
  }
  if (mine / 2 % 2 != 0) {
    exchange(sum[0], sum[2]);
    exchange(sum[1], sum[3]);
  }
#pragma unroll
  for (int reach = 1; reach < kSegments; reach *= 2) {
    const int their_row = __shfl_down_sync(0xffffffffu, row, 2 * reach);
    const bool same = their_row == row && mine + reach < kSegments;
#pragma unroll
    for (int piece = 0; piece < kPieces; ++piece) {
      float4 theirs;
      theirs.x = __shfl_down_sync(0xffffffffu, sum[piece].x, 2 * reach);
      theirs.y = __shfl_down_sync(0xffffffffu, sum[piece].y, 2 * reach);
      theirs.z = __shfl_down_sync(0xffffffffu, sum[piece].z, 2 * reach);
      theirs.w = __shfl_down_sync(0xffffffffu, sum[piece].w, 2 * reach);
      if (same) multiply_add(sum[piece], 1.0f, theirs);
    }
  }
}

}  // namespace

// grid (blocks of segments, strips of 32 columns), block (warps + 1) · 32
extern "C" __global__ void __launch_bounds__(800, 1)
    k_tiles_joined(const __grid_constant__ TensorMap b_map,  // of B[inner, n]: a box is 32 × TILE
                   const uint4* __restrict__ stream,  // [warps of the grid, capacity, kWords, 16]
                   const unsigned char* __restrict__ groups,  // [warps of the grid, steps]
                   const unsigned char* __restrict__ direct,  // [warps of the grid]
                   const int* __restrict__ segment_row,       // [segments]
                   const int* __restrict__ segment_part,      // [segments]
                   const int* __restrict__ indptr,            // [rows + 1]
                   const int* __restrict__ tile_order,        // [nnz] columns of A, ordered by tile
                   const float* __restrict__ tile_weights,    // [nnz], [1] when HOMO
                   const float* __restrict__ b,               // [inner, n]
                   float* __restrict__ c,                     // [rows, n]
                   int segments, int limit, int n, int steps, int capacity) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  extern __shared__ __align__(1024) unsigned char shared[];
  const unsigned base = shared_address(shared);
  const unsigned full = base + kBarriers, empty = full + kSlots * 8;
  const int warps = static_cast<int>(blockDim.x) / 32 - 1;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int first_column = blockIdx.y * 32;
  if (threadIdx.x < kRowBytes / 4) reinterpret_cast<float*>(shared + kZeroRow)[threadIdx.x] = 0.0f;
  if (threadIdx.x == 0) ring_init(full, empty, kSlots, warps);
  __syncthreads();

  if (warp == warps) {  // the producer
    if (lane != 0) return;
    for (int tile = 0; tile < steps; ++tile) {
      const int slot = tile % kSlots;
      if (tile >= kSlots) barrier_wait(empty + slot * 8, (tile / kSlots + 1) & 1);
      barrier_arrive_expecting(full + slot * 8, kTile * kRowBytes);
      copy_box(base + kRing + slot * kTile * kRowBytes, b_map, first_column, tile * kTile,
               full + slot * 8);
    }
    return;
  }

  // Long segments come first in the list: blocks take them in turn, so that all have some.
  const int packed = warp * gridDim.x + blockIdx.x;
  const int mine = lane / 2;
  const uint4* word =
      stream + static_cast<long long>(packed) * capacity * kWords * kSegments + mine;
  const unsigned char* const group_count = groups + static_cast<long long>(packed) * steps;
  const unsigned rotated = (mine % kPieces * 2 + lane % 2) * 16;
#if HOMO
  const float weight = tile_weights[0];
#endif
  float4 sum[kPieces];
#pragma unroll
  for (int piece = 0; piece < kPieces; ++piece) sum[piece] = make_float4(0, 0, 0, 0);

  uint4 now[kWords];
#pragma unroll
  for (int i = 0; i < kWords; ++i) now[i] = read_stream(word + i * kSegments);
  int left = group_count[0], arrived = 0;
  for (int step = 0; step < steps; ++step) {
    const int needed = min(step + ahead(step), steps - 1);
    for (; arrived <= needed; ++arrived) {
      barrier_wait(full + arrived % kSlots * 8, (arrived / kSlots) & 1);
    }
    const int following = step + 1 < steps ? group_count[step + 1] : 0;
    for (; left > 0; --left) {
      word += kWords * kSegments;
      uint4 next[kWords];
#pragma unroll
      for (int i = 0; i < kWords; ++i) next[i] = read_stream(word + i * kSegments);
#if HOMO
      const unsigned offset[kTurns] = {now[0].x, now[0].y, now[0].z, now[0].w};
#else
      const unsigned offset[kTurns] = {now[0].x, now[0].z, now[1].x, now[1].z};
      const float weight_of[kTurns] = {__uint_as_float(now[0].y), __uint_as_float(now[0].w),
                                       __uint_as_float(now[1].y), __uint_as_float(now[1].w)};
#endif
#pragma unroll
      for (int turn = 0; turn < kTurns; ++turn) {
        const unsigned row = (base + offset[turn]) ^ rotated;
#pragma unroll
        for (int piece = 0; piece < kPieces; ++piece) {
          const float4 value = read_shared(row ^ (piece * kPieceStep));
#if HOMO
          sum[piece].x += value.x;
          sum[piece].y += value.y;
          sum[piece].z += value.z;
          sum[piece].w += value.w;
#else
          multiply_add(sum[piece], weight_of[turn], value);
#endif
        }
      }
#pragma unroll
      for (int i = 0; i < kWords; ++i) now[i] = next[i];
    }
    left = following;
    __syncwarp();
    if (lane == 0) barrier_arrive(empty + step % kSlots * 8);
  }

  const int segment = packed * kSegments + mine;
  const bool has_segment = segment < segments;
  const int row = has_segment ? segment_row[segment] : -1;
  const int part = has_segment ? segment_part[segment] : 0;
  const int begin = has_segment ? indptr[row] : 0;
  const int length = has_segment ? indptr[row + 1] - begin : 0;
  const int parts = segments_of(length, limit);
  if (direct[packed]) {  // the stream had no room for these segments: gather from global memory
    for (int j = begin + part; j < begin + length; j += parts) {
      const float* const row_of_b = b + static_cast<long long>(tile_order[j]) * n + first_column;
#if HOMO
      const float factor = 1.0f;
#else
      const float factor = tile_weights[j];
#endif
#pragma unroll
      for (int piece = 0; piece < kPieces; ++piece) {
        const int column = static_cast<int>(rotated ^ (piece * kPieceStep)) / 4;
        if (first_column + column >= n) continue;
        multiply_add(sum[piece], factor, *reinterpret_cast<const float4*>(row_of_b + column));
      }
    }
  }
  unsigned first_piece = rotated;
  if (__any_sync(0xffffffffu, parts > 1)) {
    add_parts(sum, row, mine);
    first_piece = lane % 2 * 16;
    const int row_before = __shfl_up_sync(0xffffffffu, row, 2);
    if (mine > 0 && row_before == row) return;  // in the sum of the first part
  }
  if (!has_segment) return;
#pragma unroll
  for (int piece = 0; piece < kPieces; ++piece) {
    const int column = first_column + static_cast<int>(first_piece ^ (piece * kPieceStep)) / 4;
    if (column >= n) continue;
    float4 total = sum[piece];
#if HOMO
    total = make_float4(weight * total.x, weight * total.y, weight * total.z, weight * total.w);
#endif
    float* const out = c + static_cast<long long>(row) * n + column;
    if (parts > 1) {
      atomicAdd(out, total.x);
      atomicAdd(out + 1, total.y);
      atomicAdd(out + 2, total.z);
      atomicAdd(out + 3, total.w);
    } else {
      *reinterpret_cast<float4*>(out) = total;
    }
  }
#endif
}
