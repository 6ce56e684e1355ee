// scenes/esmm/word_variants.cpp: rows beyond the seed that pass K by words: pipelines and wgmma.
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenes/base/kernel_parts.h"
#include "scenes/esmm/lists.h"
#include "scenes/esmm/shapes.h"
#include "scenes/esmm/variants.h"
#include "scenes/esmm/words.h"
#include "scenes/esmm/work.h"

namespace warpscope::esmm {
namespace {

Constraint copies_past_registers() {
  return {"copies to shared memory past the registers need compute capability 8.0",
          [](const Workload&, const DeviceLimits& d) -> std::optional<std::string> {
            if (d.compute_capability >= 80) return std::nullopt;
            return "this device has compute capability " +
                   std::to_string(d.compute_capability / 10) + "." +
                   std::to_string(d.compute_capability % 10) +
                   ": copies to shared memory past the registers need 8.0";
          }};
}

Constraint products_of_warpgroups() {
  return {"products of warpgroups (wgmma) need compute capability 9.0, and no other",
          [](const Workload&, const DeviceLimits& d) -> std::optional<std::string> {
            if (d.compute_capability == 90) return std::nullopt;
            return "this device has compute capability " +
                   std::to_string(d.compute_capability / 10) + "." +
                   std::to_string(d.compute_capability % 10) +
                   ": needs sm_90a (wgmma), which is 9.0 alone";
          }};
}

// `axis` is "n" or "k", and `name` what it is called.
Constraint multiple_of(const char* axis, const char* name, std::int64_t part,
                       const std::string& reason) {
  return {std::string(name) + " must be a multiple of " + std::to_string(part) + ", " + reason,
          [=](const Workload& w, const DeviceLimits&) -> std::optional<std::string> {
            if (w.integer(axis) % part == 0) return std::nullopt;
            return std::string(name) + " = " + std::to_string(w.integer(axis)) +
                   " is no multiple of " + std::to_string(part) + ", " + reason;
          },
          [=](const Workload& w, const DeviceLimits&) -> std::optional<AxisChange> {
            const std::string up = std::to_string(ceil_divide(w.integer(axis), part) * part);
            return AxisChange{"use " + std::string(name) + " = " + up, {{axis, up}}};
          }};
}

Variant word_variant(std::string name, std::string label, std::string sentence, std::string look_at,
                     std::function<Steps(const Workload&)> steps) {
  Variant v = esmm_variant(std::move(name), std::move(label), "ours", std::move(sentence),
                           std::move(look_at), std::move(steps));
  v.constraints = {copies_past_registers()};
  v.scratch = word_patterns;
  charge_pairs(v);
  return v;
}

}  // namespace

std::vector<Variant> word_variants() {
  Variant pipeline = word_variant(
      "joint_bk32", "BK32 async pipeline",
      "Blocks take 32 k at a time: a pattern word whose set bits a warp takes one by one, and "
      "copies past the registers that run ahead: of 16 bytes where K and N are multiples of 4, "
      "else "
      "of 4.",
      "Lines a request of A: four, where eight k a row made it sixteen. A word of 32 k is hardly "
      "ever 0, so a block loads everything.",
      [](const Workload& w) { return staged_steps(w, "joint_bk32"); });
  Variant vec = word_variant(
      "joint_vec", "vector LDS thread tile",
      "Both tiles lie k-major, and lanes read their rows and columns as quads: three reads for 32 "
      "products of a lane, or four for 64 with 64 rows a warp, which are tested 32 by 32.",
      "Bytes of shared memory beside the multiply-adds: 24 floats for 64, or 16, where the seed's "
      "lanes read 34.",
      joint_vec_steps);
  Variant rows = word_variant(
      "joint_rows", "row-granular loads",
      "The pipeline, but what no warp of the block takes is not copied: of B parts of rows, 32 "
      "columns of one k, and of A sectors, eight k of a row.",
      "Bytes from L2[[joint_rows.l2.bytes_to_sm < 0.97 * joint_bk32.l2.bytes_to_sm => : "
      "{ratio(joint_rows.l2.bytes_to_sm, joint_bk32.l2.bytes_to_sm)} of the pipeline's | : no "
      "fewer here]]. B follows its pattern; a sector of A has eight chances to be needed.",
      [](const Workload& w) { return staged_steps(w, "joint_rows"); });
  Variant persist = word_variant(
      "persist", "popcount-sorted persistent tiles",
      "The set bits of a tile's patterns are its work: tiles are put in that order, and blocks "
      "that "
      "stay take the next one when they are done, the longest first.",
      "The tail of a causal matrix (zeros of A), whose tiles differ; those of random bits are all "
      "alike, and counting and ordering them are two launches for nothing.",
      persist_steps);
  persist.scratch = persist_scratch;
  for (Variant* v : {&rows, &persist}) charge_needed_parts(*v, kStagedRows, kStagedColumns);
  return {std::move(pipeline), std::move(vec), std::move(rows), std::move(persist)};
}

namespace {

Variant bf16_variant() {
  Variant v = word_variant(
      "bf16_wgmma", "BF16 wgmma with skip list",
      "A block lists the words of 32 k that it needs; the copy unit brings boxes of both operands, "
      "and two warpgroups multiply them where they lie, 16 k an instruction.",
      "The executed share: a block of 128 × 128 leaves 16 k out where all its groups lack "
      "them. Zeros in whole blocks of k, or a causal matrix, have such; random bits have none.",
      bf16_wgmma_steps);
  v.scratch = bf16_wgmma_scratch;
  v.constraints = {products_of_warpgroups(),
                   multiple_of("n", "N", 8, "for boxes whose rows begin at 16 bytes"),
                   multiple_of("k", "K", 8, "for boxes whose rows begin at 16 bytes")};
  v.league = "bf16";
  v.accuracy = "BF16 products";
  v.pipe = Pipe::wgmma_bf16;
  v.tolerance.magnitude = 2 * std::ldexp(1.0, -8);
  charge_instructions_of_16(v);
  return v;
}

Variant tf32_variant() {
  Variant v = word_variant(
      "tf32_wgmma", "TF32 wgmma, compacted",
      "A tile of 64 × 128 gathers the k that any of its groups needs, side by side, and a "
      "warpgroup multiplies eight of them an instruction. B is turned on its way to shared memory, "
      "where wgmma takes TF32 with k innermost alone.",
      "The executed share[[tf32_wgmma.model.executed_share > "
      "class_lists_tf32.model.executed_share => : {tf32_wgmma.model.executed_share}, the union of "
      "six groups, where lists by class take {class_lists_tf32.model.executed_share} | : that of "
      "one group || , the union of six groups]]; and the instructions that turning takes: here the "
      "transpose is needed after all.",
      tf32_wgmma_steps);
  v.scratch = list_scratch;
  v.constraints = {products_of_warpgroups(),
                   multiple_of("n", "N", 4, "for reads of 16 bytes of B's rows")};
  v.league = "tf32";
  v.accuracy = "TF32 products";
  v.pipe = Pipe::wgmma_tf32;
  v.tolerance.magnitude = 2 * std::ldexp(1.0, -11);
  charge_union(v, kWgmmaRows, kWgmmaColumns);
  return v;
}

}  // namespace

std::vector<Variant> wgmma_variants() { return {tf32_variant(), bf16_variant()}; }

}  // namespace warpscope::esmm
