// profiling/overview/advice_list.cpp: what to change first in a kernel: each item with its evidence
// and what it would buy, and what that figure rests on.
#include "profiling/overview/advice_list.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "profiling/points/level_bytes.h"
#include "scenes/base/plural.h"

namespace warpscope {
namespace {

constexpr double kNoticeable = 1.01;  // a smaller speed-up is within the noise
constexpr double kLowOccupancy = 0.75;

std::string faster_words(double speedup) { return format_value(speedup, "1") + "× faster"; }
std::string time_words(double value) { return format_value(value, "ns"); }

std::optional<double> advised_time(const Measurement* point, CacheState cache) {
  if (point == nullptr) return std::nullopt;
  const std::optional<Timing>& timing = cache == CacheState::cold ? point->cold : point->warm;
  return timing && timing->median_ns > 0 ? std::optional(timing->median_ns) : std::nullopt;
}

bool is_within_memory(StallGroup group) {
  return group == StallGroup::memory || group == StallGroup::dependency;
}

// Where the other variant computes in another accuracy.
std::string accuracy_words(const Variant& focus, const Variant& other) {
  if (focus.accuracy == other.accuracy) return "";
  const auto named = [](const std::string& accuracy) {
    return accuracy.empty() ? std::string("the scene's own") : accuracy;
  };
  return ". Its accuracy differs: " + named(other.accuracy) + " instead of " +
         named(focus.accuracy);
}

// What to do as this variant does. A kernel beside a library's call is not what makes it fast.
void name_example(const Candidate& faster, AdviceItem& item) {
  const std::string& label = faster.variant->label;
  item.evidence = label + ": " + faster.variant->sentence;
  if (!faster.variant->own_kernels) {
    item.title = "Call " + label;
    item.action = "A library's call takes the place of this kernel.";
  } else if (calls_library(*faster.point)) {
    item.title = "Use " + label;
    item.action = "It calls a library and runs kernels of its own: Compare shows the figures.";
  } else {
    item.title = "Do as " + label + " does";
    item.action = "Compare the two kernels: Source shows their lines, Compare their figures.";
  }
}

// An automatic choice is no other way to do it where what it chose stands beside it.
bool repeats_another(const AdviceSource& source, const Candidate& candidate) {
  if (candidate.point->choice.empty()) return false;
  return chose(*candidate.point, *source.focus) ||
         std::any_of(source.candidates.begin(), source.candidates.end(), [&](const Candidate& c) {
           return c.point != nullptr && has_figures(c.point->verdict.outcome) &&
                  chose(*candidate.point, *c.variant);
         });
}

// Variants that did it: faster beyond the noise, of the same league, the fastest first.
void add_measured(const AdviceSource& source, std::vector<AdviceItem>& items) {
  constexpr std::size_t kMost = 3;
  const auto now = advised_time(source.point, source.cache);
  if (!now || source.focus == nullptr) return;
  std::vector<AdviceItem> found;
  for (const Candidate& candidate : source.candidates) {
    if (candidate.variant == source.focus || candidate.point == nullptr ||
        candidate.variant->league != source.focus->league || repeats_another(source, candidate))
      continue;
    const Comparison comparison = compare_times(*source.point, *candidate.point, source.cache);
    const auto then = advised_time(candidate.point, source.cache);
    if (comparison.difference != Difference::faster || !then) continue;
    AdviceItem item;
    name_example(candidate, item);
    item.basis = AdviceBasis::measured;
    item.speedup = *now / *then;
    item.gain = faster_words(item.speedup);
    item.because = "both variants at this point: " + time_words(*then) + " instead of " +
                   time_words(*now) + ", " + comparison.sentence +
                   accuracy_words(*source.focus, *candidate.variant);
    item.variant = candidate.variant->name;
    found.push_back(std::move(item));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const AdviceItem& a, const AdviceItem& b) { return a.speedup > b.speedup; });
  if (found.size() > kMost) found.resize(kMost);
  for (AdviceItem& item : found) items.push_back(std::move(item));
}

std::string line_words(const Finding& finding) {
  return finding.position.line > 0 ? " in line " + std::to_string(finding.position.line) : "";
}

// How much faster a launch is without a finding's waste, by the roofs.
void model_gain(const AdviceSource& source, const Finding& finding, AdviceItem& item) {
  const auto now = advised_time(source.point, source.cache);
  if (!now || source.standing == nullptr || !source.standing->binding) {
    item.gain = "not known";
    item.because = "there is no time beside roofs at this point; " + finding.gain + ".";
    return;
  }
  const std::string& roof = source.standing->binding_name;
  const auto then = time_without_ns(*now, *source.standing, finding.unit, finding.share_ratio());
  if (!then) {
    item.gain = "little, by the roofs";
    item.because = "the " + roof +
                   (is_limited(*source.standing) ? " limits it" : " is the nearest roof") +
                   ", and it does not count " + finding.unit + "; " + finding.gain + ".";
    return;
  }
  item.basis = AdviceBasis::modelled;
  item.speedup = *now / *then;
  item.gain = "up to " + faster_words(item.speedup);
  item.because = format_value(finding.share_ratio(), "ratio") + " of the launch's " + finding.unit +
                 " would not load the " + roof + ": " + time_words(*then) + " instead of " +
                 time_words(*now) + ". Caches may hide a part of it already.";
}

void add_findings(const AdviceSource& source, std::vector<AdviceItem>& items) {
  for (std::size_t i = 0; i < source.findings.size(); ++i) {
    const Finding& finding = source.findings[i];
    AdviceItem item;
    item.wrong = finding.severity == FindingSeverity::error;
    item.title =
        std::string(item.wrong ? "Mend the result: " : "Avoid ") +
        (item.wrong ? rule_of(finding.kind).title : std::string(rule_of(finding.kind).title)) +
        line_words(finding);
    item.evidence = first_sentence(finding.what) + " " + finding.figure + ".";
    item.action = finding.better;
    item.finding = static_cast<std::ptrdiff_t>(i);
    if (item.wrong || finding.all == 0) {
      item.gain = item.wrong ? "a right result" : "not known";
      item.because = "the emulator found it";
    } else {
      model_gain(source, finding, item);
    }
    items.push_back(std::move(item));
  }
}

// What warps wait for, where no roof is near.
void add_latency(const AdviceSource& source, std::vector<AdviceItem>& items) {
  const auto now = advised_time(source.point, source.cache);
  if (!now || source.standing == nullptr || !source.standing->binding ||
      source.standing->binding_ratio <= 0)
    return;
  const RooflineStanding& standing = *source.standing;
  AdviceItem item;
  if (standing.binding_ratio >= kAtTheRoof) {
    item.title = "Move less: it is at the " + standing.binding_name;
    item.evidence = "It uses " + format_value(standing.binding_ratio, "ratio") + " of the " +
                    standing.binding_name + ".";
    item.action =
        "Only less work at this level makes it faster: reuse data from a nearer memory, use "
        "smaller types, or join it with the kernel before or after it.";
    item.gain = "not known";
    item.because = "it depends on how much work is saved";
    item.panel = "roofline";
    items.push_back(std::move(item));
    return;
  }
  const StallPart* part = source.stalls ? source.stalls->largest() : nullptr;
  item.title = part != nullptr ? "Shorten what warps wait for: " + std::string(part->reason->name)
                               : "Keep more work in flight";
  item.evidence = "It uses " + format_value(standing.binding_ratio, "ratio") + " of the " +
                  standing.binding_name +
                  (is_limited(standing) ? ", which limits it" : ", the nearest roof") +
                  (part != nullptr ? ". " + first_sentence(stall_sentence(*source.stalls)) : ".");
  item.action = part != nullptr ? part->reason->sentence
                                : "Collect the counters “full”: they say what its warps wait for.";
  item.basis = AdviceBasis::modelled;
  item.speedup = 1 / standing.binding_ratio;
  item.gain = "at most " + faster_words(item.speedup);
  item.because = "at the " + standing.binding_name + " it would take " +
                 time_words(standing.binding_floor_ns) + " instead of " + time_words(*now);
  item.panel = part != nullptr ? "stalls" : "metrics";
  items.push_back(std::move(item));
}

// More warps, where they could hide what the warps wait for.
void add_occupancy(const AdviceSource& source, std::vector<AdviceItem>& items) {
  if (!source.occupancy || *source.occupancy >= kLowOccupancy || source.occupancy_words.empty())
    return;
  const bool near = source.standing != nullptr && source.standing->binding &&
                    source.standing->binding_ratio >= kAtTheRoof;
  const StallPart* part = source.stalls ? source.stalls->largest() : nullptr;
  if (near || (part != nullptr && !is_within_memory(part->reason->group))) return;
  AdviceItem item;
  item.title = "Let more warps run at once";
  item.evidence = source.occupancy_words;
  item.action = "Try it if warps wait for memory or for results: other warps then fill the gaps.";
  item.gain = "not known";
  item.because =
      "more warps help only while warps wait, and fewer registers may cost spills: measure it";
  item.panel = "occupancy";
  items.push_back(std::move(item));
}

}  // namespace

