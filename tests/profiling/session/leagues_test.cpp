// tests/profiling/session/leagues_test.cpp: rows of autoencoder stand beside those of their own
// accuracy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "profiling/export/export.h"
#include "profiling/export/session_comparison.h"
#include "profiling/figures/csv_text.h"
#include "profiling/session/baselines.h"
#include "scenes/catalogue.h"
#include "tests/recorded_session.h"

namespace warpscope {
namespace {

const Scene& autoencoder() { return **built_in_catalogue().find("autoencoder"); }

// By the names alone, which say what multiplies.
std::string named_league(const std::string& variant) {
  const auto says = [&variant](const char* word) {
    return variant.find(word) != std::string::npos;
  };
  if (says("bf16")) return "bf16";
  if (says("tf32x3") || says("fp32_tensor")) return "fp32_tensor";
  return says("tf32") ? "tf32" : "fp32";
}

TEST(Leagues, HoldEveryRowOfAutoencoder) {
  std::set<std::string> leagues, used;
  for (const League& league : autoencoder().leagues) {
    leagues.insert(league.name);
    Measurement m;
    m.scene = "autoencoder";
    m.variant = league.baseline;
    EXPECT_EQ(league_of(m), league.name);
  }
  for (const Variant& variant : autoencoder().variants) {
    EXPECT_EQ(variant.league, named_league(variant.name)) << variant.name;
    used.insert(variant.league);
  }
  EXPECT_EQ(used, leagues);
}

TEST(Leagues, HaveABaselineInEveryPartInWhichTheyHaveRows) {
  const Scene& scene = autoencoder();
  for (const Variant& variant : scene.variants) {
    const auto axes = where_applies(scene, variant, default_configuration(scene.axes));
    ASSERT_TRUE(axes) << variant.name;
    const Variant* baseline = baseline_at(scene, *axes, variant.name);
    ASSERT_NE(baseline, nullptr) << variant.name;
    EXPECT_EQ(baseline->league, variant.league) << variant.name << " and " << baseline->name;
    EXPECT_TRUE(applies(*baseline, *axes)) << baseline->name;
    EXPECT_FALSE(baseline->measured_once) << baseline->name;
  }
}

TEST(Leagues, OfARecordingAreComparedWithinThemselves) {
  const Session session = read_session(recorded_session("autoencoder"))->session;
  Baselines baselines(session);
  std::set<std::string> of_tf32;
  for (const Measurement* point : session.all_points()) {
    const Measurement* baseline = baseline_of(session, *point);
    EXPECT_EQ(baselines.of(*point), baseline) << "asked one by one or at once";
    if (baseline == nullptr) continue;
    EXPECT_EQ(named_league(baseline->variant), named_league(point->variant)) << point->variant;
    if (named_league(point->variant) == "tf32") of_tf32.insert(baseline->variant);
  }
  EXPECT_EQ(of_tf32, (std::set<std::string>{"cudnn_tf32", "step_cudnn_tf32"}));
}

TEST(Leagues, StandInTablesCsvAndComparisonsOfARecording) {
  const Session session = read_session(recorded_session("autoencoder"))->session;
  const auto rows = *parse_csv(wide_csv(session));
  const auto column = [&rows](const std::string& name) {
    return static_cast<std::size_t>(std::find(rows[0].begin(), rows[0].end(), name) -
                                    rows[0].begin());
  };
  const std::size_t variant = column("variant"), league = column("league");
  for (std::size_t i = 1; i < rows.size(); ++i)
    EXPECT_EQ(rows[i][league], named_league(rows[i][variant])) << rows[i][variant];
  std::string json;
  const ComparisonRules rules;
  write_comparison_json(*compare_sessions(session, session, rules), rules,
                        [&json](std::string_view part) { json += part; });
  for (const auto& point : nlohmann::json::parse(json)["points"])
    EXPECT_EQ(point["league"], named_league(point["variant"]));
  const std::string report = markdown_report(report_of(session));
  EXPECT_THAT(report, testing::HasSubstr("compared with its league's baseline"));
  EXPECT_THAT(report, testing::HasSubstr(", league bf16 |")) << "beside the name of its row";
}

}  // namespace
}  // namespace warpscope
