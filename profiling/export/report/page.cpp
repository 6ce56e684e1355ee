// profiling/export/report/page.cpp: a report as one HTML page, also for phones and paper.
#include <algorithm>

#include "profiling/export/report/page_style.h"
#include "profiling/export/report/report.h"
#include "profiling/figures/inert_text.h"
#include "scenes/base/plural.h"

namespace warpscope {
namespace {

// A table of at most so many rows is not divided between two pages.
constexpr std::size_t kShortRows = 25;
// One of more columns does not fit on paper.
constexpr std::size_t kMostPaperColumns = 12;

std::string place_of(std::size_t table) { return "table-" + std::to_string(table + 1); }
std::string place_of_figure(std::size_t figure) { return "figure-" + std::to_string(figure + 1); }

// Sweeps are long, and the first table of a scene's variants or steps says most: the others are
// folded below their titles, and so are long lists of what ran.
bool is_folded(const Report& report, std::size_t index) {
  const ReportTable& table = report.tables[index];
  if (table.part == ReportPart::sweeps) return true;
  if (table.part == ReportPart::timelines) return table.rows.size() > kShortRows;
  if (table.part != ReportPart::variants && table.part != ReportPart::steps) return false;
  const auto scene_of = [](const ReportTable& each) {
    return each.title.substr(0, std::min(each.title.find(" at "), each.title.find('/')));
  };
  return std::any_of(report.tables.begin(),
                     report.tables.begin() + static_cast<std::ptrdiff_t>(index),
                     [&](const ReportTable& before) {
                       return before.part == table.part && scene_of(before) == scene_of(table);
                     });
}

bool begins_part(const Report& report, std::size_t table) {
  return table == 0 || report.tables[table - 1].part != report.tables[table].part;
}

// Whether every table of a part is folded, so that paper has none of it.
bool is_folded_part(const Report& report, ReportPart part) {
  for (std::size_t i = 0; i < report.tables.size(); ++i)
    if (report.tables[i].part == part && !is_folded(report, i)) return false;
  return true;
}

std::string linked(const std::string& place, const std::string& title) {
  return "<li><a href=\"#" + place + "\">" + markup_text(title) + "</a></li>";
}

std::string contents_of_figures(const Report& report) {
  if (report.figures.empty()) return "";
  std::string html = "<li>Figures<ul>";
  for (std::size_t i = 0; i < report.figures.size(); ++i) {
    const ReportFigure& figure = report.figures[i];
    html += linked(place_of_figure(i),
                   (figure.group.empty() ? "" : figure.group + ": ") + figure.title);
  }
  return html + "</ul></li>";
}

std::string contents(const Report& report) {
  std::string html = "<nav><h2>Contents</h2><ul>" + contents_of_figures(report);
  bool any_folded = false;
  for (int part = 0; part < kReportParts; ++part) {
    std::string shown, folded;
    std::int64_t more = 0;
    for (std::size_t i = 0; i < report.tables.size(); ++i) {
      if (static_cast<int>(report.tables[i].part) != part) continue;
      const bool away = is_folded(report, i);
      (away ? folded : shown) += linked(place_of(i), report.tables[i].title);
      more += away ? 1 : 0;
    }
    if (shown.empty() && folded.empty()) continue;
    html += std::string("<li") + (shown.empty() ? " class=\"folded-part\"" : "") + ">" +
            to_text(static_cast<ReportPart>(part)) + "<ul>" + shown;
    if (more > 0)
      html += "<li><details><summary>" + plural(more, "folded table") + "</summary><ul>" + folded +
              "</ul></details></li>";
    html += "</ul></li>";
    any_folded = any_folded || more > 0;
  }
  return html + "</ul>" +
         (any_folded ? "<p class=\"note\">Folded tables are printed only if they are open.</p>"
                     : "") +
         "</nav>";
}

bool is_number_cell(const std::string& cell) {
  constexpr std::size_t kLongestNumber = 24;  // bytes
  return cell == "–" || cell == "not collected" ||
         (!cell.empty() && cell.size() <= kLongestNumber &&
          ((cell[0] >= '0' && cell[0] <= '9') || cell[0] == '-'));
}

// The class of a column: numbers stand at the right and are not broken, long texts have room.
std::string column_class(const ReportTable& table, std::size_t column) {
  constexpr std::size_t kName = 14, kLong = 44;  // bytes
  std::size_t longest = 0, numbers = 0;
  for (const auto& row : table.rows) {
    if (column >= row.size()) continue;
    longest = std::max(longest, row[column].size());
    numbers += is_number_cell(row[column]) ? 1 : 0;
  }
  const std::string& head = table.header[column];
  if (head == "source" || head == "SASS" || head == "PTX") return "code";
  if (column > 0 && numbers == table.rows.size()) return "number";
  return longest > kLong ? "long" : longest > kName ? "name" : "";
}

std::string cell_of(const char* tag, const std::string& style, const std::string& text) {
  return std::string("<") + tag + (style.empty() ? "" : " class=\"" + style + "\"") + ">" +
         markup_text(text) + "</" + tag + ">";
}

std::string rows_of(const ReportTable& table) {
  if (table.rows.empty()) return "";
  std::vector<std::string> styles;
  for (std::size_t i = 0; i < table.header.size(); ++i) styles.push_back(column_class(table, i));
  std::string html = "<table><thead><tr>";
  for (std::size_t i = 0; i < table.header.size(); ++i)
    html += cell_of("th", styles[i], table.header[i]);
  html += "</tr></thead><tbody>";
  for (const auto& row : table.rows) {
    html += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i)
      html += cell_of("td", i < styles.size() ? styles[i] : "", row[i]);
    html += "</tr>";
  }
  html += "</tbody></table>";
  if (table.header.size() <= kMostPaperColumns) return "<div class=\"scroll\">" + html + "</div>";
  return "<div class=\"scroll too-wide\">" + html + "</div><p class=\"on-paper\">This table has " +
         std::to_string(table.header.size()) +
         " columns, too many for paper: read it on a screen.</p>";
}

std::string section(const Report& report, std::size_t index) {
  const ReportTable& table = report.tables[index];
  const bool folded = is_folded(report, index);
  const std::string note =
      table.note.empty() ? "" : "<p class=\"note\">" + markup_text(table.note) + "</p>";
  const std::string title = markup_text(table.title);
  return "<section id=\"" + place_of(index) + "\"" +
         (table.rows.size() <= kShortRows ? " class=\"short\"" : "") + ">" +
         (folded ? "<details><summary>" + title + "</summary>" : "<h3>" + title + "</h3>") + note +
         rows_of(table) + (folded ? "</details>" : "") + "</section>";
}

std::string figures_of(const Report& report) {
  std::string html;
  for (std::size_t i = 0; i < report.figures.size(); ++i) {
    const ReportFigure& figure = report.figures[i];
    if (i == 0 || report.figures[i - 1].group != figure.group)
      html += "<h2>" + markup_text(figure.group.empty() ? "Figures" : figure.group) + "</h2>";
    const std::string id = "\" id=\"" + place_of_figure(i) + "\">";
    if (!figure.missing.empty()) {
      html += "<p class=\"missing" + id + markup_text(no_figure(figure)) + "</p>";
      continue;
    }
    html += "<figure class=\"drawn" + id + "<h3>" + markup_text(figure.title) +
            "</h3><div class=\"page\">" + figure.wide + "</div><div class=\"phone\">" +
            figure.narrow + "</div><figcaption>" + markup_text(figure.caption) +
            "</figcaption></figure>";
  }
  return html;
}

}  // namespace

