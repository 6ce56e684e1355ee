// profiling/engine/training/place.h: where the steps of a training run: a device or the emulator,
// and the host beside either.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "profiling/engine/run/job_channel.h"
#include "profiling/points/point.h"
#include "scenes/training.h"

namespace warpscope {

// A variant's buffers, laid out for one workload, and its steps. It keeps what it has while other
// jobs run.
class TrainingPlace {
 public:
  virtual ~TrainingPlace() = default;
  virtual const Workload& workload() const = 0;
  virtual PointId point() const = 0;
  // error: usage (no such buffer, or of another size), fault.
  virtual Result<void> write(const std::string& buffer, std::span<const std::byte> bytes) = 0;
  virtual Result<std::vector<std::byte>> read(const std::string& buffer) = 0;
  // The run's steps, or those alone that make the loss. False: it was interrupted, and every state
  // is as it was before. error: what a step says; fault.
  virtual Result<bool> run(bool loss_alone, const std::function<bool()>& interrupted) = 0;
};

// error: usage and input (of the configuration), environment, resource.
using OpenTrainingPlace = std::function<Result<std::unique_ptr<TrainingPlace>>(
    const Job& job, const Scene& scene, const Variant& variant, const Configuration& axes)>;

}  // namespace warpscope
