// workbench/lessons/window_pace.h: how often frames are drawn when there is no input.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "workbench/workspace/workspace.h"

namespace warpscope {

// For drawing without a window, as often as the window draws. Drawing shares the GPU with the
// measurements: on an H200 a pass of the counters began within 1.5 to 8 ms, and within 20 to 30 ms
// where a frame was drawn meanwhile.
class WindowPace {
 public:
  // Seconds since the previous frame if a frame is due now; at once if a step is settled and its
  // picture is taken.
  std::optional<double> due(const Workspace& workspace, bool settled) {
    constexpr double kMoveS = 1.0 / 60, kNewsS = 1.0 / 30, kIdleS = 0.1, kHeldS = 0.4;
    const auto now = std::chrono::steady_clock::now();
    const double pause = std::chrono::duration<double>(now - last_).count();
    const std::string key = workspace.view().key();
    const bool news = workspace.session().revision() != seen_ && pause >= kNewsS;
    const bool moved = key != key_ && pause >= kMoveS;
    if (!settled && !news && !moved && pause < kIdleS) return std::nullopt;
    if (!settled && !moved && pause < kHeldS && workspace.view().jobs.counts_first())
      return std::nullopt;
    last_ = now;
    seen_ = workspace.session().revision();
    key_ = key;
    return pause;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::uint64_t seen_ = 0;
  std::string key_;
};

}  // namespace warpscope
