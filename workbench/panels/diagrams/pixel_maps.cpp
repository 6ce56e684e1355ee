// workbench/panels/diagrams/pixel_maps.cpp: the pictures that an array holds, with what a warp
// reads of them.
#include "workbench/panels/diagrams/pixel_maps.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "workbench/drawing/focus.h"
#include "workbench/panels/diagrams/diagram.h"
#include "workbench/panels/terms.h"

namespace warpscope {
namespace {

constexpr float kLeastPixel = 2.5f;  // drawn pixels: smaller ones could not be seen
constexpr float kOtherRequest = 0.45f;

// What of a map is drawn: all, or what the warp reads with a little around it.
struct Part {
  double row = 0, column = 0, rows = 1, columns = 1;
};
Part part_of(const PixelMap& map, const PixelWindow& read, bool whole) {
  const auto rows = static_cast<double>(map.rows), columns = static_cast<double>(map.columns);
  if (whole || read.pixels == 0) return {0, 0, rows, columns};
  constexpr double kAround = 1;
  const double top = std::max(0.0, static_cast<double>(read.first_row) - kAround),
               left = std::max(0.0, static_cast<double>(read.first_column) - kAround);
  return {top, left, std::min(rows, static_cast<double>(read.last_row) + 1 + kAround) - top,
          std::min(columns, static_cast<double>(read.last_column) + 1 + kAround) - left};
}

// Finds out again what is read where the trace or the warp is another one. A trace of another
// configuration leaves what was found before.
void follow(const PanelContext& context, const Selection& selection, const Diagram& diagram,
            PixelMapsView& state) {
  const Trace& trace = *diagram.trace;
  if (diagram.stale || !state.of.changes_to({trace_key(trace), selection.trace.warp})) return;
  const Scene& scene = context.view.scene();
  const Workload workload{for_variant(scene.axes, selection.axes, selection.variant), {}};
  state.maps = scene.pixel_maps(workload);
  state.view = pixel_view(trace, state.maps, selection.trace.warp);
}

struct MapFrame {
  Box area;
  Part part;
  float pixel = 1;  // drawn pixels of one
  Box box(double row, double column, double extent = 1) const {
    const auto x = static_cast<float>(area.x0 + (column - part.column) * pixel),
               y = static_cast<float>(area.y0 + (row - part.row) * pixel);
    const float side = std::max(static_cast<float>(extent) * pixel, kLeastPixel);
    return {x, y, x + side, y + side};
  }
};

// Side by side, each as large as its share of the room allows.
MapFrame frame_of(const Part& part, Box room) {
  const auto columns = static_cast<float>(part.columns), rows = static_cast<float>(part.rows);
  const float pixel = std::min(room.width() / columns, room.height() / rows);
  return {{room.x0, room.y0, room.x0 + pixel * columns, room.y0 + pixel * rows}, part, pixel};
}

// How many stand side by side, so that the largest of them is drawn largest.
std::size_t best_across(const PixelMapsView& state, float width, float height, float line) {
  const std::size_t count = state.maps.maps.size();
  std::size_t best = 1;
  float largest = 0;
  for (std::size_t across = 1; across <= count; ++across) {
    const std::size_t down = (count + across - 1) / across;
    float pixel = 1e9f;
    for (std::size_t map = 0; map < count; ++map) {
      const Part part = part_of(state.maps.maps[map], state.view.of_warp[map], state.whole);
      pixel =
          std::min({pixel, width / static_cast<float>(across) / static_cast<float>(part.columns),
                    (height / static_cast<float>(down) - line) / static_cast<float>(part.rows)});
    }
    if (pixel > largest) largest = pixel, best = across;
  }
  return best;
}

void explain_pixel(const PixelMapsView& state, std::size_t map, const MapFrame& frame,
                   Selection& selection, bool clicked) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto row = static_cast<std::int64_t>((mouse.y - frame.area.y0) / frame.pixel +
                                             static_cast<float>(frame.part.row)),
             column = static_cast<std::int64_t>((mouse.x - frame.area.x0) / frame.pixel +
                                                static_cast<float>(frame.part.column));
  std::uint32_t lanes = 0;
  const PixelTouch* touched = nullptr;
  for (const PixelTouch& touch : state.view.touches) {
    if (touch.map != map || touch.row != row || touch.column != column) continue;
    lanes |= 1U << touch.lane;
    if (touched == nullptr) touched = &touch;
  }
  std::string text = state.maps.maps[map].name + ", row " + std::to_string(row) + ", column " +
                     std::to_string(column);
  if (touched == nullptr) {
    text += "\nnot read by this warp";
  } else {
    text += "\nread by lanes";
    for (int lane = 0; lane < 32; ++lane) {
      if ((lanes >> lane & 1U) != 0) text += " " + std::to_string(lane);
    }
    text += "\na click chooses the request";
    if (clicked) selection.trace.request = touched->request;
  }
  ImGui::SetTooltip("%s", text.c_str());
}

void draw_one_map(const PanelContext& context, const PixelMapsView& state, std::size_t map,
                  const MapFrame& frame, std::size_t chosen, bool stale) {
  const Style& style = context.style;
  ImDrawList* const list = ImGui::GetWindowDrawList();
  const Box& area = frame.area;
  list->PushClipRect({area.x0 - 1, area.y0 - 1}, {area.x1 + 1, area.y1 + 1}, true);
  add_box(list, area, style.colours.window);
  for (const PixelTouch& touch : state.view.touches) {
    if (touch.map != map || touch.request == chosen) continue;
    const Box box = frame.box(static_cast<double>(touch.row), static_cast<double>(touch.column));
    add_box(list, box, faded(lane_colour(style, touch.lane), stale ? 0.2f : kOtherRequest));
  }
  for (const PixelTouch& touch : state.view.touches) {
    if (touch.map != map || touch.request != chosen) continue;
    const Box box = frame.box(static_cast<double>(touch.row), static_cast<double>(touch.column));
    if (!stale) add_box(list, box, lane_colour(style, touch.lane));
    add_outline(list, box, style.colours.text, 1);
  }
  const float radius = std::clamp(frame.pixel * 0.2f, 1.0f, style.unit(0.4f));
  for (const PlaceTouch& place : state.view.places) {
    if (place.at.map != map) continue;
    const Box at = frame.box(place.at.y + 0.5, place.at.x + 0.5);
    if (radius > 1) list->AddCircleFilled({at.x0, at.y0}, radius + 1, style.colours.text);
    list->AddCircleFilled({at.x0, at.y0}, radius, lane_colour(style, place.lane));
  }
  list->PopClipRect();
  add_outline(list, area, style.colours.border, 1);
}

}  // namespace

