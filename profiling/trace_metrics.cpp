// profiling/trace_metrics.cpp: an emulated launch as metrics.
#include "profiling/trace_metrics.h"

#include <algorithm>
#include <optional>

namespace warpscope {
namespace {

// What the sums of one or more launches are made of.
struct Sums {
  AccessTotals load, store;                // of global memory
  AccessTotals shared_load, shared_store;  // atomics of shared memory are in neither
  std::int64_t passing = 0;                // sectors of atomics and bulk copies: they pass by L1
  std::optional<std::int64_t> unique_load = 0;
  std::int64_t instructions = 0, threads = 0;
};

void add(Sums& sums, const Trace& trace) {
  for (const AccessSite& site : trace.sites) {
    const AccessKind kind = site.kind;
    const bool in = kind == AccessKind::load || kind == AccessKind::matrix_load;
    const bool out = kind == AccessKind::store || kind == AccessKind::matrix_store;
    const bool copy = kind == AccessKind::async_copy;
    if (site.space == Space::global && (in || copy)) sums.load += site.totals;
    if (site.space == Space::global && out) sums.store += site.totals;
    const bool passes = kind == AccessKind::atomic || kind == AccessKind::reduction ||
                        kind == AccessKind::bulk_copy;
    if (site.space == Space::global && passes) sums.passing += site.totals.sectors;
    if (site.space == Space::shared && in) sums.shared_load += site.totals;
    if (site.space == Space::shared && out) sums.shared_store += site.totals;
  }
  if (sums.unique_load && trace.unique_load_sectors)
    *sums.unique_load += *trace.unique_load_sectors;
  else
    sums.unique_load.reset();
  sums.instructions += trace.warp_instructions;
  sums.threads += trace.thread_instructions;
}

std::optional<double> ratio(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

struct Row {
  std::string_view counter;  // the id that it answers to, or bounds
  std::optional<double> (*value)(const Sums&);
  std::string_view nothing = "";  // why there may be none
};

std::optional<double> whole(std::int64_t value) { return static_cast<double>(value); }

constexpr Row kRows[] = {
    {"l1.sectors_load", [](const Sums& s) { return whole(s.load.sectors); }},
    {"l1.requests_load", [](const Sums& s) { return whole(s.load.requests); }},
    {"l1.sectors_per_request_load",
     [](const Sums& s) { return ratio(s.load.sectors, s.load.requests); },
     "the kernel loads nothing from global memory"},
    {"l1.sectors_store", [](const Sums& s) { return whole(s.store.sectors); }},
    {"l1.requests_store", [](const Sums& s) { return whole(s.store.requests); }},
    {"l1.sectors_per_request_store",
     [](const Sums& s) { return ratio(s.store.sectors, s.store.requests); },
     "the kernel stores nothing to global memory"},
    {"shared.wavefronts_load", [](const Sums& s) { return whole(s.shared_load.wavefronts); }},
    {"shared.wavefronts_store", [](const Sums& s) { return whole(s.shared_store.wavefronts); }},
    {"shared.bank_conflicts",
     [](const Sums& s) {
       return whole(s.shared_load.wavefronts - s.shared_load.ideal_wavefronts +
                    s.shared_store.wavefronts - s.shared_store.ideal_wavefronts);
     }},
    {"l2.unique_sectors",
     [](const Sums& s) -> std::optional<double> {
       if (!s.unique_load) return std::nullopt;
       return whole(*s.unique_load + s.store.sectors + s.passing);
     },
     "it was traced by a version that did not count distinct sectors"},
    {"l2.asked_sectors",
     [](const Sums& s) { return whole(s.load.sectors + s.store.sectors + s.passing); }},
    {"inst.executed", [](const Sums& s) { return whole(s.instructions); }},
    {"inst.lanes", [](const Sums& s) { return ratio(s.threads, s.instructions); },
     "no instruction was executed"},
};

std::string id_of(const Row& row) {
  return std::string(emulated_prefix) + std::string(row.counter);
}

std::vector<MetricValue> values_of(const Sums& sums) {
  std::vector<MetricValue> values;
  for (const Row& row : kRows) {
    const std::optional<double> value = row.value(sums);
    values.push_back(
        {id_of(row), value, Origin::modelled, value ? "" : std::string(row.nothing), ""});
  }
  return values;
}

std::vector<MetricValue> without(const std::string& reason, const std::string& remedy) {
  std::vector<MetricValue> values;
  for (const Row& row : kRows)
    values.push_back({id_of(row), std::nullopt, Origin::modelled, reason, remedy});
  return values;
}

std::vector<MetricValue> of_one_block(const Trace& trace) {
  return without("only block " + std::to_string(trace.scope.block) + " was emulated, one of " +
                     std::to_string(block_count(trace.launch)) + ": counters sum over all",
                 "trace the whole grid");
}

}  // namespace

std::vector<MetricValue> emulated_metrics(const Trace& trace) {
  if (!trace.scope.grid) return of_one_block(trace);
  Sums sums;
  add(sums, trace);
  return values_of(sums);
}

std::vector<MetricValue> modelled_beside(const Session& session, const Measurement& point) {
  Sums sums;
  const Trace* partial = nullptr;
  std::string lacking;
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
    if (!trace->scope.grid) partial = trace;
    add(sums, *trace);
  }
  if (!any) return {};
  if (!lacking.empty())
    return without("step “" + lacking + "” is not emulated here, counters sum over all steps",
                   "trace every step; a library's kernels cannot be");
  return partial != nullptr ? of_one_block(*partial) : values_of(sums);
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
  if (point == nullptr || point->verdict.outcome != Outcome::correct) return {};
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
    const MetricValue* beside = find_value(modelled, std::string(emulated_prefix) + value.id);
    if (beside != nullptr) values.push_back(*beside);
  }
  for (const MetricValue& value : modelled) {
    if (find_value(values, value.id) == nullptr) values.push_back(value);
  }
  return values;
}

}  // namespace warpscope
