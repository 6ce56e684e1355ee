// profiling/export/report/report.h: what a session comes to, as Markdown and as one HTML page.
#pragma once

#include <string>
#include <vector>

#include "profiling/export/report_tables.h"
#include "profiling/session/session.h"

//   const Report report = report_of(session);
//   write_file("report.html", html_report(report));       // needs no other file and no network

namespace warpscope {

struct ReportFigure {
  std::string group;  // its heading: "csrmm on NVIDIA H200"; those of one group are neighbours
  std::string title, caption;
  std::string wide, narrow;  // SVG for a page and for a phone
  std::string missing;       // why there is none, and what to do about it; empty: it is drawn
};

// What a report says of a session, without which its texts are made: conditions, roofs, per scene a
// ladder table with verdicts, best variants against baselines, missing values with their reasons.
struct Report {
  std::string title;   // "csrmm on NVIDIA H200"
  std::string notice;  // that nothing was measured on a GPU; empty: something was
  std::string provenance;
  ReportTable conditions;                // a column per device; without rows where none measured
  std::vector<std::string> conclusions;  // a report begins with them
  std::vector<ReportFigure> figures;
  std::vector<ReportTable> tables;
};
Report report_of(const Session& session);

// Why a figure has no picture, in a sentence.
std::string no_figure(const ReportFigure& figure);

// Names of files for the figures of a Markdown report, "figure-1.svg", and what belongs into them:
// drawings that need no page. Empty where a figure is missing.
struct FigureFile {
  std::string name, svg;
};
std::vector<FigureFile> figure_files(const Report& report);

// As Markdown: conclusions, conditions, a table of contents, figures, then the tables. With
// `pictures`, figures are links to figure_files beside it; else only what they show is said.
std::string markdown_report(const Report& report, bool pictures = false);

// The same as one self-contained HTML page, which prints on A4; sweeps are folded. It can be read
// without its script, which sorts tables and shows values below the pointer.
std::string html_report(const Report& report);

}  // namespace warpscope
