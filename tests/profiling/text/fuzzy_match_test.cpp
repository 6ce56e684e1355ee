// tests/profiling/text/fuzzy_match_test.cpp: typed words find the names that they are parts of.
#include "profiling/text/fuzzy_match.h"

#include <gtest/gtest.h>

#include <string>

namespace warpscope {
namespace {

std::optional<int> score(std::string_view typed, std::string_view text,
                         std::string_view other = "") {
  const std::string_view texts[] = {text, other};
  return fuzzy_score(typed, texts);
}

TEST(FuzzyScore, FindsPartsInitialsAndLettersLeftOut) {
  for (const char* typed : {"warp map", "WARP", "map", "wm", "wrp", "map warp", "wmp", "arp", "  "})
    EXPECT_TRUE(score(typed, "Warp map")) << typed;
  EXPECT_TRUE(score("ocpncy", "Occupancy"));
  EXPECT_TRUE(score("dram read", "DRAM bytes read"));
  EXPECT_TRUE(score("long scoreboard", "stall: memory",
                    "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"));
}

TEST(FuzzyScore, FindsNothingElse) {
  for (const char* typed : {"x", "warps", "pam", "mw", "warp mop", "wx"})
    EXPECT_FALSE(score(typed, "Warp map")) << typed;
  EXPECT_FALSE(score("oclip", "Occupancy"));
  EXPECT_FALSE(score("pancy oc x", "Occupancy"));
}

TEST(FuzzyScore, RanksWholeWordsBeforeBeginningsBeforeMiddlesBeforeScatteredLetters) {
  // "a map" is a whole word, "maps of it" begins a text: both stand before a mere beginning.
  EXPECT_GT(score("map", "map"), score("map", "a map"));
  EXPECT_EQ(score("map", "map"), score("map", "map view"));
  EXPECT_EQ(score("map", "a map"), score("map", "maps of it"));
  EXPECT_GT(score("map", "maps of it"), score("map", "warp mapper"));
  EXPECT_GT(score("map", "warp mapper"), score("map", "unmapped"));
  EXPECT_GT(score("map", "unmapped"), score("map", "my own array plot"));
}

TEST(FuzzyScore, CountsTheFirstTextMost) {
  EXPECT_GT(score("source", "Source", ""), score("source", "6", "Source"));
  EXPECT_EQ(score("", "a"), score("  ", "b"));
}

}  // namespace
}  // namespace warpscope
