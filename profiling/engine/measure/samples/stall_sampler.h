// profiling/engine/measure/samples/stall_sampler.h: where warps of a kernel wait, by CUPTI's
// program counter sampling.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "profiling/engine/compile/kernel_store.h"
#include "profiling/engine/cuda/cupti_library.h"
#include "profiling/figures/stall_samples.h"
#include "profiling/messages/protocol.h"

// Sampling is switched on once, before the kernels are loaded: where it was switched off and on
// again, kernels that were loaded later got no samples, and in an engine that collects counters
// none did (H200, driver 580, CUDA 13.0). So an engine that samples does nothing else:
// warpscope-engine --samples.
//
//   Result<std::unique_ptr<StallSampler>> sampler = StallSampler::create(device.context());
//   Result<StallSamples> samples = (*sampler)->collect(kernel, runs);

namespace warpscope {

// By CUPTI's number: "long_scoreboard", and whether it counts only samples in which the scheduler
// issued no warp.
using ReasonNames = std::map<std::uint32_t, std::pair<std::string, bool>>;
// By function and offset in it, then by CUPTI's number of the reason.
struct GatheredSamples {
  std::map<std::pair<std::string, std::uint64_t>, std::map<std::uint32_t, std::int64_t>> counts;
  std::int64_t dropped = 0, elsewhere = 0;
};

class StallSampler {
 public:
  // Switches sampling on, for the context's later modules. error: environment.
  static Result<std::unique_ptr<StallSampler>> create(CUcontext context);
  ~StallSampler();
  StallSampler(const StallSampler&) = delete;
  StallSampler& operator=(const StallSampler&) = delete;

  struct Runs {
    // Launches the kernel once.
    std::function<Result<void>()> launch;
    // What must have run before it, each time anew; not sampled. Empty: nothing.
    std::function<Result<void>()> before;
    // Leaves the context idle.
    std::function<Result<void>()> wait;
    // False ends the collection with an error of kind usage, "cancelled".
    std::function<bool()> go_on = [] { return true; };
    double run_ns = 0;  // how long one run takes; decides on how often samples are taken
  };
  // Runs the kernel until there are many samples or half a second is over. error: what `runs`
  // report; environment, with the function of CUPTI that refused, or if no sample came.
  Result<StallSamples> collect(const Kernel& kernel, const Runs& runs);

 private:
  StallSampler(const CuptiLibrary& cupti, CUcontext context) : cupti_(cupti), context_(context) {}
  // With sampling switched on.
  Result<StallSamples> sampled_runs(const Kernel& kernel, const Runs& runs);
  Result<ReasonNames> reasons() const;
  Result<void> configure(const ReasonNames& reasons, int period_log2);
  // One range: sampling begins, the kernel runs so often, sampling ends.
  Result<void> range(const Runs& runs, int times);
  Result<void> read(std::uint64_t cubin_crc, GatheredSamples& into);
  Result<std::uint64_t> crc_of(const std::string& cubin) const;

  const CuptiLibrary& cupti_;
  CUcontext context_;
  bool enabled_ = false;
  // CUPTI writes records here.
  std::vector<CUpti_PCSamplingPCData> own_records_, records_;
  std::vector<CUpti_PCSamplingStallReason> own_counts_, counts_;
  CUpti_PCSamplingData own_{}, data_{};
};

// The period, as a power of two of cycles, at which a run of so many nanoseconds gives about as
// many samples as are wanted; within what CUPTI takes.
int sampling_period_log2(double run_ns);

// What CUPTI calls "smsp__pcsamp_warps_issue_stalled_barrier_not_issued": "barrier", true.
std::pair<std::string, bool> stall_reason_name(const std::string& cupti_name);

// Joins the two counts of each reason, and leads the offsets of functions that the kernel calls to
// its own first byte. `places`: where those functions begin. Functions that are not there are left
// out.
StallSamples stall_samples_of(const GatheredSamples& gathered, const ReasonNames& reasons,
                              const std::map<std::string, std::uint64_t>& places);
// The places of the functions in a kernel's code: its own at 0. error: as read_elf.
Result<std::map<std::string, std::uint64_t>> functions_within(const std::string& cubin,
                                                              const std::string& kernel);

// "samples": the capability of the sampler, or why there is none.
Capability samples_capability(const Result<std::unique_ptr<StallSampler>>& sampler);

}  // namespace warpscope
