// workbench/window/palette/palette_window.cpp: the command palette as it is drawn: a box to type
// in, and the rows that fit.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>

#include "workbench/drawing/keys.h"
#include "workbench/window/frame.h"
#include "workbench/window/palette/palette.h"

namespace warpscope {
namespace {

constexpr const char* kName = "command palette";

// The arrows choose a row while the box has the keyboard: the box calls this when one is pressed.
int step_palette_rows(ImGuiInputTextCallbackData* data) {
  auto& palette = *static_cast<CommandPalette*>(data->UserData);
  palette.chosen += data->EventKey == ImGuiKey_DownArrow ? 1 : -1;
  palette.moved = true;
  return 0;
}

void step_pages(CommandPalette& palette) {
  constexpr int kPage = 10;
  const int by = (key_pressed(ImGuiKey_PageDown) ? 1 : 0) - (key_pressed(ImGuiKey_PageUp) ? 1 : 0);
  palette.chosen += by * kPage;
  palette.moved = palette.moved || by != 0;
}

// One row: its kind, its title, what it is, and the keys that do the same.
void draw_texts(const Style& style, const PaletteEntry& entry, ImVec2 at, float width) {
  const float gap = style.unit(1), kind = ImGui::CalcTextSize("counters").x + 2 * gap;
  const auto place = [&](float x) { ImGui::SetCursorScreenPos({at.x + x, at.y}); };
  place(gap);
  ImGui::TextDisabled("%s", to_text(entry.kind));
  const float keys = entry.keys.empty() ? 0 : ImGui::CalcTextSize(entry.keys.c_str()).x + 2 * gap;
  const float room = width - kind - keys - gap;
  const float title = std::min(ImGui::CalcTextSize(entry.title.c_str()).x + 1, room);
  place(kind);
  draw_fitting_text(entry.title, title);
  const float rest = room - title - 2 * gap;
  if (rest > style.unit(8) && !entry.detail.empty()) {
    place(kind + title + 2 * gap);
    ImGui::PushStyleColor(ImGuiCol_Text, style.colours.muted);
    draw_fitting_text(entry.detail, rest);
    ImGui::PopStyleColor();
  }
  if (keys <= 0) return;
  place(width - keys + gap);
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.accent);
  ImGui::TextUnformatted(entry.keys.c_str());
  ImGui::PopStyleColor();
}

// The row that was clicked; −1: none was.
int draw_rows(const Style& style, CommandPalette& palette, const std::vector<std::size_t>& rows) {
  const float line = ImGui::GetTextLineHeight(), row = line + style.unit(0.75f);
  const ImVec2 moved = ImGui::GetIO().MouseDelta;
  int clicked = -1;
  if (palette.moved) {
    const float top = static_cast<float>(palette.chosen) * row, height = ImGui::GetWindowHeight();
    if (top < ImGui::GetScrollY()) ImGui::SetScrollY(top);
    if (top + row > ImGui::GetScrollY() + height) ImGui::SetScrollY(top + row - height);
    palette.moved = false;
  }
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(rows.size()), row);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const PaletteEntry& entry = palette.entries[rows[static_cast<std::size_t>(i)]];
      const ImVec2 at = ImGui::GetCursorScreenPos();
      const float width = ImGui::GetContentRegionAvail().x;
      ImGui::PushID(i);
      if (ImGui::Selectable(
              "##row", i == palette.chosen,
              ImGuiSelectableFlags_NoAutoClosePopups | ImGuiSelectableFlags_AllowOverlap,
              {0, row - ImGui::GetStyle().ItemSpacing.y}))
        clicked = i;
      if (ImGui::IsItemHovered() && (moved.x != 0 || moved.y != 0)) palette.chosen = i;
      if (i == palette.chosen) {
        ImGui::GetWindowDrawList()->AddRectFilled(
            at, {at.x + style.unit(0.375f), at.y + row - ImGui::GetStyle().ItemSpacing.y},
            style.colours.accent);
      }
      draw_texts(style, entry, {at.x, at.y + style.unit(0.25f)}, width);
      ImGui::SetCursorScreenPos(at);
      ImGui::Dummy({width, row - ImGui::GetStyle().ItemSpacing.y});
      ImGui::PopID();
    }
  }
  return clicked;
}

