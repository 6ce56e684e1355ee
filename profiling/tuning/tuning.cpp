// profiling/tuning/tuning.cpp: a search over a variant's own axes that knows when to stop.
#include "profiling/tuning/tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "profiling/points/point.h"
#include "scenes/host/random.h"

namespace warpscope {
namespace {

using Changes = std::map<std::string, std::string>;

constexpr std::size_t kMostCandidates = 100'000;
constexpr std::uint32_t kOrderStream = 0x7475'6e65;  // apart from the streams of inputs

bool is_tuning(const Axis& axis, const Variant& variant) {
  return !axis.of_variants.empty() && of_variant(axis, variant.name) &&
         (axis.binds == Binding::compile_time || axis.binds == Binding::launch_shape) &&
         axis.kind != AxisKind::file && axis.kind != AxisKind::text && axis.kind != AxisKind::list;
}

Result<std::vector<std::string>> values_of(const Axis& axis, const std::string& range) {
  std::vector<std::string> values;
  if (!range.empty()) {
    const Result<std::vector<AxisValue>> parsed = parse_axis_range(axis, range);
    if (!parsed) return tl::unexpected(parsed.error());
    for (const AxisValue& value : *parsed) values.push_back(to_text(value));
  } else if (axis.kind == AxisKind::choice) {
    values = axis.choices;
  } else if (!axis.stops.empty()) {
    for (const double stop : axis.stops) {
      values.push_back(axis.kind == AxisKind::integer
                           ? std::to_string(static_cast<std::int64_t>(stop))
                           : to_text(AxisValue(stop)));
    }
  } else {
    return values_of(axis, fmt::format("{}:{}:5", axis.minimum, axis.maximum));
  }
  return values;
}

std::string names_of_own(const Scene& scene, const Variant& variant) {
  std::string names;
  for (const Axis& axis : scene.axes) {
    if (is_tuning(axis, variant)) names += (names.empty() ? "" : ", ") + axis.name;
  }
  return names;
}

Result<std::vector<Changes>> product(const Scene& scene, const Variant& variant,
                                     const Changes& fixed, const Changes& ranges,
                                     std::vector<std::string>& searched) {
  std::vector<Changes> points = {fixed};
  for (const auto& [name, range] : ranges) {
    const Axis* axis = find_axis(scene.axes, name);
    if (axis != nullptr && is_tuning(*axis, variant)) continue;
    const std::string own = names_of_own(scene, variant);
    return failure(ErrorKind::usage, "it is not a compile-time or launch axis of " + variant.name,
                   "axis " + name, own.empty() ? "it has none" : "search " + own);
  }
  for (const Axis& axis : scene.axes) {
    if (!is_tuning(axis, variant) || fixed.count(axis.name) != 0) continue;
    const auto range = ranges.find(axis.name);
    const auto values = values_of(axis, range == ranges.end() ? "" : range->second);
    if (!values) return tl::unexpected(values.error());
    searched.push_back(axis.name);
    if (points.size() * values->size() > kMostCandidates)
      return failure(ErrorKind::usage, "there are more than 100000 candidates", "tune",
                     "name fewer values: " + axis.name + "=a,b");
    std::vector<Changes> longer;
    for (const Changes& point : points) {
      for (const std::string& value : *values) {
        longer.push_back(point);
        longer.back()[axis.name] = value;
      }
    }
    points = std::move(longer);
  }
  return points;
}

}  // namespace

Result<Candidates> candidates_of(const Scene& scene, const Variant& variant, const Changes& fixed,
                                 const Changes& ranges) {
  Candidates found;
  const auto points = product(scene, variant, fixed, ranges, found.searched);
  if (!points) return tl::unexpected(points.error());
  if (found.searched.empty()) {
    return failure(ErrorKind::usage, "it has no compile-time or launch axis to search",
                   scene.name + "/" + variant.name,
                   "fork it and write [axes.NAME] with binds = \"compile_time\" and a launch that "
                   "uses it");
  }
  // Own axes change no inputs: facts are made once.
  const Result<Configuration> base = configured(scene, variant.name, fixed);
  if (!base) return tl::unexpected(base.error());
  if (Result<void> admitted = scene.admit(*base); !admitted)
    return tl::unexpected(admitted.error());
  Inputs inputs;
  Facts facts;
  if (scene.steps_need_facts) {
    if (const auto made = regenerate_inputs(scene, nullptr, *base, inputs, facts); !made)
      return tl::unexpected(made.error());
  }
  const Changes usual;
  for (const Changes& point : *points) {
    const Result<Configuration> axes = configured(scene, variant.name, point);
    std::optional<std::string> reason;
    if (!axes) reason = sentence(axes.error());
    if (axes && !applies(variant, *axes)) reason = "the variant computes something else there";
    if (axes && !reason) reason = unavailable(variant, {*axes, facts}, {});
    if (reason) {
      found.skipped.push_back({point, *reason});
    } else if (*axes == *base) {
      found.points.insert(found.points.begin(), point);  // what it is without a search
    } else {
      found.points.push_back(point);
    }
  }
  if (found.points.empty()) {
    return failure(
        ErrorKind::usage,
        "every candidate violates a constraint, the first: " + found.skipped.front().reason,
        scene.name + "/" + variant.name, "choose other sizes");
  }
  return found;
}

Tuning::Tuning(Candidates candidates, TuneBudget budget)
    : candidates_(std::move(candidates)), budget_(budget), order_(candidates_.points.size()) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  // Fisher and Yates, but for the first.
  const RandomStream random(budget_.seed, kOrderStream);
  for (std::size_t i = order_.size() - 1; i > 1; --i) {
    const std::size_t other = 1 + static_cast<std::size_t>(random.below(i, i));
    std::swap(order_[i], order_[other]);
  }
}

std::optional<Changes> Tuning::next(double elapsed_s) {
  const auto all = static_cast<int>(order_.size());
  if (!ended_.empty()) return std::nullopt;
  if (tried_ == all) {
    ended_ = fmt::format("all {} candidates were tried", all);
  } else if (in_a_row_ >= kInARow && best_) {
    ended_ = fmt::format(
        "{} in a row were not faster than the best by more than the noise: with 95 % confidence, "
        "fewer than 5 % of all candidates are faster; {} of {} were tried",
        in_a_row_, tried_, all);
  } else if (tried_ >= budget_.points) {
    ended_ = fmt::format("the budget of {} points is spent; {} candidates were not tried", tried_,
                         all - tried_);
  } else if (elapsed_s >= budget_.seconds) {
    ended_ = fmt::format("the budget of {:g} s is spent; {} of {} candidates were tried",
                         budget_.seconds, tried_, all);
  }
  if (!ended_.empty()) return std::nullopt;
  return candidates_.points[order_[static_cast<std::size_t>(tried_++)]];
}

void Tuning::tell(const Measurement& measured) {
  if (measured.verdict.outcome != Outcome::correct || !measured.warm) {
    ++wrong_;
    ++in_a_row_;
    return;
  }
  const bool faster =
      best_ && compare_times(*best_, measured, CacheState::warm).difference == Difference::faster;
  in_a_row_ = best_ && !faster ? in_a_row_ + 1 : 0;
  if (!best_ || faster) best_ = measured;
}

}  // namespace warpscope
