// tests/profiling/claims/article_cards_test.cpp: cards and journals say what their articles say,
// and of the recordings what those hold at the axes of each row.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "profiling/claims/article.h"
#include "profiling/claims/claim_text.h"
#include "profiling/export/journal_tables.h"
#include "profiling/points/point.h"
#include "profiling/session/source_standing.h"
#include "scenes/catalogue.h"
#include "tests/awaited_rows.h"
#include "tests/profiling/claims/article_faults.h"
#include "tests/recorded_session.h"

namespace warpscope {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

const Session& recording_of(const std::string& scene) {
  static std::map<std::string, Session> read;
  const auto found = read.find(scene);
  if (found != read.end()) return found->second;
  return read[scene] = read_session(recorded_session(scene)).value().session;
}

std::vector<const Scene*> told_scenes() {
  std::vector<const Scene*> told;
  for (const Scene& scene : built_in_catalogue().scenes()) {
    if (!scene.article.empty() && std::filesystem::exists(recorded_session(scene.name)))
      told.push_back(&scene);
  }
  return told;
}

std::vector<Iteration> journal_of(const std::string& scene) {
  Result<std::vector<Iteration>> shipped = shipped_journal(scene);
  EXPECT_TRUE(shipped);
  return shipped ? *shipped : std::vector<Iteration>{};
}

TEST(ArticleCards, EveryRowQuotesItsArticleAndComputesItsAnswer) {
  EXPECT_GE(told_scenes().size(), 5u);
  for (const Scene* scene : told_scenes()) {
    for (const ArticleClaim& row : scene->article) {
      EXPECT_THAT(faults_of(row, figures_of_article(scene->name)), IsEmpty())
          << scene->name << ": " << row.said;
    }
  }
}

TEST(ArticleCards, EveryRowIsAnsweredByTheRecordingOfItsScene) {
  for (const Scene* scene : told_scenes()) {
    for (const ArticleRow& row : article_rows({scene, &recording_of(scene->name)})) {
      const std::string what = scene->name + ": " + row.said + " – " + row.shown;
      EXPECT_EQ(row.standing == ClaimStanding::unknown, is_awaited(scene->name, row.said)) << what;
      if (row.standing == ClaimStanding::unknown) continue;
      EXPECT_EQ(row.shown.find("– ("), std::string::npos) << what;
      EXPECT_EQ(row.shown.find("{"), std::string::npos) << what;
    }
  }
}

TEST(ArticleCards, AwaitedRowsAreThereAndNameARecipe) {
  for (const AwaitedRow& each : awaited_rows()) {
    if (each.entry != 0) continue;
    const Scene& scene = **built_in_catalogue().find(each.scene);
    EXPECT_TRUE(
        std::any_of(scene.article.begin(), scene.article.end(),
                    [&](const ArticleClaim& row) { return row.said.starts_with(each.said); }))
        << each.said;
    EXPECT_NE(std::string(each.recipe).find(each.scene), std::string::npos) << each.recipe;
  }
}

// What a person works out with a pencil, with nothing of the claims' own code: times of two
// variants at the same problem, the variants' own axes at their defaults.
std::vector<double> ratios(const Session& session, const Scene& scene, const std::string& above,
                           const std::string& below,
                           const std::map<std::string, std::set<std::string>>& places) {
  std::vector<double> found;
  for (const Measurement* a : session.all_points()) {
    const Configuration usual = for_variant(scene.axes, a->axes, a->variant);
    const auto stands = [&](const Axis& axis) {
      const auto place = places.find(axis.name);
      if (!of_problem(axis))
        return !of_variant(axis, a->variant) || !a->axes.has(axis.name) ||
               a->axes.at(axis.name) == default_of(axis, a->variant);
      return place == places.end() || place->second.count(to_text(usual.at(axis.name))) != 0;
    };
    if (a->variant != above || !a->cold ||
        !std::all_of(scene.axes.begin(), scene.axes.end(), stands))
      continue;
    for (const Measurement* b : session.all_points()) {
      if (b->variant != below || b->problem != a->problem || !b->cold || !tuning_text(*b).empty())
        continue;
      found.push_back(a->cold->median_ns / b->cold->median_ns);
    }
  }
  return found;
}

TEST(ArticleCards, AnAverageAndABestAreThoseOfAPencil) {
  const Scene& scene = **built_in_catalogue().find("led");
  const Session& session = recording_of("led");
  const std::vector<double> all = ratios(
      session, scene, "single_frame_repeated", "grid3d_shared_pattern",
      {{"leds", {"64", "256", "512"}}, {"height", {"128", "256", "512"}}, {"dtype", {"fp32"}}});
  ASSERT_EQ(all.size(), 15u);
  double sum = 0;
  for (const double ratio : all) sum += ratio;
  const std::string over =
      "(ratio(single_frame_repeated.time.cold, grid3d_shared_pattern.time.cold) over "
      "points@leds=64/256/512,height=128/256/512,dtype=fp32)";
  char expected[64];
  std::snprintf(expected, sizeof expected, "15: %.2f, %.2f, %.2f", sum / 15,
                *std::min_element(all.begin(), all.end()),
                *std::max_element(all.begin(), all.end()));
  EXPECT_EQ(resolve("{count" + over + "}: {mean" + over + "}, {min" + over + "}, {max" + over + "}",
                    {&scene, &session, default_configuration(scene.axes)}),
            expected);
}

TEST(ArticleCards, AWrongRowIsFound) {
  const std::set<std::string> article = {"0.36", "0.69", "10", "20"};
  const auto faults = [&](const char* said, const char* expression, const char* shown) {
    return faults_of(ArticleClaim{said, expression, shown}, article);
  };
  EXPECT_THAT(faults("It gains 10 to 20 %.", "1 - ratio(a, b) >= 10 % and 1 - ratio(a, b) <= 20 %",
                     "{ratio(a, b)}×."),
              IsEmpty());
  EXPECT_THAT(faults("It gains 10 to 15 %.", "x >= 10 % and x <= 15 %", ""),
              Contains(HasSubstr("15 is no number of the article")));
  EXPECT_THAT(faults("It gains 10 to 20 %.", "x ~ 0.875 within 3 %", ""),
              Contains(HasSubstr("20 is quoted and not tested")));
  EXPECT_THAT(faults("It gains 10 to 20 %.", "x > 10 % or x = 20 %", ""),
              Contains(HasSubstr("not of both ends")));
  EXPECT_THAT(faults("On average it reaches 0.36×.", "ratio(a, b) ~ 0.36 within 15 %", ""),
              Contains(HasSubstr("is of an average")));
  EXPECT_THAT(faults("On average it reaches 0.36×.", "mean(r over points) ~ 0.36 within 15 %",
                     "{mean(r over points)}×."),
              Contains(HasSubstr("over which points")));
  EXPECT_THAT(faults("At best it reaches 0.69×.", "ratio(a, b) ~ 0.69 within 1 %", ""),
              Contains(HasSubstr("is of a bound")));
  EXPECT_THAT(faults("It is slower.", "a > b", "128 registers [[a > b => against 118 | and {c}]]."),
              Contains(HasSubstr("118 is not computed")));
  EXPECT_THAT(faults("A goal: at most 320 µs.", "a <= 320 us", "{a}, where FP32 takes 64-bit."),
              IsEmpty());
}

// The point that stands at an entry's axes, the others as `problem` has them, found without the
// journal's own code.
const Measurement* point_of(const Session& session, const Scene& scene, const Iteration& entry,
                            const std::string& problem) {
  const Configuration at_hand = parse_key(scene.axes, problem).value_or(Configuration{});
  for (const Measurement* point : session.newest_points()) {
    if (point->variant != entry.variant) continue;
    const bool same = std::all_of(scene.axes.begin(), scene.axes.end(), [&](const Axis& axis) {
      if (!of_variant(axis, entry.variant) || !applies(axis, point->axes)) return true;
      const auto named = entry.axes.find(axis.name);
      const AxisValue wanted = named != entry.axes.end() ? *parse_axis_value(axis, named->second)
                               : of_problem(axis) && at_hand.has(axis.name)
                                   ? at_hand.at(axis.name)
                                   : default_of(axis, entry.variant);
      const AxisValue& stands =
          point->axes.has(axis.name) ? point->axes.at(axis.name) : before_of(axis, entry.variant);
      return wanted == stands || (axis.linked_to == "m" && entry.axes.count("m") != 0);
    });
    if (same) return point;
  }
  return nullptr;
}

TEST(ArticleJournals, EveryEntryShowsTheSessionAtItsOwnAxesOrADash) {
  SourceStandings sources(built_in_catalogue());
  for (const Scene* scene : told_scenes()) {
    const Session& session = recording_of(scene->name);
    const Result<std::vector<SceneJournal>> journals = journals_of(session, scene->name);
    ASSERT_TRUE(journals);
    for (const SceneJournal& journal : *journals) {
      EXPECT_FALSE(journal.own);
      for (const JournalEntry& entry : journal.entries) {
        const std::string what = scene->name + " " + std::to_string(entry.iteration.number);
        const Measurement* point = point_of(session, *scene, entry.iteration, journal.problem);
        // A point of an earlier source takes no part.
        const bool timed = point != nullptr && point->verdict.outcome == Outcome::correct &&
                           point->warm && sources.of(*point).state != SourceState::changed;
        EXPECT_EQ(entry.time_ns.has_value(), timed) << what;
        if (timed) {
          EXPECT_EQ(entry.time_ns.value_or(0), point->warm->median_ns) << what;
        }
        for (const std::string& words :
             {entry.iteration.hypothesis, entry.iteration.said, entry.iteration.verdict}) {
          EXPECT_EQ(words.find('{'), std::string::npos) << what << ": " << words;
          EXPECT_EQ(words.find("[["), std::string::npos) << what << ": " << words;
        }
        const bool waited = is_awaited(scene->name, entry.iteration.number);
        EXPECT_EQ(entry.iteration.verdict.find("–") != std::string::npos, waited)
            << what << ": " << entry.iteration.verdict;
      }
    }
  }
}

TEST(ArticleJournals, EveryEntryQuotesItsArticleAndIsAPointOfItsOwn) {
  for (const Scene* scene : told_scenes()) {
    std::map<std::string, std::int64_t> places;
    for (const Iteration& entry : journal_of(scene->name)) {
      const std::string what = scene->name + " " + std::to_string(entry.number);
      EXPECT_THAT(faults_of(entry, figures_of_article(scene->name)), IsEmpty()) << what;
      const auto [found, added] =
          places.emplace(journal_place(built_in_catalogue(), entry), entry.number);
      EXPECT_TRUE(added) << what << " shows the time of " << found->second << ", " << found->first;
      for (const std::string& words : {entry.hypothesis, entry.said, entry.verdict}) {
        const Result<void> good = check_text(words, *scene);
        EXPECT_TRUE(good) << what << ": " << sentence(good.error());
      }
    }
  }
}

TEST(ArticleJournals, AWrongEntryIsFound) {
  const std::set<std::string> article = {"5.30", "5.56"};
  Iteration entry;
  entry.said = "5.30 ms and 5.56 ms.";
  entry.verdict = "{ratio(a, b)}× of the time before";
  EXPECT_THAT(faults_of(entry, article), IsEmpty());
  entry.said = "5.30 ms and 5.38 ms.";
  EXPECT_THAT(faults_of(entry, article), Contains(HasSubstr("5.38 is no number")));
  entry.said = "Not in the article: 5.38 ms.";
  EXPECT_THAT(faults_of(entry, article), IsEmpty());
  entry.verdict = "0.62× of the dense tile's time";
  EXPECT_THAT(faults_of(entry, article), Contains(HasSubstr("0.62 is not computed")));
  entry.verdict = "kept";
  entry.measured = {{"time.warm", 2942e3, Origin::measured, "", ""}};
  EXPECT_THAT(faults_of(entry, article), Contains(HasSubstr("brings its own time.warm")));
}

// A time of the recording that is bent bends the entry that shows it, and no other.
TEST(ArticleJournals, ABentTimeBendsTheEntryThatShowsIt) {
  const Session& recorded = recording_of("csrmm");
  Session bent;
  for (const Measurement* point : recorded.all_points()) {
    Measurement copy = *point;
    if (copy.variant == "warp_row_shuffle" && copy.warm) {
      copy.warm->samples_ns.scale(3);
      summarise(*copy.warm);
    }
    bent.apply(copy);
  }
  const auto entries_of = [](const Session& session) {
    return journals_of(session, "csrmm").value().front().entries;
  };
  const std::vector<JournalEntry> before = entries_of(recorded), after = entries_of(bent);
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t at = 0; at < before.size(); ++at) {
    const bool its = before[at].iteration.variant == "warp_row_shuffle";
    if (!before[at].time_ns) continue;
    EXPECT_NEAR(after[at].time_ns.value_or(0) / *before[at].time_ns, its ? 3 : 1, 1e-6)
        << before[at].iteration.number;
  }
}

}  // namespace
}  // namespace warpscope
