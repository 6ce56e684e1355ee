// workbench/workspace/selection/selection_history.cpp: what was chosen before, for undo and redo.
#include "workbench/workspace/selection/selection_history.h"

#include <utility>

namespace warpscope {
namespace {

std::optional<Chosen> take_last(std::deque<Chosen>& from) {
  if (from.empty()) return std::nullopt;
  std::optional<Chosen> last(std::move(from.back()));
  from.pop_back();
  return last;
}

}  // namespace

Chosen chosen(const Selection& selection) {
  return {selection.scene,    selection.axes,    selection.variant,
          selection.baseline, selection.device,  selection.baseline_device,
          selection.pins,     selection.launches};
}

bool SelectionHistory::see(const Chosen& now, bool held, Cause cause) {
  if (!held) held_ = false;
  if (now == seen_) return false;
  Chosen before = std::exchange(seen_, now);
  const bool dragged_on = held_ && held && !past_.empty();
  held_ = held;
  // Undo has taken its change from the past already.
  if (cause == Cause::undo) return true;
  if (!dragged_on) past_.push_back(std::move(before));
  if (past_.size() > kMost) past_.pop_front();
  if (cause == Cause::person) future_.clear();
  return true;
}

std::optional<Chosen> SelectionHistory::undo(const Chosen& now) {
  if (past_.empty()) return std::nullopt;
  future_.push_back(now);
  return take_last(past_);
}

std::optional<Chosen> SelectionHistory::redo() { return take_last(future_); }

void SelectionHistory::choose_device(const std::string& device) {
  const auto choose = [&device](Chosen& change) {
    change.device = device;
    change.baseline_device.clear();
  };
  choose(seen_);
  for (Chosen& change : past_) choose(change);
  for (Chosen& change : future_) choose(change);
}

}  // namespace warpscope
