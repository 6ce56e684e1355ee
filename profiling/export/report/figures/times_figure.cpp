// profiling/export/report/figures/times_figure.cpp: the times of the variants, with their noise.
#include <algorithm>

#include "profiling/export/report/figures/figures.h"
#include "profiling/export/report_tables.h"
#include "scenes/base/plural.h"

namespace warpscope {
namespace {

constexpr std::size_t kMostRows = 24;

struct Row {
  const Measurement* point;
  std::string label, style, hover, roof;
  double roof_ns = 0;  // 0: no roof is near
};

std::string hover_of(const Row& row) {
  const Timing& warm = *row.point->warm;
  std::string text = row.label + ": " + format_value(warm.median_ns, "ns") + " warm, quartiles " +
                     format_value(warm.first_quartile_ns, "ns") + " to " +
                     format_value(warm.third_quartile_ns, "ns") + ", noise " +
                     format_value(warm.noise_ratio, "ratio");
  if (row.point->cold) text += "; " + format_value(row.point->cold->median_ns, "ns") + " cold";
  return text + (row.roof.empty() ? "" : "; " + row.roof);
}

std::vector<Row> rows_of(ReportMaterial& material, const std::vector<const Measurement*>& points,
                         const SeriesStyles& styles) {
  std::vector<Row> rows;
  for (const Measurement* m : points) {
    const std::string league = league_of(*m);
    Row row{m,
            tuned_label_of(*m) + (league.empty() ? "" : ", " + league),
            styles.style_of(m->variant),
            "",
            "",
            0};
    if (const auto standing = material.standing_of(*m); standing && standing->binding) {
      row.roof_ns = standing->binding_floor_ns;
      row.roof = standing->sentence;
    }
    row.hover = hover_of(row);
    rows.push_back(std::move(row));
  }
  return rows;
}

void draw_bars(Drawing& svg, const std::vector<Row>& rows) {
  constexpr double kBar = 13, kValue = 78;
  const bool narrow = svg.narrow();
  const double left = narrow ? 4 : 290, step = narrow ? 42 : 25, first = narrow ? 26 : 10;
  double longest = 0;
  for (const Row& row : rows) {
    longest = std::max({longest, row.point->warm->third_quartile_ns,
                        row.point->cold ? row.point->cold->median_ns : 0});
  }
  const Scale x{0, longest > 0 ? longest : 1, false, left, svg.width() - kValue};
  const double bottom = first + step * static_cast<double>(rows.size());
  draw_bar_ticks(svg, x, bottom, "ns");
  double y = first;
  for (const Row& row : rows) {
    const Timing& warm = *row.point->warm;
    draw_bar_name(svg, left, y, row.label);
    double end = x.at(warm.median_ns);
    svg.box({left, y}, end - left, kBar, row.style + " bar", row.hover);
    if (row.point->cold) {
      const double cold = x.at(row.point->cold->median_ns);
      svg.box({left, y + kBar}, cold - left, 4, row.style + " faint",
              row.label + ": " + format_value(row.point->cold->median_ns, "ns") + " cold");
      end = std::max(end, cold);
    }
    const double low = x.at(warm.first_quartile_ns), high = x.at(warm.third_quartile_ns);
    svg.line({low, y + kBar / 2}, {high, y + kBar / 2}, "noise");
    svg.line({low, y + 3}, {low, y + kBar - 3}, "noise");
    svg.line({high, y + 3}, {high, y + kBar - 3}, "noise");
    if (row.roof_ns > 0 && row.roof_ns <= longest)
      svg.line({x.at(row.roof_ns), y - 1}, {x.at(row.roof_ns), y + kBar + 1}, "roof");
    svg.words({std::max(end, high) + 5, y + 11}, format_value(warm.median_ns, "ns"));
    y += step;
  }
  svg.line({left, 4}, {left, bottom}, "axis");
  svg.words({svg.width() - kValue, bottom + 2.2 * kTextHeight}, "time of a run", "name",
            Anchor::end);
  svg.grow_to(bottom + 2.6 * kTextHeight);
}

}  // namespace

ReportFigure times_figure(ReportMaterial& material, const MeasuredScene& scene,
                          const SeriesStyles& styles) {
  std::vector<const Measurement*> points = fastest_of_variants(scene, scene.chief);
  const std::size_t all = points.size();
  points.resize(std::min(all, kMostRows));
  const std::vector<Row> rows = rows_of(material, points, styles);
  std::string caption =
      "Medians, fastest first. Thick bars: warm caches, with a line from the first to the third "
      "quartile. Thin bars: cold caches. A dark tick is the time that the nearest roof allows.";
  if (all > kMostRows)
    caption += " The table of variants has " +
               plural(static_cast<std::int64_t>(all - kMostRows), "slower one") + ".";
  return drawn("Times of the variants at " + values_of(*points.front()), caption,
               [&](Drawing& svg) { draw_bars(svg, rows); });
}

}  // namespace warpscope
