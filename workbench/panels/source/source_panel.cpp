// workbench/panels/source/source_panel.cpp: the kernel's text, what it was compiled to, and what
// the compiler said.
#include <imgui.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "profiling/agreement/trace_metrics.h"
#include "profiling/overview/costly_line.h"
#include "scenes/base/plural.h"
#include "scenes/base/source.h"
#include "scenes/read_folder.h"
#include "workbench/drawing/focus.h"
#include "workbench/panels/diagrams/diagram.h"
#include "workbench/panels/outcome.h"
#include "workbench/panels/source/source_columns.h"
#include "workbench/panels/source/source_comparison.h"
#include "workbench/panels/source/source_editor.h"
#include "workbench/panels/source/source_lines.h"
#include "workbench/panels/source/source_listing.h"
#include "workbench/panels/source/source_text.h"
#include "workbench/panels/spotlight.h"
#include "workbench/panels/stalls/stall_causes.h"
#include "workbench/workspace/scene/kernel_files.h"
#include "workbench/workspace/scene/scene_folder.h"

namespace warpscope {
namespace {

// Below this height, what stands above the lines takes as few rows as it can.
constexpr float kLowUnits = 28, kStepsUnits = 14;

std::string resources_of(const StepRecord& step) {
  if (!step.resources) return "";
  const KernelResources& r = *step.resources;
  const auto text = [](std::int64_t v) { return std::to_string(v); };
  // The last ones have no room in a narrow panel.
  return text(r.registers_per_thread) + " registers · " +
         plural(r.blocks_per_multiprocessor, "block") + " per SM · " +
         format_value(r.theoretical_occupancy_ratio, "ratio") + " occupancy · " +
         format_value(static_cast<double>(r.static_shared_bytes + r.dynamic_shared_bytes), "B") +
         " shared · " + format_value(static_cast<double>(r.local_bytes_per_thread), "B") +
         " local · grid " + text(step.launch.grid.x) + " × " + text(step.launch.grid.y) +
         ", block " + text(step.launch.block.x) + " × " + text(step.launch.block.y);
}

// The kernel steps of a variant at the selection: from its measurement, else from the scene itself.
std::vector<StepRecord> kernel_steps(const PanelContext& context, const std::string& variant) {
  std::vector<StepRecord> steps;
  const PointState state = context.view.state(variant);
  if (state.point == nullptr) {
    // Not measured, but judged or emulated: the text is known all the same.
    if (const Measurement* judged = context.view.folder.judged(variant); judged != nullptr) {
      std::copy_if(judged->steps.begin(), judged->steps.end(), std::back_inserter(steps),
                   [](const StepRecord& step) { return step.kind == "kernel"; });
      if (!steps.empty()) return steps;
    }
    if (const Trace* trace = trace_state(context.view, variant).trace) {
      steps.emplace_back();
      steps.back().name = trace->step;
      steps.back().source = trace->source;
      steps.back().entry = trace->entry;
    }
    return steps;
  }
  for (const StepRecord& step : state.point->steps) {
    if (step.kind == "kernel") steps.push_back(step);
  }
  return steps;
}

// What the columns before the lines show; the first choice is nothing.
const LineFigureRow* chosen_figure(int heat) {
  return heat == 0 ? nullptr : &line_figures()[static_cast<std::size_t>(heat - 1)];
}

void draw_heat_choice(const Style& style, SourcePanel& state) {
  state.heat = std::clamp(state.heat, 0, static_cast<int>(line_figures().size()));
  const LineFigureRow* row = chosen_figure(state.heat);
  ImGui::SetNextItemWidth(style.unit(17));
  const std::string shown = "heat: " + (row == nullptr ? "nothing" : std::string(row->label));
  if (begin_tool_combo("##heat", shown.c_str())) {
    if (ImGui::Selectable("nothing", state.heat == 0)) state.heat = 0;
    for (std::size_t i = 0; i < line_figures().size(); ++i) {
      const int heat = static_cast<int>(i) + 1;
      if (ImGui::Selectable(line_figures()[i].label.data(), state.heat == heat)) state.heat = heat;
    }
    ImGui::EndCombo();
  }
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip(
        "The figure before each line: modelled by the emulator, measured by the "
        "counters by source line, and the difference.");
}

// The step that is shown: the chosen one, else the one that the diagrams show, else the longest
// one. Without any of these, what runs every time comes before what only prepares.
std::size_t shown_step(const PanelContext& context, const std::vector<StepRecord>& steps,
                       const Selection& selection) {
  const auto place_of = [&steps](const std::string& name) {
    const auto found = std::find_if(steps.begin(), steps.end(),
                                    [&](const StepRecord& step) { return step.name == name; });
    return static_cast<std::size_t>(found - steps.begin());
  };
  if (const std::size_t chosen = place_of(selection.step); chosen < steps.size()) return chosen;
  const TraceState traced = trace_state(context.view, selection.variant);
  if (traced.trace != nullptr && traced.freshness == Freshness::fresh) {
    if (const std::size_t at = place_of(traced.trace->step); at < steps.size()) return at;
  }
  const Measurement* point = context.view.state(selection.variant).point;
  if (const StepRecord* longest = point != nullptr ? costly_step(*point) : nullptr) {
    if (const std::size_t at = place_of(longest->name); at < steps.size()) return at;
  }
  const auto runs = std::find_if(steps.begin(), steps.end(),
                                 [](const StepRecord& step) { return step.phase == Phase::run; });
  return runs == steps.end() ? 0 : static_cast<std::size_t>(runs - steps.begin());
}

// Where there are several steps: a button per step, in a low panel a list of them. Returns the step
// that is shown.
const StepRecord& draw_step_choice(const PanelContext& context,
                                   const std::vector<StepRecord>& steps, bool low,
                                   Selection& selection) {
  const Style& style = context.style;
  const std::size_t chosen = shown_step(context, steps, selection);
  if (steps.size() < 2) return steps[chosen];
  if (low && !for_slides()) {
    ImGui::SetNextItemWidth(style.unit(kStepsUnits));
    if (begin_tool_combo("##step", steps[chosen].name.c_str())) {
      for (std::size_t i = 0; i < steps.size(); ++i) {
        if (ImGui::Selectable(steps[i].name.c_str(), i == chosen)) selection.step = steps[i].name;
      }
      ImGui::EndCombo();
    }
    ImGui::SameLine();
    return steps[chosen];
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i > 0 && !for_slides()) flow(ImGui::CalcTextSize(steps[i].name.c_str()).x + style.unit(3));
    if (i > 0 && for_slides()) ImGui::SameLine();
    ImGui::PushStyleColor(ImGuiCol_Text, i == chosen ? style.colours.accent : style.colours.muted);
    if (tool_button(steps[i].name.c_str())) selection.step = steps[i].name;
    ImGui::PopStyleColor();
  }
  flow(style.unit(80));  // what follows, where it has room
  return steps[chosen];
}

// What is known line by line of the text that is shown.
struct FiguresByLine {
  const Trace* trace = nullptr;            // modelled
  const LineCounters* counters = nullptr;  // measured
  std::string earlier;  // why neither stands beside these lines: they are of an earlier text
  bool any() const {
    return trace != nullptr ||
           (counters != nullptr && (!counters->rows.empty() || !counters->missing.empty()));
  }
};

FiguresByLine figures_by_line(const PanelContext& context, const Selection& selection,
                              const StepRecord& step) {
  // The trace of this step where there is one, else one of the same text.
  const Session& session = context.view.session();
  FiguresByLine found;
  found.trace = session.trace(context.view.point_id(selection.variant), step.name);
  if (found.trace == nullptr) found.trace = trace_state(context.view, selection.variant).trace;
  if (found.trace != nullptr && found.trace->source != step.source) found.trace = nullptr;
  found.counters =
      found.trace != nullptr
          ? measured_lines(point_of(session, *found.trace, context.view.device()), *found.trace)
          : &step.lines;
  // Figures of lines stand beside the lines that they are of, or not at all.
  found.earlier = context.view.files.earlier_text(step);
  if (!found.earlier.empty()) found.counters = nullptr;
  if (found.trace != nullptr && !context.view.files.earlier_text(*found.trace).empty()) {
    found.earlier = context.view.files.earlier_text(*found.trace);
    found.trace = nullptr;
  }
  return found;
}

constexpr const char* kOfLibrary =
    " is a library's own kernel, or the driver's: its text is not ours to show.";

// What can be edited of a variant that has not run: the file that stands for its copy, or the
// first.
std::string first_file_of(const SessionView& view, const Variant& variant) {
  const auto text = view.shown.catalogue().text(view.scene().name);
  if (text == nullptr) return "";
  const std::string own = text->name + "/";
  std::string first;
  for (const KernelSource& source : text->sources) {
    if (!source.path.starts_with(own) || !source.path.ends_with(".cu")) continue;
    const std::string file = source.path.substr(own.size());
    if (file == variant.name + ".cu") return file;
    if (first.empty()) first = file;
  }
  return first;
}

// Turns to the line that somebody asked for, in this step, another one, or a header.
void take_asked_line(const Catalogue& catalogue, const std::vector<StepRecord>& steps,
                     Selection& selection, SourcePanel& state) {
  const SourceLine asked = std::exchange(selection.show_source, {});
  if (asked.line <= 0) return;
  const auto named = std::find_if(steps.begin(), steps.end(), [&](const StepRecord& step) {
    return step.name == selection.step && step.source == asked.file;
  });
  const auto any = std::find_if(steps.begin(), steps.end(),
                                [&](const StepRecord& step) { return step.source == asked.file; });
  state.header.clear();
  if (named == steps.end() && any != steps.end() && steps.size() > 1) selection.step = any->name;
  if (any == steps.end()) {
    if (!catalogue.kernel(asked.file)) {
      return selection.notices.push_back(asked.file + ":" + std::to_string(asked.line) +
                                         " is in no text of this variant's kernels");
    }
    state.header = asked.file;
  }
  state.view = SourceView::columns;
  if (!is_shown(state.open, SourceColumn::text)) state.open.push_back(SourceColumn::text);
  // It is the reader's own way into this text: the hot line does not take it away.
  state.opened.forget();
  show_line(state, asked.line);
}

// Scrolls in a kernel that is opened: to its hot line as soon as there is one, until then to its
// first line. It does not scroll any more once the person has gone elsewhere.
void lead(const StepRecord& step, int hottest, SourcePanel& state) {
  const bool asked = !state.opened.last() && state.scroll_to > 0;
  if (state.opened.changes_to({step.source, step.entry, step.name})) {
    if (asked) return;
    state.header.clear();
    state.led = false;
    state.chosen = 0;
    state.scroll_to = hottest > 0 ? 0 : first_line_of(state.lines, step.entry);
  }
  if (state.led || hottest <= 0) return;
  show_line(state, hottest);
}

// Where the text stands and that it may be changed there, in one sentence; empty where only a
// session carries the text, and no file of it is here.
std::string fork_hint(const SessionView& view, const std::string& path) {
  const Catalogue& catalogue = view.shown.catalogue();
  const std::string scene = path.substr(0, path.find('/'));
  if (catalogue.text(scene) && catalogue.folder_of(scene).empty() &&
      catalogue.file_of(scene).empty())
    return "";
  const std::string after =
      view.has_device()             ? "the next run takes it as saved, and diagrams follow at once."
      : view.engines.has_emulator() ? "diagrams follow as soon as it is saved; times need a GPU."
                                    : "where an engine runs, the next run takes it as saved.";
  return "Change " + kernel_file(view, path) + " in your own editor: " + after;
}

void draw_fork_hint(const PanelContext& context, const SourcePanel& state) {
  const std::string hint = fork_hint(context.view, state.path);
  if (hint.empty()) return;
  ImGui::PushStyleColor(ImGuiCol_Text, context.style.colours.muted);
  draw_fitting_text(hint, ImGui::GetContentRegionAvail().x);
  ImGui::PopStyleColor();
  if (ImGui::IsItemHovered() && ImGui::IsMouseClicked(ImGuiMouseButton_Right))
    ImGui::SetClipboardText(kernel_file(context.view, state.path).c_str());
}

void draw_log(const Style& style, const StepRecord& step) {
  ImGui::BeginChild("log", {0, 0}, kReached, ImGuiWindowFlags_HorizontalScrollbar);
  push_face(style.mono);
  ImGui::TextUnformatted(step.compile_log.empty() ? "The compiler said nothing."
                                                  : step.compile_log.c_str());
  ImGui::PopFont();
  ImGui::EndChild();
}

// The text with its figures before it.
void draw_text_column(const PanelContext& context, Selection& selection,
                      const SourceColumns& columns, const HangStory* hang, SourcePanel& state) {
  draw_source_heading(context.style, columns);
  ImGui::BeginChild("text", {0, 0}, kReached, ImGuiWindowFlags_HorizontalScrollbar);
  push_face(context.style.mono);
  push_code_spacing(context.style);
  draw_lines(context, selection, columns, hang, state);
  ImGui::PopStyleVar();
  ImGui::PopFont();
  ImGui::EndChild();
}

// What columns show beside the text.
struct Beside {
  const Listing* listing = nullptr;          // null: there is none yet, or none is wanted
  std::vector<SourceColumn> shown;           // with the text
  const InstructionShares* waits = nullptr;  // of SASS; null: none
};
Beside beside_text(const PanelContext& context, Selection& selection, const StepRecord& step,
                   const LineCounters* counters, SourcePanel& state) {
  Beside beside{nullptr, shown_columns(context.style, state)};
  const bool machine_code = is_shown(beside.shown, SourceColumn::machine_code);
  const bool conditions =
      std::any_of(state.lines.begin(), state.lines.end(),
                  [](const std::string& line) { return line.find("#if") != std::string::npos; });
  const bool wanted = machine_code || is_shown(beside.shown, SourceColumn::ptx) || conditions;
  beside.listing = listing_here(context, selection, step, wanted, machine_code, state);
  if (beside.listing == nullptr) return beside;
  find_inactive(context.view.shown.catalogue(), state, *beside.listing);
  load_columns(context, selection, *beside.listing, counters, chosen_figure(state.heat), state);
  return beside;
}

// Whether all columns of figures would leave too little of a line's text in so many columns.
bool crowds_text(const Style& style, std::size_t shown, const SourceColumns& columns) {
  constexpr float kLeastUnits = 85, kMostRatio = 0.5f;
  const float room = ImGui::GetContentRegionAvail().x;
  return shown > 1 ? room < style.unit(kLeastUnits) * static_cast<float>(shown)
                   : figures_width(style, columns) > kMostRatio * room;
}

void draw_columns(const PanelContext& context, Selection& selection, const Beside& beside,
                  const SourceColumns& columns, const HangStory* hang, bool low,
                  SourcePanel& state) {
  const Style& style = context.style;
  constexpr const char* kNames[] = {"left", "ptx", "machine code"};
  const auto count = static_cast<float>(beside.shown.size());
  constexpr float kParts[] = {1.05f, 0.85f, 1.1f};  // of the three columns
  const float gap = style.unit(1);
  const float room = ImGui::GetContentRegionAvail().x - gap * (count - 1);
  for (std::size_t k = 0; k < beside.shown.size(); ++k) {
    if (k > 0) ImGui::SameLine(0, gap);
    const SourceColumn column = beside.shown[k];
    const bool last = k + 1 == beside.shown.size();
    ImGui::BeginChild(kNames[static_cast<std::size_t>(column)],
                      {last        ? 0
                       : count < 3 ? room / count
                                   : room / count * kParts[static_cast<std::size_t>(column)],
                       0});
    if (column == SourceColumn::text) {
      draw_text_column(context, selection, columns, hang, state);
    } else {
      draw_listing(context, selection, beside.listing, column,
                   {chosen_figure(state.heat), beside.waits, low}, state);
    }
    ImGui::EndChild();
  }
}

// "kernels/csrmm/warp_row.cu"; of a folder's "mine/warp_row.cu".
std::string place_of(const Catalogue& catalogue, const std::string& path) {
  return (catalogue.text(path.substr(0, path.find('/'))) ? "" : "kernels/") + path;
}

// The text of the folder's file in place of the lines, while it is edited.
void draw_editing(const PanelContext& context, Selection& selection, const std::string& file,
                  SourcePanel& state) {
  draw_edit_buttons(context, selection, file, state.edit);
  draw_editor(context, selection, state.edit.description ? kDescriptionFile : file, state);
}

// The names give way to the figures, and go where these fill the line.
std::string subject_in(float room, const std::string& names, const std::string& figures) {
  if (figures.empty()) return fitting(names, room);
  const std::string rest = " · " + figures;
  const float left = room - ImGui::CalcTextSize(rest.c_str()).x;
  constexpr float kLeastLetters = 12;
  return left < kLeastLetters * ImGui::CalcTextSize("n").x ? fitting(figures, room)
                                                           : fitting(names, left) + rest;
}

// Whose text is shown, and what its kernel takes: its tooltip has all of it, and in a low panel the
// hint where to change the text. Elsewhere it has a line of its own if it needs one.
void draw_subject(const PanelContext& context, const StepRecord& step, bool low,
                  SourcePanel& state) {
  const Catalogue& catalogue = context.view.shown.catalogue();
  if (!state.header.empty()) {
    if (tool_button(("back to " + step.source).c_str())) {
      state.header.clear();
      state.opened.forget();
      state.scroll_to = 0;
    }
    ImGui::SameLine();
  }
  const std::string figures = state.header.empty() ? resources_of(step) : "";
  const std::string names = state.header.empty()
                                ? place_of(catalogue, step.source) + " · " + step.entry
                                : place_of(catalogue, state.header);
  const std::string subject = names + (figures.empty() ? "" : " · " + figures);
  if (for_slides()) return draw_fitting_text(subject, ImGui::GetContentRegionAvail().x);
  const float wanted = ImGui::CalcTextSize(subject.c_str()).x;
  const bool goes_on = ImGui::GetCursorPosX() > ImGui::GetCursorStartPos().x;
  if (!low && goes_on && wanted > ImGui::GetContentRegionAvail().x) ImGui::NewLine();
  const std::string shown = subject_in(ImGui::GetContentRegionAvail().x, names, figures);
  ImGui::TextUnformatted(shown.c_str());
  if (!ImGui::IsItemHovered() || (!low && shown == subject)) return;
  const std::string hint = low ? "\n" + fork_hint(context.view, state.path) : "";
  ImGui::SetTooltip("%s%s", subject.c_str(), hint.c_str());
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Right))
    ImGui::SetClipboardText(kernel_file(context.view, state.path).c_str());
}