void draw_pixel_maps(const PanelContext& context, Selection& selection, PixelMapsView& state,
                     float height) {
  const Style& style = context.style;
  const float top = ImGui::GetCursorPosY();
  const Diagram diagram = begin_diagram(context, selection, "pictures");
  if (diagram.trace == nullptr) return;
  follow(context, selection, diagram, state);
  if (flow_button(state.whole ? "whole pictures" : "what the warp reads",
                  "The pictures as a whole, or the part that the warp reads: click for the other."))
    state.whole = !state.whole;
  if (state.view.touches.empty()) {
    return draw_note(style, "Warp " + std::to_string(selection.trace.warp) + " reads no pixel of " +
                                state.maps.array +
                                " in this kernel: choose another warp or variant.");
  }
  const TracedBuffer* const buffer = find_buffer(*diagram.trace, state.maps.array);
  const std::size_t chosen =
      buffer == nullptr ? selection.trace.request
                        : request_on(*diagram.trace, *buffer, false, selection.trace.request)
                              .value_or(selection.trace.request);
  const std::size_t count = state.maps.maps.size();
  const float line = ImGui::GetTextLineHeightWithSpacing();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float used = ImGui::GetCursorPosY() - top, captions = 3.5f * line;
  const float room_x = ImGui::GetContentRegionAvail().x,
              room_y = std::max(height - used - captions, 5 * line);
  const std::size_t across = best_across(state, room_x, room_y, line);
  const std::size_t down = (count + across - 1) / across;
  const float wide = room_x / static_cast<float>(across), high = room_y / static_cast<float>(down);
  float bottom = at.y;
  for (std::size_t map = 0; map < count; ++map) {
    const float x = at.x + wide * static_cast<float>(map % across),
                y = at.y + high * static_cast<float>(map / across);
    ImGui::SetCursorScreenPos({x, y});
    ImGui::TextDisabled("%s", state.maps.maps[map].name.c_str());
    const Part part = part_of(state.maps.maps[map], state.view.of_warp[map], state.whole);
    const MapFrame frame =
        frame_of(part, {x, y + line, x + wide - style.unit(1), y + high - style.unit(0.5f)});
    bottom = std::max(bottom, frame.area.y1);
    ImGui::SetCursorScreenPos({frame.area.x0, frame.area.y0});
    ImGui::PushID(static_cast<int>(map));
    const bool clicked = press_area(
        "map", {std::max(frame.area.width(), 4.0f), std::max(frame.area.height(), 4.0f)});
    draw_one_map(context, state, map, frame, chosen, diagram.stale);
    if (ImGui::IsItemHovered()) explain_pixel(state, map, frame, selection, clicked);
    ImGui::PopID();
  }
  ImGui::SetCursorScreenPos({at.x, bottom + style.unit(0.5f)});
  std::string caption = describe(state.view, state.maps, selection.trace.warp);
  const PointState measured = context.view.state(selection.variant);
  if (measured.freshness == Freshness::fresh && measured.point != nullptr) {
    if (const auto hit = value_of(measured.point->metrics, "l1.hit_ratio"))
      caption += " " + format_value(*hit, "ratio") + " of the sectors loaded hit L1, as counted.";
  }
  draw_sentence(caption);
  draw_lane_legend(style);
}

}  // namespace warpscope
