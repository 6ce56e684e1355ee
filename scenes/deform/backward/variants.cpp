// scenes/deform/backward/variants.cpp: the ladder of `deform_backward`, in teaching order.
#include "scenes/deform/backward/variants.h"

#include <functional>
#include <optional>
#include <utility>

#include "scenes/deform/backward/steps.h"
#include "scenes/deform/constraints.h"

namespace warpscope::deform_backward {
namespace {

// Sums of n products in f32, in any order, and a few roundings of each product. Steps of a sum
// below the smallest normal f32 are flushed to zero by atomics.
constexpr Tolerance kFloatSums = {
    .accumulation = 0x1.0p-24, .magnitude = 0x1.0p-21, .absolute = 1e-35};

Variant variant(std::string name, std::string label, std::string family, std::string sentence,
                std::string look_at, std::function<Steps(const Workload&)> steps) {
  Variant v;
  v.name = std::move(name);
  v.label = std::move(label);
  v.family = std::move(family);
  v.sentence = std::move(sentence);
  v.look_at = std::move(look_at);
  v.accuracy = "f32 sums";
  v.reference = "exact";
  v.tolerance = kFloatSums;
  v.repeatable = false;  // atomics add in any order
  v.pipe = Pipe::fp32;
  v.steps = std::move(steps);
  return v;
}

constexpr std::int64_t kQuad = 4;  // channels of a lane

// The next channels whose lanes divide a warp.
std::int64_t dividing_channels(std::int64_t channels) {
  std::int64_t made = kQuad;
  while (made < channels) made *= 2;
  return made;
}

Constraint quads_divide_a_warp() {
  return {"channels must be a power of two: lanes with four of them divide a warp",
          [](const Workload& w, const DeviceLimits&) -> std::optional<std::string> {
            const std::int64_t channels = w.integer("channels");
            if (dividing_channels(channels) == channels) return std::nullopt;
            return std::to_string(channels) +
                   " channels are not a power of two: lanes with four of them do not divide a warp";
          },
          [](const Workload& w, const DeviceLimits&) -> std::optional<AxisChange> {
            const std::string made = std::to_string(dividing_channels(w.integer("channels")));
            return AxisChange{"use channels of " + made, {{"channels", made}}};
          }};
}

Variant sorted_cells() {
  Variant v = variant(
      "sorted_cells", "samples sorted by cell", "ours",
      "Samples are sorted by the cell between four pixels in which they lie. A warp adds up the "
      "samples of one cell in registers, and then adds to its four corners once.",
      "Atomics: one per corner for up to 128 samples. The steps of the sort, beside what they "
      "save.",
      sorted_cells_steps);
  v.scratch = sorted_cells_scratch;
  return v;
}

Constraint counts_fit_shared() {
  return {"a count per pixel of an image must fit the shared memory of a block",
          [](const Workload& w, const DeviceLimits& d) -> std::optional<std::string> {
            const std::int64_t bytes = count_bytes(w);
            if (bytes <= d.shared_bytes_per_block) return std::nullopt;
            return "the counts need " + std::to_string(bytes) + " bytes, a block has " +
                   std::to_string(d.shared_bytes_per_block);
          },
          {}};
}

Variant sorted_parts() {
  Variant v = variant(
      "sorted_parts", "sorted by cell, counted in blocks", "ours",
      "The same sort with counts in shared memory: a block counts the samples of a part of the "
      "queries, and each part gets a place of its own in each cell.",
      "Atomics in L2: no counters of the sort. Bytes of the counts, which each block writes and "
      "reads.",
      sorted_parts_steps);
  v.scratch = sorted_parts_scratch;
  v.constraints = {counts_fit_shared()};
  return v;
}

Variant sorted_tiles() {
  Variant v = variant(
      "sorted_tiles", "tiles of queries sorted", "ours",
      "A block sorts the samples of 1024 queries with counts in shared memory, and its warps add "
      "up the cells in pieces of equal length.",
      "Atomics, compared with sorted_cells: each tile adds to its cells. Hits in L1: the tile's "
      "gradients of the outputs stay there.",
      sorted_tiles_steps);
  v.scratch = sorted_tiles_scratch;
  v.constraints = {counts_fit_shared()};
  return v;
}

Variant of_warps(Variant v) {
  v.constraints.push_back(deform::whole_warps());
  return v;
}

// Variants of four channels per lane, with atomics of 16 bytes.
Variant of_quads(Variant v) {
  for (Constraint& constraint : std::vector{quads_divide_a_warp(), deform::whole_warps(),
                                            deform::compute_capability(90, "atomics of four f32")})
    v.constraints.push_back(std::move(constraint));
  return v;
}

}  // namespace

std::vector<std::string> variants_of_blocks() {
  return {"warp_per_query", "vector_atomics", "transposed_sums", "owner_lanes",
          "sorted_cells",   "sorted_parts",   "sorted_tiles"};
}

std::vector<Variant> variants() {
  return {
      variant("block_per_query", "block per query", "published structure",
              "One block per query and head, one thread per channel. Thread 0 adds the parts of "
              "the gradients of a location and a weight in shared memory.",
              "Barriers and shared loads: thread 0 adds all parts while the others wait.",
              [](const Workload& w) { return block_per_query_steps(w, false); }),
      variant("block_tree_sum", "block per query, tree", "published structure",
              "The same block, but its threads add the parts as a tree. The published code does so "
              "from 64 channels on.",
              "Barriers: one per step of the tree.",
              [](const Workload& w) { return block_per_query_steps(w, true); }),
      of_warps(variant("warp_per_query", "warp per query", "ours",
                       "One warp per query and head, one lane per channel. The parts of the sums "
                       "are added by shuffles.",
                       "Barriers: none. Shuffles: 15 per sample.", warp_per_query_steps)),
      of_quads(variant(
          "vector_atomics", "atomics of 16 bytes", "ours",
          "A lane has four channels. It loads a corner with one load and adds its gradient with "
          "one atomic of four f32.",
          "Sectors per request of an atomic: 16, which are a corner of each of four queries.",
          [](const Workload& w) { return quads_steps(w, "vector_atomics"); })),
      of_quads(variant(
          "transposed_sums", "sums of eight points together", "ours",
          "The same with the sums of eight points added up together: each lane ends with the sums "
          "of one point.",
          "Shuffles: 21 for eight samples in place of 72. Sectors per store of the gradients of "
          "locations.",
          [](const Workload& w) { return quads_steps(w, "transposed_sums"); })),
      of_quads(variant(
          "owner_lanes", "one owner per point", "ours",
          "One lane owns a point: it alone computes the sample's place and shares, tells them to "
          "the others by shuffles, and makes the three gradients of the sums.",
          "Executed instructions: eight lanes did the same before.",
          [](const Workload& w) { return quads_steps(w, "owner_lanes"); })),
      of_quads(sorted_cells()),
      of_quads(sorted_parts()),
      of_quads(sorted_tiles()),
  };
}

}  // namespace warpscope::deform_backward
