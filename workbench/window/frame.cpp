// workbench/window/frame.cpp: one frame of the whole window: top bar, columns with tabs, status,
// help.
#include "workbench/window/frame.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "profiling/access/trace_view.h"
#include "scenes/host/write_file.h"
#include "workbench/drawing/keys.h"
#include "workbench/window/offscreen.h"
#include "workbench/window/top_bar.h"
#include "workbench/workspace/trace_state.h"
#include "workbench/workspace/trace_steps.h"

namespace warpscope {

void toast(FrameState& state, std::string words) {
  constexpr double kSeconds = 8;
  if (!state.toasts.empty() && state.toasts.back().second == words) return;
  state.toasts.emplace_back(ImGui::GetTime() + kSeconds, std::move(words));
}

void export_to(FrameState& state, const char* path, const std::string& text) {
  const Result<void> written = write_file(path, text);
  toast(state, written ? std::string("wrote ") + path : sentence(written.error()));
}

namespace {

constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoDecoration |
                                    ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                                    ImGuiWindowFlags_NoBringToFrontOnFocus |
                                    ImGuiWindowFlags_NoScrollWithMouse;

// A draggable gap between two regions; moves `ratio` of `extent`.
void splitter(const char* name, bool vertical, ImVec2 at, ImVec2 size, float extent, float& ratio,
              float low, float high, const Style& style) {
  ImGui::SetCursorScreenPos(at);
  ImGui::InvisibleButton(name, size);
  if (ImGui::IsItemActive()) {
    const ImVec2 delta = ImGui::GetIO().MouseDelta;
    ratio = std::clamp(ratio + (vertical ? delta.x : delta.y) / extent, low, high);
  }
  if (ImGui::IsItemHovered() || ImGui::IsItemActive()) {
    ImGui::SetMouseCursor(vertical ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
    ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + size.x, at.y + size.y},
                                              style.colours.border);
  }
}

Box box_of_window() {
  const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  return box_at(at.x, at.y, size.x, size.y);
}

// `box` is the panel with its margins: what a picture of it shows.
void draw_panel(const PanelRow& panel, const Box& box, Workspace& workspace, PanelStates& panels,
                const Style& style, FrameState& state) {
  state.boxes[panel.name] = box;
  const PanelContext context{workspace, style};
  panel.draw(context, workspace.selection, panels);
}

void draw_titled(const char* name, ImVec2 at, ImVec2 size, Workspace& workspace,
                 PanelStates& panels, const Style& style, FrameState& state) {
  const PanelRow* panel = find_panel(name);
  ImGui::SetCursorScreenPos(at);
  ImGui::BeginChild(name, size, false, ImGuiWindowFlags_AlwaysUseWindowPadding);
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.muted);
  ImGui::TextUnformatted(panel->title);
  ImGui::PopStyleColor();
  draw_panel(*panel, box_of_window(), workspace, panels, style, state);
  ImGui::EndChild();
}

void draw_tabs(Region region, const char* name, ImVec2 at, ImVec2 size, std::string& active,
               Workspace& workspace, PanelStates& panels, const Style& style, FrameState& state) {
  ImGui::SetCursorScreenPos(at);
  ImGui::BeginChild(name, size, false,
                    ImGuiWindowFlags_AlwaysUseWindowPadding | ImGuiWindowFlags_NoScrollWithMouse |
                        ImGuiWindowFlags_NoScrollbar);
  Box box = box_of_window();
  if (ImGui::BeginTabBar("tabs")) {
    for (const PanelRow& panel : all_panels()) {
      if (panel.region != region || !panel.belongs(workspace)) continue;
      const bool bring = state.wanted_tab == panel.name;
      if (!ImGui::BeginTabItem(panel.title, nullptr, bring ? ImGuiTabItemFlags_SetSelected : 0))
        continue;
      active = panel.name;
      box.y0 = ImGui::GetCursorScreenPos().y - ImGui::GetStyle().ItemSpacing.y;  // below the tabs
      ImGui::BeginChild(panel.name, {0, 0}, false, ImGuiWindowFlags_NoScrollWithMouse);
      draw_panel(panel, box, workspace, panels, style, state);
      ImGui::EndChild();
      ImGui::EndTabItem();
    }
    ImGui::EndTabBar();
  }
  ImGui::EndChild();
}

