// workbench/panels/sweep/sweep_devices.cpp: Sweep of a session of several devices: which of them it
// shows, and their table.
#include "workbench/panels/sweep/sweep_devices.h"

#include <imgui.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "profiling/figures/time_unit.h"
#include "profiling/overview/winner_map.h"
#include "profiling/plans/device_table.h"
#include "workbench/drawing/focus.h"

namespace warpscope {
namespace {

constexpr const char* kDeviceLines = "each device: a line";
constexpr const char* kDeviceTable = "each device: a table";

std::string shown_device(const SessionView& view) {
  for (const DeviceName& device : view.session().devices()) {
    if (device.id() == view.device()) return to_text(device);
  }
  return "one device";
}

struct DeviceRows {
  std::vector<const Variant*> variants;
  std::vector<DeviceRow> rows;  // of the same variants
  double shortest_ns = std::numeric_limits<double>::infinity();
};

DeviceRows rows_here(const SessionView& view, const Selection& selection) {
  DeviceRows all;
  for (const Variant* variant : view.points.shown_variants()) {
    DeviceRow row = device_row(view.session(), view.session().devices(), view.scene().name,
                               variant->name, view.point_id(variant->name).key, selection.cache);
    const bool any = std::any_of(row.figures.begin(), row.figures.end(),
                                 [](const DeviceFigure& figure) { return figure.point; });
    if (!any) continue;
    for (const DeviceFigure& figure : row.figures)
      all.shortest_ns = std::min(all.shortest_ns, figure.time_ns.value_or(all.shortest_ns));
    all.variants.push_back(variant);
    all.rows.push_back(std::move(row));
  }
  return all;
}

void draw_time(const Style& style, const DeviceFigure& figure, double shortest_ns, bool first) {
  ImGui::TableNextColumn();
  if (!figure.time_ns) {
    ImGui::PushStyleColor(ImGuiCol_Text, style.colours.muted);
    ImGui::TextUnformatted(figure.point == nullptr ? "–" : to_text(figure.point->verdict.outcome));
    ImGui::PopStyleColor();
    return explain_missing(figure.why);
  }
  push_face(style.mono);
  ImGui::TextUnformatted(time_beside(*figure.time_ns, shortest_ns).c_str());
  if (!first) {
    ImGui::SameLine();
    ImGui::PushStyleColor(ImGuiCol_Text, style.colours.muted);
    ImGui::TextUnformatted(ratio_text(figure.to_first).c_str());
    ImGui::PopStyleColor();
  }
  ImGui::PopFont();
}

void draw_roof(const DeviceFigure& figure) {
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(to_text(figure.roof).c_str());
  if (ImGui::IsItemHovered() && !figure.roof.why.empty())
    ImGui::SetTooltip("%s", figure.roof.why.c_str());
}

// Names the first few reasons in words: a picture has no tooltips.
void draw_reasons(const PanelContext& context, const DeviceRows& all) {
  constexpr std::size_t kMost = 4;
  std::vector<std::string> words;
  const auto& devices = context.view.session().devices();
  for (std::size_t row = 0; row < all.rows.size(); ++row) {
    for (std::size_t i = 0; i < devices.size(); ++i) {
      const DeviceFigure& figure = all.rows[row].figures[i];
      if (figure.point == nullptr || figure.time_ns) continue;
      words.push_back(all.variants[row]->label + " on " + to_text(devices[i]) + ": " + figure.why);
    }
  }
  const std::size_t left = words.size() - std::min(kMost, words.size());
  words.resize(std::min(kMost, words.size()));
  if (left > 0) words.push_back("and " + std::to_string(left) + " more, in the CSV");
  for (const std::string& each : words) draw_note(context.style, each);
}

void draw_device_heads(const Style& style, const std::vector<DeviceName>& devices) {
  ImGui::TableSetupScrollFreeze(1, 1);
  ImGui::TableSetupColumn("variant", ImGuiTableColumnFlags_WidthFixed, style.unit(22));
  for (const DeviceName& device : devices) {
    ImGui::TableSetupColumn(to_text(device).c_str(), ImGuiTableColumnFlags_WidthFixed,
                            style.unit(21));
    ImGui::TableSetupColumn(("of its own roof##" + device.id()).c_str(),
                            ImGuiTableColumnFlags_WidthFixed, style.unit(13));
  }
  reach_headers();
  ImGui::TableHeadersRow();
}

}  // namespace

SweepDevices shown_devices(const SessionView& view, const Selection& selection) {
  return view.session().devices().size() < 2 ? SweepDevices::shown : selection.sweep_devices;
}

std::string devices_words(const SessionView& view, const Selection& selection) {
  switch (shown_devices(view, selection)) {
    case SweepDevices::lines:
      return kDeviceLines;
    case SweepDevices::table:
      return kDeviceTable;
    case SweepDevices::shown:
      break;
  }
  return "on " + shown_device(view);
}

void choose_devices(const PanelContext& context, Selection& selection, float width) {
  const SessionView& view = context.view;
  const SweepDevices shown = shown_devices(view, selection);
  ImGui::SetNextItemWidth(width);
  if (!begin_tool_combo("##devices", devices_words(view, selection).c_str())) return;
  for (const DeviceName& device : view.session().devices()) {
    const bool chosen = shown == SweepDevices::shown && device.id() == view.device();
    if (!ImGui::Selectable(("on " + to_text(device) + "##" + device.id()).c_str(), chosen))
      continue;
    selection.sweep_devices = SweepDevices::shown;
    selection.device = device.id();
    if (selection.baseline_device == device.id()) selection.baseline_device.clear();
  }
  if (ImGui::Selectable(kDeviceLines, shown == SweepDevices::lines)) {
    selection.sweep_devices = SweepDevices::lines;
    selection.sweep_second_axis.clear();  // a map is of one device
  }
  if (ImGui::Selectable(kDeviceTable, shown == SweepDevices::table))
    selection.sweep_devices = SweepDevices::table;
  ImGui::EndCombo();
}

void draw_device_table(const PanelContext& context, Selection& selection) {
  const SessionView& view = context.view;
  const Style& style = context.style;
  const std::vector<DeviceName>& devices = view.session().devices();
  const DeviceRows all = rows_here(view, selection);
  if (all.rows.empty())
    return draw_note(style,
                     "No device has a point at this configuration: choose another one in Axes.");
  draw_note(style, std::string(to_text(selection.cache)) +
                       " times at the selected configuration; × compares devices, not variants: "
                       "the time over that on the first device. ≥: another roof may be nearer.");
  draw_reasons(context, all);
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_ScrollX |
                                     ImGuiTableFlags_RowBg | ImGuiTableFlags_Resizable |
                                     ImGuiTableFlags_BordersInnerV;
  if (!ImGui::BeginTable("devices", 1 + 2 * static_cast<int>(devices.size()), kFlags)) return;
  draw_device_heads(style, devices);
  for (std::size_t row = 0; row < all.rows.size(); ++row) {
    const Variant& variant = *all.variants[row];
    ImGui::PushID(variant.name.c_str());
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const ImVec2 start = ImGui::GetCursorPos();
    const float width = ImGui::GetContentRegionAvail().x;
    if (ImGui::Selectable("##row", variant.name == selection.variant,
                          ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap))
      selection.variant = variant.name;
    ImGui::SetCursorPos(start);
    draw_fitting_text(variant.label, width);
    for (std::size_t i = 0; i < devices.size(); ++i) {
      draw_time(style, all.rows[row].figures[i], all.shortest_ns, i == 0);
      draw_roof(all.rows[row].figures[i]);
    }
    ImGui::PopID();
  }
  ImGui::EndTable();
}

ExportWish rows_of_devices(const SessionView& view, CacheState cache) {
  DeviceTable table = device_table(view.session(), cache);
  std::erase_if(table.rows, [&](const DeviceRow& row) { return row.scene != view.scene().name; });
  return {ExportWish::Kind::rows, "sweep", devices_csv(table, cache)};
}

}  // namespace warpscope
