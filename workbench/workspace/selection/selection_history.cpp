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
  return {selection.scene,    selection.axes,     selection.variant,
          selection.baseline, selection.device,   selection.baseline_device,
          selection.pins,     selection.launches, selection.baselines};
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

template <typename Change>
void SelectionHistory::change_all(const Change& change) {
  change(seen_);
  for (Chosen& each : past_) change(each);
  for (Chosen& each : future_) change(each);
}

void SelectionHistory::choose_device(const std::string& device) {
  change_all([&device](Chosen& each) {
    each.device = device;
    each.baseline_device.clear();
  });
}

void SelectionHistory::choose_baselines(const NamedBaselines& baselines) {
  change_all([&baselines](Chosen& each) { each.baselines = baselines; });
}

}  // namespace warpscope
