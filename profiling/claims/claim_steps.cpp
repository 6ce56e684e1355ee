// profiling/claims/claim_steps.cpp: figures of some steps of a run, as claims name them.
#include "profiling/claims/claim_steps.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "profiling/figures/metric.h"
#include "profiling/points/tag_totals.h"

namespace warpscope {
namespace {

constexpr std::string_view kAll = "steps", kKernel = "kernel", kTags[] = {"layer", "phase"};

// The word before the first point, which is cut off with it.
std::string cut_word(std::string_view& path) {
  const std::size_t point = path.find('.');
  std::string word(path.substr(0, point));
  path = point == std::string_view::npos ? std::string_view() : path.substr(point + 1);
  return word;
}

std::string words_of(const StepPath& path) {
  std::string words;
  for (const auto& [tag, value] : path.tags) words += " of " + tag + " " + value;
  if (!path.kernel.empty()) words += " that launches " + path.kernel;
  return words;
}

bool belongs(const StepRecord& step, const StepPath& path) {
  if (step.phase != Phase::run || (!path.kernel.empty() && step.entry != path.kernel)) return false;
  return std::all_of(path.tags.begin(), path.tags.end(), [&](const auto& tag) {
    const auto found = step.tags.find(tag.first);
    return found != step.tags.end() && found->second == tag.second;
  });
}

// The compiled kernel that takes longest of them; null: none was compiled.
const StepRecord* longest(const std::vector<StepRecord>& steps) {
  const StepRecord* found = nullptr;
  for (const StepRecord& step : steps) {
    if (step.resources &&
        (found == nullptr || step.time_ns.value_or(0) > found->time_ns.value_or(0)))
      found = &step;
  }
  return found;
}

}  // namespace

std::optional<StepPath> step_path(std::string_view path) {
  StepPath read;
  bool of_steps = false;
  while (true) {
    std::string_view rest = path;
    const std::string word = cut_word(rest);
    if (word == kAll) {
      of_steps = true;
    } else if (word == kKernel) {
      read.kernel = cut_word(rest);
    } else if (std::find(std::begin(kTags), std::end(kTags), word) != std::end(kTags)) {
      read.tags[word] = cut_word(rest);
    } else {
      break;
    }
    path = rest;
  }
  if (!of_steps && read.kernel.empty() && read.tags.empty()) return std::nullopt;
  read.id = std::string(path);
  return read;
}

ClaimValue value_of_metric(double value, const std::string& id) {
  const Metric* metric = find_metric(id);
  const std::string unit = metric == nullptr ? "" : metric->unit;
  return unit == "%" ? number_of(value / 100, "ratio") : number_of(value, unit);
}

OrMissing<ClaimValue> figure_of_steps(const Measurement& point, const StepPath& path,
                                      const std::string& of) {
  std::vector<StepRecord> steps;
  for (const StepRecord& step : point.steps) {
    if (belongs(step, path)) steps.push_back(step);
  }
  if (steps.empty())
    return missing(of + " has no step" + words_of(path), "name one that it has, or measure again");
  if (path.id == "count") {
    ClaimValue count = number_of(static_cast<double>(steps.size()), "");
    count.whole = true;
    return count;
  }
  const std::string needs = "needs " + path.id + " of the steps of " + of + words_of(path);
  if (path.id == "registers" || path.id == "occupancy.theoretical" || path.id == "shared_bytes") {
    const StepRecord* step = longest(steps);
    if (step == nullptr) return missing(needs + ", which has no compiled kernel", "measure again");
    const KernelResources& has = *step->resources;
    if (path.id == "shared_bytes") {
      ClaimValue bytes =
          number_of(static_cast<double>(has.static_shared_bytes + has.dynamic_shared_bytes), "B");
      bytes.whole = true;
      return bytes;
    }
    return path.id == "registers" ? value_of_metric(has.registers_per_thread, path.id)
                                  : value_of_metric(has.theoretical_occupancy_ratio, path.id);
  }
  const TagTotal total = total_of(steps);
  if (path.id == "time") {
    if (!total.time_ns) return missing(needs + ": " + total.reason, "measure it again");
    return number_of(*total.time_ns, "ns");
  }
  const MetricValue* value = find_value(total.metrics, path.id);
  if (value == nullptr) return missing(needs + ", which was not collected", "");
  if (!value->value) return missing(needs + ": " + value->reason, value->remedy);
  return value_of_metric(*value->value, path.id);
}

}  // namespace warpscope
