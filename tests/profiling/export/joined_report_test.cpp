// tests/profiling/export/joined_report_test.cpp: reports and CSV of several devices, of tuned
// baselines and of what the emulator verified.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "profiling/export/export.h"
#include "profiling/figures/csv_text.h"
#include "profiling/session/baselines.h"
#include "scenes/catalogue.h"
#include "tests/profiling/access/synthetic_trace.h"
#include "tests/profiling/export/occurrences.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kName = "NVIDIA H200";

Measurement point(const std::string& scene_name, const std::string& variant,
                  const std::map<std::string, std::string>& changes, double warm_ns,
                  const std::string& uuid = "GPU-aaaaaaaa-0000") {
  const Scene& scene = **built_in_catalogue().find(scene_name);
  Measurement m;
  m.scene = scene_name;
  m.variant = variant;
  m.axes = *configured(scene, variant, changes);
  m.key = configuration_key(scene.axes, m.axes, variant);
  m.verdict = {Outcome::correct, "every element equals the reference"};
  m.warm = Timing{CacheState::warm, {warm_ns, warm_ns, warm_ns}};
  summarise(*m.warm);
  m.metrics = {{"time.warm", warm_ns, Origin::measured, "", ""}};
  m.conditions.device = kName;
  m.conditions.device_uuid = uuid;
  m.conditions.driver = "580.1";
  m.conditions.toolkit = "13.0";
  m.conditions.build = "0.1.0";
  m.conditions.date = "2026-01-01T10:00:00Z";
  return m;
}

// The lines of a report without its escapes: "GPU\-a" is "GPU-a".
std::string report(const Session& session) {
  std::string text = markdown_report(report_of(session));
  std::erase(text, '\\');
  return text;
}

TEST(JoinedReport, ShowsNoFigureOfACardAsAnotherOnesWhereAUuidIsMissing) {
  Session session;
  for (const char* n : {"64", "128", "256"}) {
    session.apply(point("csrmm", "float4_columns", {{"n", n}}, 1e5, ""));
    session.apply(point("csrmm", "float4_columns", {{"n", n}}, 7e5));
  }
  const std::string text = report(session);
  EXPECT_EQ(occurrences(text, "## csrmm over n on NVIDIA H200"), 2u);
  EXPECT_EQ(occurrences(text, "| float4_columns | 100.0 µs | 100.0 µs | 100.0 µs |"), 1u);
  EXPECT_EQ(occurrences(text, "| float4_columns | 700.0 µs | 700.0 µs | 700.0 µs |"), 1u);
}

TEST(JoinedReport, KeepsTablesApartOfCardsWhoseUuidsBeginAlike) {
  Session session;
  session.apply(point("csrmm", "float4_columns", {}, 1e5, "GPU-aaaaaaaa-0000"));
  session.apply(point("csrmm", "float4_columns", {}, 7e5, "GPU-aaaaaaaa-1111"));
  EXPECT_EQ(occurrences(report(session), "## csrmm at "), 2u);
}

TEST(JoinedReport, StatesTheConditionsOfEachDevice) {
  Session session;
  session.apply(point("csrmm", "float4_columns", {}, 1e5));
  Measurement later = point("csrmm", "warp_row_zero_test", {}, 1e5);
  later.conditions.date = "2026-01-03T10:00:00Z";
  session.apply(later);
  Measurement other = point("csrmm", "float4_columns", {}, 1e5, "GPU-bbbbbbbb-0000");
  other.conditions.driver = "570.2";
  other.conditions.toolkit = "12.9";
  other.conditions.date = "2026-01-02T10:00:00Z";
  session.apply(other);
  session.apply(point("csrmm", "warp_row_branch_free", {}, 1e5));
  EXPECT_THAT(report(session),
              AllOf(HasSubstr("Measured on NVIDIA H200 (GPU-aaaaaaaa), driver 580.1, toolkit 13.0, "
                              "with Warpscope 0.1.0, last on 2026-01-03T10:00:00Z."),
                    HasSubstr("Measured on NVIDIA H200 (GPU-bbbbbbbb), driver 570.2, toolkit 12.9, "
                              "with Warpscope 0.1.0, last on 2026-01-02T10:00:00Z.")));
}

