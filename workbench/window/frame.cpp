// workbench/window/frame.cpp: one frame of the whole window: top bar, columns with tabs, status,
// help.
#include "workbench/window/frame.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cctype>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "profiling/access/trace_view.h"
#include "profiling/text/glossary.h"
#include "scenes/host/input_file.h"
#include "scenes/host/write_file.h"
#include "workbench/docking/tabs.h"
#include "workbench/drawing/keys.h"
#include "workbench/window/files/exercise.h"
#include "workbench/window/maximised.h"
#include "workbench/window/offscreen.h"
#include "workbench/window/presenter.h"
#include "workbench/window/strip.h"
#include "workbench/window/top_bar.h"
#include "workbench/workspace/selection/trace_steps.h"
#include "workbench/workspace/trace_state.h"

namespace warpscope {

void toast(FrameState& state, std::string words) { state.notices.say(std::move(words)); }

void export_to(FrameState& state, const char* path, const std::string& text) {
  if (state.attended) return ask_where(state, path, text);
  const std::filesystem::path free = unused_path(path);
  const Result<void> written = write_file(free, text);
  toast(state, written ? wrote_words(free) : sentence(written.error()));
}

namespace {

constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoDecoration |
                                    ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                                    ImGuiWindowFlags_NoBringToFrontOnFocus |
                                    ImGuiWindowFlags_NoScrollWithMouse;

Box box_of_window() {
  const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  return box_at(at.x, at.y, size.x, size.y);
}

// `box` is the panel with its margins: what a picture of it shows.
void draw_panel(const PanelRow& panel, const Box& box, Workspace& workspace, PanelStates& panels,
                const Style& style, FrameState& state) {
  state.boxes[panel.name] = box;
  const PanelContext context{workspace.view(),
                             style,
                             workspace.requests,
                             &state.spotlight,
                             state.budget ? &*state.budget : nullptr,
                             shown_program(state.open.program),
                             &state.focus};
  panel.draw(context, workspace.selection, panels);
}

// The tab in front of a place that layouts share; null: of another one.
std::string* shared_tab(const std::string& place, FrameState& state) {
  if (place == "left") return &state.left_tab;
  if (place == "centre") return &state.centre_tab;
  if (place == "right") return &state.right_tab;
  return place == "bottom" ? &state.bottom_tab : nullptr;
}

std::string& active_tab(const Place& place, bool folded, FrameState& state) {
  if (folded && place.name == "right") return state.stacked_tab;
  std::string* shared = shared_tab(place.name, state);
  return shared != nullptr ? *shared : *place.front;
}

// A list that has a place alone: its title is dragged as a tab is.
void draw_title(const PanelRow& panel, FrameState& state) {
  ImGui::TextDisabled("%s", panel.title);
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
  if (!ImGui::IsWindowHovered() || !ImGui::IsMouseHoveringRect(low, high)) return;
  Docking& docks = state.docks;
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) docks.drag.armed = panel.name;
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Right)) docks.menu.tab_wanted = panel.name;
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Middle)) close_panel(edit(docks), panel.name);
}

void act_on_tabs(const TabEvents& events, const std::string& large, FrameState& state) {
  Docking& docks = state.docks;
  maximise_by_click(events.twice, large, state);
  if (events.menu != nullptr) docks.menu.tab_wanted = events.menu->name;
  if (events.dragged != nullptr && large.empty()) docks.drag.panel = events.dragged->name;
  if (events.closed != nullptr) close_panel(edit(docks), events.closed->name);
}

