// workbench/panels/requests/divergence_panel.cpp: which lanes are active in each instruction of a
// warp.
#include <imgui.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "workbench/drawing/focus.h"
#include "workbench/panels/diagrams/barrier_picture.h"
#include "workbench/panels/diagrams/diagram.h"
#include "workbench/panels/diagrams/hang_picture.h"

namespace warpscope {
namespace {

std::string one_decimal(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

// Below this share of the executed instructions divergence costs less than is measured.
constexpr double kSomeDivergence = 0.005;
constexpr const char* kWhatIsCounted =
    "Two counters divide a sum of lanes by the machine instructions that warps execute.\n"
    "One sums all lanes on the instruction's path, also those whose predicate is off, which do "
    "nothing.\nThe other one sums those that act. Emulated are the lanes that act; an instruction "
    "that all lanes\nskip together is not in their mean.";

// What the device counted, and what of it can be compared with lanes that act.
std::string counted_lanes_text(const std::vector<MetricValue>& counters, bool recorded) {
  const auto acting = value_of(counters, "inst.lanes_acting"),
             path = value_of(counters, "inst.lanes");
  std::string text;
  if (acting) {
    text = ", measured " + one_decimal(*acting);
  } else if (path) {
    text = recorded ? "; not in this recording" : "; not measured: choose the counters “full”";
  }
  if (path) text += " · with lanes whose predicate is off: measured " + one_decimal(*path);
  return text;
}

// `cut`: the trace keeps the first instructions alone.
std::string divergence_text(const ActivitySummary& a, bool cut) {
  std::string text = one_decimal(a.mean_active) + " of 32 lanes active on average over " +
                     (cut ? "the first " : "") +
                     format_value(static_cast<double>(a.instructions), "1") +
                     " executed warp instructions";
  if (a.partial == 0) return text + ": no divergence.";
  return text + "; " + format_value(a.partial_ratio(), "ratio") +
         " of them run with fewer than 32" +
         (a.partial_ratio() < kSomeDivergence ? ", too few to cost time." : ".");
}

// The piece of instructions under the pointer, and what it says.
void explain_column(const Trace& trace, std::uint32_t warp,
                    const std::vector<IssuedInstruction>& issued, const LaneColumn& column,
                    Selection& selection, bool clicked) {
  TraceSelection& t = selection.trace;
  const IssuedInstruction& first = issued[static_cast<std::size_t>(column.first)];
  t.hovering.warp = static_cast<int>(warp);
  t.hovering.line = first.line;
  t.hovering.file = trace.source;
  std::string where = "instruction " + std::to_string(column.first);
  if (column.count > 1) where += " to " + std::to_string(column.first + column.count - 1);
  ImGui::SetTooltip("warp %u, %s, line %d\n%s of 32 lanes active\nDouble click: line %d in Source.",
                    warp, where.c_str(), first.line, one_decimal(column.mean_active).c_str(),
                    first.line);
  if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) && first.line > 0)
    selection.show_source = {trace.source, first.line};
  if (!clicked) return;
  t.warp = warp;
  if (const auto near = nearest_request(trace, warp, static_cast<std::uint64_t>(column.first),
                                        RequestFamily::any, -1))
    choose_request(t, trace, *near);
}

// Whether a column is wide enough for a line of the ground at its right edge.
bool has_gap(const Box& column) { return column.width() > 3; }

// Where the parts stand: 32 rows of lanes, and under them a strip of the source's lines.
struct WarpLayout {
  ImVec2 at;
  Box area;  // of lanes and lines, right of their names
  float lane_height = 0, lines_top = 0;
  float top_of(int lane) const { return at.y + static_cast<float>(lane) * lane_height; }
};

void draw_lane_names(const Style& style, const WarpLayout& l, const TraceSelection& t) {
  const float line = ImGui::GetTextLineHeight();
  for (const int lane : {0, 8, 16, 24, 31}) {
    // The last one is moved up to stay beside the lanes.
    if (lane == 31 && l.lines_top - line < l.top_of(24) + line) continue;
    // Where rows are low every other name has room.
    if (lane % 16 == 8 && 8 * l.lane_height < line) continue;
    const std::string text = "lane " + std::to_string(lane);
    ImGui::GetWindowDrawList()->AddText(
        {l.at.x, std::min(l.top_of(lane), l.lines_top - ImGui::GetTextLineHeight())},
        lane == t.hovered.lane ? style.colours.text : style.colours.muted, text.c_str());
  }
}

// Cells in columns of a strip, with a line of the ground after each column where there is room:
// cells of one colour are drawn in one piece all the same.
void draw_cells(const Style& style, const StripDiagram& d, float bottom, JoinedCells& cells) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (const JoinedCells::Piece& piece : cells.pieces()) add_box(list, piece.box, piece.colour);
  for (std::int64_t c = 0; c < d.columns && has_gap(d.column(c)); ++c) {
    const float right = d.column(c).x1;
    add_box(list, {right - 1, d.area.y0, right, bottom}, style.colours.panel);
  }
}

