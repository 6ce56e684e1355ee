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

// The device that the figures are drawn of where the session has several: one is shown at a time.
std::string device_of_figures(const ReportOptions& options, const Session& session) {
  if (session.devices().size() < 2) return "";
  Workspace workspace({});
  if (!workspace.open({options.sessions.begin(), options.sessions.end()})) return "";
  const auto& devices = session.devices();
  const auto shown = std::find_if(devices.begin(), devices.end(), [&](const DeviceName& device) {
    return device.id() == workspace.device();
  });
  return shown == devices.end() ? "" : to_text(*shown);
}

int run_report(const ReportOptions& wanted, const Session& session) {
  const std::string& out = wanted.out;
  if (Result<void> made = make_folder(out); !made) return fail(made.error());
  const std::filesystem::path folder(out);
  std::vector<ReportFigure> figures;
  std::vector<LackingFigure> lacking;
  const std::string device = device_of_figures(wanted, session);
  if (!device.empty())
    std::printf(
        "the session has %zu devices: the tables are of all, the figures of %s; choose "
        "with --device-uuid\n",
        session.devices().size(), device.c_str());
  for (const auto& [panel, title] : kFigures) {
    const std::string file = std::string(panel) + ".png";
    RenderOptions options;
    options.session = wanted.sessions.front();
    options.joined.assign(wanted.sessions.begin() + 1, wanted.sessions.end());
    options.device = wanted.device_uuid;
    options.panel = panel;
    options.out = (folder / file).string();
    options.theme = Theme::light;
    options.width = 1200, options.height = 675;
    if (Result<void> drawn = render(options)) {
      figures.push_back({title,
                         "Drawn from this session by the " + std::string(panel) + " panel" +
                             (device.empty() ? "" : ", of " + device) + ".",
                         file, ""});
    } else {
      figures.push_back({title, "", "", sentence(drawn.error())});
      lacking.push_back({panel, drawn.error()});
    }
  }
  if (auto written = write_file(folder / "report.md", markdown_report(session, figures)); !written)
    return fail(written.error());
  const Result<std::string> html = html_report(session, figures, out);
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
  command.callback([options, &status] {
    status = with_sessions(options->sessions, options->device_uuid,
                           [&](const Session& session) { return run_report(*options, session); });
  });
}

}  // namespace warpscope
