// workbench/client/end_signals.h: signals that ask the program to end: a sentence and a status, or
// noted instead of obeyed at once.
#pragma once

#include <array>
#include <csignal>
#include <string>

namespace warpscope {

// From now on SIGINT, SIGTERM and SIGHUP end the program with a sentence and status 3 while no
// EndSignals lives. A file that write_file was writing stays as it was. A signal that was ignored
// stays ignored. `program` begins the sentence.
void end_at_signals(const std::string& program);

// While one lives, SIGINT, SIGTERM and SIGHUP are counted; then they mean again what they meant
// before. A signal that was ignored (nohup) stays ignored. Within another one it counts on.
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

  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

 private:
  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace warpscope
