// profiling/figures/stratified.cpp: totals of a population from samples of its strata.
#include "profiling/figures/stratified.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace warpscope {
namespace {

double mean_of(std::span<const double> values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

double sample_variance(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return squares / static_cast<double>(values.size() - 1);
}

double student_99(double degrees_of_freedom) {
  // source: tables of Student's distribution, two-sided 1 %.
  constexpr double kExact[] = {63.657, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.250};
  const double freedom = std::max(1.0, degrees_of_freedom);
  if (freedom < std::size(kExact)) {
    const auto below = static_cast<std::size_t>(freedom);
    const double part = freedom - static_cast<double>(below);
    return kExact[below - 1] + part * (kExact[below] - kExact[below - 1]);
  }
  // The first terms of Cornish and Fisher's expansion about the normal distribution.
  const double z = 2.5758, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
  return z + (z3 + z) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * freedom * freedom * freedom);
}

StratifiedTotal stratified_total(std::span<const SampledStratum> strata) {
  StratifiedTotal total;
  double variance = 0, freedom_terms = 0;
  bool known = true;
  for (const SampledStratum& stratum : strata) {
    const auto drawn = static_cast<double>(stratum.values.size());
    total.value += stratum.units * mean_of(stratum.values);
    if (drawn >= stratum.units) continue;
    if (drawn < 2) {
      known = false;
      continue;
    }
    const double correction = 1 - drawn / stratum.units;  // of a finite population
    const double term =
        stratum.units * stratum.units * correction * sample_variance(stratum.values) / drawn;
    variance += term;
    freedom_terms += term * term / (drawn - 1);
  }
  if (!known) return total;
  total.half_width =
      variance > 0 ? student_99(variance * variance / freedom_terms) * std::sqrt(variance) : 0;
  return total;
}

StratifiedTotal stratified_ratio(std::span<const SampledStratum> parts,
                                 std::span<const SampledStratum> wholes) {
  const double part = stratified_total(parts).value, whole = stratified_total(wholes).value;
  if (whole == 0) return {};
  const double ratio = part / whole;
  std::vector<SampledStratum> residuals(parts.begin(), parts.end());
  for (std::size_t h = 0; h < residuals.size(); ++h) {
    for (std::size_t i = 0; i < residuals[h].values.size(); ++i)
      residuals[h].values[i] -= ratio * wholes[h].values[i];
  }
  StratifiedTotal total = stratified_total(residuals);
  total.value = ratio;
  if (total.half_width) *total.half_width /= std::abs(whole);
  return total;
}

}  // namespace warpscope
