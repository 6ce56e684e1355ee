// profiling/engine/measure/roof_judgement.cpp: whether counters agree with a roof, and which of two
// is kept.
#include <cmath>

#include "profiling/engine/measure/roof_attempts.h"

namespace warpscope {
namespace {

bool same_roof(const Roof& a, const Roof& b) {
  return a.level == b.level && a.library == b.library && a.scene == b.scene && a.name == b.name &&
         (a.level != Level::dram || a.mix.name == b.mix.name) &&
         (a.level != Level::pipe || a.pipe == b.pipe);
}

}  // namespace

void keep_best(RoofSet& set, Roof roof) {
  for (Roof& present : set.roofs) {
    if (!same_roof(present, roof)) continue;
    if (roof.trusted && (!present.trusted || roof.value > present.value)) present = std::move(roof);
    return;
  }
  set.roofs.push_back(std::move(roof));
}

void judge(const RoofAttempt& attempt, const std::vector<MetricValue>& counted, Roof& roof) {
  std::string agree, off, missing;
  const auto add = [](std::string& list, const std::string& text) {
    list += (list.empty() ? "" : ", ") + text;
  };
  for (const ExpectedCount& count : attempt.counts) {
    const MetricValue* found = find_value(counted, count.id);
    if (found == nullptr || !found->value) {
      add(missing, found != nullptr && !found->reason.empty() ? found->reason.string()
                                                              : count.id + " has no value");
      continue;
    }
    // Where no work is claimed there is no share of it: what was counted is said itself.
    const Metric* metric = find_metric(count.id);
    const std::string text =
        count.value > 0 ? count.id + " is " + format_value(*found->value / count.value, "ratio") +
                              " of the expected count"
                        : format_value(*found->value, metric != nullptr ? metric->unit : "1") +
                              " of " + count.id + ", where none is expected";
    add(std::abs(*found->value - count.value) <= count.slack ? agree : off, text);
  }
  roof.trusted = off.empty();
  if (!off.empty()) {
    roof.note = "its counters do not agree: " + off;
  } else if (!agree.empty()) {
    roof.note = "its counters agree: " + agree;
  } else {
    roof.note = "not checked: " + (missing.empty() ? "no counter covers this work" : missing);
  }
  if (!attempt.keeps_moved_ratio) return;
  if (const auto read = value_of(counted, "dram.bytes_read"); read && *read > 0) {
    roof.mix.moved_ratio = *read / attempt.work;
    roof.note += "; DRAM moved " + format_value(roof.mix.moved_ratio, "ratio") + " of it";
  }
}

}  // namespace warpscope
