// profiling/engine/run/emulated/course.h: which steps of an emulated run are run, and how.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "profiling/engine/run/emulated/buffers.h"
#include "profiling/messages/protocol.h"

namespace warpscope {

// How a run is looked at.
struct EmulatedView {
  std::string block = "0";  // whose requests are kept, of every traced kernel
  int warp = -1;
  bool grid = true;  // every block of the traced kernel, else the kept one alone …
  // … or, above 0, as many as take about this many warp instructions, to stand for the grid. A step
  // whose results a later one uses still runs whole, unless the later one takes its stand-ins.
  std::int64_t sample_instructions = 0;
  std::string step;  // the kernel step to trace; empty: every one
  // __device__ variables are as the last run left them.
  bool keeps_variables = false;
  bool sums = true;                   // false: outputs only, no traces are worth keeping
  TracedCode code = TracedCode::ptx;  // of the traced kernels
  bool live_registers = false;        // of machine code
  bool dependencies = false;          // of machine code
  int threads = 0;                    // of the host; 0: as many as it has
  bool whole_run = false;             // steps after the last traced one run, too
  // Without sums: the blocks of every kernel that run, below 0 from the last on; empty: all.
  std::vector<std::int64_t> blocks = {};
  // Few pages are touched: arrays may be larger than the memory that the emulator may take.
  bool sparse = false;
  std::function<bool()> cancelled;
  std::function<void()> compiles;  // a compilation follows, which cannot report life
  std::function<void(double done_ratio, const std::string& text)> progress;
};

// Which of the steps up to a last one run, and how.
struct EmulatedCourse {
  const std::vector<Step>& steps;
  const EmulatedView& view;
  std::size_t end = 0;  // after the last traced one
  // A step that is traced alone takes its stand-ins rather than all that makes its inputs; where
  // not all blocks run, so does every step whose results none after it needs.
  struct Part {
    bool runs = true;
    bool whole = false;  // a step after it uses its results
    bool stands_in = false;
  };
  std::vector<Part> parts = {};  // of the steps up to `end`
  bool is_traced(const Step& step) const;
};

// error: usage (no kernel that can be traced).
Result<EmulatedCourse> course_of(const Variant& variant, const std::vector<Step>& steps,
                                 const EmulatedView& view, const EmulatedBuffers& buffers);

// What library calls without a function would have written, and what stands in for it.
class UnknownBuffers {
 public:
  explicit UnknownBuffers(EmulatedBuffers& buffers) : held_(buffers) {}
  // Instead of a call that nobody can emulate: its outputs are not known from here on. error: usage
  // (a run whose outputs are asked for).
  Result<void> pass_over(const Variant& variant, const LibraryCall& call,
                         const std::set<std::string>& touched, const EmulatedView& view);
  // Stands in for what the step lacks, or for all that it may where it takes its stand-ins. Gives
  // the sentences that say so. error: usage, something is still lacking.
  Result<std::vector<std::string>> replace(const Variant& variant, const Step& step,
                                           const std::set<std::string>& touched, bool traced,
                                           bool stands_in);

 private:
  EmulatedBuffers& held_;
  std::set<std::string> buffers_;
  std::string library_;  // the last of them
};

}  // namespace warpscope