// The heat, the way to the hottest places and the search, which flow on where there is no room.
void draw_text_tools(const Style& style, bool figures, const SourceColumns& columns,
                     SourcePanel& state) {
  const float find = for_slides() ? 0 : style.unit(22);
  const float width = style.unit(figures ? 36 : 8) + find;
  flow(width);
  const bool goes_on = ImGui::GetCursorPosX() > ImGui::GetCursorStartPos().x;
  if (goes_on && ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
  if (figures) {
    draw_heat_choice(style, state);
    ImGui::SameLine();
    draw_hot_buttons(columns, state);
  }
  if (!for_slides()) {
    if (ImGui::GetContentRegionAvail().x < find) ImGui::NewLine();
    draw_search(style, state, find);
    ImGui::SameLine();
  }
  // A name as short as an ellipsis says nothing.
  if (ImGui::GetContentRegionAvail().x < style.unit(10)) ImGui::NewLine();
}

// A variant whose kernels are not known yet, or that has none.
void draw_without_steps(const PanelContext& context, Selection& selection, const Variant& variant,
                        SourcePanel& state) {
  const std::string file = first_file_of(context.view, variant);
  if (!context.view.shown.folder().empty() && state.edit.open)
    return draw_editing(context, selection, file, state);
  draw_edit_buttons(context, selection, file, state.edit);
  ImGui::NewLine();
  draw_note(
      context.style,
      !variant.own_kernels
          ? without_kernel(context, variant, kOfLibrary)
          : variant.label + " has not run yet: its kernels are shown once they are compiled.");
}

}  // namespace

