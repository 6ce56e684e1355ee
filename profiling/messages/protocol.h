// profiling/messages/protocol.h: the messages between workbench and engine, which are also a
// session's lines.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "profiling/access/trace.h"
#include "profiling/listings/listing.h"
#include "profiling/messages/training_state.h"
#include "profiling/points/measurement.h"
#include "profiling/points/outcome_messages.h"
#include "profiling/points/roof.h"
#include "profiling/points/timeline.h"
#include "profiling/warps/warp_timeline.h"
#include "scenes/base/source.h"
#include "scenes/folder/scene_text.h"

// One JSON object per line, {"type": "...", ...}. The first message in each direction is a Hello.
// Only Progress of job 0 may come earlier, while an engine that measures opens or awaits its
// device. A Job has a tag: a newer job with that tag replaces a waiting one and interrupts a
// running one between samples. The engine sends Progress when it begins a job, and then at least
// every few seconds unless it announced a silence. Every job ends with exactly one Done. A message
// of an unknown type survives reading and writing. Unknown fields of a known type do not: decoding
// drops them. Only `warpscope export --wsj`, which copies lines without decoding them, keeps both.
// The workbench sends empty lines as signs of life. A scene that is a folder is sent as a SceneText
// before its first job: engines read no files, and a session that contains it opens anywhere.
//
//   workbench → engine   {"type":"hello",…} {"type":"scene","name":"saxpy",…}
//   {"type":"job","job":7,"tag":"live/warp_row",…}
//   {"type":"cancel","job":7} engine → workbench   {"type":"hello",…} {"type":"progress",…}
//   {"type":"measurement",…} {"type":"done",…}