void draw_place(const Place& place, bool folded, Workspace& workspace, PanelStates& panels,
                const Style& style, FrameState& state) {
  ImGui::SetCursorScreenPos({place.box.x0, place.box.y0});
  std::vector<Tab> tabs;
  for (const PanelRow* panel : place.panels) tabs.push_back({panel->name, panel->title});
  const ImGuiWindowFlags still =
      place.titled ? 0 : ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoScrollbar;
  ImGui::BeginChild(place.name.c_str(), {place.box.width(), place.box.height()},
                    ImGuiChildFlags_AlwaysUseWindowPadding | kReached, still);
  begin_region(state.focus);
  Box box = box_of_window();
  if (place.titled) {
    draw_title(*place.panels.front(), state);
    draw_panel(*place.panels.front(), box, workspace, panels, style, state);
    return ImGui::EndChild();
  }
  std::string& active = active_tab(place, folded, state);
  const auto is_here = [&tabs](const std::string& name) {
    return std::any_of(tabs.begin(), tabs.end(), [&](const Tab& tab) { return name == tab.name; });
  };
  for (const std::string& name : state.more_tabs) active = is_here(name) ? name : active;
  const bool large = is_here(state.maximised);
  if (large) active = state.maximised;
  if (is_here(state.wanted_tab)) active = state.wanted_tab;
  if (!is_here(active)) active = tabs.front().name;
  if (place.front != nullptr) *place.front = active;
  const TabEvents events = draw_tabs(tabs, active, style);
  const PanelRow& panel = *find_panel(active);
  act_on_tabs(events, large ? active : "", state);
  box.y0 = ImGui::GetCursorScreenPos().y - ImGui::GetStyle().ItemSpacing.y;  // below the tabs
  // A wheel over a plot zooms it; lists of the left column are scrolled.
  const bool list = panel.region == Region::left_top || panel.region == Region::left_bottom;
  ImGui::BeginChild(panel.name, {0, 0}, kReached, list ? 0 : ImGuiWindowFlags_NoScrollWithMouse);
  draw_panel(panel, box, workspace, panels, style, state);
  ImGui::EndChild();
  ImGui::EndChild();
}

void draw_windows(Workspace& workspace, PanelStates& panels, const Style& style,
                  FrameState& state) {
  const ImGuiViewport& main = *ImGui::GetMainViewport();
  for (PanelWindow& window : state.docks.present.windows) {
    const PanelRow* panel = find_panel(window.panel);
    if (panel == nullptr || !panel->belongs(workspace.view())) continue;
    if (window.width <= 0) window.width = style.unit(70);
    if (window.height <= 0) window.height = style.unit(50);
    ImGui::SetNextWindowPos({main.Pos.x + window.x, main.Pos.y + window.y}, ImGuiCond_Appearing);
    ImGui::SetNextWindowSize({window.width, window.height}, ImGuiCond_Appearing);
    if (window.panel == state.wanted_tab) ImGui::SetNextWindowFocus();
    bool open = true;
    ImGui::PushStyleColor(ImGuiCol_WindowBg, style.colours.panel);
    const std::string name = std::string(panel->title) + "###window " + panel->name;
    const bool seen = ImGui::Begin(name.c_str(), &open,
                                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoCollapse |
                                       ImGuiWindowFlags_NoScrollWithMouse);
    ImGui::PopStyleColor();
    const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
    window = {window.panel, at.x - main.Pos.x, at.y - main.Pos.y, size.x, size.y};
    if (is_moved_by_pointer()) {
      state.docks.drag.panel = window.panel;
      state.docks.drag.of_window = true;
    }
    if (seen) {
      begin_region(state.focus);
      draw_panel(*panel, box_of_window(), workspace, panels, style, state);
    }
    ImGui::End();
    if (!open) close_panel(edit(state.docks), window.panel);
  }
}

// A layout that was chosen has its own tabs in front.
void take_fronts(FrameState& state) {
  for_each_leaf(state.docks.present.root, [&state](DockNode& leaf) {
    if (std::string* shared = shared_tab(leaf.name, state)) *shared = leaf.front;
  });
}

