// workbench/panels/stalls/stall_causes.cpp: why the warps of a variant wait, as panels show it:
// from each stall to its cause, its line and its access.
#include "workbench/panels/stalls/stall_causes.h"

#include <imgui.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "profiling/overview/costly_trace.h"
#include "profiling/stalls/stall_points.h"
#include "profiling/stalls/stall_words.h"
#include "workbench/drawing/focus.h"
#include "workbench/panels/findings/show_finding.h"
#include "workbench/workspace/scene/kernel_files.h"
#include "workbench/workspace/session/selected_points.h"

namespace warpscope {

// Why the warps of one point wait, worked out once.
struct KeptStalls {
  std::string of;  // the trace and the point
  std::optional<StallReport> report;
  InstructionShares shares;
  std::string why, remedy;  // where there is none
};

namespace {

// A model of more instructions than that would hold up a frame.
constexpr std::size_t kMostModelled = 100'000;

const Trace* trace_of(const PanelContext& context, const std::string& variant,
                      const std::string& step) {
  const Session& session = context.view.session();
  const PointId& id = context.view.point_id(variant);
  const Trace* trace = step.empty() ? nullptr : session.trace(id, step);
  if (trace == nullptr) trace = costly_trace(session, id);
  return trace != nullptr && context.view.files.earlier_text(*trace).empty() ? trace : nullptr;
}

std::size_t issued_of(const Trace& trace) {
  std::size_t count = 0;
  for (const std::vector<IssuedInstruction>& warp : trace.issued) count += warp.size();
  return count;
}

// What the report is of: it is made again when one of these changes.
std::string name_of_report(const Trace& trace, const Measurement* point, const StepRecord* step) {
  std::string name = trace.scene + "/" + trace.variant + "/" + trace.key + "/" + trace.step + "/" +
                     std::to_string(trace.job) + "/" + std::to_string(trace.warp_instructions);
  if (point == nullptr || step == nullptr) return name;
  return name + "/" + std::to_string(point->job) + "/" + point->conditions.date + "/" +
         std::to_string(samples_of_all(step->samples)) + "/" + point->counters;
}

Result<StallReport> made_report(const Trace& trace, const Measurement* point,
                                const StepRecord* step) {
  if (step != nullptr && step->samples.runs > 0)
    return stall_report({trace, &step->samples, point, step});
  if (step != nullptr && !step->samples.missing.empty())
    return tl::unexpected(*why_no_samples(*step));
  if (issued_of(trace) > kMostModelled)
    return failure(ErrorKind::resource,
                   "the block has too many instructions to model its waits here", trace.step,
                   "take samples, or run `warpscope stalls --modelled`");
  return stall_report({trace});
}

void draw_basis(const PanelContext& context, const KnownStalls& known, const std::string& variant) {
  const bool device = context.view.has_device();
  if (device || context.view.engines.has_emulator()) {
    if (tool_button(device ? "take samples" : "model the waits"))
      context.requests.ask(request::Stalls{variant});
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip(
          "%s", device
                    ? "Sample where the warps of this variant wait, count which level of memory "
                      "answers, and emulate the run for the cost of each access. The samples are "
                      "taken by a process of their own, which gets the device a few seconds after "
                      "the last measurement."
                    : "Emulate the run, and model the waits: there is no GPU here to sample on.");
    ImGui::SameLine();
  }
  draw_fitting_text(known.report != nullptr ? known.report->basis : known.why,
                    ImGui::GetContentRegionAvail().x);
}

// `brief`: without the columns that the sentence says, too.
void draw_finding(const PanelContext& context, Selection& selection, const Trace& trace,
                  const StallFinding& f, bool brief) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  if (ImGui::Selectable(percent_words(f.share_ratio).c_str(), false,
                        ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap))
    show_stall(selection, trace, f);
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip(
        "Most often %s.\nwaits: %s\nfor: %s\n%s\nA click shows the line of the cause "
        "in Source, and its access.",
        reason_words(f.reason).c_str(), trace.machine_code->rows[f.row].text.c_str(),
        trace.machine_code->rows[f.cause_row].text.c_str(), f.remedy.c_str());
  if (!brief) {
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(f.line.line > 0 ? std::to_string(f.line.line).c_str() : "–");
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(f.cause_line.line > 0 ? std::to_string(f.cause_line.line).c_str() : "–");
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(row_of(f.cause).title);
  }
  ImGui::TableNextColumn();
  draw_paragraph(f.sentence);
  ImGui::PushStyleColor(ImGuiCol_Text, context.style.colours.muted);
  draw_paragraph(f.remedy);
  ImGui::PopStyleColor();
}

}  // namespace

