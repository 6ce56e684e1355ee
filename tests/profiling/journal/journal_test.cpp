// tests/profiling/journal/journal_test.cpp: iterations as a tree, with the figures of a session.
#include "profiling/journal/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "profiling/export/journal_tables.h"
#include "profiling/points/point.h"
#include "scenes/catalogue.h"

namespace warpscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Iteration iteration(std::int64_t number, std::int64_t parent, Decision decision,
                    const std::string& variant) {
  Iteration i;
  i.number = number;
  i.parent = parent;
  i.decision = decision;
  i.scene = "csrmm";
  i.variant = variant;
  i.hypothesis = "expected";
  return i;
}

// 1 became 2, 2 became 5; 3 and 4 were tried beside 5, 4 as what became of 3.
std::vector<Iteration> story() {
  return {iteration(1, 0, Decision::kept, "warp_row_zero_test"),
          iteration(2, 1, Decision::kept, "warp_row_branch_free"),
          iteration(3, 2, Decision::reverted, "warp_row_shuffle"),
          iteration(4, 3, Decision::open, "warp_row_shuffle_4"),
          iteration(5, 2, Decision::kept, "warp_row_unroll4")};
}

Measurement timed(const std::string& variant, double warm_ns, const char* n = "128") {
  const Scene& scene = **built_in_catalogue().find("csrmm");
  Measurement m;
  m.scene = "csrmm";
  m.variant = variant;
  m.axes = *configured(scene, variant, {{"n", n}});
  m.key = configuration_key(scene.axes, m.axes, variant);
  m.problem = problem_key(scene.axes, m.axes);
  m.verdict.outcome = Outcome::correct;
  m.warm = Timing{CacheState::warm, {warm_ns, warm_ns, warm_ns}};
  summarise(*m.warm);
  m.conditions.device = "NVIDIA H200";
  m.conditions.device_uuid = "GPU-1";
  m.conditions.toolkit = "13.0";
  return m;
}

struct Points {
  std::map<std::string, Measurement> by_variant;
  const Measurement* operator()(const Iteration& i) const {
    const auto found = by_variant.find(i.variant);
    return found == by_variant.end() ? nullptr : &found->second;
  }
};

std::vector<std::pair<std::int64_t, int>> shape(const std::vector<JournalEntry>& entries) {
  std::vector<std::pair<std::int64_t, int>> all;
  for (const JournalEntry& e : entries) all.emplace_back(e.iteration.number, e.depth);
  return all;
}

TEST(Journal, GoesStraightOnAndIndentsWhatWasTriedBeside) {
  const auto entries = journal_entries(story(), Points{}, CacheState::warm);
  EXPECT_THAT(shape(entries), ElementsAre(std::pair(1, 0), std::pair(2, 0), std::pair(3, 1),
                                          std::pair(4, 1), std::pair(5, 0)));
  std::vector<std::int64_t> path;
  for (const JournalEntry& e : entries) {
    if (e.on_path) path.push_back(e.iteration.number);
  }
  EXPECT_THAT(path, ElementsAre(1, 2, 5));
}

TEST(Journal, HasAPathFromEveryBeginning) {
  std::vector<Iteration> all = story();
  all.push_back(iteration(6, 0, Decision::kept, "t_scatter_plain_loads"));
  all.push_back(iteration(7, 6, Decision::kept, "t_scatter_atomics"));
  const auto entries = journal_entries(all, Points{}, CacheState::warm);
  std::vector<std::int64_t> path;
  for (const JournalEntry& e : entries) {
    if (e.on_path) path.push_back(e.iteration.number);
  }
  EXPECT_THAT(path, ElementsAre(1, 2, 5, 6, 7));
  EXPECT_EQ(shape(entries).back(), std::pair(std::int64_t{7}, 0));
}

TEST(Journal, HoldsEachTimeToTheParents) {
  Points points;
  for (const auto& [variant, ns] :
       {std::pair("warp_row_zero_test", 200e3), std::pair("warp_row_branch_free", 100e3),
        std::pair("warp_row_unroll4", 80e3)})
    points.by_variant[variant] = timed(variant, ns);
  const auto entries = journal_entries(story(), points, CacheState::warm);
  EXPECT_FALSE(entries[0].gain_ratio) << "it has no parent";
  EXPECT_DOUBLE_EQ(entries[1].gain_ratio.value(), 2);
  EXPECT_THAT(entries[1].against_parent, HasSubstr("faster"));
  EXPECT_FALSE(entries[2].time_ns) << "it was not measured here";
  EXPECT_DOUBLE_EQ(entries[4].gain_ratio.value(), 1.25) << "against 2, not against what was tried";
}

