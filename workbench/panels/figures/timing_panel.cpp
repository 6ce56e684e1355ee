// workbench/panels/figures/timing_panel.cpp: the samples themselves, and a histogram, of the focus
// and its baseline or of A and B.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "profiling/points/point.h"
#include "workbench/panels/axes/pin_strip.h"
#include "workbench/panels/figures/metric_lines.h"
#include "workbench/panels/outcome.h"
#include "workbench/workspace/pinned_points.h"

namespace warpscope {
namespace {

// A point whose samples are drawn.
struct TimedPoint {
  const Measurement* point = nullptr;
  std::string name;    // "float4 columns on NVIDIA H100 (GPU-…)"
  std::string letter;  // "A" or "B" where it is pinned and shown so
  ImU32 colour = 0;
  bool may_pin = true;  // false: it is of another scene or device than those that are shown
};

struct SampleSet {
  const TimedPoint& of;
  const Timing* timing;
};

// What the pointer is on, and whether it asks for a menu.
struct Pointed {
  const TimedPoint* of = nullptr;
  bool menu = false;
};

constexpr int kBins = 36;

void draw_histogram(const PlotArea& area, const SampleSet& s, const PlotScale& scale, float width) {
  std::vector<int> bins(kBins, 0);
  for (const double sample : s.timing->samples_ns) {
    ++bins[static_cast<std::size_t>(
        std::clamp(static_cast<int>(scale.position(sample) * kBins), 0, kBins - 1))];
  }
  const int most = std::max(1, *std::max_element(bins.begin(), bins.end()));
  const ImU32 colour = faded(s.of.colour, 0.4f);
  for (int i = 0; i < kBins; ++i) {
    const float y0 = area.at(0, scale.value(static_cast<double>(i) / kBins)).y;
    const float y1 = area.at(0, scale.value(static_cast<double>(i + 1) / kBins)).y;
    const float length =
        width * static_cast<float>(bins[static_cast<std::size_t>(i)]) / static_cast<float>(most);
    area.list->AddRectFilled({area.high.x - length, y1}, {area.high.x, y0 - 1}, colour);
  }
}

// If there are many samples, only one in this many has a dot.
std::size_t dots_every(const Timing& timing) {
  constexpr std::size_t kMostDots = 1500;
  return std::max<std::size_t>(1, timing.samples_ns.size() / kMostDots);
}

// Dots, histogram, median and quartiles.
void draw_samples(const PlotArea& area, const SampleSet& s, const PlotScale& scale,
                  const Style& style) {
  const ImU32 colour = s.of.colour;
  const std::size_t step = dots_every(*s.timing);
  for (std::size_t i = 0; i < s.timing->samples_ns.size(); i += step) {
    area.list->AddCircleFilled(area.at(static_cast<double>(i), s.timing->samples_ns[i]),
                               style.unit(0.2f), faded(colour, 0.8f), 6);
  }
  draw_histogram(area, s, scale, (area.high.x - area.low.x) * 0.22f);
  const float y = area.at(0, s.timing->median_ns).y;
  area.list->AddLine({area.low.x, y}, {area.high.x, y}, colour, style.unit(0.15f));
  for (const double quartile : {s.timing->first_quartile_ns, s.timing->third_quartile_ns}) {
    const float q = area.at(0, quartile).y;
    add_dashed_line(area.list, {area.low.x, q}, {area.high.x, q}, faded(colour, 0.7f), 1,
                    style.unit(0.5f));
  }
}

// "A" and "B" beside the plot, where their medians meet its edge; apart where these are close.
void draw_letters(const PlotArea& area, const std::vector<SampleSet>& series, const Style& style) {
  const float line = ImGui::GetTextLineHeight();
  std::vector<float> tops;
  for (const SampleSet& s : series) {
    if (s.of.letter.empty()) return;
    tops.push_back(area.at(0, s.timing->median_ns).y - line / 2);
  }
  if (tops.size() == 2 && std::abs(tops[0] - tops[1]) < line) {
    const float middle = (tops[0] + tops[1]) / 2;
    const float half = tops[0] <= tops[1] ? line / 2 : -line / 2;
    tops = {middle - half, middle + half};
  }
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (tops[i] < area.low.y - line || tops[i] > area.high.y) continue;
    ImGui::GetWindowDrawList()->AddText({area.high.x + style.unit(0.4f), tops[i]},
                                        series[i].of.colour, series[i].of.letter.c_str());
  }
}

// The set that has a dot or its median next to the pointer; null: none is near.
const TimedPoint* set_under(const PlotArea& area, const std::vector<SampleSet>& series,
                            const Style& style) {
  if (!area.hovered) return nullptr;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const TimedPoint* nearest = nullptr;
  float least = style.unit(1);
  for (const SampleSet& s : series) {
    float distance = std::abs(mouse.y - area.at(0, s.timing->median_ns).y);
    const std::size_t step = dots_every(*s.timing);
    for (std::size_t i = 0; i < s.timing->samples_ns.size(); i += step) {
      const ImVec2 at = area.at(static_cast<double>(i), s.timing->samples_ns[i]);
      distance = std::min(distance, std::hypot(mouse.x - at.x, mouse.y - at.y));
    }
    if (distance >= least) continue;
    least = distance;
    nearest = &s.of;
  }
  return nearest;
}

// What a set is, in the order in which its parts give way.
struct Legend {
  std::string median, quartiles, samples, stopped;
  std::string whole() const { return median + ", " + quartiles + ", " + samples + stopped; }
};

// A long name gives way to the median.
Legend legend_of(const SampleSet& s, float width) {
  const auto time = [](double ns) { return format_value(ns, "ns"); };
  const std::string median = ": " + time(s.timing->median_ns);
  const std::string name = (s.of.letter.empty() ? "" : s.of.letter + "  ") + s.of.name;
  return {
      fitting(name, width - ImGui::CalcTextSize(median.c_str()).x) + median,
      "quartiles " + time(s.timing->first_quartile_ns) + " to " + time(s.timing->third_quartile_ns),
      std::to_string(s.timing->samples_ns.size()) + " samples, noise " +
          format_value(s.timing->noise_ratio, "ratio"),
      ", stopped: " + s.timing->stop_reason};
}

// Figures are not shortened: what has no room in a line goes to the next one.
void draw_legend(const SampleSet& s, float width, bool roomy) {
  const std::string whole = legend_of(s, std::numeric_limits<float>::max()).whole();
  const auto fits = [width](const std::string& text) {
    return ImGui::CalcTextSize(text.c_str()).x <= width;
  };
  if (for_slides() || fits(whole)) return draw_fitting_text(whole, width);
  const Legend legend = legend_of(s, width);
  const std::string line = legend.median + ", " + legend.quartiles;
  ImGui::BeginGroup();
  if (fits(line)) {
    ImGui::TextUnformatted(line.c_str());
  } else {
    ImGui::TextUnformatted(legend.median.c_str());
    ImGui::TextUnformatted(in_lines(legend.quartiles, width).c_str());
  }
  const std::string more = legend.samples + legend.stopped;
  if (roomy) draw_fitting_text(fits(more) ? more : legend.samples, width);
  ImGui::EndGroup();
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", whole.c_str());
}

// What the sets are.
Pointed draw_words(const std::vector<SampleSet>& series, CacheState cache, ImVec2 size) {
  constexpr float kRoomyLines = 16;  // below this height, the plot gets the line of the samples
  const bool roomy = size.y >= kRoomyLines * ImGui::GetTextLineHeightWithSpacing();
  Pointed pointed;
  ImGui::TextUnformatted(to_text(cache));
  for (const SampleSet& s : series) {
    ImGui::PushStyleColor(ImGuiCol_Text, s.of.colour);
    draw_legend(s, size.x, roomy);
    ImGui::PopStyleColor();
    if (ImGui::IsItemHovered()) pointed = {&s.of, ImGui::IsMouseReleased(ImGuiMouseButton_Right)};
  }
  return pointed;
}

Pointed draw_side(const PanelContext& context, const std::vector<SampleSet>& series,
                  CacheState cache, PlotView& view, ImVec2 size) {
  const Style& style = context.style;
  ImGui::BeginGroup();
  const float top = ImGui::GetCursorPosY();
  Pointed pointed = draw_words(series, cache, size);
  const float used = ImGui::GetCursorPosY() - top;
  std::vector<double> values = {};
  std::size_t longest = 1;
  for (const SampleSet& s : series) {
    // The fit leaves the rare spikes out; zooming out shows them.
    values.push_back(s.timing->minimum_ns);
    values.push_back(quantile(s.timing->samples_ns.values(), 0.98));
    longest = std::max(longest, s.timing->samples_ns.size());
  }
  const PlotScale x{false, 0, static_cast<double>(longest) * 1.35};
  // The first one's quartiles and a little more.
  offer_selection(view, {},
                  {series.front().timing->minimum_ns, series.front().timing->third_quartile_ns});
  PlotArea area = begin_plot(to_text(cache), {size.x, size.y - used}, {"sample", "1"},
                             {"time of a run", "ns"}, view, x, fitted(values, false, 0.15), style);
  for (const SampleSet& s : series) draw_samples(area, s, view.y, style);
  if (const TimedPoint* of = set_under(area, series, style)) pointed = {of, area.menu};
  end_plot(area);
  draw_letters(area, series, style);
  ImGui::EndGroup();
  return pointed;
}

// The focus, and the baseline where it may stand beside it. None: the heading has said why.
std::vector<TimedPoint> focus_and_baseline(const PanelContext& context, Selection& selection) {
  const Measurement* point = panel_heading(context, selection, selection.variant);
  if (point == nullptr || !has_figures(point->verdict.outcome)) return {};
  const SessionView& view = context.view;
  const MetricBase held = base_of(context, selection, *point);
  const Measurement* base = held.point;
  const bool itself =
      held.judges && view.points.baseline_id(selection.variant).variant == selection.variant;
  std::string why = held.missing;
  if (base != nullptr && base->verdict.outcome != Outcome::correct) {
    why = "the baseline: " + std::string(to_text(base->verdict.outcome)) + ": " +
          base->verdict.sentence;
    base = nullptr;
  }
  if (!why.empty() && !itself)
    draw_note(context.style, "The baseline is not overlaid: " + why + ".");
  std::vector<TimedPoint> shown;
  for (const Measurement* m : {point, base}) {
    if (m == nullptr) continue;
    const bool elsewhere = m == base && !selection.baseline_device.empty();
    shown.push_back({m,
                     find_variant(view.scene(), m->variant)->label +
                         (elsewhere ? " on " + to_text(device_of(m->conditions)) : ""),
                     "", variant_colour(context.style, variant_index(view.scene(), m->variant)),
                     !elsewhere});
  }
  return shown;
}

// A and B. If one was not measured correctly, a line says why it is missing.
std::vector<TimedPoint> pinned_points(const PanelContext& context, const Selection& selection) {
  const SessionView& view = context.view;
  std::vector<TimedPoint> shown;
  for (const auto& [letter, pin] :
       {std::pair("A", &*selection.pins.a), std::pair("B", &*selection.pins.b)}) {
    const std::string name = label_of(view, *pin) + " · " + place_of(view, *pin);
    const Measurement* point = point_of(view, *pin);
    if (point == nullptr || !has_figures(point->verdict.outcome)) {
      draw_note(context.style,
                std::string(letter) + "  " + name + ": " +
                    (point != nullptr ? std::string(to_text(point->verdict.outcome)) + ": " +
                                            point->verdict.sentence
                     : view.recorded() ? "not in the recorded session"
                                       : "not measured yet") +
                    ".");
      continue;
    }
    if (const std::string earlier = view.points.earlier_source(*point); !earlier.empty())
      draw_age(context.style, std::string("○ ") + letter + " was " + earlier);
    const Scene* scene = view.shown.find(pin->scene);
    const ImU32 colour = scene == nullptr
                             ? context.style.colours.accent
                             : variant_colour(context.style, variant_index(*scene, pin->variant));
    shown.push_back({point, name, letter, colour,
                     pin->scene == view.scene().name && pin->device == view.device()});
  }
  return shown;
}

// Two of one colour, as a variant at two places has: the second is drawn in that of texts.
void tell_apart(const Style& style, std::vector<TimedPoint>& shown) {
  if (shown.size() == 2 && shown[0].colour == shown[1].colour) shown[1].colour = style.colours.text;
}

// What the views were fitted for.
std::vector<TimingPanel::Fitted> fit_of(const std::vector<TimedPoint>& shown) {
  std::vector<TimingPanel::Fitted> fit;
  for (const TimedPoint& timed : shown)
    fit.push_back({timed.point->scene, timed.point->variant, timed.point->key});
  return fit;
}

// Why neither has samples of `cache`.
void explain_no_samples(const PanelContext& context, const Selection& selection, bool pair,
                        CacheState cache, float width) {
  ImGui::BeginGroup();
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
  draw_note(context.style, std::string(to_text(cache)) + ": " +
                               (pair ? "neither A nor B has samples"
                                     : missing_time(context, selection.variant, cache)) +
                               ".");
  ImGui::PopTextWrapPos();
  ImGui::EndGroup();
}

}  // namespace