KnownStalls stalls_once(const PanelContext& context, const std::string& variant,
                        const std::string& step, std::shared_ptr<KeptStalls>& kept) {
  KnownStalls known;
  known.trace = trace_of(context, variant, step);
  if (known.trace == nullptr) {
    known.why = "There is no emulated run of this point, so nothing says what waits for what.";
    return known;
  }
  const PointState state = context.view.state(variant);
  const StepRecord* const record =
      state.apart.empty() && state.point != nullptr && has_figures(state.point->verdict.outcome)
          ? step_of(state.point, *known.trace)
          : nullptr;
  const std::string name = name_of_report(*known.trace, state.point, record);
  if (kept == nullptr || kept->of != name) {
    kept = std::make_shared<KeptStalls>();
    kept->of = name;
    Result<StallReport> made = made_report(*known.trace, state.point, record);
    if (made) {
      kept->report = std::move(*made);
      kept->shares = shares_by_instruction(*kept->report, known.trace->machine_code->rows.size());
    } else {
      kept->why = made.error().what;
      kept->remedy = made.error().remedy;
    }
  }
  if (kept->report) {
    known.report = &*kept->report;
    known.shares = &kept->shares;
  }
  known.why = kept->why;
  known.remedy = kept->remedy;
  return known;
}

void show_stall(Selection& selection, const Trace& trace, const StallFinding& f) {
  Finding finding;
  finding.position = f.cause_line;
  finding.site = f.site;
  if (f.site >= 0) {
    const AccessSite& site = trace.sites[static_cast<std::size_t>(f.site)];
    finding.diagram = site.space == Space::shared   ? FindingDiagram::shared_requests
                      : site.space == Space::global ? FindingDiagram::global_requests
                                                    : FindingDiagram::none;
  }
  if (f.cause == StallCause::divergence) finding.diagram = FindingDiagram::active_lanes;
  show_finding(selection, trace, finding);
}

void draw_stall_causes(const PanelContext& context, Selection& selection, StallsPanel& state) {
  const KnownStalls known = stalls_once(context, selection.variant, selection.step, state.causes);
  draw_basis(context, known, selection.variant);
  if (known.report == nullptr) {
    if (!known.remedy.empty()) draw_note(context.style, known.remedy);
    return;
  }
  if (known.report->findings.empty())
    return draw_note(context.style, "No line waits in more than 1 % of all samples.");
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_PadOuterX;
  // A file's name is one word, and must fit into the last column.
  const bool brief = ImGui::GetContentRegionAvail().x < context.style.unit(80);
  if (!ImGui::BeginTable(brief ? "brief causes" : "causes", brief ? 2 : 5, kFlags)) return;
  ImGui::TableSetupColumn("share", ImGuiTableColumnFlags_WidthFixed);
  if (!brief) {
    for (const char* name : {"waits in", "for line", "cause"})
      ImGui::TableSetupColumn(name, ImGuiTableColumnFlags_WidthFixed);
  }
  ImGui::TableSetupColumn("why, and what to do", ImGuiTableColumnFlags_WidthStretch);
  reach_headers();
  ImGui::TableHeadersRow();
  for (std::size_t k = 0; k < known.report->findings.size(); ++k) {
    ImGui::PushID(static_cast<int>(k));
    draw_finding(context, selection, *known.trace, known.report->findings[k], brief);
    ImGui::PopID();
  }
  ImGui::EndTable();
  for (const std::string& sentence : known.report->circumstances) draw_paragraph(sentence);
  if (known.report->modelled && ImGui::TreeNode("What the model assumes")) {
    for (const std::string& sentence : known.report->assumptions) draw_paragraph("- " + sentence);
    ImGui::TreePop();
  }
}

}  // namespace warpscope
