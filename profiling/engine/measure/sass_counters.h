// profiling/engine/measure/sass_counters.h: counters of machine instructions, by CUPTI's SASS
// metrics.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "profiling/access/line_counters.h"
#include "profiling/engine/compile/kernel_store.h"
#include "profiling/engine/compile/line_table.h"
#include "profiling/engine/cuda/cupti_library.h"
#include "profiling/engine/measure/counters.h"
#include "profiling/messages/protocol.h"

// CUPTI patches a kernel's machine code to count at each instruction. Nothing is patched outside of
// a call of `collect`: a patched kernel is many times slower. The range profiler must not be
// on at the same time; Counters::collect switches it off before it returns.
//
//   Result<std::unique_ptr<SassCounters>> sass = SassCounters::create(device);
//   Result<LineCounters> lines = (*sass)->collect(kernel, "csrmm/warp_row.cu", "warp_row", run);

namespace warpscope {

class SassCounters {
 public:
  // Asks which of line_metrics() the chip counts; switches nothing on. error: environment.
  static Result<std::unique_ptr<SassCounters>> create(CUcontext context, int ordinal);
  SassCounters(const SassCounters&) = delete;
  SassCounters& operator=(const SassCounters&) = delete;

  struct Runs {
    // Launches the kernel once and leaves the context idle.
    std::function<Result<void>()> run;
    // What the kernel needs to have run before it, each pass anew; not counted.
    std::function<Result<void>()> before = [] { return Result<void>{}; };
    // Told before each pass; false ends the collection with an error of kind usage, "cancelled".
    Counters::GoOn go_on = [](int, int) { return true; };
  };
  // As many passes as CUPTI wants: one when it takes all metrics together. `source` and `entry` are
  // those of the kernel's launch. error: what `runs` report, environment with the CUPTI function
  // that refused, internal when the records cannot be read.
  Result<LineCounters> collect(const Kernel& kernel, const std::string& source,
                               const std::string& entry, const Runs& runs);
  const std::string& chip() const { return chip_; }

 private:
  struct Chosen {
    LineMetric metric;
    std::uint64_t id = 0;  // CUPTI's
  };
  // What CUPTI recorded of one metric at one instruction.
  struct Record {
    std::string function;
    std::uint32_t cubin_crc = 0;
    std::uint64_t offset = 0;
    LineMetric metric;
    std::int64_t value = 0;
  };
  using Group = std::vector<Chosen>;

  SassCounters(const CuptiLibrary& cupti, CUcontext context, int ordinal)
      : cupti_(cupti), context_(context), ordinal_(ordinal) {}
  // One pass: configure, enable, run, read, disable, unset. Whatever was switched on is off again.
  // `too_many`: CUPTI does not take these metrics together; nothing ran.
  Result<std::vector<Record>> pass(const Group& group, const Runs& runs, bool& too_many);
  Result<std::vector<Record>> enabled_run(const Group& group, const Runs& runs);
  Result<std::vector<Record>> read_records(const Group& group);
  // error: internal when none of the records is of the kernel.
  Result<std::vector<InstructionCount>> instructions_of(const std::vector<Record>& records,
                                                        const Kernel& kernel,
                                                        const std::string& entry) const;

  const CuptiLibrary& cupti_;
  CUcontext context_;
  int ordinal_;
  std::string chip_;
  std::vector<Group> groups_;         // one pass each
  std::vector<MetricValue> missing_;  // metrics the chip does not count, with the reason
};

// The innermost source line of the instruction at `offset` of `entry`, as CUPTI correlates it; line
// 0 where the compiler names none. `files`: the names that the compiler was given. error:
// environment (no CUPTI, or it refuses).
Result<SourcePosition> correlate(const std::string& cubin, const std::vector<std::string>& files,
                                 const std::string& entry, std::uint64_t offset);

// That line and the calls around it, from the cubin's line table. error: as correlate, internal
// when CUPTI and the table do not name the same line.
Result<CallChain> call_chain(const LineTable& table, const std::string& cubin,
                             const std::vector<std::string>& files, const std::string& entry,
                             std::uint64_t offset);

// "sass_metrics": the capability of `counters`, or why there are none.
Capability sass_capability(const Result<std::unique_ptr<SassCounters>>& counters);

}  // namespace warpscope
