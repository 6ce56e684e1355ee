// workbench/client/end_signals.cpp: signals that ask the program to end: a sentence and a status,
// or noted instead of obeyed at once.
#include "workbench/client/end_signals.h"

#include <unistd.h>

#include <cstddef>

#include "scenes/host/program.h"
#include "scenes/host/result.h"
#include "scenes/host/write_file.h"

namespace warpscope {
namespace {

// A handler reaches nothing else.
volatile sig_atomic_t signal_count = 0, last_signal = 0;
int living = 0;  // of EndSignals
void on_signal(int number) {
  last_signal = number;
  signal_count = signal_count + 1;
}

const char* name_of(int number) {
  return number == SIGTERM ? "SIGTERM" : number == SIGHUP ? "SIGHUP" : "Ctrl-C";
}

// What is said at each signal, made before it comes: a handler may not reserve memory.
struct LastWords {
  int number = 0;
  char text[256] = {};
  std::size_t size = 0;
};
std::array<LastWords, EndSignals::kSignals.size()> last_words;
pid_t program_process = 0;
const int kCancelledStatus = exit_status(ErrorKind::resource);

void end_at_once(int number) {
  // A process that was forked and is not yet another program says and removes nothing.
  if (::getpid() == program_process) {
    remove_unfinished_files();
    for (const LastWords& words : last_words) {
      if (words.number != number) continue;
      [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, words.text, words.size);
    }
  }
  ::_exit(kCancelledStatus);
}

}  // namespace

void end_at_signals(const std::string& program) {
  program_process = ::getpid();
  struct sigaction action {};
  action.sa_handler = end_at_once;
  for (std::size_t i = 0; i < last_words.size(); ++i) {
    LastWords& words = last_words[i];
    words.number = EndSignals::kSignals[i];
    const std::string text =
        (::isatty(STDERR_FILENO) != 0 ? std::string(kBeginLineAnew) : std::string()) + program +
        ": " + name_of(words.number) +
        ": cancelled: every file is finished or as it was before; run the command again\n";
    words.size = text.copy(words.text, sizeof words.text);
    struct sigaction before {};
    ::sigaction(words.number, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaction(words.number, &action, nullptr);
  }
}

EndSignals::EndSignals() {
  if (living++ == 0) {
    signal_count = 0;
    last_signal = 0;
  }
  struct sigaction action {};
  action.sa_handler = on_signal;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
  }
}

EndSignals::~EndSignals() {
  --living;
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
}

int EndSignals::count() const { return signal_count; }
int EndSignals::last() const { return last_signal; }

const char* EndSignals::name() const { return name_of(last_signal); }

}  // namespace warpscope
