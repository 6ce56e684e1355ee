// workbench/panels/source/source_columns.cpp: which columns of Source are shown, and the way to the
// hottest places in them.
#include "workbench/panels/source/source_columns.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

#include "workbench/panels/source/source_listing.h"
#include "workbench/panels/source/source_text.h"

namespace warpscope {
namespace {

// From which width so many columns can be read beside each other.
constexpr float kThreeColumnsUnits = 170, kTwoColumnsUnits = 76;

std::size_t columns_with_room(const Style& style) {
  const float width = ImGui::GetWindowWidth() - 2 * ImGui::GetStyle().WindowPadding.x;
  return width >= style.unit(kThreeColumnsUnits) ? 3
         : width >= style.unit(kTwoColumnsUnits) ? 2
                                                 : 1;
}

void toggle(SourceColumn column, bool shown, SourcePanel& state) {
  std::erase(state.open, column);
  // The last one stays: an empty panel says nothing.
  if (!shown || state.open.empty()) state.open.push_back(column);
  state.ptx.follow = state.machine.follow = true;
  if (state.chosen > 0) state.scroll_to = state.chosen;
}

bool draw_choice(const Style& style, const char* name, bool on, const std::string& sentence) {
  ImGui::PushStyleColor(ImGuiCol_Text, on ? style.colours.accent : style.colours.muted);
  const bool pressed = tool_button(name);
  ImGui::PopStyleColor();
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", sentence.c_str());
  return pressed;
}

// Hot places: rows of SASS where they have figures, else lines of the text.
std::size_t hot_places(const SourceColumns& columns, const SourcePanel& state) {
  return !state.machine.hot.empty() ? state.machine.hot.size() : columns.hot.size();
}

void go_to_hot(const SourceColumns& columns, SourcePanel& state) {
  if (!state.machine.hot.empty()) {
    choose_row(state, state.machine, state.machine.hot[state.hot]);
  } else {
    show_line(state, columns.hot[state.hot]);
  }
}

}  // namespace

std::vector<SourceColumn> shown_columns(const Style& style, const SourcePanel& state) {
  const std::size_t room = std::min(columns_with_room(style), state.open.size());
  std::vector<SourceColumn> shown(state.open.end() - static_cast<std::ptrdiff_t>(room),
                                  state.open.end());
  std::sort(shown.begin(), shown.end());
  return shown;
}

bool is_shown(const std::vector<SourceColumn>& columns, SourceColumn column) {
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

void draw_view_choice(const Style& style, SourcePanel& state) {
  struct Choice {
    SourceColumn column;
    const char *name, *sentence;
  };
  constexpr Choice kColumns[] = {
      {SourceColumn::text, "CUDA", "The kernel's text."},
      {SourceColumn::ptx, "PTX", "What the compiler makes of it, for a GPU of any kind."},
      {SourceColumn::machine_code, "SASS",
       "What the GPU runs: ptxas makes it of the PTX, nvdisasm prints it."}};
  const std::vector<SourceColumn> shown = shown_columns(style, state);
  const bool columns = state.view == SourceView::columns;
  for (const Choice& choice : kColumns) {
    const bool open = is_shown(state.open, choice.column), on = is_shown(shown, choice.column);
    const std::string what = std::string(choice.sentence) +
                             (columns && on     ? " Click to fold it away."
                              : columns && open ? " It has no room: click to open it in place of "
                                                  "another one."
                                                : " Click to open it.");
    if (draw_choice(style, choice.name, columns && on, what)) {
      if (columns || !open) toggle(choice.column, columns && on, state);
      state.view = SourceView::columns;
    }
    ImGui::SameLine();
  }
  if (draw_choice(style, "log", state.view == SourceView::compile_log,
                  "What NVRTC and ptxas said."))
    state.view = SourceView::compile_log;
  ImGui::SameLine();
  if (draw_choice(style, "compare SASS", state.view == SourceView::comparison,
                  "SASS of the baseline beside that of the chosen variant: which opcodes are "
                  "executed more often, and where the code differs."))
    state.view = SourceView::comparison;
}

void draw_hot_buttons(const SourceColumns& columns, SourcePanel& state) {
  int step = std::exchange(state.go_hot, 0);
  const std::size_t count = hot_places(columns, state);
  if (count == 0) return;
  const bool of_code = !state.machine.hot.empty();
  const std::string what = std::string(of_code ? "instruction" : "line") + " with most " +
                           std::string(columns.row == nullptr ? "" : columns.row->label);
  if (tool_button("hottest")) step = 1;
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("Go to the %s (W).", what.c_str());
  ImGui::SameLine();
  if (tool_button("next hot")) step = 2;
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("Go on to the next one with less (D). Shown last: %zu of %zu.",
                      std::min(state.hot, count - 1) + 1, count);
  ImGui::SameLine();
  if (step == 0) return;
  state.hot = step == 1 ? 0 : (state.hot + 1) % count;
  go_to_hot(columns, state);
}

}  // namespace warpscope
