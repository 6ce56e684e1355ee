// tests/profiling/listings/line_diff_test.cpp: two texts beside each other, line by line.
#include "profiling/listings/line_diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace warpscope {
namespace {

using testing::ElementsAre;
using Lines = std::vector<std::string>;

TEST(LineDiff, NamesTheLinesOfBothTexts) {
  EXPECT_THAT(line_diff({"a", "b", "c"}, {"a", "x", "c", "d"}),
              ElementsAre(DiffRow{1, 1, "a"}, DiffRow{2, 0, "b"}, DiffRow{0, 2, "x"},
                          DiffRow{3, 3, "c"}, DiffRow{0, 4, "d"}));
  EXPECT_THAT(line_diff({}, {"a"}), ElementsAre(DiffRow{0, 1, "a"}));
  EXPECT_THAT(line_diff({"a"}, {}), ElementsAre(DiffRow{1, 0, "a"}));
  EXPECT_TRUE(line_diff({}, {}).empty());
}

TEST(LineDiff, PutsWhatWentBeforeWhatCame) {
  EXPECT_THAT(changes_of(line_diff({"a", "b", "c", "d"}, {"a", "x", "y", "d", "e"})),
              ElementsAre(1U, 6U));
  const auto rows = line_diff({"b", "c"}, {"x", "y"});
  EXPECT_THAT(rows, ElementsAre(DiffRow{1, 0, "b"}, DiffRow{2, 0, "c"}, DiffRow{0, 1, "x"},
                                DiffRow{0, 2, "y"}));
}

TEST(LineDiff, HidesWhatIsFarFromEveryDifference) {
  Lines left(12, "same"), right(12, "same");
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = right[i] = std::to_string(i);
  right[5] = "other";
  const auto rows = line_diff(left, right);
  EXPECT_THAT(stretches_of(rows, 2), ElementsAre(DiffStretch{0, 3, true}, DiffStretch{3, 6, false},
                                                 DiffStretch{9, 4, true}));
  EXPECT_THAT(stretches_of(rows, 4),
              ElementsAre(DiffStretch{0, 11, false}, DiffStretch{11, 2, true}))
      << "one row alone is not hidden";
  EXPECT_THAT(stretches_of(line_diff(left, left), 2), ElementsAre(DiffStretch{0, 12, true}));
  EXPECT_TRUE(stretches_of({}, 2).empty());
}

// The rows of one side, in order, are that text; nothing is lost or made up.
TEST(LineDiff, KeepsEveryLineOfBothTexts) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    Lines left, right;
    for (std::uint32_t i = random() % 12; i > 0; --i)
      left.emplace_back(1, static_cast<char>('a' + random() % 4));
    for (std::uint32_t i = random() % 12; i > 0; --i)
      right.emplace_back(1, static_cast<char>('a' + random() % 4));
    Lines of_left, of_right;
    for (const DiffRow& row : line_diff(left, right)) {
      if (row.left > 0) {
        of_left.push_back(row.text);
        EXPECT_EQ(row.left, static_cast<int>(of_left.size()));
      }
      if (row.right > 0) {
        of_right.push_back(row.text);
        EXPECT_EQ(row.right, static_cast<int>(of_right.size()));
      }
    }
    EXPECT_EQ(of_left, left);
    EXPECT_EQ(of_right, right);
  }
}

}  // namespace
}  // namespace warpscope
