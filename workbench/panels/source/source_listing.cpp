// workbench/panels/source/source_listing.cpp: PTX and machine code beside a kernel's text.
#include "workbench/panels/source/source_listing.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "profiling/listings/machine_table.h"
#include "profiling/points/occupancy.h"
#include "workbench/panels/source/source_text.h"
#include "workbench/workspace/scene/kernel_files.h"
#include "workbench/workspace/trace_state.h"

namespace warpscope {
namespace {

// Whose machine code is shown: the device's at hand, else the usual one's.
int architecture_of(const SessionView& view) {
  const Hello* engine = view.session().engine();
  return engine != nullptr && engine->device && engine->device->compute_capability > 0
             ? engine->device->compute_capability
             : DeviceLimits{}.compute_capability;
}

// Why there is nothing to show, or what is on its way.
std::string why_none(const PanelContext& context, const Selection& selection,
                     const Listing* listing, bool machine_code) {
  if (listing != nullptr) return machine_code ? listing->no_machine_code : listing->no_ptx;
  if (!context.view.engines.has_emulator())
    return "There is no engine here that compiles: build Warpscope with the CUDA toolkit 13.";
  const JobState job = context.view.last_job(JobKind::listing, selection.variant);
  if (job.done && job.done->error) return sentence(*job.done->error);
  return job.progress && !job.progress->text.empty() ? "… " + job.progress->text : "… compiling";
}

// Makes the rows anew where the listing is another one.
void load_rows(const Listing& listing, bool machine_code, SourcePanel& state) {
  if (!state.rows_of.changes_to({listing.job, machine_code, listing.step})) return;
  state.rows = machine_code ? machine_rows(listing.machine_code, listing.entry, listing.files)
                            : ptx_rows(listing.ptx, listing.entry, listing.files);
  state.follow = true;
}

// "nvcc 13.0"; a version alone is NVRTC's.
std::string compiler_of(const Listing& listing) {
  const bool version =
      !listing.toolkit.empty() && listing.toolkit[0] >= '0' && listing.toolkit[0] <= '9';
  return (version ? "NVRTC " : "") + listing.toolkit;
}

// "PTX of NVRTC 13.0 for sm_90 · 212 instructions · 12 of line 31".
std::string heading_of(const Listing& listing, bool machine_code, const SourcePanel& state) {
  const auto instructions = std::count_if(state.rows.begin(), state.rows.end(),
                                          [](const ListedRow& row) { return row.instruction; });
  std::string text =
      machine_code
          ? "machine code for " + architecture_name(listing.compute_capability)
          : "PTX" + (listing.toolkit.empty() ? "" : " of " + compiler_of(listing)) + " for sm_90";
  text += fmt::format(" · {} instructions", instructions);
  if (state.chosen <= 0) return text + " · click a line to see which are its";
  const RowsOfLine of_line = rows_of_line(state.rows, state.path, state.chosen);
  return text + fmt::format(" · {} of line {}",
                            of_line.count == 0 ? "none" : fmt::to_string(of_line.count),
                            state.chosen);
}

std::string places_of(const ListedRow& row) {
  if (row.positions.empty()) return "The compiler names no line for this instruction.";
  std::string text;
  for (const SourcePosition& p : row.positions)
    text += (text.empty() ? "" : "\ninlined at ") + p.file + ":" + std::to_string(p.line);
  return text;
}

// Figures of the rows, if the diagrams' trace is of this machine code.
void load_figures(const PanelContext& context, const Selection& selection, const Listing& listing,
                  bool machine_code, SourcePanel& state) {
  const TraceState traced = trace_state(context.view, selection.variant);
  const bool shown = machine_code && traced.trace != nullptr && traced.trace->machine_code &&
                     traced.freshness == Freshness::fresh && traced.trace->step == listing.step;
  if (!state.figures_of.changes_to({listing.job, shown ? traced.trace->job : -1,
                                    shown ? traced.trace->step : std::string()}))
    return;
  state.figures = shown ? figure_cells(state.rows, *traced.trace) : std::vector<std::string>{};
}

void draw_row(const Style& style, const ListedRow& row, const std::string& figures,
              SourcePanel& state) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = ImGui::GetTextLineHeight(), left = ImGui::GetWindowPos().x;
  const float right = left + ImGui::GetWindowWidth();
  const bool lit = state.chosen > 0 && comes_from(row, state.path, state.chosen);
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (lit) {
    list->AddRectFilled({left, at.y}, {right, at.y + height}, faded(style.colours.accent, 0.16f));
    list->AddRectFilled({left, at.y}, {left + style.unit(0.375f), at.y + height},
                        style.colours.accent);
  }
  const int line = line_in(row, state.path);
  if (line > 0) {
    ImGui::TextDisabled("%4d ", line);
  } else {
    ImGui::TextDisabled("     ");
  }
  ImGui::SameLine(0, 0);
  if (!figures.empty()) {
    ImGui::TextUnformatted(figures.c_str());
    ImGui::SameLine(0, 0);
  }
  ImGui::PushStyleColor(ImGuiCol_Text, row.instruction ? style.colours.text : style.colours.muted);
  ImGui::TextUnformatted(row.text.c_str());
  ImGui::PopStyleColor();
  if (!row.instruction || !ImGui::IsWindowHovered() ||
      !ImGui::IsMouseHoveringRect({left, at.y}, {right, at.y + height}))
    return;
  ImGui::SetTooltip("%s", places_of(row).c_str());
  if (line > 0 && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    show_line(state, line);
    state.follow = false;  // what was clicked stays where it is
  }
}

}  // namespace

