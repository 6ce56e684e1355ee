// workbench/client/end_signals.cpp: signals that ask the program to end, noted instead of obeyed at
// once.
#include "workbench/client/end_signals.h"

namespace warpscope {
namespace {

// A handler reaches nothing else.
volatile sig_atomic_t signal_count = 0, last_signal = 0;
void on_signal(int number) {
  last_signal = number;
  signal_count = signal_count + 1;
}

}  // namespace

EndSignals::EndSignals() {
  signal_count = 0;
  last_signal = 0;
  struct sigaction action {};
  action.sa_handler = on_signal;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
  }
}

EndSignals::~EndSignals() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
}

int EndSignals::count() const { return signal_count; }
int EndSignals::last() const { return last_signal; }

const char* EndSignals::name() const {
  return last_signal == SIGTERM ? "SIGTERM" : last_signal == SIGHUP ? "SIGHUP" : "Ctrl-C";
}

}  // namespace warpscope
