// profiling/figures/metric.h: every number the product can show: its id, label, unit, source and
// meaning.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/figures/shared_text.h"
#include "scenes/base/scene.h"

// A Metric is a row of one table (metric_table.cpp); a MetricValue is one figure of it, or the
// reason why there is none. Values are found by id, never by position.
//
// Ids: "time.cold", "time.warm", "dram.bytes", "l2.bytes", "l2.hit_ratio", "rate.flops" …; work
// model rows are the scene's ("model.dram_bytes"). Units are "ns", "B", "B/s", "FLOP", "FLOP/s",
// "ratio" (1.0 is all), "1" (counts), "Hz", "W", "°C".

namespace warpscope {

enum class Origin { measured, modelled, derived };
enum class MetricSource { timer, cupti, nvml, compiler, model, formula, emulator };
enum class Better { lower, higher, neither };

struct Metric {
  std::string id;
  std::string label;
  std::string unit;
  std::string group;  // "time", "memory", "compute", "occupancy", "conditions", "model"
  MetricSource source = MetricSource::formula;
  // CUPTI's spelling, verbatim, when source is cupti; of the counter that one of source emulator
  // answers to.
  std::string cupti_name;
  Better better = Better::neither;
  std::string sentence;  // one good sentence: what it says and how to read it
};

// The built-in rows, in the order in which tables show them.
std::span<const Metric> all_metrics();
// A built-in row or one made from a scene's work terms. Null when there is none.
const Metric* find_metric(std::string_view id);

// A set of counters collected together; the engine announces its passes before collecting.
struct CounterSet {
  std::string name;  // "live", "standard", "full"
  std::string sentence;
  std::vector<std::string> metrics;  // ids of rows with source cupti
};
std::span<const CounterSet> counter_sets();
// "none", or a comma-separated list of sets ("live", "standard", "full"), metric ids and CUPTI
// names. CUPTI names that the table lacks become rows of their own ("cupti:NAME"). "lines", the
// counters by source line, is passed over: see asks_for_lines. error: usage.
Result<std::vector<std::string>> parse_counters(std::string_view text);

// Such a list in few words: "standard", "standard and lines", "standard and 6 more".
std::string brief_counters(std::string_view text);

// What a figure was scaled from, where a part of a grid was run.
struct Sampled {
  std::int64_t blocks = 0, of_blocks = 0;
  // Half of the 99 % interval around the value, in its unit; 0: blocks of one kind were alike. No
  // value: the value is not an estimate but a lower end, counted from those blocks only.
  std::optional<double> spread;
  bool operator==(const Sampled&) const = default;
};

struct MetricValue {
  SharedText id;
  std::optional<double> value;
  Origin origin = Origin::measured;
  SharedText reason;                    // why there is no value, and …
  SharedText remedy;                    // … what to do about it
  std::optional<Sampled> sampled = {};  // no value: of all blocks, or not a figure of blocks
};

// "from 64 of 4,096 blocks, chosen by position and work; ±1.2 %"; empty: it is not sampled.
std::string sampled_text(const MetricValue& value);
std::string share_text(std::int64_t blocks, std::int64_t of_blocks);  // "64 of 4,096 blocks"

const MetricValue* find_value(const std::vector<MetricValue>& values, std::string_view id);
std::optional<double> value_of(const std::vector<MetricValue>& values, std::string_view id);
void set_value(std::vector<MetricValue>& values, MetricValue value);  // replaces the same id

// "118.8 µs", "3.95 TB/s", "16.00", "97.3 %": three to four significant digits with an SI prefix.
std::string format_value(double value, std::string_view unit);

// "66 % less · better", "12 % more · worse", "2.98× as much": a value beside another. The word
// after the dot stands only where `judged` and one side is better.
std::string change_text(double value, double base, Better better, bool judged = true);

// "131 072": an exact count, its digits in threes.
std::string grouped(std::int64_t count);

const char* to_text(Origin origin);
const char* to_text(MetricSource source);

// The counter set by source line: asked for as "lines", alone or in a comma-separated list.
inline constexpr std::string_view kLineCounterSet = "lines";

}  // namespace warpscope
