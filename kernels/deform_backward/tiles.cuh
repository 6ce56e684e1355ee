// kernels/deform_backward/tiles.cuh: the queries of an image that a block has, and their samples.
#pragma once

#include "deform_backward/samples.cuh"

constexpr int kThreads = 1024;

// What a block has: queries of one image and head.
struct Tile {
  int image, head, first_query, queries;
  long long first_of_head;  // the first sorted sample of that image and head …
  long long first_entry;    // … and of the tile
};
__device__ __forceinline__ Tile tile_of(int tile_queries, int queries) {
  const int tiles = (queries + tile_queries - 1) / tile_queries;
  const int of_head = static_cast<int>(blockIdx.x) / tiles;
  Tile tile;
  tile.image = of_head / HEADS, tile.head = of_head % HEADS;
  tile.first_query = static_cast<int>(blockIdx.x) % tiles * tile_queries;
  tile.queries = min(tile_queries, queries - tile.first_query);
  tile.first_of_head = static_cast<long long>(of_head) * queries * kSamples;
  tile.first_entry = tile.first_of_head + static_cast<long long>(tile.first_query) * kSamples;
  return tile;
}

// Calls take(group, sample's index, sample) for each sample of the tile that counts.
template <typename Take>
__device__ __forceinline__ void each_sample(const Tile& tile, const long long* __restrict__ shapes,
                                            const long long* __restrict__ starts,
                                            const Location* __restrict__ loc, int queries,
                                            const Take& take) {
  for (int i = static_cast<int>(threadIdx.x); i < tile.queries * kSamples; i += kThreads) {
    const long long query =
        static_cast<long long>(tile.image) * queries + tile.first_query + i / kSamples;
    const unsigned group = static_cast<unsigned>(query) * HEADS + tile.head;
    const long long index = static_cast<long long>(group) * kSamples + i % kSamples;
    const Sample s = sample_at(__ldg(loc + index), level_of(shapes, starts, i % kSamples / POINTS));
    if (s.inside) take(group, index, s);
  }
}
