// workbench/window/frame_commands.cpp: the keys of the window.
#include <imgui.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "workbench/drawing/keys.h"
#include "workbench/window/frame.h"
#include "workbench/window/maximised.h"
#include "workbench/window/presenter.h"
#include "workbench/window/top_bar.h"
#include "workbench/workspace/kept_baselines.h"
#include "workbench/workspace/pinned_points.h"
#include "workbench/workspace/selection/trace_steps.h"
#include "workbench/workspace/trace_state.h"

namespace warpscope {
namespace {

bool plain() { return !ImGui::GetIO().KeyCtrl && !ImGui::GetIO().WantTextInput; }
bool control() { return ImGui::GetIO().KeyCtrl; }
// In a text that is typed these keys are the text's.
bool control_outside_text() { return control() && !ImGui::GetIO().WantTextInput; }

void move_focus(Workspace& workspace, int by) {
  const std::vector<const Variant*> shown = workspace.view().points.shown_variants();
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

// Page Up and Page Down are a clicker's keys: in a lesson they step.
void page(Workspace& workspace, FrameState& state, int by) {
  if (state.lesson_steps == 0) return move_focus(workspace, by);
  state.lesson_move = by;
}

void close_or_cancel(Workspace& workspace, FrameState& state) {
  // ImGui has closed these in this frame.
  if (state.focus.popup || state.focus.typing) return;
  for (const Closable& closable : all_closables()) {
    if (closable.open(state)) return closable.close(state);
  }
  workspace.requests.ask(request::Cancel{});
}

void rescale(FrameState& state, float factor) {
  state.user_scale = std::clamp(state.user_scale * factor, 0.75f, 2.5f);
  state.style_changed = true;
}

void toggle_live(Workspace& workspace) {
  if (workspace.view().recorded())
    return workspace.log.notify("A recorded session: there is no GPU here to measure on.");
  workspace.selection.live = !workspace.selection.live;
}

// To the next recorded stop of an axis in one direction; stays where there is none.
void step_stop(Workspace& workspace, int by) {
  const std::string name = axis_to_sweep(workspace);
  const Axis* axis = find_axis(workspace.scene().axes, name);
  if (axis == nullptr) return;
  const RecordedStops* stops =
      of_problem(*axis) ? workspace.view().points.stops() : workspace.view().points.own_stops();
  const Configuration whole =
      for_variant(workspace.scene().axes, workspace.selection.axes, workspace.selection.variant);
  if (stops == nullptr || !whole.has(name)) return;
  const double here = whole.real(name);
  const Stop* next = nullptr;
  for (const AxisStops& list : stops->axes) {
    if (list.axis != name) continue;
    for (const Stop& stop : list.stops) {
      const double at = stop.axes.real(name);
      if (by > 0 ? at <= here || next != nullptr : at >= here) continue;
      next = &stop;
    }
  }
  if (next != nullptr) choose_stop(workspace.selection, name, Stop(*next));
}

// The panel whose table the pointer is on, else Metrics.
std::string table_at_hand(PanelStates& panels, const FrameState& state) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  for (const auto& [name, box] : state.last_boxes) {
    if (box.contains(mouse.x, mouse.y) && table_filter(panels, name) != nullptr) return name;
  }
  return state.bottom_tab == "source" ? "source" : "metrics";
}

// Open plots take their wish when they are drawn in this frame; the frame's end takes it back.
void move_views(PanelStates& panels, ViewWish wish) {
  for (PlotView* view : plot_views(panels)) view->wish = wish;
}

// Diagram keys have no effect if there is no trace.
void with_trace(Workspace& workspace, void (*act)(TraceSelection&, const Trace&)) {
  const Trace* trace = stepped_trace(workspace.view());
  if (trace == nullptr) return;
  settle(workspace.selection.trace, *trace);
  act(workspace.selection.trace, *trace);
}

// "4", "G" or "Shift+H". A letter with and without Shift: both are pressed: the row below wins,
// because the last tab that is wanted comes.
bool tab_key_pressed(std::string_view key) {
  const bool shift = key.starts_with("Shift+");
  return plain() && (!shift || ImGui::GetIO().KeyShift) && letter_pressed(key.back());
}

// Digits as they stand on the keyboard, then letters; a letter with Shift after it.
std::pair<int, std::size_t> place_of_key(std::string_view key) {
  return {key.back() == '0' ? '9' + 1 : key.back(), key.size()};
}

#define PANEL(name, title, region, key, State, belongs) \
  {Task::panels,                                        \
   "tab " #name,                                        \
   key,                                                 \
   "show " title,                                       \
   [] { return tab_key_pressed(key); },                 \
   [](Workspace&, PanelStates&, FrameState& s) { s.wanted_tab = #name; }},
constexpr Command kTabs[] = {WARPSCOPE_PANELS(PANEL)};
#undef PANEL

constexpr Command kHelp = {
    Task::window,
    "help",
    "F1",
    "show or hide this list",
    [] { return function_key_pressed(1); },
    [](Workspace&, PanelStates&, FrameState& s) { s.help.open = !s.help.open; }};

constexpr Command kCommands[] = {
    {Task::diagrams, "next request", "E", "the next request of the warp in diagrams",
     [] { return plain() && letter_pressed('E'); },
     [](Workspace& w, PanelStates&, FrameState&) {
       with_trace(w, [](TraceSelection& t, const Trace& trace) { step_request(t, trace, 1); });
     }},
    {Task::diagrams, "last request", "Q", "the request before",
     [] { return plain() && letter_pressed('Q'); },
     [](Workspace& w, PanelStates&, FrameState&) {
       with_trace(w, [](TraceSelection& t, const Trace& trace) { step_request(t, trace, -1); });
     }},
    {Task::diagrams, "next warp", "R", "the next warp of the block",
     [] { return plain() && letter_pressed('R'); },
     [](Workspace& w, PanelStates&, FrameState&) {
       with_trace(w, [](TraceSelection& t, const Trace& trace) { step_warp(t, trace, 1); });
     }},
    {Task::diagrams, "last warp", "F", "the warp before",
     [] { return plain() && letter_pressed('F'); },
     [](Workspace& w, PanelStates&, FrameState&) {
       with_trace(w, [](TraceSelection& t, const Trace& trace) { step_warp(t, trace, -1); });
     }},
    {Task::diagrams, "nearer", "I", "from the grid to a block, a warp, a request",
     [] { return plain() && letter_pressed('I'); },
     [](Workspace& w, PanelStates&, FrameState&) { zoom(w.selection.trace, 1); }},
    {Task::diagrams, "farther", "O", "from a request to its warp, its block, the grid",
     [] { return plain() && letter_pressed('O'); },
     [](Workspace& w, PanelStates&, FrameState&) { zoom(w.selection.trace, -1); }},
    {Task::diagrams, "play", "P", "step through the requests, or stop",
     [] { return plain() && letter_pressed('P'); },
     [](Workspace& w, PanelStates&, FrameState&) {
       w.selection.trace.playing = !w.selection.trace.playing;
     }},
    {Task::scenes, "previous variant", "Page Up",
     "choose the variant above; in a lesson the step before",
     [] { return key_pressed(ImGuiKey_PageUp); },
     [](Workspace& w, PanelStates&, FrameState& s) { page(w, s, -1); }},
    {Task::scenes, "next variant", "Page Down",
     "choose the variant below; in a lesson the next step",
     [] { return key_pressed(ImGuiKey_PageDown); },
     [](Workspace& w, PanelStates&, FrameState& s) { page(w, s, 1); }},
    {Task::scenes, "baseline", "V", "make the variant in focus the baseline",
     [] { return plain() && letter_pressed('V'); },
     [](Workspace& w, PanelStates&, FrameState&) {
       w.selection.baseline = w.selection.variant;
       w.selection.baselines.chosen.clear();
     }},
    {Task::scenes, "keep baseline", "Ctrl+4",
     "keep the variant in focus, as it is here, as a baseline with a name",
     [] { return control() && letter_pressed('4'); },
     [](Workspace& w, PanelStates&, FrameState&) {
       keep_baseline(w.view(), w.selection, w.selection.variant);
     }},
    {Task::scenes, "baselines", "Ctrl+5", "the list of baselines with names",
     [] { return control() && letter_pressed('5'); },
     [](Workspace&, PanelStates&, FrameState& s) { s.open.baselines.wanted = true; }},
    {Task::scenes, "pin A", "Ctrl+1", "pin the variant in focus, as it is here, as A",
     [] { return control() && letter_pressed('1'); },
     [](Workspace& w, PanelStates&, FrameState&) {
       pin_as_a(w.selection.pins, pin_here(w.view(), w.selection.variant));
     }},
    {Task::scenes, "pin B", "Ctrl+2", "pin it as B",
     [] { return control() && letter_pressed('2'); },
     [](Workspace& w, PanelStates&, FrameState&) {
       pin_as_b(w.selection.pins, pin_here(w.view(), w.selection.variant));
     }},
    {Task::scenes, "swap pins", "Ctrl+3", "A becomes B and B becomes A",
     [] { return control() && letter_pressed('3'); },
     [](Workspace& w, PanelStates&, FrameState&) {
       std::swap(w.selection.pins.a, w.selection.pins.b);
     }},
    {Task::plots, "cache", "K", "cold or warm times in plots",
     [] { return plain() && letter_pressed('K'); },
     [](Workspace& w, PanelStates&, FrameState&) {
       w.selection.cache =
           w.selection.cache == CacheState::cold ? CacheState::warm : CacheState::cold;
     }},
    {Task::measuring, "run", "F5", "measure all shown variants",
     [] { return function_key_pressed(5); },
     [](Workspace& w, PanelStates&, FrameState&) { w.requests.ask(request::Measure{}); }},
    {Task::measuring, "run a launch", "Ctrl+Enter", "run a file's kernel as Launch says",
     [] { return control() && key_pressed(ImGuiKey_Enter); },
     [](Workspace& w, PanelStates& p, FrameState& s) {
       if (!find_panel("launch")->belongs(w.view())) return;
       p.launch.run = true;
       s.wanted_tab = "launch";
     }},
    {Task::measuring, "sweep", "Ctrl+W", "sweep the axis moved last",
     [] { return control() && letter_pressed('W'); },
     [](Workspace& w, PanelStates&, FrameState& s) { start_sweep(w, s); }},
    {Task::scenes, "scene", "C", "choose the next scene",
     [] { return plain() && letter_pressed('C'); },
     [](Workspace& w, PanelStates&, FrameState&) { next_scene(w); }},
    {Task::measuring, "counters", "X", "the next set of counters",
     [] { return plain() && letter_pressed('X'); },
     [](Workspace& w, PanelStates&, FrameState&) { next_counters(w); }},
    {Task::plots, "zoom to the selection", "Z", "zoom open plots to the variant in focus",
     [] { return plain() && letter_pressed('Z'); },
     [](Workspace&, PanelStates& p, FrameState&) { move_views(p, ViewWish::selection); }},
    {Task::plots, "fit", "Home", "fit open plots to all points",
     [] { return !ImGui::GetIO().WantTextInput && key_pressed(ImGuiKey_Home); },
     [](Workspace&, PanelStates& p, FrameState&) { move_views(p, ViewWish::all); }},
    {Task::panels, "hottest", "W", "in Source: the hottest instruction, or line",
     [] { return plain() && letter_pressed('W'); },
     [](Workspace&, PanelStates& p, FrameState& s) {
       s.wanted_tab = "source";
       p.source.go_hot = 1;
     }},
    {Task::panels, "next hot", "D", "in Source: the next hot one",
     [] { return plain() && letter_pressed('D'); },
     [](Workspace&, PanelStates& p, FrameState& s) {
       s.wanted_tab = "source";
       p.source.go_hot = 2;
     }},
    {Task::scenes, "previous stop", "J",
     "in a recording: the recorded stop before, of the axis moved last",
     [] { return plain() && letter_pressed('J'); },
     [](Workspace& w, PanelStates&, FrameState&) { step_stop(w, -1); }},
    {Task::scenes, "next stop", "M", "the recorded stop after",
     [] { return plain() && letter_pressed('M'); },
     [](Workspace& w, PanelStates&, FrameState&) { step_stop(w, 1); }},
    {Task::measuring, "live", "L", "measure while sliders move, or not",
     [] { return plain() && letter_pressed('L'); },
     [](Workspace& w, PanelStates&, FrameState&) { toggle_live(w); }},
    {Task::window, "close", "Esc", "close what is open, else cancel the measurement",
     [] { return key_pressed(ImGuiKey_Escape); },
     [](Workspace& w, PanelStates&, FrameState& s) { close_or_cancel(w, s); }},
    {Task::scenes, "undo", "Ctrl+Z", "undo the last choice",
     [] { return control_outside_text() && letter_pressed('Z'); },
     [](Workspace& w, PanelStates&, FrameState&) { w.undo(); }},
    {Task::scenes, "redo", "Ctrl+Y", "redo it",
     [] { return control_outside_text() && letter_pressed('Y'); },
     [](Workspace& w, PanelStates&, FrameState&) { w.redo(); }},
    {Task::plots, "find", "Ctrl+F",
     "find rows: the filter box of the table under the pointer, or of Metrics",
     [] { return control() && letter_pressed('F'); },
     [](Workspace&, PanelStates& p, FrameState& s) {
       const std::string panel = table_at_hand(p, s);
       if (panel == "metrics") s.wanted_tab = panel;
       table_filter(p, panel)->focus = true;
     }},
    {Task::files, "export rows", "Ctrl+E", "write the rows of that table as CSV",
     [] { return control() && letter_pressed('E'); },
     [](Workspace& w, PanelStates& p, FrameState& s) {
       const std::string panel = table_at_hand(p, s);
       if (panel == "metrics") s.wanted_tab = panel;
       w.selection.wish = {ExportWish::Kind::rows, panel, ""};
     }},
    {Task::files, "open", "Ctrl+O", "open a session, a lesson, a matrix, frames or a kernel",
     [] { return control() && letter_pressed('O'); },
     [](Workspace&, PanelStates&, FrameState& s) { show_open_dialog(s, s.open.kind); }},
    {Task::files, "capture", "Ctrl+K", "capture a kernel of a running program",
     [] { return control() && letter_pressed('K'); },
     [](Workspace&, PanelStates&, FrameState& s) { show_program_capture(s); }},
    {Task::files, "screenshot", "Ctrl+S",
     "write the window as PNG; in Source, save the text that is edited",
     [] { return control_outside_text() && !ImGui::GetIO().KeyShift && letter_pressed('S'); },
     [](Workspace&, PanelStates&, FrameState& s) { s.screenshot = "window"; }},
    {Task::files, "picture", "Ctrl+Shift+S", "save a picture for slides",
     [] { return control() && ImGui::GetIO().KeyShift && letter_pressed('S'); },
     [](Workspace&, PanelStates&, FrameState& s) { toggle_capture(s); }},
    {Task::window, "theme", "T", "dark or light", [] { return plain() && letter_pressed('T'); },
     [](Workspace&, PanelStates&, FrameState& s) {
       s.theme = s.theme == Theme::dark ? Theme::light : Theme::dark;
       s.style_changed = true;
     }},
    {Task::window, "palette", "Ctrl+P",
     "find an action, a panel, a variant, an axis or a metric by its name",
     [] { return control() && letter_pressed('P'); },
     [](Workspace& w, PanelStates&, FrameState& s) { open_palette(w, s); }},
    {Task::window, "larger", "Ctrl+Plus", "larger text", [] { return control() && plus_pressed(); },
     [](Workspace&, PanelStates&, FrameState& s) { rescale(s, 1.125f); }},
    {Task::window, "smaller", "Ctrl+Minus", "smaller text",
     [] { return control() && minus_pressed(); },
     [](Workspace&, PanelStates&, FrameState& s) { rescale(s, 1 / 1.125f); }},
    {Task::lessons, "next step", "N", "the next step of a lesson",
     [] { return plain() && letter_pressed('N'); },
     [](Workspace&, PanelStates&, FrameState& s) { s.lesson_move = 1; }},
    {Task::lessons, "last step", "B", "the step before",
     [] { return plain() && letter_pressed('B'); },
     [](Workspace&, PanelStates&, FrameState& s) { s.lesson_move = -1; }},
    {Task::lessons, "lessons", "Ctrl+L", "the list of lessons",
     [] { return control() && letter_pressed('L'); },
     [](Workspace& w, PanelStates&, FrameState& s) { toggle_lessons(w, s); }},
    {Task::lessons, "speaker notes", "Ctrl+N", "a second window with the notes of each step",
     [] { return control() && letter_pressed('N'); },
     [](Workspace&, PanelStates&, FrameState& s) { s.strip.notes.open = !s.strip.notes.open; }},
    {Task::panels, "panels", "Ctrl+B", "layouts, and which panels are open",
     [] { return control_outside_text() && letter_pressed('B'); },
     [](Workspace&, PanelStates&, FrameState& s) { s.docks.menu.wanted = true; }},
    {Task::panels, "maximise", "F11", "maximise the panel under the pointer, or restore it",
     [] { return function_key_pressed(11); },
     [](Workspace&, PanelStates&, FrameState& s) { toggle_maximised(s); }},
    {Task::window, "quit", "Ctrl+Q", "close the window",
     [] { return control() && letter_pressed('Q'); },
     [](Workspace&, PanelStates&, FrameState& s) { s.quit = true; }},
};

constexpr Closable kClosables[] = {
    {"dragged tab",
     [](const FrameState& s) { return !s.docks.drag.panel.empty() && !s.docks.drag.cancelled; },
     [](FrameState& s) { s.docks.drag.cancelled = true; }},
    {"palette", [](const FrameState& s) { return s.help.palette.wanted; },
     [](FrameState& s) { s.help.palette.wanted = false; }},
    {"help", [](const FrameState& s) { return s.help.open; },
     [](FrameState& s) { s.help.open = false; }},
    {"lessons", [](const FrameState& s) { return s.lessons.open; },
     [](FrameState& s) { s.lessons.open = false; }},
    {"picture", [](const FrameState& s) { return s.capture.open; },
     [](FrameState& s) { s.capture.open = false; }},
    {"running program", [](const FrameState& s) { return s.open.program.shown; },
     [](FrameState& s) { s.open.program.shown = false; }},
    {"maximised panel", [](const FrameState& s) { return !s.maximised.empty(); },
     [](FrameState& s) { s.maximised.clear(); }},
    {"lesson", [](const FrameState& s) { return s.lesson_steps > 0; },
     [](FrameState& s) { s.lesson_leave = true; }},
};

}  // namespace

const char* to_text(Task task) {
  constexpr const char* kWords[kTasks] = {"show a panel",     "choose scene, variant and values",
                                          "measure",          "step through a diagram",
                                          "plots and tables", "files and pictures",
                                          "lessons",          "the window"};
  return kWords[static_cast<int>(task)];
}

std::span<const Command> all_commands() {
  static const std::vector<Command> commands = [] {
    std::vector<Command> all;
    for (const Command& tab : kTabs) {
      if (*tab.keys != '\0') all.push_back(tab);
    }
    std::stable_sort(all.begin(), all.end(), [](const Command& a, const Command& b) {
      return place_of_key(a.keys) < place_of_key(b.keys);
    });
    all.insert(all.begin(), kHelp);
    all.insert(all.end(), std::begin(kCommands), std::end(kCommands));
    return all;
  }();
  return commands;
}

std::span<const Closable> all_closables() { return kClosables; }

}  // namespace warpscope