void draw_status(Workspace& workspace, const Style& style) {
  const WorkProgress progress = workspace.progress();
  const std::optional<EngineDelay> delay = workspace.engine_delay();
  ImGui::AlignTextToFramePadding();
  if (progress.busy) {
    ImGui::ProgressBar(static_cast<float>(progress.ratio), {style.unit(20), 0}, "");
    ImGui::SameLine();
    if (ImGui::Button("cancel"))
      workspace.selection.requests.push_back({Request::Kind::cancel, ""});
    ImGui::SameLine();
    draw_fitting_text(delay ? delay_text(*delay) : progress.text, ImGui::GetContentRegionAvail().x);
    return;
  }
  ImGui::PushStyleColor(ImGuiCol_Text, delay ? style.colours.warning : style.colours.muted);
  std::string text = workspace.key();
  if (workspace.recorded()) {
    std::string device = workspace.device();
    for (const DeviceName& known : workspace.session().devices()) {
      if (known.id() == device) device = to_text(known);
    }
    const std::string missing = workspace.not_recorded();
    text = "recorded session " + workspace.recorded_name() + (device.empty() ? "" : ", " + device) +
           " · " + (missing.empty() ? text : missing);
  }
  draw_fitting_text(delay ? delay_text(*delay) : text, ImGui::GetContentRegionAvail().x);
  ImGui::PopStyleColor();
}

void draw_help(const Style& style, FrameState& state) {
  if (!state.help) return;
  ImGui::SetNextWindowPos({ImGui::GetIO().DisplaySize.x / 2, ImGui::GetIO().DisplaySize.y / 2},
                          ImGuiCond_Always, {0.5f, 0.5f});
  if (!ImGui::Begin("Keys", &state.help,
                    ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoCollapse |
                        ImGuiWindowFlags_NoSavedSettings))
    return ImGui::End();
  if (ImGui::BeginTable("keys", 2)) {
    const auto row = [](const char* keys, const char* words) {
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(keys);
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(words);
    };
    ImGui::TableSetupColumn("key", ImGuiTableColumnFlags_WidthFixed, style.unit(20));
    ImGui::TableSetupColumn("what");
    for (const Command& command : all_commands()) row(command.keys, command.sentence);
    row("wheel", "zoom a plot at the pointer; Ctrl finer, Shift faster");
    row("W and S", "zoom the plot under the pointer in and out");
    row("A and D, arrows, right drag", "pan it; Ctrl finer, Shift faster");
    row("Shift + drag", "zoom a plot to a box");
    row("double click", "fit a plot to its points");
    row("Ctrl + click on a slider", "type a value");
    row("right click in a table", "copy a cell, its value or the row; export the rows");
    row("> 5, <= 100 µs, < 50 %", "in a filter box: compare the figure; other text is found");
    ImGui::EndTable();
  }
  ImGui::End();
}

void draw_lesson(const Style& style, FrameState& state) {
  if (state.lesson_text.empty()) return;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({display.x - style.unit(2), display.y - style.unit(6)}, ImGuiCond_Always,
                          {1.0f, 1.0f});
  ImGui::SetNextWindowSize({std::min(style.unit(76), display.x * 0.55f), 0});
  ImGui::PushStyleColor(ImGuiCol_Border, style.colours.accent);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, std::max(1.0f, style.unit(0.2f)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {style.unit(2), style.unit(1.5f)});
  ImGui::Begin("lesson", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize);
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.accent);
  ImGui::Text("%s  ·  %d of %d", state.lesson_title.c_str(), state.lesson_step, state.lesson_steps);
  ImGui::PopStyleColor();
  ImGui::TextWrapped("%s", state.lesson_text.c_str());
  if (ImGui::Button("back")) state.lesson_move = -1;
  ImGui::SameLine();
  if (ImGui::Button("next")) state.lesson_move = 1;
  ImGui::SameLine();
  ImGui::TextDisabled("B and N");
  ImGui::End();
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor();
}

