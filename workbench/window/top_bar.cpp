// workbench/window/top_bar.cpp: scene, device, live, run, counters, sweep, export and theme in one
// line.
#include "workbench/window/top_bar.h"

#include <imgui.h>

#include <algorithm>

#include "profiling/access/line_counters.h"
#include "profiling/export/export.h"
#include "scenes/base/plural.h"
#include "scenes/catalogue.h"
#include "workbench/window/files/exports.h"
#include "workbench/window/presenter.h"
#include "workbench/workspace/jobs/job_scheduler.h"
#include "workbench/workspace/scene/scene_words.h"

namespace warpscope {
namespace {

// What the buttons say; the short words where the window is narrow.
struct BarWords {
  std::string live, run, counters, sweep, baseline, lessons, open, panels, export_menu, theme;
};

// The set to be collected, and in a recorded session that of the point in focus.
std::string counters_words(const Workspace& workspace, bool brief) {
  std::string set = workspace.selection.counters;
  const Measurement* point = workspace.view().recorded()
                                 ? workspace.view().state(workspace.selection.variant).point
                                 : nullptr;
  if (point != nullptr && point->counter_passes > 0) set = point->counters;
  std::string words = brief ? brief_counters(set) : "counters " + brief_counters(set);
  if (const std::optional<int> passes = counter_passes(workspace.session(), set))
    words += ", " + plural(*passes, "pass", "passes");
  return words;
}

std::string axes_to_sweep(const Workspace& workspace) {
  const std::string& second = workspace.selection.sweep_second_axis;
  return axis_to_sweep(workspace) + (second.empty() ? "" : " × " + second);
}

BarWords bar_words_of(const Workspace& workspace, const FrameState& state, bool brief) {
  BarWords words;
  const std::string dot = workspace.selection.live ? "●" : "○";
  words.live = brief ? dot : dot + " live";
  words.run = brief ? "▶" : "▶ run";
  words.counters = counters_words(workspace, brief);
  const SweepProgress sweep = workspace.view().jobs.sweep_progress();
  words.sweep = sweep.running() ? "■ " + sweep.axis + " " + std::to_string(sweep.done) + " of " +
                                      std::to_string(sweep.of)
                                : "sweep " + axes_to_sweep(workspace);
  words.baseline = baseline_words(workspace.selection, brief);
  words.lessons = brief ? "☰" : "lessons";
  words.open = brief ? "↑" : "open";
  words.panels = brief ? "▦ ▾" : "panels ▾";
  words.export_menu = brief ? "↓ ▾" : "export ▾";
  words.theme = state.theme == Theme::dark ? "☾" : "☀";
  return words;
}

float text_width(const std::string& text) { return ImGui::CalcTextSize(text.c_str()).x; }
float button_width(const std::string& text) {
  return text_width(text) + 2 * ImGui::GetStyle().FramePadding.x;
}
float combo_width(const std::string& text) {
  return button_width(text) + ImGui::GetFrameHeight() + ImGui::GetStyle().ItemInnerSpacing.x;
}

float width_of(const BarWords& words) {
  float width = combo_width(words.counters) + button_width("?");
  for (const std::string* text :
       {&words.live, &words.run, &words.sweep, &words.baseline, &words.lessons, &words.open,
        &words.panels, &words.export_menu, &words.theme})
    width += button_width(*text);
  constexpr float kGaps = 10;
  return width + kGaps * ImGui::GetStyle().ItemSpacing.x;
}

bool toggle_text(const Style& style, const char* text, bool on, const char* hint) {
  ImGui::PushStyleColor(ImGuiCol_Text, on ? style.colours.accent : style.colours.muted);
  const bool clicked = ImGui::Button(text);
  ImGui::PopStyleColor();
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) ImGui::SetTooltip("%s", hint);
  return clicked;
}

std::string engine_line(const Workspace& workspace) {
  const Hello* hello = workspace.session().engine();
  if (workspace.view().engines.trouble() && !workspace.view().recorded())
    return "no engine: its panel says why";
  if (hello == nullptr)
    return workspace.view().engines.has_engine() ? "the engine is starting …" : "no engine";
  if (!hello->device) return "no GPU here";
  const Capability* counters = find_capability(*hello, "counters");
  std::string text = hello->device->name;
  if (hello->device->sm_clock_mhz > 0) {
    char clock[32];
    std::snprintf(clock, sizeof clock, " · %.0f MHz", hello->device->sm_clock_mhz);
    text += clock;
  }
  if (counters == nullptr || !counters->available) return text + " · no counters";
  return text + (counters->reason.empty() ? " · counters ok" : " · counters untrusted");
}

std::string device_line(const Workspace& workspace) {
  if (workspace.view().is_emulated_alone()) return "emulated: no GPU here";
  return (workspace.view().recorded() ? "recorded: " : "") + engine_line(workspace);
}

// The device's line as far as it has room: the clock goes first, then what is said of counters.
std::string device_line_within(const std::string& whole, float room) {
  if (text_width(whole) <= room) return whole;
  const std::string_view gap = " · ";
  const std::size_t first = whole.find(gap), last = whole.rfind(gap);
  if (first == std::string::npos) return whole;
  const std::string name = whole.substr(0, first), counters = whole.substr(last);
  return text_width(name + counters) <= room ? name + counters : name;
}

// Why the counters are missing or not trusted; empty where they are well.
std::string counters_trouble(const Workspace& workspace) {
  const Hello* hello = workspace.session().engine();
  if (hello == nullptr || !hello->device) return "";
  const Capability* counters = find_capability(*hello, "counters");
  if (counters == nullptr) return "The engine does not speak of counters.";
  return counters->reason + (counters->remedy.empty() ? "" : "\n" + counters->remedy);
}

void draw_device_line(const Workspace& workspace, const Style& style, const std::string& device,
                      float room) {
  const std::string shown = device_line_within(device, room);
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.muted);
  draw_fitting_text(room > style.unit(12) ? shown : "", room);  // a few letters say nothing
  ImGui::PopStyleColor();
  const std::string trouble = counters_trouble(workspace);
  if ((!trouble.empty() || shown != device) && ImGui::IsItemHovered())
    ImGui::SetTooltip("%s%s%s", device.c_str(), trouble.empty() ? "" : "\n", trouble.c_str());
}

