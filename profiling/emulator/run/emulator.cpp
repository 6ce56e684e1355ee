// profiling/emulator/run/emulator.cpp: runs a PTX kernel on the CPU, a warp at a time.
#include "profiling/emulator/emulator.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>

#include "profiling/emulator/decode/decode.h"
#include "profiling/emulator/emulate_code.h"
#include "profiling/emulator/run/kernel_run.h"
#include "profiling/emulator/run/launch_limits.h"
#include "profiling/emulator/state/memory_copy.h"

namespace warpscope {

struct Program::Module {
  std::string text;  // what the module's names point into
  std::string main_file;
  PtxModule parsed;
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<const KernelCode>> kernels;
};

namespace {

// More than any real module has. Text is copied for every instruction that stands at it, memory is
// taken for every array: what a small file may declare is bounded.
constexpr std::size_t kLongestFileName = 4096;  // PATH_MAX of Linux
constexpr std::size_t kMostVariables = 1 << 16;
constexpr std::int64_t kMostVariableBytes = 256LL << 20;  // of all arrays of a module together

// Why a module is not run, or nothing.
std::string too_large(const PtxModule& module) {
  for (const auto& [number, name] : module.files) {
    if (name.size() > kLongestFileName) return "the name of a file has over 4096 bytes";
  }
  if (module.variables.size() > kMostVariables)
    return "it declares over " + std::to_string(kMostVariables) + " arrays";
  std::int64_t bytes = 0;
  for (const PtxVariable& variable : module.variables) {
    bytes += variable.bytes;
    if (bytes > kMostVariableBytes) return "its arrays need over 256 MiB";
  }
  return {};
}

}  // namespace

Result<Program> Program::parse(std::string_view ptx, std::string main_file) {
  return parse(ptx, std::move(main_file), {});
}

Result<Program> Program::parse(std::string_view ptx, std::string main_file,
                               std::string_view source) {
  Program program;
  program.module_ = std::make_shared<Module>();
  program.module_->text = std::string(ptx);
  program.module_->main_file = std::move(main_file);
  Result<PtxModule> parsed = parse_ptx(program.module_->text, program.module_->main_file);
  if (!parsed) return tl::unexpected(parsed.error());
  if (std::string why = too_large(*parsed); !why.empty()) {
    return failure(ErrorKind::input, std::move(why), program.module_->main_file,
                   "the emulator takes smaller modules");
  }
  program.module_->parsed = std::move(*parsed);
  program.module_->parsed.arrays = source_arrays(source);
  return program;
}

std::vector<std::string> Program::entries() const {
  std::vector<std::string> names;
  for (const PtxFunction& f : module_->parsed.functions) {
    if (f.entry && f.defined) names.emplace_back(f.name);
  }
  return names;
}

Result<std::shared_ptr<const KernelCode>> Program::kernel(const std::string& entry) const {
  const std::lock_guard lock(module_->mutex);
  const auto known = module_->kernels.find(entry);
  if (known != module_->kernels.end()) return known->second;
  for (const PtxFunction& f : module_->parsed.functions) {
    if (!f.entry || !f.defined || f.name != entry) continue;
    if (!f.problem.empty()) {
      return failure(ErrorKind::input,
                     "the parameters of " + entry + " are not known: " + f.problem,
                     module_->main_file, "launch another entry, or compile this one again");
    }
    return module_->kernels[entry] = decode_kernel(module_->parsed, module_->main_file, f);
  }
  std::string names;
  for (const std::string& name : entries()) names += (names.empty() ? "" : ", ") + name;
  // A text that is not right, as one that does not compile is.
  return failure(ErrorKind::input,
                 "there is no entry " + entry + (names.empty() ? "" : "; there are: " + names),
                 module_->main_file,
                 names.empty() ? "declare a kernel extern \"C\" __global__"
                               : "write entry = \"…\" with one of them where it is launched, or "
                                 "call the kernel " +
                                     entry);
}

std::shared_ptr<const void> Program::identity() const { return module_; }
const PtxModule& Program::parsed() const { return module_->parsed; }
const std::string& Program::main_file() const { return module_->main_file; }

std::vector<ParameterInfo> parameters(const KernelCode& kernel) { return kernel.parameters; }
std::int64_t static_shared_bytes(const KernelCode& kernel) { return kernel.static_shared_bytes; }

namespace {

// For one run, beside its buffers and its trace: registers, local memory and sums.
constexpr std::int64_t kMostRunBytes = 512LL << 20;

Result<void> check_launch(const KernelCode& kernel, std::span<const ArgumentBytes> arguments) {
  const auto refuse = [&](std::string what, std::string remedy) {
    return failure(ErrorKind::usage, std::move(what), kernel.entry, std::move(remedy));
  };
  if (arguments.size() != kernel.parameters.size()) {
    return refuse("the kernel takes " + std::to_string(kernel.parameters.size()) +
                      " arguments, not " + std::to_string(arguments.size()),
                  "give one for each parameter");
  }
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (static_cast<std::int64_t>(arguments[k].value.size()) == kernel.parameters[k].bytes)
      continue;
    return refuse("argument " + std::to_string(k) + " has " +
                      std::to_string(arguments[k].value.size()) + " bytes, its parameter " +
                      std::to_string(kernel.parameters[k].bytes),
                  "give it the parameter's type");
  }
  return {};
}

Result<void> check_blocks(const KernelCode& kernel, const Launch& launch,
                          const std::vector<std::int64_t>& blocks) {
  const std::int64_t grid = launch.grid.x * launch.grid.y * launch.grid.z;
  for (const std::int64_t block : blocks) {
    if (block >= 0 && block < grid) continue;
    return failure(
        ErrorKind::usage,
        "the grid of " + std::to_string(grid) + " blocks has no block " + std::to_string(block),
        kernel.entry, "choose a block of the grid");
  }
  return {};
}

// A cooperative launch needs all of its blocks on the device at once.
Result<void> check_residence(const KernelCode& kernel, const Launch& launch) {
  const std::int64_t grid = blocks_of(launch.grid), most = device_blocks(kernel, launch);
  if (!launch.cooperative || grid <= most) return {};
  return failure(ErrorKind::usage,
                 "a cooperative launch needs all of its " + std::to_string(grid) +
                     " blocks on the device at once; an H200 holds " + std::to_string(most) +
                     " of them",
                 kernel.entry, "launch fewer blocks, each with more work");
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

// What one worker takes: registers and local memory with its marks (once more, in bytes), and sums
// of instructions and sites, those by the buffer that was touched twice while they are added up.
std::int64_t bytes_of_worker(const KernelCode& kernel, std::int64_t warps,
                             const EmulatedMemory::State& memory) {
  constexpr std::int64_t kInstructionSums = 24, kBufferSums = 16;
  // Factors of which each was counted in memory: their products fit by far.
  const auto registers = static_cast<std::int64_t>(kernel.register_bytes) + 64;
  const auto sites = static_cast<std::int64_t>(kernel.sites.size());
  return warps * (registers + 2 * (kWarpLanes * kernel.local_bytes)) +
         static_cast<std::int64_t>(kernel.code.size()) * kInstructionSums +
         sites * (static_cast<std::int64_t>(sizeof(AccessTotals)) +
                  kBufferSums * static_cast<std::int64_t>(memory.buffers.size()));
}

// Whether blocks of the kernel can see each other's progress: they use what an atomic returns, or
// read what others may write meanwhile.
bool may_meet(const KernelCode& code) {
  const bool atomics = std::any_of(code.sites.begin(), code.sites.end(), [](const AccessSite& s) {
    return s.kind == AccessKind::atomic && s.space != Space::shared;
  });
  return atomics || std::any_of(code.code.begin(), code.code.end(),
                                [](const Instruction& i) { return (i.flags & kFlagStrong) != 0; });
}

// Blocks that wait for each other, or of which the last one does more, cannot stand for a grid:
// then all of them run, if they take no more than a few samples do.
EmulatedRun run_sampled_or_whole(const KernelCode& code, const Launch& launch,
                                 const EmulateOptions& options, EmulatedMemory::State& memory,
                                 const std::function<EmulatedRun(const EmulateOptions&)>& run) {
  constexpr std::int64_t kMostKept = 256LL << 20, kSamplesOfAll = 16;
  const bool sampled = options.sample_instructions > 0 && options.sums && options.blocks.empty() &&
                       !launch.cooperative && may_meet(code);
  const std::optional<MemoryCopy> before =
      sampled ? MemoryCopy::of(memory, kMostKept) : std::nullopt;
  EmulatedRun part = run(options);
  const bool unfit = part.trace.sample && !part.trace.sample->unfit.empty();
  if (!before || part.cancelled || !unfit) return part;
  before->restore(memory);
  EmulateOptions all = options;
  all.sample_instructions = 0;
  all.instruction_budget =
      std::min(options.instruction_budget, kSamplesOfAll * options.sample_instructions);
  EmulatedRun whole = run(all);
  const bool ended = std::none_of(whole.trace.faults.begin(), whole.trace.faults.end(),
                                  [](const Fault& f) { return f.kind == FaultKind::budget; });
  if (ended || whole.cancelled) return whole;
  // What the blocks of the sample wait for is in blocks that were not run.
  std::erase_if(part.trace.faults, [](const Fault& f) {
    return f.kind == FaultKind::deadlock || f.kind == FaultKind::endless_loop;
  });
  part.trace.hang.reset();
  return part;
}

}  // namespace

Result<EmulatedRun> emulate(const Program& program, const std::string& entry, const Launch& given,
                            std::span<const ArgumentBytes> arguments, EmulatedMemory& memory,
                            const EmulateOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  Result<std::shared_ptr<const KernelCode>> kernel = program.kernel(entry);
  if (!kernel) return tl::unexpected(kernel.error());
  const Launch launch = with_own_cluster(program.parsed(), entry, given);
  const Result<void> good =
      within_limits(program.parsed(), **kernel, launch, options.compute_capability);
  if (!good) return tl::unexpected(good.error());
  // The module's own arrays are buffers too.
  const std::vector<std::uint64_t>& variable_addresses =
      memory.state().place(program.identity(), program.parsed()).addresses;
  Result<EmulatedRun> run = emulate_code({**kernel, program.main_file(), variable_addresses},
                                         launch, arguments, memory, options);
  if (run) run->trace.emulate_ms = milliseconds_since(start);
  return run;
}

Result<EmulatedRun> emulate_code(const CodeToRun& what, const Launch& launch,
                                 std::span<const ArgumentBytes> arguments, EmulatedMemory& memory,
                                 const EmulateOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const KernelCode& code = what.kernel;
  const Result<void> good =
      check_launch(code, arguments)
          .and_then([&] { return check_blocks(code, launch, options.blocks); })
          .and_then([&] { return check_residence(code, launch); });
  if (!good) return tl::unexpected(good.error());
  const std::uint64_t workspace = launch.cooperative ? memory.state().workspace() : 0;
  if (code.allocates) memory.state().make_heap();
  const std::int64_t warps = warps_of(launch);
  const std::int64_t each =
      bytes_of_worker(code, warps, memory.state()) * blocks_of(launch.cluster);
  if (each > kMostRunBytes) {
    return failure(ErrorKind::resource,
                   "registers, local memory and sums of a block of " + std::to_string(warps) +
                       " warps (of all of a cluster) need " + std::to_string(each >> 20) +
                       " MiB, over the limit of " + std::to_string(kMostRunBytes >> 20) + " MiB",
                   code.entry, "choose a smaller block, or a smaller kernel");
  }
  const std::int64_t affordable = std::max<std::int64_t>(1, kMostRunBytes / each);
  const auto run_with = [&](const EmulateOptions& how) {
    KernelRun run(code, launch, how, memory.state());
    run.set_arguments(arguments, what.variable_addresses);
    if (launch.cooperative) run.set_workspace(workspace);
    run.run(affordable);
    EmulatedRun result;
    result.cancelled = run.cancelled();
    result.trace.source = what.main_file;
    result.trace.entry = code.entry;
    result.trace.launch = launch;
    result.trace.buffers = memory.buffers();
    run.describe(result.trace);
    return result;
  };
  EmulatedRun result = run_sampled_or_whole(code, launch, options, memory.state(), run_with);
  result.trace.emulate_ms = milliseconds_since(start);
  return result;
}

}  // namespace warpscope
