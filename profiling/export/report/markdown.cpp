// profiling/export/report/markdown.cpp: a report as Markdown.
#include "profiling/export/report/page_style.h"
#include "profiling/export/report/report.h"
#include "profiling/figures/inert_text.h"

namespace warpscope {
namespace {

std::string place_of(std::size_t table) { return "table-" + std::to_string(table + 1); }

std::string contents_of(const Report& report) {
  std::string text = "## Contents\n\n";
  for (std::size_t i = 0; i < report.tables.size(); ++i) {
    if (i == 0 || report.tables[i - 1].part != report.tables[i].part)
      text += std::string("- ") + to_text(report.tables[i].part) + "\n";
    text += "  - [" + markdown_text(report.tables[i].title) + "](#" + place_of(i) + ")\n";
  }
  return text + "\n";
}

std::string rows_of(const ReportTable& table) {
  if (table.rows.empty()) return "";
  std::string text = "|";
  for (const std::string& cell : table.header) text += " " + markdown_text(cell) + " |";
  text += "\n|";
  for (std::size_t i = 0; i < table.header.size(); ++i) text += " --- |";
  text += "\n";
  for (const auto& row : table.rows) {
    text += "|";
    for (const std::string& cell : row) text += " " + markdown_text(cell) + " |";
    text += "\n";
  }
  return text + "\n";
}

std::string figures_of(const Report& report, bool pictures) {
  std::string text;
  const std::vector<FigureFile> files = figure_files(report);
  for (std::size_t i = 0; i < report.figures.size(); ++i) {
    const ReportFigure& figure = report.figures[i];
    if (!figure.missing.empty()) {
      text += "**" + markdown_text(no_figure(figure)) + "**\n\n";
    } else if (pictures) {
      const std::string title = (figure.group.empty() ? "" : figure.group + ": ") + figure.title;
      text += "![" + markdown_text(title) + "](" + files[i].name + ")\n\n" +
              "Figure: " + markdown_text(figure.caption) + "\n\n";
    }
  }
  return text;
}

}  // namespace

std::vector<FigureFile> figure_files(const Report& report) {
  std::vector<FigureFile> files;
  for (const ReportFigure& figure : report.figures) {
    FigureFile file{"figure-" + std::to_string(files.size() + 1) + ".svg", figure.wide};
    // After the first tag: its style and white paper.
    if (const std::size_t at = file.svg.find('>'); at != std::string::npos)
      file.svg.insert(at + 1, "<style>" + std::string(kDrawingStyle) +
                                  "</style><rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>");
    files.push_back(std::move(file));
  }
  return files;
}

std::string markdown_report(const Report& report, bool pictures) {
  std::string text = "# Warpscope report\n\n";
  if (!report.title.empty()) text += "About " + markdown_text(report.title) + "\n\n";
  if (!report.notice.empty()) text += "**" + markdown_text(report.notice) + "**\n\n";
  for (const std::string& sentence : report.conclusions)
    text += "- " + markdown_text(sentence) + "\n";
  if (!report.conclusions.empty()) text += "\n";
  text += markdown_text(report.provenance) + "\n\n";
  if (!report.conditions.rows.empty())
    text += "## " + markdown_text(report.conditions.title) + "\n\n" + rows_of(report.conditions);
  if (report.tables.size() > 1) text += contents_of(report);
  text += figures_of(report, pictures);
  for (std::size_t i = 0; i < report.tables.size(); ++i) {
    const ReportTable& table = report.tables[i];
    text += "<a id=\"" + place_of(i) + "\"></a>\n\n## " + markdown_text(table.title) + "\n\n";
    if (!table.note.empty()) text += "Note: " + markdown_text(table.note) + "\n\n";
    text += rows_of(table);
  }
  return text;
}

}  // namespace warpscope
