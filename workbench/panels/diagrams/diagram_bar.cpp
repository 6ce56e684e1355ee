// workbench/panels/diagrams/diagram_bar.cpp: the row above a diagram that zooms, steps, plays and
// writes files.
#include "workbench/panels/diagrams/diagram_bar.h"

#include <fmt/format.h>
#include <imgui.h>

#include <functional>
#include <utility>
#include <vector>

#include "workbench/panels/diagrams/diagram.h"

namespace warpscope {
namespace {

// A button of the row. What it does is a callback because the row draws it in one of three ways.
struct BarButton {
  std::string id, words, fewer, hint;
  std::function<void()> press;
  std::function<void(int by)> step = {};  // two arrows follow the button
  bool chosen = false;
  bool folds = false;  // it goes into the menu where the row is too narrow
};

// How much of the row is drawn.
enum class Fit { whole, fewer_words, folded };

const std::string& words_of(const BarButton& button, Fit fit) {
  return fit == Fit::whole || button.fewer.empty() ? button.words : button.fewer;
}

float width_of_text(const char* text) {
  return ImGui::CalcTextSize(text).x + 2 * ImGui::GetStyle().FramePadding.x;
}

float width_of(const Style& style, const BarButton& button, Fit fit) {
  float width = width_of_text(words_of(button, fit).c_str());
  if (button.step) width += width_of_text("◀") + width_of_text("▶") + 2 * style.unit(0.25f);
  return width;
}

constexpr const char* kMenu = "…";

// The most that fits into a row of this width.
Fit fit_of(const Style& style, const std::vector<BarButton>& buttons, float room) {
  for (const Fit fit : {Fit::whole, Fit::fewer_words}) {
    float width = 0;
    for (const BarButton& button : buttons)
      width += width_of(style, button, fit) + ImGui::GetStyle().ItemSpacing.x;
    if (width <= room) return fit;
  }
  return Fit::folded;
}

void draw_button(const Style& style, const BarButton& button, Fit fit) {
  ImGui::PushID(button.id.c_str());
  ImGui::PushStyleColor(ImGuiCol_Text, button.chosen ? style.colours.accent : style.colours.text);
  if (small_tool_button((words_of(button, fit) + "###words").c_str())) button.press();
  ImGui::PopStyleColor();
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", button.hint.c_str());
  if (button.step) {
    ImGui::SameLine(0, style.unit(0.25f));
    if (small_tool_button("◀")) button.step(-1);
    ImGui::SameLine(0, style.unit(0.25f));
    if (small_tool_button("▶")) button.step(1);
  }
  ImGui::PopID();
}

void draw_menu(const std::vector<BarButton>& buttons) {
  flow(width_of_text(kMenu));
  if (small_tool_button(kMenu)) ImGui::OpenPopup("more");
  if (ImGui::IsItemHovered()) {
    std::string words;
    for (const BarButton& button : buttons) {
      if (button.folds) words += (words.empty() ? "" : ", ") + button.words;
    }
    ImGui::SetTooltip("More: %s.", words.c_str());
  }
  if (!ImGui::BeginPopup("more")) return;
  for (const BarButton& button : buttons) {
    if (!button.folds) continue;
    if (ImGui::MenuItem(button.words.c_str())) button.press();
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", button.hint.c_str());
  }
  ImGui::EndPopup();
}

// The four levels of the zoom with their positions; arrows step through warps and requests.
void add_levels(const Trace& trace, TraceSelection& t, std::vector<BarButton>& row) {
  const auto add = [&](TraceZoom level, std::string words, std::string fewer, const char* hint,
                       std::function<void(int)> step = {}) {
    row.push_back({to_text(level), std::move(words), std::move(fewer), hint,
                   [&t, level] { t.zoom = level; }, std::move(step), t.zoom == level});
  };
  const StepPosition at = step_position(t, trace);
  add(TraceZoom::grid, fmt::format("grid of {}", block_count(trace.launch)), "grid",
      "All blocks (O: farther, I: nearer).");
  add(TraceZoom::block, "block " + block_text(trace.launch, trace.scope.block), "",
      "All warps of the block whose requests were kept.");
  add(TraceZoom::warp, fmt::format("warp {} of {}", t.warp, warps_of(trace.launch)),
      fmt::format("warp {}", t.warp), "One warp's requests (F and R: last and next warp).",
      [&t, &trace](int by) { step_warp(t, trace, by); });
  add(TraceZoom::request, fmt::format("request {}/{}", at.at, at.of), "",
      "One request (Q and E: last and next).",
      [&t, &trace](int by) { step_request(t, trace, by); });
}

// What the diagram is of: PTX or machine code. A click asks for the other one.
void add_code_switch(const PanelContext& context, const Trace& trace, TraceSelection& t,
                     std::vector<BarButton>& row) {
  const bool disassembles = context.view.engines.has_disassembler();
  if (!disassembles && !trace.machine_code && trace.no_machine_code.empty()) return;
  std::string hint =
      "Requests, sectors, wavefronts and instructions of SASS, the GPU's machine code, are those "
      "of the hardware. PTX is what the compiler makes it from. Faults and races are found in PTX "
      "if there is any. Click for the other one.";
  if (!trace.no_machine_code.empty()) {
    hint += "\nThis one is of PTX: " + trace.no_machine_code;
  } else if (!trace.machine_code && t.machine_code && disassembles) {
    hint += "\nThis one is of PTX until its SASS is made.";
  }
  row.push_back({.id = "code",
                 .words = trace.machine_code ? "of SASS" : "of PTX",
                 .fewer = "",
                 .hint = std::move(hint),
                 .press = [&t] { t.machine_code = !t.machine_code; },
                 .folds = true});
}

void add_steps(TraceSelection& t, std::vector<BarButton>& row) {
  row.push_back({.id = "play",
                 .words = t.playing ? "■ stop" : "▶ play",
                 .fewer = "",
                 .hint = "Steps forward by itself (P). The pace is shown beside it.",
                 .press = [&t] { t.playing = !t.playing; },
                 .folds = !t.playing});
  if (t.playing) {
    row.push_back({"pace", fmt::format("{:g}/s", t.speed), "",
                   "Steps per second: click for twice as many.",
                   [&t] { t.speed = t.speed >= 32 ? 1 : t.speed * 2; }});
  }
  if (t.site >= 0) {
    row.push_back({"one", "✕ one instruction", "✕ one",
                   "Steps go through one instruction's requests: click for all.",
                   [&t] { t.site = -1; }});
  }
}

void add_files(Selection& selection, const BarPlace& place, std::vector<BarButton>& row) {
  const auto add = [&](const char* words, const char* hint, ExportWish::Kind kind) {
    row.push_back({.id = words,
                   .words = words,
                   .fewer = "",
                   .hint = hint,
                   .press =
                       [&selection, kind, panel = place.panel] {
                         selection.wish = {kind, panel};
                       },
                   .folds = true});
  };
  add("PNG", "Writes this panel as a picture.", ExportWish::Kind::picture);
  if (place.table)
    add("CSV", "Writes the table by instruction, a row each.", ExportWish::Kind::accesses);
}

}  // namespace

std::string block_text(const Launch& launch, std::int64_t block) {
  const Dim3 at = block_at(launch, block);
  std::string text = std::to_string(at.x);
  if (launch.grid.y > 1 || launch.grid.z > 1) text += "," + std::to_string(at.y);
  if (launch.grid.z > 1) text += "," + std::to_string(at.z);
  return text;
}

void draw_diagram_bar(const PanelContext& context, const Trace& trace, Selection& selection,
                      const BarPlace& place) {
  std::vector<BarButton> row;
  add_levels(trace, selection.trace, row);
  add_code_switch(context, trace, selection.trace, row);
  add_steps(selection.trace, row);
  add_files(selection, place, row);
  const float end = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  const float begin = place.beside ? ImGui::GetItemRectMax().x + ImGui::GetStyle().ItemSpacing.x
                                   : ImGui::GetCursorScreenPos().x;
  const Fit fit = fit_of(context.style, row, end - begin);
  bool first = !place.beside;
  for (const BarButton& button : row) {
    if (fit == Fit::folded && button.folds) continue;
    if (!std::exchange(first, false)) flow(width_of(context.style, button, fit));
    draw_button(context.style, button, fit);
  }
  if (fit == Fit::folded) draw_menu(row);
}

}  // namespace warpscope
