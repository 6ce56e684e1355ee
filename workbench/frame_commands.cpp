// workbench/frame_commands.cpp: the keys of the window, and its layout on disk.
#include <imgui.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "profiling/export.h"
#include "workbench/frame.h"
#include "workbench/keys.h"
#include "workbench/trace_state.h"
#include "workbench/trace_steps.h"

namespace warpscope {
namespace {

bool plain() { return !ImGui::GetIO().KeyCtrl && !ImGui::GetIO().WantTextInput; }
bool control() { return ImGui::GetIO().KeyCtrl; }

void move_focus(Workspace& workspace, int by) {
  const std::vector<const Variant*> shown = workspace.shown_variants();
  if (shown.empty()) return;
  const auto at = std::find_if(shown.begin(), shown.end(), [&](const Variant* v) {
    return v->name == workspace.selection.variant;
  });
  const auto index =
      at == shown.end() ? 0
                        : std::clamp<std::ptrdiff_t>(at - shown.begin() + by, 0,
                                                     static_cast<std::ptrdiff_t>(shown.size()) - 1);
  workspace.selection.variant = shown[static_cast<std::size_t>(index)]->name;
}

void ask(Workspace& workspace, Request::Kind kind) {
  workspace.selection.requests.push_back({kind, ""});
}

void rescale(FrameState& state, float factor) {
  state.user_scale = std::clamp(state.user_scale * factor, 0.75f, 2.5f);
  state.style_changed = true;
}

// Diagram keys do nothing where there is no trace.
void with_trace(Workspace& workspace, void (*act)(TraceSelection&, const Trace&)) {
  const TraceState traced = trace_state(workspace, workspace.selection.variant);
  if (traced.trace == nullptr) return;
  settle(workspace.selection.trace, *traced.trace);
  act(workspace.selection.trace, *traced.trace);
}

#define TAB(letter, panel)                                                                    \
  {                                                                                           \
    "tab " panel, #letter, "show " panel, [] { return plain() && letter_pressed(*#letter); }, \
        [](Workspace&, PanelStates&, FrameState& s) { s.wanted_tab = panel; }                 \
  }

constexpr Command kCommands[] = {
    {"help", "F1", "show or hide this list", [] { return function_key_pressed(1); },
     [](Workspace&, PanelStates&, FrameState& s) { s.help = !s.help; }},
    TAB(1, "roofline"),
    TAB(2, "sweep"),
    TAB(3, "timing"),
    TAB(4, "timeline"),
    TAB(5, "metrics"),
    TAB(6, "source"),
    TAB(7, "engine"),
    TAB(8, "coalescing"),
    TAB(9, "banks"),
    TAB(0, "warp_map"),
    TAB(G, "divergence"),
    {"next request", "E", "the next request of the warp in diagrams",
     [] { return plain() && letter_pressed('E'); },
     [](Workspace& w, PanelStates&, FrameState&) {
       with_trace(w, [](TraceSelection& t, const Trace& trace) { step_request(t, trace, 1); });
     }},
    {"last request", "Q", "the request before", [] { return plain() && letter_pressed('Q'); },
     [](Workspace& w, PanelStates&, FrameState&) {
       with_trace(w, [](TraceSelection& t, const Trace& trace) { step_request(t, trace, -1); });
     }},
    {"next warp", "R", "the next warp of the block", [] { return plain() && letter_pressed('R'); },
     [](Workspace& w, PanelStates&, FrameState&) {
       with_trace(w, [](TraceSelection& t, const Trace& trace) { step_warp(t, trace, 1); });
     }},
    {"last warp", "F", "the warp before", [] { return plain() && letter_pressed('F'); },
     [](Workspace& w, PanelStates&, FrameState&) {
       with_trace(w, [](TraceSelection& t, const Trace& trace) { step_warp(t, trace, -1); });
     }},
    {"nearer", "I", "from the grid to a block, a warp, a request",
     [] { return plain() && letter_pressed('I'); },
     [](Workspace& w, PanelStates&, FrameState&) { zoom(w.selection.trace, 1); }},
    {"farther", "O", "from a request to its warp, its block, the grid",
     [] { return plain() && letter_pressed('O'); },
     [](Workspace& w, PanelStates&, FrameState&) { zoom(w.selection.trace, -1); }},
    {"play", "P", "step through the requests, or stop",
     [] { return plain() && letter_pressed('P'); },
     [](Workspace& w, PanelStates&, FrameState&) {
       w.selection.trace.playing = !w.selection.trace.playing;
     }},
    {"previous variant", "Page Up", "put the variant above into focus",
     [] { return key_pressed(ImGuiKey_PageUp); },
     [](Workspace& w, PanelStates&, FrameState&) { move_focus(w, -1); }},
    {"next variant", "Page Down", "put the variant below into focus",
     [] { return key_pressed(ImGuiKey_PageDown); },
     [](Workspace& w, PanelStates&, FrameState&) { move_focus(w, 1); }},
    {"baseline", "V", "compare others with the variant in focus",
     [] { return plain() && letter_pressed('V'); },
     [](Workspace& w, PanelStates&, FrameState&) { w.selection.baseline = w.selection.variant; }},
    {"cache", "K", "cold or warm times in plots", [] { return plain() && letter_pressed('K'); },
     [](Workspace& w, PanelStates&, FrameState&) {
       w.selection.cache =
           w.selection.cache == CacheState::cold ? CacheState::warm : CacheState::cold;
     }},
    {"run", "Space", "measure all shown variants",
     [] { return plain() && key_pressed(ImGuiKey_Space); },
     [](Workspace& w, PanelStates&, FrameState&) { ask(w, Request::Kind::measure); }},
    {"sweep", "Ctrl+W", "sweep the chosen axis", [] { return control() && letter_pressed('W'); },
     [](Workspace& w, PanelStates&, FrameState&) { ask(w, Request::Kind::sweep); }},
    {"live", "L", "measure while sliders move, or not",
     [] { return plain() && letter_pressed('L'); },
     [](Workspace& w, PanelStates&, FrameState&) { w.selection.live = !w.selection.live; }},
    {"cancel", "Esc", "cancel what is measured", [] { return key_pressed(ImGuiKey_Escape); },
     [](Workspace& w, PanelStates&, FrameState&) { ask(w, Request::Kind::cancel); }},
    {"undo", "Ctrl+Z", "take back the last choice", [] { return control() && letter_pressed('Z'); },
     [](Workspace& w, PanelStates&, FrameState&) { w.undo(); }},
    {"redo", "Ctrl+Y", "make it again", [] { return control() && letter_pressed('Y'); },
     [](Workspace& w, PanelStates&, FrameState&) { w.redo(); }},
    {"find", "Ctrl+F", "find a metric", [] { return control() && letter_pressed('F'); },
     [](Workspace&, PanelStates& p, FrameState& s) {
       s.wanted_tab = "metrics";
       p.metrics.focus_filter = true;
     }},
    {"screenshot", "Ctrl+S", "write the window as PNG",
     [] { return control() && letter_pressed('S'); },
     [](Workspace&, PanelStates&, FrameState& s) { s.screenshot = "window"; }},
    {"theme", "T", "dark or light", [] { return plain() && letter_pressed('T'); },
     [](Workspace&, PanelStates&, FrameState& s) {
       s.theme = s.theme == Theme::dark ? Theme::light : Theme::dark;
       s.style_changed = true;
     }},
    {"larger", "Ctrl+P", "larger text", [] { return control() && letter_pressed('P'); },
     [](Workspace&, PanelStates&, FrameState& s) { rescale(s, 1.125f); }},
    {"smaller", "Ctrl+M", "smaller text", [] { return control() && letter_pressed('M'); },
     [](Workspace&, PanelStates&, FrameState& s) { rescale(s, 1 / 1.125f); }},
    {"next step", "N", "the next step of a lesson", [] { return plain() && letter_pressed('N'); },
     [](Workspace&, PanelStates&, FrameState& s) { s.lesson_move = 1; }},
    {"last step", "B", "the step before", [] { return plain() && letter_pressed('B'); },
     [](Workspace&, PanelStates&, FrameState& s) { s.lesson_move = -1; }},
    {"quit", "Ctrl+Q", "close the window", [] { return control() && letter_pressed('Q'); },
     [](Workspace&, PanelStates&, FrameState& s) { s.quit = true; }},
};
#undef TAB

std::filesystem::path layout_path() {
  const char* xdg = std::getenv("XDG_CONFIG_HOME");
  const char* home = std::getenv("HOME");
  const std::filesystem::path base =
      xdg != nullptr && *xdg != '\0'
          ? xdg
          : std::filesystem::path(home != nullptr ? home : ".") / ".config";
  return base / "warpscope" / "layout.json";
}

}  // namespace

std::span<const Command> all_commands() { return kCommands; }

void load_layout(FrameState& state) {
  std::ifstream file(layout_path());
  const nlohmann::json layout = nlohmann::json::parse(file, nullptr, false);
  if (!layout.is_object()) return;
  const auto number = [&](const char* name, float& value, float low, float high) {
    const auto found = layout.find(name);
    if (found != layout.end() && found->is_number())
      value = std::clamp(found->get<float>(), low, high);
  };
  const auto tab = [&](const char* name, std::string& value) {
    const auto found = layout.find(name);
    if (found != layout.end() && found->is_string() &&
        find_panel(found->get<std::string>()) != nullptr)
      value = found->get<std::string>();
  };
  number("left", state.left_ratio, 0.16f, 0.45f);
  number("bottom", state.bottom_ratio, 0.15f, 0.75f);
  number("axes", state.axes_ratio, 0.15f, 0.8f);
  number("right", state.right_ratio, 0.2f, 0.8f);
  number("scale", state.user_scale, 0.75f, 2.5f);
  tab("centre_tab", state.centre_tab);
  tab("right_tab", state.right_tab);
  tab("bottom_tab", state.bottom_tab);
  state.wanted_tab = state.centre_tab;
  const auto theme = layout.find("theme");
  if (theme != layout.end() && *theme == "light") state.theme = Theme::light;
}

Result<void> save_layout(const FrameState& state) {
  const nlohmann::json layout = {{"left", state.left_ratio},
                                 {"bottom", state.bottom_ratio},
                                 {"axes", state.axes_ratio},
                                 {"right", state.right_ratio},
                                 {"right_tab", state.right_tab},
                                 {"scale", state.user_scale},
                                 {"centre_tab", state.centre_tab},
                                 {"bottom_tab", state.bottom_tab},
                                 {"theme", state.theme == Theme::light ? "light" : "dark"}};
  std::error_code ignored;
  std::filesystem::create_directories(layout_path().parent_path(), ignored);
  return write_file(layout_path(), layout.dump(2) + "\n");
}

}  // namespace warpscope