TEST(Journal, ComparesNothingAcrossProblemsAndNothingWrong) {
  Points points;
  points.by_variant["warp_row_zero_test"] = timed("warp_row_zero_test", 200e3, "64");
  points.by_variant["warp_row_branch_free"] = timed("warp_row_branch_free", 100e3);
  points.by_variant["warp_row_unroll4"] = timed("warp_row_unroll4", 1e3);
  points.by_variant["warp_row_unroll4"].verdict.outcome = Outcome::wrong;
  const auto entries = journal_entries(story(), points, CacheState::warm);
  EXPECT_FALSE(entries[1].gain_ratio);
  EXPECT_THAT(entries[1].against_parent, HasSubstr("n is")) << "the reason is said";
  EXPECT_FALSE(entries[4].time_ns) << "a wrong output has no time";
}

TEST(Journal, ParentsThatAreNotThereOrComeLaterMakeABeginning) {
  const auto entries =
      journal_entries({iteration(2, 7, Decision::open, "a"), iteration(3, 3, Decision::open, "b"),
                       iteration(4, 5, Decision::open, "c"), iteration(5, 4, Decision::open, "d")},
                      Points{}, CacheState::warm);
  EXPECT_THAT(shape(entries),
              ElementsAre(std::pair(2, 0), std::pair(3, 0), std::pair(4, 0), std::pair(5, 0)));
}

TEST(Journal, CountsHowOftenPredictionsWereRight) {
  Iteration i = iteration(1, 0, Decision::kept, "warp_row_unroll4");
  const auto figure = [](const char* id, double value) {
    return MetricValue{id, value, Origin::modelled, "", ""};
  };
  i.predicted = {figure("l1.sectors_load", 104), figure("inst.executed", 200),
                 figure("shared.wavefronts", 7)};
  i.measured = {figure("l1.sectors_load", 100), figure("inst.executed", 100)};
  const auto entries = journal_entries({i}, Points{}, CacheState::warm);
  EXPECT_EQ(entries[0].predicted, 3);
  EXPECT_EQ(entries[0].judged, 2) << "the third was not measured";
  EXPECT_EQ(entries[0].right, 1);
  EXPECT_EQ(prediction_score(entries), "1 of 2 predictions lie within 5 % of what was measured");
  EXPECT_EQ(prediction_score(journal_entries(story(), Points{}, CacheState::warm)), "");
}

// A slider that moves must not make a prediction wrong that was right where it was made.
TEST(Journal, HoldsAPredictionToThePointsOfItsOwnConfigurationAlone) {
  Points points;
  Measurement& point = points.by_variant["warp_row_unroll4"] = timed("warp_row_unroll4", 50e3);
  point.metrics = {{"l1.sectors_load", 100.0, Origin::measured, "", ""}};
  Iteration i = iteration(1, 0, Decision::kept, "warp_row_unroll4");
  i.predicted = {{"l1.sectors_load", 100.0, Origin::modelled, "", ""}};
  for (const auto& [problem, judged] :
       {std::pair(std::string(), 1), std::pair(point.problem, 1),
        std::pair(timed("warp_row_unroll4", 50e3, "64").problem, 0)}) {
    i.problem = problem;
    const auto entries = journal_entries({i}, points, CacheState::warm);
    EXPECT_EQ(entries[0].predicted, 1);
    EXPECT_EQ(entries[0].judged, judged) << problem;
  }
}

TEST(Journal, OfASessionStandsWhereMostOfItWasMeasured) {
  Session session;
  session.apply(timed("warp_row_zero_test", 200e3));
  for (const char* variant : {"warp_row_zero_test", "warp_row_branch_free"})
    session.apply(timed(variant, 50e3, "64"));
  const Result<std::vector<SceneJournal>> journals = journals_of(session);
  ASSERT_TRUE(journals) << sentence(journals.error());
  ASSERT_EQ(journals->size(), 1u) << "scenes that were not measured are left out";
  const SceneJournal& csrmm = journals->front();
  EXPECT_EQ(csrmm.scene, "csrmm");
  EXPECT_FALSE(csrmm.own);
  EXPECT_THAT(csrmm.problem, HasSubstr("n=64"));
  EXPECT_THAT(heading_of(csrmm), HasSubstr("with the figures of NVIDIA H200"));
  EXPECT_EQ(csrmm.entries.front().time_ns, 50e3);
}