namespace warpscope {

inline constexpr int kProtocolVersion = 1;

struct Capability {
  std::string name;  // "cuda", "nvrtc", "counters", "sass_metrics", "samples", "nvtx", "timeline",
                     // "nvml", "cusparse", "cublas", "cudnn", "roofs", "emulator"
  bool available = false;
  std::string version;  // of the library, where known
  std::string reason;   // why not
  std::string remedy;
};

struct DeviceDescription {
  std::string name, uuid;
  int compute_capability = 0;  // major·10 + minor
  int multiprocessors = 0;
  std::int64_t memory_bytes = 0, free_bytes = 0, l2_bytes = 0;
  std::int64_t shared_bytes_per_block = 0, shared_bytes_per_multiprocessor = 0;
  std::int64_t registers_per_multiprocessor = 0;
  double sm_clock_mhz = 0, memory_clock_mhz = 0;  // maxima
};

struct Hello {
  int protocol = kProtocolVersion;
  std::string role;   // "workbench", "measure", "emulate"
  std::string build;  // version and commit
  std::string date;
  std::int64_t process = 0;
  std::optional<DeviceDescription> device;
  std::string driver, toolkit;
  std::vector<Capability> capabilities;
};
const Capability* find_capability(const Hello& hello, std::string_view name);

// One launch of a person's program.
struct UserLaunch {
  std::string entry;  // as the entry of UserKernel
  Launch launch;
  // In the words of user_argument.h; "&x" is the program's buffer x, "&x+64" its byte 64.
  std::vector<std::string> arguments, variables;
  int line = 0;        // of the text, where it stands; 0: the text does not launch it
  bool feeds = false;  // a later launch reads what this one writes
};
// What UserKernel::guessed_sizes has for the launch's dynamic shared memory.
std::string shared_size_name(const UserLaunch& launch);

// What is asked of a buffer after the launches.
struct UserOutput {
  std::string buffer;
  std::string expected_file, out_file;  // empty: none
  double relative = 0, absolute = 0;    // how far an element may be from the expected one
  std::int64_t first = 0, count = 0;    // elements to print
};

// Kernels of the person's own, to be traced.
struct UserKernel {
  std::string path;  // of the .cu or .ptx file, whose text is among the job's sources
  // Its name, or a name expression of a template: "saxpy<float>". Empty: the file's only kernel.
  std::string entry;
  Launch launch;
  std::vector<std::string> arguments;  // in the words of user_argument.h: "f32[1024]:random"
  std::vector<std::pair<std::string, std::string>> defines;
  std::vector<std::string> options;    // as parse_compiler_options takes them, without folders
  std::vector<std::string> variables;  // to be set before: "table=f32[9]:random"
  // A program: its buffers with their words, and its launches, which run in this order in one
  // memory. Without launches: the one of entry, launch, arguments and variables.
  std::vector<std::pair<std::string, std::string>> buffers = {};
  std::vector<UserLaunch> launches = {};
  std::vector<UserOutput> outputs = {};
  // Values are read from a program's text: one that does not fit the kernel is replaced, with a
  // sentence that says so.
  bool guessed = false;
  // Buffers whose count nobody said, and shared_size_name of launches.
  std::vector<std::string> guessed_sizes = {};
  // Buffers of whole numbers that nobody said the content of: random ones are in them.
  std::vector<std::string> guessed_contents = {};
};

// What each kind of job asks for; what all kinds have is in Job.

// Who chooses for an automatic row with fitted costs: times of its nearest candidates, except where
// its table has a time of this configuration on this device; or always one of the two.
enum class ChooseBy { device, table, measure };

// One variant at one configuration: checked, timed, counted.
struct MeasureJob {
  // As parse_counters reads it; "lines": also by source line; "samples": where warps wait.
  std::string counters = "none";
  bool cold_counters = false;  // flush L2 before every counter pass; else counters are warm
  bool time = true;            // false: counters (and check) only
  bool live = false;           // first samples at once as a partial measurement, then the rest
  ChooseBy choose = ChooseBy::device;
};

// Measure the roofs.
struct RoofsJob {
  bool fresh = false;  // not those that the engine keeps
};

// Capture three runs of a variant, or one if it runs on the host.
struct TimelineJob {};

// Check outputs only.
struct VerifyJob {
  // A hard case of the scene, whose inputs are emulated; the job's `axes` have its values already.
  // Answered by a HardVerdict. Empty: the inputs as they are made.
  std::string hard_case;
};

// The counters' known-answer test.
struct SelftestJob {};

// What is emulated: PTX; machine code, which needs nvdisasm; or the best: machine code if that is
// possible, else PTX.
enum class TracedCode { ptx, machine_code, best };

// Emulate a kernel of a variant: requests of a block, sums over the grid.
struct TraceJob {
  std::string block = "0";  // whose requests are kept: "x,y,z" or its linear index
  int warp = -1;            // whose requests are kept; −1: of all warps of the block
  bool grid = true;         // run every block, so that sums cover the grid
  // Without `grid`: above 0, run as many blocks as take about this many warp instructions, chosen
  // so that they stand for the grid, and scale their sums; run all blocks if they take no more. 0:
  // run only the kept block.
  std::int64_t sample_instructions = 0;
  std::string step;   // empty: every kernel step of the variant
  bool live = false;  // the block at once, then the sample
  TracedCode code = TracedCode::ptx;
  bool live_registers = false;  // how many are in use at each instruction of machine code
  bool dependencies = false;    // which instructions each one of machine code has to wait for
  // Threads of the host; 0: as many as it has. With 1, blocks that meet in memory do so in the
  // order of their indices, so that the answer is the same on every machine.
  int threads = 0;
  bool hashes = false;  // of the outputs after the last step, if all blocks of every step run
};

// Compile a variant's kernels; nothing runs, no GPU is needed. Each of these compute capabilities
// is answered by a Compilation.
struct RegistersJob {
  std::vector<int> architectures;
};

// Run two variants and compare their outputs, bit by bit.
struct OutputsJob {
  std::string other;  // the second variant
};

// Compile a kernel step to PTX and to machine code; nothing runs.
struct ListingJob {
  std::string step;                // empty: the first kernel step
  std::vector<int> architectures;  // the first is that of the machine code; empty: PTX alone
};

// Record what the warps of a variant's kernels do and when, by probes in their PTX. Answered by a
// WarpTimeline for each kernel step.
struct WarpsJob {
  std::string step;  // empty: every kernel step of the variant
  bool waits = true, barriers = true, loops = true;
  std::vector<int> lines = {};  // of the kernel's own file
  bool all = false;             // keep all probes, however slow they make the kernel
};

// Run a variant's steps on batch after batch, in slices between other jobs. Answered by growing
// Series, Pictures, and a TrainingState at regular intervals and at the end, also when it is
// cancelled.
struct TrainJob {
  std::map<std::string, std::string> training;  // changes from the training's own defaults
  std::optional<TrainingState> resume;          // to go on from; at step 0 weights to begin with
  double checkpoint_s = 10;
  bool latents = false;  // Latents of what is held out, at the end
};

using JobWork = std::variant<MeasureJob, RoofsJob, TimelineJob, VerifyJob, SelftestJob, TraceJob,
                             RegistersJob, OutputsJob, ListingJob, TrainJob, WarpsJob>;

// The alternatives of JobWork, in their order.
enum class JobKind {
  measure,
  roofs,
  timeline,
  verify,
  selftest,
  trace,
  registers,
  outputs,
  listing,
  train,
  warps,
};
JobWork work_of(JobKind kind);  // as a line has it that gives nothing but its kind

struct Job {
  std::int64_t job = 0;  // unique in a session, counts up
  std::string tag;       // empty: never replaced
  std::string scene, variant;
  std::map<std::string, std::string> axes;  // changes from the scene's defaults, as typed
  JobWork work;
  double time_limit_s = 15;  // for each of cold and warm sampling
  double hang_limit_s = 30;  // after which the watchdog ends the engine
  bool first = false;        // before all that wait: what a person looks at
  // The kernels that it may launch and what they include: an engine reads no file of kernels. They
  // are put in on the way to an engine; jobs that are recorded have none. A source with a hash but
  // without a text was sent to this engine before. For a person's own kernel, its own file comes
  // first.
  std::vector<KernelSource> sources;
  // A hash of all their paths and hashes. Where this engine was sent that set before, `sources` is
  // empty and stands for it: a drag asks for dozens of points a frame. Empty: `sources` is all.
  std::string source_set;
  // For a scene that is a folder: the hash of its SceneText, which was sent before.
  std::string scene_text;
  // Instead of a scene's variant, of trace jobs and of listing jobs, which then list its kernels.
  std::optional<UserKernel> user;