Measurement verified(const std::string& variant) {
  Measurement m = point("csrmm", variant, {}, 1, "");
  m.warm.reset();
  m.metrics.clear();
  m.conditions.device = "emulator";
  m.conditions.driver.clear();
  m.conditions.date = "2026-01-09T10:00:00Z";
  return m;
}

TEST(JoinedReport, DoesNotSayThatTheEmulatorMeasured) {
  Session session;
  session.apply(point("csrmm", "warp_row_zero_test", {}, 1e5));
  session.apply(verified("warp_row_zero_test"));
  const std::string text = report(session);
  EXPECT_THAT(text,
              AllOf(HasSubstr("Measured on NVIDIA H200 (GPU-aaaaaaaa), driver 580.1"),
                    Not(HasSubstr("Measured on emulator")), Not(HasSubstr("what emulator shows")),
                    Not(HasSubstr("last on 2026-01-09"))));
  EXPECT_EQ(occurrences(text, "## csrmm at "), 2u)
      << "what was verified stands in a table of its own";
  EXPECT_EQ(occurrences(text, " on emulator\n"), 1u);
  Session alone;
  alone.apply(verified("warp_row_zero_test"));
  EXPECT_THAT(report(alone), AllOf(HasSubstr("Nothing in this session was measured on a device"),
                                   Not(HasSubstr("CUDA-event samples"))));
}

TEST(JoinedReport, SweepsNumbersAlone) {
  Session session;
  for (const char* op : {"copy", "transpose", "reduction"}) {
    const Scene& scene = **built_in_catalogue().find("patterns");
    for (const Variant& variant : scene.variants) {
      const auto axes = configured(scene, variant.name, {{"op", op}});
      if (axes && applies(variant, *axes))
        session.apply(point("patterns", variant.name, {{"op", op}}, 1e5));
    }
  }
  const std::string text = report(session);
  EXPECT_EQ(occurrences(text, " over op"), 0u) << "a choice is not a sweep";
  EXPECT_EQ(occurrences(text, "## patterns at "), 3u) << "each has its ladder";
}

TEST(JoinedReport, LeavesTheSweptAxisOutOfTheRest) {
  Session session;
  for (const char* n : {"64", "128", "256"})
    session.apply(point("csrmm", "float4_columns", {{"n", n}}, 1e5));
  const std::string text = report(session);
  const std::size_t from = text.find("## csrmm over n, warm times, the rest at m=");
  ASSERT_NE(from, std::string::npos);
  EXPECT_THAT(text.substr(from, text.find('\n', from) - from), Not(HasSubstr("n=")));
}

// Figures that differ: one of each card, another amount.
TEST(JoinedReport, HoldsOursToTheCountersOfEachDeviceApart) {
  const auto counted = [](const char* uuid, double sectors) {
    Measurement m = point("csrmm", "float4_columns", {}, 1e5, uuid);
    StepRecord step;
    step.name = "multiply";
    step.kind = "kernel";
    step.metrics = {{"l1.sectors_load", sectors, Origin::measured, "", ""}};
    m.steps = {step};
    return m;
  };
  Trace trace = synthetic_trace();
  trace.key = counted("GPU-a", 1).key;
  trace.machine_code = MachineFigures{};
  Session session;
  session.apply(trace);
  session.apply(counted("GPU-aaaaaaaa-0000", 111));
  session.apply(counted("GPU-bbbbbbbb-0000", 222));
  const std::string text = report(session);
  EXPECT_EQ(occurrences(text, "## Our figures and the counters on NVIDIA H200 (GPU-aaaaaaaa): "),
            1u);
  EXPECT_EQ(occurrences(text, "## Our figures and the counters on NVIDIA H200 (GPU-bbbbbbbb): "),
            1u);
  EXPECT_EQ(occurrences(text, "| point | step | figure |"), 2u);
  EXPECT_EQ(occurrences(text, "| multiply | emulated.l1.sectors_load |"), 2u);
}

