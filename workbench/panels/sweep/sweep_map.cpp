// workbench/panels/sweep/sweep_map.cpp: Sweep over two axes: who is best where, and by how much.
#include "workbench/panels/sweep/sweep_map.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "workbench/drawing/table.h"
#include "workbench/panels/axes/axis_row.h"
#include "workbench/panels/diagrams/diagram.h"
#include "workbench/panels/sweep/sweep_expected.h"

namespace warpscope {
namespace {

using Cell = WinnerMap::Cell;

// Where the cells are: row 0 is the lowest one.
struct Grid {
  ImVec2 low, cell;
  std::size_t columns = 0, rows = 0;
  ImVec2 corner(std::size_t column, std::size_t row) const {
    return {low.x + static_cast<float>(column) * cell.x,
            low.y + static_cast<float>(rows - 1 - row) * cell.y};
  }
};

// What is expected at a place; null: it is measured, or nothing is known of it.
const ExpectedPlace* expected_at(const SweepMap& map, const ExpectedMap& expected,
                                 std::size_t column, std::size_t row) {
  const auto found = expected.places.find(row * map.winners.xs.size() + column);
  return found == expected.places.end() ? nullptr : found->second;
}

std::string figure_text(const SweepMap& map, const PlacedFigure& figure) {
  return format_value(figure.value, map.metric->unit);
}

const std::string& label_of(const SweepMap& map, const PlacedFigure& figure) {
  return map.variants[figure.variant]->label;
}

// "1.25×"; "≈ 1.00×" within the noise, "? 1.02×" where the noise is not known.
std::string cell_text(const Cell& cell) {
  if (cell.empty()) return "–";
  if (cell.ratio == 0) return cell.alone() ? "alone" : "";
  const char* sign = cell.significance == Significance::noise     ? "≈ "
                     : cell.significance == Significance::unknown ? "? "
                                                                  : "";
  return sign + ratio_text(cell.ratio);
}

// The same where a cell has no room for it: "1.25", "≈".
std::string brief_text(const Cell& cell) {
  if (!cell.empty() && !cell.decided()) return cell.alone() ? "" : "≈";
  const std::string text = cell_text(cell);
  return text.substr(0, text.rfind("×"));
}

ImU32 ground_of(const Style& style, const SessionView& view, const SweepMap& map,
                const Cell& cell) {
  if (cell.empty()) return style.colours.panel;
  if (!cell.decided() && !cell.alone()) return style.colours.raised;
  const ImU32 colour = variant_colour(
      style, variant_index(view.scene(), map.variants[cell.figures[0].variant]->name));
  // The paler, the closer the second one is; twice as good is full colour.
  const double lead = cell.alone() ? 0 : std::min(1.0, std::log2(std::max(1.0, cell.ratio)));
  return blended(style.colours.panel, colour, static_cast<float>(0.35 + 0.65 * lead));
}

std::string place_text(const SweepMap& map, std::size_t column, std::size_t row) {
  return map.x->name + " = " + to_text(map.winners.xs[column]) + ", " + map.y->name + " = " +
         to_text(map.winners.ys[row]);
}

// "A is the best with 12.3 µs; B needs 15.4 µs, 1.25×".
std::string cell_sentence(const SweepMap& map, const Cell& cell) {
  if (cell.empty()) return "nothing is measured here";
  const PlacedFigure& best = cell.figures[0];
  const std::string first = label_of(map, best) + " " + figure_text(map, best);
  if (cell.alone()) return first + "; no other variant has a figure here";
  const PlacedFigure& second = cell.figures[1];
  std::string next = label_of(map, second) + " " + figure_text(map, second);
  if (cell.ratio > 0) next += " (" + ratio_text(cell.ratio) + ")";
  switch (cell.significance) {
    case Significance::beyond_noise:
      return first + " wins; second is " + next;
    case Significance::noise:
      return "no winner: " + first + " and " + next + " are within the noise";
    case Significance::unknown:
      break;
  }
  return first + " is before " + next + "; whether by more than the noise is not known";
}

void explain_cell(const Scene& scene, const SweepMap& map, const ExpectedMap& expected,
                  std::size_t column, std::size_t row) {
  constexpr std::size_t kMost = 12;
  const Cell& cell = map.winners.at(column, row);
  if (const ExpectedPlace* place = expected_at(map, expected, column, row); place != nullptr) {
    return ImGui::SetTooltip("%s\n%s", place_text(map, column, row).c_str(),
                             expected_lines(scene, expected, *place).c_str());
  }
  std::string text = place_text(map, column, row) + "\n" + cell_sentence(map, cell);
  for (std::size_t i = 0; i < std::min(kMost, cell.figures.size()); ++i) {
    const PlacedFigure& figure = cell.figures[i];
    const double best = cell.figures[0].value;
    const double low = std::min(best, figure.value), high = std::max(best, figure.value);
    text += fmt::format("\n{}. {}  {}{}", i + 1, label_of(map, figure), figure_text(map, figure),
                        i > 0 && low > 0 ? "  " + ratio_text(high / low) : "");
  }
  if (cell.figures.size() > kMost)
    text += fmt::format("\nand {} more, in the CSV", cell.figures.size() - kMost);
  ImGui::SetTooltip("%s", text.c_str());
}

// A winner that the costs expect: hatched, with a hollow marker, so that it is not taken for one
// that was measured.
void draw_expected_cell(const PanelContext& context, const Grid& grid, const ExpectedPlace& place,
                        std::size_t column, std::size_t row) {
  const Style& style = context.style;
  const ImVec2 low = grid.corner(column, row);
  const ImVec2 high = {low.x + grid.cell.x - 1, low.y + grid.cell.y - 1};
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(low, high, style.colours.panel);
  list->AddRect(low, high, style.colours.grid);
  const std::string whole = place.rows.empty()   ? "?"
                            : place.ratio() == 0 ? ""
                                                 : ratio_text(place.ratio());
  std::string text = whole;
  if (ImGui::CalcTextSize(text.c_str()).x > grid.cell.x) text = text.substr(0, text.rfind("×"));
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  const ImVec2 middle = {(low.x + high.x) / 2, (low.y + high.y) / 2};
  const float radius = style.unit(0.5f);
  const bool tall = grid.cell.y >= size.y + radius * 3 && !text.empty();
  const bool fits = size.x <= grid.cell.x && size.y <= grid.cell.y;
  const float down = tall ? radius * 1.5f : 0;
  const ImVec2 at = {middle.x - size.x / 2, middle.y - size.y / 2 + down};
  if (!place.rows.empty()) {
    const int index = variant_index(context.view.scene(), place.rows[0].row.variant);
    const ImU32 colour = variant_colour(style, index);
    add_hatch(list, {low.x, low.y, high.x, high.y}, faded(colour, 0.6f), style.unit(0.75f));
    const bool marked = tall || !fits || text.empty();
    if (marked && radius * 2 < std::min(grid.cell.x, grid.cell.y))
      draw_marker(list, {middle.x, middle.y - (tall && fits ? size.y / 2 : 0)}, radius,
                  variant_marker(index), colour, Fill::ring);
  }
  if (!fits || text.empty()) return;
  // Lines of the hatch do not cross the number.
  list->AddRectFilled({at.x - 1, at.y}, {at.x + size.x + 1, at.y + size.y}, style.colours.panel);
  list->AddText(at, style.colours.text, text.c_str());
}

void draw_cell(const PanelContext& context, const SweepMap& map, const Grid& grid,
               std::size_t column, std::size_t row) {
  const Style& style = context.style;
  const Cell& cell = map.winners.at(column, row);
  const ImVec2 low = grid.corner(column, row);
  const ImVec2 high = {low.x + grid.cell.x - 1, low.y + grid.cell.y - 1};
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImU32 ground = ground_of(style, context.view, map, cell);
  list->AddRectFilled(low, high, ground);
  if (cell.empty()) list->AddRect(low, high, style.colours.grid);
  const ImU32 ink = cell.empty() ? style.colours.muted : ink_on(ground);
  const std::string whole = cell_text(cell);
  const std::string text =
      ImGui::CalcTextSize(whole.c_str()).x <= grid.cell.x ? whole : brief_text(cell);
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  const ImVec2 middle = {(low.x + high.x) / 2, (low.y + high.y) / 2};
  const float radius = style.unit(0.5f);
  const bool marked = cell.decided() || cell.alone();
  const bool tall = grid.cell.y >= size.y + radius * 3;
  if (marked && (tall || size.x > grid.cell.x)) {
    const int index =
        variant_index(context.view.scene(), map.variants[cell.figures[0].variant]->name);
    const float up = size.x > grid.cell.x ? 0 : size.y / 2;
    if (radius * 2 < std::min(grid.cell.x, grid.cell.y))
      draw_marker(list, {middle.x, middle.y - up}, radius, variant_marker(index), ink, Fill::solid);
  }
  if (size.x > grid.cell.x || size.y > grid.cell.y) return;
  const float down = marked && tall ? radius * 1.5f : 0;
  list->AddText({middle.x - size.x / 2, middle.y - size.y / 2 + down}, ink, text.c_str());
}

// Every so many values that their texts stand apart, the first always.
std::size_t stride_of(float wanted, float each) {
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(wanted / each)));
}