void draw_toasts(Workspace& workspace, const Style& style, FrameState& state) {
  for (const std::string& notice : workspace.notices()) toast(state, notice);
  workspace.clear_notices();
  std::erase_if(state.toasts, [](const auto& t) { return t.first < ImGui::GetTime(); });
  constexpr std::size_t kMost = 4;
  if (state.toasts.size() > kMost)
    state.toasts.erase(state.toasts.begin(), state.toasts.end() - kMost);
  if (state.toasts.empty()) return;
  ImGui::SetNextWindowPos({ImGui::GetIO().DisplaySize.x / 2, style.unit(6)}, ImGuiCond_Always,
                          {0.5f, 0});
  ImGui::SetNextWindowSize({std::min(style.unit(90), ImGui::GetIO().DisplaySize.x * 0.8f), 0});
  ImGui::Begin("notices", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoFocusOnAppearing |
                   ImGuiWindowFlags_AlwaysAutoResize);
  for (const auto& [until, words] : state.toasts) ImGui::TextWrapped("%s", words.c_str());
  ImGui::End();
}

// Plays the trace, and lets last frame's hovering light up this frame's diagrams.
void advance_diagrams(Workspace& workspace) {
  TraceSelection& t = workspace.selection.trace;
  t.hovered = std::exchange(t.hovering, {});
  if (!t.playing) return;
  const TraceState traced = trace_state(workspace, workspace.selection.variant);
  if (traced.trace == nullptr) {
    t.playing = false;
    return;
  }
  settle(t, *traced.trace);
  play(t, *traced.trace, ImGui::GetIO().DeltaTime);
}

// Letters, digits, dots and dashes of a name that a session may have made up.
std::string file_name_of(std::string name) {
  for (char& c : name) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '.' || c == '-';
    if (!plain) c = '_';
  }
  return name;
}

// Does what a panel's export button asked for.
void grant_wish(Workspace& workspace, FrameState& state) {
  ExportWish wish = std::exchange(workspace.selection.wish, {});
  if (wish.kind == ExportWish::Kind::picture) state.screenshot = wish.panel;
  if (wish.kind == ExportWish::Kind::rows) {
    if (!wish.text.empty())
      return export_to(state, ("warpscope-" + wish.panel + ".csv").c_str(), wish.text);
    // Asked for before the table was drawn in this frame, or where there is no table.
    constexpr int kMostFrames = 3;
    if (++wish.frames > kMostFrames)
      return toast(state, "there are no rows to write: the table of this tab is empty or closed");
    workspace.selection.wish = std::move(wish);
    return;
  }
  if (wish.kind == ExportWish::Kind::raster) {
    const Picture* picture = picture_to_write(workspace, wish.text);
    if (picture == nullptr) return toast(state, "there is no picture to write");
    const std::string path = "warpscope-" + file_name_of(picture->name) + ".png";
    const Result<void> written =
        write_png(path, picture->rgb.data(), picture->width, picture->height);
    return toast(state, written ? "wrote " + path : sentence(written.error()));
  }
  if (wish.kind != ExportWish::Kind::accesses) return;
  const TraceState traced = trace_state(workspace, workspace.selection.variant);
  if (traced.trace == nullptr)
    return toast(state, "there is no trace of this variant to write: press trace in Coalescing");
  export_to(state, "warpscope-accesses.csv",
            accesses_csv(*traced.trace, counters_of(workspace, *traced.trace)));
}

// Where the regions and the gaps between them stand in this frame.
struct Layout {
  ImVec2 display;
  float pad = 0, gap = 0, status = 0;
  float top = 0, width = 0, height = 0;    // of all regions
  float left = 0, right_x = 0, right = 0;  // widths of the two columns, and the second's x
  float axes = 0, upper = 0, lower = 0;    // heights
  float centre = 0, diagrams = 0;          // widths in the second column's upper part
};

// The window has begun: its cursor stands where the top bar does.
Layout layout_of(const Style& style, const FrameState& state) {
  Layout l;
  l.display = ImGui::GetIO().DisplaySize;
  l.gap = style.unit(0.75f);
  l.pad = style.unit(1);
  // The bar is one line of buttons.
  l.top = ImGui::GetCursorScreenPos().y + ImGui::GetFrameHeightWithSpacing();
  l.status = ImGui::GetFrameHeight() + l.pad;
  l.height = l.display.y - l.top - l.status - l.pad;
  l.width = l.display.x - 2 * l.pad;
  l.left = std::floor(l.width * state.left_ratio);
  l.right_x = l.pad + l.left + l.gap;
  l.right = l.width - l.left - l.gap;
  l.axes = std::floor(l.height * state.axes_ratio);
  l.lower = std::floor(l.height * state.bottom_ratio);
  l.upper = l.height - l.lower - l.gap;
  l.diagrams = std::floor(l.right * state.right_ratio);
  l.centre = l.right - l.diagrams - l.gap;
  return l;
}

