// profiling/export/report/figures/drawing.cpp: lines, marks and words of a figure, as SVG.
#include "profiling/export/report/figures/drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "profiling/figures/inert_text.h"
#include "profiling/figures/metric.h"

namespace warpscope {
namespace {

constexpr double kMarkRadius = 5;
constexpr double kManyDigits = 1e4;   // from here on numbers have prefixes
constexpr double kTouch = 1e-9;       // how far beyond an end a tick may lie
constexpr double kLetterWidth = 6.6;  // of 12 px text, on the wide side

std::string number(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

std::size_t letters_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

const char* to_text(Anchor anchor) {
  return anchor == Anchor::middle ? "middle" : anchor == Anchor::end ? "end" : "start";
}

// Corners of a mark around its middle; empty: a circle.
std::vector<ShownPlace> corners_of(int shape) {
  constexpr double r = kMarkRadius;
  switch (shape % 4) {
    case 1:
      return {{-r, -r}, {r, -r}, {r, r}, {-r, r}};
    case 2:
      return {{0, -r - 1}, {r + 1, 0}, {0, r + 1}, {-r - 1, 0}};
    case 3:
      return {{0, -r - 1}, {r + 1, r}, {-r - 1, r}};
    default:
      return {};
  }
}

}  // namespace

double width_of(std::string_view text) {
  return static_cast<double>(letters_of(text)) * kLetterWidth;
}

std::string fitted(const std::string& text, double width) {
  if (width_of(text) <= width) return text;
  const auto room = static_cast<std::size_t>(std::max(1.0, width / kLetterWidth - 1));
  std::size_t bytes = 0;
  for (std::size_t letters = 0; bytes < text.size(); ++bytes) {
    const bool begins = (static_cast<unsigned char>(text[bytes]) & 0xC0) != 0x80;
    if (begins && letters++ == room) break;
  }
  return text.substr(0, bytes) + "…";
}

void Drawing::close(std::string_view tag, std::string_view hover) {
  if (hover.empty()) {
    inside_ += "/>";
    return;
  }
  inside_ += fmt::format("><title>{}</title></{}>", markup_text(hover), tag);
}

void Drawing::line(ShownPlace from, ShownPlace to, std::string_view style) {
  inside_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" class=\"{}\"/>",
                         number(from.x), number(from.y), number(to.x), number(to.y), style);
}

void Drawing::path(const std::vector<ShownPlace>& places, std::string_view style,
                   std::string_view hover) {
  if (places.size() < 2) return;
  inside_ += fmt::format("<polyline class=\"{}\" points=\"", style);
  for (const ShownPlace& place : places)
    inside_ += number(place.x) + "," + number(place.y) + (&place == &places.back() ? "\"" : " ");
  close("polyline", hover);
}

void Drawing::box(ShownPlace corner, double width, double height, std::string_view style,
                  std::string_view hover) {
  inside_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"{}\"",
                         number(corner.x), number(corner.y), number(std::max(width, 0.5)),
                         number(height), style);
  close("rect", hover);
}

void Drawing::mark(ShownPlace at, int shape, std::string_view style, std::string_view hover) {
  const std::vector<ShownPlace> corners = corners_of(shape);
  if (corners.empty()) {
    inside_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" class=\"mark {}\"", number(at.x),
                           number(at.y), number(kMarkRadius), style);
    return close("circle", hover);
  }
  inside_ += fmt::format("<polygon class=\"mark {}\" points=\"", style);
  for (const ShownPlace& corner : corners)
    inside_ += number(at.x + corner.x) + "," + number(at.y + corner.y) + " ";
  inside_.back() = '"';
  close("polygon", hover);
}

void Drawing::words(ShownPlace at, std::string_view text, std::string_view style, Anchor anchor) {
  inside_ += fmt::format("<text x=\"{}\" y=\"{}\"", number(at.x), number(at.y));
  if (!style.empty()) inside_ += fmt::format(" class=\"{}\"", style);
  if (anchor != Anchor::start) inside_ += fmt::format(" text-anchor=\"{}\"", to_text(anchor));
  inside_ += ">" + markup_text(text) + "</text>";
}

std::string Drawing::text_of(std::string_view about) const {
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
             "height=\"{1}\" role=\"img\" aria-label=\"{2}\">",
             number(width_), number(height_), markup_text(about)) +
         inside_ + "</svg>";
}

double Scale::at(double value) const {
  const double share = logarithmic ? std::log(value / least) / std::log(most / least)
                                   : (value - least) / (most - least);
  return from + share * (to - from);
}