void draw_values(const Style& style, const SweepMap& map, const Grid& grid, float left) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float line = ImGui::GetTextLineHeight();
  float widest = 0;
  for (const AxisValue& value : map.winners.xs)
    widest = std::max(widest, ImGui::CalcTextSize(to_text(value).c_str()).x);
  const float bottom = grid.low.y + grid.cell.y * static_cast<float>(grid.rows);
  const std::size_t across = stride_of(widest + style.unit(1), grid.cell.x);
  for (std::size_t i = 0; i < grid.columns; i += across) {
    const std::string text = to_text(map.winners.xs[i]);
    const float x = grid.corner(i, 0).x + grid.cell.x / 2 - ImGui::CalcTextSize(text.c_str()).x / 2;
    list->AddText({std::max(left, x), bottom + style.unit(0.25f)}, style.colours.muted,
                  text.c_str());
  }
  const std::size_t up = stride_of(line, grid.cell.y);
  for (std::size_t i = 0; i < grid.rows; i += up) {
    const std::string text = to_text(map.winners.ys[i]);
    const float x = grid.low.x - style.unit(0.5f) - ImGui::CalcTextSize(text.c_str()).x;
    list->AddText({x, grid.corner(0, i).y + (grid.cell.y - line) / 2}, style.colours.muted,
                  text.c_str());
  }
}

