// workbench/panels/source_panel.cpp: the kernel's text, its resources, and what the compiler said.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "scenes/paths.h"
#include "workbench/panels/diagram.h"

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

// Reads the text when another file is chosen, not every frame.
void load(SourcePanel& state) {
  if (state.path == state.text_path) return;
  state.text_path = state.path;
  state.lines.clear();
  const Result<std::string> text = read_kernel_source(state.path);
  const std::string content = text ? *text : sentence(text.error());
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

// What the bars beside the lines can show, from a trace.
struct HeatRow {
  const char* name;
  const char* unit;
  double (*value)(const LineTotals&);
};
constexpr std::array<HeatRow, 5> kHeat = {{
    {"nothing", "", [](const LineTotals&) { return 0.0; }},
    {"sectors", "sectors",
     [](const LineTotals& l) { return static_cast<double>(l.global.sectors + l.local.sectors); }},
    {"requests", "requests",
     [](const LineTotals& l) {
       return static_cast<double>(l.global.requests + l.shared.requests + l.local.requests);
     }},
    {"bank conflicts", "extra wavefronts",
     [](const LineTotals& l) {
       return static_cast<double>(l.shared.wavefronts - l.shared.ideal_wavefronts);
     }},
    {"instructions", "warp instructions",
     [](const LineTotals& l) { return static_cast<double>(l.instructions); }},
}};

struct LineHeat {
  const Trace* trace = nullptr;
  std::vector<const LineTotals*> by_line;  // 1-based
  double most = 0;
};

// The trace's lines of one file.
LineHeat heat_of(const Trace* trace, const std::string& file, const HeatRow& heat) {
  LineHeat lines{trace, {}, 0};
  if (trace == nullptr) return lines;
  constexpr int kMostLines = 100000;
  for (const LineTotals& line : trace->lines) {
    if (line.position.file != file || line.position.line < 1 || line.position.line > kMostLines)
      continue;
    const auto at = static_cast<std::size_t>(line.position.line);
    if (lines.by_line.size() <= at) lines.by_line.resize(at + 1, nullptr);
    lines.by_line[at] = &line;
    lines.most = std::max(lines.most, heat.value(line));
  }
  return lines;
}

std::string words_of(const LineTotals& line) {
  const auto count = [](std::int64_t v) { return format_value(static_cast<double>(v), "1"); };
  std::string text = count(line.instructions) + " warp instructions";
  if (line.instructions > 0) {
    char lanes[48];
    std::snprintf(lanes, sizeof lanes, ", %.1f lanes each",
                  static_cast<double>(line.threads) / static_cast<double>(line.instructions));
    text += lanes;
  }
  for (const auto& [totals, name] :
       {std::pair(&line.global, "global"), std::pair(&line.local, "local")}) {
    if (totals->requests == 0) continue;
    text += "\n" + std::string(name) + ": " + count(totals->requests) + " requests, " +
            count(totals->sectors) + " sectors, " +
            format_value(totals->sector_efficiency(), "ratio") + " of the bytes used";
  }
  if (line.shared.requests > 0)
    text += "\nshared: " + count(line.shared.requests) + " requests, " +
            count(line.shared.wavefronts) + " wavefronts where " +
            count(line.shared.ideal_wavefronts) + " would do";
  if (line.sites > 1) text += "\nmade into " + std::to_string(line.sites) + " memory instructions";
  return text;
}

// The bar before a line number; a click chooses the line's first instruction.
void draw_heat(const Style& style, Selection& selection, const LineHeat& lines, const HeatRow& heat,
               const std::string& file, int number) {
  const float width = style.unit(7), height = ImGui::GetTextLineHeight();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::PushID(number);
  ImGui::InvisibleButton("heat", {width, height});
  ImGui::PopID();
  const bool hovered = ImGui::IsItemHovered();
  TraceSelection& t = selection.trace;
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (t.hovered.line == number && t.hovered.file == file)
    list->AddRectFilled({at.x, at.y}, {at.x + style.unit(400), at.y + height},
                        faded(style.colours.accent, 0.18f));
  const auto index = static_cast<std::size_t>(number);
  const LineTotals* line = index < lines.by_line.size() ? lines.by_line[index] : nullptr;
  if (line != nullptr) {
    const double ratio = lines.most > 0 ? std::max(0.0, heat.value(*line)) / lines.most : 0;
    add_box(list, {at.x, at.y + 1, at.x + width, at.y + height - 1},
            faded(style.colours.raised, 0.6f));
    add_box(list, {at.x, at.y + 1, at.x + width * static_cast<float>(ratio), at.y + height - 1},
            heat_colour(style, 0.25 + 0.75 * ratio));
    if (hovered) {
      t.hovering.file = file;
      t.hovering.line = number;
      ImGui::SetTooltip("line %d: %s %s\n%s", number, format_value(heat.value(*line), "1").c_str(),
                        heat.unit, words_of(*line).c_str());
      if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
        for (std::size_t site = 0; site < lines.trace->sites.size(); ++site) {
          if (lines.trace->sites[site].position != line->position) continue;
          choose_site(t, *lines.trace, static_cast<std::int64_t>(site));
          break;
        }
      }
    }
  }
  ImGui::SameLine();
}

}  // namespace

