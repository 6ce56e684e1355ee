// tests/workbench/workspace/selection_history_test.cpp: undo and redo lead through what was chosen.
#include "workbench/workspace/selection/selection_history.h"

#include <gtest/gtest.h>

#include <string>

namespace warpscope {
namespace {

using Cause = SelectionHistory::Cause;

Chosen at(const std::string& variant) {
  Chosen chosen;
  chosen.scene = "csrmm";
  chosen.variant = variant;
  return chosen;
}

SelectionHistory begun() {
  SelectionHistory history;
  history.begin(at("a"));
  return history;
}

void undo(SelectionHistory& history) {
  const auto change = history.undo(history.seen());
  ASSERT_TRUE(change);
  history.see(*change, false, Cause::undo);
}

void redo(SelectionHistory& history) {
  const auto change = history.redo();
  ASSERT_TRUE(change);
  history.see(*change, false, Cause::redo);
}

TEST(SelectionHistory, SeesAChangeOnceAndWhatStaysNever) {
  SelectionHistory history = begun();
  EXPECT_FALSE(history.see(at("a"), false));
  EXPECT_TRUE(history.see(at("b"), false));
  EXPECT_FALSE(history.see(at("b"), false));
  EXPECT_EQ(history.seen(), at("b"));
}

TEST(SelectionHistory, HasNothingToUndoOrRedoWhereNothingWasChosen) {
  SelectionHistory history = begun();
  EXPECT_FALSE(history.undo(at("a")));
  EXPECT_FALSE(history.redo());
}

TEST(SelectionHistory, UndoLeadsBackAndRedoForwardThroughTheSameChanges) {
  SelectionHistory history = begun();
  for (const char* variant : {"b", "c"}) history.see(at(variant), false);
  undo(history);
  EXPECT_EQ(history.seen(), at("b"));
  undo(history);
  EXPECT_EQ(history.seen(), at("a"));
  EXPECT_FALSE(history.undo(at("a")));
  redo(history);
  EXPECT_EQ(history.seen(), at("b"));
  redo(history);
  EXPECT_EQ(history.seen(), at("c"));
  EXPECT_FALSE(history.redo());
  undo(history);
  EXPECT_EQ(history.seen(), at("b"));
}

TEST(SelectionHistory, AChangeOfAPersonEndsWhatRedoCouldBringBack) {
  SelectionHistory history = begun();
  history.see(at("b"), false);
  undo(history);
  history.see(at("c"), false);
  EXPECT_FALSE(history.redo());
  undo(history);
  EXPECT_EQ(history.seen(), at("a"));
}

TEST(SelectionHistory, AllChangesOfOneDragAreUndoneTogether) {
  SelectionHistory history = begun();
  history.see(at("b"), false);
  for (const char* variant : {"c", "d", "e"}) history.see(at(variant), true);
  history.see(at("e"), false);  // let go of
  history.see(at("f"), true);   // another drag
  undo(history);
  EXPECT_EQ(history.seen(), at("e"));
  undo(history);
  EXPECT_EQ(history.seen(), at("b"));
}

TEST(SelectionHistory, ABeginningIsNoChange) {
  SelectionHistory history = begun();
  history.begin(at("b"));
  EXPECT_FALSE(history.undo(at("b")));
}

TEST(SelectionHistory, KeepsTheNewestChangesUpToItsLimit) {
  SelectionHistory history = begun();
  for (std::size_t i = 0; i < SelectionHistory::kMost + 5; ++i)
    history.see(at(std::to_string(i)), false);
  std::size_t undone = 0;
  while (const auto change = history.undo(history.seen())) {
    history.see(*change, false, Cause::undo);
    ++undone;
  }
  EXPECT_EQ(undone, SelectionHistory::kMost);
  EXPECT_EQ(history.seen(), at("4"));
}

TEST(SelectionHistory, ForgetsTheDevicesOfASessionThatIsNotOpenAnyMore) {
  SelectionHistory history;
  Chosen first = at("a"), second = at("b");
  first.device = second.device = "GPU-old";
  first.baseline_device = "GPU-older";
  history.begin(first);
  history.see(second, false);
  history.choose_device("GPU-new");
  EXPECT_EQ(history.seen().device, "GPU-new");
  const auto change = history.undo(history.seen());
  ASSERT_TRUE(change);
  EXPECT_EQ(change->device, "GPU-new");
  EXPECT_EQ(change->baseline_device, "");
}

}  // namespace
}  // namespace warpscope
