// workbench/reports/report.cpp: report: a session as Markdown and HTML with figures.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "profiling/export/export.h"
#include "scenes/host/write_file.h"
#include "workbench/commands/commands.h"
#include "workbench/window/render.h"

namespace warpscope {
namespace {

struct WantedFigure {
  const char* panel;
  const char* title;
};
constexpr WantedFigure kFigures[] = {
    {"roofline", "Roofline"}, {"sweep", "Sweep"}, {"timing", "Timing"}, {"window", "The window"}};

struct LackingFigure {
  const char* panel;
  Error error;
};

// 3 where the machine lacks something for every figure that is missing, else 1: a finding.
int status_of(const std::vector<LackingFigure>& lacking) {
  if (lacking.empty()) return 0;
  return std::all_of(lacking.begin(), lacking.end(),
                     [](const auto& figure) { return exit_status(figure.error.kind) == 3; })
             ? 3
             : 1;
}

struct ReportOptions {
  std::vector<std::string> sessions;
  std::string out = "report", device_uuid;
};

RenderOptions figure_options(const ReportOptions& wanted) {
  RenderOptions options;
  options.session = wanted.sessions.front();
  options.joined.assign(wanted.sessions.begin() + 1, wanted.sessions.end());
  options.device = wanted.device_uuid;
  options.theme = Theme::light;
  options.width = 1200, options.height = 675;
  return options;
}

// The device that the figures are drawn of where the tables are of several: one is shown at a time.
std::string device_of_figures(const Workspace& workspace, const std::vector<DeviceName>& devices) {
  if (devices.size() < 2) return "";
  const auto shown = std::find_if(devices.begin(), devices.end(), [&](const DeviceName& device) {
    return device.id() == workspace.view().device();
  });
  return shown == devices.end() ? "" : to_text(*shown);
}

// The figures, and those that could not be drawn, of a session that is read for them once.
std::vector<ReportFigure> draw_figures(const ReportOptions& wanted,
                                       const std::vector<DeviceName>& devices,
                                       std::vector<LackingFigure>& lacking) {
  RenderOptions options = figure_options(wanted);
  const Result<std::unique_ptr<Workspace>> workspace = open_to_render(options);
  const std::string device = workspace ? device_of_figures(**workspace, devices) : "";
  if (!device.empty())
    std::printf(
        "the session has %zu devices: the tables show all, the figures only %s; choose with "
        "--device-uuid\n",
        devices.size(), device.c_str());
  std::vector<ReportFigure> figures;
  for (const auto& [panel, title] : kFigures) {
    const std::string file = std::string(panel) + ".png";
    options.panel = panel;
    options.out = (std::filesystem::path(wanted.out) / file).string();
    const Result<void> drawn =
        workspace ? render(**workspace, options) : tl::unexpected(workspace.error());
    if (drawn) {
      figures.push_back({title,
                         "Drawn from this session by the " + std::string(panel) + " panel" +
                             (device.empty() ? "" : ", of " + device) + ".",
                         file, ""});
    } else {
      figures.push_back({title, "", "", sentence(drawn.error())});
      lacking.push_back({panel, drawn.error()});
    }
  }
  return figures;
}

int run_report(const ReportOptions& wanted) {
  std::vector<DeviceName> devices;
  Report report;
  // The tables' session has gone before the figures' is read.
  const int read = with_sessions(wanted.sessions, wanted.device_uuid, [&](const Session& session) {
    devices = session.devices();
    report = report_of(session);
    return 0;
  });
  if (read != 0) return read;
  const std::string& out = wanted.out;
  if (Result<void> made = make_folder(out); !made) return fail(made.error());
  const std::filesystem::path folder(out);
  std::vector<LackingFigure> lacking;
  const std::vector<ReportFigure> figures = draw_figures(wanted, devices, lacking);
  if (auto written = write_file(folder / "report.md", markdown_report(report, figures)); !written)
    return fail(written.error());
  const Result<std::string> html = html_report(report, figures, out);
  if (!html) return fail(html.error());
  if (auto written = write_file(folder / "report.html", *html); !written)
    return fail(written.error());
  std::printf("wrote %s/report.md and %s/report.html\n", out.c_str(), out.c_str());
  for (const LackingFigure& figure : lacking) {
    std::fprintf(stderr, "warpscope: the report has no figure “%s”: %s\n", figure.panel,
                 sentence(figure.error).c_str());
  }
  return status_of(lacking);
}

}  // namespace

void declare_report(CLI::App& command, int& status) {
  auto options = std::make_shared<ReportOptions>();
  command.add_option("session", options->sessions, "one or more .wsj or .wsj.gz files, as one")
      ->required();
  command.add_option("--out", options->out, "folder for report.md, report.html and figures");
  declare_device_uuid(command, options->device_uuid);
  command.callback([options, &status] { status = run_report(*options); });
}

}  // namespace warpscope
