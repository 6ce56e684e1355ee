// tests/profiling/export/report_page_test.cpp: a report begins with conclusions, has a table of
// contents, folds sweeps, and has rules for paper.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "profiling/export/export.h"
#include "scenes/catalogue.h"
#include "tests/profiling/export/occurrences.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Measurement point(const std::string& variant, std::int64_t n, double warm_ns) {
  const Scene& scene = **built_in_catalogue().find("csrmm");
  Measurement m;
  m.scene = "csrmm";
  m.variant = variant;
  m.axes = default_configuration(scene.axes);
  m.axes.set("n", n);
  m.axes = for_variant(scene.axes, m.axes, variant);
  m.key = configuration_key(scene.axes, m.axes, variant);
  m.problem = problem_of(m);
  m.verdict = {Outcome::correct, "every element equals the reference"};
  m.warm = Timing{CacheState::warm, {warm_ns, warm_ns, warm_ns}};
  summarise(*m.warm);
  m.conditions.device = "synthetic device";
  m.conditions.device_uuid = "GPU-1";
  m.conditions.date = "2026-11-21T09:00:00Z";
  return m;
}

Session swept() {
  Session session;
  for (const std::int64_t n : {128, 32, 64, 256}) {
    session.apply(point("warp_row_zero_test", n, 1000.0 * static_cast<double>(n)));
    session.apply(point("float4_columns", n, 500.0 * static_cast<double>(n)));
  }
  return session;
}

std::string page_of(const Session& session) { return html_report(report_of(session)); }

TEST(ReportPage, BeginsWithTheFastestVariantAndHowFarItIsFromTheBaseline) {
  const Report report = report_of(swept());
  ASSERT_FALSE(report.conclusions.empty());
  EXPECT_THAT(report.conclusions.front(),
              AllOf(HasSubstr("csrmm at its default values: the fastest of 2 variants is float4"),
                    HasSubstr("64.00 µs with warm caches"), HasSubstr("2.00× faster")));
  const std::string page = page_of(swept()), text = markdown_report(report);
  EXPECT_LT(page.find("the fastest of 2 variants"), page.find("Contents"));
  EXPECT_LT(page.find("the fastest of 2 variants"), page.find("Measured on"));
  EXPECT_LT(text.find("the fastest of 2 variants"), text.find("## Contents"));
}

TEST(ReportPage, ConcludesNothingFromFiguresThatMayNotBeRanked) {
  Session alone;
  alone.apply(point("float4_columns", 128, 1000));
  EXPECT_THAT(report_of(alone).conclusions, Not(testing::Contains(HasSubstr("fastest"))));
  Session wrong = swept();
  Measurement bad = point("float4_columns", 128, 1);
  bad.warm.reset();
  bad.verdict.outcome = Outcome::wrong;
  bad.conditions.date = "2026-11-22T09:00:00Z";
  wrong.apply(bad);
  const auto conclusions = report_of(wrong).conclusions;
  EXPECT_THAT(conclusions,
              testing::Contains(AllOf(HasSubstr("1 point without a time"),
                                      HasSubstr("csrmm/float4_columns at its default values"))));
  EXPECT_TRUE(report_of(Session()).conclusions.empty());
}

TEST(ReportPage, EveryLineOfTheContentsLeadsToATable) {
  const std::string page = page_of(swept());
  std::set<std::string> ids;
  const std::regex id(R"re(<(?:section|figure|p)[^>]* id="([^"]+)")re"),
      link(R"re(<a href="#([^"]+)")re");
  for (std::sregex_iterator at(page.begin(), page.end(), id), end; at != end; ++at)
    EXPECT_TRUE(ids.insert((*at)[1]).second);
  std::size_t links = 0;
  for (std::sregex_iterator at(page.begin(), page.end(), link), end; at != end; ++at, ++links)
    EXPECT_TRUE(ids.contains((*at)[1])) << (*at)[1];
  const Report report = report_of(swept());
  EXPECT_EQ(links, report.tables.size() + report.figures.size());
  const std::string text = markdown_report(report_of(swept()));
  EXPECT_EQ(occurrences(text, "](#table-"), occurrences(text, "<a id=\"table-"));
}

TEST(ReportPage, FoldsSweepsAndFurtherConfigurations) {
  const std::string page = page_of(swept());
  EXPECT_THAT(page, HasSubstr("<details><summary>csrmm over n, warm times"));
  EXPECT_EQ(occurrences(page, "</details></section>"), 1u);
  EXPECT_THAT(page, HasSubstr("<summary>1 folded table</summary>"));
  // The variants of the first of two configurations are shown.
  Session two;
  two.apply(point("float4_columns", 128, 1000));
  two.apply(point("float4_columns", 256, 2000));
  const std::string both = page_of(two);
  EXPECT_EQ(occurrences(both, "</details></section>"), 1u);
  EXPECT_THAT(both, HasSubstr("<h3>csrmm at its default values</h3>"));
  EXPECT_THAT(both, HasSubstr("<summary>csrmm at n=256</summary>"));
}

TEST(ReportPage, OnPaperIsA4WithHeadsOnEachPage) {
  const std::string page = page_of(swept());
  EXPECT_THAT(page, AllOf(HasSubstr("@page{size:A4"), HasSubstr("@media print{"),
                          HasSubstr("thead{display:table-header-group}"),
                          HasSubstr("tr,figure{break-inside:avoid}"),
                          HasSubstr("h2,h3,summary,.note{break-after:avoid}"),
                          HasSubstr(".short{break-inside:avoid}")));
  EXPECT_EQ(occurrences(page, "<table><thead>"), occurrences(page, "</tbody></table>"));
  EXPECT_EQ(occurrences(page, "<table"), occurrences(page, "<thead>"));
  // Paper has no heading of a part whose tables are all folded.
  EXPECT_THAT(page, HasSubstr("<h2 class=\"part\">Variants"));
  EXPECT_THAT(page, HasSubstr("<h2 class=\"part folded-part\">Sweeps"));
}

// A long table may be divided, a short one is not.
TEST(ReportPage, ALongTableIsNotHeldTogether) {
  Report report;
  report.tables = {{"short", {"a"}, {{"1"}}}, {"long", {"a"}, {}}};
  for (int row = 0; row < 100; ++row) report.tables[1].rows.push_back({std::to_string(row)});
  const std::string page = html_report(report);
  EXPECT_THAT(page, HasSubstr("<section id=\"table-1\" class=\"short\">"));
  EXPECT_THAT(page, HasSubstr("<section id=\"table-2\"><h3>"));
}

}  // namespace
}  // namespace warpscope
