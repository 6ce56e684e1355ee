// workbench/reports/report.cpp: report: a session as Markdown and HTML with figures.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>

#include "profiling/export/export.h"
#include "scenes/host/write_file.h"
#include "workbench/commands/commands.h"

namespace warpscope {
namespace {

struct ReportOptions {
  std::vector<std::string> sessions;
  std::string out = "report", device_uuid;
};

// The texts, and one picture per figure for the Markdown one.
Result<void> write_report(const Report& report, const std::string& out) {
  if (Result<void> made = make_folder(out); !made) return made;
  const std::filesystem::path folder(out);
  if (auto written = write_file(folder / "report.html", html_report(report)); !written)
    return written;
  if (auto written = write_file(folder / "report.md", markdown_report(report, true)); !written)
    return written;
  for (const FigureFile& figure : figure_files(report)) {
    if (figure.svg.empty()) continue;
    if (auto written = write_file(folder / figure.name, figure.svg); !written) return written;
  }
  return {};
}

int run_report(const ReportOptions& wanted) {
  return with_sessions(wanted.sessions, wanted.device_uuid, [&](const Session& session) {
    const Report report = report_of(session);
    if (const Result<void> written = write_report(report, wanted.out); !written)
      return fail(written.error());
    std::printf("wrote %s/report.html and %s/report.md\n", wanted.out.c_str(), wanted.out.c_str());
    for (const ReportFigure& figure : report.figures) {
      if (!figure.missing.empty()) std::printf("%s\n", no_figure(figure).c_str());
    }
    return 0;
  });
}

}  // namespace

void declare_report(CLI::App& command, int& status) {
  auto options = std::make_shared<ReportOptions>();
  command.add_option("session", options->sessions, "one or more .wsj or .wsj.gz files, as one")
      ->required();
  command.add_option("--out", options->out, "folder for report.html, report.md and its figures");
  declare_device_uuid(command, options->device_uuid);
  command.callback([options, &status] { status = run_report(*options); });
}

}  // namespace warpscope