const char* to_text(AdviceBasis basis) {
  return basis == AdviceBasis::measured   ? "measured"
         : basis == AdviceBasis::modelled ? "modelled"
                                          : "no figure";
}

std::optional<double> time_without_ns(double time_ns, const RooflineStanding& standing,
                                      const std::string& unit, double share_ratio) {
  if (!standing.binding) return std::nullopt;
  const Level level = *standing.binding;
  const bool counts = unit == "sectors"             ? level == Level::l2 || level == Level::dram
                      : unit == "wavefronts"        ? level == Level::l1 || level == Level::shared
                      : unit == "warp instructions" ? level == Level::issue
                                                    : false;
  if (!counts || standing.binding_floor_ns <= 0 || share_ratio <= 0) return std::nullopt;
  const double saved = standing.binding_floor_ns * std::min(share_ratio, 1.0);
  // What other levels need at least stays.
  double least = standing.binding_floor_ns - saved;
  for (const RooflinePoint& point : standing.points) {
    if (point.level != level && point.floor_ns) least = std::max(least, *point.floor_ns);
  }
  return std::min(time_ns, std::max(time_ns - saved, least));
}

// The reason of a choice begins with whose it is: "label: why".
bool chose(const Measurement& automatic, const Variant& variant) {
  return automatic.choice.starts_with(variant.label + ": ");
}

std::vector<AdviceItem> advice_items(const AdviceSource& source) {
  std::vector<AdviceItem> items;
  add_measured(source, items);
  add_findings(source, items);
  add_latency(source, items);
  add_occupancy(source, items);
  const auto rank = [](const AdviceItem& item) {
    const bool known = item.basis != AdviceBasis::none && item.speedup > kNoticeable;
    return std::pair(item.wrong ? 0 : 1, known ? -item.speedup : 0.0);
  };
  std::stable_sort(items.begin(), items.end(),
                   [&](const AdviceItem& a, const AdviceItem& b) { return rank(a) < rank(b); });
  return items;
}

}  // namespace warpscope
