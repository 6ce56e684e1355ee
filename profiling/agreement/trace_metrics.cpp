// profiling/agreement/trace_metrics.cpp: an emulated launch as metrics.
#include "profiling/agreement/trace_metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "profiling/access/launch_sums.h"

namespace warpscope {
namespace {

// One launch: its sums, and how far those may lie from the grid's where a part of it was run.
struct OneLaunch {
  LaunchSums sums;
  const TraceSample* sample = nullptr;  // null: all of it was run
  double spread(std::string_view counter) const {
    if (sample == nullptr) return 0;
    const auto found = sample->spreads.find(std::string(counter));
    return found == sample->spreads.end() ? std::numeric_limits<double>::infinity() : found->second;
  }
};

// What the sums of one or more launches are made of.
struct Sums {
  LaunchSums all;
  std::optional<std::int64_t> unique_load = 0;
  std::vector<OneLaunch> launches;
  std::int64_t blocks = 0, of_blocks = 0;  // that were run, of those of the grids
  bool of_machine_code = true;             // all of them
  bool sampled = false;
};

void add(Sums& sums, const Trace& trace) {
  OneLaunch launch;
  for (const AccessSite& site : trace.sites) launch.sums.add(site.space, site.kind, site.totals);
  launch.sums.instructions = trace.warp_instructions;
  launch.sums.threads = trace.thread_instructions;
  launch.sample = trace.sample ? &*trace.sample : nullptr;
  sums.all += launch.sums;
  sums.launches.push_back(launch);
  if (sums.unique_load && trace.unique_load_sectors)
    *sums.unique_load += *trace.unique_load_sectors;
  else
    sums.unique_load.reset();
  const std::int64_t grid = block_count(trace.launch);
  sums.of_blocks += grid;
  sums.blocks += trace.sample ? trace.sample->blocks : grid;
  sums.sampled = sums.sampled || trace.sample;
  sums.of_machine_code = sums.of_machine_code && trace.machine_code;
}

std::string id_of(const EmulatedFigure& row) {
  return std::string(kEmulatedPrefix) + std::string(row.counter);
}

// Launches are sampled apart, so that squares of their spreads add up. A launch moves the ratio of
// all by its own ratio, and by its part of the whole as far as its ratio is another.
double spread_of(const Sums& sums, const EmulatedFigure& figure, double value) {
  double squares = 0;
  for (const OneLaunch& launch : sums.launches) {
    double spread = launch.spread(figure.counter);
    if (figure.whole != nullptr) {
      const double whole = figure.whole(launch.sums),
                   own = value_of(figure, launch.sums).value_or(0);
      if (whole == 0) continue;
      spread *= whole;
      if (sums.launches.size() > 1)
        spread += std::abs(own - value) * launch.spread(figure.whole_counter);
      spread /= figure.whole(sums.all);
    }
    squares += spread * spread;
  }
  return std::sqrt(squares);
}

constexpr const char* kExecuted = "emulated.inst.executed";
constexpr const char* kIssued = "emulated.inst.issued";

// What was executed, if it was SASS.
MetricValue issued(const MetricValue& executed, bool of_machine_code) {
  MetricValue made = executed;
  made.id = kIssued;
  if (of_machine_code) return made;
  return {kIssued, std::nullopt, Origin::modelled,
          "PTX was emulated, whose instructions are not those that a device issues",
          "trace it with --code best, where nvdisasm is installed"};
}

std::vector<MetricValue> values_of(const Sums& sums) {
  std::vector<MetricValue> values;
  for (const EmulatedFigure& figure : emulated_figures()) {
    const bool unique = figure.counter == kUniqueSectorsFigure;
    std::optional<double> value = value_of(figure, sums.all);
    MetricValue made{id_of(figure), value, Origin::modelled, "", ""};
    if (!value) made.reason = figure.nothing;
    if (unique && !sums.unique_load) {
      made.value.reset();
      made.reason = "it was traced by a version that did not count distinct sectors";
    } else if (unique) {
      // What the chosen blocks loaded the grid loads at least; of the rest the lower end.
      *made.value = std::max(0.0, *value - spread_of(sums, figure, *value)) +
                    static_cast<double>(*sums.unique_load);
      if (sums.sampled) made.sampled = {sums.blocks, sums.of_blocks, std::nullopt};
    } else if (value && sums.sampled) {
      const double spread = spread_of(sums, figure, *value);
      if (std::isfinite(spread)) {
        made.sampled = {sums.blocks, sums.of_blocks, spread};
      } else {
        made.value.reset();
        made.reason = "too few blocks were emulated for an interval";
        made.remedy = "trace the whole grid (--grid)";
      }
    }
    values.push_back(std::move(made));
  }
  if (const MetricValue* executed = find_value(values, kExecuted))
    values.push_back(issued(*executed, sums.of_machine_code));
  return values;
}

std::vector<MetricValue> without(const std::string& reason, const std::string& remedy) {
  std::vector<MetricValue> values;
  for (const EmulatedFigure& row : emulated_figures())
    values.push_back({id_of(row), std::nullopt, Origin::modelled, reason, remedy});
  values.push_back({kIssued, std::nullopt, Origin::modelled, reason, remedy});
  return values;
}

std::vector<MetricValue> of_a_part(const Trace& trace) {
  if (trace.sample)
    return without("only " + share_text(trace.sample->blocks, block_count(trace.launch)) +
                       " were emulated, and they do not represent the rest: " + trace.sample->unfit,
                   "trace the whole grid (--grid)");
  return without("only block " + std::to_string(trace.scope.block) + " was emulated, one of " +
                     std::to_string(block_count(trace.launch)) + ": counters sum over all blocks",
                 "trace the whole grid");
}

}  // namespace

std::vector<MetricValue> emulated_metrics(const Trace& trace) {
  if (!covers_grid(trace)) return of_a_part(trace);
  Sums sums;
  add(sums, trace);
  return values_of(sums);
}

std::vector<MetricValue> modelled_beside(const Session& session, const Measurement& point) {
  Sums sums;
  const Trace* partial = nullptr;
  std::string lacking, other;
  bool any = false;
  for (const StepRecord& step : point.steps) {
    if (step.phase != Phase::run || (step.kind != "kernel" && step.kind != "library")) continue;
    const Trace* trace = step.kind == "kernel" && !step.name.empty()
                             ? session.trace(id_of(point), step.name)
                             : nullptr;
    if (trace == nullptr) {
      lacking = step.name;
      continue;
    }
    any = true;
    if (!of_one_code(*trace, point)) other = step.name;
    if (!covers_grid(*trace)) partial = trace;
    add(sums, *trace);
  }
  if (!any) return {};
  if (!lacking.empty())
    return without("step “" + lacking + "” is not emulated here, but counters sum over all steps",
                   "trace every step (a library's kernels cannot be traced)");
  if (!other.empty())
    return without("step “" + other + "” was " + kOfAnotherCode,
                   "measure and trace it again with one source");
  return partial != nullptr ? of_a_part(*partial) : values_of(sums);
}

bool of_one_code(const Trace& trace, const Measurement& point) {
  const std::string& code = point.conditions.code_id;
  return code.empty() || trace.source_hash.size() != code.size() || trace.source_hash == code;
}

bool is_of(const Trace& trace, const Measurement& point) {
  return trace.scene == point.scene && trace.variant == point.variant && trace.key == point.key;
}

StandingFigures modelled_or_last(const Session& session, const Measurement& point) {
  const auto known = [](const std::vector<MetricValue>& values) {
    return std::any_of(values.begin(), values.end(),
                       [](const MetricValue& value) { return value.value.has_value(); });
  };
  StandingFigures own{modelled_beside(session, point), "", ""};
  if (known(own.values)) return own;
  const std::vector<const Trace*> traces = session.traces();
  for (auto trace = traces.rbegin(); trace != traces.rend(); ++trace) {
    const Trace& last = **trace;
    if (last.scene != point.scene || last.variant != point.variant || !last.scope.grid ||
        last.key == point.key)
      continue;
    Measurement other = point;
    other.key = last.key;
    if (std::vector<MetricValue> values = modelled_beside(session, other); known(values)) {
      if (own.values.empty())
        return {std::move(values), other.key, "this configuration is not emulated yet"};
      const MetricValue& lacking = own.values.front();
      return {std::move(values), other.key, lacking.reason + "; " + lacking.remedy};
    }
  }
  return own;
}

const Measurement* point_of(const Session& session, const Trace& trace, const std::string& device) {
  return session.latest({trace.scene, trace.variant, trace.key, "", device});
}

std::vector<MetricValue> counters_beside(const Measurement* point, const Trace& trace) {
  if (point == nullptr || !has_figures(point->verdict.outcome)) return {};
  if (!of_one_code(trace, *point)) return {};
  int kernels = 0;
  for (const StepRecord& step : point->steps) {
    kernels += step.kind == "kernel" && step.phase == Phase::run ? 1 : 0;
    if (step.name == trace.step && !step.metrics.empty()) return step.metrics;
  }
  return kernels <= 1 ? point->metrics : std::vector<MetricValue>{};
}

std::vector<MetricValue> with_modelled(const std::vector<MetricValue>& measured,
                                       const std::vector<MetricValue>& modelled) {
  std::vector<MetricValue> values;
  for (const MetricValue& value : measured) {
    values.push_back(value);
    const MetricValue* beside = find_value(modelled, std::string(kEmulatedPrefix) + value.id);
    if (beside != nullptr) values.push_back(*beside);
  }
  for (const MetricValue& value : modelled) {
    if (find_value(values, value.id) == nullptr) values.push_back(value);
  }
  return values;
}

}  // namespace warpscope
