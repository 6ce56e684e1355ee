// tests/profiling/export/report_test.cpp: reports hold a ladder for a configuration and a table for
// a sweep.
#include <gtest/gtest.h>

#include "profiling/export/export.h"
#include "profiling/session/source_standing.h"
#include "scenes/catalogue.h"
#include "tests/profiling/export/occurrences.h"

namespace warpscope {
namespace {

Measurement synthetic(const std::string& variant, std::int64_t n, double warm_ns) {
  Measurement m;
  m.scene = "csrmm";
  m.variant = variant;
  m.axes.set("n", n);
  m.axes.set("p", 0.02);
  m.key = "p=0.02,n=" + std::to_string(n);
  m.verdict = {Outcome::correct, "every element equals the reference"};
  m.warm = Timing{CacheState::warm, {warm_ns, warm_ns, warm_ns}};
  summarise(*m.warm);
  m.conditions.device = "synthetic device";
  return m;
}

TEST(Report, PutsASweepInOneTable) {
  Session session;
  for (const std::int64_t n : {128, 32, 64, 256}) {
    session.apply(synthetic("warp_row_zero_test", n, 1000.0 * static_cast<double>(n)));
    session.apply(synthetic("float4_columns", n, 900.0 * static_cast<double>(n)));
  }
  Measurement wrong = synthetic("float4_columns", 512, 1);
  wrong.warm.reset();
  wrong.verdict.outcome = Outcome::wrong;
  session.apply(wrong);
  const std::string text = markdown_report(report_of(session));
  EXPECT_EQ(occurrences(text, "## csrmm at "), 1u)
      << "the ladder is of the first configuration alone";
  EXPECT_NE(text.find("## csrmm over n, warm times, the rest at p=0.02"), std::string::npos);
  EXPECT_NE(text.find("| variant | n = 32 | n = 64 | n = 128 | n = 256 | n = 512 |"),
            std::string::npos);
  EXPECT_NE(text.find("| warp_row_zero_test | 32.00 µs | 64.00 µs | 128.0 µs | 256.0 µs | – |"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("230.4 µs | wrong |"), std::string::npos);
}

TEST(Report, KeepsALadderForEachConfigurationThatIsNoSweep) {
  Session session;
  session.apply(synthetic("float4_columns", 128, 1e5));
  session.apply(synthetic("float4_columns", 256, 2e5));
  EXPECT_EQ(occurrences(markdown_report(report_of(session)), "## csrmm at "), 2u);
  EXPECT_NE(markdown_report(report_of(Session())).find("no measurements"), std::string::npos);
}

// A point of the scene's defaults, of the code that the files hold today.
Measurement of_today(SourceStandings& sources, const std::string& variant, double warm_ns) {
  const Scene& scene = **built_in_catalogue().find("csrmm");
  Measurement m = synthetic(variant, 128, warm_ns);
  m.axes = for_variant(scene.axes, default_configuration(scene.axes), variant);
  m.key = configuration_key(scene.axes, m.axes, variant);
  m.facts = {{"nnz", 2e6}, {"mean_row", 200}};
  m.conditions.code_id =
      sources.current_code_id(scene, *find_variant(scene, variant), {m.axes, m.facts}).value_or("");
  return m;
}

TEST(Report, GivesNoVerdictOnFiguresOfAnEarlierSource) {
  SourceStandings sources(built_in_catalogue());
  Measurement base = of_today(sources, "warp_row_zero_test", 2e5),
              other = of_today(sources, "warp_row_branch_free", 1e5);
  ASSERT_FALSE(base.conditions.code_id.empty());
  const auto report = [&] {
    Session session;
    session.apply(base);
    session.apply(other);
    return markdown_report(report_of(session));
  };
  const std::string today = report();
  EXPECT_EQ(occurrences(today, "2.00× faster"), 5u)
      << "conclusions, fastest (the second is the baseline), variants and journal: " << today;
  EXPECT_EQ(occurrences(today, "| baseline |"), 1u);
  EXPECT_EQ(occurrences(today, "earlier source"), 0u);
  const std::string code = other.conditions.code_id;
  other.conditions.code_id = "of another text";
  const std::string changed = report();
  EXPECT_EQ(occurrences(changed, "2.00× faster"), 0u) << changed;
  EXPECT_EQ(occurrences(changed, "warp_row_branch_free (" + own_axes_text(other) +
                                     "), measured with an earlier source"),
            1u);
  EXPECT_EQ(occurrences(changed, "an earlier source: not compared"), 1u);
  other.conditions.code_id = code;
  base.conditions.code_id = "of another text";
  const std::string baseless = report();
  EXPECT_EQ(occurrences(baseless, "| baseline |"), 0u) << baseless;
  EXPECT_EQ(occurrences(baseless, "the baseline was measured with an earlier source"), 1u);
  EXPECT_EQ(occurrences(baseless, "2.00× faster"), 0u);
}

// A roof that a point exceeds cannot be the one that limits it.
TEST(Report, SaysFirstThatAPointIsAboveItsRoof) {
  Measurement m = synthetic("float4_columns", 128, 1e5);
  for (const auto& [id, value] :
       {std::pair("dram.bytes_read", 300e6), std::pair("dram.bytes_write", 300e6),
        std::pair("l2.sectors_sm", 1e7), std::pair("l1.bytes", 1e6)})
    set_value(m.metrics, {id, value, Origin::measured, "", ""});
  RoofSet roofs;
  roofs.roofs = {{Level::dram, 4e12, "B/s"}, {Level::l2, 8e12, "B/s"}};
  roofs.conditions = m.conditions;
  Session session;
  session.apply(m);
  session.apply(roofs);
  const std::string text = markdown_report(report_of(session));
  EXPECT_EQ(occurrences(text, "| above the DRAM copy roof: 600.0 MB in 100.0 µs is 6.00 TB/s"), 1u)
      << text;
  EXPECT_EQ(occurrences(text, "which limits it"), 0u);
}

TEST(Report, ListsFiguresThatDifferFromTheCountersWithTheirReason) {
  Measurement m = synthetic("float4_columns", 128, 1e5);
  m.axes = with_defaults((*built_in_catalogue().find("csrmm"))->axes, {});
  m.facts = {{"nnz", 2e6}, {"mean_row", 200}, {"distinct_columns", 10000}};
  m.metrics = {{"l1.sectors_store", 160000.0, Origin::measured, "", ""},
               {"l2.bytes_to_sm", 1040e6, Origin::measured, "", ""}};
  Session session;
  session.apply(m);
  EXPECT_EQ(occurrences(markdown_report(report_of(session)), "Our figures and the counters"), 0u)
      << "all agree";
  m.metrics[1].value = 900e6;
  session.apply(m);
  const std::string text = markdown_report(report_of(session));
  EXPECT_EQ(occurrences(text, "## Our figures and the counters: 0 agree, these 1 do not"), 1u);
  EXPECT_EQ(occurrences(text, "L1 keeps the last 150 KB of rows of B"), 1u) << text;
}

TEST(Report, SetsWhatWasSaidBesideWhatTheDeviceShows) {
  Session session;
  for (const auto& [variant, warm_ns] :
       {std::pair("warp_row_zero_test", 2e5), std::pair("warp_row_branch_free", 1e5)}) {
    Measurement m = synthetic(variant, 128, warm_ns);
    m.axes = default_configuration((*built_in_catalogue().find("csrmm"))->axes);
    m.key = configuration_key((*built_in_catalogue().find("csrmm"))->axes, m.axes, variant);
    session.apply(m);
  }
  const std::string text = markdown_report(report_of(session));
  EXPECT_EQ(occurrences(text, "## csrmm: what the article says, and what synthetic device shows"),
            1u)
      << text;
  EXPECT_EQ(occurrences(text,
                        "| Removing the test for zero is a gain. | holds | 100.0 µs instead of "
                        "200.0 µs"),
            1u)
      << text;
  EXPECT_EQ(
      occurrences(
          text,
          "| One weight for all entries is slower than one weight per entry. | not known | needs "
          "time.warm of warp-row unroll ×4 at weights=homo"),
      1u)
      << text;
  const std::string html = html_report(report_of(session));
  EXPECT_EQ(occurrences(html, "Removing the test for zero is a gain."), 1u);
}

}  // namespace
}  // namespace warpscope