void draw_scene_menu(Workspace& workspace, const Style& style) {
  const Scene& scene = workspace.scene();
  float width = 0;
  const std::vector<const Scene*> all = workspace.catalogue()->all();
  for (const Scene* other : all) width = std::max(width, combo_width(other->name));
  ImGui::SetNextItemWidth(width);
  const bool open = ImGui::BeginCombo("##scene", scene.name.c_str());
  if (!open && ImGui::IsItemHovered()) {
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(style.unit(60));
    ImGui::TextUnformatted(scene.title.c_str());
    ImGui::TextUnformatted(workspace.view().words.story(scene).c_str());
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
  }
  if (!open) return;
  for (const Scene* other : all) {
    if (ImGui::Selectable((other->name + "  " + other->title).c_str(), other == &scene))
      workspace.selection.scene = other->name;
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("%s", workspace.view().words.story(*other).c_str());
  }
  ImGui::EndCombo();
}

// In a session of several devices, the one whose figures are shown.
void draw_device_menu(Workspace& workspace, float width) {
  Selection& selection = workspace.selection;
  const auto& devices = workspace.session().devices();
  std::string shown = "any device";
  for (const DeviceName& device : devices) {
    if (device.id() == workspace.view().device()) shown = to_text(device);
  }
  const std::string words = (workspace.view().recorded() ? "recorded: " : "") + shown + ", of " +
                            std::to_string(devices.size()) + " devices";
  ImGui::SetNextItemWidth(std::min(width, combo_width(words)));
  if (!ImGui::BeginCombo("##device", words.c_str())) {
    if (ImGui::IsItemHovered()) {
      ImGui::SetTooltip(
          "%s\nThis session has figures of %zu devices; those of one are shown, until another is "
          "chosen here.",
          words.c_str(), devices.size());
    }
    return;
  }
  if (!workspace.view().recorded() &&
      ImGui::Selectable("the device that is measured on", selection.device.empty()))
    selection.device.clear();
  for (const DeviceName& device : devices) {
    std::size_t points = 0;
    for (const Measurement* point : workspace.session().newest_points()) {
      points +=
          point->scene == workspace.scene().name && device_of(point->conditions).id() == device.id()
              ? 1
              : 0;
    }
    const std::string line = to_text(device) + ", " + std::to_string(points) + " points";
    if (ImGui::Selectable((line + "##" + device.id()).c_str(), selection.device == device.id())) {
      selection.device = device.id();
      if (selection.baseline_device == device.id()) selection.baseline_device.clear();
    }
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", device.uuid.c_str());
  }
  ImGui::EndCombo();
}

// A choice of counters without those by source line.
std::string without_lines(const std::string& counters) {
  const std::string lines(kLineCounterSet);
  if (counters == lines) return "none";
  const std::size_t at = counters.find("," + lines);
  return at == std::string::npos ? counters : counters.substr(0, at);
}

// The same choice, with those by source line where they were chosen before.
std::string keeping_lines(const std::string& before, const std::string& counters) {
  if (!asks_for_lines(before)) return counters;
  const std::string lines(kLineCounterSet);
  return counters == "none" ? lines : counters + "," + lines;
}

