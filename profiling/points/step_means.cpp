// profiling/points/step_means.cpp: what the counters of several steps say of the whole run.
#include "profiling/points/step_means.h"

#include <algorithm>
#include <array>
#include <optional>

namespace warpscope {
namespace {

constexpr std::string_view kTime = "cycles.sm", kByTime = "their time";
constexpr std::string_view kInstructions = "inst.executed", kByInstructions = "their instructions";

constexpr StepMean kMeans[] = {
    {"dram.throughput", kTime, kByTime},
    {"l1.sectors_per_request_load", "l1.requests_load", "their requests"},
    {"l1.sectors_per_request_store", "l1.requests_store", "their requests"},
    {"inst.lanes", kInstructions, kByInstructions},
    {"inst.lanes_acting", kInstructions, kByInstructions},
    {"issue.active", kTime, kByTime},
    {"sm.throughput", kTime, kByTime},
    {"sm.active", kTime, kByTime},
    {"occupancy.achieved", kTime, kByTime},
    {"stall.long_scoreboard", kInstructions, kByInstructions},
    {"stall.lg_throttle", kInstructions, kByInstructions},
    {"stall.short_scoreboard", kInstructions, kByInstructions},
    {"stall.barrier", kInstructions, kByInstructions},
    {"stall.wait", kInstructions, kByInstructions},
    {"stall.not_selected", kInstructions, kByInstructions},
    {"stall.mio_throttle", kInstructions, kByInstructions},
    {"stall.math_pipe_throttle", kInstructions, kByInstructions},
    {"stall.tex_throttle", kInstructions, kByInstructions},
    {"stall.imc_miss", kInstructions, kByInstructions},
    {"stall.no_instruction", kInstructions, kByInstructions},
    {"stall.branch_resolving", kInstructions, kByInstructions},
    {"stall.membar", kInstructions, kByInstructions},
    {"stall.gmma", kInstructions, kByInstructions},
    {"stall.drain", kInstructions, kByInstructions},
    {"stall.sleeping", kInstructions, kByInstructions},
    {"stall.dispatch_stall", kInstructions, kByInstructions},
    {"stall.misc", kInstructions, kByInstructions},
    {"inst.per_cycle", kTime, kByTime},
};

// What a formula of derive.h is made of.
struct Formula {
  std::string_view id;
  std::array<std::string_view, 2> parts;
};
constexpr Formula kFormulas[] = {
    {"l2.hit_ratio", {"l2.sectors_hit", "l2.sectors"}},
    {"l1.hit_ratio", {"l1.sectors_load_hit", "l1.sectors_load"}},
    {"rate.dram_bytes", {"dram.bytes_read", "dram.bytes_write"}},
    {"rate.l2_bytes", {"l2.sectors_sm", ""}},
    {"rate.l1_bytes", {"l1.bytes", ""}},
};

const StepMean* mean_of(std::string_view id) {
  const auto* const found = std::find_if(std::begin(kMeans), std::end(kMeans),
                                         [id](const auto& m) { return m.id == id; });
  return found == std::end(kMeans) ? nullptr : found;
}

std::vector<const StepRecord*> counted_steps(const Measurement& m) {
  std::vector<const StepRecord*> steps;
  for (const StepRecord& step : m.steps) {
    if (step.phase == Phase::run && !step.metrics.empty()) steps.push_back(&step);
  }
  return steps;
}

// The step's own time where it was taken alone, which is not a profiler's; else the profiler's
// cycles.
std::optional<double> weight_of(const StepRecord& step, std::string_view weight, bool timed) {
  return weight == kTime && timed ? step.time_ns : value_of(step.metrics, weight);
}

std::optional<double> mean_over(const std::vector<const StepRecord*>& steps, const StepMean& mean) {
  const bool timed = std::all_of(steps.begin(), steps.end(),
                                 [](const StepRecord* step) { return step->time_ns.has_value(); });
  double sum = 0, weights = 0;
  for (const StepRecord* step : steps) {
    const auto value = value_of(step->metrics, mean.id),
               weight = weight_of(*step, mean.weight, timed);
    if (!weight) return std::nullopt;
    // A step that does nothing of what the ratio is of, such as a memset, has no ratio.
    if (!value && (*weight == 0 || mean.weight == kTime)) continue;
    if (!value) return std::nullopt;
    sum += *value * *weight;
    weights += *weight;
  }
  return weights > 0 ? std::optional(sum / weights) : std::nullopt;
}

}  // namespace

std::span<const StepMean> step_means() { return kMeans; }

void add_step_means(Measurement& m) {
  if (!has_figures(m.verdict.outcome)) return;
  const std::vector<const StepRecord*> steps = counted_steps(m);
  if (steps.size() < 2) return;
  for (const StepMean& mean : kMeans) {
    const std::string id(mean.id);
    if (value_of(m.metrics, id)) continue;
    if (const std::optional<double> value = mean_over(steps, mean))
      set_value(m.metrics, {id, *value, Origin::derived, "", ""});
  }
}

std::string mean_in_words(const Measurement& m, std::string_view id) {
  const StepMean* mean = mean_of(id);
  const MetricValue* value = find_value(m.metrics, id);
  if (mean == nullptr || value == nullptr || !value->value || value->origin != Origin::derived)
    return {};
  return "mean of " + std::to_string(counted_steps(m).size()) + " steps, weighted by " +
         std::string(mean->weighted_by);
}

std::vector<std::string> counters_behind(std::string_view id) {
  for (const Formula& formula : kFormulas) {
    if (formula.id != id) continue;
    std::vector<std::string> parts;
    for (const std::string_view part : formula.parts) {
      if (!part.empty()) parts.emplace_back(part);
    }
    return parts;
  }
  const Metric* metric = find_metric(id);
  if (metric == nullptr || metric->source != MetricSource::cupti) return {};
  std::vector<std::string> ids = {std::string(id)};
  if (const StepMean* mean = mean_of(id)) ids.emplace_back(mean->weight);
  return ids;
}

}  // namespace warpscope
