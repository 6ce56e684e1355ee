// workbench/workspace/jobs/job_scheduler.h: what a person asks for becomes jobs of the engines.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "workbench/workspace/scene/kernel_files.h"
#include "workbench/workspace/selection/requests.h"
#include "workbench/workspace/session/engines.h"

namespace warpscope {

// The cards that Occupancy shows: of a student's T4, of data centres and of desktops.
inline constexpr int kOccupancyArchitectures[] = {75, 80, 86, 89, 90, 100, 120};

// Submits jobs for the scene and the selection. A job's tag says what it was submitted for: a
// waiting job is replaced by a later one of its tag, and can be cancelled by the tag's beginning.
// Each job is also a message of the session, and of its file if its answers are worth recording.
class JobScheduler {
 public:
  JobScheduler(OpenedSession& opened, const ShownScene& scene, const Selection& selection,
               const SelectedPoints& points, KernelFiles& files, Engines& engines, WindowLog& log);

  void take(const JobRequest& request);
  void cancel_sweep();

  enum class Recording { yes, no };
  // Gives a job to an engine and to the session; returns its number.
  std::int64_t send(EngineClient& engine, Job job, Recording recording = Recording::yes);
  // The job of the scene's variant at the selected configuration.
  Job job_of(JobWork work, const std::string& tag, const Variant& variant) const;
  Job job_of(JobWork work, const std::string& tag, const Variant& variant,
             const Configuration& axes) const;
  // A measurement, a verdict or a timeline of a variant at these axes. A live one is short.
  struct Asking {
    std::string tag;
    bool first = false;  // before what waits
  };
  void submit(const Variant& variant, JobWork work, const Asking& asking,
              const Configuration& axes);
  void measure_roofs();
  // One block of the variant is emulated as quickly as possible. It is shown and not recorded.
  void trace_live(const Variant& variant);
  // Compares the outputs of a variant with its reference, emulated; empty: there is no emulator.
  std::optional<std::int64_t> judge(const Variant& variant);

  SweepProgress sweep_progress() const;
  std::size_t submitted() const { return submitted_; }  // measurements, since the window opened
  std::size_t batch() const { return batch_; }          // … since the engine last rested
  // Counters are waited for, which whatever draws on their GPU delays.
  bool counts_first() const;

  // Another session was opened: what is under way belongs to the last one.
  void forget_all();
  bool forgotten(std::int64_t job) const { return job > 0 && job <= forgotten_jobs_; }
  bool unrecorded(std::int64_t job) const { return unrecorded_.count(job) != 0; }
  void forget_job(std::int64_t job) { unrecorded_.erase(job); }  // it is over

 private:
  struct Sweep {
    std::string axis;
    std::vector<std::int64_t> jobs;
  };
  void trace(const Variant& variant, const std::optional<request::Trace::Place>& elsewhere);
  void compile_registers(const Variant& variant);
  void compare_outputs(const Variant& variant);
  void sample_stalls(const Variant& variant);
  void compile_listing(const Variant& variant, const std::string& step, int architecture);
  void sweep();
  void measure_roofs_again();
  // `variant`, or all that are shown if it is empty.
  void run(const std::string& variant, const JobWork& work, const std::string& tag);

  OpenedSession& opened_;
  const ShownScene& scene_;
  const Selection& selection_;
  const SelectedPoints& points_;
  KernelFiles& files_;
  Engines& engines_;
  WindowLog& log_;
  std::set<std::int64_t> unrecorded_;  // jobs whose answers are shown and not recorded
  std::size_t submitted_ = 0, batch_ = 0;
  std::int64_t last_job_ = 0;        // submitted by this window
  std::int64_t forgotten_jobs_ = 0;  // up to this one they belong to a session no longer open
  Sweep sweep_;
};

// Times without counters, or these counters without times.
MeasureJob measuring(const std::string& counters);

// The values of axes as a job has them.
std::map<std::string, std::string> texts_of(const Configuration& axes);

inline constexpr const char* kNothingMeasures =
    "this is a recorded session: there is no GPU here to measure on";

// What the tag of the job that a quote became begins with, before "/" and the variant.
std::string quote_tag(const std::string& counters);

}  // namespace warpscope
