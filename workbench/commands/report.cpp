// workbench/commands/report.cpp: report: a session as Markdown and HTML with figures.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "profiling/export.h"
#include "workbench/commands/commands.h"
#include "workbench/render.h"

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

int run_report(const std::string& path, const std::string& out) {
  const Result<Session> session = load_session(path);
  if (!session) return fail(session.error());
  if (Result<void> made = make_folder(out); !made) return fail(made.error());
  const std::filesystem::path folder(out);
  std::vector<ReportFigure> figures;
  std::vector<LackingFigure> lacking;
  for (const auto& [panel, title] : kFigures) {
    const std::string file = std::string(panel) + ".png";
    RenderOptions options;
    options.session = path;
    options.panel = panel;
    options.out = (folder / file).string();
    options.theme = Theme::light;
    if (Result<void> drawn = render(options)) {
      figures.push_back(
          {title, "Drawn from this session by the " + std::string(panel) + " panel.", file, ""});
    } else {
      figures.push_back({title, "", "", sentence(drawn.error())});
      lacking.push_back({panel, drawn.error()});
    }
  }
  if (auto written = write_file(folder / "report.md", markdown_report(*session, figures)); !written)
    return fail(written.error());
  const Result<std::string> html = html_report(*session, figures, out);
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
  auto session = std::make_shared<std::string>(), out = std::make_shared<std::string>("report");
  command.add_option("session", *session, "a .wsj or .wsj.gz file")->required();
  command.add_option("--out", *out, "folder for report.md, report.html and figures");
  command.callback([session, out, &status] { status = run_report(*session, *out); });
}

}  // namespace warpscope