std::string html_report(const Report& report) {
  std::string html =
      "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\"><meta "
      "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; script-src 'unsafe-inline'\"><title>" +
      markup_text(report.title.empty() ? "Warpscope report" : report.title) + "</title><style>" +
      kPageStyle + kDrawingStyle + "</style><h1>Warpscope report</h1>";
  if (!report.title.empty()) html += "<p class=\"of\">" + markup_text(report.title) + "</p>";
  if (!report.notice.empty()) html += "<p class=\"notice\">" + markup_text(report.notice) + "</p>";
  if (!report.conclusions.empty()) {
    html += "<ul class=\"conclusions\">";
    for (const std::string& sentence : report.conclusions)
      html += "<li>" + markup_text(sentence) + "</li>";
    html += "</ul>";
  }
  html += "<p>" + markup_text(report.provenance) + "</p>";
  if (!report.conditions.rows.empty())
    html += "<section class=\"short unsorted\"><h2>" + markup_text(report.conditions.title) +
            "</h2>" + rows_of(report.conditions) + "</section>";
  if (report.tables.size() + report.figures.size() > 1) html += contents(report);
  html += figures_of(report);
  for (std::size_t i = 0; i < report.tables.size(); ++i) {
    const ReportPart part = report.tables[i].part;
    if (begins_part(report, i))
      html += std::string("<h2 class=\"part") +
              (is_folded_part(report, part) ? " folded-part" : "") + "\">" + to_text(part) +
              "</h2>";
    html += section(report, i);
  }
  return html + "<script>" + kPageScript + "</script></html>\n";
}

}  // namespace warpscope
