// tests/fuzz/budget.h: what work on one input takes: memory and processor time of a process of its
// own.
#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>

// scenes/folder/README.md, Files that Warpscope opens: no input of at most 2 MB makes a process
// take more than 1 GB or 5 s.
//
//   expect_within_budget("a line of zeros", [&] { read_session(path); });

namespace warpscope {

inline constexpr std::int64_t most_input_bytes = 2'000'000;

struct Spent {
  bool ended_well = false;
  double processor_s = 0;
  std::int64_t peak_bytes = 0;
};

// Runs `work` in a child process. An exception that leaves it ends the child badly.
inline Spent spent_by(const std::function<void()>& work) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      work();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "thrown: %s\n", error.what());
      ::_exit(1);
    }
    ::_exit(0);
  }
  int status = 0;
  rusage used{};
  while (::wait4(child, &status, 0, &used) < 0 && errno == EINTR) {
  }
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return {WIFEXITED(status) && WEXITSTATUS(status) == 0,
          seconds(used.ru_utime) + seconds(used.ru_stime), std::int64_t{1024} * used.ru_maxrss};
}

// Sanitizers take several times the memory and time: under them it is seen that nothing breaks.
// The 5 s are those of a release build; at -O1, as ./check compiles, the same work takes twice as
// long, and what grows with the square of a text takes minutes.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr double most_processor_s = 120;
inline constexpr std::int64_t most_peak_bytes = 1LL << 40;
#else
inline constexpr double most_processor_s = 10;
inline constexpr std::int64_t most_peak_bytes = 1'000'000'000;
#endif

inline void expect_within_budget(const std::string& what, const std::function<void()>& work) {
  SCOPED_TRACE(what);
  const Spent spent = spent_by(work);
  EXPECT_TRUE(spent.ended_well);
  EXPECT_LT(spent.processor_s, most_processor_s);
  EXPECT_LT(spent.peak_bytes, most_peak_bytes);
  std::printf("%6.2f s %7.1f MB  %s\n", spent.processor_s,
              static_cast<double>(spent.peak_bytes) / 1e6, what.c_str());
}

}  // namespace warpscope