TEST(Baseline, IsOneOfAProblemAndNamesItsTuningWhereThatIsNotTheDefault) {
  const Scene& scene = **built_in_catalogue().find("led");
  const Variant& baseline = *find_variant(scene, scene.baseline);
  const auto own = std::find_if(scene.axes.begin(), scene.axes.end(), [&](const Axis& axis) {
    return !of_problem(axis) && of_variant(axis, baseline.name);
  });
  ASSERT_NE(own, scene.axes.end()) << "the test needs a baseline with an axis of its own";
  const std::string usual = to_text(default_of(*own, baseline.name));
  std::string other;
  for (const char* value : {"4", "16", "8", "1"}) {
    const auto axes = configured(scene, baseline.name, {{own->name, value}});
    if (axes && value != usual && own->admit_text == nullptr) {
      other = value;
      break;
    }
  }
  ASSERT_FALSE(other.empty());
  const Measurement tuned = point("led", baseline.name, {{own->name, other}}, 2e5),
                    plain = point("led", baseline.name, {}, 1e5);
  Session session;
  session.apply(tuned);
  EXPECT_EQ(baseline_of(session, tuned)->key, tuned.key) << "of the only one";
  const auto variant =
      std::find_if(scene.variants.begin(), scene.variants.end(), [&](const Variant& v) {
        return v.name != baseline.name && applies(v, default_configuration(scene.axes));
      });
  session.apply(point("led", variant->name, {}, 1e5));
  EXPECT_THAT(report(session), HasSubstr("the baseline at " + own->name + "=" + other));
  session.apply(plain);
  EXPECT_EQ(baseline_of(session, tuned)->key, plain.key);
  EXPECT_EQ(baseline_of(session, plain)->key, plain.key);
  const std::string text = report(session);
  EXPECT_EQ(occurrences(text, "| baseline |"), 1u);
  EXPECT_THAT(text, Not(HasSubstr("the baseline at ")));
}

// The column of a tidy CSV by its name.
std::map<std::string, std::string> cells(const std::vector<std::vector<std::string>>& rows,
                                         std::size_t at) {
  std::map<std::string, std::string> row;
  for (std::size_t i = 0; i < rows[0].size(); ++i) row[rows[0][i]] = rows[at].at(i);
  return row;
}

TEST(Csv, SaysOfEmulatedRowsWhoseTheyAreAndWritesThemOnce) {
  Session session;
  Hello hello;
  hello.role = "emulate";
  hello.toolkit = "13.0";
  hello.build = "0.1.0 (abc)";
  session.apply(hello);
  Trace trace = synthetic_trace();
  trace.source_hash = "5ea1";
  trace.metrics.clear();
  for (const char* uuid : {"GPU-aaaaaaaa-0000", "GPU-bbbbbbbb-0000"}) {
    Measurement m = point("csrmm", "float4_columns", {}, 1e5, uuid);
    m.conditions.source_hash = "5ea1";
    StepRecord step;
    step.name = trace.step;
    step.kind = "kernel";
    m.steps = {step};
    trace.key = m.key;
    session.apply(m);
  }
  session.apply(trace);
  const auto rows = *parse_csv(tidy_csv(session));
  std::map<std::string, int> seen;
  for (std::size_t at = 1; at < rows.size(); ++at) {
    std::map<std::string, std::string> row = cells(rows, at);
    if (!row["metric"].starts_with("emulated.")) continue;
    ++seen[row["step"] + " " + row["metric"]];
    EXPECT_EQ(row["device"], "emulator");
    EXPECT_EQ(row["device_uuid"], "");
    EXPECT_EQ(row["toolkit"], "13.0");
    EXPECT_EQ(row["build"], "0.1.0 (abc)");
    EXPECT_EQ(row["source_hash"], "5ea1");
    EXPECT_EQ(row["sm_clock_mhz"], "");
  }
  EXPECT_GT(seen.size(), 4u);
  for (const auto& [figure, times] : seen) EXPECT_EQ(times, 1) << figure;
}

}  // namespace
}  // namespace warpscope