void draw_source_panel(const PanelContext& context, Selection& selection, SourcePanel& state) {
  const Style& style = context.style;
  const Variant* variant = find_variant(context.workspace.scene(), selection.variant);
  if (variant == nullptr)
    return draw_note(style, "Nothing is selected: click a variant in the list.");
  const std::vector<StepRecord> steps = kernel_steps(context, selection);
  if (steps.empty()) {
    const PointState point = context.workspace.state(selection.variant);
    return draw_note(
        style,
        variant->family == "library" && point.point != nullptr
            ? variant->label + " is a library's own kernel: its text is not ours to show."
            : variant->label + " has not run yet: its kernels are shown once they are compiled.");
  }
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
  const StepRecord& step = steps[chosen];
  if (steps.size() > 1) ImGui::SameLine();
  if (ImGui::Button(state.show_log ? "show the text" : "compile log"))
    state.show_log = !state.show_log;
  ImGui::SameLine();
  const TraceState traced = trace_state(context.workspace, selection.variant);
  const bool of_this = traced.trace != nullptr && traced.trace->source == step.source;
  state.heat = std::clamp(state.heat, 0, static_cast<int>(kHeat.size()) - 1);
  const HeatRow& heat = kHeat[static_cast<std::size_t>(state.heat)];
  if (of_this) {
    ImGui::SetNextItemWidth(style.unit(17));
    if (ImGui::BeginCombo("##heat", (std::string("heat: ") + heat.name).c_str())) {
      for (std::size_t i = 0; i < kHeat.size(); ++i) {
        if (ImGui::Selectable(kHeat[i].name, static_cast<int>(i) == state.heat))
          state.heat = static_cast<int>(i);
      }
      ImGui::EndCombo();
    }
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("Modelled, per source line, %s.",
                        traced.trace->scope.grid ? "over the whole grid" : "of the traced block");
    ImGui::SameLine();
  }
  draw_fitting_text("kernels/" + step.source + " · " + step.entry + " · " + resources_of(step),
                    ImGui::GetContentRegionAvail().x);
  ImGui::BeginChild("text", {0, 0}, false, ImGuiWindowFlags_HorizontalScrollbar);
  ImGui::PushFont(style.mono);
  if (state.show_log) {
    ImGui::TextUnformatted(step.compile_log.empty() ? "The compiler said nothing."
                                                    : step.compile_log.c_str());
  } else {
    state.path = step.source;
    load(state);
    const LineHeat lines = heat_of(of_this ? traced.trace : nullptr, step.source, heat);
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(state.lines.size()));
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        if (of_this && state.heat > 0) draw_heat(style, selection, lines, heat, step.source, i + 1);
        ImGui::TextDisabled("%4d ", i + 1);
        ImGui::SameLine();
        draw_code(style, state.lines[static_cast<std::size_t>(i)]);
      }
    }
  }
  ImGui::PopFont();
  ImGui::EndChild();
}

}  // namespace warpscope
