// scenes/csrmm/variants/k_tiles_variants.cpp: variants that stream B through shared memory in
// tiles.
#include <cmath>

#include "scenes/csrmm/steps/k_tiles.h"
#include "scenes/csrmm/steps/techniques.h"
#include "scenes/csrmm/variants/variant_kinds.h"
#include "scenes/csrmm/work.h"

namespace warpscope::csrmm {
namespace {

Constraint tiles_have_entries() {
  return {"a row must have, on average, at least one entry per tile of B",
          [](const Workload& w, const DeviceLimits&) -> std::optional<std::string> {
            const double entries = entries_a_tile(w);
            if (entries >= 1 || w.fact("nnz") == 0) return std::nullopt;
            const KTiles s = k_tiles(w);
            const std::int64_t hundredths = std::llround(100 * entries);
            return "on average a row has 0." + std::string(hundredths < 10 ? "0" : "") +
                   std::to_string(hundredths) + " entries per tile of " + std::to_string(s.tile) +
                   " rows of B: it would stream tiles that no entry of the row needs";
          }};
}

Variant streamed_variant(std::string name, std::string label, std::string sentence,
                         std::string look_at, Form form, PartSums sums = PartSums::each_segment) {
  Variant v = new_variant(std::move(name), std::move(label), "ours", std::move(sentence),
                          std::move(look_at));
  v.constraints = {strips_fit_grid_y(), columns_are_quads(), capability_is_90("bulk tensor copies"),
                   tiles_have_entries()};
  charge_tiles(v, form, sums);
  explain_padding(v);
  v.repeatable = false;  // split rows add their parts to C with atomics
  const bool joined = sums == PartSums::joined;
  v.steps = joined ? joined_k_tiles_steps : k_tiles_steps;
  v.scratch = joined ? joined_k_tiles_scratch : k_tiles_scratch;
  return v;
}

}  // namespace

void explain_padding(Variant& v) {
  explain(v, "model.dram_read_bytes", Side::below, 0.15,
          "A step of the stream takes as many iterations as its fullest segment. On an H200, 10 to "
          "15 % of the loads of the larger A were padding.");
}

std::vector<Variant> streamed_variants() {
  Variant columns = streamed_variant(
      "t_k_tiles", "transpose, then K-tiled stream",
      "A is converted to CSC once. Then B streams through shared memory as for NT.",
      "No scatter is left[[abs(ratio(t_k_tiles@op=T.time.warm, k_tiles@op=NT.time.warm) - 1) < 10 "
      "% => : the transposed product takes {t_k_tiles@op=T.time.warm}, the plain one "
      "{k_tiles@op=NT.time.warm} | ; the transposed product takes {t_k_tiles@op=T.time.warm}, the "
      "plain one {k_tiles@op=NT.time.warm}]].",
      Form::columns);
  columns.applies = transposed;
  return {streamed_variant(
              "k_tiles", "K-tiled stream",
              "A block keeps 300 rows of C in registers and streams B through shared memory, tile "
              "by tile. All 300 rows share each loaded row of B.",
              "A row of B is loaded from L2 once per block, not once per entry: "
              "[[k_tiles.l2.bytes_to_sm < float4_columns.l2.bytes_to_sm => "
              "{ratio(k_tiles.l2.bytes_to_sm, float4_columns.l2.bytes_to_sm)} times the bytes that "
              "float4 columns fetches. | no fewer bytes than float4 columns here. || compare the "
              "bytes from L2 with float4 columns.]] [[k_tiles.binds = 'shared' or k_tiles.binds = "
              "'L1' => Now shared memory and L1 limit it. | Now {k_tiles.binds} limits it.]]",
              Form::rows),
          streamed_variant(
              "k_tiles_joined", "K-tiled stream, parts joined",
              "The same stream. Long rows are cut into parts: a warp adds up the parts that it has "
              "before it adds to C, and rows are cut so that all blocks run at once.",
              "Atomics to C with rows=one_huge_row, and waves of blocks with rows=power_law.",
              Form::rows, PartSums::joined),
          std::move(columns)};
}

}  // namespace warpscope::csrmm
