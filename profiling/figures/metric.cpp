// profiling/figures/metric.cpp: finding metrics and values, counter sets, and numbers for people.
#include "profiling/figures/metric.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "profiling/figures/stall_samples.h"
#include "scenes/catalogue.h"
#include "scenes/host/enumerators.h"
#include "scenes/host/nearest.h"

namespace warpscope {
namespace {

// Terms that earlier versions computed and recorded; now the emulator answers them.
struct RetiredTerm {
  const char *id, *label, *unit;
};
constexpr RetiredTerm kRetiredTerms[] = {
    {"model.l2_bytes", "L2 to and from multiprocessors", "B"},
    {"model.l2_gather_bytes", "L2 bytes of a plain gather", "B"},
    {"model.l1_bytes", "L1 bytes", "B"},
    {"model.l1_wavefronts", "L1 wavefronts", "1"},
    {"model.sectors_per_load", "sectors per load request", "1"},
    {"model.shared_bytes", "shared-memory bytes", "B"},
    {"model.shared_wavefronts", "shared-memory wavefronts", "1"},
    {"model.instructions", "multiply-add warp instructions", "1"},
    {"model.atomics", "additions that L2 makes", "1"},
};

// Rows of the scenes' work models, made once from the catalogue; a term of several scenes has the
// sentence of each.
const std::map<std::string, Metric, std::less<>>& model_metrics() {
  static const std::map<std::string, Metric, std::less<>> rows = [] {
    std::map<std::string, Metric, std::less<>> made;
    for (const Scene& scene : built_in_scenes()) {
      for (const WorkTerm& term : scene.work_terms) {
        const auto [row, first] = made.emplace(
            term.id, Metric{term.id, term.label, term.unit, "model", MetricSource::model, "",
                            Better::neither, scene.name + ": " + term.sentence});
        if (!first) row->second.sentence += "\n" + scene.name + ": " + term.sentence;
      }
    }
    for (const RetiredTerm& term : kRetiredTerms) {
      made.emplace(term.id, Metric{term.id, term.label, term.unit, "model", MetricSource::model, "",
                                   Better::neither,
                                   "As an earlier version computed and recorded it; what the "
                                   "emulator says stands in its place now."});
    }
    return made;
  }();
  return rows;
}

std::string with_digits(double value) {
  const double size = std::abs(value);
  const int decimals = size >= 1000 ? 0 : size >= 100 ? 1 : 2;
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string with_prefix(double value, const std::string& unit) {
  struct Prefix {
    double factor;
    const char* sign;
  };
  constexpr Prefix kPrefixes[] = {{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
  for (const Prefix& prefix : kPrefixes) {
    if (std::abs(value) >= prefix.factor * 0.99995) {
      return with_digits(value / prefix.factor) + " " + prefix.sign + unit;
    }
  }
  return with_digits(value) + " " + unit;
}

std::string as_time(double ns) {
  const double size = std::abs(ns);
  constexpr double kRounded = 0.99995;  // what would be written as 1000 of the smaller unit
  if (size >= 1e9 * kRounded) return with_digits(ns / 1e9) + " s";
  if (size >= 1e6 * kRounded) return with_digits(ns / 1e6) + " ms";
  if (size >= 1e3 * kRounded) return with_digits(ns / 1e3) + " µs";
  return with_digits(ns) + " ns";
}

// A count with a thin space between groups of three digits.
std::string as_count(double value) {
  if (value != std::floor(value) || std::abs(value) >= 1e15) return with_digits(value);
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.0f", std::abs(value));
  const std::string text = digits;
  std::string grouped = value < 0 ? "-" : "";
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i > 0 && (text.size() - i) % 3 == 0) grouped += "\u2009";
    grouped += text[i];
  }
  return grouped;
}

}  // namespace

const Metric* find_metric(std::string_view id) {
  for (const Metric& metric : all_metrics()) {
    if (metric.id == id) return &metric;
  }
  const auto found = model_metrics().find(id);
  return found == model_metrics().end() ? nullptr : &found->second;
}

std::string brief_counters(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos) return std::string(text);
  const std::string first = std::string(text.substr(0, comma)) + " and ";
  if (text.substr(comma + 1) == kLineCounterSet) return first + std::string(kLineCounterSet);
  return first + std::to_string(std::count(text.begin(), text.end(), ',')) + " more";
}

Result<std::vector<std::string>> parse_counters(std::string_view text) {
  if (text == "none" || text.empty()) return std::vector<std::string>{};
  std::vector<std::string> ids, known{std::string(kLineCounterSet), std::string(kStallSampleSet)};
  for (const CounterSet& set : counter_sets()) known.push_back(set.name);
  for (const Metric& metric : all_metrics()) {
    if (metric.source == MetricSource::cupti) known.push_back(metric.id);
  }
  const auto add = [&ids](const std::string& id) {
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  };
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string name(text.substr(begin, end - begin));
    begin = end + 1;
    if (name == kLineCounterSet || name == kStallSampleSet) continue;
    const auto set = std::find_if(counter_sets().begin(), counter_sets().end(),
                                  [&](const CounterSet& s) { return s.name == name; });
    if (set != counter_sets().end()) {
      for (const std::string& id : set->metrics) add(id);
      continue;
    }
    const auto row = std::find_if(all_metrics().begin(), all_metrics().end(), [&](const Metric& m) {
      return m.source == MetricSource::cupti && (m.id == name || m.cupti_name == name);
    });
    if (row != all_metrics().end()) {
      add(row->id);
    } else if (name.find("__") != std::string::npos) {
      add("cupti:" + name);  // a spelling of CUPTI's that the table does not carry
    } else {
      return failure(ErrorKind::usage, "there is no counter or counter set of this name",
                     "counters " + name, suggest(name, known));
    }
  }
  return ids;
}

