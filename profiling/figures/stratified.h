// profiling/figures/stratified.h: totals of a population from samples of its strata, and how sure
// they are.
#pragma once

#include <optional>
#include <span>
#include <vector>

// A population falls into strata; from each a few units are drawn without replacement. The total is
// the sum of each stratum's size times the mean of its sample; its variance is the sum of
//
//   N² · (1 − n/N) · s² / n      N units in the stratum, n of them drawn, s² their variance
//
// where 1 − n/N is the finite population correction: a stratum that was drawn whole adds nothing.
// The interval takes Student's t at the effective degrees of freedom.
//
//   const StratifiedTotal total = stratified_total(strata);
//   // with a confidence of 99 % the sum over all units lies in total.value ± *total.half_width
//
// source: W. G. Cochran, Sampling Techniques, 3rd ed., 1977, sections 5.3 and 5.4 (totals,
// variance, effective degrees of freedom), 6.11 (the combined ratio).

namespace warpscope {

struct SampledStratum {
  double units = 0;            // N
  std::vector<double> values;  // of the units drawn
};

struct StratifiedTotal {
  double value = 0;
  // No value: a stratum has only one unit drawn from several, so its spread is unknown.
  std::optional<double> half_width;  // of the 99 % interval
};

StratifiedTotal stratified_total(std::span<const SampledStratum> strata);
// The ratio of the totals of `parts` and `wholes`, of the same units in the same order, by its
// linear terms: the total of part − ratio · whole, divided by the total of the wholes.
StratifiedTotal stratified_ratio(std::span<const SampledStratum> parts,
                                 std::span<const SampledStratum> wholes);

// The point of Student's distribution that 99 % lie within, to 0.3 %.
double student_99(double degrees_of_freedom);
// The variance of the values about their mean; 0 for fewer than two values.
double sample_variance(std::span<const double> values);

}  // namespace warpscope
