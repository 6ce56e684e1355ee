// profiling/engine/measure/variant_counters.cpp: what a bound variant's run counts: each step, and
// each line.
#include <algorithm>

#include "profiling/engine/measure/measured_steps.h"
#include "profiling/engine/measure/measurer.h"

namespace warpscope {
Result<void> Measurer::count(const Job& job, const MeasureJob& asked, const JobChannel& channel,
                             Stage::Bound& bound, Measurement& m) {
  Result<std::vector<std::string>> ids = parse_counters(asked.counters);
  if (!ids) return tl::unexpected(ids.error());
  if (ids->empty()) return {};
  const auto explain = [&](const std::string& reason, const std::string& remedy) {
    for (const std::string& id : *ids) {
      if (!value_of(m.metrics, id))
        set_value(m.metrics, {id, std::nullopt, Origin::measured, reason, remedy});
    }
  };
  if (!counters_) {
    explain(counters_capability_.reason, counters_capability_.remedy);
    return {};
  }
  Result<CounterPlan> plan = counters_->plan(*ids);
  if (!plan) {
    explain(plan.error().what, plan.error().remedy);
    return tl::unexpected(plan.error());
  }
  if (std::all_of(bound.run.begin(), bound.run.end(),
                  [](const BoundStep& step) { return step.is_on_host(); })) {
    explain("it runs on the host, which GPU counters do not cover", "");
    return {};
  }
  m.cold_counters = asked.cold_counters;
  // Counters are of a warm run, also in the first pass: what ran before it was the check.
  Result<void> counted =
      bound.submit(device_->stream()).and_then([&] { return device_->synchronise("run"); });
  if (counted && bound.graph != nullptr) {
    counted = count_graph(channel, job, asked, *plan, bound, m);
  } else if (counted) {
    m.counter_passes = plan->passes;
    counted = count_steps(channel, job, asked, *plan, bound, "counters " + asked.counters + ": ")
                  .map([&](const std::vector<RangeCounters>& ranges) {
                    put_step_counters(ranges, m);
                    add_run_counters(ranges, m);
                  });
  }
  if (!counted) {
    explain(counted.error().what, counted.error().remedy);
    return counted;
  }
  for (const MetricValue& value : plan->unavailable) set_value(m.metrics, value);
  return {};
}

Result<void> Measurer::count_lines(const Job& job, const MeasureJob& asked,
                                   const JobChannel& channel, Stage::Bound& bound, Measurement& m) {
  if (!asks_for_lines(asked.counters)) return {};
  if (Result<void> off = counters_off(); !off) return off;
  std::optional<Error> kept_from;  // why no step from here on has lines
  if (!sass_counters_) {
    kept_from = Error{ErrorKind::environment, sass_capability_.reason, "counters by source line",
                      sass_capability_.remedy};
  }
  for (std::size_t at = 0; at < bound.run.size(); ++at) {
    const BoundStep& step = bound.run[at];
    StepRecord* record = record_named(m, step.step().name);
    const auto explain = [&](const std::string& reason, const std::string& remedy) {
      record->lines = {};
      record->lines.missing = {
          {std::string(kLineCounterSet), std::nullopt, Origin::measured, reason, remedy}};
    };
    if (step.is_library()) explain("the kernels of a library come without source", "");
    const auto* launch = std::get_if<KernelLaunch>(&step.step().action);
    if (launch == nullptr) continue;
    if (!kept_from) {
      SassCounters::Runs runs;
      runs.run = [&] {
        return step.run(device_->stream()).and_then([&] {
          return device_->synchronise(step.step().name);
        });
      };
      // A step that adds to what is there must find what it finds in a whole run.
      runs.before = [&]() -> Result<void> {
        if (Result<void> ready = stage_->restore_states(bound); !ready) return ready;
        for (std::size_t earlier = 0; earlier < at; ++earlier) {
          if (Result<void> ran = bound.run[earlier].run(device_->stream()); !ran) return ran;
        }
        return device_->synchronise("run");
      };
      runs.go_on = [&](int pass, int of) {
        const auto steps = static_cast<double>(bound.run.size());
        channel.send(Progress{job.job,
                              (static_cast<double>(at) + static_cast<double>(pass) / of) / steps,
                              "counters by source line: " + step.step().name + ", pass " +
                                  std::to_string(pass + 1) + " of " + std::to_string(of)});
        return !channel.interrupted();
      };
      Result<LineCounters> lines =
          sass_counters_->collect(step.kernel(), launch->source, step.kernel().symbol, runs);
      if (lines) {
        record->lines = std::move(*lines);
        continue;
      }
      if (lines.error().kind == ErrorKind::fault) return tl::unexpected(lines.error());
      kept_from = lines.error();
    }
    explain(kept_from->where + ": " + kept_from->what, kept_from->remedy);
  }
  // A missing capability is said once, in the hello, and at the steps.
  if (kept_from && sass_counters_) return tl::unexpected(*kept_from);
  return {};
}

}  // namespace warpscope
