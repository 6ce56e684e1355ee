// scenes/csrmm/variants/variant_kinds.cpp: the building blocks of csrmm's variants: kinds,
// constraints, tolerances.
#include "scenes/csrmm/variants/variant_kinds.h"

#include <cmath>
#include <cstdint>
#include <utility>

#include "scenes/csrmm/work.h"

namespace warpscope::csrmm {
namespace {

constexpr std::int64_t kMaximumGridY =
    65535;  // source: CUDA C++ Programming Guide, table of limits

// Unit roundoffs. source: IEEE 754; TF32 keeps 10 explicit mantissa bits, bfloat16 7.
const double kF32 = std::ldexp(1.0, -24);
const double kTf32 = std::ldexp(1.0, -11);
const double kBf16 = std::ldexp(1.0, -8);
const double kF64 = std::ldexp(1.0, -53);

std::string in_gigabytes(double bytes) {
  const std::int64_t hundredths = std::llround(bytes / 1e7);
  const std::string cents = std::to_string(hundredths % 100);
  return std::to_string(hundredths / 100) + "." + (cents.size() < 2 ? "0" + cents : cents) + " GB";
}

}  // namespace

bool not_transposed(const Configuration& axes) { return !transposed(axes); }

Tolerance f32_tolerance() { return {.accumulation = 4 * kF32, .absolute = std::ldexp(1.0, -126)}; }

Tolerance tf32_tolerance() {
  Tolerance tolerance = f32_tolerance();
  tolerance.magnitude = 2 * kTf32;
  return tolerance;
}

Tolerance bf16_tolerance() {
  Tolerance tolerance = f32_tolerance();
  tolerance.magnitude = 2 * kBf16;
  return tolerance;
}

Tolerance tolerance_of_type(const Configuration& axes) {
  if (value_type(axes) != ElementType::f64) return f32_tolerance();
  return {.accumulation = 4 * kF64, .absolute = std::ldexp(1.0, -1022)};
}

namespace {

// The next n that is a multiple of `columns`.
std::optional<AxisChange> more_columns(const Workload& w, std::int64_t columns) {
  const std::string n = std::to_string(ceil_divide(w.integer("n"), columns) * columns);
  return AxisChange{"use " + n + " columns", {{"n", n}}};
}

}  // namespace

Constraint strips_fit_grid_y() {
  return {"n may have at most 65535 strips of 32 columns (grid.y)",
          [](const Workload& w, const DeviceLimits&) -> std::optional<std::string> {
            const std::int64_t strips = ceil_divide(w.integer("n"), kWarpLanes);
            if (strips <= kMaximumGridY) return std::nullopt;
            return "n needs " + std::to_string(strips) +
                   " column strips; the limit of grid.y is 65535";
          }};
}

Constraint columns_are_pairs() {
  return {"n must be even",
          [](const Workload& w, const DeviceLimits&) -> std::optional<std::string> {
            if (w.integer("n") % 2 == 0) return std::nullopt;
            return "rows of C are not 8-byte aligned: n = " + std::to_string(w.integer("n")) +
                   " is odd";
          },
          [](const Workload& w, const DeviceLimits&) { return more_columns(w, 2); }};
}

Constraint capability_is_90(const std::string& what) {
  return {what + " need compute capability 9.0",
          [what](const Workload&, const DeviceLimits& d) -> std::optional<std::string> {
            if (d.compute_capability >= 90) return std::nullopt;
            return what + " need compute capability 9.0; this device has " +
                   std::to_string(d.compute_capability / 10) + "." +
                   std::to_string(d.compute_capability % 10);
          }};
}

Constraint columns_fill_16_bytes() {
  return {"n must be a multiple of 4 (of 8 for 16-bit types)",
          [](const Workload& w, const DeviceLimits&) -> std::optional<std::string> {
            const std::int64_t n = w.integer("n"), columns = 16 / value_bytes(w.axes);
            if (n % columns == 0) return std::nullopt;
            return "rows of B are not 16-byte aligned: n = " + std::to_string(n) +
                   " is not a multiple of " + std::to_string(columns);
          },
          [](const Workload& w, const DeviceLimits&) {
            return more_columns(w, 16 / value_bytes(w.axes));
          }};
}

Constraint values_are_f32() {
  return {"weights, B and C must be f32",
          [](const Workload& w, const DeviceLimits&) -> std::optional<std::string> {
            if (value_type(w.axes) == ElementType::f32) return std::nullopt;
            return "it is written for f32, but the values are " + w.text("dtype");
          },
          [](const Workload&, const DeviceLimits&) -> std::optional<AxisChange> {
            return AxisChange{"use f32", {{"dtype", "f32"}}};
          }};
}

Constraint values_are_not_f64() {
  return {"weights, B and C must be f32, f16 or bf16",
          [](const Workload& w, const DeviceLimits&) -> std::optional<std::string> {
            if (value_type(w.axes) != ElementType::f64) return std::nullopt;
            return "its sums are f32, but the values are f64";
          },
          [](const Workload&, const DeviceLimits&) -> std::optional<AxisChange> {
            return AxisChange{"use f32", {{"dtype", "f32"}}};
          }};
}

Constraint columns_are_quads() {
  return {"n must be a multiple of 4",
          [](const Workload& w, const DeviceLimits&) -> std::optional<std::string> {
            if (w.integer("n") % 4 == 0) return std::nullopt;
            return "rows of B are not 16-byte aligned: n = " + std::to_string(w.integer("n")) +
                   " is not a multiple of 4";
          },
          [](const Workload& w, const DeviceLimits&) { return more_columns(w, 4); }};
}

Constraint scratch_fits(const std::string& what, double (*bytes)(const Workload&)) {
  return {what + " must fit in the free memory",
          [what, bytes](const Workload& w, const DeviceLimits& d) -> std::optional<std::string> {
            const double needed = bytes(w);
            if (needed <= static_cast<double>(d.free_bytes)) return std::nullopt;
            return what + " needs " + in_gigabytes(needed) + ", " +
                   in_gigabytes(static_cast<double>(d.free_bytes)) + " are free";
          }};
}

double product_bytes(const Workload& w) { return 4.0 * w.fact("nnz") * w.real("n"); }
double dense_bytes(const Workload& w) { return 4.0 * w.real("m") * w.real("k"); }
double dense_bf16_bytes(const Workload& w) { return 1.5 * dense_bytes(w); }

// What all variants share. Each then sets what differs.
Variant new_variant(std::string name, std::string label, std::string family, std::string sentence,
                    std::string look_at) {
  Variant v;
  v.name = std::move(name);
  v.label = std::move(label);
  v.family = std::move(family);
  v.sentence = std::move(sentence);
  v.look_at = std::move(look_at);
  v.accuracy = "f32 sums, or f64 sums of f64 data";
  v.reference = "ieee";
  v.tolerance = f32_tolerance();
  v.applies = not_transposed;
  return v;
}

Variant gather_variant(std::string name, std::string label, std::string family,
                       std::string sentence, std::string look_at, StepsOf steps) {
  Variant v = new_variant(std::move(name), std::move(label), std::move(family), std::move(sentence),
                          std::move(look_at));
  v.constraints = {strips_fit_grid_y()};
  v.steps = std::move(steps);
  charge_gathers(v, one_column_a_lane);
  return v;
}

Variant scatter_variant(std::string name, std::string label, std::string family,
                        std::string sentence, std::string look_at, StepsOf steps) {
  Variant v = new_variant(std::move(name), std::move(label), std::move(family), std::move(sentence),
                          std::move(look_at));
  v.reference = "skip_zero";
  v.repeatable = false;
  v.constraints = {strips_fit_grid_y()};
  v.applies = transposed;
  v.steps = std::move(steps);
  charge_walks(v, one_column_a_lane);
  charge_clearing(v);
  return v;
}

Variant library_variant(std::string name, std::string label, std::string sentence,
                        std::string look_at, StepsOf steps, ScratchOf scratch) {
  Variant v = new_variant(std::move(name), std::move(label), "library", std::move(sentence),
                          std::move(look_at));
  v.own_kernels = false;
  v.steps = std::move(steps);
  v.scratch = std::move(scratch);
  return v;
}

}  // namespace warpscope::csrmm