// What was changed in the last frame, and panels that are wanted though they are closed.
void begin_docking(FrameState& state) {
  Docking& docks = state.docks;
  if (auto next = std::exchange(docks.next, std::nullopt)) docks.present = std::move(*next);
  if (std::exchange(docks.fronts_changed, false)) take_fronts(state);
  if (std::string shown = std::exchange(docks.shown_panel, {}); !shown.empty())
    state.wanted_tab = std::move(shown);
  for (const std::string* name : {&state.wanted_tab, &state.maximised})
    open_panel(docks.present, *name);
  for (const std::string& name : state.more_tabs) open_panel(docks.present, name);
  // A window of its own is as large as it is.
  if (window_of(docks.present, state.maximised) != nullptr) state.maximised.clear();
}

void draw_status(Workspace& workspace, const Style& style) {
  const WorkProgress progress = workspace.view().progress();
  const std::optional<EngineDelay> delay = workspace.view().engines.delay();
  ImGui::AlignTextToFramePadding();
  if (progress.busy) {
    ImGui::ProgressBar(static_cast<float>(progress.ratio), {style.unit(20), 0}, "");
    ImGui::SameLine();
    if (ImGui::Button("cancel")) workspace.requests.ask(request::Cancel{});
    ImGui::SameLine();
    draw_fitting_text(delay ? delay_text(*delay) : progress.text, ImGui::GetContentRegionAvail().x);
    return;
  }
  ImGui::PushStyleColor(ImGuiCol_Text, delay ? style.colours.warning : style.colours.muted);
  std::string text = workspace.view().key();
  if (workspace.view().recorded()) {
    std::string device = workspace.view().device();
    for (const DeviceName& known : workspace.session().devices()) {
      if (known.id() == device) device = to_text(known);
    }
    const std::string missing = workspace.view().points.not_recorded();
    if (workspace.view().is_emulated_alone()) {
      text = "emulated: no GPU here · " + text;
    } else {
      text = "recorded session " + workspace.view().opened.recorded_name() +
             (device.empty() ? "" : ", " + device) + " · " + (missing.empty() ? text : missing);
    }
  }
  draw_fitting_text(delay ? delay_text(*delay) : text, ImGui::GetContentRegionAvail().x);
  ImGui::PopStyleColor();
}

struct HelpRow {
  Task task;
  const char* keys;
  const char* words;
};

// What the mouse does, and keys that are held.
constexpr HelpRow kMouse[] = {
    {Task::panels, "drag a tab or a title",
     "move its panel to another place, or beside one at its edge"},
    {Task::panels, "right click on a tab",
     "close it, split it off, or move it; middle click closes it"},
    {Task::scenes, "Ctrl + click on a slider", "type a value"},
    {Task::plots, "wheel", "zoom a plot at the pointer; Ctrl finer, Shift faster"},
    {Task::plots, "W and S", "zoom the plot under the pointer in and out"},
    {Task::plots, "A and D, arrows, right drag", "pan it; Ctrl finer, Shift faster"},
    {Task::plots, "Shift + drag", "zoom a plot to a box"},
    {Task::plots, "double click", "fit a plot to its points"},
    {Task::plots, "right click in a table", "copy a cell, its value or the row; export the rows"},
    {Task::plots, "> 5, <= 100 µs, < 50 %",
     "in a filter box: compare the figure; other text is searched for"},
};

// Whether a text has what was typed, whatever the case.
bool has_typed(std::string_view text, std::string_view filter) {
  return std::search(text.begin(), text.end(), filter.begin(), filter.end(), [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) ==
                  std::tolower(static_cast<unsigned char>(b));
         }) != text.end();
}

// The rows by task that have what was typed, in the heading, the keys or the words.
std::vector<HelpRow> help_rows(const std::string& filter) {
  std::vector<HelpRow> rows;
  const auto found = [&](const char* text) { return has_typed(text, filter); };
  const auto add = [&](const HelpRow& row) {
    if (found(to_text(row.task)) || found(row.keys) || found(row.words)) rows.push_back(row);
  };
  for (const Command& command : all_commands()) add({command.task, command.keys, command.sentence});
  for (const HelpRow& row : kMouse) add(row);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const HelpRow& a, const HelpRow& b) { return a.task < b.task; });
  return rows;
}

