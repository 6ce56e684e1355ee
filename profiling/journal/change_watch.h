// profiling/journal/change_watch.h: iterations that make themselves: a kernel was saved, and
// measured again.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiling/session/session.h"
#include "scenes/base/source.h"

namespace warpscope {

using KernelTexts = std::shared_ptr<const std::vector<KernelSource>>;

// The lines that differ between the files of the same paths, and files that only one side has, as a
// unified difference: "--- csrmm/warp_row.cu", then "@@ 12 @@" before each place, and lines that
// begin with a space, "-" or "+".
std::string difference_of(const std::vector<KernelSource>& before,
                          const std::vector<KernelSource>& after);

// Sees every measurement of a session that measures. What a variant was first measured with is
// remembered; a measurement with other code in one of its files is an iteration. Comments and white
// space are not a change, nor are the values of compile-time axes.
class ChangeWatch {
 public:
  // What a scene's kernels are before a save, where none of them was measured yet: what is measured
  // first is compared with them.
  void begin(const std::string& scene, const KernelTexts& texts);
  // `texts`: of the scene's kernels as they went with the job. `before`: the session without this
  // measurement: its points are what the verdict is against, its traces what was predicted. The
  // first change of a variant also gives the iteration that it began from, before it. What a device
  // says of an iteration that the emulator judged before is that iteration again, with its figures.
  std::vector<Iteration> see(const Measurement& measured, const KernelTexts& texts,
                             const Session& before);

 private:
  struct Seen {
    KernelTexts texts;
    std::int64_t number = 0;  // of the iteration that it is; 0: none yet
  };
  std::map<std::pair<std::string, std::string>, Seen> seen_;  // by scene and variant
  std::map<std::string, KernelTexts> begun_;                  // by scene
};

// The number after the largest that the session's iterations of a scene have.
std::int64_t next_iteration(const Session& session, const std::string& scene);

// What an iteration keeps of a point: its times and chief counters.
std::vector<MetricValue> noted_figures(const Measurement& point);
// What the emulator said of a point, by the ids of the counters that it answers to; empty: nothing
// was emulated there.
std::vector<MetricValue> predicted_figures(const Session& session, const PointId& point);

}  // namespace warpscope