// The panels stand on the cleared frame; what is between them is painted.
void paint_between(const Layout& l, const Style& style) {
  const float bottom = l.top + l.height;
  const std::pair<ImVec2, ImVec2> between[] = {
      {{0, 0}, {l.display.x, l.top}},
      {{0, bottom}, l.display},
      {{0, l.top}, {l.pad, bottom}},
      {{l.display.x - l.pad, l.top}, {l.display.x, bottom}},
      {{l.pad + l.left, l.top}, {l.right_x, bottom}},
      {{l.pad, l.top + l.axes}, {l.pad + l.left, l.top + l.axes + l.gap}},
      {{l.right_x + l.centre, l.top}, {l.right_x + l.centre + l.gap, l.top + l.upper}},
      {{l.right_x, l.top + l.upper}, {l.right_x + l.right, l.top + l.upper + l.gap}}};
  for (const auto& [from, to] : between)
    ImGui::GetWindowDrawList()->AddRectFilled(from, to, style.colours.window);
}

void draw_regions(const Layout& l, Workspace& workspace, PanelStates& panels, const Style& style,
                  FrameState& state) {
  draw_titled("axes", {l.pad, l.top}, {l.left, l.axes}, workspace, panels, style, state);
  draw_titled("variants", {l.pad, l.top + l.axes + l.gap}, {l.left, l.height - l.axes - l.gap},
              workspace, panels, style, state);
  draw_tabs(Region::centre, "centre", {l.right_x, l.top}, {l.centre, l.upper}, state.centre_tab,
            workspace, panels, style, state);
  draw_tabs(Region::right, "right", {l.right_x + l.centre + l.gap, l.top}, {l.diagrams, l.upper},
            state.right_tab, workspace, panels, style, state);
  draw_tabs(Region::bottom, "bottom", {l.right_x, l.top + l.upper + l.gap}, {l.right, l.lower},
            state.bottom_tab, workspace, panels, style, state);
}

void draw_splitters(const Layout& l, const Style& style, FrameState& state) {
  splitter("split-left", true, {l.pad + l.left, l.top}, {l.gap, l.height}, l.width,
           state.left_ratio, 0.16f, 0.45f, style);
  splitter("split-axes", false, {l.pad, l.top + l.axes}, {l.left, l.gap}, l.height,
           state.axes_ratio, 0.15f, 0.8f, style);
  float centre_ratio = 1 - state.right_ratio;
  splitter("split-right", true, {l.right_x + l.centre, l.top}, {l.gap, l.upper}, l.right,
           centre_ratio, 0.2f, 0.8f, style);
  state.right_ratio = 1 - centre_ratio;
  float upper_ratio = 1 - state.bottom_ratio;
  splitter("split-bottom", false, {l.right_x, l.top + l.upper}, {l.right, l.gap}, l.height,
           upper_ratio, 0.25f, 0.85f, style);
  state.bottom_ratio = 1 - upper_ratio;
}

}  // namespace

void draw_workbench(Workspace& workspace, PanelStates& panels, const Style& style,
                    FrameState& state) {
  state.last_boxes = std::exchange(state.boxes, {});
  advance_diagrams(workspace);
  // While text is typed only the keys of tables are commands.
  if (!ImGui::GetIO().WantTextInput || letter_down('F') || letter_down('E')) {
    for (const Command& command : all_commands()) {
      if (command.pressed()) command.act(workspace, panels, state);
    }
  }
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
  ImGui::Begin("workbench", nullptr, kFixed);
  const Layout l = layout_of(style, state);
  paint_between(l, style);
  draw_top_bar(workspace, style, state);
  draw_regions(l, workspace, panels, style, state);
  state.wanted_tab.clear();
  for (PlotView* view : plot_views(panels)) view->wish = ViewWish::none;
  draw_splitters(l, style, state);
  ImGui::SetCursorScreenPos({l.pad, l.display.y - l.status});
  draw_status(workspace, style);
  ImGui::End();
  grant_wish(workspace, state);
  draw_help(style, state);
  draw_lesson(style, state);
  draw_toasts(workspace, style, state);
}

}  // namespace warpscope