// Rows of whole tasks below each other, each task with its heading.
void draw_help_rows(const Style& style, std::span<const HelpRow> rows) {
  for (std::size_t i = 0; i < rows.size();) {
    const Task task = rows[i].task;
    ImGui::PushStyleColor(ImGuiCol_Text, style.colours.accent);
    ImGui::TextWrapped("%s", to_text(task));
    ImGui::PopStyleColor();
    const bool drawn = ImGui::BeginTable(to_text(task), 2);
    if (drawn) {
      ImGui::TableSetupColumn("key", ImGuiTableColumnFlags_WidthFixed, style.unit(20));
      ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthStretch);
    }
    for (; i < rows.size() && rows[i].task == task; ++i) {
      if (!drawn) continue;
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      ImGui::TextWrapped("%s", rows[i].keys);
      ImGui::TableNextColumn();
      ImGui::TextWrapped("%s", rows[i].words);
    }
    if (drawn) ImGui::EndTable();
    ImGui::Dummy({0, style.unit(0.5f)});
  }
}

constexpr const char* kGlossary = "Glossary";

std::vector<const Term*> help_terms(const std::string& filter) {
  std::vector<const Term*> terms;
  for (const Term& term : glossary().terms()) {
    if (has_typed(kGlossary, filter) || has_typed(term.name, filter) ||
        has_typed(term.meaning, filter))
      terms.push_back(&term);
  }
  return terms;
}

void draw_help_terms(const Style& style, const std::vector<const Term*>& terms) {
  if (terms.empty()) return;
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.accent);
  ImGui::TextUnformatted(kGlossary);
  ImGui::PopStyleColor();
  if (!ImGui::BeginTable(kGlossary, 2)) return;
  ImGui::TableSetupColumn("term", ImGuiTableColumnFlags_WidthFixed, style.unit(20));
  ImGui::TableSetupColumn("meaning", ImGuiTableColumnFlags_WidthStretch);
  for (const Term* term : terms) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextWrapped("%s", term->name.c_str());
    ImGui::TableNextColumn();
    ImGui::TextWrapped("%s", term->meaning.c_str());
  }
  ImGui::EndTable();
}

}  // namespace

