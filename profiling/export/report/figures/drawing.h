// profiling/export/report/figures/drawing.h: lines, marks and words of a figure, as SVG.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

// A drawing is made for one width in pixels, so that its words have the same size on every screen:
// a figure is drawn once for a page and once for a phone. Colours are classes of the page's style.
//
//   Drawing svg(kPageWidth, 300);
//   svg.line({40, 10}, {40, 280}, "axis");
//   svg.mark({60, 50}, 0, "s0", "K-tiled stream: 46.26 µs");
//   figure.wide = svg.text_of("Times", "times of the variants");

namespace warpscope {

inline constexpr double kPageWidth = 940, kPhoneWidth = 340;  // unit: px
inline constexpr int kSeriesColours = 8;                      // classes s0 … s7; "other" is grey
inline constexpr double kTextHeight = 16;

struct ShownPlace {
  double x = 0, y = 0;
};
enum class Anchor { start, middle, end };

// About so many pixels wide.
double width_of(std::string_view text);
// The text, or what of it fits, with "…".
std::string fitted(const std::string& text, double width);

class Drawing {
 public:
  Drawing(double width, double height) : width_(width), height_(height) {}
  double width() const { return width_; }
  double height() const { return height_; }
  void grow_to(double height) { height_ = height; }
  bool narrow() const { return width_ < kPageWidth / 2; }

  void line(ShownPlace from, ShownPlace to, std::string_view style);
  void path(const std::vector<ShownPlace>& places, std::string_view style,
            std::string_view hover = {});
  // `hover`: what is said of it below the pointer; empty: nothing.
  void box(ShownPlace corner, double width, double height, std::string_view style,
           std::string_view hover = {});
  // One of a few shapes, by number.
  void mark(ShownPlace at, int shape, std::string_view style, std::string_view hover = {});
  void words(ShownPlace at, std::string_view text, std::string_view style = {},
             Anchor anchor = Anchor::start);

  // The whole drawing; `about` is read aloud in place of it.
  std::string text_of(std::string_view about) const;

 private:
  void close(std::string_view tag, std::string_view hover);
  double width_ = 0, height_ = 0;
  std::string inside_;
};

// A rule of numbers along one side of a chart.
struct Scale {
  double least = 0, most = 1;
  bool logarithmic = false;
  double from = 0, to = 1;  // unit: px
  double at(double value) const;
  // At most about so many values with short names between the ends.
  std::vector<double> ticks(int wanted) const;
};
// A scale that holds all values, with a little room; logarithmic where they differ much.
Scale scale_of(const std::vector<double>& values, double from, double to, bool logarithmic);
// "50 µs": a value without zeros that say nothing.
std::string tick_text(double value, std::string_view unit);

// The frame of a chart: axes, ticks and their names.
struct Frame {
  ShownPlace corner;  // upper left
  double width = 0, height = 0;
};
void draw_frame(Drawing& svg, const Frame& frame, const Scale& x, const std::string& x_name,
                std::string_view x_unit, const Scale& y, const std::string& y_name,
                std::string_view y_unit);

// Parts of a chart of horizontal bars: the lines of its scale down to `bottom`, with their values
// below, and the name of the bar at `y`, to its left or, in a narrow drawing, above it.
void draw_bar_ticks(Drawing& svg, const Scale& x, double bottom, std::string_view unit);
void draw_bar_name(Drawing& svg, double left, double y, const std::string& name);

struct LegendItem {
  std::string name;
  std::string style;  // "s0"
  int shape = 0;
  bool box = false;  // a square of the colour in place of a mark
};
// Below `top`, in as many columns as fit. Gives where it ends.
double draw_legend(Drawing& svg, double top, const std::vector<LegendItem>& items);

}  // namespace warpscope
