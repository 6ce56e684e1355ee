// profiling/emulator/emulator.h: runs a PTX kernel on the CPU, a warp at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/access/trace.h"
#include "scenes/base/array.h"
#include "scenes/host/result.h"

// The way from text to a trace:
//
//   Result<Program> program = Program::parse(ptx, "csrmm/warp_row.cu");
//   EmulatedMemory memory;
//   std::uint64_t b = memory.add({"b", ElementType::f32, {k, n}}, bytes, true);
//   std::vector<ArgumentBytes> arguments = {argument_of(b), argument_of(n)};
//   Result<EmulatedRun> run = emulate(*program, "warp_row", launch, arguments, memory, options);
//
// Lanes that would fault are masked before anything is touched, the fault is noted, and the run
// goes on to collect more.

namespace warpscope {

struct KernelCode;  // decoded kernel: kernel_code.h
struct PtxModule;   // what the text says: module.h

// A parsed PTX module. Cheap to copy; kernels are decoded at first use.
class Program {
 public:
  // `main_file` is the person's own source: positions inlined from other files are walked outward
  // to it. error: input, one sentence with the PTX line that could not be read.
  static Result<Program> parse(std::string_view ptx, std::string main_file);
  // `source`: the CUDA text that it was compiled from, for what PTX does not say of arrays: their
  // extents, and whether a constant has values.
  static Result<Program> parse(std::string_view ptx, std::string main_file,
                               std::string_view source);
  std::vector<std::string> entries() const;
  // error: usage when there is no such entry (the sentence lists those there are).
  Result<std::shared_ptr<const KernelCode>> kernel(const std::string& entry) const;
  const std::string& main_file() const;
  const PtxModule& parsed() const;
  // The same for all copies: module variables live in an EmulatedMemory under it.
  std::shared_ptr<const void> identity() const;

 private:
  struct Module;
  std::shared_ptr<Module> module_;
};

// What a kernel's parameters are, to build arguments and to refuse a wrong number of them.
struct ParameterInfo {
  std::int64_t bytes = 0, offset = 0, alignment = 0;
};
std::vector<ParameterInfo> parameters(const KernelCode& kernel);
std::int64_t static_shared_bytes(const KernelCode& kernel);

// Device memory of an emulation: buffers with gaps between them, so that a wrong index meets no
// neighbour. Bytes written or given are initialised; reading others is a fault where asked.
class EmulatedMemory {
 public:
  struct Spec {
    std::string name, symbol;
    ElementType type = ElementType::f32;
    std::vector<std::int64_t> shape;
  };
  EmulatedMemory();
  ~EmulatedMemory();
  EmulatedMemory(EmulatedMemory&&) noexcept;
  EmulatedMemory& operator=(EmulatedMemory&&) noexcept;

  // A buffer of bytes.size() bytes that kernels read and write in place; the span must outlive the
  // memory. Returns its address, a multiple of 256 as cudaMalloc gives.
  std::uint64_t add(Spec spec, std::span<std::byte> bytes, bool initialised);
  // The same for an array, which must outlive the memory and not move. If the array is made page by
  // page, only the pages that kernels load, store or copy are made.
  std::uint64_t add(Spec spec, HostArray& array, bool initialised);
  // Marks a buffer wholly initialised (after a host write) or wholly not.
  void set_initialised(std::uint64_t address, bool initialised);
  // Marks `bytes` bytes of a buffer from `offset` on initialised; they lie inside it.
  void mark_initialised(std::uint64_t address, std::int64_t offset, std::int64_t bytes);
  // Elements of a buffer, of a given size in bytes, that have a byte which was never initialised.
  struct Unwritten {
    std::int64_t count = 0, first = 0;
  };
  Unwritten unwritten(std::uint64_t address, std::int64_t element_bytes) const;
  // From now on a kernel's store there is a fault: an input is the same for every run.
  void refuse_writes(std::uint64_t address);
  // The __device__ variables of programs begin as they were left there, as they do from one launch
  // to the next on a device.
  void keep_variables_of(const EmulatedMemory& earlier);
  std::vector<TracedBuffer> buffers() const;
  // Writes the beginning of a constant array, as later launches of the program in this memory see
  // it. error: usage, the program has no such array or a smaller one.
  Result<void> fill_constant(const Program& program, const std::string& symbol,
                             std::span<const std::byte> bytes);
  // The same of a __constant__ or __device__ variable by the name that the text gives it. error:
  // usage, with the variables there are.
  Result<void> fill_variable(const Program& program, const std::string& name,
                             std::span<const std::byte> bytes);

  struct State;
  State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

// Kernel arguments as the bytes of the parameter space, each aligned to its own size.
struct ArgumentBytes {
  std::vector<std::byte> value;
};
template <typename T>
ArgumentBytes argument_of(const T& value) {
  const auto* first = reinterpret_cast<const std::byte*>(&value);
  return {{first, first + sizeof(T)}};
}

// Enough to draw which block wrote what; of arrays up to this size it is exact.
inline constexpr std::int64_t kUsualWriterEntries = 1 << 13;

struct EmulateOptions {
  // Linear indices of blocks to run; empty: all of the grid.
  std::vector<std::int64_t> blocks;
  // Above 0, for a run with sums and without `blocks`: runs as many blocks as take about this many
  // warp instructions and scales the sums to the grid. Runs all blocks if they take no more.
  std::int64_t sample_instructions = 0;
  // How much work a block has, to choose them by. Null: by position.
  std::function<double(const Dim3& block)> block_work;
  // Keep requests and issued instructions of this block (−1: of none) and warp (−1: of all).
  std::int64_t traced_block = 0;
  int traced_warp = -1;
  std::int64_t maximum_requests = 200'000;  // kept; sums go on
  bool sums = true;                         // per-site and per-line sums; false: outputs only
  // Entries at most of each buffer's WriterMap, where the whole grid runs; 0: no maps.
  std::int64_t writer_entries = 0;
  bool check_uninitialised = true;
  bool check_races = true;  // and read-only loads of what the launch writes
  // Races between blocks, where check_races and more than one block runs; see block_races.h.
  bool check_block_races = true;
  std::int64_t instruction_budget = 4'000'000'000;  // warp instructions of the whole run
  double time_limit_s = 0;  // of the whole run, which then ends with a fault that says so; 0: none
  // Time is the only limit then; 0: the budget of instructions is.
  void limit_time(double seconds) {
    time_limit_s = seconds;
    if (seconds > 0) instruction_budget = std::numeric_limits<std::int64_t>::max();
  }
  int compute_capability = 90;  // what this refuses is refused here too: launch_limits.h
  int threads = 1;              // OS threads; blocks are dealt out to them
  // Asked about every millisecond; null: never.
  std::function<bool()> cancelled;
  std::function<void(double done_ratio)> progress;
};

struct EmulatedRun {
  Trace trace;  // without job, scene, variant and key
  bool cancelled = false;
};

// error: usage (a launch that the architecture does not take, wrong arguments), input (a text that
// ptxas would not compile for it), resource. Faults are in the trace.
Result<EmulatedRun> emulate(const Program& program, const std::string& entry, const Launch& launch,
                            std::span<const ArgumentBytes> arguments, EmulatedMemory& memory,
                            const EmulateOptions& options);

}  // namespace warpscope