std::vector<double> Scale::ticks(int wanted) const {
  std::vector<double> all;
  if (!std::isfinite(least) || !std::isfinite(most) || !(most > least)) return all;
  const auto add = [&](double value) {
    if (value >= least * (1 - kTouch) && value <= most * (1 + kTouch)) all.push_back(value);
  };
  if (logarithmic) {
    const double decades = std::log10(most / least);
    const bool parts = decades * 3 <= wanted;
    const int step = std::max(1, static_cast<int>(std::ceil(decades / wanted)));
    for (int power = static_cast<int>(std::floor(std::log10(least)));
         power <= static_cast<int>(std::ceil(std::log10(most))); power += step) {
      const double whole = std::pow(10, power);
      add(whole);
      if (parts) add(2 * whole), add(5 * whole);
    }
    return all;
  }
  const double rough = (most - least) / wanted, power = std::pow(10, std::floor(std::log10(rough)));
  const double share = rough / power;
  const double step = power * (share <= 1 ? 1 : share <= 2 ? 2 : share <= 5 ? 5 : 10);
  const double first = std::ceil(least / step);
  for (int i = 0; i <= 2 * wanted + 2; ++i) add((first + i) * step);
  return all;
}

Scale scale_of(const std::vector<double>& values, double from, double to, bool logarithmic) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (logarithmic && *least > 0) return {*least / 1.25, *most * 1.25, true, from, to};
  const double room =
      *most > *least ? (*most - *least) * 0.05 : std::max(std::abs(*most), 1.0) * 0.5;
  return {*least >= 0 ? std::max(0.0, *least - room) : *least - room, *most + room, false, from,
          to};
}

std::string tick_text(double value, std::string_view unit) {
  if (unit == "1" && std::abs(value) < kManyDigits) return fmt::format("{:.4g}", value);
  std::string text = format_value(value, unit);
  const std::size_t point = text.find('.');
  if (point == std::string::npos) return text;
  std::size_t end = point + 1;
  while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
  std::size_t keep = end;
  while (keep > point + 1 && text[keep - 1] == '0') --keep;
  if (keep == point + 1) keep = point;
  return text.substr(0, keep) + text.substr(end);
}

void draw_frame(Drawing& svg, const Frame& frame, const Scale& x, const std::string& x_name,
                std::string_view x_unit, const Scale& y, const std::string& y_name,
                std::string_view y_unit) {
  const double left = frame.corner.x, top = frame.corner.y;
  const double right = left + frame.width, bottom = top + frame.height;
  for (const double value : y.ticks(svg.narrow() ? 5 : 7)) {
    svg.line({left, y.at(value)}, {right, y.at(value)}, "grid");
    svg.words({left - 6, y.at(value) + 4}, tick_text(value, y_unit), "tick", Anchor::end);
  }
  double free_from = -1e9;
  for (const double value : x.ticks(svg.narrow() ? 4 : 9)) {
    const std::string text = tick_text(value, x_unit);
    const double half = width_of(text) / 2;
    svg.line({x.at(value), top}, {x.at(value), bottom}, "grid");
    if (x.at(value) - half < free_from || x.at(value) + half > svg.width()) continue;
    svg.words({x.at(value), bottom + kTextHeight}, text, "tick", Anchor::middle);
    free_from = x.at(value) + half + 6;
  }
  svg.line({left, top}, {left, bottom}, "axis");
  svg.line({left, bottom}, {right, bottom}, "axis");
  svg.words({2, top - 8}, y_name, "name");
  svg.words({right, bottom + 2.2 * kTextHeight}, x_name, "name", Anchor::end);
}

void draw_bar_ticks(Drawing& svg, const Scale& x, double bottom, std::string_view unit) {
  for (const double tick : x.ticks(svg.narrow() ? 3 : 7)) {
    svg.line({x.at(tick), 4}, {x.at(tick), bottom}, "grid");
    svg.words({x.at(tick), bottom + kTextHeight}, tick_text(tick, unit), "tick",
              tick == 0 ? Anchor::start : Anchor::middle);
  }
}

void draw_bar_name(Drawing& svg, double left, double y, const std::string& name) {
  if (svg.narrow()) {
    svg.words({left, y - 5}, fitted(name, svg.width() - 2 * left));
  } else {
    svg.words({left - 8, y + 11}, fitted(name, left - 16), "", Anchor::end);
  }
}

double draw_legend(Drawing& svg, double top, const std::vector<LegendItem>& items) {
  constexpr double kMark = 18, kColumn = 225;
  const int columns = std::max(1, static_cast<int>(svg.width() / kColumn));
  const double column = svg.width() / columns;
  const int count = static_cast<int>(items.size());
  for (int i = 0; i < count; ++i) {
    const LegendItem& item = items[static_cast<std::size_t>(i)];
    const ShownPlace at{(i % columns) * column + 8, top + (i / columns + 1) * kTextHeight * 1.2};
    if (item.box) {
      svg.box({at.x - 6, at.y - 10}, 12, 12, item.style);
    } else {
      svg.mark({at.x, at.y - 4}, item.shape, item.style);
    }
    svg.words({at.x + kMark - 4, at.y}, fitted(item.name, column - kMark - 12));
  }
  return top + ((count + columns - 1) / columns) * kTextHeight * 1.2 + 8;
}

}  // namespace warpscope
