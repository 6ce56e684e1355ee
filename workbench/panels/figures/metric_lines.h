// workbench/panels/figures/metric_lines.h: the rows of Metrics, and what they are compared with.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "profiling/agreement/trace_metrics.h"
#include "profiling/overview/roof_shares.h"
#include "workbench/panels/panels.h"

namespace warpscope {

struct MetricLine {
  const MetricValue* value;
  std::string label, unit, group, cupti, sentence;
  Better better = Better::neither;
  std::optional<double> base;
  std::string no_base;  // why there is none
  std::string key;      // of the configuration that the value is of
  // "stale, of n=64: …" and why there is no newer one; empty: it belongs to the point itself.
  std::string stale = {};
  bool starred = false;  // a person wants it first
};

// What the focus is compared with.
struct MetricBase {
  const Measurement* point = nullptr;  // null: `missing` says why
  std::string missing;
  std::string name;    // of the column
  bool judges = true;  // false: on another device, so nothing is called better or worse
};

MetricBase base_of(const PanelContext& context, const Selection& selection,
                   const Measurement& focus);

// The emulated figures beside a point: its own, else the last ones of the variant.
StandingFigures emulated_beside(const PanelContext& context, const Measurement& point);
// Marks what is emulated at another configuration than the point's.
void mark_stale(const Scene& scene, const Measurement& point, const StandingFigures& emulated,
                std::vector<MetricLine>& lines);

// How much of its roofs a point uses, at the time that plots show. `level`: as in roof_shares.h.
std::vector<RoofShare> roof_shares_of(const PanelContext& context, const Measurement& point,
                                      std::optional<Level> level = {});

// After how many runs the preparation of a point has paid off, by warm times; no value: it prepares
// nothing, or a time is missing. A value without a figure says why it never pays off.
std::optional<MetricValue> break_even(const Measurement& point, const Measurement& base);

// Brings the lines of these metrics to the front, as a group of their own.
void bring_starred(const std::set<std::string>& starred, std::vector<MetricLine>& lines);

// By group; `shares`, which are among `values`, come first. `base`: the same figures of what they
// are compared with; null: `no_base` says why.
std::vector<MetricLine> metric_lines(const Scene& scene, const std::string& key,
                                     const std::vector<MetricValue>& values,
                                     const std::vector<RoofShare>& shares,
                                     const std::vector<MetricValue>* base,
                                     const std::string& no_base);

}  // namespace warpscope
