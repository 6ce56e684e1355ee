// scenes/esmm/variants/word_variants.cpp: rows beyond the published kernels that go through K by
// words: pipelines and wgmma.
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenes/base/kernel_parts.h"
#include "scenes/esmm/inputs/shapes.h"
#include "scenes/esmm/lists.h"
#include "scenes/esmm/variants/variants.h"
#include "scenes/esmm/words.h"
#include "scenes/esmm/work.h"

namespace warpscope::esmm {
namespace {

Constraint copies_past_registers() {
  return {"asynchronous copies to shared memory need compute capability 8.0",
          [](const Workload&, const DeviceLimits& d) -> std::optional<std::string> {
            if (d.compute_capability >= 80) return std::nullopt;
            return "this device has compute capability " +
                   std::to_string(d.compute_capability / 10) + "." +
                   std::to_string(d.compute_capability % 10) +
                   ": asynchronous copies to shared memory need 8.0";
          }};
}

Constraint products_of_warpgroups() {
  return {"warpgroup products (wgmma) need exactly compute capability 9.0",
          [](const Workload&, const DeviceLimits& d) -> std::optional<std::string> {
            if (d.compute_capability == 90) return std::nullopt;
            return "this device has compute capability " +
                   std::to_string(d.compute_capability / 10) + "." +
                   std::to_string(d.compute_capability % 10) + ": wgmma (sm_90a) needs exactly 9.0";
          }};
}

// `axis` is "n" or "k", and `name` what it is called.
Constraint multiple_of(const char* axis, const char* name, std::int64_t part,
                       const std::string& reason) {
  return {std::string(name) + " must be a multiple of " + std::to_string(part) + ", " + reason,
          [=](const Workload& w, const DeviceLimits&) -> std::optional<std::string> {
            if (w.integer(axis) % part == 0) return std::nullopt;
            return std::string(name) + " = " + std::to_string(w.integer(axis)) +
                   " is not a multiple of " + std::to_string(part) + ", " + reason;
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
  Variant pipeline =
      word_variant("joint_bk32", "BK32 async pipeline",
                   "A block takes 32 k at a time. Their mask is one word, whose set bits a warp "
                   "takes one by one, while asynchronous copies fetch the next tiles: 16 bytes "
                   "each if K and N are multiples of 4, otherwise 4.",
                   "Lines per request of A: 4, instead of 16 with eight k per row. A word of 32 k "
                   "is hardly ever 0, so a block loads everything.",
                   [](const Workload& w) { return staged_steps(w, "joint_bk32"); });
  Variant vec = word_variant(
      "joint_vec", "vector LDS thread tile",
      "Both tiles are k-major, and lanes read their rows and columns as quads: three reads for 32 "
      "products, or four for 64 with 64 rows per warp, which are tested 32 by 32.",
      "Shared-memory bytes per multiply-add: a lane reads 24 floats for 64 of them (16 with 64 "
      "rows per warp), and 34 in the published kernels.",
      joint_vec_steps);
  Variant rows =
      word_variant("joint_rows", "row-granular loads",
                   "As joint_bk32, but a block copies just what any of its warps needs: of B, 32 "
                   "columns of one k at a time; of A, sectors of eight k of a row.",
                   "Bytes from L2[[joint_rows.l2.bytes_to_sm < 0.97 * joint_bk32.l2.bytes_to_sm => "
                   ": {ratio(joint_rows.l2.bytes_to_sm, joint_bk32.l2.bytes_to_sm)} of "
                   "joint_bk32's | : no fewer here]]. B is skipped by single k. A sector of A is "
                   "skipped if none of its eight k is needed.",
                   [](const Workload& w) { return staged_steps(w, "joint_rows"); });
  Variant persist = word_variant(
      "persist", "popcount-sorted persistent tiles",
      "Estimates a tile's work by counting set bits, and sorts the tiles. Persistent blocks take "
      "the next tile when they are done, the longest first.",
      "The tail with a causal matrix (zeros of A), whose tiles differ. With random bits all tiles "
      "are alike, and the two launches that count and sort gain nothing.",
      persist_steps);
  persist.scratch = persist_scratch;
  for (Variant* v : {&rows, &persist}) charge_needed_parts(*v, kStagedRows, kStagedColumns);
  return {std::move(pipeline), std::move(vec), std::move(rows), std::move(persist)};
}

namespace {

Variant bf16_variant() {
  Variant v = word_variant(
      "bf16_wgmma", "BF16 wgmma with skip list",
      "A block lists the words of 32 k that it needs. Tensor copies bring boxes of both operands "
      "to shared memory, where two warpgroups multiply them, 16 k per instruction.",
      "The executed share: a block of 128 × 128 skips 16 k if none of its groups needs them. That "
      "happens with zeros in whole blocks of k or a causal matrix, not with random bits.",
      bf16_wgmma_steps);
  v.scratch = bf16_wgmma_scratch;
  v.constraints = {
      products_of_warpgroups(),
      multiple_of("n", "N", 8, "because rows of boxes begin at multiples of 16 bytes"),
      multiple_of("k", "K", 8, "because rows of boxes begin at multiples of 16 bytes")};
  v.league = "bf16";
  v.accuracy = "BF16 products";
  v.pipe = Pipe::wgmma_bf16;
  v.tolerance.magnitude = 2 * std::ldexp(1.0, -8);
  charge_instructions_of_16(v);
  return v;
}

Variant tf32_variant() {
  Variant v =
      word_variant("tf32_wgmma", "TF32 wgmma, compacted",
                   "A tile of 64 × 128 gathers the k that any of its groups needs, and a warpgroup "
                   "multiplies eight of them per instruction. B is transposed on its way to shared "
                   "memory, because wgmma requires k innermost for TF32.",
                   "The executed share[[tf32_wgmma.model.executed_share > "
                   "class_lists_tf32.model.executed_share => : {tf32_wgmma.model.executed_share}, "
                   "the union of six groups, compared with {class_lists_tf32.model.executed_share} "
                   "for lists by class | : that of one group || , the union of six groups]]. Then "
                   "the instructions of the transpose, which is needed here after all.",
                   tf32_wgmma_steps);
  v.scratch = list_scratch;
  v.constraints = {products_of_warpgroups(),
                   multiple_of("n", "N", 4, "for 16-byte reads of B's rows")};
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