void draw_timing_panel(const PanelContext& context, Selection& selection, TimingPanel& state) {
  const bool pair = selection.pins.both() && selection.pair;
  if (selection.pins.both() && !for_slides()) draw_pair_switch(context.style, selection, pair);
  std::vector<TimedPoint> shown =
      pair ? pinned_points(context, selection) : focus_and_baseline(context, selection);
  if (shown.empty()) return;
  tell_apart(context.style, shown);
  if (state.shown.changes_to(fit_of(shown))) state.cold = state.warm = {};
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const ImVec2 half = {(room.x - ImGui::GetStyle().ItemSpacing.x) / 2, room.y};
  Pointed pointed;
  for (const CacheState cache : {CacheState::cold, CacheState::warm}) {
    if (cache == CacheState::warm) ImGui::SameLine();
    std::vector<SampleSet> series;
    for (const TimedPoint& timed : shown) {
      const std::optional<Timing>& timing = timing_of(*timed.point, cache);
      if (timing) series.push_back({timed, &*timing});
    }
    if (series.empty()) {
      explain_no_samples(context, selection, pair, cache, half.x);
      continue;
    }
    const Pointed here = draw_side(context, series, cache,
                                   cache == CacheState::cold ? state.cold : state.warm, half);
    if (here.of != nullptr) pointed = here;
  }
  const bool may = pointed.of != nullptr && pointed.of->may_pin;
  draw_pin_menu(context, selection, pointed.menu && may, may ? pointed.of->point : nullptr,
                state.pin);
}

}  // namespace warpscope
