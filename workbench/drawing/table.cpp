// workbench/drawing/table.cpp: what every table can do: filter, sort, copy a cell, a row or a
// value, export.
#include "workbench/drawing/table.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "profiling/figures/csv_text.h"
#include "profiling/figures/metric.h"
#include "profiling/figures/time_unit.h"
#include "workbench/drawing/focus.h"
#include "workbench/drawing/style.h"

namespace warpscope {
namespace {

std::string number(double value) {
  char text[64];
  return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
}

bool contains(std::string_view text, std::string_view part) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::search(text.begin(), text.end(), part.begin(), part.end(),
                     [&](char a, char b) { return lower(a) == lower(b); }) != text.end();
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

struct Bound {
  double value = 0;   // in `unit`
  std::string unit;   // of a column: "ns", "B/s"; empty: whichever the column has
  bool bare = false;  // a number alone: compared with the number that is shown
};

// The number of "21.41 µs", "≥ 3.2 GB", "(85.2 %)" as it is read there.
std::optional<double> shown_number(const std::string& text) {
  const std::size_t first = text.find_first_of("-0123456789");
  if (first == std::string::npos) return std::nullopt;
  return std::strtod(text.c_str() + first, nullptr);
}

// "5", "100 µs", "2 T", "3 TB/s", "50 %". No value if it is not a number with a unit.
std::optional<Bound> bound_of(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (end == copy.c_str()) return std::nullopt;
  std::string_view unit = trimmed(std::string_view(end));
  if (unit.empty()) return Bound{value, "", true};
  if (unit == "%") return Bound{value / 100, "ratio"};
  struct Prefix {
    std::string_view text;
    double factor;
  };
  constexpr std::array<Prefix, 9> kPrefixes = {{{"n", 1e-9},
                                                {"µ", 1e-6},
                                                {"μ", 1e-6},
                                                {"u", 1e-6},
                                                {"m", 1e-3},
                                                {"k", 1e3},
                                                {"M", 1e6},
                                                {"G", 1e9},
                                                {"T", 1e12}}};
  constexpr std::array<std::string_view, 6> kUnits = {"s", "B", "B/s", "FLOP", "FLOP/s", "Hz"};
  const auto known = [&](std::string_view name) {
    return std::find(kUnits.begin(), kUnits.end(), name) != kUnits.end();
  };
  double factor = 1;
  if (!known(unit)) {
    for (const Prefix& prefix : kPrefixes) {
      if (!unit.starts_with(prefix.text)) continue;
      factor = prefix.factor;
      unit.remove_prefix(prefix.text.size());
      break;
    }
  }
  if (!unit.empty() && !known(unit)) return std::nullopt;
  if (unit == "s") return Bound{value * factor * 1e9, "ns"};
  return Bound{value * factor, std::string(unit)};
}

}  // namespace

TableCell words_cell(std::string text) { return {std::move(text), std::nullopt, ""}; }

TableCell figure_cell(std::optional<double> value, const std::string& unit) {
  return {value ? format_value(*value, unit) : "–", value, unit};
}

bool passes(const std::string& filter, const TableRow& row, std::size_t column) {
  const std::string_view wanted = trimmed(filter);
  if (wanted.empty()) return true;
  if (wanted.front() == '>' || wanted.front() == '<') {
    const bool equal = wanted.size() > 1 && wanted[1] == '=';
    const std::string_view rest = trimmed(wanted.substr(equal ? 2 : 1));
    if (rest.empty()) return true;  // the number is still being typed
    if (const std::optional<Bound> bound = bound_of(rest)) {
      const TableCell& cell = row.cells.at(column);
      if (!cell.value) return false;
      // Some metrics are percentages by themselves, others ratios shown as percentages.
      const bool percent = bound->unit == "ratio" && cell.unit == "%";
      if (!bound->unit.empty() && bound->unit != cell.unit && !percent) return false;
      double value = percent ? *cell.value / 100 : *cell.value;
      const bool count = cell.unit.empty() || cell.unit == "1";
      if (bound->bare && !count) value = shown_number(cell.text).value_or(value);
      if (equal && value == bound->value) return true;
      return wanted.front() == '>' ? value > bound->value : value < bound->value;
    }
  }
  return std::any_of(row.cells.begin(), row.cells.end(),
                     [&](const TableCell& cell) { return contains(cell.text, wanted); });
}

void in_one_time_unit(std::vector<TableRow>& rows, std::size_t column) {
  double shortest = std::numeric_limits<double>::infinity();
  const auto times = [&](auto visit) {
    for (TableRow& row : rows) {
      TableCell& cell = row.cells.at(column);
      if (cell.unit == "ns" && cell.value && *cell.value > 0) visit(cell);
    }
  };
  times([&](const TableCell& cell) { shortest = std::min(shortest, *cell.value); });
  times([&](TableCell& cell) { cell.text = time_beside(*cell.value, shortest); });
}

void sort_rows(std::vector<TableRow>& rows, std::size_t column, bool ascending) {
  std::stable_sort(rows.begin(), rows.end(), [&](const TableRow& x, const TableRow& y) {
    const TableCell &a = x.cells.at(column), &b = y.cells.at(column);
    if (a.value.has_value() != b.value.has_value()) return a.value.has_value();
    if (a.value) return ascending ? *a.value < *b.value : *a.value > *b.value;
    return ascending ? a.text < b.text : a.text > b.text;
  });
}

bool is_order_asked() {
  const ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs();
  return specs != nullptr && specs->SpecsCount > 0;
}

bool sort_as_asked(std::vector<TableRow>& rows) {
  if (!is_order_asked()) return false;
  const ImGuiTableColumnSortSpecs& by = ImGui::TableGetSortSpecs()->Specs[0];
  sort_rows(rows, static_cast<std::size_t>(by.ColumnIndex),
            by.SortDirection == ImGuiSortDirection_Ascending);
  return true;
}

std::string table_csv(std::span<const TableColumn> columns, std::span<const TableRow> rows) {
  std::vector<bool> figures(columns.size(), false);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    figures[i] = !columns[i].unit.empty() ||
                 std::any_of(rows.begin(), rows.end(),
                             [i](const TableRow& row) { return row.cells.at(i).value; });
  }
  std::vector<std::string> line;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    line.push_back(columns[i].name);
    if (figures[i]) line.push_back(columns[i].name + " unit");
  }
  std::string csv = csv_row(line);
  for (const TableRow& row : rows) {
    line.clear();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const TableCell& cell = row.cells.at(i);
      if (!figures[i]) {
        line.push_back(cell.text);
        continue;
      }
      line.push_back(cell.value ? number(*cell.value) : "");
      line.push_back(cell.value ? (cell.unit.empty() ? columns[i].unit : cell.unit) : "");
    }
    csv += csv_row(line);
  }
  return csv;
}

