// kernels/csrmm/k_tiles.cuh: what the K-tiled product and its preparation must agree on.
#pragma once

// A block multiplies WARPS × 16 row segments by 32 columns of B. Those columns pass through shared
// memory in tiles of TILE rows, SLOTS of them in a ring. In step s the tiles s … s + ahead(s) may
// be read and tile s is read for the last time.
//
//   TILE  rows of B in a tile, at most 256 (a box of a tensor map)

constexpr int kTile = TILE;
constexpr int kSlots = 7;         // 7 × 256 rows × 128 B = 224 KB of a block's 227
constexpr int kAhead = 4;         // tiles that may be read beyond the one a step must finish
constexpr int kRowBytes = 128;    // 32 columns
constexpr int kSegments = 16;     // row segments a warp, two lanes each
constexpr int kTurns = 4;         // entries of each segment in one group of the stream
constexpr int kZeroRow = 0;       // byte offset of a row of zeros, which padding reads
constexpr int kRing = kRowBytes;  // byte offset of the ring
constexpr int kBarriers = kRing + kSlots * kTile * kRowBytes;

// At the start few tiles have arrived: reading begins with three and the lead grows.
__device__ __forceinline__ int ahead(int step) {
  const int lead = 2 + step / 2;
  return lead < kAhead ? lead : kAhead;
}

// Where row `inner` of B lies while it is in the ring.
__device__ __forceinline__ int ring_offset(int inner) {
  return kRing + (inner / kTile % kSlots * kTile + inner % kTile) * kRowBytes;
}

// A row is cut into segments of at most `limit` entries: segment j has entries j, j + segments, …
// in the order of their tiles, so that every segment walks over all tiles at the row's own pace.
__device__ __forceinline__ int segments_of(int length, int limit) {
  return (length + limit - 1) / limit;
}

// Words of 16 bytes that a group of the stream takes for one segment.
#if HOMO
constexpr int kWords = 1;  // four offsets
#else
constexpr int kWords = 2;  // twice offset, weight, offset, weight
#endif