void draw_lines_choice(Workspace& workspace) {
  ImGui::Separator();
  if (ImGui::Selectable("also by line and instruction",
                        asks_for_lines(workspace.selection.counters)))
    turn_line_counters(workspace);
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip(
        "Counts sectors, wavefronts, instructions and threads of each source line and SASS\n"
        "instruction, which Source shows beside the emulator's. The kernel is patched for this\n"
        "and runs once more, many times slower. Times are measured without the patch.");
}

void draw_counters_menu(Workspace& workspace, const std::string& words) {
  Selection& selection = workspace.selection;
  ImGui::SetNextItemWidth(combo_width(words));
  if (!ImGui::BeginCombo("##counters", words.c_str())) {
    if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
      ImGui::SetTooltip("The counters collected when sliders rest (X).");
    return;
  }
  const std::string set_chosen = without_lines(selection.counters);
  if (ImGui::Selectable("none", set_chosen == "none"))
    selection.counters = keeping_lines(selection.counters, "none");
  for (const CounterSet& set : counter_sets()) {
    if (ImGui::Selectable(set.name.c_str(), set_chosen == set.name))
      selection.counters = keeping_lines(selection.counters, set.name);
    if (!ImGui::IsItemHovered()) continue;
    const std::optional<int> passes = counter_passes(workspace.session(), set.name);
    ImGui::SetTooltip("%s\n%zu counters, %s", set.sentence.c_str(), set.metrics.size(),
                      passes ? (std::to_string(*passes) + " passes when last collected").c_str()
                             : "not collected here yet");
  }
  draw_lines_choice(workspace);
  ImGui::EndCombo();
}

void draw_sweep_button(Workspace& workspace, const Style& style, FrameState& state,
                       const std::string& words) {
  const SweepProgress sweep = workspace.view().jobs.sweep_progress();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (ImGui::Button((words + "###sweep").c_str())) {
    if (sweep.running()) {
      workspace.requests.ask(request::CancelSweep{});
    } else {
      start_sweep(workspace, state);
    }
  }
  if (sweep.running()) {
    const ImVec2 size = ImGui::GetItemRectSize();
    const float done = static_cast<float>(sweep.done) / static_cast<float>(sweep.of);
    ImGui::GetWindowDrawList()->AddRectFilled({at.x, at.y + size.y - style.unit(0.375f)},
                                              {at.x + size.x * done, at.y + size.y},
                                              style.colours.accent);
  }
  if (!ImGui::IsItemHovered()) return;
  if (sweep.running()) {
    ImGui::SetTooltip("Click to cancel the sweep; what is measured stays.");
  } else {
    ImGui::SetTooltip(workspace.view().recorded()
                          ? "Show the recorded points along this axis, the one moved last (Ctrl+W)."
                          : "Measure all shown variants along this axis, the one moved last "
                            "(Ctrl+W).");
  }
}

void draw_export_menu(Workspace& workspace, FrameState& state, const std::string& words) {
  if (ImGui::Button((words + "###export").c_str())) ImGui::OpenPopup("export menu");
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("Pictures, tables and reports as files.");
  if (!ImGui::BeginPopup("export menu")) return;
  if (ImGui::MenuItem("a picture for slides …", "Ctrl+Shift+S")) toggle_capture(state);
  if (ImGui::MenuItem("window as PNG", "Ctrl+S")) state.screenshot = "window";
  for (const PanelRow& panel : all_panels()) {
    if (state.last_boxes.count(panel.name) != 0 &&
        ImGui::MenuItem((std::string(panel.title) + " as PNG").c_str()))
      workspace.selection.wish = {ExportWish::Kind::picture, panel.name, ""};
  }
  ImGui::Separator();
  for (const Export& each : all_exports()) {
    if (each.offered(workspace) && ImGui::MenuItem(each.words)) each.start(workspace, state);
  }
  ImGui::EndPopup();
}

void draw_baselines_button(Workspace& workspace, const Style& style, FrameState& state,
                           const std::string& words) {
  if (ImGui::Button((words + "###baseline").c_str())) state.open.baselines.wanted = true;
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("What Overview and Metrics compare the focus with (Ctrl+5).");
  draw_baselines_menu(workspace, style, state);
}

void draw_openers(const Workspace& workspace, const BarWords& words, FrameState& state) {
  if (ImGui::Button((words.lessons + "###lessons").c_str())) toggle_lessons(workspace, state);
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("Stories told with these figures (Ctrl+L).");
  ImGui::SameLine();
  if (ImGui::Button((words.open + "###open").c_str())) show_open_dialog(state, state.open.kind);
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("Open a session, a lesson, a matrix, frames or a kernel (Ctrl+O).");
}

