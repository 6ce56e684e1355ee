// profiling/engine/compile/bounded_process.h: work that may take any time and memory, in processes
// that may not.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

// A compiler that is given a hostile text takes all memory, or never ends, and a thread cannot be
// stopped. So the work is done in processes that are copies of a nursery: a copy of this process,
// made early, that does nothing but copy itself. They are kept for the next task, and one that does
// not answer in time is killed.
//
//   BoundedProcesses compilers(compile_task);
//   const BoundedProcesses::Outcome outcome = compilers.run(task, {30, 3ll << 30});

namespace warpscope {

class BoundedProcesses {
 public:
  // What a process does of a task. It has the memory of this process as it was at construction.
  using Work = std::function<std::string(const std::string& task)>;
  struct Limits {
    double seconds = 30;  // of processor time; on a busy machine ten times as long by the clock
    std::int64_t bytes = 3ll << 30;  // of address space beyond what it began with
  };
  enum class End { answered, out_of_time, died, not_started };
  struct Outcome {
    End end = End::not_started;
    std::string answer;
  };

  // Best before other threads are started: what they hold at that moment nobody releases in a copy.
  explicit BoundedProcesses(Work work);
  BoundedProcesses(const BoundedProcesses&) = delete;
  BoundedProcesses& operator=(const BoundedProcesses&) = delete;
  ~BoundedProcesses();

  // From any thread; each call has a process for itself.
  Outcome run(const std::string& task, const Limits& limits);

 private:
  struct Child {
    int socket = -1;
    pid_t process = -1;
    bool has_worked = false;
  };
  bool take(Child& child);
  bool start_nursery();
  bool start(Child& child);
  void keep(const Child& child);
  void end(const Child& child);

  Work work_;
  std::mutex mutex_;
  pid_t owner_ = -1;  // the process that these belong to: a copy of it has none
  int nursery_ = -1;
  std::vector<Child> idle_;
};

}  // namespace warpscope
