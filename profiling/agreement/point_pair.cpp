// profiling/agreement/point_pair.cpp: two points beside each other: where they differ, their times
// and their metrics.
#include "profiling/agreement/point_pair.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "profiling/agreement/figure_change.h"
#include "profiling/agreement/trace_metrics.h"
#include "profiling/points/point.h"

namespace warpscope {
namespace {

std::string reason_of(const MetricValue* value) {
  if (value == nullptr) return "this point lacks the metric";
  if (value->value) return "";
  const std::string why = value->reason.empty() ? "no reason was recorded" : value->reason;
  return value->remedy.empty() ? why : why + ": " + value->remedy;
}

void name(PairedFigure& figure) {
  figure.label = figure.id;
  const Metric* metric = find_metric(figure.id);
  if (metric == nullptr) return;
  figure.label = metric->label;
  figure.unit = metric->unit;
  figure.group = metric->group;
  figure.cupti_name = metric->cupti_name;
  figure.sentence = metric->sentence;
}

void compare(const PairSide& a, const PairSide& b, const std::string& apart, bool other_problem,
             PairedFigure& figure) {
  if (!figure.a || !figure.b) {
    figure.no_difference = !figure.a && !figure.b ? "neither has a value"
                           : !figure.a            ? "A has no value"
                                                  : "B has no value";
    return;
  }
  if (!apart.empty()) {
    figure.no_difference =
        (other_problem ? "neither better nor worse: " : "not compared: ") + apart;
    if (!other_problem) return;
  }
  figure.difference = *figure.b - *figure.a;
  if (*figure.a != 0) figure.change = *figure.b / *figure.a - 1;
  if (!apart.empty()) return;
  const Metric* metric = find_metric(figure.id);
  const Better better = metric == nullptr ? Better::neither : metric->better;
  // Counts that were emulated have no measured point.
  const ChangeVerdict verdict =
      follows_from_time(figure.id)
          ? judge_change(figure.id, *a.point, *figure.a, *b.point, *figure.b)
          : judge_counts(*figure.a, *figure.b);
  if (verdict.significance != Significance::beyond_noise) {
    figure.verdict = PairVerdict::noise;
    figure.noise = verdict.sentence;
  } else if (better == Better::neither) {
    figure.verdict = PairVerdict::neither;
  } else {
    figure.verdict = (better == Better::lower) == (*figure.difference < 0) ? PairVerdict::better
                                                                           : PairVerdict::worse;
  }
}

int rank(const std::string& group) {
  constexpr std::array<std::string_view, 6> kOrder = {"time",      "memory", "compute",
                                                      "occupancy", "model",  "conditions"};
  return static_cast<int>(std::find(kOrder.begin(), kOrder.end(), group) - kOrder.begin());
}

std::string why_apart_emulated(const PairSide& a, const PairSide& b) {
  if (a.scene != b.scene) return "A is from scene " + a.scene + " and B from " + b.scene;
  return a.problem == b.problem ? "" : "A is " + a.problem + " and B is " + b.problem;
}

std::string why_apart(const PairSide& a, const PairSide& b) {
  for (const PairSide* side : {&a, &b}) {
    const std::string who = side == &a ? "A" : "B";
    if (side->point == nullptr) return who + " was not measured";
    if (side->point->verdict.outcome != Outcome::correct)
      return who + ": " + side->point->verdict.sentence;
    if (!side->earlier.empty()) return who + " was " + side->earlier;
  }
  return comparable(*a.point, *b.point).reason;
}

// Two right points of one scene and device, as their sources stand, at other sizes.
bool of_other_problems(const PairSide& a, const PairSide& b) {
  for (const PairSide* side : {&a, &b}) {
    if (side->point == nullptr || side->point->verdict.outcome != Outcome::correct ||
        !side->earlier.empty())
      return false;
  }
  return a.scene == b.scene && a.problem != b.problem &&
         same_device(a.point->conditions, b.point->conditions);
}

}  // namespace

PointPair pair_points(const PairSide& a, const PairSide& b) {
  PointPair pair;
  pair.apart = why_apart(a, b);
  pair.apart_emulated = why_apart_emulated(a, b);
  pair.other_problem = of_other_problems(a, b);
  std::vector<std::string> ids;
  for (const PairSide* side : {&a, &b}) {
    for (const MetricValue& value : side->values) {
      if (std::find(ids.begin(), ids.end(), value.id) == ids.end()) ids.push_back(value.id);
    }
  }
  for (const std::string& id : ids) {
    PairedFigure figure;
    figure.id = id;
    name(figure);
    const MetricValue *in_a = find_value(a.values, id), *in_b = find_value(b.values, id);
    if (in_a != nullptr) figure.a = in_a->value;
    if (in_b != nullptr) figure.b = in_b->value;
    figure.no_a = reason_of(in_a);
    figure.no_b = reason_of(in_b);
    const bool emulated = id.starts_with(kEmulatedPrefix);
    compare(a, b, emulated ? pair.apart_emulated : pair.apart,
            emulated ? a.scene == b.scene : pair.other_problem, figure);
    pair.beyond_noise +=
        figure.verdict != PairVerdict::none && figure.verdict != PairVerdict::noise ? 1 : 0;
    pair.figures.push_back(std::move(figure));
  }
  std::stable_sort(
      pair.figures.begin(), pair.figures.end(),
      [](const PairedFigure& x, const PairedFigure& y) { return rank(x.group) < rank(y.group); });
  return pair;
}

std::vector<AxisPair> differing_axes(const Scene& scene, const Configuration& a,
                                     const std::string& variant_a, const Configuration& b,
                                     const std::string& variant_b) {
  const Configuration whole_a = for_variant(scene.axes, a, variant_a),
                      whole_b = for_variant(scene.axes, b, variant_b);
  std::vector<AxisPair> differing;
  for (const Axis& axis : scene.axes) {
    const auto text = [&axis](const Configuration& whole) {
      return whole.has(axis.name) ? to_text(whole.at(axis.name)) : std::string();
    };
    AxisPair pair{axis.name, text(whole_a), text(whole_b), !of_problem(axis)};
    if (pair.a != pair.b) differing.push_back(std::move(pair));
  }
  return differing;
}

}  // namespace warpscope
