// scenes/csrmm/k_tiles_variants.cpp: rows that stream B through shared memory in tiles.
#include <cmath>

#include "scenes/csrmm/k_tiles.h"
#include "scenes/csrmm/techniques.h"
#include "scenes/csrmm/variant_kinds.h"
#include "scenes/csrmm/work.h"

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
                   " rows of B: tiles would be streamed that hold none of its entries";
          }};
}

Variant streamed_variant(std::string name, std::string label, std::string sentence,
                         std::string look_at, Form form) {
  Variant v = new_variant(std::move(name), std::move(label), "ours", std::move(sentence),
                          std::move(look_at));
  v.constraints = {strips_fit_grid_y(), columns_are_quads(), capability_is_90("bulk tensor copies"),
                   tiles_have_entries()};
  charge_tiles(v, form);
  explain_padding(v);
  v.repeatable = false;  // where rows are cut, their parts meet in C by atomics
  v.steps = k_tiles_steps;
  v.scratch = k_tiles_scratch;
  return v;
}

}  // namespace

void explain_padding(Variant& v) {
  explain(v, "model.dram_read_bytes", Side::below, 0.15,
          "A step of the stream takes as many turns as its fullest segment: 10 to 15 % of what an "
          "H200 loaded of the larger A was padding.");
}

std::vector<Variant> streamed_variants() {
  Variant columns = streamed_variant(
      "t_k_tiles", "transpose, then K-tiled stream",
      "A is turned into columns once; then B streams through shared memory as for NT.",
      "No scatter is left[[abs(ratio(t_k_tiles@op=T.time.warm, k_tiles@op=NT.time.warm) "
      "- 1) < 10 % => : the transposed product takes {t_k_tiles@op=T.time.warm}, the "
      "plain one {k_tiles@op=NT.time.warm} | ; the transposed product takes "
      "{t_k_tiles@op=T.time.warm}, the plain one {k_tiles@op=NT.time.warm}]].",
      Form::columns);
  columns.applies = transposed;
  return {streamed_variant(
              "k_tiles", "K-tiled stream",
              "A block keeps 300 rows of C in registers while B passes through shared "
              "memory tile by tile, each row of it for every row of A that needs it.",
              "A row of B crosses from L2 once a block, not once an entry: "
              "[[k_tiles.l2.bytes_to_sm < float4_columns.l2.bytes_to_sm => "
              "{ratio(k_tiles.l2.bytes_to_sm, float4_columns.l2.bytes_to_sm)} of the bytes that "
              "float4 columns fetches. | no fewer bytes than float4 columns here. || compare the "
              "bytes from L2 with float4 columns.]] [[k_tiles.binds = 'shared' or k_tiles.binds = "
              "'L1' => Shared memory and L1 are the roof now. | {k_tiles.binds} is the roof now.]]",
              Form::rows),
          std::move(columns)};
}

}  // namespace warpscope::csrmm