ExportWish rows_as_csv(const char* panel, std::span<const TableColumn> columns,
                       std::span<const TableRow> rows) {
  return {ExportWish::Kind::rows, panel, table_csv(columns, rows)};
}

TableBar draw_table_bar(const char* panel, const char* hint, TableFilter& filter,
                        const Selection& selection, float width) {
  if (for_slides()) {
    ImGui::Dummy({0, 0});
    return {};
  }
  const ImGuiStyle& s = ImGui::GetStyle();
  const float button = ImGui::CalcTextSize("CSV").x + 2 * s.FramePadding.x;
  ImGui::SetNextItemWidth(std::max(width - button - s.ItemSpacing.x, button));
  if (filter.focus) ImGui::SetKeyboardFocusHere();
  filter.focus = false;
  ImGui::InputTextWithHint("##filter", hint, filter.text, sizeof filter.text);
  type_where_focus_came();
  if (ImGui::IsItemHovered()) {
    ImGui::SetTooltip(
        "Text is found in every column; > 5, <= 100 µs, > 2 TB/s and < 50 %% compare the figure.\n"
        "Without a unit the number is compared as it is shown. Ctrl+F comes here.");
  }
  ImGui::SameLine();
  TableBar bar;
  bar.wanted = ImGui::Button("CSV");
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("Write the rows shown, in this order, to warpscope-%s.csv (Ctrl+E).", panel);
  const ExportWish& wish = selection.wish;
  bar.wanted = bar.wanted || (wish.kind == ExportWish::Kind::rows && wish.panel == panel);
  return bar;
}

bool begin_row_menu(std::span<const TableColumn> columns, const TableRow& row, Selection& selection,
                    const char* panel) {
  ImGuiStorage* storage = ImGui::GetStateStorage();
  const ImGuiID kept = ImGui::GetID("column");
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenOverlappedByItem) &&
      ImGui::IsMouseReleased(ImGuiMouseButton_Right)) {
    // A row may have cells that are not drawn, for copies and exports.
    const auto drawn = static_cast<std::size_t>(ImGui::TableGetColumnCount());
    for (std::size_t i = 0; i < std::min(columns.size(), drawn); ++i) {
      const bool under =
          (ImGui::TableGetColumnFlags(static_cast<int>(i)) & ImGuiTableColumnFlags_IsHovered) != 0;
      if (under) storage->SetInt(kept, static_cast<int>(i));
    }
  }
  if (menu_asked()) {
    storage->SetInt(kept, 0);
    ImGui::OpenPopup("row");
  }
  const auto column = static_cast<std::size_t>(storage->GetInt(kept, 0));
  if (!ImGui::BeginPopupContextItem("row")) return false;
  const TableCell& cell = row.cells.at(std::min(column, row.cells.size() - 1));
  if (ImGui::MenuItem(("copy “" + cell.text + "”").c_str()))
    ImGui::SetClipboardText(cell.text.c_str());
  if (cell.value &&
      ImGui::MenuItem(("copy the value, " + number(*cell.value) + " " + cell.unit).c_str()))
    ImGui::SetClipboardText((number(*cell.value) + " " + cell.unit).c_str());
  if (ImGui::MenuItem("copy the row")) {
    std::string text;
    for (const TableCell& c : row.cells) text += (text.empty() ? "" : "\t") + c.text;
    ImGui::SetClipboardText(text.c_str());
  }
  if (ImGui::MenuItem("export the rows as CSV", "Ctrl+E"))
    selection.wish = {ExportWish::Kind::rows, panel, ""};
  return true;
}

}  // namespace warpscope
