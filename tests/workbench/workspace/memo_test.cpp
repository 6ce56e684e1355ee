// tests/workbench/workspace/memo_test.cpp: an answer is kept while its key is the same.
#include "workbench/workspace/selection/memo.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

namespace warpscope {
namespace {

TEST(Memo, MakesAnAnswerAgainOnlyForAnotherKey) {
  Memo<std::tuple<int, std::string>, std::string> memo;
  int made = 0;
  const auto ask = [&](int revision, const std::string& scene) {
    return memo.of(std::tie(revision, scene), [&] {
      ++made;
      return scene + std::to_string(revision);
    });
  };
  EXPECT_EQ(ask(1, "csrmm"), "csrmm1");
  EXPECT_EQ(ask(1, "csrmm"), "csrmm1");
  EXPECT_EQ(made, 1);
  EXPECT_EQ(ask(2, "csrmm"), "csrmm2");
  EXPECT_EQ(ask(2, "esmm"), "esmm2");
  EXPECT_EQ(made, 3);
  // Only the last answer is kept.
  EXPECT_EQ(ask(1, "csrmm"), "csrmm1");
  EXPECT_EQ(made, 4);
}

TEST(Memo, KeepsWhatTheCallerWritesIntoTheAnswer) {
  Memo<int, std::string> memo;
  const auto empty = [] { return std::string(); };
  memo.of(1, empty) = "written";
  EXPECT_EQ(memo.of(1, empty), "written");
  EXPECT_EQ(memo.of(2, empty), "");
}

TEST(Memo, ForgetsOnRequest) {
  Memo<int, int> memo;
  int made = 0;
  const auto count = [&made] { return ++made; };
  EXPECT_EQ(memo.of(7, count), 1);
  memo.forget();
  EXPECT_EQ(memo.of(7, count), 2);
}

}  // namespace
}  // namespace warpscope
