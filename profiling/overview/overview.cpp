// profiling/overview/overview.cpp: the first sentences about a point: its time, what limits it,
// what to look at next.
#include "profiling/overview/overview.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "profiling/points/level_bytes.h"
#include "profiling/points/point.h"

namespace warpscope {
namespace {

const std::optional<Timing>& time_at(const Measurement& point, CacheState cache) {
  return cache == CacheState::cold ? point.cold : point.warm;
}

// A level, with a word on what it is for readers who do not know it.
const char* level_words(Level level) {
  switch (level) {
    case Level::dram:
      return "DRAM, the device's own memory,";
    case Level::l2:
      return "L2, the cache that all multiprocessors share,";
    case Level::l1:
      return "L1, the cache inside each multiprocessor,";
    case Level::shared:
      return "Shared memory, inside each multiprocessor,";
    default:
      return "";
  }
}

std::string capital(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text;
}

std::string with_full_stop(std::string text) {
  if (!text.empty() && text.back() != '.') text += '.';
  return text;
}

// What goes through the limiting roof, at what rate, and what the roof is.
std::string rate_words(const Measurement& point, const RooflineStanding& s, double time_ns) {
  const double time_s = time_ns * 1e-9;
  for (const RooflinePoint& p : s.points) {
    if (p.level != s.binding || !p.ceiling) continue;
    const std::string device =
        point.conditions.device.empty() ? "this device" : point.conditions.device;
    if (p.level == Level::l1 && p.bytes_of == kOfWavefronts)
      return fmt::format(
          "The data path of L1 and shared memory, inside each multiprocessor, limits it. One whole "
          "run sends {} through this path in wavefronts of 128 B, at {}. The roof measured on {} "
          "is {}",
          format_value(p.bytes, "B"), format_value(p.bytes / time_s, "B/s"), device,
          format_value(*p.ceiling, "B/s"));
    const bool counted = p.bytes_origin == Origin::measured;
    const std::string bytes = format_value(p.bytes, "B"),
                      rate = format_value(p.bytes / time_s, "B/s"),
                      roof = format_value(*p.ceiling, "B/s");
    const std::optional<double> delivered = value_of(point.metrics, "l2.bytes_to_sm");
    // Sectors that L2 serves are others than bytes that it delivers, which the chart's arrow is.
    if (p.level == Level::l2 && counted && delivered &&
        value_of(point.metrics, "l2.sectors_sm").has_value())
      return fmt::format(
          "{} limits it. L2 serves {} of sectors per run (read or written), at {}. The roof "
          "measured on {} is {}. The arrow from L2 to L1 shows the {} that L2 sends for reads. If "
          "several multiprocessors request a sector at the same time, the arrow counts it once per "
          "multiprocessor",
          level_words(p.level), bytes, rate, device, roof, format_value(*delivered, "B"));
    return fmt::format(
        "{} limits it. One whole run moves {} through {}{}, at {}. The roof measured on {} is {}",
        level_words(p.level), bytes, p.level == Level::shared ? "shared memory" : to_text(p.level),
        counted ? "" : ", modelled", rate, device, roof);
  }
  if (s.binding == Level::pipe) {
    const double flops = value_of(point.metrics, "model.flops").value_or(0);
    return fmt::format(
        "Arithmetic limits it. It computes at {}. The measured roof of the {} pipe is {}",
        format_value(flops / time_s, "FLOP/s"), to_text(s.pipe),
        format_value(flops / (s.binding_floor_ns * 1e-9), "FLOP/s"));
  }
  return "Instruction issue limits it: in most cycles, the schedulers issue an instruction";
}

std::string nearest_words(const RooflineStanding& s) {
  return fmt::format("It reaches {} of the nearest roof, the {}",
                     format_value(s.binding_ratio, "ratio"), s.binding_name);
}

// A roof that is near: what is left to gain below it, and with what.
std::string gap_words(const RooflineStanding& s) {
  const std::string floor = format_value(s.binding_floor_ns, "ns");
  const bool memory = s.binding != Level::pipe && s.binding != Level::issue;
  const char* less = memory                      ? "moves fewer bytes"
                     : s.binding == Level::issue ? "executes fewer instructions"
                                                 : "does less arithmetic";
  if (s.binding_ratio >= kAtTheRoof)
    return fmt::format(
        "At the roof, one run would take {}. Only a variant that {} can be much faster.", floor,
        less);
  return fmt::format(
      "At the roof, one run would take {}, {:.2f}× faster. A variant that {} can be faster still.",
      floor, 1 / s.binding_ratio, less);
}

// No roof is near: which one is nearest, and what warps wait for instead.
std::string latency_words(const Measurement& point, const RooflineStanding& s, double time_ns) {
  const std::string wait = longest_wait(point);
  return fmt::format("{}. At that roof, one run would take {} instead of {}. {}", nearest_words(s),
                     format_value(s.binding_floor_ns, "ns"), format_value(time_ns, "ns"),
                     wait.empty()
                         ? "Collect the counters “standard” to see what its warps wait for."
                         : "Its warps wait most for: " + wait + ".");
}

}  // namespace

std::string time_sentence(const Measurement& point, CacheState cache, const std::string& baseline,
                          const Comparison& against) {
  std::string text =
      fmt::format("One run takes {} with {} caches",
                  format_value(time_at(point, cache)->median_ns, "ns"), to_text(cache));
  if (baseline.empty())
    return text + ". This variant is the baseline that others are compared with.";
  if (against.ratio <= 0) return text + ".";
  switch (against.difference) {
    case Difference::faster:
    case Difference::slower:
      return text + ", " + against.sentence + " than " + baseline + ", the baseline.";
    case Difference::same:
      return text + ", the same as " + baseline + ", the baseline, within 0.5 %.";
    default:
      return text + ". Compared with " + baseline + ", the baseline: " + against.sentence + ".";
  }
}

BindingWords binding_words(const Measurement& point, CacheState cache,
                           const RooflineStanding& standing, const std::optional<UsedBytes>& used) {
  BindingWords words;
  const std::optional<Timing>& timing = time_at(point, cache);
  if (!standing.binding || standing.binding_ratio <= 0 || !timing) {
    words.sentence =
        standing.sentence.empty()
            ? "What limits it is unknown: neither its bytes nor its operations are known."
            : with_full_stop(capital(standing.sentence));
    return words;
  }
  const bool far = !is_limited(standing);
  words.sentence = far ? latency_words(point, standing, timing->median_ns)
                       : rate_words(point, standing, timing->median_ns) + ". ";
  const bool wasteful = used && used->wasteful();
  if (far) {
    if (wasteful) words.sentence += " " + used_sentence(*used);
    words.figure = "Latency-bound";
    words.of = "at " + format_value(standing.binding_ratio, "ratio") + " of the nearest roof";
    words.below = words.of;
    return words;
  }
  words.figure = format_value(standing.binding_ratio, "ratio");
  words.of = "of the " + standing.binding_name;
  words.brief = "of the roof";
  words.below = words.of;
  const std::string waste = wasteful ? waste_at_roof(point, standing) : "";
  if (wasteful) words.sentence += used_sentence(*used) + " ";
  words.sentence += waste.empty() ? gap_words(standing) : waste;
  return words;
}

std::string longest_wait(const Measurement& point) {
  const MetricValue* longest = nullptr;
  constexpr std::string_view kPrefix = "stall.";
  for (const MetricValue& value : point.metrics) {
    // Warps that are ready wait for nothing.
    if (!value.id.starts_with(kPrefix) || !value.value || value.id == "stall.not_selected")
      continue;
    if (longest == nullptr || *value.value > *longest->value) longest = &value;
  }
  const Metric* metric = longest == nullptr ? nullptr : find_metric(longest->id);
  if (metric == nullptr || *longest->value <= 0) return "";
  const std::size_t colon = metric->label.find(": ");
  return fmt::format("{} (on average {:.1f} cycles per instruction of a warp)",
                     colon == std::string::npos ? metric->label : metric->label.substr(colon + 2),
                     *longest->value);
}

double shared_ratio(const PointFigures& figures) {
  if (const auto all = figures("l1.wavefronts"); all && *all > 0) {
    // All shared-memory wavefronts include those of barriers, shuffles and the start of warps.
    const double products = figures("shared.wavefronts_gmma").value_or(0);
    if (const auto asked = figures.sum({"shared.wavefronts_load", "shared.wavefronts_store"}))
      return (*asked + products) / *all;
    if (const auto passes = figures("shared.wavefronts")) return *passes / *all;
  }
  const auto sectors = figures.sum({"emulated.l1.sectors_load", "emulated.l1.sectors_store"}),
             passes = figures.sum(
                 {"emulated.shared.wavefronts_load", "emulated.shared.wavefronts_store"});
  if (!sectors || !passes || *passes <= 0) return 0;
  // A wavefront moves as much as four sectors.
  const double global = *sectors * 32 / kWavefrontBytes;
  return *passes / (*passes + global);
}

Advice advice_for(const Measurement* point, const RooflineStanding* standing,
                  const CostlyLine& line) {
  if (line.line > 0 && line.figure == "wavefronts")
    return {"banks", "Banks",
            "Banks shows one of its requests: which words of shared memory the lanes access, bank "
            "by bank."};
  if (line.line > 0 && line.figure == "sectors")
    return {"coalescing", "Coalescing",
            "Coalescing shows one of its requests: which bytes each of the 32 lanes accesses, and "
            "which sectors that takes."};
  if (point == nullptr)
    return {"coalescing", "Coalescing",
            "Coalescing shows which bytes its lanes access. This needs no measurement."};
  const bool computes = standing != nullptr &&
                        (standing->binding == Level::pipe || standing->binding == Level::issue);
  if (computes) {
    auto lanes = value_of(point->metrics, "inst.lanes_acting");
    if (!lanes) lanes = value_of(point->metrics, "inst.lanes");
    constexpr double kNearlyAll = 31;  // of 32
    if (lanes && *lanes < kNearlyAll)
      return {"divergence", "Divergence",
              fmt::format("On average {:.1f} of 32 lanes are active in an instruction. Divergence "
                          "shows where the others are idle.",
                          *lanes)};
    return {"occupancy", "Occupancy",
            "Occupancy shows how many warps its registers and shared memory allow."};
  }
  return {"metrics", "Metrics", "Metrics shows all of its figures beside the baseline's."};
}

NextVariant next_variant(std::span<const Candidate> candidates, const Variant& focus,
                         const Measurement& point, CacheState cache) {
  NextVariant fastest;
  bool behind = false;
  for (const Candidate& candidate : candidates) {
    if (candidate.variant == &focus) {
      behind = true;
      continue;
    }
    if (candidate.point == nullptr || !candidate.variant->own_kernels ||
        calls_library(*candidate.point) || candidate.variant->league != focus.league)
      continue;
    const Comparison comparison = compare_times(point, *candidate.point, cache);
    if (comparison.difference != Difference::faster) continue;
    const NextVariant next{candidate.variant, time_at(*candidate.point, cache)->median_ns,
                           comparison};
    if (behind) return next;
    if (fastest.variant == nullptr || next.time_ns < fastest.time_ns) fastest = next;
  }
  return fastest;
}

std::string first_sentence(const std::string& text) {
  const std::size_t stop = text.find(". ");
  return stop == std::string::npos ? text : text.substr(0, stop + 1);
}

}  // namespace warpscope
