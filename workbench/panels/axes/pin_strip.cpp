// workbench/panels/axes/pin_strip.cpp: what A and B are, in a line each, and the menu that pins
// them.
#include "workbench/panels/axes/pin_strip.h"

#include <imgui.h>

#include <algorithm>
#include <utility>

#include "workbench/workspace/pinned_points.h"

namespace warpscope {
namespace {

bool unpin_button(const char* letter) {
  ImGui::PushID(letter);
  const bool clicked = ImGui::SmallButton("unpin");
  ImGui::PopID();
  return clicked;
}

}  // namespace

void draw_pin_name(const PanelContext& context, char letter, const PinnedPoint& pin,
                   const std::string& more, float buttons) {
  const Style& style = context.style;
  if (buttons > 0) ImGui::AlignTextToFramePadding();
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.accent);
  ImGui::TextUnformatted(&letter, &letter + 1);
  ImGui::PopStyleColor();
  ImGui::SameLine();
  const float height = ImGui::GetTextLineHeight();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const Scene* scene = context.view.shown.find(pin.scene);
  if (scene != nullptr) {
    const int index = variant_index(*scene, pin.variant);
    draw_marker(
        ImGui::GetWindowDrawList(),
        {at.x + height * 0.5f, at.y + (buttons > 0 ? ImGui::GetFrameHeight() : height) * 0.5f},
        height * 0.3f, variant_marker(index), variant_colour(style, index), Fill::solid);
  }
  ImGui::SetCursorScreenPos({at.x + height * 1.2f, at.y});
  if (buttons > 0) ImGui::AlignTextToFramePadding();
  draw_fitting_text(label_of(context.view, pin) + " · " + place_of(context.view, pin) + more,
                    std::max(height, ImGui::GetContentRegionAvail().x - buttons));
}

std::string pin_letter(const PanelContext& context, const Selection& selection,
                       const Measurement* point) {
  const auto is = [&](const std::optional<PinnedPoint>& pin) {
    return pin && point != nullptr && point_of(context.view, *pin) == point;
  };
  return is(selection.pins.a) ? "A" : is(selection.pins.b) ? "B" : "";
}

bool draw_pair_switch(const Style& style, Selection& selection, bool shown) {
  const auto choice = [&](const char* text, bool chosen, const char* hint) {
    ImGui::PushStyleColor(ImGuiCol_Text, chosen ? style.colours.accent : style.colours.muted);
    const bool clicked = small_tool_button(text);
    ImGui::PopStyleColor();
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", hint);
    return clicked;
  };
  const bool pair = choice("A and B", shown, "The two pinned points beside each other.");
  ImGui::SameLine(0, style.unit(0.25f));
  if (choice("focus", !shown, "The variant in focus alone.")) selection.pair = false;
  if (pair) selection.pair = true;
  return pair;
}

void draw_pin_strip(const PanelContext& context, Selection& selection) {
  Pins& pins = selection.pins;
  if (!pins.any()) return;
  const ImGuiStyle& s = ImGui::GetStyle();
  const auto width = [&s](const char* text) {
    return ImGui::CalcTextSize(text).x + 2 * s.FramePadding.x + s.ItemSpacing.x;
  };
  const float end = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  const float buttons = width("unpin") + (pins.both() ? width("swap") : 0);
  bool gone_a = false, gone_b = false, swapped = false;
  if (pins.a) {
    draw_pin_name(context, 'A', *pins.a, {}, buttons);
    ImGui::SameLine(end - buttons + s.ItemSpacing.x);
    if (pins.both()) {
      swapped = ImGui::SmallButton("swap");
      if (ImGui::IsItemHovered()) ImGui::SetTooltip("A becomes B and B becomes A (Ctrl+3).");
      ImGui::SameLine();
    }
    gone_a = unpin_button("A");
  }
  if (pins.b) {
    draw_pin_name(context, 'B', *pins.b, {}, width("unpin"));
    ImGui::SameLine(end - width("unpin") + s.ItemSpacing.x);
    gone_b = unpin_button("B");
  }
  if (swapped) std::swap(pins.a, pins.b);
  if (gone_a) pins.a.reset();
  if (gone_b) pins.b.reset();
}

void draw_pin_items(const PanelContext& context, Selection& selection, const std::string& variant,
                    const Configuration& axes) {
  if (ImGui::MenuItem("pin as A", "Ctrl+1"))
    pin_as_a(selection.pins, pin_at(context.view, variant, axes));
  if (ImGui::MenuItem("pin as B", "Ctrl+2"))
    pin_as_b(selection.pins, pin_at(context.view, variant, axes));
}

void draw_pin_menu(const PanelContext& context, Selection& selection, bool asked,
                   const Measurement* point, PinMenu& menu) {
  if (asked && point != nullptr) {
    menu = {point->variant, point->axes};
    ImGui::OpenPopup("pin");
  }
  if (!ImGui::BeginPopup("pin")) return;
  draw_pin_items(context, selection, menu.variant, menu.axes);
  ImGui::EndPopup();
}

}  // namespace warpscope
