// profiling/export/report/figures/sweep_figure.cpp: times over one axis of the problem, and who
// wins where.
#include <algorithm>
#include <cmath>
#include <set>

#include "profiling/export/report/figures/figures.h"
#include "profiling/points/point.h"

namespace warpscope {
namespace {

double number_of(const AxisValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return 0;
}

// A variant's fastest points, by the value of the axis.
struct Curve {
  std::string variant, label;
  std::vector<std::pair<double, const Measurement*>> points;
};

// The fastest of a league at a value.
struct Winner {
  double value = 0;
  const Measurement* point = nullptr;
  std::string words;
};

struct Curves {
  std::string axis, name;  // as it is written, and what it means
  std::vector<Curve> all;
  std::map<std::string, std::vector<Winner>> winners;  // by league
};

// "n, columns of B".
std::string name_of_axis(const Sweep& sweep) {
  const Result<const Scene*> scene = catalogue_of(*sweep.first).find(sweep.place.first);
  const Axis* axis = scene ? find_axis((*scene)->axes, sweep.axis) : nullptr;
  return axis == nullptr || axis->label.empty() || axis->label == sweep.axis
             ? sweep.axis
             : sweep.axis + ", " + axis->label;
}

Curves curves_of(const MeasuredScene& scene, const Sweep& sweep) {
  Curves curves{sweep.axis, name_of_axis(sweep), {}, {}};
  std::map<std::string, std::map<double, const Measurement*>> found;
  for (const AxisValue& value : shown_values(sweep.values)) {
    for (const auto& [league, points] : leagues_at(scene, sweep.problem_at.at(value))) {
      for (const Measurement* m : points) found[m->variant][number_of(m->axes.at(sweep.axis))] = m;
      const Measurement* best = points.front();
      std::string words = label_of(*best) + ": " + format_value(best->warm->median_ns, "ns");
      if (points.size() > 1) {
        const Comparison lead = compare_times(*points[1], *best, CacheState::warm);
        words += "; compared with " + label_of(*points[1]) + ", the second: " + lead.sentence;
      }
      curves.winners[league].push_back(
          {number_of(best->axes.at(sweep.axis)), best, std::move(words)});
    }
  }
  for (auto& [league, winners] : curves.winners)
    std::sort(winners.begin(), winners.end(),
              [](const Winner& a, const Winner& b) { return a.value < b.value; });
  for (const auto& [variant, points] : found)
    curves.all.push_back(
        {variant, label_of(*points.begin()->second), {points.begin(), points.end()}});
  return curves;
}

std::string at_text(const Curves& curves, double value) {
  return curves.axis + " = " + tick_text(value, "1");
}

void draw_curve(Drawing& svg, const Curves& curves, const Curve& curve, const SeriesStyles& styles,
                const Scale& x, const Scale& y) {
  const std::string style = styles.style_of(curve.variant);
  std::vector<ShownPlace> places;
  for (const auto& [value, m] : curve.points)
    places.push_back({x.at(value), y.at(m->warm->median_ns)});
  svg.path(places, "curve " + style, curve.label);
  if (!styles.has(curve.variant)) return;
  for (const auto& [value, m] : curve.points) {
    const Timing& warm = *m->warm;
    const ShownPlace at{x.at(value), y.at(warm.median_ns)};
    svg.line({at.x, y.at(std::max(warm.first_quartile_ns, y.least))},
             {at.x, y.at(warm.third_quartile_ns)}, "noise");
    svg.mark(at, styles.shape_of(curve.variant), style,
             tuned_label_of(*m) + " at " + at_text(curves, value) + ": " +
                 format_value(warm.median_ns, "ns") + ", quartiles " +
                 format_value(warm.first_quartile_ns, "ns") + " to " +
                 format_value(warm.third_quartile_ns, "ns"));
  }
}

// One row of boxes per league: the colour of the fastest variant at each value.
double draw_winners(Drawing& svg, const Curves& curves, const SeriesStyles& styles, const Scale& x,
                    double top) {
  for (const auto& [league, winners] : curves.winners) {
    svg.words({2, top + 12},
              league.empty() ? "fastest at each value" : "fastest at each value, " + league);
    top += 18;
    for (std::size_t i = 0; i < winners.size(); ++i) {
      const double here = x.at(winners[i].value);
      const double from = i == 0 ? x.from : (x.at(winners[i - 1].value) + here) / 2;
      const double to = i + 1 == winners.size() ? x.to : (here + x.at(winners[i + 1].value)) / 2;
      svg.box({from + 0.5, top}, to - from - 1, 14, styles.style_of(winners[i].point->variant),
              at_text(curves, winners[i].value) + ": " + winners[i].words);
    }
    top += 20;
  }
  return top;
}

void draw_curves(Drawing& svg, const Curves& curves, const SeriesStyles& styles) {
  std::vector<double> xs, ys;
  for (const Curve& curve : curves.all) {
    for (const auto& [value, m] : curve.points) {
      xs.push_back(value);
      ys.push_back(m->warm->median_ns);
      ys.push_back(m->warm->third_quartile_ns);
    }
  }
  const auto [least, most] = std::minmax_element(xs.begin(), xs.end());
  const Frame frame{{70, 26}, svg.width() - 90, svg.narrow() ? 240.0 : 320.0};
  Scale x =
      scale_of(xs, frame.corner.x, frame.corner.x + frame.width, *least > 0 && *most / *least >= 8);
  const Scale y = scale_of(ys, frame.corner.y + frame.height, frame.corner.y, true);
  draw_frame(svg, frame, x, curves.name, "1", y, "time of a run, warm", "ns");
  // Grey ones first: below those that have a name.
  for (const bool named : {false, true}) {
    for (const Curve& curve : curves.all)
      if (styles.has(curve.variant) == named) draw_curve(svg, curves, curve, styles, x, y);
  }
  double bottom = frame.corner.y + frame.height + 2.6 * kTextHeight;
  bottom = draw_winners(svg, curves, styles, x, bottom);
  std::vector<LegendItem> items;
  bool others = false;
  for (const Curve& curve : curves.all) {
    if (styles.has(curve.variant)) {
      items.push_back(
          {curve.label, styles.style_of(curve.variant), styles.shape_of(curve.variant), false});
    } else {
      others = true;
    }
  }
  if (others) items.push_back({"other variants", "other", 0, true});
  svg.grow_to(draw_legend(svg, bottom, items));
}

// The values that all points share, beside the axis that is swept.
std::string rest_text(const Sweep& sweep) {
  Measurement rest;
  rest.scene = sweep.place.first;
  rest.catalogue = sweep.first->catalogue;
  rest.axes = problem_axes(*sweep.first);
  rest.axes.unset(sweep.axis);
  return values_of(rest);
}

}  // namespace

ReportFigure sweep_figure(const MeasuredScene& scene, const SeriesStyles& styles,
                          const Sweep& sweep) {
  const Curves curves = curves_of(scene, sweep);
  const std::string title = "Times over " + sweep.axis;
  if (curves.all.empty())
    return not_drawn(title, "no variant with a correct output was timed over this axis");
  return drawn(
      title,
      "Medians with warm caches; the rest stands at " + rest_text(sweep) +
          ". Vertical lines: from the first to the third quartile. The row below the chart "
          "has the colour of the fastest variant.",
      [&](Drawing& svg) { draw_curves(svg, curves, styles); });
}

}  // namespace warpscope
