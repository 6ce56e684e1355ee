// workbench/client/end_signals.h: signals that ask the program to end, noted instead of obeyed at
// once.
#pragma once

#include <array>
#include <csignal>

namespace warpscope {

// While one lives, SIGINT, SIGTERM and SIGHUP are counted; then they mean again what they meant
// before. A signal that was ignored (nohup) stays ignored. Not more than one at a time.
class EndSignals {
 public:
  EndSignals();
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;
  ~EndSignals();

  int count() const;
  int last() const;  // its number; 0: none came
  // "Ctrl-C", "SIGTERM", "SIGHUP": the last one.
  const char* name() const;

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace warpscope
