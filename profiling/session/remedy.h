// profiling/session/remedy.h: what change of axes lets a variant run.
#pragma once

#include <optional>
#include <vector>

#include "profiling/messages/protocol.h"

namespace warpscope {

// What constraints may ask of the device that said hello; of an H200 where none did.
DeviceLimits limits_of(const DeviceDescription* device);

// Whether another value of an axis may mend what a point with this outcome lacks.
inline bool may_have_remedy(Outcome outcome) {
  return outcome == Outcome::cannot_run || outcome == Outcome::launch_failed;
}

// The remedy of the first constraint that a point which cannot run breaks; of a launch that failed
// that of launch_remedy. No value if it can, or no change of axes mends it.
std::optional<AxisChange> remedy_of(const Scene& scene, const Measurement& point,
                                    const DeviceLimits& device);

// If the variant breaks a constraint at `value`, the nearest whole number at which it breaks none:
// n = 44 for 45 if rows are read four at a time. Returns `value` if it breaks none there, or if no
// such number is near.
std::int64_t nearest_runnable(const Scene& scene, const Variant& variant, const Configuration& axes,
                              const Axis& axis, std::int64_t value, const DeviceLimits& device);

// The value of one axis at which every kernel step of the variant starts, judged by the kernels as
// they are compiled now. It tries the axes that set the launch's shape (the variant's own first,
// then the problem's), then those that are compiled in, and takes the nearest value that works. No
// value if there is none, or if none of the steps' launches fails. `steps` are records of its
// kernel steps with resources, as far as they are known.
std::optional<AxisChange> launch_remedy(const Scene& scene, const Variant& variant,
                                        const Workload& workload,
                                        const std::vector<StepRecord>& steps,
                                        const DeviceLimits& device);

// “launch failed” with its sentence and remedy, where the launch of one of the steps fails.
std::optional<Verdict> launch_verdict(const Scene& scene, const Variant& variant,
                                      const Workload& workload,
                                      const std::vector<StepRecord>& steps,
                                      const DeviceLimits& device);

// What is predicted of a compilation: the verdict of its launches on the architecture that it is
// for, and the change of axes that mends it. No value if all of them start.
struct PredictedFailure {
  Verdict verdict;
  std::optional<AxisChange> remedy;
};
std::optional<PredictedFailure> predicted_failure(const Scene& scene,
                                                  const Compilation& compilation);

}  // namespace warpscope
