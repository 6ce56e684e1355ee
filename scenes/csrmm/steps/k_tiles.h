// scenes/csrmm/steps/k_tiles.h: the steps of the K-tiled stream and the rules its sizes follow.
#pragma once

#include <cstdint>
#include <span>

#include "scenes/csrmm/steps/steps.h"

namespace warpscope::csrmm {

// Rows are cut into segments of at most this many entries: twice the mean, at least 64, in steps
// of 8, so that only rows well above the mean are cut.
std::int64_t segment_limit(double entries, double rows);

// Segments of all rows with these numbers of entries; an empty row has none.
std::int64_t count_segments(std::span<const std::int32_t> lengths, std::int64_t limit);

// Entries of a segment at most where fewer segments let all blocks run at once: a quarter more.
std::int64_t wide_segment_limit(double entries, double rows);

// Who adds the parts of a cut row: each segment with atomics, or first the warp by shuffles.
enum class PartSums { each_segment, joined };

// The shape of the product: C[rows, n] = A[rows, inner] · B[inner, n]. For op T it is that of Aᵀ.
struct KTiles {
  std::int64_t rows = 0, inner = 0, n = 0;
  std::int64_t tile = 0;      // rows of B in a tile: a power of two of 8 … 256
  std::int64_t steps = 0;     // tiles
  std::int64_t limit = 0;     // entries of a segment at most
  std::int64_t segments = 0;  // listed: with the empty rows unless C is cleared first
  bool joined = false;        // a warp adds up the parts of a row
  bool clears = false;        // rows are cut or C is cleared for empty rows
  std::int64_t warps = 0;     // of a block, 16 segments each, without the producer
  std::int64_t blocks = 0;    // for each strip of 32 columns
  std::int64_t capacity = 0;  // groups of four entries per segment in a warp's stream
  std::int64_t shared_bytes = 0;
};

// Needs the facts nnz, longest_row, longest_column, row_segments, column_segments, empty_rows and
// empty_columns. Warps a block are those that a rough count of clocks on 132 multiprocessors finds
// fastest. source: the H200's number; on another device the choice is a near guess, never wrong.
// With joined parts, the wider limit is taken where it costs fewer clocks and the fact
// wide_row_segments is there.
KTiles k_tiles(const Workload& w, PartSums sums = PartSums::each_segment);

// Average number of entries of a row's segment in a tile of B. A step of the stream takes at least
// four iterations, so below one entry per tile most iterations are padding.
double entries_a_tile(const Workload& w);

Steps k_tiles_steps(const Workload& w);
Buffers k_tiles_scratch(const Workload& w);
Steps joined_k_tiles_steps(const Workload& w);
Buffers joined_k_tiles_scratch(const Workload& w);

}  // namespace warpscope::csrmm
