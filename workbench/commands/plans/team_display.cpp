// workbench/commands/plans/team_display.cpp: how far several devices have come, on the terminal.
#include "workbench/commands/plans/team_display.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "scenes/host/clock.h"
#include "scenes/host/program.h"

namespace warpscope {
namespace {

std::size_t columns() {
  winsize size{};
  constexpr std::size_t kUsual = 80;
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

// The beginning of a line of UTF-8 that fits into so many columns.
std::string fitting(const std::string& line, std::size_t most) {
  std::size_t seen = 0, end = 0;
  while (end < line.size()) {
    const bool begins = (static_cast<unsigned char>(line[end]) & 0xC0) != 0x80;
    if (begins && seen++ == most) break;
    ++end;
  }
  return line.substr(0, end);
}

}  // namespace

TeamDisplay::TeamDisplay()
    : terminal_(::isatty(STDERR_FILENO) != 0), last_(std::chrono::steady_clock::now()) {}

void TeamDisplay::draw(const std::vector<std::string>& lines) {
  constexpr double kInPlaceEveryS = 0.2, kLineEveryS = 60;
  if (seconds_since(last_) < (terminal_ ? kInPlaceEveryS : kLineEveryS) || lines.empty()) return;
  last_ = std::chrono::steady_clock::now();
  if (!terminal_) {
    std::fprintf(stderr, "warpscope: %s\n", lines.front().c_str());
    return;
  }
  clear();
  const std::size_t width = columns();
  for (const std::string& line : lines)
    write_all(STDERR_FILENO, fitting(visible_name(line), width - 1) + "\n");
  drawn_ = lines.size();
}

void TeamDisplay::say(const std::string& sentence) {
  clear();
  std::fprintf(stderr, "warpscope: %s\n", visible_name(sentence).c_str());
}

void TeamDisplay::clear() {
  // Past the stream, which shows control characters instead of obeying them.
  if (drawn_ > 0) write_all(STDERR_FILENO, "\x1b[" + std::to_string(drawn_) + "F\x1b[J");
  drawn_ = 0;
}

}  // namespace warpscope