Iteration at_axes(std::int64_t number, const std::string& variant,
                  std::map<std::string, std::string> axes) {
  Iteration i = iteration(number, 0, Decision::kept, variant);
  i.axes = std::move(axes);
  return i;
}

// The problem at hand stands at 64 columns, where most was measured.
Session at_64_columns() {
  Session session;
  for (const char* variant : {"warp_row_zero_test", "warp_row_branch_free"})
    session.apply(timed(variant, 50e3, "64"));
  session.apply(timed("warp_row_unroll4", 80e3, "256"));
  return session;
}

TEST(Journal, ShowsAnEntryAtTheAxesThatItNamesOrADash) {
  Session session = at_64_columns();
  session.apply(at_axes(1, "warp_row_zero_test", {}));
  session.apply(at_axes(2, "warp_row_branch_free", {}));
  session.apply(at_axes(3, "warp_row_unroll4", {{"n", "256"}}));
  session.apply(at_axes(4, "warp_row_unroll4", {{"n", "32"}}));
  session.apply(at_axes(5, "warp_row_unroll4", {}));
  session.apply(at_axes(6, "warp_row_zero_test", {{"index_width", "64"}}));
  const Result<std::vector<SceneJournal>> journals = journals_of(session, "csrmm");
  ASSERT_TRUE(journals) << sentence(journals.error());
  EXPECT_THAT(journals->front().problem, HasSubstr("n=64"));
  std::map<std::int64_t, std::optional<double>> times;
  for (const JournalEntry& entry : journals->front().entries)
    times[entry.iteration.number] = entry.time_ns;
  EXPECT_EQ(times[1], 50e3);
  EXPECT_EQ(times[3], 80e3) << "at its own 256 columns";
  EXPECT_EQ(times[4], std::nullopt);
  EXPECT_EQ(times[5], std::nullopt) << "not the time of 256 columns";
  EXPECT_EQ(times[6], std::nullopt) << "not the time of 32-bit indices";
}

TEST(Journal, NamesTheAxesOfAnEntryThatDifferFromTheDefaults) {
  const Scene& scene = **built_in_catalogue().find("csrmm");
  EXPECT_EQ(axes_text(scene, at_axes(1, "warp_row_unroll4", {})), "");
  EXPECT_EQ(axes_text(scene, at_axes(1, "warp_row_unroll4", {{"index_width", "32"}})), "");
  EXPECT_EQ(
      axes_text(scene, at_axes(1, "warp_row_unroll4",
                               {{"launch_bounds", "32"}, {"n", "64"}, {"index_width", "32"}})),
      "n=64, launch_bounds=32");
  EXPECT_EQ(journal_place(built_in_catalogue(), at_axes(1, "warp_row_unroll4", {{"n", "64"}})),
            "warp_row_unroll4 (n=64)");
}

TEST(Journal, FillsTheWordsOfAnEntryAtItsOwnAxes) {
  const Scene& scene = **built_in_catalogue().find("csrmm");
  const Session session = at_64_columns();
  std::vector<JournalEntry> entries(3);
  for (JournalEntry& entry : entries) {
    entry.iteration = iteration(1, 0, Decision::kept, "warp_row_unroll4");
    entry.iteration.verdict = "takes {warp_row_unroll4.time.warm}, {warp_row_zero_test.time.warm}";
  }
  entries[1].iteration.axes = {{"n", "256"}};
  entries[2].iteration.axes = {{"n", "64"}};
  fill_words(entries, {&scene, &session, default_configuration(scene.axes)});
  EXPECT_EQ(entries[0].iteration.verdict, "takes –, –");
  EXPECT_EQ(entries[1].iteration.verdict, "takes 80.00 µs, –");
  EXPECT_EQ(entries[2].iteration.verdict, "takes –, 50.00 µs");
}

TEST(Journal, OfTheSessionsOwnStandsBeforeTheArticles) {
  Session session;
  session.apply(iteration(1, 0, Decision::open, "warp_row_unroll4"));
  const Result<std::vector<SceneJournal>> journals = journals_of(session, "csrmm");
  ASSERT_TRUE(journals) << sentence(journals.error());
  ASSERT_EQ(journals->size(), 2u);
  EXPECT_TRUE(journals->front().own);
  EXPECT_FALSE(journals->back().own);
  EXPECT_EQ(journal_tables(session).size(), 1u) << "an article without figures has no table";
}

}  // namespace
}  // namespace warpscope
