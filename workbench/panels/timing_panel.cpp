// workbench/panels/timing_panel.cpp: the samples themselves, and a histogram of two variants.
#include <imgui.h>

#include <algorithm>
#include <vector>

#include "profiling/points/point.h"
#include "workbench/panels/metric_lines.h"

namespace warpscope {
namespace {

struct SampleSet {
  const Variant* variant;
  int index;
  const Timing* timing;
  std::string where;  // " on NVIDIA H100 (GPU-…)", where it is not the device that is shown
};

constexpr int kBins = 36;

void draw_histogram(const PlotArea& area, const SampleSet& s, const PlotScale& scale, float width,
                    const Style& style) {
  std::vector<int> bins(kBins, 0);
  for (const double sample : s.timing->samples_ns) {
    ++bins[static_cast<std::size_t>(
        std::clamp(static_cast<int>(scale.position(sample) * kBins), 0, kBins - 1))];
  }
  const int most = std::max(1, *std::max_element(bins.begin(), bins.end()));
  const ImU32 colour = faded(variant_colour(style, s.index), 0.4f);
  for (int i = 0; i < kBins; ++i) {
    const float y0 = area.at(0, scale.value(static_cast<double>(i) / kBins)).y;
    const float y1 = area.at(0, scale.value(static_cast<double>(i + 1) / kBins)).y;
    const float length =
        width * static_cast<float>(bins[static_cast<std::size_t>(i)]) / static_cast<float>(most);
    area.list->AddRectFilled({area.high.x - length, y1}, {area.high.x, y0 - 1}, colour);
  }
}

void draw_side(const PanelContext& context, const std::vector<SampleSet>& series, CacheState cache,
               PlotView& view, ImVec2 size) {
  const Style& style = context.style;
  ImGui::BeginGroup();
  ImGui::TextUnformatted(to_text(cache));
  for (const SampleSet& s : series) {
    ImGui::PushStyleColor(ImGuiCol_Text, variant_colour(style, s.index));
    draw_fitting_text(s.variant->label + s.where + ": " + format_value(s.timing->median_ns, "ns") +
                          ", quartiles " + format_value(s.timing->first_quartile_ns, "ns") +
                          " to " + format_value(s.timing->third_quartile_ns, "ns") + ", " +
                          std::to_string(s.timing->samples_ns.size()) + " samples, noise " +
                          format_value(s.timing->noise_ratio, "ratio") +
                          ", stopped: " + s.timing->stop_reason,
                      size.x);
    ImGui::PopStyleColor();
  }
  std::vector<double> values = {};
  std::size_t longest = 1;
  for (const SampleSet& s : series) {
    // The fit leaves the rare spikes out; zooming out shows them.
    values.push_back(s.timing->minimum_ns);
    values.push_back(quantile(s.timing->samples_ns, 0.98));
    longest = std::max(longest, s.timing->samples_ns.size());
  }
  const float used = ImGui::GetTextLineHeightWithSpacing() * static_cast<float>(series.size() + 1);
  const PlotScale x{false, 0, static_cast<double>(longest) * 1.35};
  // The focus comes first: its quartiles and a little more.
  offer_selection(view, {},
                  {series.front().timing->minimum_ns, series.front().timing->third_quartile_ns});
  PlotArea area = begin_plot(to_text(cache), {size.x, size.y - used}, {"sample", "1"},
                             {"time of a run", "ns"}, view, x, fitted(values, false, 0.15), style);
  for (const SampleSet& s : series) {
    const ImU32 colour = variant_colour(style, s.index);
    const std::size_t step = std::max<std::size_t>(1, s.timing->samples_ns.size() / 1500);
    for (std::size_t i = 0; i < s.timing->samples_ns.size(); i += step) {
      area.list->AddCircleFilled(area.at(static_cast<double>(i), s.timing->samples_ns[i]),
                                 style.unit(0.2f), faded(colour, 0.8f), 6);
    }
    draw_histogram(area, s, view.y, (area.high.x - area.low.x) * 0.22f, style);
    const float y = area.at(0, s.timing->median_ns).y;
    area.list->AddLine({area.low.x, y}, {area.high.x, y}, colour, style.unit(0.15f));
    for (const double quartile : {s.timing->first_quartile_ns, s.timing->third_quartile_ns}) {
      const float q = area.at(0, quartile).y;
      add_dashed_line(area.list, {area.low.x, q}, {area.high.x, q}, faded(colour, 0.7f), 1,
                      style.unit(0.5f));
    }
  }
  end_plot(area);
  ImGui::EndGroup();
}

}  // namespace

void draw_timing_panel(const PanelContext& context, Selection& selection, TimingPanel& state) {
  const Measurement* point = panel_heading(context, selection, selection.variant);
  if (point == nullptr || point->verdict.outcome != Outcome::correct) return;
  const Scene& scene = context.workspace.scene();
  const std::string shown = selection.variant + "/" + selection.baseline + "/" + point->key;
  if (shown != state.shown) {
    state.shown = shown;
    state.cold = state.warm = {};
  }
  const Workspace& workspace = context.workspace;
  const MetricBase held = base_of(context, selection, *point);
  const Measurement* base = held.point;
  const bool itself =
      held.judges && workspace.baseline_id(selection.variant).variant == selection.variant;
  std::string why = held.missing;
  if (base != nullptr && base->verdict.outcome != Outcome::correct) {
    why = "the baseline: " + std::string(to_text(base->verdict.outcome)) + ": " +
          base->verdict.sentence;
    base = nullptr;
  }
  if (!why.empty() && !itself)
    draw_note(context.style, "The baseline is not overlaid: " + why + ".");
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const ImVec2 half = {(room.x - ImGui::GetStyle().ItemSpacing.x) / 2, room.y};
  bool first = true;
  for (const CacheState cache : {CacheState::cold, CacheState::warm}) {
    std::vector<SampleSet> series;
    for (const Measurement* m : {point, base}) {
      if (m == nullptr || m->verdict.outcome != Outcome::correct || !timing_of(*m, cache)) continue;
      series.push_back({find_variant(scene, m->variant), variant_index(scene, m->variant),
                        &*timing_of(*m, cache),
                        m == base && !selection.baseline_device.empty()
                            ? " on " + to_text(device_of(m->conditions))
                            : ""});
    }
    if (!first) ImGui::SameLine();
    first = false;
    if (series.empty()) {
      ImGui::BeginGroup();
      ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + half.x);
      draw_note(context.style, std::string(to_text(cache)) + ": " +
                                   missing_time(context, selection.variant, cache) + ".");
      ImGui::PopTextWrapPos();
      ImGui::EndGroup();
      continue;
    }
    draw_side(context, series, cache, cache == CacheState::cold ? state.cold : state.warm, half);
  }
}

}  // namespace warpscope
