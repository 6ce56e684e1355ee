// workbench/panels/timeline_panel.cpp: NVTX ranges over kernels, copies and gaps of captured runs.
#include <imgui.h>

#include <algorithm>
#include <vector>

#include "workbench/panels.h"

namespace warpscope {
namespace {

const Timeline* timeline_to_show(const PanelContext& context, const Selection& selection) {
  const Session& session = context.workspace.session();
  const std::string& scene = context.workspace.scene().name;
  if (const Timeline* exact = session.timeline(scene, selection.variant, context.workspace.key()))
    return exact;
  for (const Timeline* other : session.timelines()) {
    if (other->scene == scene && other->variant == selection.variant) return other;
  }
  return nullptr;
}

// A bar with its name in it where there is room. Returns whether the pointer is on it.
bool draw_bar(const PlotArea& area, double start, double end, float top, float height, ImU32 fill,
              ImU32 ink, const std::string& name) {
  const float x0 = std::max(area.at(start, 0).x, area.low.x - 2),
              x1 = std::max(std::min(area.at(end, 0).x, area.high.x + 2), x0 + 2);
  if (x1 < area.low.x || x0 > area.high.x) return false;
  area.list->AddRectFilled({x0, top}, {x1, top + height - 2}, fill, 3);
  const float room = x1 - x0 - 8;
  if (room > ImGui::CalcTextSize("…").x) {
    area.list->PushClipRect({x0, top}, {x1 - 4, top + height}, true);
    if (ImGui::CalcTextSize(name.c_str()).x <= room || room > 40)
      area.list->AddText({x0 + 4, top + 1}, ink, name.c_str());
    area.list->PopClipRect();
  }
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  return area.hovered && mouse.x >= x0 && mouse.x <= x1 && mouse.y >= top &&
         mouse.y <= top + height;
}

void describe(const TimelineActivity& a) {
  ImGui::TextUnformatted(a.name.c_str());
  ImGui::Text("%s, %s", a.kind.c_str(), format_value(a.end_ns - a.start_ns, "ns").c_str());
  if (a.kind == "kernel") {
    ImGui::Text("grid %lld × %lld × %lld, block %lld × %lld × %lld",
                static_cast<long long>(a.launch.grid.x), static_cast<long long>(a.launch.grid.y),
                static_cast<long long>(a.launch.grid.z), static_cast<long long>(a.launch.block.x),
                static_cast<long long>(a.launch.block.y), static_cast<long long>(a.launch.block.z));
    ImGui::Text("%d registers a thread allocated, shared %s static, %s dynamic",
                a.registers_per_thread,
                format_value(static_cast<double>(a.static_shared_bytes), "B").c_str(),
                format_value(static_cast<double>(a.launch.dynamic_shared_bytes), "B").c_str());
  } else {
    ImGui::TextUnformatted(format_value(static_cast<double>(a.bytes), "B").c_str());
  }
}

}  // namespace

void draw_timeline_panel(const PanelContext& context, Selection& selection, TimelinePanel& state) {
  const Style& style = context.style;
  const Variant* variant = find_variant(context.workspace.scene(), selection.variant);
  if (ImGui::Button("capture") && variant != nullptr)
    selection.requests.push_back({Request::Kind::timeline, selection.variant});
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("Records three runs of the selected variant with CUPTI's activity records.");
  ImGui::SameLine();
  const Timeline* timeline = variant == nullptr ? nullptr : timeline_to_show(context, selection);
  if (timeline == nullptr) {
    std::string others;
    for (const Timeline* other : context.workspace.session().timelines()) {
      if (const Variant* v = find_variant(context.workspace.scene(), other->variant))
        others += (others.empty() ? "" : ", ") + v->label;
    }
    return draw_note(style, "No timeline of this variant yet." +
                                (others.empty() ? "" : " Captured: " + others + "."));
  }
  draw_fitting_text(variant->label + " at " + timeline->key, ImGui::GetContentRegionAvail().x);
  const std::string shown = timeline->variant + timeline->key + timeline->conditions.date;
  if (shown != state.shown) {
    state.shown = shown;
    state.view = {};
    state.chosen = -1;
  }
  double end = 1;
  int depth = 0;
  for (const TimelineRange& r : timeline->ranges)
    end = std::max(end, r.end_ns), depth = std::max(depth, r.depth + 1);
  for (const TimelineActivity& a : timeline->activities) end = std::max(end, a.end_ns);
  const float line = ImGui::GetTextLineHeight() * 1.5f;
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float details = state.chosen >= 0 ? ImGui::GetTextLineHeightWithSpacing() * 4 : 0;
  PlotArea area = begin_plot("timeline", {room.x, room.y - details}, {"time", "ns"}, {"", "1"},
                             state.view, {false, -end * 0.01, end * 1.01}, {false, 0, 1}, style);
  float top = area.low.y + style.unit(0.5f);
  area.list->AddText({area.low.x + 4, top}, style.colours.muted, "NVTX ranges on the host");
  top += line;
  for (const TimelineRange& r : timeline->ranges) {
    if (draw_bar(area, r.start_ns, r.end_ns, top + static_cast<float>(r.depth) * line, line,
                 style.colours.raised, style.colours.text, r.name)) {
      ImGui::SetTooltip("%s\n%s on the host", r.name.c_str(),
                        format_value(r.end_ns - r.start_ns, "ns").c_str());
    }
  }
  top += static_cast<float>(std::max(depth, 1)) * line + style.unit(1);
  area.list->AddText({area.low.x + 4, top}, style.colours.muted, "on the device");
  top += line;
  for (std::size_t i = 0; i < timeline->activities.size(); ++i) {
    const TimelineActivity& a = timeline->activities[i];
    const ImU32 fill =
        a.kind == "kernel"
            ? variant_colour(style, variant_index(context.workspace.scene(), selection.variant))
            : style.colours.axis;
    const float lane = top + (a.kind == "kernel" ? 0.0f : line);
    if (draw_bar(area, a.start_ns, a.end_ns, lane, line, fill, style.colours.window, a.name)) {
      ImGui::BeginTooltip();
      describe(a);
      ImGui::EndTooltip();
      if (area.clicked) state.chosen = static_cast<int>(i);
    }
  }
  end_plot(area);
  if (state.chosen >= 0 && state.chosen < static_cast<int>(timeline->activities.size()))
    describe(timeline->activities[static_cast<std::size_t>(state.chosen)]);
}

}  // namespace warpscope
