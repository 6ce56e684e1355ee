// profiling/overview/costly_line.cpp: the source line that causes most of a kernel's cost.
#include "profiling/overview/costly_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace warpscope {
namespace {

// "48.0 M": a count with three digits.
std::string count_text(std::int64_t count) {
  constexpr std::pair<double, const char*> kPrefixes[] = {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
  const auto value = static_cast<double>(count);
  for (const auto& [scale, prefix] : kPrefixes) {
    const double scaled = value / scale;
    if (scaled < 1 || value < 1e4) continue;
    const int digits = scaled < 10 ? 2 : scaled < 100 ? 1 : 0;
    return fmt::format("{:.{}f} {}", scaled, digits, prefix);
  }
  return std::to_string(count);
}

// One side of a figure at a line: counted, or emulated.
std::optional<std::int64_t> side_of(const ComparedFigure& figure, bool measured) {
  return measured ? figure.measured : figure.modelled;
}

// What the same lanes would cost if their accesses were side by side or free of conflicts.
std::optional<std::int64_t> ideal_of(const LineComparison& comparison, const ComparedLine& line,
                                     std::string_view figure, bool measured) {
  if (figure == "sectors") {
    const LineFigureRow* row = find_line_figure("ideal_sectors");
    return side_of(compare_figure(comparison, line, *row), measured);
  }
  if (figure != "wavefronts") return std::nullopt;
  const LineFigureRow *all = find_line_figure("wavefronts"),
                      *extra = find_line_figure("bank_conflicts");
  const auto passes = side_of(compare_figure(comparison, line, *all), measured),
             conflicts = side_of(compare_figure(comparison, line, *extra), measured);
  if (!passes || !conflicts) return std::nullopt;
  return *passes - *conflicts;
}

CostlyLine found_in(const LineComparison& comparison, const LineFigureRow& row, bool measured,
                    const std::string& file) {
  CostlyLine best;
  best.figure = row.id;
  best.origin = measured ? Origin::measured : Origin::modelled;
  best.all = side_of(compare_all(comparison, row), measured).value_or(0);
  bool own = false;
  for (const ComparedLine& line : comparison.lines) {
    if (line.line <= 0) continue;
    const auto count = side_of(compare_figure(comparison, line, row), measured);
    if (!count || *count <= 0) continue;
    const bool of_file = line.file == file;
    if (own && !of_file) continue;
    if (of_file == own && *count <= best.count) continue;
    own = of_file;
    best.file = line.file;
    best.line = line.line;
    best.count = *count;
    best.ideal = ideal_of(comparison, line, row.id, measured);
  }
  return best;
}

// "The bytes that it uses would fit into 0.60 M sectors: it requests 4 times as many."
std::string ideal_sentence(const CostlyLine& line) {
  if (!line.ideal || *line.ideal <= 0) return "";
  const double times = static_cast<double>(line.count) / static_cast<double>(*line.ideal);
  constexpr double kAlike = 1.02;  // counters and rounding apart from each other
  if (line.figure == "sectors") {
    return times < kAlike
               ? " None of these sectors is wasted."
               : fmt::format(
                     " The bytes that it uses would fit into {} sectors: it requests {:.3g} times "
                     "as many.",
                     count_text(*line.ideal), times);
  }
  return times < kAlike
             ? " It has no bank conflicts."
             : fmt::format(
                   " Without bank conflicts, {} would be enough: it takes {:.3g} times as many.",
                   count_text(*line.ideal), times);
}

}  // namespace

std::string_view figure_behind(std::optional<Level> binding, double shared_ratio) {
  if (binding == Level::shared || (binding == Level::l1 && shared_ratio > 0.5)) return "wavefronts";
  if (binding == Level::pipe || binding == Level::issue) return "instructions";
  return "sectors";
}

CostlyLine costly_line(std::string_view figure, const Trace* trace, const LineCounters* counters,
                       const std::string& file) {
  const LineComparison comparison = compare_lines(trace, counters);
  const LineFigureRow* row = find_line_figure(figure);
  for (const bool measured : {true, false}) {
    CostlyLine found = found_in(comparison, *row, measured, file);
    if (found.line > 0) return found;
  }
  CostlyLine none;
  none.figure = figure;
  if (trace == nullptr || comparison.lines.empty()) {
    none.reason = "it was neither counted by line nor emulated";
    none.remedy = "press trace in Coalescing, or choose the counters “lines” and run";
  } else {
    none.reason = "none of its lines has " + std::string(row->label);
  }
  return none;
}

const StepRecord* costly_step(const Measurement& point) {
  const StepRecord* longest = nullptr;
  for (const StepRecord& step : point.steps) {
    if (step.kind != "kernel" || step.phase != Phase::run) continue;
    if (longest == nullptr || step.time_ns.value_or(0) > longest->time_ns.value_or(0))
      longest = &step;
  }
  return longest;
}

std::string cause_sentence(const CostlyLine& line, const std::string& step) {
  const std::string whose = step.empty() ? "the kernel's" : "the",
                    where = step.empty() ? "" : " in the step “" + step + "”";
  const std::string count = count_text(line.count), all = count_text(line.all);
  const std::string does =
      line.figure == "sectors"
          ? fmt::format("requests {} of {} {} sectors of 32 bytes from L1", count, whose, all)
      : line.figure == "wavefronts"
          ? fmt::format("takes {} of {} {} wavefronts of shared memory", count, whose, all)
          : fmt::format("executes {} of {} {} warp instructions", count, whose, all);
  return fmt::format("Line {} of {} {}{} ({}, {}).{}", line.line,
                     line.file.substr(line.file.rfind('/') + 1), does, where,
                     format_value(line.share_ratio(), "ratio"),
                     line.origin == Origin::measured ? "counted by line on the GPU" : "emulated",
                     ideal_sentence(line));
}

}  // namespace warpscope