void draw_help(const Style& style, FrameState& state) {
  if (!state.help.open) return;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos(ImGui::GetMainViewport()->GetCenter(), ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize(
      {std::min(style.unit(136), 0.94f * display.x), std::min(style.unit(120), 0.92f * display.y)});
  if (!ImGui::Begin("Keys", &state.help.open,
                    ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse |
                        ImGuiWindowFlags_NoSavedSettings))
    return ImGui::End();
  ImGui::SetNextItemWidth(std::min(style.unit(40), ImGui::GetContentRegionAvail().x));
  ImGui::InputTextWithHint("##filter", "filter: a key or a word", &state.help.filter);
  const std::vector<HelpRow> rows = help_rows(state.help.filter);
  const std::vector<const Term*> terms = help_terms(state.help.filter);
  if (rows.empty() && terms.empty()) draw_note(style, "No key and no word of this list has that.");
  // Two columns of whole tasks where there is room.
  std::size_t split = rows.size();
  if (ImGui::GetContentRegionAvail().x > style.unit(100)) split = (rows.size() + 1) / 2;
  while (split > 0 && split < rows.size() && rows[split].task == rows[split - 1].task) ++split;
  ImGui::BeginChild("rows", {0, 0}, kReached);
  if (split == rows.size()) {
    draw_help_rows(style, rows);
  } else if (ImGui::BeginTable("halves", 2)) {
    ImGui::TableNextColumn();
    draw_help_rows(style, std::span(rows).first(split));
    ImGui::TableNextColumn();
    draw_help_rows(style, std::span(rows).subspan(split));
    ImGui::EndTable();
  }
  draw_help_terms(style, terms);
  ImGui::EndChild();
  ImGui::End();
}

namespace {

// Plays the trace, and lets last frame's hovering light up this frame's diagrams.
void advance_diagrams(Workspace& workspace) {
  TraceSelection& t = workspace.selection.trace;
  t.hovered = std::exchange(t.hovering, {});
  if (!t.playing) return;
  const Trace* trace = stepped_trace(workspace.view());
  if (trace == nullptr) {
    t.playing = false;
    return;
  }
  settle(t, *trace);
  play(t, *trace, ImGui::GetIO().DeltaTime);
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
void grant_wish(Workspace& workspace, const Style& style, FrameState& state) {
  if (workspace.selection.wish.kind == ExportWish::Kind::folder) return;  // Launch takes it
  ExportWish wish = std::exchange(workspace.selection.wish, {});
  if (wish.kind == ExportWish::Kind::picture) {
    state.slide_wish = as_shown(wish.panel, style, state);
    state.slide_wish->out = unused_path("warpscope-" + wish.panel + ".png");
  }
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
    const Picture* picture = picture_to_write(workspace.view(), wish.text);
    if (picture == nullptr) return toast(state, "there is no picture to write");
    const std::filesystem::path path =
        unused_path("warpscope-" + file_name_of(picture->name) + ".png");
    const Result<void> written =
        write_png(path.string(), picture->rgb.data(), picture->width, picture->height);
    return toast(state, written ? wrote_words(path) : sentence(written.error()));
  }
  if (wish.kind != ExportWish::Kind::accesses) return;
  const TraceState traced = trace_state(workspace.view(), workspace.selection.variant);
  if (traced.trace == nullptr)
    return toast(state, "there is no trace of this variant to write: press trace in Coalescing");
  export_to(state, "warpscope-accesses.csv",
            accesses_csv(*traced.trace, counters_of(workspace.view(), *traced.trace)));
}

// The panels stand on the cleared frame; what is between them is painted.
void paint_between(const Layout& l, const Style& style) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const auto paint = [&style](ImVec2 from, ImVec2 to) {
    ImGui::GetWindowDrawList()->AddRectFilled(from, to, style.colours.window);
  };
  const ImVec2 low = ImGui::GetMainViewport()->Pos, high = {low.x + display.x, low.y + display.y};
  paint(low, {high.x, l.all.y0});
  paint({low.x, l.all.y1}, high);
  paint({low.x, l.all.y0}, {l.all.x0, l.all.y1});
  paint({l.all.x1, l.all.y0}, {high.x, l.all.y1});
  if (l.places.empty()) paint({l.all.x0, l.all.y0}, {l.all.x1, l.all.y1});
  for (const Splitter& s : l.splitters) paint({s.box.x0, s.box.y0}, {s.box.x1, s.box.y1});
}

void draw_no_places(const Box& all, const Style& style) {
  ImGui::SetCursorScreenPos({all.x0 + style.unit(1), all.y0 + style.unit(1)});
  draw_note(style,
            "All panels are closed. The menu “panels” in the top bar brings them back (Ctrl+B).");
}

// The command that the palette chose, and those whose keys went down.
void act_on_keys(Workspace& workspace, PanelStates& panels, FrameState& state) {
  if (const Command* chosen = std::exchange(state.help.palette.pending, nullptr))
    chosen->act(workspace, panels, state);
  // While text is typed only the keys of tables are commands.
  const bool asks = state.help.palette.shown || state.open.shown || state.open.save.shown ||
                    !state.open.uses.empty() || (state.attended && !missed_files().empty());
  if (!asks && (!ImGui::GetIO().WantTextInput || letter_down('F') || letter_down('E'))) {
    for (const Command& command : all_commands()) {
      if (command.pressed()) command.act(workspace, panels, state);
    }
  }
}

// Opens the columns that a step of a lesson shows, and afterwards those from before the lesson.
void take_columns(LessonStrip& strip, SourcePanel& source) {
  const auto wish = std::exchange(strip.columns_wish, {});
  if (!wish) return;
  if (!wish->empty()) {
    if (strip.columns_before.empty()) strip.columns_before = source.open;
    source.open = *wish;
    source.view = SourceView::columns;
  } else if (!strip.columns_before.empty()) {
    source.open = std::exchange(strip.columns_before, {});
  }
}

}  // namespace

