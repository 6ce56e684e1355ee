// profiling/engine/process/message_output.cpp: whole lines to the workbench, whatever libraries
// print.
#include "profiling/engine/process/message_output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

namespace warpscope {

MessageOutput::MessageOutput() : descriptor_(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)) {
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
}

void MessageOutput::send(const Message& message) {
  const std::lock_guard lock(mutex_);
  write_locked(message);
}

void MessageOutput::send_after_hello(const Message& message) {
  const std::lock_guard lock(mutex_);
  if (greeted_) return write_locked(message);
  early_.push_back(message);
}

void MessageOutput::send_hello(const Hello& hello) {
  const std::lock_guard lock(mutex_);
  greeted_ = true;
  write_locked(hello);
  for (const Message& message : std::exchange(early_, {})) write_locked(message);
}

void MessageOutput::write_locked(const Message& message) const {
  const std::string line = to_line(message) + "\n";
  std::size_t written = 0;
  while (written < line.size()) {
    const ssize_t step = ::write(descriptor_, line.data() + written, line.size() - written);
    if (step < 0 && errno == EINTR) continue;
    if (step < 0 && errno == EPIPE) return;  // the workbench is gone; stdin ends as well
    if (step <= 0) {
      std::fprintf(stderr, "warpscope-engine: standard output cannot be written: %s\n",
                   std::strerror(step == 0 ? ENOSPC : errno));
      ::_exit(3);
    }
    written += static_cast<std::size_t>(step);
  }
}

}  // namespace warpscope