void close(CommandPalette& palette) {
  palette.shown = palette.wanted = false;
  ImGui::CloseCurrentPopup();
}

void draw_inside(Workspace& workspace, PanelStates& panels, const Style& style, FrameState& state) {
  CommandPalette& palette = state.help.palette;
  const std::string before = palette.typed;
  ImGui::SetNextItemWidth(-1);
  // The keys that open it are still down in its first frame.
  const bool first = !palette.begun;
  if (first) ImGui::SetKeyboardFocusHere();
  palette.begun = true;
  const bool entered = ImGui::InputTextWithHint(
      "##typed", "a panel, an action, a variant, an axis, a metric …", &palette.typed,
      ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackHistory, step_palette_rows,
      &palette);
  step_pages(palette);
  if (palette.typed != before) palette.chosen = 0, palette.moved = true;
  const std::vector<std::size_t>& rows = palette.rows.of(
      palette.typed, [&] { return palette_rows(palette.entries, palette.typed, palette.recent); });
  palette.chosen = std::clamp(palette.chosen, 0, std::max(0, static_cast<int>(rows.size()) - 1));
  ImGui::BeginChild("rows", {0, -ImGui::GetTextLineHeightWithSpacing()});
  int taken = draw_rows(style, palette, rows);
  if (rows.empty()) {
    draw_note(style, "Nothing here fits “" + palette.typed +
                         "”. Type a part of a name, or its first letters.");
  }
  ImGui::EndChild();
  draw_fitting_text("Enter does it · ↑ and ↓ choose · Esc closes",
                    ImGui::GetContentRegionAvail().x);
  if (entered && !rows.empty()) taken = palette.chosen;
  if (entered && rows.empty()) palette.begun = false;  // Enter left the box
  if (key_pressed(ImGuiKey_Escape) || (!first && ImGui::GetIO().KeyCtrl && letter_pressed('P')))
    return close(palette);
  if (taken < 0) return;
  choose_entry(palette.entries[rows[static_cast<std::size_t>(taken)]], workspace, panels, state);
  close(palette);
}

}  // namespace

void open_palette(const Workspace& workspace, FrameState& state) {
  CommandPalette& palette = state.help.palette;
  palette.wanted = true;
  palette.begun = false;
  palette.typed.clear();
  palette.chosen = 0;
  palette.moved = true;
  palette.rows.forget();
  palette.entries = palette_entries(workspace);
}

void draw_palette(Workspace& workspace, PanelStates& panels, const Style& style,
                  FrameState& state) {
  CommandPalette& palette = state.help.palette;
  if (palette.wanted && !ImGui::IsPopupOpen(kName)) {
    // A click elsewhere has closed it.
    if (palette.shown) {
      palette.wanted = palette.shown = false;
      return;
    }
    ImGui::OpenPopup(kName);
  }
  const ImGuiViewport& main = *ImGui::GetMainViewport();
  const float height = std::min(style.unit(70), 0.8f * main.Size.y);
  ImGui::SetNextWindowPos({main.GetCenter().x, main.Pos.y + 0.08f * main.Size.y}, ImGuiCond_Always,
                          {0.5f, 0});
  ImGui::SetNextWindowSize({std::min(style.unit(100), 0.94f * main.Size.x), height});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {style.unit(1.5f), style.unit(1.5f)});
  palette.shown = ImGui::BeginPopup(kName);
  ImGui::PopStyleVar();
  if (!palette.shown) return;
  draw_inside(workspace, panels, style, state);
  ImGui::EndPopup();
  palette.shown = palette.wanted;
}

}  // namespace warpscope
