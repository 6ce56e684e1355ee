// workbench/commands/trace_text.cpp: an emulated trace on standard output, by line and instruction.
#include "workbench/commands/trace_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "profiling/access/trace_view.h"
#include "profiling/agreement/trace_metrics.h"
#include "profiling/points/point.h"
#include "scenes/base/plural.h"
#include "scenes/host/paths.h"
#include "scenes/host/program.h"
#include "scenes/host/result.h"

namespace warpscope {
namespace {

std::string count_text(std::int64_t value) { return std::to_string(value); }

std::string ratio_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

std::string place_text(const SourcePosition& position) {
  return std::filesystem::path(position.file).filename().string() + ":" +
         std::to_string(position.line);
}

// Columns as wide as their longest cell, numbers to the right.
void print_columns(std::vector<std::vector<std::string>> rows, std::size_t left_columns) {
  for (auto& row : rows) std::transform(row.begin(), row.end(), row.begin(), visible_name);
  std::vector<std::size_t> widths;
  const auto seen = [](const std::string& text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
  };
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], seen(row[i]));
  }
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string pad(widths[i] - seen(row[i]), ' ');
      line += (i == 0 ? "" : "  ") + (i < left_columns ? row[i] + pad : pad + row[i]);
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    std::printf("%s\n", line.c_str());
  }
}

void print_lines(const Trace& trace) {
  std::vector<std::vector<std::string>> rows = {{"line", "instructions", "lanes", "requests",
                                                 "sectors", "efficiency", "shared", "wavefronts",
                                                 "ideal", "sites"}};
  for (const LineTotals& line : trace.lines) {
    const AccessTotals& g = line.global;
    const AccessTotals& s = line.shared;
    const double lanes = line.instructions == 0 ? 0
                                                : static_cast<double>(line.threads) /
                                                      static_cast<double>(line.instructions);
    rows.push_back({place_text(line.position), count_text(line.instructions), ratio_text(lanes),
                    g.requests == 0 ? "" : count_text(g.requests),
                    g.requests == 0 ? "" : count_text(g.sectors),
                    g.requests == 0 ? "" : format_value(g.sector_efficiency(), "ratio"),
                    s.requests == 0 ? "" : count_text(s.requests),
                    s.requests == 0 ? "" : count_text(s.wavefronts),
                    s.requests == 0 ? "" : count_text(s.ideal_wavefronts),
                    line.sites > 1 ? "×" + std::to_string(line.sites) : ""});
  }
  print_columns(rows, 1);
}

std::string figure_text(const std::optional<std::int64_t>& value) {
  return value ? count_text(*value) : "–";
}

void print_sites(const Trace& trace) {
  std::vector<std::vector<std::string>> rows = {{"instruction", "line", "buffer", "requests",
                                                 "modelled", "ideal", "", "efficiency", "share"}};
  for (const SiteFigures& figures : site_figures(trace, {})) {
    const AccessSite& site = trace.sites[figures.site];
    if (site.totals.requests == 0) continue;
    rows.push_back({site.text, place_text(site.position), site.buffer,
                    count_text(site.totals.requests), ratio_text(figures.modelled),
                    ratio_text(figures.ideal), figures.unit,
                    format_value(figures.efficiency_ratio, "ratio"),
                    format_value(figures.share_ratio, "ratio")});
  }
  print_columns(rows, 3);
}

// Each figure of the grid with how sure it is, or why there is none.
void print_sample(const Trace& trace) {
  std::vector<std::vector<std::string>> rows = {{"the whole grid", "", ""}};
  for (const MetricValue& value : emulated_metrics(trace)) {
    const Metric* metric = find_metric(value.id);
    if (value.value)
      rows.push_back(
          {metric->label, format_value(*value.value, metric->unit), sampled_text(value)});
  }
  if (rows.size() == 1) {
    const MetricValue value = emulated_metrics(trace).front();
    std::printf("\nno figures for the whole grid: %s; %s\n", value.reason.c_str(),
                value.remedy.c_str());
    return;
  }
  std::printf("\n");
  print_columns(rows, 3);
}

}  // namespace

void print_comparison(const Trace& trace, const LineComparison& comparison,
                      const Measurement& point) {
  std::vector<const LineFigureRow*> shown;
  for (const LineFigureRow& row : line_figures()) {
    const ComparedFigure all = compare_all(comparison, row);
    if (row.measured != nullptr && (all.modelled.value_or(0) != 0 || all.measured.value_or(0) != 0))
      shown.push_back(&row);
  }
  std::vector<std::vector<std::string>> rows = {{"line"}};
  for (const LineFigureRow* row : shown)
    rows[0].insert(rows[0].end(), {std::string(row->label), "measured", "difference"});
  const auto add = [&](const std::string& name, auto figure_of) {
    std::vector<std::string> cells = {name};
    for (const LineFigureRow* row : shown) {
      const ComparedFigure f = figure_of(*row);
      cells.insert(cells.end(),
                   {figure_text(f.modelled), figure_text(f.measured), difference_text(f)});
    }
    rows.push_back(std::move(cells));
  };
  for (const ComparedLine& line : comparison.lines) {
    add(place_text({line.file, line.line, 0}),
        [&](const LineFigureRow& row) { return compare_figure(comparison, line, row); });
  }
  add("all lines", [&](const LineFigureRow& row) { return compare_all(comparison, row); });
  const Conditions& c = point.conditions;
  std::printf("modelled, and measured on %s%s, by line, step “%s”\n", to_text(device_of(c)).c_str(),
              c.date.empty() ? "" : (" on " + c.date).c_str(), trace.step.c_str());
  print_columns(rows, 1);
  // What a dash stands for, once each.
  std::vector<std::string> reasons;
  for (const ComparedLine& line : comparison.lines) {
    for (const LineFigureRow* row : shown) {
      const ComparedFigure f = compare_figure(comparison, line, *row);
      for (const std::string& why : {f.no_modelled, f.no_measured, f.no_difference}) {
        if (!why.empty() && std::find(reasons.begin(), reasons.end(), why) == reasons.end())
          reasons.push_back(why);
      }
    }
  }
  for (const std::string& why : reasons) std::printf("–: %s\n", why.c_str());
  std::printf("\n");
}

