// profiling/agreement/line_comparison.cpp: what the emulator and the device say of each line of a
// source.
#include "profiling/agreement/line_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

namespace warpscope {
namespace {

using Measured = std::optional<std::int64_t>;

constexpr std::string_view kNotAsked = "no per-line counters yet";
constexpr std::string_view kAsk = "choose the counters “lines” and run";

constexpr std::array<LineFigureRow, 6> kRows = {{
    {"sectors", "sectors", "sectors", [](const LineTotals& l) { return l.global.sectors; },
     [](const LineFigures& f) -> Measured { return f[LineMetric::sectors]; }, LineMetric::sectors,
     true, "32-byte sectors of global memory that the line requests."},
    {"ideal_sectors", "ideal sectors", "sectors",
     [](const LineTotals& l) { return l.global.ideal_sectors; },
     [](const LineFigures& f) -> Measured { return f[LineMetric::ideal_sectors]; },
     LineMetric::ideal_sectors, true,
     "Sectors that the same bytes would need if they were contiguous."},
    {"requests", "requests", "requests",
     [](const LineTotals& l) { return l.global.requests + l.shared.requests + l.local.requests; },
     nullptr, LineMetric::sectors, true,
     "Warp memory instructions with at least one active lane, in all address spaces."},
    {"wavefronts", "wavefronts", "wavefronts",
     [](const LineTotals& l) { return l.shared.wavefronts; },
     [](const LineFigures& f) -> Measured { return f[LineMetric::wavefronts]; },
     LineMetric::wavefronts, true, "Wavefronts of shared memory."},
    {"bank_conflicts", "bank conflicts", "extra wavefronts",
     [](const LineTotals& l) { return l.shared.wavefronts - l.shared.ideal_wavefronts; },
     [](const LineFigures& f) -> Measured {
       const Measured all = f[LineMetric::wavefronts], ideal = f[LineMetric::ideal_wavefronts];
       return all && ideal ? Measured(*all - *ideal) : std::nullopt;
     },
     LineMetric::ideal_wavefronts, true,
     "Wavefronts of shared memory beyond those needed without conflicts."},
    {"instructions", "instructions", "warp instructions",
     [](const LineTotals& l) { return l.instructions; },
     [](const LineFigures& f) -> Measured { return f[LineMetric::instructions]; },
     LineMetric::instructions, false,
     "Warp instructions executed: PTX if modelled, SASS if measured."},
}};

std::string with_remedy(std::string_view reason, std::string_view remedy) {
  return std::string(reason) + (remedy.empty() ? "" : ": " + std::string(remedy));
}

// Why the device has no figure for a metric; empty: it has.
std::string missing_reason(const std::vector<MetricValue>& missing, LineMetric metric) {
  const std::string_view id = line_metrics()[static_cast<std::size_t>(metric)].id;
  for (const MetricValue& value : missing) {
    if (value.id == id || value.id == kLineCounterSet)
      return with_remedy(value.reason, value.remedy);
  }
  return "";
}

void add(LineTotals& sum, const LineTotals& line) {
  sum.instructions += line.instructions;
  sum.threads += line.threads;
  sum.global += line.global;
  sum.shared += line.shared;
  sum.local += line.local;
  sum.sites += line.sites;
}

std::string whole_text(const LineComparison& comparison) {
  if (!comparison.sampled.empty())
    return fmt::format("modelled for {}, measured for the whole grid: trace the grid",
                       comparison.sampled);
  return fmt::format("modelled for block {} alone, measured for the whole grid: trace the grid",
                     comparison.block);
}

void difference(const LineComparison& comparison, const LineFigureRow& row, ComparedFigure& f) {
  if (!f.modelled || !f.measured) return;
  if (!row.one_meaning) {
    f.no_difference = "PTX and SASS have different instructions";
  } else if (!comparison.whole_grid) {
    f.no_difference = whole_text(comparison);
  } else {
    f.difference = *f.measured - *f.modelled;
  }
}

nlohmann::json figure_json(const ComparedFigure& f) {
  nlohmann::json object = nlohmann::json::object();
  const auto put = [&](const char* name, const Measured& value, const std::string& why) {
    if (value) object[name] = *value;
    if (!value && !why.empty()) object[std::string("no_") + name] = why;
  };
  put("modelled", f.modelled, f.no_modelled);
  put("measured", f.measured, f.no_measured);
  put("difference", f.difference, f.no_difference);
  return object;
}

}  // namespace

std::span<const LineFigureRow> line_figures() { return kRows; }

const LineFigureRow* find_line_figure(std::string_view id) {
  for (const LineFigureRow& row : kRows) {
    if (row.id == id) return &row;
  }
  return nullptr;
}

LineComparison compare_lines(const Trace* trace, const LineCounters* counters) {
  LineComparison comparison;
  std::map<std::pair<std::string, int>, ComparedLine> lines;
  const auto at = [&](const SourcePosition& p) -> ComparedLine& {
    ComparedLine& line = lines[{p.file, p.line}];
    line.file = p.file;
    line.line = p.line;
    return line;
  };
  if (trace != nullptr) {
    comparison.traced = true;
    comparison.whole_grid = trace->scope.grid;
    comparison.sampled = trace->sample ? scope_text(*trace) : "";
    comparison.block = trace->scope.block;
    for (const LineTotals& totals : trace->lines) {
      ComparedLine& line = at(totals.position);
      if (!line.modelled) {
        line.modelled = LineTotals{};
        line.modelled->position = {totals.position.file, totals.position.line, 0};
      }
      add(*line.modelled, totals);
    }
  }
  if (counters == nullptr || (counters->rows.empty() && counters->missing.empty())) {
    comparison.reason = kNotAsked;
    comparison.remedy = kAsk;
  } else {
    comparison.missing = counters->missing;
    for (const LineCount& row : counters->rows) {
      ComparedLine& line = at(row.position);
      if (!line.measured) line.measured = LineFigures{};
      *line.measured += row.figures;
      line.machine_instructions += row.machine_instructions;
    }
    if (counters->rows.empty()) {
      comparison.reason = counters->missing.front().reason;
      comparison.remedy = counters->missing.front().remedy;
    }
  }
  for (auto& [place, line] : lines) comparison.lines.push_back(std::move(line));
  return comparison;
}

ComparedFigure compare_figure(const LineComparison& comparison, const ComparedLine& line,
                              const LineFigureRow& row) {
  ComparedFigure f;
  if (line.modelled) {
    f.modelled = row.modelled(*line.modelled);
  } else {
    f.no_modelled = comparison.traced ? "the emulator executed no instruction of this line"
                                      : "nothing is emulated here yet: press trace in a diagram";
  }
  if (!comparison.reason.empty()) {
    f.no_measured = with_remedy(comparison.reason, comparison.remedy);
  } else if (row.measured == nullptr) {
    f.no_measured = "no counter by SASS instruction gives " + std::string(row.label);
  } else if (!line.measured) {
    f.no_measured =
        "no executed SASS instruction belongs to this line: the compiler moved its work to another "
        "line or removed it";
  } else {
    f.measured = row.measured(*line.measured);
    if (!f.measured) {
      f.no_measured = missing_reason(comparison.missing, row.metric);
      if (f.no_measured.empty()) f.no_measured = "it was not collected";
    }
  }
  difference(comparison, row, f);
  return f;
}

ComparedLine line_at(const LineComparison& comparison, const std::string& file, int line) {
  const auto found = std::partition_point(
      comparison.lines.begin(), comparison.lines.end(),
      [&](const ComparedLine& l) { return l.file != file ? l.file < file : l.line < line; });
  if (found != comparison.lines.end() && found->file == file && found->line == line) return *found;
  ComparedLine none;
  none.file = file;
  none.line = line;
  return none;
}

std::vector<int> hottest_lines(const LineComparison& comparison, const LineFigureRow& row,
                               const std::string& file) {
  std::vector<std::pair<std::int64_t, int>> found;
  const bool counted = compare_all(comparison, row).measured.value_or(0) > 0;
  for (const ComparedLine& line : comparison.lines) {
    if (line.file != file || line.line <= 0) continue;
    const ComparedFigure f = compare_figure(comparison, line, row);
    const std::int64_t figure = (counted ? f.measured : f.modelled).value_or(0);
    if (figure > 0) found.emplace_back(figure, line.line);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<int> lines;
  for (const auto& [figure, line] : found) lines.push_back(line);
  return lines;
}

int hottest_line(const LineComparison& comparison, const LineFigureRow& row,
                 const std::string& file) {
  const std::vector<int> lines = hottest_lines(comparison, row, file);
  return lines.empty() ? 0 : lines.front();
}

ComparedFigure compare_all(const LineComparison& comparison, const LineFigureRow& row) {
  ComparedLine all;
  for (const ComparedLine& line : comparison.lines) {
    if (line.modelled) {
      if (!all.modelled) all.modelled = LineTotals{};
      add(*all.modelled, *line.modelled);
    }
    if (line.measured) {
      if (!all.measured) all.measured = LineFigures{};
      *all.measured += *line.measured;
    }
  }
  return compare_figure(comparison, all, row);
}

std::string difference_text(const ComparedFigure& figure) {
  if (!figure.difference) return "–";
  if (*figure.difference == 0) return "= same";
  if (figure.modelled == 0) return fmt::format("{:+}", *figure.difference);
  return fmt::format("{:+.1f} %", 100 * static_cast<double>(*figure.difference) /
                                      static_cast<double>(*figure.modelled));
}

const LineCounters* measured_lines(const Measurement* point, const Trace& trace) {
  if (point == nullptr) return nullptr;
  for (const StepRecord& step : point->steps) {
    if (step.kind == "kernel" && step.name == trace.step) return &step.lines;
  }
  return nullptr;
}

std::string line_comparison_json(const Trace& trace, const LineComparison& comparison,
                                 const Measurement* counted) {
  nlohmann::json lines = nlohmann::json::array();
  for (const ComparedLine& line : comparison.lines) {
    nlohmann::json figures = nlohmann::json::object();
    for (const LineFigureRow& row : kRows)
      figures[std::string(row.id)] = figure_json(compare_figure(comparison, line, row));
    lines.push_back({{"file", line.file}, {"line", line.line}, {"figures", std::move(figures)}});
  }
  nlohmann::json all = nlohmann::json::object();
  for (const LineFigureRow& row : kRows)
    all[std::string(row.id)] = figure_json(compare_all(comparison, row));
  nlohmann::json object = {{"type", "line_comparison"}, {"scene", trace.scene},
                           {"variant", trace.variant},  {"key", trace.key},
                           {"step", trace.step},        {"whole_grid", comparison.whole_grid},
                           {"lines", std::move(lines)}, {"all", std::move(all)}};
  if (counted != nullptr) {
    const Conditions& c = counted->conditions;
    object["counted_on"] = {{"device", c.device}, {"device_uuid", c.device_uuid}, {"date", c.date}};
  }
  if (!comparison.reason.empty())
    object["missing"] = {{"reason", comparison.reason}, {"remedy", comparison.remedy}};
  return object.dump();
}

}  // namespace warpscope
