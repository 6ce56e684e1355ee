// profiling/export/report/figures/stalls_figure.cpp: why the warps of the fastest variants wait.
#include <algorithm>

#include "profiling/export/report/figures/figures.h"
#include "profiling/overview/stall_reasons.h"

namespace warpscope {
namespace {

constexpr std::size_t kMostBars = 8;

struct Bar {
  std::string label;
  Stalls stalls;
};

std::string style_of(StallGroup group) { return "s" + std::to_string(static_cast<int>(group)); }

std::string cycles_text(double cycles) { return format_value(cycles, "cycles per instruction"); }

// The fastest variants whose stalls were counted, and the baseline.
std::vector<Bar> bars_of(ReportMaterial& material, const MeasuredScene& scene) {
  const std::vector<const Measurement*> points = fastest_of_variants(scene, scene.chief);
  const Measurement* base = points.empty() ? nullptr : material.baseline_of(*points.front());
  const Hello* engine = material.session().engine_of(scene.device);
  const double warps =
      scheduler_warps(engine != nullptr && engine->device ? engine->device->compute_capability : 0);
  std::vector<Bar> bars;
  for (const Measurement* m : points) {
    const bool is_base = base != nullptr && m->variant == base->variant;
    if (bars.size() >= kMostBars && !is_base) continue;
    const std::optional<Stalls> stalls = stalls_of(m->metrics, warps);
    if (stalls && stalls->all() > 0)
      bars.push_back({(is_base ? "baseline: " : "") + tuned_label_of(*m), *stalls});
  }
  return bars;
}

void draw_stalls(Drawing& svg, const std::vector<Bar>& bars) {
  const bool narrow = svg.narrow();
  const double left = narrow ? 4 : 290, step = narrow ? 40 : 26, first = narrow ? 26 : 10;
  constexpr double kBar = 16, kValue = 60;
  double longest = 0;
  for (const Bar& bar : bars) longest = std::max(longest, bar.stalls.all());
  const Scale x{0, longest, false, left, svg.width() - kValue};
  const double bottom = first + step * static_cast<double>(bars.size());
  draw_bar_ticks(svg, x, bottom, "1");
  double y = first;
  for (const Bar& bar : bars) {
    draw_bar_name(svg, left, y, bar.label);
    double from = 0;
    for (const StallPart& part : bar.stalls.parts) {
      if (part.warps <= 0) continue;
      svg.box({x.at(from), y}, x.at(from + part.warps) - x.at(from), kBar,
              style_of(part.reason->group) + " part",
              bar.label + ": " + part.reason->name + ", " + cycles_text(part.warps) + ". " +
                  part.reason->sentence);
      from += part.warps;
    }
    if (const double others = bar.stalls.others.value_or(0); others > 0)
      svg.box({x.at(from), y}, x.at(from + others) - x.at(from), kBar, "other part",
              bar.label + ": reasons that were not counted, " + cycles_text(others));
    svg.words({x.at(bar.stalls.all()) + 5, y + 12}, tick_text(bar.stalls.all(), "1"));
    y += step;
  }
  svg.line({left, 4}, {left, bottom}, "axis");
  svg.words({svg.width() - 4, bottom + 2.2 * kTextHeight}, "cycles per instruction of a warp",
            "name", Anchor::end);
  std::vector<LegendItem> items;
  for (int i = 0; i < kStallGroups; ++i) {
    const auto group = static_cast<StallGroup>(i);
    if (std::any_of(bars.begin(), bars.end(),
                    [&](const Bar& bar) { return bar.stalls.of(group) > 0; }))
      items.push_back({to_text(group), style_of(group), 0, true});
  }
  if (std::any_of(bars.begin(), bars.end(),
                  [](const Bar& bar) { return bar.stalls.others.value_or(0) > 0; }))
    items.push_back({"not counted", "other", 0, true});
  svg.grow_to(draw_legend(svg, bottom + 2.6 * kTextHeight, items));
}

}  // namespace

ReportFigure stalls_figure(ReportMaterial& material, const MeasuredScene& scene) {
  const std::vector<Bar> bars = bars_of(material, scene);
  const std::string title = "Why warps wait";
  if (bars.empty())
    return not_drawn(title,
                     "no stall was counted of the variants that may be ranked here: measure "
                     "with the counters “standard”");
  return drawn(title,
               "Average cycles that a warp waits for each reason per instruction, by the stall "
               "counters, of the fastest variants and the baseline. " +
                   bars.front().label + ": " + stall_sentence(bars.front().stalls),
               [&](Drawing& svg) { draw_stalls(svg, bars); });
}

}  // namespace warpscope
