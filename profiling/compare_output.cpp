// profiling/compare_output.cpp: an output held to its reference, and the verdict in words.
#include "profiling/compare_output.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace warpscope {

namespace {

// A ratio that stands for "not a number or beyond any bound"; JSON carries no infinity.
constexpr double kHopeless = 1e300;

template <typename T>
void compare_each(std::span<const T> out, std::span<const ReferenceValue> expected,
                  const Tolerance& tolerance, std::int64_t first, OutputComparison& comparison) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    ++comparison.checked;
    const double value = out[i];
    const ReferenceValue& e = expected[i];
    if ((std::isnan(value) && std::isnan(e.value)) || value == e.value) continue;
    const double bound = tolerance.accumulation * e.accumulation +
                         tolerance.magnitude * e.magnitude +
                         tolerance.reference * std::abs(e.value) + tolerance.absolute;
    const double error = std::abs(value - e.value);
    // False for NaN; an infinite reference has an infinite bound, which nothing may hide behind.
    const bool passes = !std::isinf(e.value) && error <= bound;
    if (!passes) ++comparison.mismatches;
    double ratio = error / bound;
    if (!(ratio <= kHopeless)) ratio = kHopeless;
    if (ratio > comparison.worst_error_ratio) {
      comparison.worst_error_ratio = ratio;
      comparison.worst = first + static_cast<std::int64_t>(i);
    }
  }
}

}  // namespace

Tolerance for_output(Tolerance tolerance, ElementType type) {
  if (type == ElementType::f16) {
    tolerance.reference += std::ldexp(1.0, -11);
    tolerance.absolute = std::max(tolerance.absolute, std::ldexp(1.0, -25));
  } else if (type == ElementType::bf16) {
    tolerance.reference += std::ldexp(1.0, -8);
  }
  return tolerance;
}

void compare_elements(std::span<const float> out, std::span<const ReferenceValue> expected,
                      const Tolerance& tolerance, std::int64_t first,
                      OutputComparison& comparison) {
  compare_each(out, expected, tolerance, first, comparison);
}

void compare_elements(std::span<const std::uint32_t> out, std::span<const ReferenceValue> expected,
                      const Tolerance& tolerance, std::int64_t first,
                      OutputComparison& comparison) {
  compare_each(out, expected, tolerance, first, comparison);
}

std::string element_name(const BufferSpec& spec, std::int64_t index) {
  std::string text;
  for (std::size_t axis = spec.shape.size(); axis-- > 0;) {
    const std::int64_t extent = std::max<std::int64_t>(1, spec.shape[axis]);
    text = std::to_string(index % extent) + (text.empty() ? "" : ", ") + text;
    index /= extent;
  }
  return spec.name + "[" + text + "]";
}

Verdict verdict_of(const OutputComparison& comparison, const BufferSpec& output) {
  Verdict verdict;
  verdict.checked_elements = comparison.checked;
  verdict.mismatches = comparison.mismatches;
  verdict.worst_error_ratio = comparison.worst_error_ratio;
  const std::string place = element_name(output, comparison.worst);
  char ratio[48];
  std::snprintf(ratio, sizeof ratio, "%.2g", verdict.worst_error_ratio);
  if (verdict.mismatches == 0) {
    verdict.outcome = Outcome::correct;
    verdict.sentence = verdict.worst_error_ratio == 0
                           ? "every element equals the reference"
                           : "largest error " + std::string(ratio) + " of the bound, at " + place;
    return verdict;
  }
  verdict.outcome = Outcome::wrong;
  const bool nan = verdict.worst_error_ratio >= kHopeless;
  verdict.sentence = std::to_string(verdict.mismatches) + " of " +
                     std::to_string(comparison.checked) + " elements are beyond the bound" +
                     (nan ? "; the worst, near " + place + ", is not a number or was never written"
                          : "; the worst, near " + place + ", by " + ratio + "×");
  verdict.remedy = "no time is shown for a wrong result";
  return verdict;
}

}  // namespace warpscope
