// profiling/engine/run/emulation.h: trace and verify jobs, answered by the emulator.
#pragma once

#include "profiling/engine/run/emulated_stage.h"
#include "profiling/engine/run/job_channel.h"
#include "scenes/catalogue.h"

namespace warpscope {

// The emulate role: needs no driver and no device.
class Emulation : public JobRunner {
 public:
  // `catalogue` must outlive it.
  explicit Emulation(const Catalogue& catalogue = built_in_catalogue()) : catalogue_(catalogue) {}
  // Trace jobs are answered with a Trace for each traced kernel step, live ones that ask for a
  // sample with the block alone before; verify jobs with a
  // Measurement that has a verdict and no times, and where the output is right with the scene's
  // curves and pictures. error: usage, input, environment, resource.
  Result<void> run(const Job& job, const JobChannel& channel) override;

 private:
  Result<void> trace(const Job& job, const Variant& variant, const JobChannel& channel,
                     const std::string& key);
  Result<void> trace_user(const Job& job, const JobChannel& channel);
  // What every verification says of itself, before its verdict.
  Measurement verified(const Job& job, const std::string& key) const;
  Result<void> verify(const Job& job, const Scene& scene, const Variant& variant,
                      const JobChannel& channel, const std::string& key);
  const Catalogue& catalogue_;
  EmulatedStage stage_;
};

Hello emulation_hello();

}  // namespace warpscope
