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

// As texts joined with "/" both keys would read "a/b/c".
struct PlaceKey {
  std::string variant, key;
  bool operator==(const PlaceKey&) const = default;
};

TEST(Memo, TellsKeysApartWhosePartsReadTheSameWhenJoined) {
  Memo<PlaceKey, int> memo;
  int made = 0;
  const auto count = [&made] { return ++made; };
  EXPECT_EQ(memo.of(PlaceKey{"a/b", "c"}, count), 1);
  EXPECT_EQ(memo.of(PlaceKey{"a", "b/c"}, count), 2);
  EXPECT_EQ(memo.of(PlaceKey{"a", "b/c"}, count), 2);
}

TEST(LastKey, ChangesOnceForEachOtherKey) {
  LastKey<PlaceKey> shown;
  EXPECT_FALSE(shown.last());
  // The first key is another one, even if it is empty.
  EXPECT_TRUE(shown.changes_to({"", ""}));
  EXPECT_FALSE(shown.changes_to({"", ""}));
  EXPECT_TRUE(shown.changes_to({"a/b", "c"}));
  EXPECT_TRUE(shown.changes_to({"a", "b/c"}));
  EXPECT_FALSE(shown.changes_to({"a", "b/c"}));
  EXPECT_EQ(shown.last()->variant, "a");
  shown.forget();
  EXPECT_FALSE(shown.last());
  EXPECT_TRUE(shown.changes_to({"a", "b/c"}));
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
