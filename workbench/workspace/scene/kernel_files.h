// workbench/workspace/scene/kernel_files.h: the kernels of the scene as their files stand, and
// which texts went with each job.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "profiling/journal/change_watch.h"
#include "scenes/base/texts/text_hash.h"
#include "workbench/workspace/session/selected_points.h"

namespace warpscope {

// Tells whether what a session has is of the kernels' present texts. Files are looked at a few
// times per second. Jobs are remembered with the texts that went with them, whatever the files
// become.
class KernelFiles {
 public:
  KernelFiles(const OpenedSession& opened, const ShownScene& scene, const SelectedPoints& points);

  // "of an earlier text of kernels/…": why lines and addresses of a trace, or the counted lines of
  // a step, are not those of the file as it stands; empty: they are, or that is not known.
  std::string earlier_text(const Trace& trace) const;
  std::string earlier_text(const StepRecord& step) const;
  KernelTexts sources() const { return now()->sources; }  // null: they cannot be read
  const std::string& all_hash() const { return now()->all; }
  void look_again() { now_ = nullptr; }  // a file was just saved

  void went_to_measure(std::int64_t job);
  void went_to_trace(std::int64_t job);
  // Whether the files are others now than those that went with an emulation that is over.
  bool are_others_than_of(std::int64_t trace_job) const;
  // The texts that went with a job that measures; null: it is none, or was forgotten.
  const KernelTexts* sources_of(std::int64_t job) const;
  void keep(const Trace& trace);      // it has come: it is of the texts that its job had
  void forget_job(std::int64_t job);  // it is over
  void forget_traces();               // another session

 private:
  struct Texts {
    std::string scene, all;                    // all: stands for all of them
    std::map<std::string, TextHashes> hashes;  // by path below kernels/
    KernelTexts sources;
    std::chrono::steady_clock::time_point at;
  };
  struct TracePlace {
    std::string scene, variant, key, step;
    // NOLINTNEXTLINE(modernize-use-nullptr): version 14 takes a comparison's 0 for a pointer
    auto operator<=>(const TracePlace&) const = default;
  };
  static TracePlace place_of(const Trace& trace);
  const std::shared_ptr<const Texts>& now() const;

  const OpenedSession& opened_;
  const ShownScene& scene_;
  const SelectedPoints& points_;
  mutable std::shared_ptr<const Texts> now_;
  // For jobs under way and traces that came.
  std::map<std::int64_t, std::shared_ptr<const Texts>> of_traced_jobs_;
  std::map<std::int64_t, std::string> of_ended_jobs_;  // Texts::all of the last of those
  std::map<TracePlace, std::string> of_traces_;
  std::map<std::int64_t, KernelTexts> of_measured_jobs_;  // for the journal
};

// The code_id that a trace has as its source_hash; empty where it has a shorter one, of compiling.
std::string code_of(const Trace& trace);

}  // namespace warpscope
