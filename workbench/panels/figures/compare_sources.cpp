// workbench/panels/figures/compare_sources.cpp: the texts of two pinned kernels, line by line.
#include "workbench/panels/figures/compare_sources.h"

#include <imgui.h>

#include <algorithm>

#include "profiling/listings/kernel_text.h"
#include "profiling/listings/line_diff.h"
#include "scenes/base/source.h"
#include "workbench/workspace/pinned_points.h"

namespace warpscope {
namespace {

// The kernel's file: of the measured steps the first of a kernel, else the traced one's. Empty: the
// variant launches none of its own, or that is not known.
std::string source_of(const SessionView& view, const PinnedPoint& pin) {
  if (const Measurement* point = point_of(view, pin)) {
    for (const StepRecord& step : point->steps) {
      if (step.kind == "kernel" && step.phase == Phase::run) return step.source;
    }
    for (const StepRecord& step : point->steps) {
      if (step.kind == "kernel") return step.source;
    }
  }
  const Trace* trace = trace_of(view, pin);
  return trace == nullptr ? "" : trace->source;
}

const ComparePanel::Rows& rows_of(const KernelSource& a, const KernelSource& b,
                                  ComparePanel& state) {
  return state.rows.of(ComparePanel::Texts{a.path, a.hash, b.path, b.hash}, [&] {
    constexpr std::size_t kAround = 3;
    ComparePanel::Rows rows{line_diff(lines_of(a.text), lines_of(b.text)), {}};
    rows.stretches = stretches_of(rows.all, kAround);
    return rows;
  });
}

void draw_row(const Style& style, Selection& selection, const DiffRow& row, const std::string& a,
              const std::string& b) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float left = ImGui::GetWindowPos().x, right = left + ImGui::GetWindowWidth();
  const float bottom = at.y + ImGui::GetTextLineHeight();
  const bool of_a = row.right == 0, of_b = row.left == 0;
  if (!row.same()) {
    ImGui::GetWindowDrawList()->AddRectFilled(
        {left, at.y}, {right, bottom},
        faded(of_a ? style.colours.warning : style.colours.accent, 0.16f));
  }
  char numbers[32];
  std::snprintf(numbers, sizeof numbers, "%4s %4s %s ",
                row.left > 0 ? std::to_string(row.left).c_str() : "",
                row.right > 0 ? std::to_string(row.right).c_str() : "",
                of_a   ? "A"
                : of_b ? "B"
                       : " ");
  ImGui::TextDisabled("%s", numbers);
  ImGui::SameLine(0, 0);
  ImGui::TextUnformatted(row.text.c_str());
  if (!ImGui::IsWindowHovered() || !ImGui::IsMouseHoveringRect({left, at.y}, {right, bottom}))
    return;
  const std::string& file = of_b ? b : a;
  const int line = of_b ? row.right : row.left;
  ImGui::SetTooltip("%s:%d%s", file.c_str(), line,
                    of_a   ? ", only in A"
                    : of_b ? ", only in B"
                           : "");
  if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) selection.show_source = {file, line};
}

std::string heading(const std::vector<DiffRow>& rows, const std::string& a, const std::string& b) {
  if (a == b) return a + ": one text, so what they differ in are constants and launch";
  const auto gone =
      std::count_if(rows.begin(), rows.end(), [](const DiffRow& row) { return row.right == 0; });
  const auto added =
      std::count_if(rows.begin(), rows.end(), [](const DiffRow& row) { return row.left == 0; });
  return a + " | " + b + " · " + std::to_string(gone) + " lines only in A, " +
         std::to_string(added) + " only in B";
}

}  // namespace

void draw_compared_sources(const PanelContext& context, Selection& selection, const PinnedPoint& a,
                           const PinnedPoint& b, ComparePanel& state) {
  const Style& style = context.style;
  const std::string file_a = source_of(context.view, a), file_b = source_of(context.view, b);
  for (const auto& [file, pin, letter] :
       {std::tuple(&file_a, &a, "A"), std::tuple(&file_b, &b, "B")}) {
    if (!file->empty()) continue;
    return draw_note(style, std::string(letter) + ", " + label_of(context.view, *pin) +
                                ", has no kernel here to compare: it is a library's, or it was "
                                "neither measured nor emulated.");
  }
  const Catalogue& catalogue = context.view.shown.catalogue();
  const Result<KernelSource> text_a = catalogue.kernel(file_a), text_b = catalogue.kernel(file_b);
  if (!text_a || !text_b)
    return draw_note(style, sentence(!text_a ? text_a.error() : text_b.error()));
  const ComparePanel::Rows& rows = rows_of(*text_a, *text_b, state);
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.muted);
  draw_fitting_text(heading(rows.all, file_a, file_b), ImGui::GetContentRegionAvail().x);
  ImGui::PopStyleColor();
  ImGui::BeginChild("diff", {0, 0}, 0, ImGuiWindowFlags_HorizontalScrollbar);
  push_face(style.mono);
  for (const DiffStretch& stretch : rows.stretches) {
    if (stretch.hidden && file_a != file_b) {
      ImGui::TextDisabled("          … %zu equal lines", stretch.count);
      continue;
    }
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(stretch.count), ImGui::GetTextLineHeightWithSpacing());
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        draw_row(style, selection, rows.all[stretch.first + static_cast<std::size_t>(i)], file_a,
                 file_b);
      }
    }
  }
  ImGui::PopFont();
  ImGui::EndChild();
}

}  // namespace warpscope
