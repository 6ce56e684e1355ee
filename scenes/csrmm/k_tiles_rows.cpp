// scenes/csrmm/k_tiles_rows.cpp: rows that stream B through shared memory in tiles.
#include <cmath>

#include "scenes/csrmm/families.h"
#include "scenes/csrmm/k_tiles.h"
#include "scenes/csrmm/rows.h"

namespace warpscope::csrmm {
namespace {

Constraint tiles_have_entries() {
  return {"a row must have at least one entry in a tile of B, on average",
          [](const Workload& w, const DeviceLimits&) -> std::optional<std::string> {
            const double entries = entries_a_tile(w);
            if (entries >= 1 || w.fact("nnz") == 0) return std::nullopt;
            const KTiles s = k_tiles(w);
            const std::int64_t hundredths = std::llround(100 * entries);
            return "a row has 0." + std::string(hundredths < 10 ? "0" : "") +
                   std::to_string(hundredths) + " entries in a tile of " + std::to_string(s.tile) +
                   " rows of B: streaming all of B costs more than gathering what is needed";
          }};
}

Variant stream_row(std::string name, std::string label, std::string sentence, std::string look_at) {
  Variant v =
      row(std::move(name), std::move(label), "ours", std::move(sentence), std::move(look_at));
  v.traits = {{"k_tiles", 1}, {"columns_per_warp", 32}, {"columns_per_lane", 16}};
  v.constraints = {strips_fit_grid_y(), columns_are_quads(), capability_is_90("bulk tensor copies"),
                   tiles_have_entries()};
  const std::string padding =
      "A step of the stream takes as many turns as its fullest segment: how much padding that "
      "reads depends on how the entries fall into tiles.";
  for (const char* figure : {"model.dram_read_bytes", "model.l1_bytes", "model.l2_bytes"})
    explain(v, figure, Side::below, padding);
  explain(v, "model.l2_bytes", Side::above,
          "Without l2.bytes_to_sm the counter misses the bulk copies of B, which pass by the "
          "counters of L1.");
  explain_shared_wavefronts(v);
  v.repeatable = false;  // where rows are cut, their parts meet in C by atomics
  v.steps = k_tiles_steps;
  v.scratch = k_tiles_scratch;
  return v;
}

}  // namespace

std::vector<Variant> streamed_rows() {
  Variant columns =
      stream_row("t_k_tiles", "transpose, then K-tiled stream",
                 "A is turned into columns once; then B streams through shared memory as for NT.",
                 "No scatter is left: the transposed product costs what the plain one does.");
  columns.applies = transposed;
  columns.traits["csc"] = 1;
  return {stream_row("k_tiles", "K-tiled stream",
                     "A block keeps 300 rows of C in registers while B passes through shared "
                     "memory tile by tile, each row of it for every row of A that needs it.",
                     "A row of B crosses from L2 once a block, not once an entry: L2 bytes fall "
                     "about fivefold and shared memory becomes the roof."),
          std::move(columns)};
}

}  // namespace warpscope::csrmm
