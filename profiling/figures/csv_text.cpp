// profiling/figures/csv_text.cpp: cells as lines of CSV, and CSV text back as cells.
#include "profiling/figures/csv_text.h"

#include <cstdint>

#include "profiling/figures/inert_text.h"

namespace warpscope {

std::string csv_row(const std::vector<std::string>& cells) {
  std::string row;
  for (std::size_t i = 0; i < cells.size(); ++i) row += (i == 0 ? "" : ",") + csv_cell(cells[i]);
  return row + "\r\n";
}

Result<std::vector<std::vector<std::string>>> parse_csv(std::string_view text) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> row;
  std::string field;
  std::int64_t line = 1;
  bool quoted = false, was_quoted = false;
  const auto end_row = [&] {
    row.push_back(std::move(field));
    field.clear();
    was_quoted = false;
    if (row.size() > 1 || !row[0].empty()) rows.push_back(std::move(row));
    row.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') ++line;
    if (quoted) {
      if (c != '"') {
        field += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        field += '"';
        ++i;
      } else {
        quoted = false;
        was_quoted = true;
      }
    } else if (c == '"') {
      if (!field.empty() || was_quoted) {
        return failure(ErrorKind::input, "a quote stands inside an unquoted cell",
                       "line " + std::to_string(line), "double the quote and quote the cell");
      }
      quoted = true;
    } else if (c == ',') {
      row.push_back(std::move(field));
      field.clear();
      was_quoted = false;
    } else if (c == '\n') {
      end_row();
    } else if (c != '\r') {
      field += c;
    }
  }
  if (quoted) {
    return failure(ErrorKind::input, "a quoted cell does not end", "line " + std::to_string(line),
                   "the file is torn");
  }
  if (!field.empty() || !row.empty()) end_row();
  return rows;
}

}  // namespace warpscope
