// profiling/listings/row_figures.cpp: what the rows of a listing did: emulated and counted by
// machine instruction, summed for the PTX that they were made from.
#include "profiling/listings/row_figures.h"

#include <algorithm>
#include <unordered_map>

namespace warpscope {
namespace {

constexpr std::uint64_t kInstructionBytes = 16;

void add(LineTotals& sum, const LineTotals& part) {
  sum.instructions += part.instructions;
  sum.threads += part.threads;
  sum.global += part.global;
  sum.shared += part.shared;
  sum.local += part.local;
  sum.sites += part.sites;
}

// By instruction; empty if the trace is not of this code.
std::vector<LineTotals> totals_of(const Trace& trace, std::size_t instructions) {
  if (!trace.machine_code || trace.machine_code->rows.size() != instructions) return {};
  std::vector<LineTotals> totals(instructions);
  for (std::size_t k = 0; k < instructions; ++k) {
    totals[k].instructions = trace.machine_code->rows[k].executed;
    totals[k].threads = trace.machine_code->rows[k].threads;
  }
  for (const AccessSite& site : trace.sites) {
    if (site.instruction >= instructions) continue;
    LineTotals& of = totals[site.instruction];
    (site.space == Space::shared  ? of.shared
     : site.space == Space::local ? of.local
                                  : of.global) += site.totals;
    ++of.sites;
  }
  return totals;
}

bool fits(const LineCounters& counters, std::size_t instructions) {
  return !counters.instructions.empty() &&
         std::all_of(counters.instructions.begin(), counters.instructions.end(),
                     [&](const InstructionCount& count) {
                       return count.offset % kInstructionBytes == 0 &&
                              count.offset / kInstructionBytes < instructions;
                     });
}

}  // namespace

ListingFigures machine_figures(const std::vector<ListedRow>& rows, const Trace* trace,
                               const LineCounters* counters) {
  ListingFigures figures;
  std::vector<std::size_t> places;  // of the instructions among the rows
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (rows[k].instruction) places.push_back(k);
  }
  std::vector<LineTotals> totals;
  if (trace != nullptr) totals = totals_of(*trace, places.size());
  figures.modelled = !totals.empty();
  figures.measured = counters != nullptr && fits(*counters, places.size());
  if (!figures.modelled && !figures.measured) return figures;
  figures.rows.resize(rows.size());
  for (std::size_t k = 0; k < places.size(); ++k) {
    RowFigures& row = figures.rows[places[k]];
    row.machine_instructions = 1;
    row.is_modelled = figures.modelled;
    if (figures.modelled) row.modelled = totals[k];
  }
  if (!figures.measured) return figures;
  for (const InstructionCount& count : counters->instructions) {
    RowFigures& row = figures.rows[places[count.offset / kInstructionBytes]];
    row.measured += count.figures;
    row.is_measured = true;
  }
  return figures;
}

ListingFigures ptx_figures(const std::vector<ListedRow>& rows,
                           const std::vector<ListedRow>& machine_rows,
                           const ListingFigures& machine) {
  ListingFigures figures;
  std::unordered_map<int, std::size_t> by_line;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (rows[k].instruction && rows[k].ptx_line > 0) by_line[rows[k].ptx_line] = k;
  }
  std::vector<RowFigures> sums(rows.size());
  bool any = false;
  for (std::size_t k = 0; k < machine_rows.size(); ++k) {
    const auto from = by_line.find(machine_rows[k].ptx_line);
    if (!machine_rows[k].instruction || from == by_line.end()) continue;
    RowFigures& sum = sums[from->second];
    any = true;
    ++sum.machine_instructions;
    if (k >= machine.rows.size()) continue;
    add(sum.modelled, machine.rows[k].modelled);
    sum.measured += machine.rows[k].measured;
    sum.is_modelled = sum.is_modelled || machine.rows[k].is_modelled;
    sum.is_measured = sum.is_measured || machine.rows[k].is_measured;
  }
  if (!any) return figures;
  figures.rows = std::move(sums);
  figures.modelled = machine.modelled;
  figures.measured = machine.measured;
  return figures;
}

std::vector<std::size_t> hottest_first(std::span<const std::int64_t> values) {
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (values[k] > 0) order.push_back(k);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  return order;
}

bool belongs_to(const ListedRow& row, const ChosenCode& chosen) {
  if (!row.instruction) return false;
  if (chosen.ptx_line > 0) return row.ptx_line == chosen.ptx_line;
  return chosen.line > 0 && comes_from(row, chosen.file, chosen.line);
}

}  // namespace warpscope
