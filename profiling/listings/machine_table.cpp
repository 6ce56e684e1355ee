// profiling/listings/machine_table.cpp: the instructions of an emulated launch's machine code with
// their figures, as a table, and two of them beside each other.
#include "profiling/listings/machine_table.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "profiling/access/trace_view.h"
#include "profiling/listings/kernel_name.h"
#include "profiling/listings/line_diff.h"
#include "profiling/listings/machine_pipes.h"

namespace warpscope {
namespace {

constexpr std::uint32_t kInstructionBytes = 16;

// "LDG.E.128" of "@!P0 LDG.E.128 R4, desc[UR4][R2.64]".
std::string opcode_of(const std::string& text) {
  std::size_t begin = 0;
  if (text.starts_with("@")) begin = std::min(text.find(' '), text.size() - 1) + 1;
  return text.substr(begin, text.find_first_of(" \t", begin) - begin);
}

// "LDC R1, c[0x0][0x28]" of "/*0000*/  LDC R1, c[0x0][0x28] ;".
std::string instruction_of(std::string text) {
  if (text.starts_with("/*")) text.erase(0, std::min(text.find("*/"), text.size() - 2) + 2);
  text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
  text.erase(std::min(text.find_last_not_of(" ;") + 1, text.size()));
  return text;
}

std::string place_text(const SourcePosition& position) {
  if (position.line <= 0) return "";
  return position.file.substr(position.file.rfind('/') + 1) + ":" + std::to_string(position.line);
}

std::string count_text(std::int64_t value) { return value == 0 ? "" : std::to_string(value); }

std::string offset_text(std::uint32_t offset) {
  char text[16];
  std::snprintf(text, sizeof text, "%04x", offset);
  return text;
}

struct Column {
  const char* name;
  std::string (*cell)(const SassTableRow&);
  bool figure;  // it needs a run
};
constexpr Column kColumns[] = {
    {"offset", [](const SassTableRow& r) { return offset_text(r.offset); }, false},
    {"executed", [](const SassTableRow& r) { return count_text(r.executed); }, true},
    {"threads", [](const SassTableRow& r) { return count_text(r.threads); }, true},
    {"requests", [](const SassTableRow& r) { return count_text(r.requests); }, true},
    {"sectors", [](const SassTableRow& r) { return count_text(r.sectors); }, true},
    {"wavefronts", [](const SassTableRow& r) { return count_text(r.wavefronts); }, true},
    {"pipe", [](const SassTableRow& r) { return std::string(to_text(pipe_of_opcode(r.opcode))); },
     false},
    {"live", [](const SassTableRow& r) { return count_text(r.live.general); }, false},
    {"uniform", [](const SassTableRow& r) { return count_text(r.live.uniform); }, false},
    {"predicates",
     [](const SassTableRow& r) {
       return count_text(r.live.predicates + r.live.uniform_predicates);
     },
     false},
    {"line", [](const SassTableRow& r) { return r.line; }, false},
    {"instruction", [](const SassTableRow& r) { return r.spill ? r.text + "  (spill)" : r.text; },
     false}};

std::string quoted(const std::string& cell) {
  std::string text = "\"";
  for (const char c : cell) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + "\"";
}

std::string signed_text(std::int64_t value) {
  return (value > 0 ? "+" : "") + std::to_string(value);
}

std::string padded_left(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

struct OpcodeCounts {
  std::int64_t places[2] = {0, 0}, executed[2] = {0, 0};
};

std::map<std::string, OpcodeCounts> opcode_counts(const SassTable& left, const SassTable& right) {
  std::map<std::string, OpcodeCounts> counts;
  for (const int side : {0, 1}) {
    for (const SassTableRow& row : (side == 0 ? left : right).rows) {
      OpcodeCounts& of = counts[row.opcode];
      ++of.places[side];
      of.executed[side] += row.executed;
    }
  }
  return counts;
}

std::string opcodes_text(const SassTable& left, const SassTable& right) {
  using Row = std::pair<std::string, OpcodeCounts>;
  std::vector<Row> rows;
  std::size_t width = 6;
  for (Row row : opcode_counts(left, right)) {
    const OpcodeCounts& c = row.second;
    if (c.places[0] == c.places[1] && c.executed[0] == c.executed[1]) continue;
    width = std::max(width, row.first.size());
    rows.push_back(std::move(row));
  }
  const auto change = [](const Row& row) {
    return std::llabs(row.second.executed[1] - row.second.executed[0]);
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const Row& a, const Row& b) { return change(a) > change(b); });
  char line[256];
  std::snprintf(line, sizeof line, "%-*s %10s %10s %14s %14s %14s\n", static_cast<int>(width),
                "opcode", "places A", "places B", "executed A", "executed B", "change");
  std::string text = line;
  for (const auto& [opcode, c] : rows) {
    std::snprintf(line, sizeof line, "%-*s %10lld %10lld %14lld %14lld %14s\n",
                  static_cast<int>(width), opcode.c_str(), static_cast<long long>(c.places[0]),
                  static_cast<long long>(c.places[1]), static_cast<long long>(c.executed[0]),
                  static_cast<long long>(c.executed[1]),
                  signed_text(c.executed[1] - c.executed[0]).c_str());
    text += line;
  }
  return rows.empty() ? "the same opcodes, executed as often\n" : text;
}

std::vector<std::string> opcodes(const SassTable& table) {
  std::vector<std::string> lines;
  for (const SassTableRow& row : table.rows) lines.push_back(row.opcode);
  return lines;
}

std::string diff_row_text(const MachineDiffRow& row) {
  const auto side = [](const SassTableRow* r) {
    return r == nullptr ? std::string(17, ' ')
                        : offset_text(r->offset) + " " + padded_left(count_text(r->executed), 12);
  };
  const char mark = row.left == nullptr ? '+' : row.right == nullptr ? '-' : ' ';
  const SassTableRow& shown = row.left == nullptr ? *row.right : *row.left;
  std::string text =
      std::string(1, mark) + " " + side(row.left) + "  " + side(row.right) + "  " + shown.text;
  if (row.left != nullptr && row.right != nullptr && row.left->text != row.right->text)
    text += "  |  " + row.right->text;
  return text + "\n";
}

}  // namespace

SassTable machine_table(const Trace& trace) {
  SassTable table;
  if (!trace.machine_code) return table;
  const MachineFigures& code = *trace.machine_code;
  table.kernel = trace.entry;
  table.title = trace.entry + ": " + std::to_string(code.registers_per_thread) +
                " registers per thread; sums: " + scope_text(trace);
  table.unknown = code.unknown;
  for (std::size_t k = 0; k < code.rows.size(); ++k) {
    const MachineRow& from = code.rows[k];
    SassTableRow& row = table.rows.emplace_back();
    row.offset = static_cast<std::uint32_t>(k) * kInstructionBytes;
    row.text = from.text;
    row.opcode = opcode_of(from.text);
    row.line = place_text(from.position);
    row.executed = from.executed;
    row.threads = from.threads;
    row.live = from.live;
    row.spill = from.spill || is_stack_access(from.text);
  }
  for (const AccessSite& site : trace.sites) {
    if (site.instruction >= table.rows.size()) continue;
    SassTableRow& row = table.rows[site.instruction];
    if (site.space == Space::shared) {
      row.wavefronts += site.totals.wavefronts;
    } else {
      row.requests += site.totals.requests;
      row.sectors += site.totals.sectors;
    }
  }
  return table;
}

SassTable machine_table(const Listing& listing) {
  SassTable table;
  table.kernel = kernel_name_of(listing.entry).name;
  table.title =
      table.kernel + ": SASS of sm_" + std::to_string(listing.compute_capability) + ", not run";
  table.has_figures = false;
  for (const ListedRow& from : machine_rows(listing.machine_code, listing.entry, listing.files)) {
    if (!from.instruction) continue;
    SassTableRow& row = table.rows.emplace_back();
    row.offset = static_cast<std::uint32_t>(table.rows.size() - 1) * kInstructionBytes;
    row.text = instruction_of(from.text);
    row.opcode = opcode_of(row.text);
    row.spill = is_stack_access(row.text);
    if (!from.positions.empty()) row.line = place_text(from.positions.front());
  }
  add_live_registers(table, listing);
  return table;
}

void add_live_registers(SassTable& table, const Listing& listing) {
  if (table.rows.size() != listing.live.size()) return;
  for (std::size_t k = 0; k < table.rows.size(); ++k) {
    if (table.rows[k].live == LiveRegisters{}) table.rows[k].live = listing.live[k];
  }
}

bool is_stack_access(std::string_view instruction) {
  if (instruction.starts_with("@"))
    instruction.remove_prefix(std::min(instruction.find(' '), instruction.size() - 1) + 1);
  return (instruction.starts_with("LDL") || instruction.starts_with("STL")) &&
         (instruction.find("[R1]") != std::string_view::npos ||
          instruction.find("[R1+") != std::string_view::npos);
}

std::optional<std::size_t> most_live_row(const SassTable& table) {
  const auto most = std::max_element(
      table.rows.begin(), table.rows.end(),
      [](const auto& a, const auto& b) { return a.live.general < b.live.general; });
  if (most == table.rows.end() || most->live.general == 0) return std::nullopt;
  return static_cast<std::size_t>(most - table.rows.begin());
}

std::string machine_table_text(const SassTable& table) {
  std::string text = table.title + "\n";
  if (const auto most = most_live_row(table)) {
    const SassTableRow& row = table.rows[*most];
    text += "most registers in use: " + std::to_string(row.live.general) + " at " +
            offset_text(row.offset) + ": " + row.live.names + "\n";
  }
  std::vector<std::size_t> widths;
  for (const Column& column : kColumns) {
    std::size_t width = std::string_view(column.name).size();
    for (const SassTableRow& row : table.rows) width = std::max(width, column.cell(row).size());
    widths.push_back(width);
  }
  const auto add = [&](const std::function<std::string(const Column&)>& cell_of) {
    for (std::size_t k = 0; k < std::size(kColumns); ++k) {
      const Column& column = kColumns[k];
      if (column.figure && !table.has_figures) continue;
      const std::string cell = cell_of(column);
      const bool last = k + 1 == std::size(kColumns), words = k + 2 == std::size(kColumns);
      text += last    ? cell
              : words ? cell + std::string(widths[k] - cell.size() + 2, ' ')
                      : padded_left(cell, widths[k]) + "  ";
    }
    text += "\n";
  };
  add([](const Column& column) { return std::string(column.name); });
  for (const SassTableRow& row : table.rows)
    add([&](const Column& column) { return column.cell(row); });
  for (const std::string& unknown : table.unknown) text += "not emulated yet: " + unknown + "\n";
  return text;
}

std::string machine_table_csv(const std::vector<SassTable>& tables) {
  std::string text = "kernel";
  for (const Column& column : kColumns) text += "," + std::string(column.name);
  text += ",live_names,spill\n";
  for (const SassTable& table : tables) {
    for (const SassTableRow& row : table.rows) {
      text += quoted(table.kernel);
      for (const Column& column : kColumns)
        text += "," + quoted(&column == std::end(kColumns) - 1 ? row.text : column.cell(row));
      text += "," + quoted(row.live.names) + "," + (row.spill ? "1" : "0") + "\n";
    }
  }
  return text;
}

std::string machine_table_json(const SassTable& table) {
  nlohmann::json rows = nlohmann::json::array();
  for (const SassTableRow& row : table.rows) {
    nlohmann::json cells = {{"offset", row.offset},
                            {"instruction", row.text},
                            {"opcode", row.opcode},
                            {"line", row.line},
                            {"live", row.live.general},
                            {"live_uniform", row.live.uniform},
                            {"live_predicates", row.live.predicates},
                            {"live_uniform_predicates", row.live.uniform_predicates},
                            {"live_names", row.live.names},
                            {"spill", row.spill}};
    if (table.has_figures)
      cells.update({{"executed", row.executed},
                    {"threads", row.threads},
                    {"requests", row.requests},
                    {"sectors", row.sectors},
                    {"wavefronts", row.wavefronts}});
    rows.push_back(std::move(cells));
  }
  nlohmann::json object = {{"type", "sass"},
                           {"kernel", table.kernel},
                           {"title", table.title},
                           {"rows", std::move(rows)}};
  return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::vector<std::string> figure_cells(const std::vector<ListedRow>& rows, const Trace& trace) {
  const SassTable table = machine_table(trace);
  const auto instructions = static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [](const ListedRow& r) { return r.instruction; }));
  if (table.rows.empty() || table.rows.size() != instructions) return {};
  std::vector<std::string> cells;
  std::size_t next = 0;
  for (const ListedRow& row : rows) {
    if (!row.instruction) {
      cells.emplace_back(std::string_view(kFigureCells).size(), ' ');
      continue;
    }
    const SassTableRow& figures = table.rows[next++];
    cells.push_back(padded_left(count_text(figures.executed), 8) + "  " +
                    padded_left(count_text(figures.sectors), 8) + "  " +
                    padded_left(count_text(figures.wavefronts), 10) + " ");
  }
  return cells;
}

