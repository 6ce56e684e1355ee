// workbench/panels/source_panel.cpp: the kernel's text, its resources, and what the compiler said.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "profiling/agreement/trace_metrics.h"
#include "scenes/base/source.h"
#include "workbench/drawing/focus.h"
#include "workbench/panels/diagram.h"
#include "workbench/panels/hang_picture.h"
#include "workbench/panels/outcome.h"
#include "workbench/panels/source_lines.h"

namespace warpscope {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_keyword(std::string_view word) {
  constexpr std::array<std::string_view, 28> kWords = {"__global__",
                                                       "__device__",
                                                       "__shared__",
                                                       "__forceinline__",
                                                       "__restrict__",
                                                       "__launch_bounds__",
                                                       "extern",
                                                       "const",
                                                       "constexpr",
                                                       "int",
                                                       "long",
                                                       "float",
                                                       "float4",
                                                       "double",
                                                       "void",
                                                       "unsigned",
                                                       "if",
                                                       "for",
                                                       "while",
                                                       "return",
                                                       "else",
                                                       "template",
                                                       "typename",
                                                       "static_cast",
                                                       "reinterpret_cast",
                                                       "struct",
                                                       "bool",
                                                       "break"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

// One line in up to three colours: comments, keywords and directives, the rest.
void draw_code(const Style& style, const std::string& line) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImVec2 at = ImGui::GetCursorScreenPos();
  const auto put = [&](std::string_view text, ImU32 colour) {
    list->AddText(at, colour, text.data(), text.data() + text.size());
    at.x += ImGui::CalcTextSize(text.data(), text.data() + text.size()).x;
  };
  const std::size_t comment = line.find("//");
  const std::string_view code = std::string_view(line).substr(0, comment);
  if (!code.empty() && code.front() == '#') {
    put(code, style.colours.warning);
  } else {
    std::size_t i = 0;
    while (i < code.size()) {
      std::size_t end = i + 1;
      while (end < code.size() && is_word(code[end]) == is_word(code[i])) ++end;
      const std::string_view piece = code.substr(i, end - i);
      const bool intrinsic = piece.starts_with("__") || piece == "atomicAdd" ||
                             piece == "threadIdx" || piece == "blockIdx" || piece == "blockDim" ||
                             piece == "gridDim";
      put(piece, is_keyword(piece) ? style.colours.accent
                 : intrinsic       ? style.colours.good
                                   : style.colours.text);
      i = end;
    }
  }
  if (comment != std::string::npos)
    put(std::string_view(line).substr(comment), style.colours.muted);
  ImGui::Dummy({at.x - ImGui::GetCursorScreenPos().x, ImGui::GetTextLineHeight()});
}

// Takes the lines anew when the text is another one, not every frame.
void load(SourcePanel& state) {
  const Result<KernelSource> source = read_kernel(state.path);
  const std::string content = source ? source->text : sentence(source.error());
  const std::string hash = source ? source->hash : content;
  if (hash == state.text_hash) return;
  state.text_hash = hash;
  state.lines.clear();
  std::size_t begin = 0;
  while (begin <= content.size()) {
    const std::size_t end = std::min(content.find('\n', begin), content.size());
    state.lines.push_back(content.substr(begin, end - begin));
    begin = end + 1;
  }
}

std::string resources_of(const StepRecord& step) {
  if (!step.resources) return "";
  const KernelResources& r = *step.resources;
  const auto text = [](std::int64_t v) { return std::to_string(v); };
  return text(r.registers_per_thread) + " registers · " +
         format_value(static_cast<double>(r.static_shared_bytes + r.dynamic_shared_bytes), "B") +
         " shared · " + format_value(static_cast<double>(r.local_bytes_per_thread), "B") +
         " local · " + text(r.blocks_per_multiprocessor) + " blocks an SM · " +
         format_value(r.theoretical_occupancy_ratio, "ratio") + " occupancy · grid " +
         text(step.launch.grid.x) + " × " + text(step.launch.grid.y) + ", block " +
         text(step.launch.block.x) + " × " + text(step.launch.block.y);
}

// The kernel steps of a variant at the selection: from its measurement, else from the scene itself.
std::vector<StepRecord> kernel_steps(const PanelContext& context, const Selection& selection) {
  std::vector<StepRecord> steps;
  const PointState state = context.workspace.state(selection.variant);
  if (state.point == nullptr) {
    // Not measured, but emulated: the text is known all the same.
    if (const Trace* trace = trace_state(context.workspace, selection.variant).trace) {
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
  if (ImGui::BeginCombo("##heat", shown.c_str())) {
    if (ImGui::Selectable("nothing", state.heat == 0)) state.heat = 0;
    for (std::size_t i = 0; i < line_figures().size(); ++i) {
      const int heat = static_cast<int>(i) + 1;
      if (ImGui::Selectable(line_figures()[i].label.data(), state.heat == heat)) state.heat = heat;
    }
    ImGui::EndCombo();
  }
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip(
        "What stands before each line: modelled by the emulator, measured by the "
        "counters by source line, and the difference.");
}

// A button a step, where there are several. Returns the step that is shown.
const StepRecord& draw_step_choice(const Style& style, const std::vector<StepRecord>& steps,
                                   Selection& selection) {
  std::size_t chosen = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].name == selection.step) chosen = i;
  }
  for (std::size_t i = 0; i < steps.size() && steps.size() > 1; ++i) {
    if (i > 0) ImGui::SameLine();
    ImGui::PushStyleColor(ImGuiCol_Text, i == chosen ? style.colours.accent : style.colours.muted);
    if (ImGui::Button(steps[i].name.c_str())) selection.step = steps[i].name;
    ImGui::PopStyleColor();
  }
  if (steps.size() > 1) ImGui::SameLine();
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
  const Session& session = context.workspace.session();
  FiguresByLine found;
  found.trace = session.trace(context.workspace.point_id(selection.variant), step.name);
  if (found.trace == nullptr) found.trace = trace_state(context.workspace, selection.variant).trace;
  if (found.trace != nullptr && found.trace->source != step.source) found.trace = nullptr;
  found.counters = found.trace != nullptr
                       ? measured_lines(point_of(session, *found.trace, context.workspace.device()),
                                        *found.trace)
                       : &step.lines;
  // Figures of lines stand beside the lines that they are of, or not at all.
  found.earlier = context.workspace.earlier_text(step);
  if (!found.earlier.empty()) found.counters = nullptr;
  if (found.trace != nullptr && !context.workspace.earlier_text(*found.trace).empty()) {
    found.earlier = context.workspace.earlier_text(*found.trace);
    found.trace = nullptr;
  }
  return found;
}

// The lines in view, each with its figures, or what the compiler said.
void draw_text(const Style& style, Selection& selection, const StepRecord& step,
               const SourceColumns& columns, const HangStory* hang, SourcePanel& state) {
  ImGui::BeginChild("text", {0, 0}, false, ImGuiWindowFlags_HorizontalScrollbar | kReached);
  ImGui::PushFont(style.mono);
  if (state.show_log) {
    ImGui::TextUnformatted(step.compile_log.empty() ? "The compiler said nothing."
                                                    : step.compile_log.c_str());
  } else {
    state.path = step.source;
    load(state);
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(state.lines.size()));
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        draw_source_cells(style, selection, columns, step.source, i + 1);
        ImGui::TextDisabled("%4d ", i + 1);
        ImGui::SameLine();
        draw_code(style, state.lines[static_cast<std::size_t>(i)]);
        if (hang != nullptr) draw_hang_mark(style, *hang, step.source, i + 1);
      }
    }
  }
  ImGui::PopFont();
  ImGui::EndChild();
}

}  // namespace

