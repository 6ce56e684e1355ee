// workbench/drawing/plot_layout.cpp: the arithmetic of plots: scales, ticks, labels that keep
// apart.
#include "workbench/drawing/plot_layout.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "profiling/figures/metric.h"

namespace warpscope {
namespace {

bool has_prefix(const std::string& unit) {
  constexpr std::array<const char*, 5> kUnits = {"B", "B/s", "FLOP/s", "FLOP", "Hz"};
  return std::find(kUnits.begin(), kUnits.end(), unit) != kUnits.end();
}

// "1 T", "100 G", "0.5": a tick says its prefix once, the axis title the unit.
std::string tick_label(double value, const std::string& unit) {
  if (unit == "ns" || has_prefix(unit)) {
    std::string text = format_value(value, unit);
    // Trailing zeros of "1.00 µs" say nothing on an axis.
    if (const std::size_t dot = text.find('.'); dot != std::string::npos) {
      std::size_t end = text.find(' ', dot);
      if (end == std::string::npos) end = text.size();
      std::size_t keep = end;
      while (keep > dot && (text[keep - 1] == '0' || keep - 1 == dot)) --keep;
      text.erase(keep, end - keep);
    }
    return text;
  }
  constexpr std::array<std::pair<double, const char*>, 3> kPrefixes = {
      {{1e12, " T"}, {1e9, " G"}, {1e6, " M"}}};
  char text[40];
  for (const auto& [factor, prefix] : kPrefixes) {
    if (std::abs(value) < factor) continue;
    std::snprintf(text, sizeof text, "%.4g%s", value / factor, prefix);
    return text;
  }
  // Never an exponent: small numbers are written out.
  const bool small = value != 0 && std::abs(value) < 1e-4;
  const int decimals = small ? 1 - static_cast<int>(std::floor(std::log10(std::abs(value)))) : 0;
  std::snprintf(text, sizeof text, small ? "%.*f" : "%.*g", small ? decimals : 6, value);
  std::string shown = text;
  if (small) shown.erase(shown.find_last_not_of('0') + 1);
  return shown;
}

// The labels of evenly spaced ticks: one prefix for all, and as many decimals as their step needs,
// so that neighbours differ.
class StepLabels {
 public:
  StepLabels(const std::string& unit, double largest, double step) {
    constexpr std::array<std::pair<double, const char*>, 3> kTimes = {
        {{1e9, " s"}, {1e6, " ms"}, {1e3, " µs"}}};
    constexpr std::array<std::pair<double, const char*>, 5> kPrefixes = {
        {{1e15, " P"}, {1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e3, " k"}}};
    const bool time = unit == "ns", prefixed = has_prefix(unit);
    ending_ = time ? " ns" : prefixed ? " " + unit : "";
    const auto choose = [&](const auto& list) {
      for (const auto& [factor, sign] : list) {
        // Counts are written out up to a million.
        if (largest < factor * 0.99995 || (!time && !prefixed && factor < 1e6)) continue;
        factor_ = factor;
        ending_ = sign + (prefixed ? unit : std::string());
        return;
      }
    };
    if (time) {
      choose(kTimes);
    } else {
      choose(kPrefixes);
    }
    constexpr double kMost = 15;
    decimals_ =
        static_cast<int>(std::clamp(std::ceil(-std::log10(step / factor_) - 1e-9), 0.0, kMost));
  }
  std::string operator()(double value) const {
    if (value == 0) return "0";
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", decimals_, value / factor_);
    return text + ending_;
  }

