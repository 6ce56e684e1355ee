// workbench/panels/source/source_lines.cpp: the columns before a source line: modelled, measured,
// difference.
#include "workbench/panels/source/source_lines.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "profiling/stalls/kernel_waits.h"
#include "profiling/stalls/stall_words.h"
#include "workbench/drawing/focus.h"
#include "workbench/panels/diagrams/diagram.h"

namespace warpscope {
namespace {

constexpr float kBarUnits = 3, kNumberUnits = 5.5f, kDifferenceUnits = 7.5f, kGapUnits = 1;
constexpr float kBarGapUnits = 0.5f, kDashUnits = 0.35f;
constexpr double kSameRatio = 0.005;  // a difference that is drawn as agreement

std::string count_text(std::int64_t v) { return format_value(static_cast<double>(v), "1"); }

std::string words_of(const LineTotals& line) {
  std::string text = count_text(line.instructions) + " warp instructions";
  if (line.instructions > 0) {
    char lanes[48];
    std::snprintf(lanes, sizeof lanes, ", %.1f lanes each",
                  static_cast<double>(line.threads) / static_cast<double>(line.instructions));
    text += lanes;
  }
  for (const auto& [totals, name] :
       {std::pair(&line.global, "global"), std::pair(&line.local, "local")}) {
    if (totals->requests == 0) continue;
    text += "\n" + std::string(name) + ": " + count_text(totals->requests) + " requests, " +
            count_text(totals->sectors) + " sectors, " +
            format_value(totals->sector_efficiency(), "ratio") + " of the bytes used";
  }
  if (line.shared.remote_requests() > 0)
    text += "\nother blocks' shared memory: " + count_text(line.shared.remote_requests()) +
            " requests, " + count_text(line.shared.remote_sectors()) + " sectors";
  if (line.shared.requests > line.shared.remote_requests())
    text += "\nshared: " + count_text(line.shared.requests) + " requests, " +
            count_text(line.shared.wavefronts) + " wavefronts where " +
            count_text(line.shared.ideal_wavefronts) + " would do";
  if (line.sites > 1) text += "\nmade into " + std::to_string(line.sites) + " memory instructions";
  return text;
}

std::string words_of(const LineFigures& figures, int machine_instructions) {
  std::string text = "of " + std::to_string(machine_instructions) + " machine instructions";
  for (const LineMetricRow& metric : line_metrics()) {
    const auto value = figures[metric.metric];
    if (!value || *value == 0) continue;
    text += "\n" + count_text(*value) + "  " + std::string(metric.cupti_name);
  }
  return text;
}

// A dashed outline over a faint ground: the bar's figure is modelled.
void add_modelled_bar(ImDrawList* list, const Style& style, const Box& box, ImU32 colour) {
  add_box(list, box, faded(colour, 0.3f));
  const float dash = style.unit(kDashUnits);
  for (int i = 0; box.x0 + static_cast<float>(i) * 2 * dash < box.x1; ++i) {
    const float x = box.x0 + static_cast<float>(i) * 2 * dash;
    const float end = std::min(x + dash, box.x1);
    list->AddLine({x, box.y0}, {end, box.y0}, colour);
    list->AddLine({x, box.y1}, {end, box.y1}, colour);
  }
  list->AddLine({box.x1, box.y0}, {box.x1, box.y1}, colour);
}

// A bar and its number: dashed where modelled, solid where measured; a short dash for none.
void draw_figure(const Style& style, std::optional<std::int64_t> value, double most, bool solid) {
  const float height = ImGui::GetTextLineHeight(), bar = style.unit(kBarUnits);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (value && most > 0 && *value > 0) {
    const double ratio = std::min(1.0, static_cast<double>(*value) / most);
    const Box box{at.x, at.y + 1, at.x + bar * static_cast<float>(ratio), at.y + height - 1};
    const ImU32 colour = heat_colour(style, 0.25 + 0.75 * ratio);
    if (solid) {
      add_box(list, box, colour);
    } else {
      add_modelled_bar(list, style, box, colour);
    }
  }
  ImGui::SetCursorScreenPos({at.x + bar + style.unit(kBarGapUnits), at.y});
  const std::string text = value ? count_text(*value) : "–";
  ImGui::PushStyleColor(ImGuiCol_Text,
                        value && *value > 0 ? style.colours.text : style.colours.muted);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopStyleColor();
}

// The difference; where both figures are known and cannot be compared, why in a word or two.
std::string difference_words(const SourceColumns& columns, const ComparedFigure& f) {
  if (f.difference || !f.modelled || !f.measured) return difference_text(f);
  if (*f.modelled == 0 && *f.measured == 0) return "= same";
  if (!columns.row->one_meaning) return "PTX, SASS";
  return columns.comparison.sampled.empty() ? "one block" : "sampled";
}

// A bar, where the column has them, and its widest number.
void widen(const Style& style, SourceColumns& columns, std::size_t column,
           const std::string& text) {
  const float before = column < 2 ? style.unit(kBarUnits + kBarGapUnits) : 0;
  float& width = columns.widths[column];
  width = std::max(width, before + ImGui::CalcTextSize(text.c_str()).x);
}

void to_column(const Style& style, const SourceColumns& columns, ImVec2 start, std::size_t column);

// The share of a line's waits, with a bar: dashed where it is modelled.
void draw_wait(const Style& style, const SourceColumns& columns, ImVec2 start, int number) {
  const auto found = columns.waits.find(number);
  if (found == columns.waits.end()) return;
  to_column(style, columns, start, 3);
  const float height = ImGui::GetTextLineHeight(), bar = style.unit(kBarUnits);
  ImGui::PushID(number);
  press_area("waits", {columns.wait_width, height});
  ImGui::PopID();
  if (ImGui::IsItemHovered()) {
    const auto words = columns.wait_words.find(number);
    if (words != columns.wait_words.end()) ImGui::SetTooltip("%s", words->second.c_str());
  }
  to_column(style, columns, start, 3);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const double ratio = columns.most_waits > 0 ? found->second / columns.most_waits : 0;
  const Box box{at.x, at.y + 1, at.x + bar * static_cast<float>(ratio), at.y + height - 1};
  const ImU32 colour = heat_colour(style, 0.25 + 0.75 * ratio);
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (columns.waits_modelled) {
    add_modelled_bar(list, style, box, colour);
  } else {
    add_box(list, box, colour);
  }
  ImGui::SetCursorScreenPos({at.x + bar + style.unit(kBarGapUnits), at.y});
  ImGui::TextUnformatted(percent_words(found->second).c_str());
}

// Puts the cursor at the left of a column of the line that began at `start`.
void to_column(const Style& style, const SourceColumns& columns, ImVec2 start, std::size_t column) {
  float x = start.x;
  for (std::size_t i = 0; i < column; ++i) {
    const bool waits = i == 3;
    if (waits && !columns.waits.empty()) x += columns.wait_width + style.unit(kGapUnits);
    if (!waits && columns.shown[i]) x += columns.widths[i] + style.unit(kGapUnits);
  }
  ImGui::SetCursorScreenPos({x, start.y});
}

void choose_line(TraceSelection& t, const Trace& trace, const std::string& file, int line) {
  for (std::size_t site = 0; site < trace.sites.size(); ++site) {
    const SourcePosition& p = trace.sites[site].position;
    if (p.line != line || p.file != file) continue;
    choose_site(t, trace, static_cast<std::int64_t>(site));
    return;
  }
}

void say_cell(const SourceColumns& columns, const ComparedLine& line, const ComparedFigure& f,
              int column) {
  const std::string unit(columns.row->unit);
  if (column == 0) {
    ImGui::SetTooltip(
        "line %d, modelled: %s", line.line,
        !f.modelled
            ? f.no_modelled.c_str()
            : (count_text(*f.modelled) + " " + unit + "\n" + words_of(*line.modelled)).c_str());
  } else if (column == 1) {
    ImGui::SetTooltip("line %d, measured: %s", line.line,
                      !f.measured ? f.no_measured.c_str()
                                  : (count_text(*f.measured) + " " + unit + "\n" +
                                     words_of(*line.measured, line.machine_instructions))
                                        .c_str());
  } else if (f.difference) {
    ImGui::SetTooltip("line %d: measured %s, modelled %s %s", line.line,
                      count_text(*f.measured).c_str(), count_text(*f.modelled).c_str(),
                      unit.c_str());
  } else if (!f.no_difference.empty()) {
    ImGui::SetTooltip("line %d: %s", line.line, f.no_difference.c_str());
  } else {
    ImGui::SetTooltip("line %d: %s", line.line,
                      (f.modelled ? f.no_measured : f.no_modelled).c_str());
  }
}

}  // namespace

SourceColumns source_columns(const Style& style, const LineFigureRow* row, const Trace* trace,
                             const LineCounters* counters, const std::string& file) {
  SourceColumns columns;
  columns.row = row;
  if (row == nullptr) return columns;
  columns.trace = trace;
  columns.comparison = compare_lines(trace, counters);
  columns.hot = hottest_lines(columns.comparison, *row, file);
  const float number = style.unit(kBarUnits + kNumberUnits);
  columns.widths = {number, number, style.unit(kDifferenceUnits)};
  push_face(style.mono);
  for (const ComparedLine& line : columns.comparison.lines) {
    if (line.file != file) continue;
    const ComparedFigure f = compare_figure(columns.comparison, line, *row);
    columns.most = std::max({columns.most, static_cast<double>(f.modelled.value_or(0)),
                             static_cast<double>(f.measured.value_or(0))});
    if (f.modelled) widen(style, columns, 0, count_text(*f.modelled));
    if (f.measured) widen(style, columns, 1, count_text(*f.measured));
    widen(style, columns, 2, difference_words(columns, f));
  }
  ImGui::PopFont();
  return columns;
}

void add_waits(const Style& style, const StallReport& report, const std::string& file,
               SourceColumns& columns) {
  columns.waits_modelled = report.modelled;
  for (const StallLine& line : report.lines) {
    if (line.position.file != file || line.position.line <= 0) continue;
    columns.waits[line.position.line] = line.share_ratio;
    columns.most_waits = std::max(columns.most_waits, line.share_ratio);
    columns.wait_words[line.position.line] =
        percent_words(line.share_ratio) +
        (report.modelled ? " of the modelled cycles" : " of all samples") + ", " +
        percent_words(line.issued_ratio) + " issued" +
        (line.reason.empty() ? "" : "\nmost often: " + reason_words(line.reason));
  }
  for (const StallFinding& f : report.findings) {
    if (f.line.file == file && f.line.line > 0)
      columns.wait_words[f.line.line] += "\n" + f.sentence;
  }
  push_face(style.mono);
  columns.wait_width = style.unit(kBarUnits + kBarGapUnits) + ImGui::CalcTextSize("100.0 %").x;
  ImGui::PopFont();
}

void narrow(SourceColumns& columns) {
  if (columns.row == nullptr) return;
  const bool counted = compare_all(columns.comparison, *columns.row).measured.has_value();
  columns.shown = {!counted, counted, false};
}

float figures_width(const Style& style, const SourceColumns& columns) {
  float width = columns.waits.empty() ? 0 : columns.wait_width + style.unit(kGapUnits);
  for (std::size_t i = 0; i < columns.widths.size(); ++i) {
    if (columns.shown[i]) width += columns.widths[i] + style.unit(kGapUnits);
  }
  return columns.row == nullptr ? 0 : width;
}

void draw_source_heading(const Style& style, const SourceColumns& columns) {
  if (columns.row == nullptr) return;
  const ComparedFigure all = compare_all(columns.comparison, *columns.row);
  const std::string unit = " " + std::string(columns.row->unit);
  const ImVec2 start = ImGui::GetCursorScreenPos();
  const auto heading = [&](std::size_t column, const char* name, const std::string& hint) {
    if (!columns.shown[column]) return;
    to_column(style, columns, start, column);
    ImGui::TextDisabled("%s", name);
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", hint.c_str());
  };
  const std::string sentence(columns.row->sentence);
  heading(0, "modelled",
          sentence + "\n" +
              (all.modelled ? "all lines: " + count_text(*all.modelled) + unit +
                                  (columns.comparison.whole_grid ? ", over the whole grid"
                                   : columns.comparison.sampled.empty()
                                       ? ", of block " + std::to_string(columns.comparison.block)
                                       : ", " + columns.comparison.sampled)
                            : all.no_modelled));
  heading(1, all.measured ? "measured" : "measured –",
          sentence + "\n" +
              (all.measured ? "all lines: " + count_text(*all.measured) + unit + ", counted"
                            : all.no_measured));
  if (!columns.waits.empty()) {
    to_column(style, columns, start, 3);
    ImGui::TextDisabled("%s", columns.waits_modelled ? "modelled waits" : "samples");
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("%s", columns.waits_modelled
                                  ? "The share of each line in the modelled cycles of all warps: "
                                    "waiting and issued. Panel Stalls says for what it waits."
                                  : "The share of each line in all samples: waiting and issued. "
                                    "Panel Stalls says for what it waits.");
  }
  heading(2, "difference",
          "Measured against modelled.\n" + (all.difference ? "all lines: " + difference_text(all)
                                            : all.no_difference.empty() ? all.no_measured
                                                                        : all.no_difference));
}

void draw_source_cells(const Style& style, Selection& selection, const SourceColumns& columns,
                       const std::string& file, int number) {
  if (columns.row == nullptr) return;
  const float height = ImGui::GetTextLineHeight();
  const ImVec2 start = ImGui::GetCursorScreenPos();
  TraceSelection& t = selection.trace;
  if (t.hovered.line == number && t.hovered.file == file)
    ImGui::GetWindowDrawList()->AddRectFilled(start, {start.x + style.unit(400), start.y + height},
                                              faded(style.colours.accent, 0.18f));
  const ComparedLine line = line_at(columns.comparison, file, number);
  const bool known = line.modelled || line.measured;
  const ComparedFigure f = compare_figure(columns.comparison, line, *columns.row);
  ImGui::PushID(number);
  for (std::size_t column = 0; column < 3 && known; ++column) {
    if (!columns.shown[column]) continue;
    to_column(style, columns, start, column);
    ImGui::PushID(static_cast<int>(column));
    press_area("cell", {columns.widths[column], height});
    ImGui::PopID();
    if (ImGui::IsItemHovered()) {
      t.hovering.file = file;
      t.hovering.line = number;
      say_cell(columns, line, f, static_cast<int>(column));
      if (columns.trace != nullptr && ImGui::IsMouseClicked(ImGuiMouseButton_Left))
        choose_line(t, *columns.trace, file, number);
    }
    to_column(style, columns, start, column);
    if (column == 0) draw_figure(style, f.modelled, columns.most, false);
    if (column == 1) draw_figure(style, f.measured, columns.most, true);
    if (column == 2) {
      const bool same = f.difference && std::abs(static_cast<double>(*f.difference)) <=
                                            kSameRatio * static_cast<double>(*f.modelled);
      ImGui::PushStyleColor(ImGuiCol_Text, !f.difference ? style.colours.muted
                                           : same        ? style.colours.good
                                                         : style.colours.warning);
      ImGui::TextUnformatted(difference_words(columns, f).c_str());
      ImGui::PopStyleColor();
    }
  }
  ImGui::PopID();
  draw_wait(style, columns, start, number);
  to_column(style, columns, start, 4);
}

}  // namespace warpscope
