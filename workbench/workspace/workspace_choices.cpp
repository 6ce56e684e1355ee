// workbench/workspace/workspace_choices.cpp: choices that come back: undo, redo, scenes as they
// were left.
#include <algorithm>
#include <utility>

#include "workbench/workspace/workspace.h"

namespace warpscope {

void Workspace::come_back() {
  const auto left = selection.left_at.find(scene_);
  if (left == selection.left_at.end()) return;
  const auto& [axes, variant, baseline] = left->second;
  selection.axes = axes;
  selection.variant = variant;
  selection.baseline = baseline;
  fit_selection();
}

Result<void> Workspace::begin_at(const std::string& scene) {
  if (Result<void> turned = choose_scene(scene); !turned) return turned;
  come_back();
  seen_ = chosen();
  if (!recorded_) selection.requests.push_back({Request::Kind::measure, ""});
  return {};
}

std::string Workspace::opened_by_hand() const {
  if (opened_.size() != 1) return "";
  const auto own = recorded_sessions();
  std::error_code ignored;
  const bool shipped = std::any_of(own.begin(), own.end(), [&](const auto& path) {
    return std::filesystem::equivalent(path, opened_.front(), ignored);
  });
  return shipped ? "" : std::filesystem::absolute(opened_.front(), ignored).string();
}

void Workspace::return_to(const Change& change) {
  const Result<const Scene*> scene = catalogue_->find(change.scene);
  if (scene && change.scene != scene_) turn_to(**scene);
  selection.axes = change.axes;
  selection.variant = change.variant;
  selection.baseline = change.baseline;
  selection.device = change.device;
  selection.baseline_device = change.baseline_device;
  selection.pins = change.pins;
  follow_selection();
}

void Workspace::undo() {
  if (past_.empty()) return;
  future_.push_back(chosen());
  const Change change = past_.back();
  past_.pop_back();
  const std::deque<Change> past = past_, future = future_;
  return_to(change);
  past_ = past;
  future_ = future;
}

void Workspace::redo() {
  if (future_.empty()) return;
  const Change change = future_.back();
  std::deque<Change> future = future_;
  future.pop_back();
  return_to(change);
  future_ = std::move(future);
}

}  // namespace warpscope