  JobKind kind() const { return static_cast<JobKind>(work.index()); }
  // Null: the job is of another kind.
  template <typename Work>
  const Work* as() const {
    return std::get_if<Work>(&work);
  }
  template <typename Work>
  Work* as() {
    return std::get_if<Work>(&work);
  }
  template <typename Work>
  bool is() const {
    return std::holds_alternative<Work>(work);
  }
};
// "none" of a job that counts nothing.
std::string counters_of(const Job& job);
// Whether it follows a slider.
bool is_live(const Job& job);

// The architectures that a table of registers has unless others are asked for.
inline constexpr int kUsualArchitectures[] = {80, 86, 89, 90, 100};

// A sample of this many warp instructions takes about a second on one core.
inline constexpr std::int64_t kUsualSampleInstructions = 4'000'000;

struct Cancel {
  std::int64_t job = 0;
};

struct Progress {
  std::int64_t job = 0;
  double done_ratio = 0;  // 0 … 1
  std::string text;       // "counters standard: pass 3 of 11"
  double silence_s = 0;   // how long nothing may be heard now, where that is over the job's limit
  std::string held_by;    // who holds the device that is waited for; empty: it is not waited for
  double waited_s = 0;    // … how long so far
};

struct LogLine {
  std::string level;  // "info", "warning", "error"
  std::string text;
  std::int64_t job = 0;
};

enum class DoneStatus { finished, replaced, cancelled, failed };

struct Done {
  std::int64_t job = 0;
  DoneStatus status = DoneStatus::finished;
  std::optional<Error> error;  // for failed
  bool restart = false;        // the engine's device context is lost: end me and start another
};

// A line that this version does not know, kept as it is.
struct Unknown {
  std::string line;
};

using Message =
    std::variant<Hello, Job, Cancel, Progress, Measurement, RoofSet, Timeline, Trace, Series,
                 Picture, Iteration, NamedBaseline, Compilation, OutputPair, HardVerdict, Listing,
                 SceneText, TrainingState, Latents, WarpTimeline, LogLine, Done, Unknown>;

// The linear index of a trace job's block, x + grid.x·(y + grid.y·z). error: usage (no block of the
// launch), with the range.
Result<std::int64_t> parse_block(const std::string& text, const Launch& launch);
// Whether the block has that warp; −1 stands for all. error: usage, with the range.
Result<void> check_warp(int warp, const Launch& launch);

// One line without the newline. Numbers keep full precision; NaN and infinities never appear.
std::string to_line(const Message& message);

// error: input, with the byte position where the text stops being a message.
Result<Message> parse_line(std::string_view line);
// Whether a line that is not a message is the beginning of one: an object that was cut off.
bool begins_message(std::string_view line);

}  // namespace warpscope