 private:
  double factor_ = 1;
  std::string ending_;
  int decimals_ = 0;
};

// A power of two as programmers write it: "64", "16 Ki", "16 Mi".
std::string binary_label(double value) {
  constexpr std::array<std::pair<double, const char*>, 3> kPrefixes = {
      {{1073741824.0, " Gi"}, {1048576.0, " Mi"}, {1024.0, " Ki"}}};
  char text[32];
  for (const auto& [factor, prefix] : kPrefixes) {
    if (value < 16 * factor && !(value >= factor && factor > 1024)) continue;
    std::snprintf(text, sizeof text, "%.0f%s", value / factor, prefix);
    return text;
  }
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

// Powers of two, every one labelled where there is room, else every second, third …
std::vector<Tick> binary_ticks(const PlotScale& scale, int most_labels) {
  const int first = static_cast<int>(std::ceil(std::log2(scale.low) - 1e-9)),
            last = static_cast<int>(std::floor(std::log2(scale.high) + 1e-9));
  const int every = std::max(1, (last - first + most_labels) / most_labels);
  std::vector<Tick> list;
  for (int power = first; power <= last; ++power) {
    const double value = std::exp2(power);
    list.push_back({value, (power - first) % every == 0 ? binary_label(value) : ""});
  }
  return list;
}

bool is_power_of_two(double value) {
  int exponent = 0;
  return value > 0 && std::isfinite(value) && std::frexp(value, &exponent) == 0.5;
}

}  // namespace

double PlotScale::position(double v) const {
  if (log) {
    const double l = std::log(low), h = std::log(high);
    return h > l ? (std::log(std::max(v, 1e-300)) - l) / (h - l) : 0.5;
  }
  return high > low ? (v - low) / (high - low) : 0.5;
}

double PlotScale::value(double p) const {
  if (log) return std::exp(std::log(low) + p * (std::log(high) - std::log(low)));
  return low + p * (high - low);
}

void PlotScale::zoom(double around, double factor) {
  const double a = value(around * (1 - factor)), b = value(around * (1 - factor) + factor);
  if (!(b > a) || !std::isfinite(a) || !std::isfinite(b) || (log && b / a < 1.0001)) return;
  low = a;
  high = b;
}

void PlotScale::pan(double by) {
  const double a = value(by), b = value(1 + by);
  if (!(b > a) || !std::isfinite(a) || !std::isfinite(b) || (log && a <= 0)) return;
  low = a;
  high = b;
}

std::vector<Tick> ticks(const PlotScale& scale, const std::string& unit, int most_labels) {
  std::vector<Tick> list;
  most_labels = std::max(2, most_labels);
  if (scale.log && scale.binary && scale.high / scale.low >= 2)
    return binary_ticks(scale, most_labels);
  if (scale.log) {
    const int first = static_cast<int>(std::floor(std::log10(scale.low)));
    const int last = static_cast<int>(std::ceil(std::log10(scale.high)));
    const double decades = std::log10(scale.high / scale.low);
    const bool halves = decades * 3 <= most_labels;
    const int every = std::max(1, static_cast<int>(std::ceil(decades / most_labels)));
    for (int decade = first; decade <= last; ++decade) {
      for (int digit = 1; digit < 10; ++digit) {
        const double value = digit * std::pow(10.0, decade);
        if (value < scale.low * 0.9999 || value > scale.high * 1.0001) continue;
        const bool labelled =
            (digit == 1 && (decade - first) % every == 0) || (halves && (digit == 2 || digit == 5));
        if (!labelled && decades > 8) continue;
        list.push_back({value, labelled ? tick_label(value, unit) : ""});
      }
    }
    // Between two of these labels no value could be read.
    if (std::count_if(list.begin(), list.end(), [](const Tick& t) { return !t.label.empty(); }) > 1)
      return list;
    list.clear();
  }
  const double rough = (scale.high - scale.low) / most_labels;
  if (!(rough > 0) || !std::isfinite(rough)) return list;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = power;
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    step = factor * power;
    if (step >= rough) break;
  }
  const StepLabels labels(unit, std::max(std::abs(scale.low), std::abs(scale.high)), step);
  for (double i = std::ceil(scale.low / step);
       i * step <= scale.high * (1 + 1e-9) && list.size() < 100; ++i) {
    const double at = i == 0 ? 0 : i * step;  // never “-0”
    list.push_back({at, labels(at)});
  }
  return list;
}

PlotScale fitted(const std::vector<double>& values, bool log, double margin) {
  PlotScale scale{log, log ? 1.0 : 0.0, log ? 10.0 : 1.0};
  bool any = false;
  std::set<double> apart, powers;
  for (const double v : values) {
    if (!std::isfinite(v) || (log && v <= 0)) continue;
    apart.insert(v);
    if (is_power_of_two(v)) powers.insert(v);
    scale.low = any ? std::min(scale.low, v) : v;
    scale.high = any ? std::max(scale.high, v) : v;
    any = true;
  }
  if (!any) return scale;
  // 33 and 127 among powers of two are read beside these.
  const bool binary = log && (powers.size() == apart.size() ||
                              (powers.size() >= 3 && 3 * powers.size() >= 2 * apart.size()));
  scale.binary = binary && scale.high >= 4 * scale.low;
  if (log) {
    const double widen = std::max(std::pow(scale.high / scale.low, margin), 1.25);
    scale.low /= widen;
    scale.high *= widen;
  } else {
    const double widen =
        std::max((scale.high - scale.low) * margin, std::abs(scale.high) * 0.02 + 1e-12);
    scale.low -= widen;
    scale.high += widen;
  }
  return scale;
}

void keep_apart(std::vector<Box>& boxes, float top, float bottom) {
  std::vector<std::size_t> order(boxes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return boxes[a].y0 < boxes[b].y0; });
  const auto beside = [](const Box& a, const Box& b) { return a.x0 < b.x1 && b.x0 < a.x1; };
  const auto move_to = [](Box& box, float y) {
    box = box_at(box.x0, y, box.width(), box.height());
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    Box& box = boxes[order[i]];
    move_to(box, std::max(box.y0, top));
    for (std::size_t j = 0; j < i; ++j) {
      const Box& above = boxes[order[j]];
      if (beside(box, above) && box.y0 < above.y1) move_to(box, above.y1);
    }
  }
  for (std::size_t i = order.size(); i-- > 0;) {
    Box& box = boxes[order[i]];
    move_to(box, std::min(box.y0, bottom - box.height()));
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      const Box& below = boxes[order[j]];
      if (beside(box, below) && box.y1 > below.y0) move_to(box, below.y0 - box.height());
    }
  }
}

std::size_t clearest(const std::vector<Box>& places, const std::vector<Box>& taken) {
  const auto covered = [&taken](const Box& place) {
    float area = 0;
    for (const Box& box : taken) {
      const Box both = overlap(place, box);
      if (!both.empty()) area += both.area();
    }
    return area;
  };
  std::size_t best = 0;
  float least = std::numeric_limits<float>::max();
  for (std::size_t i = 0; i < places.size() && least > 0; ++i) {
    const float area = covered(places[i]);
    if (area >= least) continue;
    least = area;
    best = i;
  }
  return best;
}

}  // namespace warpscope
