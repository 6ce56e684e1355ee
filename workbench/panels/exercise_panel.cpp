// workbench/panels/exercise_panel.cpp: an exercise: its text, its goals with the last grade, and
// the next hint.
#include <imgui.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "scenes/base/plural.h"
#include "workbench/drawing/focus.h"
#include "workbench/panels/panels.h"
#include "workbench/workspace/scene/exercise_run.h"
#include "workbench/workspace/selection/trace_steps.h"
#include "workbench/workspace/trace_state.h"

namespace warpscope {
namespace {

void draw_coloured(ImU32 colour, const std::string& text) {
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  draw_paragraph(text);
  ImGui::PopStyleColor();
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

// A word and a sign, never colour alone.
const char* sign_of(const GoalStanding& goal) {
  return goal.is_met() ? "✔ met" : goal.is_missed() ? "✕ not yet" : "? not counted";
}
ImU32 colour_of(const Style& style, const GoalStanding& goal) {
  return goal.is_met()      ? style.colours.good
         : goal.is_missed() ? style.colours.bad
                            : style.colours.muted;
}

// Where the kernel stands: being graded, done, or what is still to do.
void draw_standing(const PanelContext& context, const ExerciseRun& run) {
  const Style& style = context.style;
  if (run.is_grading()) {
    ImGui::ProgressBar(static_cast<float>(run.progress().ratio), {style.unit(20), 0}, "");
    ImGui::SameLine();
    ImGui::AlignTextToFramePadding();
    draw_fitting_text("grading: " + run.progress().words, ImGui::GetContentRegionAvail().x);
  }
  if (!run.trouble().empty()) return draw_coloured(style.colours.bad, run.trouble());
  const ShownGrade* grade = run.grade();
  if (grade == nullptr) return;
  const auto met = std::count_if(grade->goals.begin(), grade->goals.end(),
                                 [](const GoalStanding& goal) { return goal.is_met(); });
  const std::string points = number(grade->points) + " of " + number(grade->of) + " points";
  if (grade->is_met())
    return draw_coloured(style.colours.good, "✔ Done: every goal is met, " + points + ".");
  draw_coloured(style.colours.text, std::to_string(met) + " of " +
                                        plural(std::ssize(grade->goals), "goal") + " met, " +
                                        points + ".");
  if (!grade->reason.empty()) draw_coloured(style.colours.bad, grade->reason);
}

// The request at which a goal is missed, in its diagram.
void show_access(const PanelContext& context, Selection& selection, const ExerciseRun& run,
                 const Goal& goal, const GoalStanding& standing) {
  selection.variant = run.exercise().variant;
  const std::string file = context.view.scene().name + "/" + standing.file;
  const bool shared = goal.kind == GoalKind::no_finding ? goal.finding == FindingKind::bank_conflict
                                                        : goal.space == Space::shared;
  selection.pair = false;
  selection.show_source = {file, standing.line};
  const bool lanes = goal.kind == GoalKind::no_finding && goal.finding == FindingKind::divergence;
  selection.wanted_panel = lanes ? "divergence" : shared ? "banks" : "coalescing";
  const TraceState found = trace_state(context.view, selection.variant);
  if (found.trace == nullptr || lanes) return;
  const RequestFamily family = shared ? RequestFamily::shared : RequestFamily::global;
  if (!choose_line(selection.trace, *found.trace, file, standing.line, family))
    static_cast<void>(choose_worst(selection.trace, *found.trace, family));
  selection.trace.zoom = TraceZoom::request;
}

void draw_goal(const PanelContext& context, Selection& selection, const ExerciseRun& run,
               const Goal& goal, const GoalStanding* standing) {
  const Style& style = context.style;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  if (standing != nullptr) {
    ImGui::PushStyleColor(ImGuiCol_Text, colour_of(style, *standing));
    ImGui::TextUnformatted(sign_of(*standing));
    ImGui::PopStyleColor();
  } else {
    ImGui::TextDisabled("–");
  }
  ImGui::TableNextColumn();
  draw_paragraph(goal.text);
  if (standing == nullptr) return;
  if (!standing->found.empty()) draw_note(style, "Found: " + standing->found + ".");
  if (!standing->is_missed()) return;
  if (standing->line > 0) {
    const std::string place = standing->file + ":" + std::to_string(standing->line);
    if (small_tool_button(("show " + place).c_str()))
      show_access(context, selection, run, goal, *standing);
    if (!standing->text.empty()) draw_note(style, standing->text);
  }
  if (!standing->reason.empty()) draw_paragraph(standing->reason);
  if (!goal.why.empty()) draw_paragraph(goal.why);
}

void draw_goals(const PanelContext& context, Selection& selection, const ExerciseRun& run) {
  const std::vector<Goal>& goals = run.exercise().goals;
  const ShownGrade* grade = run.grade();
  if (!ImGui::BeginTable("goals", 2, ImGuiTableFlags_BordersInnerH)) return;
  ImGui::TableSetupColumn("state", ImGuiTableColumnFlags_WidthFixed,
                          ImGui::CalcTextSize("? not counted").x);
  ImGui::TableSetupColumn("goal", ImGuiTableColumnFlags_WidthStretch);
  for (std::size_t i = 0; i < goals.size(); ++i) {
    const bool known = grade != nullptr && i < grade->goals.size();
    ImGui::PushID(static_cast<int>(i));
    draw_goal(context, selection, run, goals[i], known ? &grade->goals[i] : nullptr);
    ImGui::PopID();
  }
  ImGui::EndTable();
}

void draw_hints(const PanelContext& context, ExerciseRun& run) {
  const std::vector<std::string>& hints = run.exercise().hints;
  for (std::size_t i = 0; i < run.hints(); ++i)
    draw_paragraph("Hint " + std::to_string(i + 1) + ": " + hints[i]);
  const std::size_t left = hints.size() - run.hints();
  if (left == 0) return draw_note(context.style, "There are no more hints.");
  if (tool_button("Next hint")) run.ask_hint();
  ImGui::SameLine();
  ImGui::TextDisabled("%s left", plural(static_cast<std::int64_t>(left), "hint").c_str());
}

}  // namespace

void draw_exercise_panel(const PanelContext& context, Selection& selection, ExercisePanel& state) {
  const Style& style = context.style;
  if (state.run == nullptr)
    return draw_note(style, "The folder's exercise cannot be read; see Engine for why.");
  ExerciseRun& run = *state.run;
  draw_coloured(style.colours.accent, run.exercise().title);
  draw_standing(context, run);
  ImGui::Dummy({0, style.unit(0.5f)});
  ImGui::BeginChild("exercise", {0, 0}, kReached);
  draw_paragraph(run.exercise().text);
  ImGui::Dummy({0, style.unit(0.5f)});
  const std::filesystem::path& kernel = run.kernel();
  draw_note(style, "Edit " + kernel.filename().string() + " of the folder " +
                       kernel.parent_path().filename().string() +
                       " in your editor or in Source, and save: it is graded at once.");
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", kernel.c_str());
  if (tool_button("Open in Source")) {
    selection.variant = run.exercise().variant;
    selection.wanted_panel = "source";
  }
  ImGui::SameLine();
  if (tool_button("Grade again")) run.begin();
  ImGui::Dummy({0, style.unit(0.5f)});
  draw_goals(context, selection, run);
  ImGui::Dummy({0, style.unit(0.5f)});
  draw_hints(context, run);
  ImGui::EndChild();
}

}  // namespace warpscope
