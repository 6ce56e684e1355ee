// profiling/export/report.cpp: sessions as Markdown and HTML reports.
#include "profiling/export/export.h"
#include "profiling/export/report_tables.h"
#include "profiling/figures/inert_text.h"
#include "profiling/points/point.h"
#include "profiling/text/base64.h"
#include "scenes/host/input_file.h"

namespace warpscope {
namespace {

// The latest point that a device measured. Null: none.
const Measurement* latest_on(const std::vector<const Measurement*>& points,
                             const DeviceName& device) {
  const Measurement* latest = nullptr;
  for (const Measurement* m : points) {
    if (!on_a_device(*m) || device_of(m->conditions) != device) continue;
    if (latest == nullptr || m->conditions.date >= latest->conditions.date) latest = m;
  }
  return latest;
}

std::string provenance(const Session& session) {
  const std::vector<const Measurement*> points = session.all_points();
  if (points.empty()) return "This session has no measurements.";
  if (session.devices().empty())
    return "Nothing in this session was measured on a device: outputs were only verified, so there "
           "are no times.";
  std::string text;
  for (const DeviceName& device : session.devices()) {
    const Measurement* latest = latest_on(points, device);
    if (latest == nullptr) continue;
    const Conditions& c = latest->conditions;
    text += "Measured on " + to_text(device) + ", driver " + c.driver + ", toolkit " + c.toolkit +
            ", with Warpscope " + c.build + ", last on " + c.date + ". ";
  }
  if (session.devices().size() > 1)
    text +=
        "The session contains several devices. Each table shows one of them, and figures of "
        "different devices are never compared. ";
  return text +
         "Times are medians of CUDA-event samples; cold flushes L2 before every sample, warm "
         "does not. A variant whose output was wrong has no time.";
}

std::string no_figure(const ReportFigure& figure) {
  return "There is no figure “" + figure.title + "”: " + figure.missing + ".";
}

}  // namespace

Report report_of(const Session& session) { return {provenance(session), report_tables(session)}; }

std::string markdown_report(const Report& report, const std::vector<ReportFigure>& figures) {
  std::string text = "# Warpscope report\n\n" + markdown_text(report.provenance) + "\n\n";
  for (const ReportFigure& figure : figures) {
    text += figure.png.empty() ? "**" + markdown_text(no_figure(figure)) + "**\n\n"
                               : "![" + markdown_text(figure.title) + "](" + figure.png + ")\n\n" +
                                     markdown_text(figure.caption) + "\n\n";
  }
  for (const ReportTable& table : report.tables) {
    text += "## " + markdown_text(table.title) + "\n\n";
    if (!table.note.empty()) text += markdown_text(table.note) + "\n\n";
    text += "|";
    for (const std::string& cell : table.header) text += " " + markdown_text(cell) + " |";
    text += "\n|";
    for (std::size_t i = 0; i < table.header.size(); ++i) text += " --- |";
    text += "\n";
    for (const auto& row : table.rows) {
      text += "|";
      for (const std::string& cell : row) text += " " + markdown_text(cell) + " |";
      text += "\n";
    }
    text += "\n";
  }
  return text;
}

Result<std::string> html_report(const Report& report, const std::vector<ReportFigure>& figures,
                                const std::filesystem::path& folder) {
  std::string html =
      "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Warpscope "
      "report</title><style>"
      "body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 "
      "1rem;color:#1a1d23}"
      "table{border-collapse:collapse;width:100%;margin:1rem 0 2rem;font-size:.85rem}"
      "th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid "
      "#d5d9e0;vertical-align:top}"
      "img{max-width:100%;border:1px solid #d5d9e0}figure{margin:1.5rem "
      "0}h2{font-size:1.05rem}</style><h1>Warpscope report</h1><p>" +
      markup_text(report.provenance) + "</p>";
  for (const ReportFigure& figure : figures) {
    if (figure.png.empty()) {
      html += "<p><strong>" + markup_text(no_figure(figure)) + "</strong></p>";
      continue;
    }
    constexpr std::int64_t kMostPngBytes = 256 << 20;  // far beyond what we render
    const Result<std::string> png = read_input(folder / figure.png, kMostPngBytes);
    if (!png) {
      return failure(ErrorKind::environment, "a figure cannot be read back: " + png.error().what,
                     (folder / figure.png).string(), "check the folder's permissions");
    }
    html += "<figure><img alt=\"" + markup_text(figure.title) + "\" src=\"data:image/png;base64," +
            base64(*png) + "\"><figcaption>" + markup_text(figure.caption) +
            "</figcaption></figure>";
  }
  for (const ReportTable& table : report.tables) {
    html += "<h2>" + markup_text(table.title) + "</h2>";
    if (!table.note.empty()) html += "<p>" + markup_text(table.note) + "</p>";
    html += "<table><tr>";
    for (const std::string& cell : table.header) html += "<th>" + markup_text(cell) + "</th>";
    html += "</tr>";
    for (const auto& row : table.rows) {
      html += "<tr>";
      for (const std::string& cell : row) html += "<td>" + markup_text(cell) + "</td>";
      html += "</tr>";
    }
    html += "</table>";
  }
  return html + "</html>\n";
}

}  // namespace warpscope
