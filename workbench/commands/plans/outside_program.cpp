// workbench/commands/plans/outside_program.cpp: a program of the system, run to its end.
#include "workbench/commands/plans/outside_program.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

#include "scenes/host/clock.h"
#include "workbench/client/child_process.h"

namespace warpscope {
namespace {

// Takes what has come.
void take_in(int descriptor, std::string& text) {
  char buffer[4096];
  for (ssize_t count = 0; (count = ::read(descriptor, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(count));
}

}  // namespace

std::string OutsideRun::last_word() const {
  std::string text = err;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  text = text.substr(text.rfind('\n') + 1);
  for (const char* mark : {"error: ", "fatal: "}) {
    if (const std::size_t at = text.find(mark); at != std::string::npos)
      return text.substr(at + std::string(mark).size());
  }
  return text;
}

OutsideRun run_outside(const std::vector<std::string>& command, double limit_s) {
  OutsideRun run;
  ChildProcess child = start_child(command);
  if (child.process < 0) {
    run.not_found = child.error;
    return run;
  }
  ::close(child.to_child);
  const auto start = std::chrono::steady_clock::now();
  int status = 0;
  bool killed = false;
  while (::waitpid(child.process, &status, WNOHANG) == 0) {
    pollfd ends[] = {{child.from_child, POLLIN, 0}, {child.errors, POLLIN, 0}};
    constexpr int kWaitMs = 20;
    ::poll(ends, 2, kWaitMs);
    take_in(child.from_child, run.out);
    take_in(child.errors, run.err);
    if (seconds_since(start) > limit_s && !killed) {
      ::kill(child.process, SIGKILL);
      killed = true;
    }
  }
  take_in(child.from_child, run.out);
  take_in(child.errors, run.err);
  int code = 0;
  if (::read(child.start_failure, &code, sizeof code) == static_cast<ssize_t>(sizeof code))
    run.not_found = code;
  for (const int descriptor : {child.from_child, child.errors, child.start_failure})
    ::close(descriptor);
  if (WIFEXITED(status)) run.status = WEXITSTATUS(status);
  return run;
}

}  // namespace warpscope
