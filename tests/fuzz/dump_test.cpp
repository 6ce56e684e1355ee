// tests/fuzz/dump_test.cpp: no sizes of a dump, however broken, get past their check half-right.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "scenes/deform/inputs/dump_files.h"
#include "tests/fuzz/mutation.h"

namespace warpscope {
namespace {

std::string bytes_of(const std::vector<std::int64_t>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(std::int64_t)};
}

// The rows of an image, then a height, a width and a start for each level.
TEST(Fuzz, SizesOfADumpGiveLevelsThatFollowEachOtherOrASentence) {
  const std::vector<std::string> seeds = {
      bytes_of({88, 6, 9, 0}), bytes_of({123, 6, 9, 0, 3, 5, 88}),
      bytes_of({69, 6, 9, 0, 3, 5, 54}),
      bytes_of({20522, 92, 160, 0, 46, 80, 15228, 23, 40, 19164, 12, 20, 20214})};
  const std::vector<std::string> words = {bytes_of({-1}), bytes_of({1LL << 62}),
                                          bytes_of({0}),  bytes_of({6, 9}),
                                          bytes_of({88}), std::string(1, '\xff')};
  std::int64_t read = 0, refused = 0;
  for_mutations(seeds, words, [&](const std::string& text) {
    std::vector<std::int64_t> numbers(text.size() / sizeof(std::int64_t));
    if (numbers.empty()) return;
    std::memcpy(numbers.data(), text.data(), numbers.size() * sizeof(std::int64_t));
    std::vector<std::int64_t> shapes, starts;
    for (std::size_t i = 1; i < numbers.size(); ++i)
      (i % 3 == 0 ? starts : shapes).push_back(numbers[i]);
    const auto levels = deform::levels_of_dump(shapes, starts, numbers[0]);
    if (!levels) {
      ++refused;
      EXPECT_FALSE(levels.error().what.empty() || levels.error().remedy.empty());
      EXPECT_EQ(levels.error().kind, ErrorKind::input);
      return;
    }
    ++read;
    std::int64_t rows = 0, bare = 0;
    for (const deform::Level& level : *levels) {
      ASSERT_EQ(level.first_row, rows);
      ASSERT_TRUE(level.height >= 1 && level.width >= 1);
      rows += level.rows();
      bare += level.height * level.width;
    }
    ASSERT_TRUE(rows == numbers[0] || bare == numbers[0]);
  });
  EXPECT_GT(read, 2);
  EXPECT_GT(refused, read);
}

}  // namespace
}  // namespace warpscope
