// profiling/export/report/figures/roofline_figure.cpp: the variants below the measured roofs.
#include <algorithm>
#include <cmath>
#include <set>

#include "profiling/export/report/figures/figures.h"
#include "profiling/export/report_tables.h"

namespace warpscope {
namespace {

struct RooflineMark {
  std::string variant, label, hover;
  Level level = Level::dram;
  bool modelled = false;  // its bytes were not counted
  double intensity = 0, rate = 0;
};

struct RoofLine {
  std::string name, value;
  double rate = 0;      // unit: B/s of memory, FLOP/s of a pipe
  bool memory = false;  // slanted
};

struct Roofline {
  std::vector<RooflineMark> marks;
  std::vector<RoofLine> lines;
};

int shape_of(Level level) {
  return level == Level::dram ? 0 : level == Level::l2 ? 1 : level == Level::l1 ? 2 : 3;
}

// The level that limits the point; else the one whose roof is nearest.
const RooflinePoint* chief_level(const RooflineStanding& standing) {
  const RooflinePoint* chief = nullptr;
  for (const RooflinePoint& point : standing.points) {
    if (point.intensity <= 0 || point.rate <= 0 || !std::isfinite(point.intensity) ||
        !std::isfinite(point.rate))
      continue;
    if (standing.binding == point.level) return &point;
    if (chief == nullptr || point.floor_ns.value_or(0) > chief->floor_ns.value_or(0))
      chief = &point;
  }
  return chief;
}

void add_roof(std::vector<RoofLine>& lines, const std::string& name, double rate, bool memory) {
  if (!(rate > 0) || !std::isfinite(rate)) return;
  for (const RoofLine& line : lines)
    if (line.name == name) return;
  lines.push_back({name, format_value(rate, memory ? "B/s" : "FLOP/s"), rate, memory});
}

Roofline roofline_of(ReportMaterial& material, const MeasuredScene& scene) {
  Roofline plot;
  for (const Measurement* m : fastest_of_variants(scene, scene.chief)) {
    const std::optional<RooflineStanding> standing = material.standing_of(*m);
    const RoofSet* roofs = material.roofs_of(*m).roofs;
    if (!standing || roofs == nullptr) continue;
    const RooflinePoint* point = chief_level(*standing);
    if (point == nullptr) continue;
    plot.marks.push_back({m->variant, label_of(*m),
                          label_of(*m) + ": " + format_value(point->rate, "FLOP/s") + " at " +
                              format_value(point->intensity, "FLOP/B") + ", bytes of " +
                              to_text(point->level) + " " + to_text(point->bytes_origin) + ", " +
                              format_value(m->warm->median_ns, "ns") + "; " + standing->sentence,
                          point->level, point->bytes_origin != Origin::measured, point->intensity,
                          point->rate});
    if (const auto rate = best_dram_rate(*roofs)) add_roof(plot.lines, "DRAM", *rate, true);
    for (const auto& [level, name] : {std::pair(Level::l2, "L2"), std::pair(Level::l1, "L1")}) {
      if (const Roof* roof = find_roof(*roofs, level))
        add_roof(plot.lines, name, roof->value, true);
    }
    if (const Roof* pipe = find_roof(*roofs, standing->pipe); pipe && pipe->unit == "FLOP/s")
      add_roof(plot.lines, label(*pipe), pipe->value, false);
  }
  return plot;
}

void draw_roofs(Drawing& svg, const Roofline& plot, const Scale& x, const Scale& y) {
  double highest = 0;
  for (const RoofLine& line : plot.lines)
    if (!line.memory) highest = std::max(highest, line.rate);
  if (highest <= 0) highest = y.most;
  for (const RoofLine& line : plot.lines) {
    const std::string words = line.name + " " + line.value;
    if (line.memory) {
      // From where it enters the frame up to the highest roof of arithmetic.
      const double from = std::max(x.least, y.least / line.rate);
      const double to = std::min({x.most, y.most / line.rate, highest / line.rate});
      if (from >= to) continue;
      svg.path({{x.at(from), y.at(from * line.rate)}, {x.at(to), y.at(to * line.rate)}},
               "roof " + std::string(line.name == "DRAM" ? "" : "fine"), words);
    } else if (line.rate >= y.least && line.rate <= y.most) {
      svg.path({{x.at(x.least), y.at(line.rate)}, {x.at(x.most), y.at(line.rate)}}, "roof", words);
    }
  }
}

// Names of roofs, each where there is room: on its slanted line, or above a level one.
void name_roofs(Drawing& svg, const Roofline& plot, const Scale& x, const Scale& y) {
  int slanted = 0;
  for (const RoofLine& line : plot.lines) {
    const std::string words = line.name + " " + line.value;
    if (!line.memory) {
      if (line.rate < y.least || line.rate > y.most) continue;
      svg.words({x.to - 4, y.at(line.rate) - 5}, words, "halo", Anchor::end);
      continue;
    }
    // On the line at a share of the frame's height of its own.
    const double share = 0.12 + 0.1 * slanted++;
    const double rate = y.least * std::pow(y.most / y.least, share);
    const double intensity = rate / line.rate;
    if (intensity < x.least || intensity > x.most) continue;
    svg.words({std::min(x.at(intensity) + 8, x.to - width_of(words)), y.at(rate) + 5}, words,
              "halo");
  }
}

void draw_roofline(Drawing& svg, const Roofline& plot, const SeriesStyles& styles) {
  std::vector<double> xs, ys;
  for (const RooflineMark& mark : plot.marks) {
    xs.push_back(mark.intensity);
    ys.push_back(mark.rate);
  }
  double slowest = 0, fastest = 0;
  for (const RoofLine& line : plot.lines) {
    if (!line.memory) ys.push_back(line.rate), fastest = std::max(fastest, line.rate);
    if (line.memory && (slowest == 0 || line.rate < slowest)) slowest = line.rate;
  }
  if (slowest > 0 && fastest > 0) xs.push_back(fastest / slowest);  // the last ridge
  for (double& value : ys) value = std::max(value, 1.0);
  ys.push_back(*std::min_element(ys.begin(), ys.end()) / 3);
  xs.push_back(*std::min_element(xs.begin(), xs.end()) / 2);
  xs.push_back(*std::max_element(xs.begin(), xs.end()) * 2);
  const Frame frame{{92, 26}, svg.width() - 108, svg.narrow() ? 260.0 : 400.0};
  const Scale x = scale_of(xs, frame.corner.x, frame.corner.x + frame.width, true);
  const Scale y = scale_of(ys, frame.corner.y + frame.height, frame.corner.y, true);
  draw_frame(svg, frame, x, "arithmetic intensity, FLOP/B", "1", y, "arithmetic rate", "FLOP/s");
  draw_roofs(svg, plot, x, y);
  name_roofs(svg, plot, x, y);
  std::vector<LegendItem> items;
  bool others = false, modelled = false;
  std::set<Level> levels;
  for (const bool named : {false, true}) {
    for (const RooflineMark& mark : plot.marks) {
      if (styles.has(mark.variant) != named) continue;
      const std::string colour = styles.style_of(mark.variant);
      const std::string style = colour + (mark.modelled ? " hollow" : "");
      modelled = modelled || mark.modelled;
      svg.mark({x.at(mark.intensity), y.at(mark.rate)}, shape_of(mark.level), style, mark.hover);
      levels.insert(mark.level);
      if (named) items.push_back({mark.label, colour, 0, true});
      others = others || !named;
    }
  }
  if (others) items.push_back({"other variants", "other", 0, true});
  for (const Level level : levels)
    items.push_back({std::string("bytes of ") + to_text(level), "other", shape_of(level), false});
  if (modelled) items.push_back({"hollow: modelled bytes", "other hollow", 0, false});
  svg.grow_to(draw_legend(svg, frame.corner.y + frame.height + 2.6 * kTextHeight, items));
}

}  // namespace

ReportFigure roofline_figure(ReportMaterial& material, const MeasuredScene& scene,
                             const SeriesStyles& styles) {
  const Roofline plot = roofline_of(material, scene);
  const Measurement& first = *fastest_of_variants(scene, scene.chief).front();
  const std::string title = "Roofline at " + values_of(first);
  const RoofJoin& join = material.roofs_of(first);
  if (join.roofs == nullptr) return not_drawn(title, join.words);
  if (plot.marks.empty())
    return not_drawn(title,
                     "no variant here has both arithmetic and bytes that were counted or emulated; "
                     "the column “limited by” of the tables has its roofs");
  return drawn(title,
               "Each variant with warm caches, at the memory level that limits it or whose roof is "
               "nearest. Lines: the roofs that were measured on this device" +
                   (join.words.empty() ? "" : " (" + join.words + ")") +
                   "; the DRAM line is its best mix of reads and writes.",
               [&](Drawing& svg) { draw_roofline(svg, plot, styles); });
}

}  // namespace warpscope
