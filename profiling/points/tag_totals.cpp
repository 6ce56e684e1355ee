// profiling/points/tag_totals.cpp: what the steps with one tag cost together: a layer, a phase.
#include "profiling/points/tag_totals.h"

#include <algorithm>
#include <set>
#include <utility>

#include "profiling/points/step_means.h"

namespace warpscope {
namespace {

constexpr std::string_view kModelPrefix = "model.";  // of what a step's work must cost

// Whether figures of several steps add up: CUPTI's sums, counts that nothing else explains, and
// work.
bool adds_up(const std::string& id) {
  if (id.starts_with(kModelPrefix)) return true;
  const Metric* metric = find_metric(id);
  const std::string_view name =
      metric != nullptr ? std::string_view(metric->cupti_name) : std::string_view(id);
  return name.ends_with(".sum");
}

void add_times(const std::vector<StepRecord>& steps, TagTotal& total) {
  double sum = 0;
  for (const StepRecord& step : steps) {
    if (!step.time_ns) {
      total.reason = "step " + step.name + " was not timed";
      return;
    }
    sum += *step.time_ns;
  }
  total.time_ns = sum;
}

void add_metrics(std::vector<StepRecord> steps, TagTotal& total) {
  std::vector<std::string> ids;
  for (const StepRecord& step : steps) {
    for (const MetricValue& value : step.metrics) {
      if (std::find(ids.begin(), ids.end(), value.id) == ids.end()) ids.push_back(value.id);
    }
  }
  // A run of these steps alone: what makes means of a whole run makes theirs.
  Measurement part;
  part.verdict.outcome = Outcome::correct;
  part.steps = std::move(steps);
  add_step_means(part);
  for (const std::string& id : ids) {
    MetricValue value{id, std::nullopt, Origin::measured, "", ""};
    const MetricValue* only =
        part.steps.size() == 1 ? find_value(part.steps.front().metrics, id) : nullptr;
    if (only != nullptr) {
      value = *only;
    } else if (adds_up(id)) {
      value.origin = Origin::derived;
      double sum = 0;
      for (const StepRecord& step : part.steps) {
        const std::optional<double> one = value_of(step.metrics, id);
        if (!one) value.reason = "step " + step.name + " has no such figure";
        sum += one.value_or(0);
      }
      if (value.reason.empty()) value.value = sum;
    } else if (const MetricValue* mean = find_value(part.metrics, id)) {
      value = *mean;
    } else {
      value.reason = "a ratio of one step has no sum over steps";
      value.remedy = "see it at each step";
    }
    total.metrics.push_back(std::move(value));
  }
}

}  // namespace

TagTotal total_of(const std::vector<StepRecord>& steps) {
  TagTotal total;
  total.steps = static_cast<int>(steps.size());
  add_times(steps, total);
  add_metrics(steps, total);
  return total;
}

std::vector<std::string> tags_of(const Measurement& m) {
  std::set<std::string> names;
  for (const StepRecord& step : m.steps) {
    if (step.phase != Phase::run) continue;
    for (const auto& [name, value] : step.tags) names.insert(name);
  }
  return {names.begin(), names.end()};
}

std::vector<TagTotal> totals_by_tag(const Measurement& m, const std::string& tag) {
  std::vector<std::pair<std::string, std::vector<StepRecord>>> groups;
  for (const StepRecord& step : m.steps) {
    if (step.phase != Phase::run) continue;
    const auto found = step.tags.find(tag);
    const std::string value = found == step.tags.end() ? "" : found->second;
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const auto& known) { return known.first == value; });
    if (group == groups.end()) group = groups.insert(groups.end(), {value, {}});
    group->second.push_back(step);
  }
  std::vector<TagTotal> totals;
  for (const auto& [value, steps] : groups) {
    TagTotal total = total_of(steps);
    total.value = value;
    totals.push_back(std::move(total));
  }
  return totals;
}

}  // namespace warpscope
