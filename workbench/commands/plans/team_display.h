// workbench/commands/plans/team_display.h: how far several devices have come, on the terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace warpscope {

// In place where standard error is a terminal, else a line once a minute.
class TeamDisplay {
 public:
  TeamDisplay();
  // The first line is about all, the others about one device each.
  void draw(const std::vector<std::string>& lines);
  // A sentence that stays.
  void say(const std::string& sentence);
  void clear();

 private:
  bool terminal_;
  std::size_t drawn_ = 0;  // lines
  std::chrono::steady_clock::time_point last_;
};

}  // namespace warpscope