const Listing* listing_here(const PanelContext& context, Selection& selection,
                            const StepRecord& step, bool wanted, SourcePanel& state) {
  const SessionView& view = context.view;
  const PointId& id = view.point_id(selection.variant);
  const int architecture = state.view == SourceView::machine_code ? architecture_of(view) : 0;
  const Listing* listing = view.session().outcomes().listing_of(id, step.name, architecture);
  if (listing != nullptr) {
    StepRecord listed;
    listed.source = listing->source;
    listed.text_hash = listing->text_hash;
    if (!view.files.earlier_text(listed).empty() || listing->source != step.source)
      listing = nullptr;
  }
  if (listing == nullptr && wanted && view.engines.has_emulator() && !selection.held &&
      state.asked.changes_to(
          {{id.scene, id.variant, id.key, "", ""}, step.name, architecture, state.text_hash})) {
    context.requests.ask(request::Listing{selection.variant, step.name, architecture});
  }
  return listing;
}

void draw_listing(const PanelContext& context, const Selection& selection, const Listing* listing,
                  SourcePanel& state) {
  const Style& style = context.style;
  const bool machine_code = state.view == SourceView::machine_code;
  const std::string none = why_none(context, selection, listing, machine_code);
  if (listing == nullptr || !none.empty()) return draw_note(style, none);
  load_rows(*listing, machine_code, state);
  load_figures(context, selection, *listing, machine_code, state);
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.muted);
  draw_fitting_text(heading_of(*listing, machine_code, state), ImGui::GetContentRegionAvail().x);
  ImGui::PopStyleColor();
  if (!state.figures.empty()) {
    push_face(style.mono);
    ImGui::TextDisabled("     %sinstruction", kFigureCells);
    ImGui::PopFont();
  }
  ImGui::BeginChild("rows", {0, 0}, 0, ImGuiWindowFlags_HorizontalScrollbar);
  push_face(style.mono);
  const float height = ImGui::GetTextLineHeightWithSpacing();
  if (state.follow) {
    const RowsOfLine of_line = rows_of_line(state.rows, state.path, state.chosen);
    if (state.chosen > 0 && of_line.count > 0) {
      ImGui::SetScrollY(std::max(
          0.0f, static_cast<float>(of_line.first) * height - ImGui::GetWindowHeight() / 3));
    }
    state.follow = false;
  }
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(state.rows.size()), height);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const auto k = static_cast<std::size_t>(i);
      draw_row(style, state.rows[k], k < state.figures.size() ? state.figures[k] : std::string(),
               state);
    }
  }
  ImGui::PopFont();
  ImGui::EndChild();
}

}  // namespace warpscope
