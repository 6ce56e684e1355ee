// workbench/client/child_process.cpp: a program started with pipes, which ends when this one does.
#include "workbench/client/child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace warpscope {
namespace {

constexpr int kNoSuchCommand = 127;  // a shell's

void set_nonblocking(int descriptor) {
  ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK);
}

}  // namespace

ChildProcess start_child(std::vector<std::string> command) {
  int pipes[4][2] = {{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
  auto& [in, out, err, failed] = pipes;
  bool good = true;
  for (auto& pipe : pipes) good = good && ::pipe2(pipe, O_CLOEXEC) == 0;
  std::vector<char*> arguments;
  arguments.reserve(command.size());
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ChildProcess child;
  const pid_t parent = ::getpid();
  child.process = good ? ::fork() : -1;
  if (child.process == 0) {
    ::dup2(in[0], STDIN_FILENO);
    ::dup2(out[1], STDOUT_FILENO);
    ::dup2(err[1], STDERR_FILENO);
    // Ctrl-C goes to the whole group: the workbench cancels, the engine must live to answer.
    ::signal(SIGINT, SIG_IGN);
    // No signal that a program could ignore or be slow to take. The parent may have ended before.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(kNoSuchCommand);
    ::execvp(arguments[0], arguments.data());
    const int code = errno;
    [[maybe_unused]] const ssize_t written = ::write(failed[1], &code, sizeof code);
    ::_exit(kNoSuchCommand);
  }
  if (child.process < 0) {
    child.error = errno;
    for (auto& pipe : pipes) {
      for (const int descriptor : pipe) {
        if (descriptor >= 0) ::close(descriptor);
      }
    }
    return child;
  }
  for (const int descriptor : {in[0], out[1], err[1], failed[1]}) ::close(descriptor);
  child.to_child = in[1];
  child.from_child = out[0];
  child.errors = err[0];
  child.start_failure = failed[0];
  for (const int descriptor : {child.to_child, child.from_child, child.errors, child.start_failure})
    set_nonblocking(descriptor);
  return child;
}

}  // namespace warpscope
