// workbench/serve/serve_lines.cpp: the pipe of `warpscope serve`: requests that come, and answers.
#include "workbench/serve/serve_lines.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "scenes/host/program.h"

namespace warpscope {

ServeLines::Asked ServeLines::next() {
  Asked request = std::move(waiting_.front());
  waiting_.pop_front();
  ++answered_;
  return request;
}

void ServeLines::begin() {
  busy_ = true;
  cancelled_ = false;
}

void ServeLines::read(double wait_s) {
  // A pipe that nobody reads any more is an error of its writing end, whatever is asked of it.
  // Where the input has ended there is nothing to wait for, but for that.
  pollfd waits[] = {{ended_ ? -1 : input_, POLLIN, 0}, {output_, 0, 0}};
  constexpr int kMostChunks = 32;  // a cancel is seen also where much stands before it
  for (int i = 0; i < kMostChunks; ++i) {
    if (::poll(waits, 2, i == 0 ? static_cast<int>(wait_s * 1000) : 0) <= 0) return;
    if ((waits[1].revents & (POLLERR | POLLHUP)) != 0) return lose_reader(EPIPE);
    if (waits[0].revents == 0) return;
    char chunk[65536];
    const ssize_t bytes = ::read(input_, chunk, sizeof chunk);
    if (bytes < 0 && errno == EINTR) return;
    if (bytes <= 0) {
      ended_ = true;
      if (!overlong_) take_line(std::exchange(incoming_, {}));
      return;
    }
    take_bytes({chunk, static_cast<std::size_t>(bytes)});
  }
}

void ServeLines::take_bytes(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    if (!overlong_ && incoming_.size() + part.size() > kMostRequestBytes) {
      overlong_ = true;
      incoming_ = {};
      waiting_.emplace_back(tl::unexpected(overlong_request()));
    }
    if (!overlong_) incoming_ += part;
    if (end == std::string_view::npos) return;
    if (!std::exchange(overlong_, false)) take_line(std::exchange(incoming_, {}));
    bytes.remove_prefix(end + 1);
  }
}

void ServeLines::take_line(std::string_view line) {
  if (quitting_ || line.find_first_not_of(" \t\r") == std::string_view::npos) return;
  auto request = parse_request(line);
  const std::string name = request ? request->row->name : "";
  if (name == "cancel" && (busy_ || !waiting_.empty())) return cancel_all(request->id);
  quitting_ = name == "quit";
  waiting_.push_back(std::move(request));
}

// Cancel passes by those that wait: they are answered as cancelled, in their order.
void ServeLines::cancel_all(const nlohmann::json& id) {
  cancelled_ = true;
  ++answered_;
  say(answer_line(id, {{"cancelled", true}}));
  for (const auto& each : std::exchange(waiting_, {})) {
    ++answered_;
    say(refusal_line(each ? each->id : each.error().id,
                     {ErrorKind::resource, "cancelled before it began", "request", ""}));
  }
}

void ServeLines::say(const std::string& line) {
  if (output_failure_ != 0) return;
  if (const int code = write_all(output_, line + "\n"); code != 0) lose_reader(code);
}

// The client is gone, or the disk is full: there is no one to work for.
void ServeLines::lose_reader(int code) {
  output_failure_ = code;
  ended_ = true;
  waiting_.clear();
}

}  // namespace warpscope
