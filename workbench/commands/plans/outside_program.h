// workbench/commands/plans/outside_program.h: a program of the system, run to its end.
#pragma once

#include <string>
#include <vector>

namespace warpscope {

struct OutsideRun {
  int status = -1;    // its exit status; -1: a signal ended it, or it was not started
  int not_found = 0;  // errno, where it could not be started
  std::string out, err;
  // The last line of standard error, without the program's name: what a person should read.
  std::string last_word() const;
};
// `limit_s`: after which it is killed.
OutsideRun run_outside(const std::vector<std::string>& command, double limit_s = 60);

}  // namespace warpscope