const MetricValue* find_value(const std::vector<MetricValue>& values, std::string_view id) {
  for (const MetricValue& value : values) {
    if (value.id == id) return &value;
  }
  return nullptr;
}

std::optional<double> value_of(const std::vector<MetricValue>& values, std::string_view id) {
  const MetricValue* found = find_value(values, id);
  return found == nullptr ? std::nullopt : found->value;
}

void set_value(std::vector<MetricValue>& values, MetricValue value) {
  for (MetricValue& present : values) {
    if (present.id == value.id) {
      present = std::move(value);
      return;
    }
  }
  values.push_back(std::move(value));
}

std::string format_value(double value, std::string_view unit) {
  if (!std::isfinite(value)) return "–";
  if (unit == "ns") return as_time(value);
  if (unit == "ratio") return with_digits(value * 100) + " %";
  if (unit == "%") return with_digits(value) + " %";
  if (unit == "1" || unit.empty()) return as_count(value);
  if (unit == "B" || unit == "B/s" || unit == "FLOP" || unit == "FLOP/s" || unit == "Hz" ||
      unit == "inst/s" || unit == "OP/s") {
    if (value == 0) return "0 " + std::string(unit);  // none at all, not a little
    return with_prefix(value, std::string(unit));
  }
  return with_digits(value) + " " + std::string(unit);
}

namespace {

// "2.34", "412", "4 120": three digits, without an exponent as far as one can read.
std::string factor_text(double factor) {
  constexpr double kGrouped = 999.5, kReadable = 1e15;
  if (factor >= kGrouped && factor < kReadable) return grouped(std::llround(factor));
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", factor);
  return text;
}

}  // namespace

std::string change_text(double value, double base, Better better, bool judged) {
  if (!std::isfinite(value) || !std::isfinite(base) || base == 0) return "–";
  const double ratio = value / base, percent = 100 * std::abs(ratio - 1);
  constexpr double kTimes = 2;  // from here on a factor says more than a percentage
  constexpr double kSame = 0.05;
  if (percent < kSame) return "the same";
  char text[48];
  if (ratio >= kTimes) {
    std::snprintf(text, sizeof text, "%s× as much", factor_text(ratio).c_str());
  } else {
    const bool fine = percent < 10 || (percent > 90 && ratio < 1);
    std::snprintf(text, sizeof text, fine ? "%.1f %% %s" : "%.0f %% %s", percent,
                  ratio > 1 ? "more" : "less");
  }
  if (!judged || better == Better::neither) return text;
  return text + std::string((better == Better::lower) == (ratio < 1) ? " · better" : " · worse");
}

std::string grouped(std::int64_t count) {
  std::string text = std::to_string(count);
  const std::size_t first = count < 0 ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3; at -= 3) text.insert(at - 3, " ");
  return text;
}

std::string share_text(std::int64_t blocks, std::int64_t of_blocks) {
  std::string all = std::to_string(of_blocks);
  for (std::size_t at = all.size(); at > 3; at -= 3) all.insert(at - 3, ",");
  std::string part = std::to_string(blocks);
  for (std::size_t at = part.size(); at > 3; at -= 3) part.insert(at - 3, ",");
  return part + " of " + all + " blocks";
}

std::string sampled_text(const MetricValue& value) {
  if (!value.sampled || !value.value) return "";
  const Sampled& s = *value.sampled;
  const std::string share = share_text(s.blocks, s.of_blocks);
  if (!s.spread) return "at least, as " + share + " alone show it";
  const std::string text = "from " + share + ", chosen by position and work; ";
  if (*s.spread == 0) return text + "those of one kind were alike";
  char spread[32];
  if (*value.value == 0) {
    std::snprintf(spread, sizeof spread, "±%.3g", *s.spread);
  } else {
    std::snprintf(spread, sizeof spread, "±%.2g %%", 100 * *s.spread / std::abs(*value.value));
  }
  return text + spread;
}

const char* to_text(Origin origin) { return named(origin, {"measured", "modelled", "derived"}); }

const char* to_text(MetricSource source) {
  return named(source, {"timer", "cupti", "nvml", "compiler", "model", "formula", "emulator"});
}

}  // namespace warpscope
