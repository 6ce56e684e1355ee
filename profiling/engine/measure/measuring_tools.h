// profiling/engine/measure/measuring_tools.h: a device with what measures on it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiling/engine/cuda/nvml.h"
#include "profiling/engine/measure/counters.h"
#include "profiling/engine/measure/samples/stall_sampler.h"
#include "profiling/engine/measure/sass_counters.h"
#include "profiling/engine/measure/selftest.h"
#include "profiling/engine/measure/timer.h"
#include "profiling/messages/protocol.h"

namespace warpscope {

// What of CUPTI an engine uses. A process that has counted gets no samples afterwards.
enum class ProfilerUse { counters, samples, none };

struct MeasuringTools {
  // error: environment.
  static Result<std::unique_ptr<MeasuringTools>> create(int ordinal, ProfilerUse use);

  std::vector<Capability> capabilities() const;
  // The version by NVML, else by the kernel module.
  std::string driver_version() const;
  Conditions conditions() const;
  Result<void> counters_off();  // before what is timed, and before another part of CUPTI works
  // Counts a known kernel; counters that miss it stay available with a reason that begins with
  // "untrusted".
  SelfTest selftest();

  ProfilerUse use = ProfilerUse::counters;
  bool hands_off = false;  // no CUPTI is loaded
  std::unique_ptr<Device> device;
  std::unique_ptr<KernelStore> kernels;
  std::optional<Nvml> nvml;
  std::unique_ptr<Timer> timer;
  std::unique_ptr<Counters> counters;  // null: counters_capability says why
  Capability counters_capability{"counters"};
  std::unique_ptr<SassCounters> sass_counters;
  Capability sass_capability{"sass_metrics"};
  std::unique_ptr<StallSampler> sampler;  // null: samples_capability says why
  Capability samples_capability{"samples"};

 private:
  void open_profilers(int ordinal);
};

// Writes into a timeline which job and which point it is of, and under which conditions.
template <typename Recorded>
void note_origin(Recorded& recorded, const Job& job, const Measurement& point) {
  recorded.job = job.job;
  recorded.scene = point.scene;
  recorded.variant = point.variant;
  recorded.key = point.key;
  recorded.conditions = point.conditions;
}

}  // namespace warpscope
