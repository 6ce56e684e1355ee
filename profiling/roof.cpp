// profiling/roof.cpp: where a measurement stands below the measured ceilings.
#include "profiling/roof.h"

#include <algorithm>

#include "profiling/derive.h"
#include "profiling/metric.h"

namespace warpscope {
namespace {

constexpr double kLineBytes = 128;  // that the L1 data path moves a clock. source: roofs of L1

struct LevelBytes {
  Level level;
  std::vector<std::string> counters;  // summed; all must be there
  std::string model;
};

const std::vector<LevelBytes>& level_bytes() {
  static const std::vector<LevelBytes> rows = {
      {Level::dram, {"dram.bytes_read", "dram.bytes_write"}, "model.dram_bytes"},
      {Level::l2, {}, "model.l2_bytes"},  // counted: counted_l2_bytes
      {Level::l1, {"l1.bytes"}, "model.l1_bytes"},
      {Level::shared, {}, "model.shared_bytes"},
  };
  return rows;
}

struct Bytes {
  double value = 0;
  Origin origin = Origin::measured;
  std::string of;
};

std::optional<Bytes> bytes_at(const LevelBytes& row, const std::vector<MetricValue>& metrics) {
  if (row.level == Level::l2) {
    if (const auto counted = counted_l2_bytes(metrics))
      return Bytes{counted->value, Origin::measured, counted->what};
  }
  double sum = 0;
  bool all = !row.counters.empty();
  for (const std::string& id : row.counters) {
    const std::optional<double> value = value_of(metrics, id);
    all = all && value.has_value();
    sum += value.value_or(0);
  }
  if (all) return Bytes{sum, Origin::measured, ""};
  if (const auto modelled = value_of(metrics, row.model))
    return Bytes{*modelled, Origin::modelled, ""};
  return std::nullopt;
}

// What the data path of L1 passes: 128 bytes for every wavefront, however few of them are used.
std::optional<Bytes> wavefront_bytes(const std::vector<MetricValue>& metrics) {
  if (const auto counted = value_of(metrics, "l1.wavefronts"))
    return Bytes{*counted * kLineBytes, Origin::measured, "wavefronts, 128 B each"};
  if (const auto modelled = value_of(metrics, "model.l1_wavefronts"))
    return Bytes{*modelled * kLineBytes, Origin::modelled, "wavefronts, 128 B each"};
  return std::nullopt;
}

std::string percent(double ratio) { return format_value(ratio, "ratio"); }

}  // namespace

const char* to_text(Level level) {
  constexpr const char* kNames[] = {"DRAM", "L2",   "L1",   "shared", "FP32",
                                    "FP16", "TF32", "BF16", "issue"};
  return kNames[static_cast<int>(level)];
}

const Roof* find_roof(const RoofSet& set, Level level) {
  for (const Roof& roof : set.roofs) {
    if (roof.level == level) return &roof;
  }
  return nullptr;
}

std::optional<RooflineStanding> stand(const Measurement& measurement, CacheState cache,
                                      const RoofSet& roofs) {
  const std::optional<Timing>& timing =
      cache == CacheState::cold ? measurement.cold : measurement.warm;
  if (measurement.verdict.outcome != Outcome::correct || !timing || timing->median_ns <= 0)
    return std::nullopt;
  // A copy has no arithmetic and no place on the plot, but the roofs of memory bind it all the
  // same.
  const double flops = value_of(measurement.metrics, "model.flops").value_or(0);
  const double time_ns = timing->median_ns;
  RooflineStanding standing;
  const auto consider = [&standing](Level level, double floor_ns) {
    if (standing.binding && floor_ns <= standing.binding_floor_ns) return;
    standing.binding = level;
    standing.binding_floor_ns = floor_ns;
  };
  // A rate above its roof by more than the spread of the samples and the counters' 3 %.
  const double slack = 1 + std::max(0.03, 3 * timing->noise_ratio);
  for (const LevelBytes& row : level_bytes()) {
    std::optional<Bytes> bytes = bytes_at(row, measurement.metrics);
    if (row.level == Level::l1) {
      const std::optional<Bytes> passed = wavefront_bytes(measurement.metrics);
      const bool longer = passed && (!bytes || passed->value > bytes->value);
      // A modelled figure does not take the place of a counted one.
      if (longer && (!bytes || passed->origin <= bytes->origin)) bytes = passed;
    }
    if (!bytes || bytes->value <= 0) continue;
    RooflinePoint point;
    point.level = row.level;
    point.intensity = flops / bytes->value;
    point.rate = flops / (time_ns * 1e-9);
    point.bytes_origin = bytes->origin;
    point.bytes_of = bytes->of;
    if (const Roof* roof = find_roof(roofs, row.level); roof != nullptr && roof->value > 0) {
      point.floor_ns = bytes->value / roof->value * 1e9;
      const bool above = *point.floor_ns > time_ns * slack;
      // A modelled byte count is an upper bound for the caches below it: not a fact about the roof.
      if (above && bytes->origin == Origin::measured) {
        point.impossible = std::string("above the ") + to_text(row.level) +
                           " roof: " + format_value(bytes->value, "B") + " in " +
                           format_value(time_ns, "ns") + " is " +
                           format_value(bytes->value / (time_ns * 1e-9), "B/s") + ", the roof is " +
                           format_value(roof->value, "B/s") +
                           "; the counters come from another run than the time" +
                           (bytes->of.empty() ? "" : ", the bytes are of " + bytes->of);
      }
      if (!above) consider(row.level, *point.floor_ns);
    }
    standing.points.push_back(point);
  }
  if (const Roof* fp32 = find_roof(roofs, Level::fp32); fp32 != nullptr && fp32->value > 0) {
    const double floor_ns = flops / fp32->value * 1e9;
    if (floor_ns <= time_ns * slack) consider(Level::fp32, floor_ns);
  }
  if (const Roof* issue = find_roof(roofs, Level::issue); issue != nullptr && issue->value > 0) {
    std::optional<double> executed = value_of(measurement.metrics, "inst.executed");
    if (!executed) executed = value_of(measurement.metrics, "model.instructions");
    if (executed && *executed / issue->value * 1e9 <= time_ns * slack) {
      consider(Level::issue, *executed / issue->value * 1e9);
    }
  }
  if (standing.binding) {
    standing.binding_ratio = standing.binding_floor_ns / time_ns;
    standing.sentence = percent(standing.binding_ratio) + " of the " + to_text(*standing.binding) +
                        " roof, which binds: " + format_value(standing.binding_floor_ns, "ns") +
                        " of " + format_value(time_ns, "ns");
  }
  return standing;
}

}  // namespace warpscope
