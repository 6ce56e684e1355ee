// workbench/workspace/session/window_log.h: what the workspace has to say to the person.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "profiling/messages/protocol.h"

namespace warpscope {

// The window shows notices for some seconds and then clears them. Log lines stay, whichever session
// is opened.
class WindowLog {
 public:
  void notify(std::string text) { notices_.push_back(std::move(text)); }
  const std::vector<std::string>& notices() const { return notices_; }
  void clear_notices() { notices_.clear(); }
  void add(LogLine line) { lines_.push_back(std::move(line)); }
  const std::vector<LogLine>& lines() const { return lines_; }

 private:
  std::vector<std::string> notices_;
  std::vector<LogLine> lines_;
};

}  // namespace warpscope
