// tests/profiling/claims/claim_text_test.cpp: texts take the words that hold on the session at
// hand.
#include "profiling/claims/claim_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/profiling/claims/claim_session.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

constexpr const char* kText =
    "The stream is [[k_tiles.time.warm < float4_columns.time.warm => faster than | "
    "k_tiles.time.warm > float4_columns.time.warm => slower than | as fast as || another row "
    "beside]] the gather.";

TEST(ClaimText, TakesTheWordsOfTheFirstRelationThatHolds) {
  ClaimSession s;
  EXPECT_EQ(resolve(kText, {&s.scene()}), "The stream is another row beside the gather.");
  s.measure("k_tiles", 50e3);
  EXPECT_EQ(resolve(kText, s.context()), "The stream is another row beside the gather.");
  s.measure("float4_columns", 100e3);
  EXPECT_EQ(resolve(kText, s.context()), "The stream is faster than the gather.");
  s.measure("float4_columns", 20e3);
  EXPECT_EQ(resolve(kText, s.context()), "The stream is slower than the gather.");
  s.measure("float4_columns", 50e3);
  EXPECT_EQ(resolve(kText, s.context()), "The stream is as fast as the gather.");
}

TEST(ClaimText, LeavesOutWordsWithTheirSpaces) {
  ClaimSession s;
  const std::string text =
      "One. [[k_tiles.time.warm < 1 ms => Two.]] Three [[axis.n = 3 => or "
      "four]].";
  EXPECT_EQ(resolve(text, s.context()), "One. Three.");
  s.measure("k_tiles", 50e3);
  EXPECT_EQ(resolve(text, s.context()), "One. Two. Three.");
  EXPECT_EQ(resolve(text, {&s.scene()}), "One. Three.");
  // Words that continue a word get their space, a comma none.
  EXPECT_EQ(
      resolve("It takes {time.warm:k_tiles}[[k_tiles.time.warm < 1 ms => in all]].", s.context()),
      "It takes " + format_value(50e3, "ns") + " in all.");
  EXPECT_EQ(resolve("Two[[k_tiles.time.warm < 1 ms => , or three]].", s.context()),
            "Two, or three.");
}

TEST(ClaimText, FillsFiguresOfExpressions) {
  ClaimSession s;
  s.measure("k_tiles", 50e3);
  s.measure("float4_columns", 100e3);
  const auto of = [&](const char* text) { return resolve(text, s.context()); };
  EXPECT_EQ(of("{ratio:float4_columns/k_tiles} times"), "2.00 times");
  EXPECT_EQ(of("{ratio(float4_columns.time.warm, k_tiles.time.warm)} on {device}"),
            "2.00 on device GPU-a");
  EXPECT_EQ(of("{fastest(k_tiles, float4_columns)}: {best(k_tiles, float4_columns)}"),
            "K-tiled stream: " + format_value(50e3, "ns"));
  EXPECT_EQ(of("{device.l2_bytes}"), format_value(60 << 20, "B"));
  EXPECT_THAT(of("{roof.l2}"), HasSubstr("– (needs roofs"));
  EXPECT_THAT(of("{nobody.time.warm}"), HasSubstr("there is no variant “nobody”"));
  EXPECT_THAT(of("[[merge_path.time.warm < 1 ms => yes | no || not known: {why}]]"),
              HasSubstr("not known: needs time.warm of merge path, which is not measured there: "
                        "run `warpscope measure csrmm/merge_path`"));
}

TEST(ClaimText, RefusesWhatItCannotRead) {
  const Scene& scene = *built_in_catalogue().find("csrmm").value();
  for (const auto& [text, words] : std::vector<std::pair<std::string, std::string>>{
           {"[[k_tiles.time.warm < 1 ms => open", "has no ]]"},
           {"[[just words]]", "has no relation"},
           {"[[axis.n = 3 => a | b | c]]", "must be last"},
           {"[[axis.q = 3 => a]]", "there is no axis"},
           {"[[axis.n = 3 => {time.warn:k_tiles}]]", "time.warn"},
           {"{k_tiles.time}", "there is no figure"}}) {
    const Result<void> good = check_text(text, scene);
    ASSERT_FALSE(good) << text;
    EXPECT_THAT(sentence(good.error()), HasSubstr(words)) << text;
  }
  EXPECT_TRUE(check_text(kText, scene));
}

TEST(ClaimText, NamesTheFiguresOfAllItsWords) {
  ClaimSession s;
  EXPECT_EQ(figures_in("{time.cold:k_tiles} [[float4_columns.l1.bytes < 1 GB => {ratio:row_split/"
                       "k_tiles} | {merge_path.time.warm}]]",
                       s.scene(), s.axes()),
            (std::vector<QuotedFigure>{{"time.cold", "k_tiles"},
                                       {"l1.bytes", "float4_columns"},
                                       {"time.warm", "row_split"},
                                       {"time.warm", "k_tiles"},
                                       {"time.warm", "merge_path"}}));
}

TEST(ClaimText, NamesTheFiguresThatItsSettingsLeaveAtHand) {
  ClaimSession s;
  const std::int64_t here = with_defaults(s.scene().axes, s.axes()).integer("n");
  const auto quoted = [&](std::int64_t n) {
    return figures_in("{merge_path@n=" + std::to_string(n) + ".time.warm}", s.scene(), s.axes());
  };
  EXPECT_EQ(quoted(here), (std::vector<QuotedFigure>{{"time.warm", "merge_path"}}));
  EXPECT_EQ(quoted(2 * here), std::vector<QuotedFigure>{}) << "nobody measures it there";
}

}  // namespace
}  // namespace warpscope