// How much of a column's instructions a lane is active in: 0 none, 1 some, 2 all.
int activity_of(const LaneColumn& column, int lane) {
  if ((column.any >> lane & 1U) == 0) return 0;
  return (column.all >> lane & 1U) != 0 ? 2 : 1;
}

// The activity with the most pieces in a lane's row. The row is drawn in its colour first, so that
// these pieces need no boxes: at least a third of all, most often half.
int ground_activity(const std::vector<LaneColumn>& columns, int lane) {
  int pieces[3] = {}, before = -1;
  for (const LaneColumn& column : columns) {
    const int now = activity_of(column, lane);
    if (now != before) ++pieces[now];
    before = now;
  }
  return static_cast<int>(std::max_element(pieces, std::end(pieces)) - pieces);
}

// The columns' lanes: bright where they are active in all of a column's instructions, half so in
// some. The colours are opaque, since boxes lie on each other.
void draw_lanes(const Style& style, const WarpLayout& l, const StripDiagram& d,
                const std::vector<LaneColumn>& columns, int hovered_lane, bool stale) {
  if (columns.empty()) return;
  JoinedCells cells;
  const auto cell_of = [&](std::size_t column, int lane) {
    const Box box = d.column(static_cast<std::int64_t>(column));
    const float top = l.top_of(lane);
    return Box{box.x0, top, box.x1, top + l.lane_height - (l.lane_height > 4 ? 1.0f : 0.0f)};
  };
  const ImU32 panel = style.colours.panel;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    const ImU32 colour = lane_colour(style, lane);
    const ImU32 lit[] = {blended(panel, style.colours.raised, 0.6f),
                         blended(panel, colour, stale ? 0.2f : 0.5f),
                         blended(panel, colour, stale ? 0.4f : 1.0f)};
    const int ground = ground_activity(columns, lane);
    Box row = cell_of(0, lane);
    row.x1 = cell_of(columns.size() - 1, lane).x1;
    add_box(ImGui::GetWindowDrawList(), row, lit[ground]);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const int activity = activity_of(columns[c], lane);
      if (activity != ground) cells.add(cell_of(c, lane), lit[activity]);
    }
  }
  draw_cells(style, d, l.lines_top, cells);
  if (hovered_lane < 0 || hovered_lane >= kWarpLanes) return;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    Box cell = cell_of(c, hovered_lane);
    if (has_gap(cell)) cell.x1 -= 1;
    add_outline(ImGui::GetWindowDrawList(), cell, style.colours.text, 1);
  }
}

// 32 rows of lanes over the instructions of one warp.
void draw_one_warp(const PanelContext& context, const Diagram& diagram, Selection& selection,
                   float height) {
  const Style& style = context.style;
  const Trace& trace = *diagram.trace;
  TraceSelection& t = selection.trace;
  const std::vector<IssuedInstruction>& issued = trace.issued[t.warp];
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float label = ImGui::CalcTextSize("lane 31 ").x;
  const float width = std::max(ImGui::GetContentRegionAvail().x, label + style.unit(4));
  const float strip = style.unit(1.5f);  // the lines' own
  const float lane_height = std::max(2.0f, std::floor((height - strip) / kWarpLanes));
  const float lanes = lane_height * kWarpLanes;
  press_area("lanes", {width, lanes + strip});
  const bool hovered = ImGui::IsItemHovered(), clicked = ImGui::IsItemClicked();
  const Box area{at.x + label, at.y, at.x + width, at.y + lanes + strip};
  const WarpLayout l{at, area, lane_height, at.y + lanes};
  const StripDiagram d =
      fit_strip(static_cast<std::int64_t>(issued.size()), area, style.unit(0.5f), style.unit(3));
  const std::vector<LaneColumn> columns =
      lane_columns(issued, 0, d.count, static_cast<int>(d.columns));
  ImDrawList* list = ImGui::GetWindowDrawList();
  draw_lane_names(style, l, t);
  const WarpRequest* chosen = chosen_request(t, trace);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto under = hovered ? d.column_at(mouse.x, mouse.y) : std::nullopt;
  int before = -1;
  bool shade = false;
  draw_lanes(style, l, d, columns, t.hovered.lane, diagram.stale);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const LaneColumn& column = columns[c];
    const Box box = d.column(static_cast<std::int64_t>(c));
    const int line = issued[static_cast<std::size_t>(column.first)].line;
    if (line != before) shade = !shade;
    before = line;
    const bool lit = t.hovered.line == line && t.hovered.file == trace.source;
    add_box(list, {box.x0, l.lines_top + 2, box.x1, area.y1},
            lit     ? style.colours.accent
            : shade ? style.colours.axis
                    : style.colours.border);
    if (chosen != nullptr && static_cast<std::int64_t>(chosen->order) >= column.first &&
        static_cast<std::int64_t>(chosen->order) < column.first + column.count)
      add_outline(list, {box.x0 - 1, at.y - 1, box.x1, area.y1 + 1}, style.colours.accent,
                  std::max(1.0f, style.unit(0.2f)));
    if (under && *under == static_cast<std::int64_t>(c)) {
      const int lane = static_cast<int>((mouse.y - at.y) / lane_height);
      if (lane >= 0 && lane < kWarpLanes) t.hovering.lane = lane;
      explain_column(trace, t.warp, issued, column, selection, clicked);
    }
  }
  list->AddText({at.x, l.lines_top}, style.colours.muted, "line");
}

