// profiling/engine/process/message_output.h: whole lines to the workbench, whatever libraries
// print.
#pragma once

#include <mutex>
#include <vector>

#include "profiling/messages/protocol.h"

namespace warpscope {

// Libraries that print would break the protocol: the pipe is kept under a descriptor of its own and
// standard output becomes standard error. Any thread may send.
class MessageOutput {
 public:
  MessageOutput();
  void send(const Message& message);
  // The same, but what comes before the hello follows it.
  void send_after_hello(const Message& message);
  void send_hello(const Hello& hello);

 private:
  void write_locked(const Message& message) const;

  int descriptor_;
  std::mutex mutex_;
  bool greeted_ = false;
  std::vector<Message> early_;
};

}  // namespace warpscope