void draw_source_panel(const PanelContext& context, Selection& selection, SourcePanel& state) {
  const Style& style = context.style;
  const Variant* variant = find_variant(context.view.scene(), selection.variant);
  if (variant == nullptr) {
    selection.show_source = {};
    return draw_note(style, "Nothing is selected: click a variant in the list.");
  }
  const std::vector<StepRecord> steps = kernel_steps(context, selection.variant);
  take_asked_line(context.view.shown.catalogue(), steps, selection, state);
  if (steps.empty()) return draw_without_steps(context, selection, *variant, state);
  const bool low = ImGui::GetContentRegionAvail().y < style.unit(kLowUnits);
  const StepRecord& step = draw_step_choice(context, steps, low, selection);
  const std::string file =
      file_in_folder(context.view, state.header.empty() ? step.source : state.header);
  const bool editable = !file.empty() || state.edit.description || state.edit.unsaved();
  if (state.edit.open && editable && !context.view.shown.folder().empty() && !for_slides())
    return draw_editing(context, selection, file, state);
  const FiguresByLine figures = figures_by_line(context, selection, step);
  draw_view_choice(style, state);
  flow(style.unit(30));
  draw_edit_buttons(context, selection, file, state.edit);
  if (state.view == SourceView::compile_log) {
    ImGui::SameLine();
    draw_subject(context, step, low, state);
    return draw_log(style, step);
  }
  if (state.view == SourceView::comparison) {
    ImGui::NewLine();
    return draw_sass_comparison(
        context, selection, step,
        [&](const std::string& variant_name) { return kernel_steps(context, variant_name); },
        state);
  }
  SourceColumns columns =
      source_columns(style, figures.any() ? chosen_figure(state.heat) : nullptr, figures.trace,
                     figures.counters, state.header.empty() ? step.source : state.header);
  const KnownStalls stalls = stalls_once(context, selection.variant, step.name, state.stalls);
  const bool waits =
      stalls.report != nullptr && figures.earlier.empty() && stalls.trace->step == step.name;
  if (columns.row != nullptr && waits)
    add_waits(style, *stalls.report, state.header.empty() ? step.source : state.header, columns);
  load_text(context.view.shown.catalogue(), state,
            state.header.empty() ? step.source : state.header);
  lead(step, columns.hot.empty() ? 0 : columns.hot.front(), state);
  Beside beside = beside_text(context, selection, step, figures.counters, state);
  if (waits) beside.waits = stalls.shares;
  if (crowds_text(style, beside.shown.size(), columns)) narrow(columns);
  draw_text_tools(style, figures.any() || !state.machine.hot.empty(), columns, state);
  draw_subject(context, step, low, state);
  if (!for_slides() && !low) draw_fork_hint(context, state);
  draw_judgement(context, selection, state);
  if (!figures.earlier.empty())
    draw_age(style, "○ figures by line are " + figures.earlier +
                        ": they are not shown beside these lines");
  const bool hangs = figures.trace != nullptr && figures.trace->hang.has_value();
  draw_columns(context, selection, beside, columns, hangs ? &*figures.trace->hang : nullptr, low,
               state);
}

}  // namespace warpscope