// A warp's instructions in as many columns as its share of the longest warp's.
std::vector<LaneColumn> columns_of(const std::vector<IssuedInstruction>& issued,
                                   const StripDiagram& of_longest) {
  const auto count = static_cast<std::int64_t>(issued.size());
  const auto share = static_cast<int>((count * of_longest.columns + of_longest.count - 1) /
                                      std::max<std::int64_t>(1, of_longest.count));
  return lane_columns(issued, 0, count, share);
}

// A row per warp: how many lanes are active over its instructions.
void draw_all_warps(const PanelContext& context, const Diagram& diagram, const BlockRoles& roles,
                    Selection& selection, float height) {
  const Style& style = context.style;
  const Trace& trace = *diagram.trace;
  TraceSelection& t = selection.trace;
  std::size_t longest = 1;
  for (const auto& issued : trace.issued) longest = std::max(longest, issued.size());
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const auto name_of = [&](std::size_t w) {
    return "warp " + std::to_string(w) + roles.suffix(static_cast<int>(w));
  };
  float label = ImGui::CalcTextSize("warp 31 ").x;
  for (std::size_t w = 0; w < trace.issued.size(); ++w)
    label = std::max(label, ImGui::CalcTextSize((name_of(w) + " ").c_str()).x);
  const float width = std::max(ImGui::GetContentRegionAvail().x, label + style.unit(4));
  const float line =
      std::clamp(height / static_cast<float>(trace.issued.size()), style.unit(0.5f), style.unit(6));
  press_area("warps", {width, line * static_cast<float>(trace.issued.size())});
  const bool hovered = ImGui::IsItemHovered(), clicked = ImGui::IsItemClicked();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  ImDrawList* list = ImGui::GetWindowDrawList();
  float label_end = -1e9f;
  JoinedCells cells;
  std::optional<Box> pointed;
  const Box all{at.x + label, at.y, at.x + width, at.y};
  const StripDiagram whole =
      fit_strip(static_cast<std::int64_t>(longest), all, style.unit(0.5f), style.unit(3));
  for (std::size_t w = 0; w < trace.issued.size(); ++w) {
    const auto& issued = trace.issued[w];
    const float top = at.y + static_cast<float>(w) * line;
    if (top >= label_end) {
      const std::string text = name_of(w);
      list->AddText({at.x, top}, w == t.warp ? style.colours.text : style.colours.muted,
                    text.c_str());
      label_end = top + ImGui::GetTextLineHeight();
    }
    StripDiagram d = whole;
    d.area.y0 = top;
    d.area.y1 = top + line - (line > 4 ? 1.0f : 0.0f);
    const std::vector<LaneColumn> columns = columns_of(issued, d);
    const auto under = hovered ? d.column_at(mouse.x, mouse.y) : std::nullopt;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      Box box = d.column(static_cast<std::int64_t>(c));
      const ImU32 colour = heat_colour(style, columns[c].mean_active / kWarpLanes);
      cells.add(box, diagram.stale ? faded(colour, 0.4f) : colour);
      if (under && *under == static_cast<std::int64_t>(c)) {
        if (has_gap(box)) box.x1 -= 1;
        pointed = box;
        explain_column(trace, static_cast<std::uint32_t>(w), issued, columns[c], selection,
                       clicked);
        if (clicked) t.zoom = TraceZoom::warp;
      }
    }
  }
  draw_cells(style, whole, at.y + line * static_cast<float>(trace.issued.size()), cells);
  if (pointed) add_outline(list, *pointed, style.colours.text, 1);
}

