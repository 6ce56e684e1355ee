// workbench/panels/common.cpp: the table of panels and what they share.
#include <algorithm>
#include <array>

#include "workbench/panels.h"

namespace warpscope {
namespace {

constexpr std::array<PanelRow, 13> kPanels = {{
    {"axes", "Axes", Region::left_top,
     [](const PanelContext& c, Selection& s, PanelStates& p) { draw_axes_panel(c, s, p.axes); }},
    {"variants", "Variants", Region::left_bottom,
     [](const PanelContext& c, Selection& s, PanelStates& p) {
       draw_variants_panel(c, s, p.variants);
     }},
    {"roofline", "Roofline", Region::centre,
     [](const PanelContext& c, Selection& s, PanelStates& p) {
       draw_roofline_panel(c, s, p.roofline);
     }},
    {"sweep", "Sweep", Region::centre,
     [](const PanelContext& c, Selection& s, PanelStates& p) { draw_sweep_panel(c, s, p.sweep); }},
    {"timing", "Timing", Region::centre,
     [](const PanelContext& c, Selection& s, PanelStates& p) {
       draw_timing_panel(c, s, p.timing);
     }},
    {"timeline", "Timeline", Region::centre,
     [](const PanelContext& c, Selection& s, PanelStates& p) {
       draw_timeline_panel(c, s, p.timeline);
     }},
    {"coalescing", "Coalescing", Region::right,
     [](const PanelContext& c, Selection& s, PanelStates& p) {
       draw_coalescing_panel(c, s, p.coalescing);
     }},
    {"banks", "Banks", Region::right,
     [](const PanelContext& c, Selection& s, PanelStates& p) { draw_banks_panel(c, s, p.banks); }},
    {"warp_map", "Warp map", Region::right,
     [](const PanelContext& c, Selection& s, PanelStates& p) {
       draw_warp_map_panel(c, s, p.warp_map);
     }},
    {"divergence", "Divergence", Region::right,
     [](const PanelContext& c, Selection& s, PanelStates& p) {
       draw_divergence_panel(c, s, p.divergence);
     }},
    {"metrics", "Metrics", Region::bottom,
     [](const PanelContext& c, Selection& s, PanelStates& p) {
       draw_metrics_panel(c, s, p.metrics);
     }},
    {"source", "Source", Region::bottom,
     [](const PanelContext& c, Selection& s, PanelStates& p) {
       draw_source_panel(c, s, p.source);
     }},
    {"engine", "Engine", Region::bottom,
     [](const PanelContext& c, Selection& s, PanelStates& p) {
       draw_engine_panel(c, s, p.engine);
     }},
}};

}  // namespace

std::span<const PanelRow> all_panels() { return kPanels; }

const PanelRow* find_panel(const std::string& name) {
  const auto found = std::find_if(kPanels.begin(), kPanels.end(),
                                  [&](const PanelRow& row) { return name == row.name; });
  return found == kPanels.end() ? nullptr : &*found;
}

int variant_index(const Scene& scene, const std::string& variant) {
  for (std::size_t i = 0; i < scene.variants.size(); ++i) {
    if (scene.variants[i].name == variant) return static_cast<int>(i);
  }
  return 0;
}

void draw_note(const Style& style, const std::string& text) {
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.muted);
  ImGui::TextWrapped("%s", text.c_str());
  ImGui::PopStyleColor();
}

void draw_fitting_text(const std::string& text, float width) {
  if (ImGui::CalcTextSize(text.c_str()).x <= width) {
    ImGui::TextUnformatted(text.c_str());
    return;
  }
  std::string cut = text;
  while (!cut.empty() && ImGui::CalcTextSize((cut + "…").c_str()).x > width) {
    do {
      cut.pop_back();
    } while (!cut.empty() && (static_cast<unsigned char>(cut.back()) & 0xC0) == 0x80);
    if (!cut.empty() && (static_cast<unsigned char>(cut.back()) & 0xC0) == 0xC0) cut.pop_back();
  }
  ImGui::TextUnformatted((cut + "…").c_str());
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", text.c_str());
}

const std::optional<Timing>& timing_of(const Measurement& measurement, CacheState cache) {
  return cache == CacheState::cold ? measurement.cold : measurement.warm;
}

TimingConditions timing_conditions(const Measurement& m, CacheState cache) {
  const std::optional<Timing>& timing = timing_of(m, cache);
  return {m.conditions.device, m.conditions.toolkit, timing ? timing->sm_clock_mhz : 0};
}

const Measurement* panel_heading(const PanelContext& context, const std::string& name) {
  const Style& style = context.style;
  const Scene& scene = context.workspace.scene();
  const Variant* variant = find_variant(scene, name);
  if (variant == nullptr) {
    draw_note(style, "Nothing is selected: click a variant in the list.");
    return nullptr;
  }
  const PointState state = context.workspace.state(name);
  if (state.point == nullptr) {
    draw_note(style, state.freshness == Freshness::pending
                         ? variant->label + " is being measured …"
                         : variant->label + " has no measurement at this configuration" +
                               (context.workspace.recorded() ? " in the recorded session."
                                                             : ": press run."));
    return nullptr;
  }
  const Verdict& verdict = state.point->verdict;
  if (verdict.outcome != Outcome::correct) {
    ImGui::PushStyleColor(ImGuiCol_Text, verdict_colour(style, verdict.outcome));
    ImGui::TextUnformatted((verdict_text(verdict.outcome) + "  " + variant->label).c_str());
    ImGui::PopStyleColor();
    ImGui::TextWrapped("%s", verdict.sentence.c_str());
    if (!verdict.remedy.empty()) draw_note(style, verdict.remedy);
    return state.point;
  }
  if (state.freshness == Freshness::stale || state.freshness == Freshness::pending) {
    ImGui::PushStyleColor(ImGuiCol_Text, style.colours.warning);
    ImGui::TextUnformatted(state.freshness == Freshness::pending
                               ? "… a newer measurement is on its way"
                               : "stale: of the last configuration measured");
    ImGui::PopStyleColor();
  }
  return state.point;
}

}  // namespace warpscope