std::string launch_name(const Trace& trace) {
  const std::string name =
      trace.scene.empty() ? trace.entry : trace.scene + "/" + trace.variant + " at " + trace.key;
  return name + (trace.step.empty() ? "" : ", step " + trace.step);
}

std::string place_in_project(const std::string& file, const std::string& what) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  fs::path place = file;
  if (!what.empty() && place.is_relative()) {
    // Files of a scene are named from the folder that holds the scene's.
    const fs::path beside = fs::path(what).parent_path().parent_path() / file;
    const Result<fs::path> home = home_folder();
    if (fs::is_regular_file(beside, ignored)) {
      place = beside;
    } else if (home && fs::is_regular_file(*home / "kernels" / file, ignored)) {
      place = *home / "kernels" / file;
    } else {
      place = fs::path("kernels") / file;
    }
  }
  if (place.is_relative()) return place.lexically_normal().generic_string();
  const fs::path here = fs::current_path(ignored);
  const fs::path inside = place.lexically_relative(here);
  const bool below = !inside.empty() && *inside.begin() != "..";
  if (below) return inside.generic_string();
  // Code review looks for a built-in kernel below the root of its own copy.
  if (!what.empty() && fs::path(file).is_relative())
    return (fs::path("kernels") / file).generic_string();
  return place.generic_string();
}

namespace {

// What was launched, and how.
void print_heading(const Trace& trace) {
  const auto shape = [](const Dim3& d) {
    return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) +
           ")";
  };
  const std::string title =
      trace.scene.empty() ? trace.source : trace.scene + "/" + trace.variant + " at " + trace.key;
  std::printf("%s\n%s %s, grid %s, block %s, %s%s\n", visible_name(title).c_str(),
              visible_name(trace.source).c_str(), visible_name(trace.entry).c_str(),
              shape(trace.launch.grid).c_str(), shape(trace.launch.block).c_str(),
              scope_text(trace).c_str(),
              trace.step.empty() ? "" : (", step “" + trace.step + "”").c_str());
  for (const std::string& each : trace.stand_ins)
    std::printf("stand-in: %s\n", visible_name(each).c_str());
  if (!trace.no_machine_code.empty())
    std::printf("figures of PTX: %s\n", visible_name(trace.no_machine_code).c_str());
  const std::string by = trace.compiler.empty() ? "" : " by " + trace.compiler;
  const bool is_text = !trace.scene.empty() || !by.empty();  // else PTX as it is
  std::printf("%s warp instructions; %s%s in %s, emulated in %s\n\n",
              count_text(trace.warp_instructions).c_str(), is_text ? "compiled" : "read",
              visible_name(by).c_str(), format_value(trace.compile_ms * 1e6, "ns").c_str(),
              format_value(trace.emulate_ms * 1e6, "ns").c_str());
}

// What each line and instruction cost.
void print_costs(const Trace& trace) {
  print_lines(trace);
  std::printf("\n");
  print_sites(trace);
  if (trace.sample) print_sample(trace);
  if (!trace.printed.empty()) std::printf("\nprinted:\n%s", trace.printed.c_str());
  if (trace.hang) {
    std::printf("\nwho waits:\n");
    for (const WaitingWarps& wait : trace.hang->waits)
      std::printf("  %s\n", visible_name(wait.sentence).c_str());
  }
  std::printf("\n");
}

}  // namespace

void print_accesses(const Trace& trace) {
  print_heading(trace);
  print_costs(trace);
}

// One paragraph per finding, the most important one first.
void print_findings(const FindingList& list) {
  const std::size_t count = list.findings.size();
  if (count == 0) {
    std::printf("no findings\n");
  } else {
    fmt::print("{}, the most important first\n", plural(std::ssize(list.findings), "finding"));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Finding& f = list.findings[i];
    std::printf("\n%zu. %s, %s, at %s\n", i + 1, to_text(f.severity), rule_of(f.kind).title,
                f.position.line > 0 ? visible_name(place_text(f.position)).c_str()
                                    : visible_name(f.position.file).c_str());
    std::printf("   %s\n", visible_name(f.what).c_str());
    std::printf("   figure: %s%s%s\n", f.figure.c_str(), f.gain.empty() ? "" : "; ",
                f.gain.c_str());
    std::printf("   better: %s\n", f.better.c_str());
  }
  std::printf("\n%s\n\n", list.scope.c_str());
}

void print_trace(const Trace& trace, const FindingList& findings) {
  print_heading(trace);
  print_findings(findings);
  print_costs(trace);
}

int status_of_faults(const std::vector<const Trace*>& traces) {
  const Fault* unknown = nullptr;
  for (const Trace* trace : traces) {
    for (const Fault& fault : trace->faults) {
      if (!is_wrong(fault)) continue;
      if (fault.kind != FaultKind::unsupported) return 1;
      if (unknown == nullptr) unknown = &fault;
    }
  }
  if (unknown == nullptr) return 0;
  std::fprintf(stderr,
               "warpscope: there is no verdict on this kernel, because the emulator lacks an "
               "instruction that it reached; run it on a GPU, or replace the instruction\n");
  return exit_status(ErrorKind::environment);
}

}  // namespace warpscope
