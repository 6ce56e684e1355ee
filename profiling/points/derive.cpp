// profiling/points/derive.cpp: figures that follow from measured ones and from the work model.
#include "profiling/points/derive.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "scenes/base/device_units.h"
#include "scenes/catalogue.h"

namespace warpscope {
namespace {

using Values = std::vector<MetricValue>;

void put(Values& values, const std::string& id, double value, Origin origin) {
  set_value(values, {id, value, origin, "", ""});
}

void missing(Values& values, const std::string& id, Origin origin, std::string reason,
             std::string remedy = "") {
  set_value(values, {id, std::nullopt, origin, std::move(reason), std::move(remedy)});
}

void times(Measurement& m) {
  const auto time = [&m](const char* id, const std::optional<Timing>& timing) {
    if (timing && timing->median_ns > 0) {
      put(m.metrics, id, timing->median_ns, Origin::measured);
    } else if (m.verdict.outcome == Outcome::launch_failed) {
      missing(m.metrics, id, Origin::measured, m.verdict.sentence, m.verdict.remedy);
    } else if (find_value(m.metrics, id) == nullptr) {
      missing(m.metrics, id, Origin::measured, "no samples were taken", "run the variant");
    }
  };
  time("time.cold", m.cold);
  time("time.warm", m.warm);
  if (m.prepare_ns) put(m.metrics, "time.prepare", *m.prepare_ns, Origin::measured);
}

void conditions(Measurement& m) {
  const auto reading = [&m](const char* id, const std::optional<double>& value, double scale) {
    if (value) put(m.metrics, id, *value * scale, Origin::measured);
  };
  reading("clock.sm", m.conditions.sm_clock_mhz, 1e6);
  reading("clock.memory", m.conditions.memory_clock_mhz, 1e6);
  reading("power", m.conditions.power_w, 1);
  reading("temperature", m.conditions.temperature_c, 1);
}

void model(Measurement& m) {
  const Result<const Scene*> scene = catalogue_of(m).find(m.scene);
  const auto [variant, workload] = scene ? ran_row(**scene, m) : RanRow{};
  if (variant == nullptr) return;
  for (const WorkTerm& term : (*scene)->work_terms) {
    std::optional<double> value;
    try {
      value = evaluate(term, workload, *variant);
    } catch (const std::out_of_range&) {
      continue;  // it asks for a fact of inputs that were never made
    }
    if (value) {
      put(m.metrics, term.id, *value, Origin::modelled);
    } else {
      missing(m.metrics, term.id, Origin::modelled,
              "the model has no formula for this variant here");
    }
  }
}

void ratio(Values& values, const char* id, const char* part, const char* whole) {
  const auto p = value_of(values, part), w = value_of(values, whole);
  if (p && w && *w > 0) put(values, id, *p / *w, Origin::derived);
}

void put_rate(Values& values, const char* id, double amount) {
  const std::optional<double> time_ns = value_of(values, "time.warm");
  if (!time_ns || *time_ns <= 0) {
    return missing(values, id, Origin::derived, "it needs the warm time", "run the variant");
  }
  put(values, id, amount / (*time_ns * 1e-9), Origin::derived);
}

void rate(Values& values, const char* id, const std::vector<const char*>& parts) {
  double sum = 0;
  for (const char* part : parts) {
    const std::optional<double> value = value_of(values, part);
    if (!value) {
      return missing(values, id, Origin::derived, std::string("it needs ") + part,
                     "collect the counters “standard”");
    }
    sum += *value;
  }
  put_rate(values, id, sum);
}

void l2_rate(Values& values) {
  const char* const id = "rate.l2_bytes";
  const std::optional<L2Bytes> bytes = counted_l2_bytes(values);
  if (bytes) return put_rate(values, id, bytes->value);
  missing(values, id, Origin::derived, "it needs l2.sectors_sm", "collect the counters “standard”");
}

void ratios_and_rates(Values& values) {
  ratio(values, "l2.hit_ratio", "l2.sectors_hit", "l2.sectors");
  ratio(values, "l1.hit_ratio", "l1.sectors_load_hit", "l1.sectors_load");
  rate(values, "rate.flops", {"model.flops"});
  rate(values, "rate.dram_bytes", {"dram.bytes_read", "dram.bytes_write"});
  l2_rate(values);
  rate(values, "rate.l1_bytes", {"l1.bytes"});
}

void compiled(Measurement& m) {
  const StepRecord* longest = nullptr;
  for (const StepRecord& step : m.steps) {
    if (step.phase != Phase::run || !step.resources) continue;
    if (longest == nullptr || step.time_ns.value_or(0) > longest->time_ns.value_or(0))
      longest = &step;
  }
  if (longest == nullptr) return;
  put(m.metrics, "registers", longest->resources->registers_per_thread, Origin::measured);
  put(m.metrics, "local_bytes", static_cast<double>(longest->resources->local_bytes_per_thread),
      Origin::measured);
  const char* const occupancy = "occupancy.theoretical";
  if (longest->resources->blocks_per_multiprocessor > 0) {
    put(m.metrics, occupancy, longest->resources->theoretical_occupancy_ratio, Origin::derived);
  } else {
    missing(m.metrics, occupancy, Origin::derived,
            m.verdict.outcome == Outcome::launch_failed ? m.verdict.sentence
                                                        : "no block fits a multiprocessor",
            m.verdict.remedy);
  }
}

}  // namespace

void derive_metrics(Measurement& m) {
  times(m);
  conditions(m);
  compiled(m);
  model(m);
  if (!has_figures(m.verdict.outcome)) return;
  ratios_and_rates(m.metrics);
  add_useful_rate(m);
}

void add_useful_rate(Measurement& m) {
  const char* const id = "rate.useful_bytes";
  const std::optional<double> bytes = value_of(m.metrics, "model.useful_bytes");
  const std::optional<double> time_ns = value_of(m.metrics, "time.warm");
  if (!has_figures(m.verdict.outcome) || !bytes || !time_ns || *time_ns <= 0) return;
  put_rate(m.metrics, id, *bytes);
}

void derive_from_parts(Measurement& m) {
  if (!has_figures(m.verdict.outcome)) return;
  Values found = m.metrics;
  ratios_and_rates(found);
  for (const char* id : {"l2.hit_ratio", "l1.hit_ratio", "rate.flops", "rate.dram_bytes",
                         "rate.l2_bytes", "rate.l1_bytes"}) {
    const MetricValue* value = find_value(found, id);
    if (value != nullptr && value->value) set_value(m.metrics, *value);
  }
}

std::optional<L2Bytes> counted_l2_bytes(const Values& metrics) {
  if (const auto sectors = value_of(metrics, "l2.sectors_sm"))
    return L2Bytes{kSectorBytes * *sectors,
                   "32 bytes per sector that multiprocessors request from L2"};
  if (const auto bytes = value_of(metrics, "l2.bytes"))
    return L2Bytes{*bytes, "all requests to L2, also those between its halves"};
  return std::nullopt;
}

std::optional<DramRate> dram_rate(const Measurement& m, CacheState cache) {
  const std::optional<Timing>& timing = cache == CacheState::cold ? m.cold : m.warm;
  if (!has_figures(m.verdict.outcome) || !timing || timing->median_ns <= 0) return std::nullopt;
  const double time_s = timing->median_ns * 1e-9;
  const auto read = value_of(m.metrics, "dram.bytes_read"),
             written = value_of(m.metrics, "dram.bytes_write"),
             modelled = value_of(m.metrics, "model.dram_bytes");
  if (read && written) return DramRate{(*read + *written) / time_s, Origin::measured};
  if (modelled) return DramRate{*modelled / time_s, Origin::modelled};
  return std::nullopt;
}

double shortest_time_ns(const std::vector<const Measurement*>& points) {
  double shortest = 0;
  for (const Measurement* point : points) {
    for (const std::optional<Timing>* timing : {&point->cold, &point->warm}) {
      if (*timing && (shortest == 0 || (*timing)->median_ns < shortest))
        shortest = (*timing)->median_ns;
    }
  }
  return shortest;
}

}  // namespace warpscope
