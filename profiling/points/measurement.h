// profiling/points/measurement.h: what is known about one variant at one configuration.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiling/access/line_counters.h"
#include "profiling/figures/metric.h"
#include "profiling/figures/stall_samples.h"
#include "profiling/figures/timing.h"
#include "scenes/catalogue.h"
#include "scenes/choice/picked_row.h"

namespace warpscope {

enum class Outcome {
  correct,         // the output passed
  no_reference,    // it ran to its end, and there is nothing to check its output against
  unchecked,       // nothing ran to completion yet (pending, cancelled)
  nothing_to_do,   // empty product: valid, no times
  cannot_run,      // a constraint of the variant or of the library
  wrong,           // the output differs from the reference
  compile_failed,  // NVRTC's log is in Measurement::compile_log
  launch_failed,   // the driver refused the launch
  faulted,         // illegal address and the like
  timed_out,       // did not end within the job's limit
  out_of_memory,
  engine_died,  // the process ended in the middle of it
};
const char* to_text(Outcome outcome);
// Whether it carries times and other figures. Those of a run without a reference are shown for
// themselves alone: they are not compared, ranked or claimed.
bool has_figures(Outcome outcome);

// The answer to "is this figure to be believed", with a sentence for a person.
struct Verdict {
  Outcome outcome = Outcome::unchecked;
  std::string sentence;  // "largest error 0.31 of the bound at c[17, 3]"
  std::string remedy;
  double worst_error_ratio = 0;  // largest |out − ref| / bound
  std::int64_t mismatches = 0;   // elements beyond the bound
  std::int64_t checked_elements = 0;
};

// The sentence of a verdict as it is said today: recordings have “largest error 0.085 of the bound,
// at c[17, 3]” where 8.5 % of what the tolerance allows is meant.
std::string in_words(const Verdict& verdict);

// The circumstances of a measurement, kept with every figure.
struct Conditions {
  std::string device;  // "NVIDIA H200"
  std::string device_uuid;
  std::string driver;       // "580.159.04"
  std::string toolkit;      // "13.0" (NVRTC)
  std::string build;        // product version and commit
  std::string date;         // ISO 8601, UTC
  std::string source_hash;  // of the kernel texts and options of the variant
  std::string code_id;      // of the variant's code, without comments and white space
  std::optional<double> sm_clock_mhz, memory_clock_mhz;  // seen, NVML
  std::optional<double> power_w, temperature_c;
  std::string throttle;  // "none", "power cap", …; empty: not read
};

// What the compiler and the driver say of one kernel.
struct KernelResources {
  int registers_per_thread = 0;
  std::int64_t static_shared_bytes = 0;
  std::int64_t dynamic_shared_bytes = 0;
  std::int64_t local_bytes_per_thread = 0;  // spills and stack
  // What a thread's spilled registers store and load in all, as ptxas counts it in the code.
  std::int64_t spill_store_bytes = 0, spill_load_bytes = 0;
  std::int64_t most_block_threads = 0;  // by __launch_bounds__; 0: the kernel names none
  int blocks_per_multiprocessor = 0;    // by the occupancy calculator
  double theoretical_occupancy_ratio = 0;
};

struct StepRecord {
  std::string name;
  Phase phase = Phase::run;
  std::string kind;       // "kernel", "memset", "copy", "library"
  std::string source;     // "csrmm/warp_row.cu" or the library call's name
  std::string text_hash;  // of a kernel's text and the headers below kernels/ that it includes;
                          // empty: not recorded
  std::string entry;
  Launch launch;                            // of kernels
  std::map<std::string, std::string> tags;  // as the step has them
  std::optional<double> time_ns;            // median alone, warm; prepare: one run
  // How its time and counters came about where that is another way: "time from activity records of
  // the graph's nodes". Empty: as above.
  std::string how;
  std::optional<KernelResources> resources;
  std::string refusal;               // of kernels: why there is no machine code; empty: there is
  std::vector<MetricValue> metrics;  // counters of this step's range
  SharedText compile_log;            // NVRTC's and ptxas's words, also warnings
  LineCounters lines;                // counters by source line, where they were asked for
  StallSamples samples;              // where its warps were seen to wait, where that was asked for
};

// The error against a reference that judges nothing.
struct ReportedError {
  std::string reference;         // its name
  double worst_error_ratio = 0;  // as in a verdict
  std::int64_t mismatches = 0, checked_elements = 0;
  std::string sentence;
};

struct Measurement {
  std::int64_t job = 0;
  std::string scene, variant;
  Configuration axes;
  std::string key;      // configuration_key of the problem's axes and the variant's own
  std::string problem;  // problem_key: the problem's axes alone
  // Axes that the recording lacks and reading completed with the old kernels' value.
  std::vector<std::string> completed_axes;
  Submission submission = Submission::stream;
  std::vector<ReportedError> reported;
  Facts facts;
  bool partial = false;  // more follows under the same job, or it was interrupted before it ended
  Verdict verdict;
  std::optional<Timing> cold, warm;
  std::optional<double> prepare_ns;         // sum of the prepare steps
  std::string choice;                       // what an automatic choice took, and why
  std::shared_ptr<const PickedRow> picked;  // of a row that chooses by fitted costs; else null
  std::string counters;                     // "none", "live", "lines", …: the sets asked for
  int counter_passes = 0;
  bool cold_counters = false;  // L2 was flushed before every pass
  std::vector<StepRecord> steps;
  std::vector<MetricValue> metrics;  // of the whole run: times, counters summed, model, derived
  Conditions conditions;
  // Whose scene it is: not part of any message. Null: a built-in one.
  std::shared_ptr<const Catalogue> catalogue;
};

// Where its scene is looked up.
const Catalogue& catalogue_of(const Measurement& measurement);
// The league of its variant; empty: it is in none.
std::string league_of(const Measurement& measurement);
// The variant whose steps a point ran, and its workload: what an automatic row picked, else its own
// variant. Null: the scene has no such variant.
struct RanRow {
  const Variant* variant = nullptr;
  Workload workload;
};
RanRow ran_row(const Scene& scene, const Measurement& measurement);
// Whether a step of it calls a vendor's library, also beside kernels of ours.
bool calls_library(const Measurement& measurement);

}  // namespace warpscope
