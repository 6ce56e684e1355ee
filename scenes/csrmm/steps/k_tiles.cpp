// scenes/csrmm/steps/k_tiles.cpp: the steps of the K-tiled stream and the rules its sizes follow.
#include "scenes/csrmm/steps/k_tiles.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "scenes/csrmm/csc.h"
#include "scenes/csrmm/steps/kernel_steps.h"

namespace warpscope::csrmm {
namespace {

// As in kernels/csrmm/k_tiles.cuh.
constexpr std::int64_t kSlots = 7, kRowBytes = 128, kSegments = 16, kTurns = 4;
constexpr std::int64_t kMaximumWarps = 24;  // with the producer 800 threads: 80 registers each
constexpr std::int64_t kMultiprocessors = kDesignDevice.multiprocessors;

// Clocks of one multiprocessor, roughly: what a choice of warps costs. One wavefront an entry and
// strip, with a fifth for padding and the stream; a multiprocessor's share of L2 moves about 25
// bytes a clock, so a row of a tile takes 5; filling the ring and each step wait a little. source:
// measured on an H200.
double clocks(const KTiles& s, double entries, std::int64_t warps, std::int64_t strips) {
  constexpr double kPadding = 1.2, kClocksARow = 5, kStart = 6000, kStep = 400;
  constexpr std::int64_t kSharedBytes = kDesignDevice.shared_bytes_per_block, kThreads = 2048,
                         kReserved = 1024;
  const std::int64_t blocks = ceil_divide(s.segments, warps * kSegments) * strips;
  const std::int64_t each = ceil_divide(blocks, kMultiprocessors);
  const std::int64_t resident = std::max<std::int64_t>(
      1,
      std::min(kSharedBytes / (s.shared_bytes + kReserved), kThreads / ((warps + 1) * kWarpLanes)));
  const double segment = entries / static_cast<double>(std::max<std::int64_t>(1, s.segments));
  const double reads = kPadding * static_cast<double>(warps * kSegments) * segment;
  const double fill = kClocksARow * static_cast<double>(s.inner);
  return static_cast<double>(each) * std::max(reads, fill) +
         static_cast<double>(ceil_divide(each, resident)) *
             (kStart + kStep * static_cast<double>(s.steps));
}

struct Choice {
  std::int64_t warps = 1;
  double clocks = 0;
};
Choice best_warps(const KTiles& s, double entries, std::int64_t strips) {
  Choice best;
  for (std::int64_t warps = 1; warps <= kMaximumWarps; ++warps) {
    const double cost = clocks(s, entries, warps, strips);
    if (warps == 1 || cost < best.clocks) best = {warps, cost};
  }
  return best;
}

constexpr const char* kPrepareSource = "csrmm/k_tiles_prepare.cu";
constexpr std::int64_t kPrepareWarps = 4;

Defines defines_of(const Workload& w, const KTiles& s) { return {homo(w), define("TILE", s.tile)}; }

// The entries of every row by the tile of B that they read.
Step order_entries(const Workload& w, const KTiles& s, const GatheredRows& a) {
  return {"order entries by tile", Phase::prepare,
          KernelLaunch{kPrepareSource,
                       "order_by_tile",
                       defines_of(w, s),
                       {{ceil_divide(s.rows, kPrepareWarps), 1, 1},
                        {kPrepareWarps * kWarpLanes, 1, 1},
                        kPrepareWarps * s.steps * 4,
                        {}},
                       {BufferArgument{a.indptr}, BufferArgument{a.indices},
                        BufferArgument{a.weights}, BufferArgument{"tile_order"},
                        BufferArgument{"tile_weights"}, as_int(s.rows), as_int(s.steps)}}};
}

// Which row each segment is of, and which part of it.
Step plan_segments(const Workload& w, const KTiles& s, const GatheredRows& a) {
  const std::int64_t width = std::max<std::int64_t>(8, ceil_divide(s.limit, 128));
  return {"plan segments", Phase::prepare,
          KernelLaunch{kPrepareSource,
                       "plan_segments",
                       defines_of(w, s),
                       {{1, 1, 1}, {kWarpLanes, 1, 1}, 0, {}},
                       {BufferArgument{a.indptr}, BufferArgument{"segment_row"},
                        BufferArgument{"segment_part"}, as_int(s.rows), as_int(s.limit),
                        as_int(width), std::int32_t{s.clears ? 1 : 0}}}};
}

// What every warp does of every tile.
Step schedule(const Workload& w, const KTiles& s, const GatheredRows& a) {
  const std::int64_t all_warps = s.blocks * s.warps;
  return {"schedule", Phase::prepare,
          KernelLaunch{kPrepareSource,
                       "schedule",
                       defines_of(w, s),
                       {{ceil_divide(all_warps, kPrepareWarps), 1, 1},
                        {kPrepareWarps * kWarpLanes, 1, 1},
                        0,
                        {}},
                       {BufferArgument{a.indptr}, BufferArgument{"tile_order"},
                        BufferArgument{"tile_weights"}, BufferArgument{"segment_row"},
                        BufferArgument{"segment_part"}, BufferArgument{"stream"},
                        BufferArgument{"groups"}, BufferArgument{"direct"}, as_int(all_warps),
                        as_int(s.segments), as_int(s.limit), as_int(s.steps), as_int(s.capacity)}}};
}

Step multiply(const Workload& w, const KTiles& s, const GatheredRows& a) {
  return {"multiply", Phase::run,
          KernelLaunch{s.joined ? "csrmm/k_tiles_joined.cu" : "csrmm/k_tiles.cu",
                       s.joined ? "k_tiles_joined" : "k_tiles",
                       defines_of(w, s),
                       {{s.blocks, ceil_divide(s.n, kWarpLanes), 1},
                        {(s.warps + 1) * kWarpLanes, 1, 1},
                        s.shared_bytes,
                        {}},
                       {TensorMapArgument{
                            "b", ElementType::f32, {s.n, s.inner}, {s.n * 4}, {kWarpLanes, s.tile}},
                        BufferArgument{"stream"}, BufferArgument{"groups"},
                        BufferArgument{"direct"}, BufferArgument{"segment_row"},
                        BufferArgument{"segment_part"}, BufferArgument{a.indptr},
                        BufferArgument{"tile_order"}, BufferArgument{"tile_weights"},
                        BufferArgument{"b"}, BufferArgument{"c"}, as_int(s.segments),
                        as_int(s.limit), as_int(s.n), as_int(s.steps), as_int(s.capacity)}}};
}

}  // namespace

std::int64_t segment_limit(double entries, double rows) {
  const double mean = rows > 0 ? entries / rows : 0;
  const auto twice = static_cast<std::int64_t>(std::ceil(2 * mean));
  return std::max<std::int64_t>(64, ceil_divide(twice, 8) * 8);
}

std::int64_t wide_segment_limit(double entries, double rows) {
  return ceil_divide(5 * segment_limit(entries, rows), 4 * 8) * 8;
}

std::int64_t count_segments(std::span<const std::int32_t> lengths, std::int64_t limit) {
  std::int64_t segments = 0;
  for (const std::int32_t length : lengths) segments += ceil_divide(length, limit);
  return segments;
}

namespace {

// Sizes that follow from the limit and the number of segments without the empty rows.
void cut(const Workload& w, std::int64_t limit, std::int64_t segments, KTiles& s) {
  const bool t = transposed(w.axes);
  const auto longest = static_cast<std::int64_t>(w.fact(t ? "longest_column" : "longest_row"));
  const auto empty = static_cast<std::int64_t>(w.fact(t ? "empty_columns" : "empty_rows"));
  s.limit = limit;
  s.clears = longest > limit || 4 * empty > s.rows || segments == 0;
  s.segments = s.clears ? segments : segments + empty;
  const std::int64_t most = std::min(longest, limit);
  s.capacity = ceil_divide(most + most / 4, kTurns) + 8;
}

}  // namespace

KTiles k_tiles(const Workload& w, PartSums sums) {
  const bool t = transposed(w.axes);
  KTiles s;
  s.rows = w.integer(t ? "k" : "m");
  s.inner = w.integer(t ? "m" : "k");
  s.n = w.integer("n");
  // Forty tiles, or fewer if a row would have less than two entries per tile.
  const double mean = s.rows > 0 ? w.fact("nnz") / static_cast<double>(s.rows) : 0;
  const double two = mean > 0 ? 2 * static_cast<double>(s.inner) / mean : 256;
  const std::int64_t about = std::clamp<std::int64_t>(
      std::max(ceil_divide(s.inner, 40), static_cast<std::int64_t>(std::min(two, 256.0))), 8, 256);
  s.tile = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(about)));
  s.steps = std::max<std::int64_t>(1, ceil_divide(s.inner, s.tile));
  s.shared_bytes = kRowBytes + kSlots * s.tile * kRowBytes + 2 * kSlots * 8;
  s.joined = sums == PartSums::joined;
  const double nnz = w.fact("nnz"), rows = static_cast<double>(s.rows);
  const std::int64_t strips = ceil_divide(s.n, kWarpLanes);
  cut(w, segment_limit(nnz, rows),
      static_cast<std::int64_t>(w.fact(t ? "column_segments" : "row_segments")), s);
  Choice choice = best_warps(s, nnz, strips);
  if (const auto wide = w.facts.find("wide_row_segments"); s.joined && wide != w.facts.end()) {
    KTiles other = s;
    cut(w, wide_segment_limit(nnz, rows), static_cast<std::int64_t>(wide->second), other);
    if (const Choice of_other = best_warps(other, nnz, strips); of_other.clocks < choice.clocks)
      choice = of_other, s = other;
  }
  s.warps = choice.warps;
  s.blocks = ceil_divide(s.segments, s.warps * kSegments);
  return s;
}

