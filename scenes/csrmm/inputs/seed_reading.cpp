// scenes/csrmm/inputs/seed_reading.cpp: the published kernels as listed, and with wider addresses.
#include "scenes/csrmm/inputs/seed_reading.h"

#include <algorithm>
#include <utility>

#include "scenes/csrmm/steps/steps.h"

namespace warpscope::csrmm {
namespace {

// Variants with one warp per block, and those with eight.
const std::vector<std::string> kWarpRungs = {
    "warp_row_zero_test", "warp_row_branch_free", "warp_row_shuffle",    "warp_row_shuffle_4",
    "warp_row_unroll4",   "length_dispatch",      "warp_row_plain_load", "warp_row_grouped",
    "t_scatter_atomics",  "t_scatter_plain_loads"};
const std::vector<std::string> kBlockRungs = {"block_row_zero_test", "block_row",
                                              "block_row_unroll4"};

Axis reading_axis(Axis axis, const char* by_default, const char* before) {
  axis.default_value = std::string(by_default);
  axis.before = std::string(before);
  axis.of_variants = kWarpRungs;
  return axis;
}

bool has(const Workload& w, const char* axis) { return w.axes.has(axis); }

}  // namespace

Axis index_width_axis() {
  Axis axis = reading_axis(
      choice_axis(
          "index_width", "index width",
          "Bits of an element's index in B or C: 32, as published (B[col*n + c] in int), or 64.",
          {"32", "64"}, Binding::compile_time),
      kDefaultReading.index_width, kRecordedFirst.index_width);
  axis.of_variants.insert(axis.of_variants.end(), kBlockRungs.begin(), kBlockRungs.end());
  // It was recorded with 32 bits when the others were not.
  axis.befores_of = {{"block_row_zero_test", std::string("32")}};
  return axis;
}

Axis launch_bounds_axis() {
  return reading_axis(choice_axis("launch_bounds", "launch bounds",
                                  "__launch_bounds__: none, as published, or the 32 threads of its "
                                  "block. Compare registers: `warpscope registers csrmm`.",
                                  {"none", "32"}, Binding::compile_time),
                      kDefaultReading.launch_bounds, kRecordedFirst.launch_bounds);
}

std::int64_t index_width(const Workload& w) {
  return has(w, "index_width") && w.text("index_width") == "32" ? 32 : 64;
}

bool recorded_first(const Workload& w) {
  return index_width(w) == 64 && (!has(w, "launch_bounds") || w.text("launch_bounds") == "32");
}

void add_reading(const Workload& w, Defines& defines) {
  const bool bounds = !has(w, "launch_bounds") || w.text("launch_bounds") == "32";
  defines.push_back(define("INDEX_WIDTH", index_width(w)));
  defines.push_back(define("LAUNCH_BOUNDS", bounds ? kWarpLanes : 0));
}

Constraint products_fit_index_width() {
  return {"32-bit products of rows and columns must stay below 2^31",
          [](const Workload& w, const DeviceLimits&) -> std::optional<std::string> {
            if (index_width(w) == 64) return std::nullopt;
            const char* const rows = w.integer("k") >= w.integer("m") ? "k" : "m";
            const std::int64_t elements = w.integer(rows) * w.integer("n");
            if (static_cast<double>(elements) < kMost32BitElements) return std::nullopt;
            return std::string(rows) + "·n = " + std::to_string(elements) +
                   " does not fit the 32-bit index of the published code, which ends at 2^31";
          },
          [](const Workload&, const DeviceLimits&) -> std::optional<AxisChange> {
            return AxisChange{"use 64-bit addresses", {{"index_width", "64"}}};
          }};
}

}  // namespace warpscope::csrmm