std::vector<MachineDiffRow> machine_diff(const SassTable& left, const SassTable& right) {
  std::vector<MachineDiffRow> rows;
  for (const DiffRow& row : line_diff(opcodes(left), opcodes(right))) {
    MachineDiffRow& made = rows.emplace_back();
    if (row.left > 0) made.left = &left.rows[static_cast<std::size_t>(row.left - 1)];
    if (row.right > 0) made.right = &right.rows[static_cast<std::size_t>(row.right - 1)];
  }
  return rows;
}

std::string machine_diff_text(const SassTable& left, const SassTable& right) {
  constexpr std::size_t kAround = 3;
  std::string text = "A  " + left.title + "\nB  " + right.title + "\n\n";
  text += opcodes_text(left, right) + "\n";
  const std::vector<DiffRow> rows = line_diff(opcodes(left), opcodes(right));
  const std::vector<MachineDiffRow> beside = machine_diff(left, right);
  text += "  A offset executed  B offset executed  instruction\n";
  for (const DiffStretch& stretch : stretches_of(rows, kAround)) {
    if (stretch.hidden) {
      text += "  … " + std::to_string(stretch.count) + " instructions of the same opcodes\n";
      continue;
    }
    for (std::size_t k = 0; k < stretch.count; ++k)
      text += diff_row_text(beside[stretch.first + k]);
  }
  return text;
}

}  // namespace warpscope