// The place that the axes stand at; no value if the map has none there.
std::optional<std::pair<std::size_t, std::size_t>> selected_place(const SessionView& view,
                                                                  const Selection& selection,
                                                                  const SweepMap& map) {
  const Configuration axes = for_variant(view.scene().axes, selection.axes, selection.variant);
  const auto find = [&](const Axis& axis, const std::vector<AxisValue>& values) {
    return static_cast<std::size_t>(
        std::find(values.begin(), values.end(), value_of(axis, axes, selection.variant)) -
        values.begin());
  };
  const std::size_t column = find(*map.x, map.winners.xs), row = find(*map.y, map.winners.ys);
  if (column == map.winners.xs.size() || row == map.winners.ys.size()) return std::nullopt;
  return std::pair(column, row);
}

void select_place(const PanelContext& context, Selection& selection, const SweepMap& map,
                  std::size_t column, std::size_t row) {
  Result<Selection> moved = with_place(context.view.scene(), selection, *map.x,
                                       map.winners.xs[column], *map.y, map.winners.ys[row]);
  if (!moved) return selection.notices.push_back(sentence(moved.error()));
  selection.axes = std::move(moved->axes);
  selection.unlinked = std::move(moved->unlinked);
  selection.touched_axis = map.x->name;
}

Grid grid_of(const Style& style, const SweepMap& map, ImVec2 room, float& left) {
  Grid grid;
  grid.columns = map.winners.xs.size();
  grid.rows = map.winners.ys.size();
  const float line = ImGui::GetTextLineHeight();
  float labels = 0;
  for (const AxisValue& value : map.winners.ys)
    labels = std::max(labels, ImGui::CalcTextSize(to_text(value).c_str()).x);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  left = at.x;
  labels += style.unit(1);
  const float above = line + style.unit(0.5f), below = 2 * line + style.unit(0.75f);
  grid.low = {at.x + labels, at.y + above};
  grid.cell = {
      (room.x - labels) / static_cast<float>(grid.columns),
      std::max(style.unit(1.5f), (room.y - above - below) / static_cast<float>(grid.rows))};
  // A map of a few places stays small.
  grid.cell.x = std::min(grid.cell.x, style.unit(20));
  grid.cell.y = std::min(grid.cell.y, style.unit(12));
  return grid;
}

// A line of the legend: what cells of this kind are.
void draw_kind(const Style& style, bool hatched, const std::string& words) {
  const float height = ImGui::GetTextLineHeight();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 low = {at.x, at.y + height * 0.15f}, high = {at.x + height, at.y + height * 0.85f};
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (hatched) {
    list->AddRect(low, high, style.colours.grid);
    add_hatch(list, {low.x, low.y, high.x, high.y}, style.colours.muted, style.unit(0.5f));
  } else {
    list->AddRectFilled(low, high, style.colours.muted);
  }
  ImGui::Dummy({height * 1.2f, height});
  ImGui::SameLine();
  draw_paragraph(words);
}

