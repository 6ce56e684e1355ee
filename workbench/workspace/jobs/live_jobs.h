// workbench/workspace/jobs/live_jobs.h: jobs that follow the selection without being asked for.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "workbench/workspace/jobs/job_scheduler.h"
#include "workbench/workspace/selection/memo.h"

namespace warpscope {

// As a slider moves, all shown variants are measured briefly and the one in focus is traced. What
// takes longer comes when nothing moves any more: first counters, then the roofs of the device.
class LiveJobs {
 public:
  LiveJobs(OpenedSession& opened, const ShownScene& scene, const Selection& selection,
           const SelectedPoints& points, const KernelFiles& files, Engines& engines,
           JobScheduler& jobs);

  // Short times of all shown variants, the one in focus first, in place of what is asked of a place
  // or a text that is no more; counters follow when nothing moves.
  void measure();
  void moved();            // the selection did: measures, if that is wanted
  void begin_measuring();  // an engine has a device
  void follow();           // once per update
  void cancel() { counters_due_ = false; }
  // Whether the next update asks for a trace of the variant in focus: the selection has just come
  // to a place that has none.
  bool trace_follows() const;
  void forget_all();  // another session was opened

  // The roofs of this device are not measured yet, which takes seconds: they follow the time of the
  // variant in focus, when sliders rest. Until they are there the workspace is busy.
  bool roofs_due() const { return roofs_due_; }
  bool roofs_follow() const;  // they are due and can come
  bool awaits_roofs() const;  // … or are being measured

 private:
  using Clock = std::chrono::steady_clock;
  void follow_traces();
  // What a live trace is asked for.
  struct Traced {
    std::string scene, variant, key;
    std::int64_t block = 0;
    bool machine_code = false;
    std::string texts, description;  // hashes of the kernels and of a folder's description
    bool operator==(const Traced&) const = default;
  };
  // As the selection stands; empty: nothing emulates here.
  std::optional<Traced> traced_now() const;
  void measure_counters();

  OpenedSession& opened_;
  const ShownScene& scene_;
  const Selection& selection_;
  const SelectedPoints& points_;
  const KernelFiles& files_;
  Engines& engines_;
  JobScheduler& jobs_;
  LastKey<Traced> traced_;
  Clock::time_point moved_;
  bool counters_due_ = false, roofs_due_ = false;
};

}  // namespace warpscope
