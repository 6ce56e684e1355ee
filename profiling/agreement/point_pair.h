// profiling/agreement/point_pair.h: two points beside each other: where they differ, their times
// and their metrics.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiling/figures/metric.h"
#include "profiling/points/measurement.h"
#include "scenes/base/scene.h"

// Two points that somebody pinned may be of two problems, devices or scenes. Then both figures are
// shown and nothing is said of their difference but why.
//
//   const PointPair pair = pair_points(a, b);
//   if (!pair.apart.empty()) say(pair.apart);
//   for (const PairedFigure& figure : pair.figures) …

namespace warpscope {

// A side: where it is, its point there, and the values that are shown of it.
struct PairSide {
  std::string scene, problem;          // problem: problem_key of its configuration
  const Measurement* point = nullptr;  // null: it was not measured
  std::vector<MetricValue> values;     // of the point and of the emulator
  std::string earlier;  // "measured with an earlier source: …": it is compared with nothing
};

enum class PairVerdict { none, noise, neither, better, worse };

// One figure of both. B is compared with A: a difference of −0.2 says that B has a fifth less.
struct PairedFigure {
  std::string id, label, unit, group, cupti_name, sentence;
  std::optional<double> a, b;
  std::string no_a, no_b;            // why there is none, with the remedy where there is one
  std::optional<double> difference;  // b − a, in the unit …
  std::optional<double> change;      // … and as a ratio of a; no value if a is 0
  // Why there is none; where there is one, why it is neither better nor worse.
  std::string no_difference;
  PairVerdict verdict = PairVerdict::none;
  std::string noise;  // with the verdict noise: why it is not better or worse
};

struct PointPair {
  // Why figures of the two are not compared: "n is 128 here and 256 there"; empty: they
  // are. Emulated ones are of no device: two that were measured on different ones may have them
  // compared.
  std::string apart, apart_emulated;
  // They differ in axes of the problem alone: differences are shown, and no side is better.
  bool other_problem = false;
  std::vector<PairedFigure> figures;  // times first, then in the order of the metric table's groups
  int beyond_noise = 0;               // of them those that differ by more than the noise
};
PointPair pair_points(const PairSide& a, const PairSide& b);

// An axis in which two configurations of a scene differ; a text is empty where the axis is none of
// that variant's.
struct AxisPair {
  std::string axis, a, b;
  bool own = false;  // of variants, not of the problem
  bool operator==(const AxisPair&) const = default;
};
std::vector<AxisPair> differing_axes(const Scene& scene, const Configuration& a,
                                     const std::string& variant_a, const Configuration& b,
                                     const std::string& variant_b);

}  // namespace warpscope