// How often a variant is expected to win where nothing is measured.
std::size_t expected_wins(const ExpectedMap& expected, const std::string& variant) {
  return static_cast<std::size_t>(
      std::count_if(expected.places.begin(), expected.places.end(), [&](const auto& place) {
        return !place.second->rows.empty() && place.second->rows[0].row.variant == variant;
      }));
}

// The variants that won anywhere, with how often; a click puts one in focus.
void draw_winners(const PanelContext& context, Selection& selection, const SweepMap& map,
                  const ExpectedMap& expected) {
  const Style& style = context.style;
  const float height = ImGui::GetTextLineHeight();
  std::size_t measured = 0, undecided = 0;
  for (const Cell& cell : map.winners.cells) {
    measured += cell.empty() ? 0 : 1;
    undecided += cell.figures.size() > 1 && !cell.decided() ? 1 : 0;
  }
  std::size_t predicted = 0;
  for (const auto& [cell, place] : expected.places) predicted += place->rows.empty() ? 0 : 1;
  if (expected.automatic != nullptr) {
    draw_kind(style, false, fmt::format("measured: {}", measured));
    draw_kind(style, true,
              fmt::format("predicted by the table, on an {}: {}{}", expected.model->device,
                          predicted, expected.unfinished ? " so far …" : ""));
    if (const std::size_t unknown = expected.places.size() - predicted; unknown > 0)
      draw_note(style, fmt::format("? not predicted: {}", unknown));
  }
  draw_paragraph(predicted > 0 ? "places won, measured + predicted"
                               : fmt::format("places won, of {}", measured));
  struct Wins {
    std::size_t measured = 0, predicted = 0, variant = 0;
  };
  std::vector<Wins> order;
  for (std::size_t i = 0; i < map.variants.size(); ++i) {
    const Wins wins{map.winners.won_by(i), expected_wins(expected, map.variants[i]->name), i};
    if (wins.measured + wins.predicted > 0) order.push_back(wins);
  }
  std::stable_sort(order.begin(), order.end(), [](const Wins& a, const Wins& b) {
    return a.measured + a.predicted > b.measured + b.predicted;
  });
  for (const Wins& wins : order) {
    const Variant& variant = *map.variants[wins.variant];
    const int index = variant_index(context.view.scene(), variant.name);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    draw_marker(ImGui::GetWindowDrawList(), {at.x + height / 2, at.y + height / 2}, height * 0.3f,
                variant_marker(index), variant_colour(style, index), Fill::solid);
    ImGui::Dummy({height * 1.2f, height});
    ImGui::SameLine();
    ImGui::PushStyleColor(ImGuiCol_Text, variant.name == selection.variant ? style.colours.text
                                                                           : style.colours.muted);
    draw_paragraph(predicted > 0
                       ? fmt::format("{} + {}  {}", wins.measured, wins.predicted, variant.label)
                       : fmt::format("{}  {}", wins.measured, variant.label));
    ImGui::PopStyleColor();
    if (ImGui::IsItemClicked()) selection.variant = variant.name;
  }
  if (undecided > 0) draw_note(style, fmt::format("{}  ≈ or ?: no winner", undecided));
}

// What is known of the place that the axes stand at.
std::string selected_sentence(const Scene& scene, const SweepMap& map, const ExpectedMap& expected,
                              const std::optional<std::pair<std::size_t, std::size_t>>& selected) {
  if (!selected) return "The axes stand beside the map's places: click one.";
  const auto [column, row] = *selected;
  const ExpectedPlace* place = expected_at(map, expected, column, row);
  return place_text(map, column, row) + ": " +
         (place != nullptr ? expected_sentence(scene, *place)
                           : cell_sentence(map, map.winners.at(column, row)));
}

}  // namespace

SweepMap map_of(const PanelContext& context, const Selection& selection, const Axis& x,
                const Axis& y, const Metric& metric, SweepPanel& state, LeftOut& left_out) {
  const Axis* const axes[] = {&x, &y};
  SweepMap map{&x, &y, &metric, compared_variants(context.view, selection, axes), {}};
  map.winners = winner_map(metric, x, y,
                           placed_figures(context, selection, map.variants, axes, state, left_out));
  return map;
}

