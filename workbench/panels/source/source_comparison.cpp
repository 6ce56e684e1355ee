// workbench/panels/source/source_comparison.cpp: SASS of the baseline beside that of the chosen
// variant.
#include "workbench/panels/source/source_comparison.h"

#include <imgui.h>

#include <algorithm>

#include "profiling/listings/machine_table.h"
#include "workbench/panels/source/source_listing.h"
#include "workbench/workspace/trace_state.h"

namespace warpscope {
namespace {

// One of the two kernels: its listing, and the trace of its SASS where there is one.
struct Compared {
  const Listing* listing = nullptr;
  const Trace* trace = nullptr;
};

const Trace* machine_trace(const SessionView& view, const std::string& variant,
                           const std::string& step) {
  const Trace* trace = view.session().trace(view.point_id(variant), step);
  return trace != nullptr && trace->machine_code ? trace : nullptr;
}

Compared side_of(const PanelContext& context, const Selection& selection,
                 const std::string& variant, const std::string& step,
                 LastKey<SourcePanel::Asked>& asked) {
  const SessionView& view = context.view;
  const PointId& id = view.point_id(variant);
  const int architecture = architecture_of(view);
  Compared side;
  side.listing = view.session().outcomes().listing_of(id, step, architecture);
  side.trace = machine_trace(view, variant, step);
  if (side.listing == nullptr && view.engines.has_emulator() && !selection.held &&
      asked.changes_to({{id.scene, id.variant, id.key, "", ""}, step, architecture, ""}))
    context.requests.ask(request::Listing{variant, step, architecture});
  return side;
}

SassTable table_of(const Compared& side, bool with_figures) {
  SassTable table = with_figures ? machine_table(*side.trace) : machine_table(*side.listing);
  add_live_registers(table, *side.listing);
  return table;
}

std::vector<std::string> lines_of_comparison(const Compared& left, const Compared& right) {
  const bool figures = left.trace != nullptr && right.trace != nullptr;
  return lines_of(machine_diff_text(table_of(left, figures), table_of(right, figures)));
}

// Draws a row of the comparison; those of one side have a sign before them.
void draw_line(const Style& style, const std::string& line) {
  const bool added = line.starts_with("+ "), gone = line.starts_with("- ");
  if (added || gone) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float left = ImGui::GetWindowPos().x;
    ImGui::GetWindowDrawList()->AddRectFilled(
        {left, at.y}, {left + ImGui::GetWindowWidth(), at.y + ImGui::GetTextLineHeight()},
        faded(gone ? style.colours.warning : style.colours.accent, 0.16f));
  }
  ImGui::TextUnformatted(line.c_str());
}

}  // namespace

void draw_sass_comparison(const PanelContext& context, Selection& selection, const StepRecord& step,
                          const StepsOf& steps_of, SourcePanel& state) {
  const Style& style = context.style;
  const std::string baseline = context.view.points.baseline_id(selection.variant).variant;
  if (baseline.empty() || baseline == selection.variant)
    return draw_note(style,
                     "There is nothing to compare: choose another variant, or another baseline.");
  const std::vector<StepRecord> steps = steps_of(baseline);
  const auto runs = std::find_if(steps.begin(), steps.end(), [](const StepRecord& record) {
    return record.phase == Phase::run;
  });
  if (steps.empty())
    return draw_note(style, "The baseline " + baseline +
                                " has no kernel here: it has not run yet, or it is a library's.");
  const std::string& its_step = runs == steps.end() ? steps.front().name : runs->name;
  const Compared right = side_of(context, selection, selection.variant, step.name, state.asked);
  // One after the other: a newer listing job takes the place of one that waits.
  if (right.listing == nullptr) return draw_awaited(context, selection.variant, state.asked);
  const Compared left = side_of(context, selection, baseline, its_step, state.asked_baseline);
  if (left.listing == nullptr) return draw_awaited(context, baseline, state.asked_baseline);
  for (const Listing* const listing : {left.listing, right.listing}) {
    if (!listing->no_machine_code.empty())
      return draw_note(style, "No SASS: " + listing->no_machine_code);
  }
  const auto job_of = [](const auto* message) { return message == nullptr ? -1 : message->job; };
  const std::vector<std::string>& lines =
      state.compared.of(SourcePanel::Compared{job_of(left.listing), job_of(right.listing),
                                              job_of(left.trace), job_of(right.trace)},
                        [&] { return lines_of_comparison(left, right); });
  const bool figures = left.trace != nullptr && right.trace != nullptr;
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.muted);
  draw_fitting_text("A is the baseline " + baseline + ", B is " + selection.variant +
                        (figures ? "" : " · without counts: emulate SASS of both to have them"),
                    ImGui::GetContentRegionAvail().x);
  ImGui::PopStyleColor();
  ImGui::BeginChild("compared", {0, 0}, 0, ImGuiWindowFlags_HorizontalScrollbar);
  push_face(style.mono);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(lines.size()), ImGui::GetTextLineHeightWithSpacing());
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
      draw_line(style, lines[static_cast<std::size_t>(i)]);
  }
  ImGui::PopFont();
  ImGui::EndChild();
}

}  // namespace warpscope
