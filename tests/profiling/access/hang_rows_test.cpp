// tests/profiling/access/hang_rows_test.cpp: the story of a hang as a table has each place and each
// group of warps once.
#include "profiling/access/hang_rows.h"

#include <gtest/gtest.h>

#include "tests/profiling/access/hanging_trace.h"

namespace warpscope {
namespace {

using namespace hanging;

// "block 0, warps 0–3: waits at 31 full[1] (0), never came at 24 empty[1] (1)"
std::string text_of(const HangTable& table, const HangRow& row) {
  std::string text = "block " + std::to_string(row.block);
  if (!row.warps.empty()) text += ", " + warps_text(row.warps);
  if (row.lanes != 0) text += ", lanes " + std::to_string(row.lanes);
  const char* between = ":";
  for (const HangCell& cell : row.cells) {
    const HangPlace& place = table.places.at(cell.place);
    text += std::string(between) + " " + to_text(cell.state) + " at " +
            std::to_string(place.position.line);
    if (!place.object.empty()) text += " " + place.object;
    text += " (" + std::to_string(cell.wait) + ")";
    between = ",";
  }
  return text;
}

std::vector<std::string> texts_of(const HangTable& table) {
  std::vector<std::string> list;
  for (const HangRow& row : table.rows) list.push_back(text_of(table, row));
  return list;
}

TEST(HangRows, AreGroupsOfWarpsUnderTheLinesWhereTheyAreAndShouldBe) {
  const HangTable table = hang_table(hanging_story());
  const std::vector<HangPlace> places = {{at(producer_waits_at), "empty[1]"},
                                         {at(consumers_wait_at), "full[1]"},
                                         {at(ended_at), ""},
                                         {at(barrier_at), "barrier 2"},
                                         {at(flag_read_at), "flag[3]"},
                                         {at(flag_set_at), ""}};
  EXPECT_EQ(table.places, places);
  const std::vector<std::string> rows = {
      "block 0, warps 0–3: waits at 31 full[1] (0), never came at 24 empty[1] (1)",
      "block 0, warp 4: waits at 24 empty[1] (1), never came at 31 full[1] (0)",
      "block 1, warps 0–1: waits at 40 barrier 2 (2)",
      "block 1, warps 2–3: ended at 38 (-1), never came at 40 barrier 2 (2)",
      "block 2, warp 0: waits at 52 flag[3] (3)",
      "block 3: never came at 60 (3)"};
  EXPECT_EQ(texts_of(table), rows);
}

// Two barriers that one line waits for are two columns, of one line in the order of their names.
TEST(HangRows, HaveAColumnForEachBarrierOfALine) {
  HangStory story;
  story.waits = {wait(WaitKind::mbarrier, 0, {1}, 9, "ring[1]", {}),
                 wait(WaitKind::mbarrier, 0, {0}, 9, "ring[0]", {})};
  const HangTable table = hang_table(story);
  const std::vector<HangPlace> places = {{at(9), "ring[0]"}, {at(9), "ring[1]"}};
  EXPECT_EQ(table.places, places);
  const std::vector<std::string> rows = {"block 0, warp 1: waits at 9 ring[1] (0)",
                                         "block 0, warp 0: waits at 9 ring[0] (1)"};
  EXPECT_EQ(texts_of(table), rows);
}

// Some lanes of a warp wait, the others never came: two rows of one warp. What is said twice of
// warps is one cell, and a flag that nobody is known to set is missed where it is read.
TEST(HangRows, TellLanesOfAWarpApartAndSayNothingTwice) {
  HangStory story;
  story.waits = {wait(WaitKind::lanes, 0, {5}, 7, "", {{0, {5}, 0xf0, false, at(8), -1}}),
                 wait(WaitKind::lanes, 0, {5}, 7, "", {{0, {5}, 0xf0, false, at(8), -1}}),
                 wait(WaitKind::flag, 1, {0}, 12, "flag[0]", {{2, {1}, 0, true, at(14), -1}})};
  const HangTable table = hang_table(story);
  const std::vector<std::string> rows = {
      "block 0, warp 5: waits at 7 (0)",
      "block 0, warp 5, lanes 240: waits at 8 (-1), never came at 7 (0)",
      "block 1, warp 0: waits at 12 flag[0] (2)",
      "block 2, warp 1: ended at 14 (-1), never came at 12 flag[0] (2)"};
  EXPECT_EQ(texts_of(table), rows);
}

TEST(HangRows, AreNoneWhereNothingWaits) {
  const HangTable table = hang_table({});
  EXPECT_TRUE(table.places.empty());
  EXPECT_TRUE(table.rows.empty());
}

}  // namespace
}  // namespace warpscope