void draw_map(const PanelContext& context, Selection& selection, const SweepMap& map,
              const ExpectedMap& expected) {
  const Style& style = context.style;
  const auto selected = selected_place(context.view, selection, map);
  draw_paragraph(selected_sentence(context.view.scene(), map, expected, selected));
  const ImVec2 whole = ImGui::GetContentRegionAvail();
  const float legend = std::min(style.unit(27), whole.x * 0.35f);
  const ImVec2 room = {whole.x - legend - style.unit(1), std::max(whole.y, style.unit(16))};
  float left = 0;
  const Grid grid = grid_of(style, map, room, left);
  const ImVec2 start = ImGui::GetCursorScreenPos();
  const ImVec2 size = {grid.cell.x * static_cast<float>(grid.columns),
                       grid.cell.y * static_cast<float>(grid.rows)};
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddText(start, style.colours.muted, name_and_label(*map.y, ", ").c_str());
  draw_values(style, map, grid, left);
  const std::string across = name_and_label(*map.x, ", ");
  list->AddText({grid.low.x, grid.low.y + size.y + ImGui::GetTextLineHeight() + style.unit(0.25f)},
                style.colours.muted, across.c_str());
  for (std::size_t row = 0; row < grid.rows; ++row) {
    for (std::size_t column = 0; column < grid.columns; ++column) {
      const ExpectedPlace* place = expected_at(map, expected, column, row);
      if (place != nullptr) {
        draw_expected_cell(context, grid, *place, column, row);
      } else {
        draw_cell(context, map, grid, column, row);
      }
    }
  }
  if (selected) {
    const ImVec2 low = grid.corner(selected->first, selected->second);
    list->AddRect({low.x - 1, low.y - 1}, {low.x + grid.cell.x, low.y + grid.cell.y},
                  style.colours.text, 0, style.unit(0.25f));
  }
  ImGui::SetCursorScreenPos(grid.low);
  ImGui::InvisibleButton("map", size);
  if (ImGui::IsItemHovered()) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const auto column =
        std::min(grid.columns - 1, static_cast<std::size_t>((mouse.x - grid.low.x) / grid.cell.x));
    const auto down =
        std::min(grid.rows - 1, static_cast<std::size_t>((mouse.y - grid.low.y) / grid.cell.y));
    const std::size_t row = grid.rows - 1 - down;
    explain_cell(context.view.scene(), map, expected, column, row);
    if (ImGui::IsItemClicked()) select_place(context, selection, map, column, row);
  }
  ImGui::SetCursorScreenPos({grid.low.x + size.x + style.unit(2), start.y});
  ImGui::BeginChild("winners", {0, 0}, kReached);
  draw_winners(context, selection, map, expected);
  ImGui::EndChild();
}

ExportWish rows_of(const Scene& scene, const SweepMap& map, const ExpectedMap& expected) {
  const TableColumn columns[] = {
      {map.x->name, ""},        {map.y->name, ""}, {"variant", ""},
      {"configuration", ""},    {"rank", ""},      {map.metric->label, map.metric->unit},
      {"to the best", "ratio"}, {"best", ""},      {"from", ""}};
  std::vector<TableRow> rows;
  for (const Cell& cell : map.winners.cells) {
    const char* verdict = cell.alone()                               ? "alone"
                          : cell.decided()                           ? "by more than the noise"
                          : cell.significance == Significance::noise ? "within the noise"
                                                                     : "noise not known";
    for (std::size_t i = 0; i < cell.figures.size(); ++i) {
      const PlacedFigure& figure = cell.figures[i];
      const double best = cell.figures[0].value;
      const double low = std::min(best, figure.value), high = std::max(best, figure.value);
      rows.push_back(
          {{words_cell(to_text(figure.x)), words_cell(to_text(figure.y)),
            words_cell(map.variants[figure.variant]->name), words_cell(figure.point->key),
            words_cell(std::to_string(i + 1)), figure_cell(figure.value, map.metric->unit),
            figure_cell(low > 0 ? std::optional(high / low) : std::nullopt, "ratio"),
            words_cell(i == 0 ? verdict : ""), words_cell("measured")},
           rows.size()});
    }
  }
  for (const auto& [cell, place] : expected.places) {
    const AxisValue& x = map.winners.xs[cell % map.winners.xs.size()];
    const AxisValue& y = map.winners.ys[cell / map.winners.xs.size()];
    for (std::size_t i = 0; i < place->rows.size(); ++i) {
      const ExpectedTime& row = place->rows[i];
      rows.push_back({{words_cell(to_text(x)), words_cell(to_text(y)), words_cell(to_text(row.row)),
                       words_cell(""), words_cell(std::to_string(i + 1)), figure_cell(row.ns, "ns"),
                       figure_cell(row.ns / place->rows[0].ns, "ratio"), words_cell(""),
                       words_cell("fitted costs of " + scene.name)},
                      rows.size()});
    }
  }
  return rows_as_csv("sweep", columns, rows);
}

}  // namespace warpscope
