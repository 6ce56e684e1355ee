// profiling/steps/step_rows.cpp: the steps of a run as a table: what each costs, and what limits
// it.
#include "profiling/steps/step_rows.h"

#include <algorithm>
#include <utility>

#include "profiling/points/tag_totals.h"

namespace warpscope {
namespace {

// "nchw_grid2d.cu"; of a copy or a memset the word for it.
std::string how_of(const StepRecord& step) {
  if (step.kind == "kernel") return step.source.substr(step.source.rfind('/') + 1);
  return step.kind == "library" ? step.source : step.kind;
}

const StepRecord* longest(const std::vector<StepRecord>& steps, bool kernels_only) {
  const StepRecord* found = nullptr;
  for (const StepRecord& step : steps) {
    if (kernels_only && step.kind != "kernel") continue;
    if (found == nullptr || step.time_ns.value_or(0) > found->time_ns.value_or(0)) found = &step;
  }
  return found;
}

std::string name_of(const StepRecord& first, StepGroups groups) {
  if (groups == StepGroups::each || first.tags.empty()) return first.name;
  std::string name;
  for (const auto& [tag, value] : first.tags) name += (name.empty() ? "" : " · ") + value;
  return name;
}

// Where these steps stand below the roofs, as if they were a run of their own.
std::optional<RooflineStanding> standing_of(const Measurement& point, const TagTotal& total,
                                            const RoofSet& roofs) {
  if (!total.time_ns || *total.time_ns <= 0) return std::nullopt;
  Measurement part;
  part.scene = point.scene;
  part.variant = point.variant;
  part.axes = point.axes;
  part.conditions = point.conditions;
  part.verdict.outcome = point.verdict.outcome;
  part.metrics = total.metrics;
  part.warm.emplace();
  part.warm->cache = CacheState::warm;
  part.warm->median_ns = *total.time_ns;
  return stand(part, CacheState::warm, roofs);
}

void set_bytes(const TagTotal& total, StepRow& row) {
  const auto read = value_of(total.metrics, "dram.bytes_read"),
             written = value_of(total.metrics, "dram.bytes_write");
  if (read && written) {
    row.dram_bytes = *read + *written;
    return;
  }
  row.dram_bytes = value_of(total.metrics, "model.dram_bytes");
  row.bytes_origin = Origin::modelled;
}

// What the whole run must cost is what its only step must.
void add_work_of_run(const Measurement& point, StepRecord& step) {
  for (const char* id : {"model.flops", "model.dram_bytes"}) {
    const MetricValue* value = find_value(point.metrics, id);
    if (value != nullptr && find_value(step.metrics, id) == nullptr) step.metrics.push_back(*value);
  }
}

StepRow row_of(const Measurement& point, const std::vector<StepRecord>& steps, const RoofSet& roofs,
               StepGroups groups) {
  const TagTotal total = total_of(steps);
  StepRow row;
  row.name = name_of(steps.front(), groups);
  row.tags = steps.front().tags;
  row.steps = total.steps;
  const StepRecord* main = longest(steps, false);
  if (!main->time_ns && longest(steps, true) != nullptr) main = longest(steps, true);
  row.how = how_of(*main);
  if (row.steps > 1) row.how += " and " + std::to_string(row.steps - 1) + " more";
  if (const StepRecord* kernel = longest(steps, true)) row.focus = kernel->name;
  row.time_ns = total.time_ns;
  row.no_time = total.reason;
  row.flops = value_of(total.metrics, "model.flops");
  set_bytes(total, row);
  row.standing = standing_of(point, total, roofs);
  return row;
}

}  // namespace

std::vector<StepRow> step_rows(const Measurement& point, const RoofSet& roofs, StepGroups groups) {
  std::vector<std::vector<StepRecord>> parts;
  const auto runs = std::count_if(point.steps.begin(), point.steps.end(),
                                  [](const StepRecord& step) { return step.phase == Phase::run; });
  for (const StepRecord& step : point.steps) {
    if (step.phase != Phase::run) continue;
    const auto same = std::find_if(parts.begin(), parts.end(), [&](const auto& part) {
      return groups == StepGroups::tags && !step.tags.empty() && part.front().tags == step.tags;
    });
    if (same == parts.end()) {
      parts.push_back({step});
      if (runs == 1) add_work_of_run(point, parts.back().front());
    } else {
      same->push_back(step);
    }
  }
  std::vector<StepRow> rows;
  double all_ns = 0;
  for (const auto& steps : parts) {
    rows.push_back(row_of(point, steps, roofs, groups));
    all_ns += rows.back().time_ns.value_or(0);
  }
  const bool all_timed = std::all_of(rows.begin(), rows.end(),
                                     [](const StepRow& row) { return row.time_ns.has_value(); });
  for (StepRow& row : rows) {
    if (all_timed && all_ns > 0) row.share_ratio = *row.time_ns / all_ns;
  }
  return rows;
}

}  // namespace warpscope
