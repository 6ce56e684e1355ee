// profiling/overview/memory_chart.cpp: what a point moves between registers, caches and DRAM.
#include "profiling/overview/memory_chart.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <utility>

#include "profiling/overview/roof_use.h"
#include "scenes/base/device_units.h"

namespace warpscope {
namespace {

// One source of a flow's bytes: a count, and the bytes of each.
struct FlowSource {
  const char* id;
  double bytes_each;
  const char* of;
  const char* spill = nullptr;  // added where it is known: the same of local memory
};

ChartFlow measured_flow(const PointFigures& figures, std::initializer_list<FlowSource> sources) {
  ChartFlow flow;
  for (const FlowSource& source : sources) {
    const MetricValue* value = find_value(figures.measured, source.id);
    if (value == nullptr) continue;
    if (!value->value) {
      if (flow.reason.empty()) flow = {.reason = value->reason, .remedy = value->remedy};
      continue;
    }
    const double spilled =
        source.spill == nullptr ? 0 : value_of(figures.measured, source.spill).value_or(0);
    flow.bytes = (*value->value + spilled) * source.bytes_each;
    flow.origin = value->origin;
    flow.of = source.of;
    if (spilled > 0) flow.of += ", with those of local memory";
    flow.reason = flow.remedy = "";
    return flow;
  }
  if (flow.reason.empty()) {
    flow.reason = "it was not counted";
    flow.remedy = "choose the counters “standard” or “full” and run";
  }
  return flow;
}

// The emulator's figure in place of one that was not counted.
void or_emulated(ChartFlow& flow, const PointFigures& figures, const FlowSource& source) {
  if (flow.bytes) return;
  const MetricValue* value = find_value(figures.emulated, source.id);
  if (value == nullptr || !value->value) return;
  flow.bytes = *value->value * source.bytes_each;
  flow.origin = Origin::modelled;
  flow.of = source.of;
  flow.reason = flow.remedy = "";
  const double spread = value->sampled ? value->sampled->spread.value_or(0) * source.bytes_each : 0;
  if (spread <= 0) return;
  flow.least = std::max(0.0, *flow.bytes - spread);
  flow.most = *flow.bytes + spread;
}

void or_modelled(ChartFlow& flow, std::optional<double> bytes, const char* of) {
  if (flow.bytes || !bytes) return;
  flow.bytes = std::max(0.0, *bytes);
  flow.origin = Origin::modelled;
  flow.of = of;
  flow.reason = flow.remedy = "";
}

ChartFlow global_loads(const PointFigures& figures) {
  ChartFlow flow =
      measured_flow(figures, {{"l1.sectors_load", kSectorBytes,
                               "sectors of global loads, 32 B each", "local.sectors_load"}});
  or_emulated(flow, figures,
              {"emulated.l1.sectors_load", kSectorBytes, "sectors of global loads, 32 B each"});
  return flow;
}

ChartFlow global_stores(const PointFigures& figures) {
  ChartFlow flow =
      measured_flow(figures, {{"l1.sectors_store", kSectorBytes,
                               "sectors of global stores, 32 B each", "local.sectors_store"}});
  or_emulated(flow, figures,
              {"emulated.l1.sectors_store", kSectorBytes, "sectors of global stores, 32 B each"});
  return flow;
}

ChartFlow shared_flow(const PointFigures& figures, bool loads) {
  const char* of =
      loads ? "wavefronts of shared loads, 128 B each" : "wavefronts of shared stores, 128 B each";
  ChartFlow flow = measured_flow(
      figures,
      {{loads ? "shared.wavefronts_lds" : "shared.wavefronts_sts", kWavefrontBytes, of},
       {loads ? "shared.wavefronts_load" : "shared.wavefronts_store", kWavefrontBytes, of}});
  or_emulated(flow, figures,
              {loads ? "emulated.shared.wavefronts_load" : "emulated.shared.wavefronts_store",
               kWavefrontBytes, of});
  return flow;
}

// What arrives at the multiprocessors. Which sectors hit L1 cannot be emulated.
ChartFlow from_l2(const PointFigures& figures) {
  ChartFlow flow = measured_flow(figures, {{"l2.bytes_to_sm", 1, "bytes that L2 sent to L1"}});
  or_modelled(flow, figures(kL2ReadTerm), "the scene's estimate of what misses L1");
  const auto stored = figures("emulated.l1.sectors_store"),
             asked = figures("emulated.l2.asked_sectors"),
             unique = figures("emulated.l2.unique_sectors");
  if (flow.bytes || !stored || !asked || !unique) return flow;
  or_modelled(flow, (*asked - *stored) * kSectorBytes,
              "between each distinct sector once and every sector requested from L1");
  flow.least = std::max(0.0, (*unique - *stored) * kSectorBytes);
  flow.most = *flow.bytes;
  return flow;
}

ChartFlow dram_flow(const PointFigures& figures, bool reads) {
  ChartFlow flow =
      measured_flow(figures, {reads ? FlowSource{"dram.bytes_read", 1, "bytes read from DRAM"}
                                    : FlowSource{"dram.bytes_write", 1, "bytes written to DRAM"}});
  const auto all = figures("model.dram_bytes"), read = figures("model.dram_read_bytes");
  const char* of = "the least that must move by the scene's model";
  if (reads) {
    or_modelled(flow, read, of);
  } else if (all && read) {
    or_modelled(flow, *all - *read, of);
  }
  return flow;
}

ChartBorder border_at(Level level, const PointFigures& figures) {
  ChartBorder border;
  border.level = level;
  switch (level) {
    case Level::shared:
      border.in = shared_flow(figures, true);
      border.out = shared_flow(figures, false);
      break;
    case Level::l1:
      border.in = global_loads(figures);
      border.out = global_stores(figures);
      break;
    case Level::l2:
      border.in = from_l2(figures);
      border.out = global_stores(figures);
      if (border.out.bytes) border.out.of += ": L1 forwards all of them";
      break;
    default:
      border.in = dram_flow(figures, true);
      border.out = dram_flow(figures, false);
  }
  return border;
}

// The border's share of its roof if the level's bytes are known; else why it has none.
void hold_to_roof(ChartBorder& border, const std::vector<RoofUse>& uses) {
  const RoofUse* use = find_use(uses, border.level);
  if (use == nullptr) {
    border.no_ratio = border.level == Level::shared
                          ? "no wavefronts of shared memory were counted or emulated"
                          : "its bytes were neither counted nor emulated";
    return;
  }
  border.bytes = use->bytes;
  border.rate = use->rate;
  border.origin = use->origin;
  border.of = use->of;
  border.impossible = use->impossible;
  border.binds = use->limits;
  border.no_ratio = use->no_ratio;
  border.roof = use->roof_ratio ? use->roof : "";
  border.roof_rate = use->roof_ratio ? use->roof_rate : std::nullopt;
  border.roof_ratio = use->roof_ratio;
  border.least_ratio = use->least_ratio;
  border.most_ratio = use->most_ratio;
}

// Both directions of a border as a share of a roof in bytes per second.
void share_of(ChartBorder& border, double roof_rate, const std::string& roof, double time_ns) {
  border.bytes = *border.in.bytes + *border.out.bytes;
  border.rate = *border.bytes / (time_ns * 1e-9);
  border.origin = std::max(border.in.origin, border.out.origin);
  border.roof = roof;
  border.roof_rate = roof_rate;
  border.roof_ratio = *border.rate / roof_rate;
  border.least_ratio.reset(), border.most_ratio.reset();
  border.no_ratio.clear();
}

// Emulated PTX may load more from shared memory than SASS does. The result never exceeds the
// counted wavefronts.
void within_wavefronts(ChartBorder& shared, double counted_bytes) {
  if (shared.in.origin != Origin::modelled || *shared.in.bytes + *shared.out.bytes <= counted_bytes)
    return;
  shared.in.least = 0;
  shared.in.most = std::max(0.0, counted_bytes - *shared.out.bytes);
  shared.in.bytes = shared.in.most;
  shared.in.of =
      "the counted wavefronts minus those of stores: SASS loads less than the emulated PTX";
}

// The roof is of sectors that are requested. Bytes that are sent may be others: a line that several
// multiprocessors request together is served once.
void tell_l2_requests_apart(MemoryChart& chart) {
  ChartBorder& l2 = chart.borders[2];
  if (!l2.roof_ratio || l2.origin != Origin::measured || !l2.in.bytes || !l2.out.bytes) return;
  constexpr double kSame = 0.005;
  if (std::abs(*l2.in.bytes + *l2.out.bytes - *l2.bytes) <= kSame * *l2.bytes) return;
  chart.l2_requests = ShareApart{*l2.bytes, *l2.roof_ratio, l2.roof, l2.binds};
  l2.share_apart = true;
}

// The share of wavefronts becomes a figure of its own; borders get the share of their own bytes.
void tell_data_path_apart(MemoryChart& chart, const RooflineStanding& standing, double time_ns) {
  ChartBorder &shared = chart.borders[0], &l1 = chart.borders[1];
  for (const RooflinePoint& p : standing.points) {
    if (p.level != Level::l1 || p.bytes_of != kOfWavefronts || !p.ceiling) continue;
    if (!l1.in.bytes || !l1.out.bytes) return;
    constexpr double kSame = 0.995;
    if (*l1.in.bytes + *l1.out.bytes > kSame * p.bytes) return;
    chart.data_path =
        ShareApart{p.bytes, p.bytes / (time_ns * 1e-9) / *p.ceiling, p.roof, l1.binds};
    l1.binds = false;
    l1.share_apart = true;
    l1.of = "sectors, 32 B each";
    share_of(l1, *p.ceiling, p.roof, time_ns);
    if (!shared.in.bytes || !shared.out.bytes || *shared.in.bytes + *shared.out.bytes <= 0) return;
    within_wavefronts(shared, p.bytes);
    if (shared.roof_ratio) return;
    shared.share_apart = true;
    share_of(shared, *p.ceiling, p.roof, time_ns);
    if (!shared.in.least || !shared.in.most) return;
    const auto ratio_of = [&](double in) {
      return (in + *shared.out.bytes) / (time_ns * 1e-9) / *p.ceiling;
    };
    shared.least_ratio = ratio_of(*shared.in.least);
    shared.most_ratio = ratio_of(*shared.in.most);
  }
}

// "1.02 to 1.4 GB": three digits, and the unit once where both have it; "0 to 8.29 GB" where the
// lower end is next to nothing.
std::string range_text(double least, double most, const char* unit) {
  constexpr double kNothing = 0.01;  // of the upper end
  const std::string low = format_value(least, unit), high = format_value(most, unit);
  const auto split = [](const std::string& text) {
    const std::size_t gap = std::min(text.find(' '), text.size());
    char number[32];
    std::snprintf(number, sizeof number, "%.3g", std::strtod(text.c_str(), nullptr));
    return std::pair(std::string(number), text.substr(gap));
  };
  const auto [from, from_unit] = split(low);
  const auto [to, to_unit] = split(high);
  if (least < kNothing * most) return "0 to " + to + to_unit;
  if (from == to && from_unit == to_unit) return to + to_unit;
  return from + (from_unit == to_unit ? "" : from_unit) + " to " + to + to_unit;
}

}  // namespace

MemoryChart memory_chart(const PointFigures& figures, const RooflineStanding* standing,
                         double time_ns, const std::string& without) {
  MemoryChart chart;
  const std::vector<RoofUse> uses =
      standing != nullptr ? roof_uses(*standing, time_ns) : std::vector<RoofUse>{};
  for (const Level level : {Level::shared, Level::l1, Level::l2, Level::dram}) {
    ChartBorder border = border_at(level, figures);
    if (standing != nullptr && time_ns > 0) {
      hold_to_roof(border, uses);
    } else {
      border.no_ratio = without.empty() ? "there is no time, and so no rate" : without;
    }
    chart.borders.push_back(std::move(border));
  }
  if (standing != nullptr && time_ns > 0) {
    tell_data_path_apart(chart, *standing, time_ns);
    tell_l2_requests_apart(chart);
  }
  for (const ChartBorder& border : chart.borders) {
    for (const ChartFlow* flow : {&border.in, &border.out})
      chart.most_bytes = std::max(chart.most_bytes, flow->bytes.value_or(0));
  }
  return chart;
}

const ChartBorder& border_of(const MemoryChart& chart, Level level) {
  return *std::find_if(chart.borders.begin(), chart.borders.end(),
                       [level](const ChartBorder& border) { return border.level == level; });
}

double arrow_width_ratio(double bytes, double most_bytes, double thinnest) {
  if (!(bytes > 0) || !(most_bytes > 0)) return 0;
  return std::clamp(bytes / most_bytes, thinnest, 1.0);
}

std::string flow_text(const ChartFlow& flow) {
  if (!flow.bytes) return "–";
  if (!flow.least || !flow.most) return format_value(*flow.bytes, "B");
  return range_text(*flow.least, *flow.most, "B");
}

std::string data_path_text(const ShareApart& path) {
  return "L1 and shared memory share one data path: " + format_value(path.bytes, "B") +
         " in wavefronts of 128 B, " + format_value(path.roof_ratio, "ratio") + " of the " +
         path.roof + ".";
}

std::string l2_requests_text(const ShareApart& requests) {
  return "Served by L2: " + format_value(requests.bytes, "B") + ", " +
         format_value(requests.roof_ratio, "ratio") + " of the " + requests.roof + ".";
}

std::string roof_share_text(const ChartBorder& border) {
  if (!border.roof_ratio) return "";
  if (!border.least_ratio || !border.most_ratio) return format_value(*border.roof_ratio, "ratio");
  return range_text(*border.least_ratio, *border.most_ratio, "ratio");
}

}  // namespace warpscope