double entries_a_tile(const Workload& w) {
  const KTiles s = k_tiles(w);
  const double segments = static_cast<double>(std::max<std::int64_t>(1, s.segments));
  return w.fact("nnz") / segments / static_cast<double>(s.steps);
}

namespace {

Steps steps_of(const Workload& w, const KTiles& s) {
  const GatheredRows a = transposed(w.axes) ? rows_of_a_transposed(w) : rows_of_a(w);
  Steps steps;
  if (s.clears) steps.push_back(clear("c"));
  if (s.segments == 0) return steps;
  if (transposed(w.axes)) {
    Steps csc = csc_prepare_steps(w);
    std::move(csc.begin(), csc.end(), std::back_inserter(steps));
  }
  for (const auto step : {order_entries, plan_segments, schedule, multiply})
    steps.push_back(step(w, s, a));
  return steps;
}

Buffers scratch_of(const Workload& w, const KTiles& s) {
  if (s.segments == 0) return {};
  const std::int64_t nnz = entries(w);
  const std::int64_t warps = s.blocks * s.warps;
  const std::int64_t words = homogeneous(w) ? 4 : 8;  // of 4 bytes, a group and segment
  const std::int64_t weights = homogeneous(w) ? 1 : nnz;
  Buffers scratch = transposed(w.axes) ? csc_scratch(w) : Buffers{};
  const auto add = [&](std::string name, ElementType type, std::vector<std::int64_t> shape,
                       std::string symbol) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= extent;
    scratch.push_back(
        {std::move(name), type, count, BufferRole::scratch, std::move(shape), std::move(symbol)});
  };
  add("tile_order", ElementType::i32, {nnz}, "tile_order[nnz]");
  add("tile_weights", ElementType::f32, {weights}, "tile_weights[nnz]");
  add("segment_row", ElementType::i32, {s.segments}, "segment_row[segments]");
  add("segment_part", ElementType::i32, {s.segments}, "segment_part[segments]");
  add("stream", ElementType::u32, {warps, s.capacity, words * kSegments},
      "stream[warps, groups, words]");
  add("groups", ElementType::u8, {warps, s.steps}, "groups[warps, steps]");
  add("direct", ElementType::u8, {warps}, "direct[warps]");
  return scratch;
}

}  // namespace

Steps k_tiles_steps(const Workload& w) { return steps_of(w, k_tiles(w)); }
Buffers k_tiles_scratch(const Workload& w) { return scratch_of(w, k_tiles(w)); }
Steps joined_k_tiles_steps(const Workload& w) { return steps_of(w, k_tiles(w, PartSums::joined)); }
Buffers joined_k_tiles_scratch(const Workload& w) {
  return scratch_of(w, k_tiles(w, PartSums::joined));
}

}  // namespace warpscope::csrmm
