// workbench/panels/figures/metric_lines.cpp: what stands in a row of Metrics, and what it is
// compared with.
#include "workbench/panels/figures/metric_lines.h"

#include <algorithm>
#include <cmath>

#include "profiling/points/device_comparison.h"
#include "profiling/points/point.h"
#include "workbench/panels/variants/ladder.h"
#include "workbench/workspace/trace_state.h"

namespace warpscope {
namespace {

constexpr const char* kRoofGroup = "share of the roofs";

// What a term of the work model means in this scene; other metrics mean the same in all.
std::string sentence_for(const Scene& scene, const Metric& metric) {
  for (const WorkTerm& term : scene.work_terms) {
    if (term.id == metric.id) return term.sentence;
  }
  return metric.sentence;
}

// "n=64": where the configuration of a key is other than that of a point; the key as a whole where
// that cannot be told.
std::string differing(const Scene& scene, const std::string& key, const Measurement& point) {
  const std::optional<Configuration> there = parse_key(scene.axes, key);
  if (!there) return key;
  std::string words;
  for (const Axis& axis : scene.axes) {
    if (!there->has(axis.name) || !point.axes.has(axis.name)) continue;
    const std::string value = to_text(there->at(axis.name));
    if (value == to_text(point.axes.at(axis.name))) continue;
    words += (words.empty() ? "" : ", ") + axis.name + "=" + value;
  }
  return words.empty() ? key : words;
}

}  // namespace

StandingFigures emulated_beside(const PanelContext& context, const Measurement& point) {
  StandingFigures figures = modelled_or_last(context.view.session(), point);
  if (figures.stale_key.empty()) return figures;
  const TraceState state = trace_state(context.view, point.variant);
  if (state.freshness == Freshness::pending) {
    figures.why_stale = "newer ones are on their way";
  } else if (state.failure) {
    figures.why_stale = "the last emulation failed: " + sentence(*state.failure);
  }
  return figures;
}

void mark_stale(const Scene& scene, const Measurement& point, const StandingFigures& emulated,
                std::vector<MetricLine>& lines) {
  if (emulated.stale_key.empty()) return;
  for (MetricLine& line : lines) {
    if (find_value(emulated.values, line.value->id) == nullptr) continue;
    line.key = emulated.stale_key;
    line.stale =
        "stale, of " + differing(scene, emulated.stale_key, point) + ": " + emulated.why_stale;
  }
}

std::vector<RoofShare> roof_shares_of(const PanelContext& context, const Measurement& point,
                                      std::optional<Level> level) {
  const CacheState cache = context.view.selection.cache;
  const RoofJoin join = context.view.points.roofs_of(point.conditions);
  const RoofSet none;
  const RoofSet& roofs = join.roofs != nullptr ? *join.roofs : none;
  const auto standing = stand(point, cache, roofs, modelled_beside(context.view.session(), point));
  const std::string why = missing_time(context, point.variant, cache);
  return roof_shares(point, cache, standing ? &*standing : nullptr, roofs, why, level);
}

std::optional<MetricValue> break_even(const Measurement& point, const Measurement& base) {
  const auto prepares = [](const Measurement& m) -> std::optional<double> {
    const MetricValue* prepare = find_value(m.metrics, "time.prepare");
    return prepare == nullptr ? std::nullopt : prepare->value;
  };
  const std::optional<double> own = prepares(point);
  if (!own || !point.warm || !base.warm) return std::nullopt;
  MetricValue runs{"time.break_even_runs", std::nullopt, Origin::derived, "", ""};
  if (compare_times(base, point, CacheState::warm).difference == Difference::faster) {
    const double more = *own - prepares(base).value_or(0),
                 saved = base.warm->median_ns - point.warm->median_ns;
    runs.value = std::max(0.0, std::ceil(more / saved));
  } else {
    runs.reason = "a run is not faster than the baseline's: preparation does not pay off";
  }
  return runs;
}

std::vector<MetricLine> metric_lines(const Scene& scene, const std::string& key,
                                     const std::vector<MetricValue>& values,
                                     const std::vector<RoofShare>& shares,
                                     const std::vector<MetricValue>* base,
                                     const std::string& no_base) {
  std::vector<MetricLine> lines;
  for (const MetricValue& value : values) {
    MetricLine line{&value, value.id, "", "", "", "", Better::neither, std::nullopt, no_base, key};
    if (const Metric* metric = find_metric(value.id)) {
      line.label = metric->label;
      line.unit = metric->unit;
      line.group = metric->group;
      line.cupti = metric->cupti_name;
      line.sentence = sentence_for(scene, *metric);
      line.better = metric->better;
    }
    for (const RoofShare& share : shares) {
      if (share.value.id != value.id) continue;
      line.label = share.label;
      line.unit = "ratio";
      line.group = kRoofGroup;
      line.sentence = share.sentence;
    }
    if (base != nullptr) {
      const MetricValue* before = find_value(*base, value.id);
      if (before != nullptr) line.base = before->value;
      line.no_base = before == nullptr || before->reason.empty() ? "the baseline lacks this metric"
                                                                 : "baseline: " + before->reason;
    }
    lines.push_back(std::move(line));
  }
  const auto rank = [](const std::string& group) {
    constexpr const char* kOrder[] = {kRoofGroup,  "time",  "memory",    "compute",
                                      "occupancy", "model", "conditions"};
    return std::find(std::begin(kOrder), std::end(kOrder), group) - std::begin(kOrder);
  };
  std::stable_sort(lines.begin(), lines.end(), [&](const MetricLine& a, const MetricLine& b) {
    return rank(a.group) < rank(b.group);
  });
  return lines;
}

namespace {

// The same of a named baseline, which is a point and stays where it was measured.
MetricBase base_of_named(const SessionView& view, const NamedBaseline& named,
                         const Measurement& focus) {
  MetricBase base{nullptr, "", "“" + named.name + "”", true};
  const std::string apart = view.state(focus.variant).apart;
  const Variant* own = find_variant(view.scene(), focus.variant);
  if (own != nullptr && right_by_luck(*own, focus)) {
    base.missing = "not compared: this variant is right here by luck";
  } else if (!apart.empty()) {
    base.missing = "not compared: this figure was " + apart;
  } else if (focus.verdict.outcome == Outcome::no_reference ||
             named.point.verdict.outcome == Outcome::no_reference) {
    base.missing = "not compared: nothing says whether the outputs are right";
  } else if (const Comparable may = comparable(named.point, focus); !may) {
    base.missing = "not comparable with " + base.name + ": " + may.reason;
  } else {
    base.point = &named.point;
  }
  return base;
}

}  // namespace

MetricBase base_of(const PanelContext& context, const Selection& selection,
                   const Measurement& focus) {
  const SessionView& view = context.view;
  if (const NamedBaseline* named = chosen_baseline(selection.baselines))
    return base_of_named(view, *named, focus);
  const std::string name = view.points.baseline_id(selection.variant).variant;
  MetricBase base{nullptr, "", name, selection.baseline_device.empty()};
  const PointState state = view.state(selection.variant),
                   held = view.points.baseline_state(selection.variant);
  if (!base.judges) {
    for (const DeviceName& device : view.session().devices()) {
      if (device.id() == selection.baseline_device) base.name = "on " + to_text(device);
    }
  }
  if (name.empty()) {
    base.missing = "the league of this variant has no baseline";
  } else if (base.judges && name == selection.variant) {
    base.missing = "this variant is the baseline itself";
  } else if (const Variant* own = find_variant(view.scene(), selection.variant);
             own != nullptr && right_by_luck(*own, focus)) {
    base.missing = "not compared: this variant is right here by luck";
  } else if (!state.apart.empty()) {
    base.missing = "not compared: this figure was " + state.apart;
  } else if (held.point == nullptr) {
    base.missing = base.judges ? "the baseline: " + missing_time(context, name, selection.cache)
                               : "not measured at this configuration " + base.name;
  } else if (!held.apart.empty()) {
    base.missing = "not compared: the baseline was " + held.apart;
  } else if (!base.judges) {
    const AcrossDevices across = across_devices(focus, *held.point, selection.cache);
    if (focus.key == held.point->key && !same_device(focus.conditions, held.point->conditions))
      base.point = held.point;
    else
      base.missing = across.sentence;
  } else if (focus.verdict.outcome == Outcome::no_reference ||
             held.point->verdict.outcome == Outcome::no_reference) {
    base.missing = "not compared: nothing says whether the outputs are right";
  } else if (const Comparable may = comparable(*held.point, focus); !may) {
    base.missing = "not comparable: " + may.reason;
  } else {
    base.point = held.point;
  }
  return base;
}

void bring_starred(const std::set<std::string>& starred, std::vector<MetricLine>& lines) {
  for (MetricLine& line : lines) {
    if (starred.count(line.value->id) == 0) continue;
    line.starred = true;
    line.group = "starred";
  }
  std::stable_partition(lines.begin(), lines.end(),
                        [](const MetricLine& line) { return line.starred; });
}

}  // namespace warpscope
