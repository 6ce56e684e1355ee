// profiling/access/trace.h: what the emulator saw of one kernel launch: requests, sites, lines,
// faults.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiling/access/access.h"
#include "profiling/access/barrier_events.h"
#include "profiling/access/hang_story.h"
#include "profiling/figures/metric.h"
#include "scenes/base/scene.h"

// A trace is a message of the session like a measurement; panels draw it, commands print it. What
// panels ask of one (elements, comparisons with counters) is in trace_view.h.

namespace warpscope {

// A message keeps at most this many issued instructions. Further ones are left out, and `truncated`
// says so.
inline constexpr std::int64_t kMostIssuedInstructions = 1 << 22;

// Fault::buffer of shared memory whose size the launch gives, and of what no array of it is at.
inline constexpr const char* kDynamicShared = "dynamic shared memory";
inline constexpr const char* kUnnamedShared = "shared memory";

// A buffer as the emulated kernel sees it, to say B[4711, 0..31] instead of an address.
struct TracedBuffer {
  std::string name, symbol;  // of the BufferSpec
  ElementType type = ElementType::f32;
  std::vector<std::int64_t> shape;  // row-major
  std::uint64_t address = 0;        // multiple of 256, as cudaMalloc aligns
  std::int64_t bytes = 0;
};

enum class FaultKind {
  out_of_bounds,
  misaligned,
  uninitialised_read,
  shared_race,
  block_race,  // blocks use a word of global memory at the same time, one of them to write
  divergent_barrier,
  missing_wait,  // what a copy or wgmma works on beside the lanes was used before it was waited for
  budget,        // it reached its limit of time or instructions: no fault, the result is partial
  deadlock,      // all warps wait and none can go on
  endless_loop,  // registers and memory come back to what they were: it never ends
  assertion,     // __assertfail or trap
  unsupported,   // an instruction that the emulator does not know was reached
  stale_read,    // a read-only load of what the same launch writes
  absent_lane,   // a shuffle reads from a lane that takes no part, or a mask leaves out its lane
  missing_fence,  // wgmma or an asynchronous copy without the fence that shows it what was written
  global_race     // threads of a block use a word of global memory with no barrier between them
};
const char* to_text(FaultKind kind);  // "out of bounds"

// One kind of fault at one instruction; further ones there are counted.
struct Fault {
  FaultKind kind = FaultKind::out_of_bounds;
  SourcePosition position;
  Dim3 block, thread;       // of the first
  std::string buffer;       // empty: none near
  std::int64_t index = -1;  // element of the buffer, -1: none
  std::int64_t count = 1;
  std::string sentence;  // whole, with line, block, thread, buffer, index and by how much
  // Out of bounds: elements with which the buffer would hold every such access at this instruction,
  // bytes of dynamic shared memory; below 1: no size would hold them.
  std::int64_t needed = 0;
  bool guessed_size = false;  // nobody said how large the buffer is: a warning
  // Nobody said what buffers hold, and with other numbers in them it does not happen: a warning.
  bool guessed_content = false;
};

// Everything one source line did.
struct LineTotals {
  SourcePosition position;
  std::int64_t instructions = 0;  // warp instructions executed
  std::int64_t threads = 0;       // active lanes over those
  AccessTotals global, shared, local;
  int sites = 0;  // memory instructions made of this line: 4 when it was unrolled ×4
};

// One instruction that a warp executed, for the divergence diagram.
struct IssuedInstruction {
  std::uint32_t instruction = 0;  // index in the kernel's instruction list
  std::uint32_t active = 0;
  int line = 0;
};

struct TraceScope {
  bool grid = false;       // sums cover the whole grid
  std::int64_t block = 0;  // linear index of the block whose requests are kept
  int warp = -1;           // −1: requests of all its warps
};

// Which block wrote each part of a buffer; of several, the one with the highest index.
struct WriterMap {
  std::string buffer;
  std::int64_t elements = 1;         // of the buffer, row-major, that share an entry
  std::vector<std::int64_t> blocks;  // linear index of the block; −1: none wrote there
  bool operator==(const WriterMap&) const = default;
};

// Where a part of the blocks was run: the sums of instructions, sites and lines are scaled to the
// grid, and lie so far from what the whole grid would give.
struct TraceSample {
  std::int64_t blocks = 0;  // that were run
  int strata = 0;           // groups of like blocks that they were drawn from
  // Half of the 99 % interval of each emulated figure, by the counter that it answers to.
  std::map<std::string, double> spreads;
  // Why the blocks do not stand for the grid ("its blocks take work from one another"): then sums
  // are of the blocks that were run.
  std::string unfit;
  bool operator==(const TraceSample&) const = default;
};

// What a buffer of the person's own held after the launches.
struct TracedOutput {
  std::string name;
  std::string printed;   // the elements that were asked for, in words; empty: none were
  std::string sentence;  // how it differs from what was expected, or that it does not
  bool wrong = false;
  std::string hash;     // of its bytes, where that was asked for …
  std::string no_hash;  // … or why there is none
  bool operator==(const TracedOutput&) const = default;
};

// Registers of a person's kernel that the compiler keeps in local memory, since a thread has fewer
// than it needs. PTX does not show them: ptxas tells the sums, machine code the lines.
struct SpilledRegisters {
  struct Line {
    SourcePosition position;
    std::int64_t store_bytes = 0, load_bytes = 0;
    bool operator==(const Line&) const = default;
  };
  int registers_per_thread = 0;
  std::int64_t store_bytes = 0, load_bytes = 0;  // per thread, where each is executed once
  std::vector<Line> lines;                       // with most bytes first
  bool operator==(const SpilledRegisters&) const = default;
};

// The registers in use at an instruction of machine code: their values are read there or later
// before they are written again, or it writes them.
struct LiveRegisters {
  int general = 0, uniform = 0, predicates = 0, uniform_predicates = 0;
  std::string names;  // "R0-R3 R8 UR4-UR5 P0"; empty if they are not known
  bool operator==(const LiveRegisters&) const = default;
};

// How an instruction of machine code waits for another one.
enum class NeedKind : std::uint8_t {
  fixed,         // for a result that is ready after a fixed number of cycles
  value,         // for a register, when the other's scoreboard says so; without one: it has said so
  overwritten,   // until the other has read or written a register that this one overwrites
  order,         // for the other's scoreboard, though they share no register
  asynchronous,  // for a copy or product that runs beside the warp
};
// A scoreboard is one of six counters of a warp: an instruction of unknown latency sets it, and
// another waits until it is clear. source: the wait and set fields of the encoding, bits 110 … 121.
struct MachineNeed {
  std::uint32_t row = 0;  // the other instruction
  NeedKind kind = NeedKind::fixed;
  std::int8_t scoreboard = -1;  // 0 … 5; −1: none
  bool operator==(const MachineNeed&) const = default;
};

// What one instruction of machine code did. Its accesses are the sites of its number.
struct MachineRow {
  std::string text;                        // "@!P0 LDG.E R2, desc[UR4][R2.64]"
  SourcePosition position;                 // in the person's own file, where it comes from one
  std::int64_t executed = 0, threads = 0;  // warp instructions; lanes whose guard holds
  LiveRegisters live;                      // empty: a job that did not ask for them
  bool spill = false;                      // it spills a register or loads it again
  // The least number of cycles from its issue to that of the warp's next instruction, as the
  // compiler wrote it into the code; −1: a job that did not ask for dependencies.
  int issue_cycles = -1;
  std::vector<MachineNeed> needs;  // empty too if the job did not ask
  // What may follow it. Empty: the next row alone. Itself: nothing, the warp or the call ends.
  std::vector<std::uint32_t> next;
  bool operator==(const MachineRow&) const = default;
};

// SASS, the GPU's machine code, of a kernel. An instruction has 16 bytes.
struct MachineFigures {
  int compute_capability = 0;
  int registers_per_thread = 0;
  std::vector<MachineRow> rows;      // in the order of the code
  std::vector<std::string> unknown;  // forms that are not emulated, each with its instruction
  bool operator==(const MachineFigures&) const = default;
};

struct Trace {
  std::int64_t job = 0;
  std::string scene, variant, key;  // empty scene: a file of the person's own
  std::string step;                 // the step traced; a variant with several has several traces
  std::string source, entry;
  Launch launch;
  TraceScope scope;
  std::optional<TraceSample> sample;  // no value: sums are those of `scope`, none is scaled
  std::vector<TracedBuffer> buffers;
  std::vector<AccessSite> sites;
  std::vector<LineTotals> lines;
  std::vector<WarpRequest> requests;                   // of scope.block, by warp, then by order
  std::vector<std::vector<IssuedInstruction>> issued;  // by warp, of scope.block
  // What the warps of scope.block did at its barriers; empty where there are none, or of an older
  // version.
  std::vector<TracedBarrier> barriers;
  std::vector<BarrierEvent> barrier_events;
  bool truncated = false;          // more requests or instructions than are kept
  std::vector<WriterMap> writers;  // of the whole grid; empty where it was not run
  std::vector<Fault> faults;
  std::optional<HangStory> hang;  // where warps wait that can never go on
  std::int64_t warp_instructions = 0, thread_instructions = 0, warps = 0;
  // Distinct 32-byte sectors of global memory that loads of all blocks together touched. In a
  // sample, only its blocks count, so it is a lower end. No value: traced by a version that did not
  // count them.
  std::optional<std::int64_t> unique_load_sectors;
  double compile_ms = 0, emulate_ms = 0;  // host time
  std::string source_hash;
  std::string compiler;                // of a file of the person's own: "nvcc 13.0"; empty: of PTX
  std::string printed;                 // what the kernel's printf wrote
  std::vector<std::string> stand_ins;  // sentences: what stood in for inputs that were not computed
  std::vector<MetricValue> metrics;    // emulated_metrics of trace_metrics.h
  std::vector<TracedOutput> outputs;   // of a file of the person's own, or asked for
  std::optional<SpilledRegisters> spills;  // the same; no value: none
  // The machine code that all of this is of; no value: it is of PTX.
  std::optional<MachineFigures> machine_code;
  // Why a job that asked for machine code if possible got PTX; empty: it did not.
  std::string no_machine_code;
};

// Whether the kernel did something wrong. A run that reached its limit is partial, not wrong.
bool has_faults(const Trace& trace);
// Whether it may be the guess that is wrong: a warning.
bool is_of_a_guess(const Fault& fault);
// As has_faults, without what is of a guess.
bool is_wrong(const Fault& fault);
bool is_wrong(const Trace& trace);
// Marks accesses beyond the end of these buffers, whose sizes are guesses. One that would need more
// memory than a GPU has stays what it is: another size does not help.
void mark_guessed_sizes(std::vector<Fault>& faults, const std::vector<std::string>& buffers);
// Marks faults that the same launch does not have, or has at other elements, if it begins with
// other numbers in these buffers, whose contents are guesses. `numbers` says which: "zeros".
void mark_guessed_contents(std::vector<Fault>& faults, const std::vector<Fault>& with_others,
                           const std::string& numbers, const std::vector<std::string>& buffers);
// Whether its buffer has one of the two names above: its size is in bytes.
bool is_dynamic_shared(const Fault& fault);
// Where the run reached its limit, with a sentence; null: it ended by itself.
const Fault* stop_at_limit(const Trace& trace);

// Why a trace that came from outside cannot be drawn (a request of no site, a width that no
// instruction has, a launch that no device takes), or nothing.
std::optional<std::string> defect(const Trace& trace);
// Why no device takes a grid or a block of this size, or nothing.
std::optional<std::string> defect(const Launch& launch);

// Whether sums stand for the whole grid: every block was run, or a sample that fits was scaled.
bool covers_grid(const Trace& trace);
// What its sums are of: "all blocks of 64", "64 of 4,096 blocks, …, scaled to the grid", "block 0
// of 64"; of machine code also that.
std::string scope_text(const Trace& trace);

std::int64_t block_count(const Launch& launch);  // of the grid
int warps_of(const Launch& launch);              // of one block
// The block at a linear index, x fastest, and back.
Dim3 block_at(const Launch& launch, std::int64_t linear);
std::int64_t linear_block(const Launch& launch, const Dim3& block);

}  // namespace warpscope
