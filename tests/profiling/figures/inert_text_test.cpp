// tests/profiling/figures/inert_text_test.cpp: what others wrote does nothing in what is exported
// of it.
#include "profiling/figures/inert_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "profiling/export/export.h"
#include "profiling/export/report/figures/figures.h"
#include "profiling/export/session_comparison.h"
#include "profiling/export/verdicts.h"
#include "profiling/figures/csv_text.h"
#include "tests/profiling/session/synthetic.h"
#include "tests/recorded_session.h"

namespace warpscope {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

const std::vector<std::string> kFormulas = {
    "=HYPERLINK(\"http://there\",\"a\")",
    "+1+1",
    "-2+3",
    "@SUM(1)",
    "\t=1",
    "\r=1",
    "  =1",
    "-",
    "＝1+1",
};
const std::vector<std::string> kMarkup = {
    "<script>alert(1)</script>",
    "\" onload=\"alert(1)",
    "' onload='alert(1)",
    "[a](javascript:alert(1))",
    "![a](http://there)",
    "`code`",
    "**bold** _thin_ ~~gone~~",
    "a | b",
    "&lt;script&gt;",
    "https://there www.there",
    "a\n# head\n- item",
    "<!-- gone --> ]]> $x$ \\",
};

// Not texts of a person: the words of an enumeration, and what messages are joined by.
const std::set<std::string> kWords = {"type",  "outcome", "cache", "origin",
                                      "phase", "level",   "unit"};

// Every text below `value` becomes `text`, names of axes too.
void replace_texts(json& value, const std::string& text, const std::set<std::string>& kept) {
  if (value.is_string()) value = text;
  if (value.is_array()) {
    for (json& element : value) replace_texts(element, text, kept);
  }
  if (!value.is_object()) return;
  for (auto& [name, element] : value.items()) {
    if (kWords.count(name) != 0 || kept.count(name) != 0) continue;
    if (name == "axes") element[text] = text;
    replace_texts(element, text, kept);
  }
}

// The roofs and the first points of a recorded session, every text of which is `text`: with the
// scene's and the variant's own names, so that all that is said of known ones is said, or without.
Session with_texts(const std::string& text, bool known_names) {
  static const std::vector<json> lines = [] {
    std::vector<json> found;
    std::istringstream all(session_text(recorded_session("csrmm")).value_or(""));
    for (std::string line; found.size() < 5 && std::getline(all, line);) {
      json object = json::parse(line);
      if (object["type"] == "measurement" || object["type"] == "roofs")
        found.push_back(std::move(object));
    }
    return found;
  }();
  Session session;
  int place = 0;
  for (json line : lines) {
    replace_texts(line, text,
                  known_names ? std::set<std::string>{"scene", "variant", "key", "id"}
                              : std::set<std::string>{});
    if (!known_names && line.contains("key")) line["key"] = text + std::to_string(++place);
    const Result<Message> message = parse_line(line.dump());
    EXPECT_TRUE(message) << sentence(message.error());
    if (message) session.apply(*message);
  }
  EXPECT_GE(session.all_points().size(), 3u);
  return session;
}

// Its report, with one figure more that is missing and one that is drawn.
Report with_figures(const std::string& text, bool known_names) {
  Report report = report_of(with_texts(text, known_names));
  report.figures.push_back({text, text, "", "", "", text});
  report.figures.push_back(drawn(text, text, [&](Drawing& svg) {
    svg.words({0, 0}, text);
    svg.mark({0, 0}, 0, "s0", text);
    svg.box({0, 0}, 1, 1, "s0", text);
    draw_legend(svg, 0, {{text, "s0", 0, false}});
  }));
  return report;
}

bool is_number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

TEST(InertText, MakesNoFormulaOfAnyTextInCsv) {
  for (const std::string& formula : kFormulas) {
    for (const bool known : {true, false}) {
      const Session session = with_texts(formula, known);
      for (const std::string& csv :
           {tidy_csv(session), wide_csv(session), verdict_csv({{formula, &session}})}) {
        const auto rows = parse_csv(csv);
        ASSERT_TRUE(rows) << sentence(rows.error());
        int disarmed = 0;
        for (const auto& row : *rows) {
          ASSERT_EQ(row.size(), rows->front().size());
          for (const std::string& cell : row) {
            const std::size_t first = cell.find_first_not_of(' ');
            if (first == std::string::npos || is_number(cell)) continue;
            EXPECT_EQ(std::string("=+-@\t").find(cell[first]), std::string::npos) << cell;
            EXPECT_NE(cell.find("＝"), first) << cell;
            disarmed += cell[0] == '\'' ? 1 : 0;
          }
        }
        EXPECT_GT(disarmed, 3) << "the text is not in the table at all";
      }
    }
  }
}

TEST(InertText, LeavesNumbersAndPlainTextAsTheyAre) {
  for (const char* text : {"-1.5", "-1e-07", "0", "12", "-inf", "", "–", "a-b", "a=b", "'a", "3 %",
                           "largest error 0.1"})
    EXPECT_EQ(csv_cell(text), text);
  EXPECT_EQ(csv_cell("+1"), "'+1") << "no number that Warpscope writes";
  EXPECT_EQ(csv_cell("=1,2"), "\"'=1,2\"");
  EXPECT_EQ(csv_cell("a\"b;c"), "\"a\"\"b;c\"");
}

// Tags that a report has; the text after a "<" must be one of them.
TEST(InertText, MakesNoTagOfAnyTextInHtml) {
  const std::set<std::string> known = {
      "!doctype",   "html",     "meta",  "title",   "style",   "script", "h1",  "h2",      "h3",
      "p",          "table",    "thead", "tbody",   "tr",      "th",     "td",  "figure",  "svg",
      "line",       "polyline", "rect",  "polygon", "text",    "circle", "div", "section", "nav",
      "figcaption", "ul",       "li",    "a",       "details", "summary"};
  for (const std::string& markup : kMarkup) {
    for (const bool names : {true, false}) {
      const std::string html = html_report(with_figures(markup, names));
      for (std::size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
        const std::size_t from = at + (html[at + 1] == '/' ? 2 : 1);
        const std::string tag = html.substr(from, html.find_first_of(" >", from) - from);
        EXPECT_EQ(known.count(tag), 1u) << markup << ": " << html.substr(at, 40);
      }
      EXPECT_THAT(html, Not(HasSubstr("\" onload")));
      EXPECT_THAT(html, Not(HasSubstr("' onload")));
      EXPECT_THAT(html, Not(HasSubstr("&lt;script&gt;</"))) << "an entity of theirs was obeyed";
    }
  }
  EXPECT_EQ(markup_text("a<b>&\"'\x01\xff"), "a&lt;b&gt;&amp;&quot;&#39;\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(markup_text("µs – 80 %\n\t😀"), "µs – 80 %\n\t😀");
}

TEST(InertText, MakesNoMarkOfAnyTextInMarkdown) {
  for (const std::string& markup : kMarkup) {
    for (const bool names : {true, false}) {
      const std::string text = markdown_report(with_figures(markup, names), true);
      std::istringstream lines(text);
      std::size_t columns = 0;
      for (std::string line; std::getline(lines, line);) {
        // What is left without the marks that a backslash made text of.
        std::string left;
        for (std::size_t i = 0; i < line.size(); ++i) {
          if (line[i] == '\\') {
            ++i;
          } else {
            left += line[i];
          }
        }
        const bool anchor = left.starts_with("<a id=\"table-") && left.ends_with("\"></a>");
        if (anchor && left.find('<', 1) == left.size() - 4) continue;
        const bool entry = left.starts_with("  - [");
        if (entry) left = left.substr(5, left.rfind("](#table-") - 5);
        const bool picture = left.starts_with("![") && left.ends_with(".svg)");
        if (picture) left = left.substr(2, left.rfind("](figure-") - 2);
        const bool ours = entry || picture || left.starts_with("About ") ||
                          left.starts_with("Figure: ") || left.starts_with("Note: ") ||
                          left.starts_with("- ") || left.empty() || left[0] == '|' ||
                          left == "# Warpscope report" || left.starts_with("## ") ||
                          left.starts_with("Measured on ") ||
                          (left.starts_with("**There is no figure") && left.ends_with("**"));
        EXPECT_TRUE(ours) << markup << ": " << line;
        if (left.starts_with("**")) left = left.substr(2, left.size() - 4);
        for (const char* mark : {"<", "`", "[", "]", "*", "~", "&", "$", "://", "www.", " _", "_ "})
          EXPECT_EQ(left.find(mark), std::string::npos) << mark << " in " << line;
        // Rows of one table have one number of cells.
        const auto bars = static_cast<std::size_t>(std::count(left.begin(), left.end(), '|'));
        if (bars != 0 && columns != 0) {
          EXPECT_EQ(bars, columns) << line;
        }
        columns = bars;
      }
    }
  }
  EXPECT_EQ(markdown_text("float4_columns at n=128: 1.5 µs, -3 %"),
            "float4_columns at n=128: 1.5 µs, -3 %")
      << "what needs no backslash has none";
}

TEST(InertText, MakesNoTagOfAnyTextInJUnit) {
  for (const std::string& markup : kMarkup) {
    const Session before = with_texts(markup, false);
    const auto comparison = compare_sessions(before, Session(), {});
    ASSERT_TRUE(comparison);
    const std::string xml = comparison_junit(*comparison, markup);
    const std::set<std::string> known = {"?xml",     "testsuites", "testsuite",
                                         "testcase", "failure",    "system-out"};
    for (std::size_t at = xml.find('<'); at != std::string::npos; at = xml.find('<', at + 1)) {
      const std::size_t from = at + (xml[at + 1] == '/' ? 2 : 1);
      EXPECT_EQ(known.count(xml.substr(from, xml.find_first_of(" >/", from) - from)), 1u)
          << xml.substr(at, 40);
    }
    EXPECT_THAT(xml, Not(HasSubstr("\" onload")));
    EXPECT_THAT(xml, Not(HasSubstr("]]>")));
  }
}

}  // namespace
}  // namespace warpscope