void draw_source_panel(const PanelContext& context, Selection& selection, SourcePanel& state) {
  const Style& style = context.style;
  const Variant* variant = find_variant(context.workspace.scene(), selection.variant);
  if (variant == nullptr)
    return draw_note(style, "Nothing is selected: click a variant in the list.");
  const std::vector<StepRecord> steps = kernel_steps(context, selection);
  if (steps.empty()) {
    return draw_note(
        style,
        !variant->own_kernels
            ? variant->label +
                  " is a library's own kernel, or the driver's: its text is not ours to show."
            : variant->label + " has not run yet: its kernels are shown once they are compiled.");
  }
  const StepRecord& step = draw_step_choice(style, steps, selection);
  if (ImGui::Button(state.show_log ? "show the text" : "compile log"))
    state.show_log = !state.show_log;
  ImGui::SameLine();
  const FiguresByLine figures = figures_by_line(context, selection, step);
  if (figures.any()) {
    draw_heat_choice(style, state);
    ImGui::SameLine();
  }
  draw_fitting_text("kernels/" + step.source + " · " + step.entry + " · " + resources_of(step),
                    ImGui::GetContentRegionAvail().x);
  if (!figures.earlier.empty())
    draw_age(style,
             "○ figures by line are " + figures.earlier + ": they do not stand beside these lines");
  const SourceColumns columns =
      source_columns(figures.any() && !state.show_log ? chosen_figure(state.heat) : nullptr,
                     figures.trace, figures.counters, step.source);
  draw_source_heading(style, columns);
  const bool hangs = figures.trace != nullptr && figures.trace->hang.has_value();
  draw_text(style, selection, step, columns, hangs ? &*figures.trace->hang : nullptr, state);
}

}  // namespace warpscope
