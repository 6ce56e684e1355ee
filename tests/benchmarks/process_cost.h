// tests/benchmarks/process_cost.h: what a command costs: time and memory of a process of its own.
#pragma once

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <vector>

namespace warpscope {

// Seconds on the clock and on the processors, and the most memory that the process had at a time.
struct ProcessCost {
  double seconds = 0, processor_seconds = 0, megabytes = 0;
  int status = 0;
};

inline double seconds_of(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}

inline ProcessCost cost_of(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  if (child == 0) {
    const int nowhere = ::open("/dev/null", O_WRONLY);
    ::dup2(nowhere, STDOUT_FILENO);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  rusage usage{};
  int status = 0;
  ::wait4(child, &status, 0, &usage);
  constexpr double kKilobytes = 1024.0 / 1e6;
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime),
          static_cast<double>(usage.ru_maxrss) * kKilobytes,
          WIFEXITED(status) ? WEXITSTATUS(status) : 128};
}

}  // namespace warpscope
