// profiling/capture/injected/watcher.h: every launch of a program, counted, and the chosen ones
// taken.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "profiling/capture/injected/launch_clock.h"
#include "profiling/capture/injected/taken_launch.h"
#include "profiling/capture/reports.h"
#include "profiling/capture/selection.h"

// What the callbacks of CUPTI call, on the program's own threads. Nothing here throws, ends the
// program or changes what it does; a launch that is taken holds the launches of other threads.
//
//   Watcher watcher(driver, settings);
//   watcher.before(launch, range);   // on the launching thread
//   watcher.after();                 // on the same thread, once the launch was made

namespace warpscope {

class Watcher {
 public:
  Watcher(CaptureDriver driver, CaptureSettings settings);
  // Says what keeps the library from working, and does nothing any more; `stops` false: it says so
  // and goes on.
  void trouble(const Error& error, bool stops = true);

  // The name of a kernel, which the driver keeps; null: it does not tell.
  const char* symbol_of(CUfunction function) const;
  // Calls the function while no launch is being taken.
  template <typename Change>
  void between_launches(Change&& change) {
    const std::lock_guard lock(mutex_);
    change();
  }
  // Requests that come while the program runs are looked for here, some times per second.
  void before(const SeenLaunch& launch, const std::string& range);
  // `made`: false if the driver refused the launch.
  void after(bool made = true);
  void graph_launched();
  // Code that the program loads.
  void loaded(std::uint32_t module, std::string_view cubin);
  void unloaded(std::uint32_t module);
  void dropped(const void* handle);  // a module or a library that the program unloads
  // `modules`: that this load made, as far as it is known.
  void given(const void* handle, const void* image, std::vector<std::uint32_t> modules = {});
  EncodedMaps& maps() { return parts_.maps; }
  bool takes_any() const { return settings_.take || settings_.live; }
  void end();     // the program ends
  void forked();  // in the child of a fork, which has no device

 private:
  // A launch that a person has asked for while the program runs.
  struct Asked {
    TakeRequest request;
    LaunchSelection selection;
  };
  void listen();
  void hear(const CaptureRequest& request);
  // Which request the launch answers; 0: none.
  std::int64_t asked_for(const SeenLaunch& launch, const std::string& range);
  // `number`: of the launch among those of its kernel. `request`: that it answers; 0: it was chosen
  // before the start.
  void take(const SeenLaunch& launch, const std::string& range, std::int64_t number,
            std::int64_t request);
  bool says_progress(std::uint64_t done_bytes, std::uint64_t of_bytes);
  void refuse(const Error& error);
  void report(bool now);

  CaptureDriver driver_;
  CaptureSettings settings_;
  std::optional<LaunchSelection> selection_;
  // One thread at a time; held from `before` to `after` by the thread whose launch is taken.
  std::recursive_mutex mutex_;
  std::atomic<bool> working_ = true;
  Reports reports_;
  Tally tally_;
  LaunchClock clock_;
  ProgramParts parts_;
  std::deque<Asked> asked_;
  std::int64_t last_request_ = 0;  // heard of
  struct Taking {
    std::optional<TakenLaunch> launch;
    TakenReport report;
    bool stopped = false;   // it is not wanted any more
    int waits_in_vain = 0;  // of all launches so far
  };
  Taking taking_;  // the launch that is being taken
  std::chrono::steady_clock::time_point held_since_, reported_at_, listened_at_, progressed_at_;
  std::int64_t graph_launches_ = 0, files_ = 0;
};

}  // namespace warpscope
