// workbench/client/child_process.h: a program started with pipes, which ends when this one does.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace warpscope {

// The thread that starts it must live as long as it is needed: the kernel ends the child with that
// thread, whatever ended it. It does not so for a program that is set-user-ID or has capabilities
// of its own: that has the end of its input alone to go by.
struct ChildProcess {
  pid_t process = -1;                               // -1: not started, and `error` says why
  int error = 0;                                    // errno
  int to_child = -1, from_child = -1, errors = -1;  // its standard streams; they do not block
  int start_failure = -1;  // brings an errno where the program could not be run, else its end
};

ChildProcess start_child(std::vector<std::string> command);

}  // namespace warpscope
