// scenes/csrmm/bitmap.cpp: A as a bitmap on tensor cores, B in one to three bf16 terms.
#include "scenes/csrmm/bitmap.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "scenes/csrmm/steps/kernel_steps.h"
#include "scenes/csrmm/steps/techniques.h"
#include "scenes/csrmm/variants/variant_kinds.h"
#include "scenes/csrmm/work.h"

namespace warpscope::csrmm {
namespace {

constexpr const char* kSource = "csrmm/bitmap.cu";

// At least one word, so that buffers have elements if k = 0.
std::int64_t words(const Workload& w) {
  return std::max<std::int64_t>(1, ceil_divide(w.integer("k"), 32));
}
std::int64_t column_tiles(const Workload& w) { return ceil_divide(w.integer("n"), 8); }
std::int64_t tiles(const Workload& w) { return 2 * words(w) * column_tiles(w); }

double bitmap_bytes(const Workload& w) {
  return 4.0 * w.real("m") * static_cast<double>(words(w)) +
         3.0 * 256 * static_cast<double>(tiles(w));
}

Constraint one_weight() {
  return {"all entries must have the same weight",
          [](const Workload& w, const DeviceLimits&) -> std::optional<std::string> {
            if (homogeneous(w)) return std::nullopt;
            return "weights differ; a bitmap stores only which entries exist";
          },
          [](const Workload&, const DeviceLimits&) -> std::optional<AxisChange> {
            return AxisChange{"use one weight for all", {{"weights", "homo"}}};
          }};
}

Constraint no_duplicates() {
  return {"A must have no duplicate entries",
          [](const Workload& w, const DeviceLimits&) -> std::optional<std::string> {
            if (w.fact("duplicates") == 0) return std::nullopt;
            return "A has duplicate entries; a bitmap stores only which entries exist";
          }};
}

Variant bitmap(std::string name, std::string label, std::int64_t terms, std::string sentence,
               std::string look_at) {
  Variant v = gather_variant(std::move(name), std::move(label), "ours", std::move(sentence),
                             std::move(look_at),
                             [terms](const Workload& w) { return bitmap_steps(w, terms); });
  v.scratch = [terms](const Workload& w) { return bitmap_scratch(w, terms); };
  v.own_formulas.clear();
  // One bit for each of the m · k elements, stored or not. The parts of B are written and read
  // again, from L2 if they fit.
  const auto reads = [terms](const Workload& w) {
    constexpr auto kL2Bytes = static_cast<double>(kDesignDevice.l2_bytes);
    const double parts = 256.0 * static_cast<double>(terms * tiles(w));
    return 4.0 * w.real("m") * static_cast<double>(words(w)) + 4.0 * w.real("k") * w.real("n") +
           (parts > kL2Bytes ? parts : 0);
  };
  charge(v, "model.dram_read_bytes", reads);
  charge(v, "model.dram_bytes",
         [reads](const Workload& w) { return reads(w) + 4.0 * w.real("m") * w.real("n"); });
  v.constraints = {one_weight(), no_duplicates(),
                   scratch_fits("the bitmap and split B", bitmap_bytes)};
  v.accuracy = "B in " + std::to_string(8 * terms) + " bits";
  v.pipe = Pipe::mma_bf16;
  // An 8-bit part leaves a remainder of at most 2⁻⁸ of its input.
  v.tolerance.magnitude = 2 * std::ldexp(1.0, static_cast<int>(-8 * terms));
  return v;
}

}  // namespace

std::vector<Step> bitmap_steps(const Workload& w, std::int64_t terms) {
  constexpr std::int64_t kRowsOfABlock = std::int64_t{4} * 32, kColumns = 64;
  const std::int64_t m = w.integer("m"), n = w.integer("n");
  const Defines defines = {define("TERMS", terms)};
  std::vector<Step> steps = {clear("bitmap", Phase::prepare)};
  steps.push_back(prepare_kernel(
      "set bits", KernelLaunch{kSource,
                               "set_bits",
                               defines,
                               {{ceil_divide(m, 8), 1, 1}, {kWarpLanes, 8, 1}, 0, {}},
                               {BufferArgument{"indptr"}, BufferArgument{"indices"},
                                BufferArgument{"bitmap"}, as_int(m), as_int(words(w))}}));
  KernelLaunch split =
      element_kernel(w, kSource, "split_b", 32 * tiles(w),
                     {BufferArgument{"b"}, BufferArgument{"fragments"}, as_int(w.integer("k")),
                      as_int(n), as_int(column_tiles(w)), tiles(w)});
  split.defines = defines;
  steps.push_back(run_kernel("split B", std::move(split)));
  steps.push_back(run_kernel(
      "multiply",
      KernelLaunch{
          kSource,
          "bitmap_mma",
          defines,
          {{ceil_divide(m, kRowsOfABlock), ceil_divide(n, kColumns), 1}, {kWarpLanes, 4, 1}, 0, {}},
          {BufferArgument{"bitmap"}, BufferArgument{"fragments"}, BufferArgument{"weights"},
           BufferArgument{"c"}, as_int(m), as_int(n), as_int(words(w)), as_int(column_tiles(w))}}));
  return steps;
}

std::vector<BufferSpec> bitmap_scratch(const Workload& w, std::int64_t terms) {
  const std::int64_t m = w.integer("m"), columns = column_tiles(w);
  return {{"bitmap",
           ElementType::u32,
           m * words(w),
           BufferRole::scratch,
           {m, words(w)},
           "bitmap[m, words]"},
          {"fragments",
           ElementType::u32,
           tiles(w) * terms * 64,
           BufferRole::scratch,
           {2 * words(w), columns, terms, 64},
           "fragments of B"}};
}

std::vector<Variant> tensor_core_variants() {
  return {
      bitmap("bitmap_tensor_cores", "bitmap on tensor cores, 1 term", 1,
             "A is one bit per element. B is rounded to bf16 and multiplied on tensor cores.",
             "Its work does not depend on the density of A. Find where it overtakes the gathers, "
             "and at what accuracy."),
      bitmap("bitmap_tensor_cores_2", "bitmap on tensor cores, 2 terms", 2,
             "B is split into two bf16 parts (16 of its 24 bits). Each is multiplied by the bits "
             "of A.",
             "Twice the tensor work for eight more bits."),
      bitmap("bitmap_tensor_cores_3", "bitmap on tensor cores, 3 terms", 3,
             "B is split into three bf16 parts (all 24 bits). Each is multiplied by the bits of A.",
             "As accurate as f32, on units that multiply bf16."),
  };
}

}  // namespace warpscope::csrmm