void draw_panels_button(Workspace& workspace, const Style& style, FrameState& state,
                        const std::string& words) {
  if (ImGui::Button((words + "###panels").c_str())) state.docks.menu.wanted = true;
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("Layouts, and which panels are open (Ctrl+B). Tabs are dragged to move.");
  draw_panels_menu(
      state.docks, [&workspace](const PanelRow& panel) { return panel.belongs(workspace.view()); },
      style, [&state](const std::string& words) { toast(state, words); });
}

}  // namespace

std::string axis_to_sweep(const Workspace& workspace) {
  const Selection& selection = workspace.selection;
  if (!selection.sweep_second_axis.empty()) return selection.sweep_axis;
  const Axis* touched = find_axis(workspace.scene().axes, selection.touched_axis);
  const bool number =
      touched != nullptr && (touched->kind == AxisKind::integer || touched->kind == AxisKind::real);
  return number && applies(*touched, selection.axes) ? touched->name : selection.sweep_axis;
}

void start_sweep(Workspace& workspace, FrameState& state) {
  workspace.selection.sweep_axis = axis_to_sweep(workspace);
  state.wanted_tab = "sweep";
  if (!workspace.view().recorded()) workspace.requests.ask(request::Sweep{});
}

void next_scene(Workspace& workspace) {
  const std::vector<const Scene*> scenes = workspace.catalogue()->all();
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    if (scenes[i]->name != workspace.scene().name) continue;
    workspace.selection.scene = scenes[(i + 1) % scenes.size()]->name;
    return;
  }
}

void next_counters(Workspace& workspace) {
  std::vector<std::string> names = {"none"};
  for (const CounterSet& set : counter_sets()) names.push_back(set.name);
  std::string& counters = workspace.selection.counters;
  const auto at = std::find(names.begin(), names.end(), without_lines(counters));
  const std::size_t next = at == names.end() ? 0 : static_cast<std::size_t>(at - names.begin()) + 1;
  counters = keeping_lines(counters, names[next % names.size()]);
}

void turn_line_counters(Workspace& workspace) {
  std::string& counters = workspace.selection.counters;
  counters = asks_for_lines(counters) ? without_lines(counters)
                                      : keeping_lines(std::string(kLineCounterSet), counters);
}

void draw_top_bar(Workspace& workspace, const Style& style, FrameState& state) {
  Selection& selection = workspace.selection;
  const bool recorded = workspace.view().recorded();
  draw_scene_menu(workspace, style);
  ImGui::SameLine(0, style.unit(2));
  const float left = ImGui::GetCursorPosX(),
              end = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  const std::string device = device_line(workspace);
  BarWords words = bar_words_of(workspace, state, false);
  // The device's line may be cut to about its name; before more is, the buttons get short words.
  const float least = std::min(text_width(device), style.unit(26));
  if (left + least + style.unit(2) + width_of(words) > end)
    words = bar_words_of(workspace, state, true);
  const float buttons = std::max(left, end - width_of(words));
  ImGui::AlignTextToFramePadding();
  const float room = std::max(0.0f, buttons - left - style.unit(2));
  const bool several = workspace.session().devices().size() > 1;
  if (several) {
    draw_device_menu(workspace, room);
  } else {
    draw_device_line(workspace, style, device, room);
  }
  ImGui::SameLine(buttons);
  ImGui::BeginDisabled(recorded);
  if (toggle_text(style, (words.live + "###live").c_str(), selection.live,
                  recorded ? "A recorded session: there is no GPU here to measure on."
                           : "Measure while sliders move (L)."))
    selection.live = !selection.live;
  ImGui::SameLine();
  if (ImGui::Button((words.run + "###run").c_str())) workspace.requests.ask(request::Measure{});
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) {
    ImGui::SetTooltip(recorded ? "A recorded session: there is no GPU here to measure on."
                               : "Measure all shown variants carefully (F5).");
  }
  ImGui::SameLine();
  draw_counters_menu(workspace, words.counters);
  ImGui::EndDisabled();
  ImGui::SameLine();
  draw_sweep_button(workspace, style, state, words.sweep);
  ImGui::SameLine();
  draw_baselines_button(workspace, style, state, words.baseline);
  ImGui::SameLine();
  draw_openers(workspace, words, state);
  ImGui::SameLine();
  draw_panels_button(workspace, style, state, words.panels);
  ImGui::SameLine();
  draw_export_menu(workspace, state, words.export_menu);
  ImGui::SameLine();
  if (toggle_text(style, (words.theme + "###theme").c_str(), false, "Dark or light (T).")) {
    state.theme = state.theme == Theme::dark ? Theme::light : Theme::dark;
    state.style_changed = true;
  }
  ImGui::SameLine();
  if (toggle_text(style, "?", false, "All keys (F1).")) state.help.open = !state.help.open;
}

}  // namespace warpscope
