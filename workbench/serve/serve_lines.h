// workbench/serve/serve_lines.h: the pipe of `warpscope serve`: requests that come, and answers.
#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "workbench/serve/serve_protocol.h"

// Cancel passes by what waits and is answered at once. After a quit nothing is read any more. Where
// nobody reads the answers any more, nothing is left to do.

namespace warpscope {

class ServeLines {
 public:
  using Asked = tl::expected<ServeRequest, RefusedRequest>;

  ServeLines(int input, int output) : input_(input), output_(output) {}  // descriptors
  // Takes what has come; waits for it at most `wait_s`. Sees whether anybody still reads answers.
  void read(double wait_s);
  bool has_request() const { return !waiting_.empty(); }
  Asked next();  // the one that waits longest
  void say(const std::string& line);

  // A request is worked on from `begin` to `end`; a cancel that comes meanwhile is of it.
  void begin();
  void end() { busy_ = false; }
  bool cancelled() const { return cancelled_; }
  // From when a quit is read no engine is waited for.
  bool quitting() const { return quitting_ || output_failure_ != 0; }
  // Nobody waits for what an engine would say.
  bool broken_off() const { return cancelled_ || quitting(); }
  // Nothing more will come.
  bool ended() const { return ended_; }
  // The errno for which answers cannot be written; 0: they can.
  int output_failure() const { return output_failure_; }
  std::int64_t answered() const { return answered_; }

 private:
  void take_bytes(std::string_view bytes);
  void take_line(std::string_view line);
  void cancel_all(const nlohmann::json& id);
  void lose_reader(int code);  // errno

  int input_, output_;
  std::string incoming_;   // a line that is not finished yet
  bool overlong_ = false;  // it is too long: what is left of it is passed over
  std::deque<Asked> waiting_;
  bool busy_ = false, cancelled_ = false, ended_ = false, quitting_ = false;
  int output_failure_ = 0;
  std::int64_t answered_ = 0;
};

}  // namespace warpscope