// What each role does, and whether the barriers' marks are shown; a click folds them.
void draw_roles(const Style& style, const BlockStory& story, DivergencePanel& state) {
  std::string text;
  for (const WarpRole& role : story.roles.roles) {
    text +=
        (text.empty() ? "" : " · ") + role.name + " (" + warps_text(role.warps) + ") " + role.does;
  }
  if (!text.empty()) draw_note(style, text + ".");
  if (story.timeline.marks.empty()) return;
  if (small_tool_button(state.no_barriers ? "show arrivals and waits" : "hide arrivals and waits"))
    state.no_barriers = !state.no_barriers;
}

// The chosen warp's lanes, or all warps, and the sentence about them.
void draw_activity(const PanelContext& context, const Diagram& diagram, const BlockStory& story,
                   Selection& selection, float height) {
  const Style& style = context.style;
  const Trace& trace = *diagram.trace;
  const TraceSelection& t = selection.trace;
  const bool one = t.zoom == TraceZoom::warp || t.zoom == TraceZoom::request;
  ActivitySummary summary;
  if (one) {
    draw_one_warp(context, diagram, selection, height);
    summary = activity(trace.issued[t.warp]);
  } else {
    draw_all_warps(context, diagram, story.roles, selection, height);
    double lanes = 0;
    for (const auto& issued : trace.issued) {
      const ActivitySummary warp = activity(issued);
      summary.instructions += warp.instructions;
      summary.partial += warp.partial;
      summary.skipped += warp.skipped;
      lanes += warp.mean_active * static_cast<double>(warp.instructions - warp.skipped);
    }
    summary.mean_active = lanes / static_cast<double>(std::max<std::int64_t>(
                                      1, summary.instructions - summary.skipped));
  }
  draw_caption(style, divergence_text(summary, trace.truncated),
               summary.partial_ratio() < kSomeDivergence);
  if (const std::string counted = counted_lanes_text(diagram.counters, context.view.recorded());
      !counted.empty()) {
    const std::string text =
        "lanes that act: emulated " + one_decimal(summary.mean_active) + counted;
    ImGui::PushStyleColor(ImGuiCol_Text, style.colours.muted);
    ImGui::TextWrapped("%s", text.c_str());
    ImGui::PopStyleColor();
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", kWhatIsCounted);
  }
  if (one) {
    draw_lane_legend(style);
    ImGui::SameLine();
    ImGui::TextWrapped(
        "· half-bright: in part of a cell's instructions · grey: inactive · below: changes of the "
        "source line");
  } else {
    draw_heat_legend(style, "0 lanes", "32");
  }
}

}  // namespace

void draw_divergence_panel(const PanelContext& context, Selection& selection,
                           DivergencePanel& state) {
  const Style& style = context.style;
  const Diagram diagram = begin_diagram(context, selection, "divergence");
  if (diagram.trace == nullptr) return;
  const Trace& trace = *diagram.trace;
  const TraceSelection& t = selection.trace;
  const BlockStory& story = story_of(trace, state.story);
  if (trace.hang) {
    if (small_tool_button(state.lanes ? "who waits for whom" : "lanes")) state.lanes = !state.lanes;
    if (!state.lanes)
      return draw_hang_picture(context, trace, story.roles, selection,
                               ImGui::GetContentRegionAvail().y);
  }
  const bool one = t.zoom == TraceZoom::warp || t.zoom == TraceZoom::request;
  const bool empty = one ? t.warp >= trace.issued.size() || trace.issued[t.warp].empty()
                         : std::all_of(trace.issued.begin(), trace.issued.end(),
                                       [](const auto& issued) { return issued.empty(); });
  if (empty)
    return draw_note(style, one ? "The instructions of this warp were not kept: trace it again."
                                : "No instructions of this block were kept: trace it again.");
  const float line = ImGui::GetTextLineHeightWithSpacing();
  if (story.roles.any()) draw_roles(style, story, state);
  const bool barriers = story.roles.any() && !story.timeline.marks.empty() && !state.no_barriers;
  const float room = ImGui::GetContentRegionAvail().y;
  constexpr float kBarriersRatio = 0.45f;  // of the room, where there are any
  const float below = barriers ? std::max(room * kBarriersRatio, 7 * line) : 0;
  // Each text takes a second line where it is narrow.
  const float texts = ImGui::GetContentRegionAvail().x < style.unit(80) ? 6.5f : 4.5f;
  draw_activity(context, diagram, story, selection,
                std::max(room - below - texts * line, style.unit(8)));
  if (barriers) {
    draw_barrier_picture(context, trace, story.roles, story.timeline, selection,
                         std::max(ImGui::GetContentRegionAvail().y, 6 * line));
  }
}

}  // namespace warpscope