void draw_workbench(Workspace& workspace, PanelStates& panels, const Style& style,
                    FrameState& state) {
  state.last_boxes = std::exchange(state.boxes, {});
  state.spotlight.box = {};
  advance_diagrams(workspace);
  begin_focus(state.focus);
  act_on_keys(workspace, panels, state);
  follow_exercise(workspace, panels.exercise);
  if (const auto path = std::exchange(state.path_wish, {})) panels.roofline.path = *path;
  take_columns(state.strip, panels.source);
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  if (workspace.selection.show_source.line > 0) state.wanted_tab = "source";
  if (const std::string panel = std::exchange(workspace.selection.wanted_panel, {}); !panel.empty())
    state.wanted_tab = panel;
  begin_docking(state);
  const ImVec2 corner = ImGui::GetMainViewport()->Pos;
  ImGui::SetNextWindowPos(corner);
  ImGui::SetNextWindowSize(display);
  ImGui::SetNextWindowViewport(ImGui::GetMainViewport()->ID);
  ImGui::Begin("workbench", nullptr, kFixed);
  // The bar is one line of buttons.
  const float pad = style.unit(1), left = corner.x + pad, right = corner.x + display.x - pad,
              top = ImGui::GetCursorScreenPos().y + ImGui::GetFrameHeightWithSpacing(),
              status = corner.y + display.y - ImGui::GetFrameHeight() - pad;
  const float strip = strip_height(style, state), end = status - pad - strip;
  const auto belongs = [&](const PanelRow& panel) { return panel.belongs(workspace.view()); };
  Layout l = layout_of({left, top, right, end}, is_stacked(display, style.scale), style,
                       state.docks.present, belongs);
  const Layout whole = l;
  if (const PanelRow* panel = maximised_panel(state)) give_all(panel->name, l);
  paint_between(l, style);
  begin_region(state.focus);
  draw_top_bar(workspace, style, state);
  if (l.places.empty()) draw_no_places(l.all, style);
  for (const Place& place : l.places) draw_place(place, l.folded, workspace, panels, style, state);
  take_click(workspace.selection.trace.hovering, state.strip.question);
  for (PlotView* view : plot_views(panels)) view->wish = ViewWish::none;
  for (const Splitter& splitter : l.splitters) draw_splitter(splitter, style);
  draw_strip({left, status - pad / 2 - strip, right, status - pad / 2}, style, state);
  ImGui::SetCursorScreenPos({left, status});
  draw_status(workspace, style);
  draw_tab_menu(state.docks, whole, state.maximised);
  ImGui::End();
  draw_windows(workspace, panels, style, state);
  update_drag(state.docks, l, style);
  state.wanted_tab.clear();
  state.more_tabs.clear();
  draw_spotlight(l.all, style, state);
  grant_wish(workspace, style, state);
  draw_notes_window(style, state.strip.notes);
  draw_lesson_list(workspace, style, state);
  draw_capture_dialog(style, state);
  draw_open_dialog(workspace, style, state);
  draw_help(style, state);
  draw_palette(workspace, panels, style, state);
  draw_notices(state.notices, workspace, status, style);
  end_focus(state.focus, style);
}

}  // namespace warpscope
