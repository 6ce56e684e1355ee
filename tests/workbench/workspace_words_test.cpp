// tests/workbench/workspace_words_test.cpp: texts are held to today's sources.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/recorded_session.h"
#include "tests/workbench/sample_session.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

// What an engine says of its libraries reached the heading of a panel and no claim.
TEST(WorkspaceWords, KnowTheVersionsOfTheEnginesLibraries) {
  const auto recording = read_session(recorded_session("csrmm"));
  ASSERT_TRUE(recording);
  const auto points = recording->session.points("csrmm", "cusparse_alg3");
  const auto sourced = std::find_if(points.begin(), points.end(), [](const Measurement* point) {
    return !point->conditions.code_id.empty() && point->warm;
  });
  ASSERT_NE(sourced, points.end());
  const std::string text = "[[cusparse_alg3.time.warm > 0 ns => measured | never || {why}]]";
  const auto without = sample::recorded({**sourced});
  without->selection.axes = (*sourced)->axes;
  EXPECT_EQ(without->words(text), "measured") << "nobody says which version is here";
  const auto workspace = sample::measuring("libraries");
  workspace->update();
  ASSERT_TRUE(workspace->open(recorded_session("csrmm")));
  workspace->selection.axes = (*sourced)->axes;
  EXPECT_THAT(workspace->words(text), HasSubstr("measured with an earlier source"));
  EXPECT_THAT(workspace->state("cusparse_alg3").apart, HasSubstr("earlier source"));
}

}  // namespace
}  // namespace warpscope
