// workbench/commands/captures/live_commands.cpp: launches taken while a program runs, as lines of
// standard input say.
#include "workbench/commands/captures/live_commands.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "scenes/host/program.h"
#include "workbench/client/end_signals.h"
#include "workbench/commands/captures/launch_table.h"
#include "workbench/commands/commands.h"

namespace warpscope {
namespace {

constexpr const char* kHelp =
    "list              the kernels so far, numbered\n"
    "next [RE]         capture the next launch, of a kernel whose name matches\n"
    "take N            capture the next launch of kernel N of the list\n"
    "slowest           capture the next launch like the longest one so far\n"
    "cancel            stop waiting for a launch\n"
    "end               end the program\n";

void tell(const std::string& words) {
  std::fprintf(stderr, "warpscope: %s\n", visible(words).c_str());
}

// Lines of standard input as they come.
class Lines {
 public:
  // False: the input has ended, and all of it was read.
  bool read(std::string& line) {
    while (true) {
      if (const std::size_t at = pending_.find('\n'); at != std::string::npos) {
        line = pending_.substr(0, at);
        pending_.erase(0, at + 1);
        return true;
      }
      pollfd ready{STDIN_FILENO, POLLIN, 0};
      if (ended_ || ::poll(&ready, 1, 0) <= 0) return false;
      char bytes[4096];
      const ssize_t count = ::read(STDIN_FILENO, bytes, sizeof bytes);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) ended_ = true;
      if (count > 0) pending_.append(bytes, static_cast<std::size_t>(count));
    }
  }

 private:
  std::string pending_;
  bool ended_ = false;
};

class LiveCommands {
 public:
  explicit LiveCommands(LiveCapture& live) : live_(live) {}

  void obey(const std::string& line) {
    const std::size_t space = line.find(' ');
    const std::string word = line.substr(0, space);
    const std::string rest = space == std::string::npos ? "" : line.substr(space + 1);
    if (word.empty()) return;
    Result<void> done;
    if (word == "list") {
      list();
    } else if (word == "next") {
      done = live_.take_next(rest);
    } else if (word == "slowest") {
      done = live_.take_slowest();
    } else if (word == "take") {
      done = take(rest);
    } else if (word == "cancel") {
      live_.cancel();
    } else if (word == "end") {
      live_.end_program();
    } else {
      std::fputs(kHelp, stderr);
    }
    if (!done) return tell(sentence(done.error()));
    if (live_.waiting() && live_.waiting()->id != told_request_) {
      told_request_ = live_.waiting()->id;
      asked_ = true;
      tell("waiting for " + live_.waiting()->words);
    }
  }

  // What has happened since the last call.
  void report() {
    for (; told_kept_ < live_.kept().size(); ++told_kept_) {
      const KeptCapture& kept = live_.kept()[told_kept_];
      tell(kept.path + ": " + kept.words);
      for (const std::string& note : kept.notes) tell("  note: " + note);
    }
    for (; told_messages_ < live_.messages().size(); ++told_messages_)
      tell(live_.messages()[told_messages_]);
  }

  bool asked() const { return asked_; }

 private:
  void list() {
    listed_ = live_.seen().kernels();
    std::fprintf(stderr, "%s", launches_text(live_.seen(), true).c_str());
    tell("the program " + live_.status());
  }
  Result<void> take(const std::string& number) {
    if (listed_.empty()) listed_ = live_.seen().kernels();
    const long long chosen = std::atoll(number.c_str());
    if (chosen >= 1 && chosen <= static_cast<long long>(listed_.size()))
      return live_.take_like(listed_[static_cast<std::size_t>(chosen - 1)].symbol, std::nullopt);
    return failure(ErrorKind::usage, "the list has no kernel of this number: “" + number + "”", "",
                   "write a number from 1 to " + std::to_string(listed_.size()));
  }

  LiveCapture& live_;
  std::vector<SeenLaunches::Kernel> listed_;  // as the person last saw it
  std::size_t told_kept_ = 0, told_messages_ = 0;
  std::int64_t told_request_ = 0;
  bool asked_ = false;
};

}  // namespace

int capture_live(LiveRequest request) {
  request.settings.times = true;
  Result<std::unique_ptr<LiveCapture>> live = LiveCapture::start(std::move(request));
  if (!live) return fail(live.error());
  const EndSignals signals;
  LiveCommands commands(**live);
  Lines lines;
  int seen = 0;
  constexpr int kWaitMs = 50;
  if (::isatty(STDIN_FILENO) == 1) std::fputs(kHelp, stderr);
  while ((*live)->runs()) {
    (*live)->update(kWaitMs);
    for (std::string line; lines.read(line);) commands.obey(line);
    commands.report();
    // The terminal has sent Ctrl-C to the program as well.
    if (const int count = signals.count(); count > seen) {
      if (count > 1 || ::isatty(STDIN_FILENO) != 1) (*live)->end_program();
      seen = count;
    }
  }
  commands.report();
  tell("the program " + (*live)->status());
  return commands.asked() && (*live)->kept().empty() ? 1 : 0;
}

}  // namespace warpscope
