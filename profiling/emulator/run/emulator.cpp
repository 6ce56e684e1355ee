// profiling/emulator/run/emulator.cpp: runs a PTX kernel on the CPU, a warp at a time.
#include "profiling/emulator/emulator.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "profiling/agreement/trace_metrics.h"
#include "profiling/emulator/decode/decoder.h"
#include "profiling/emulator/decode/launch_limits.h"
#include "profiling/emulator/decode/written_memory.h"
#include "profiling/emulator/memory/loaded_sectors.h"
#include "profiling/emulator/run/block_pool.h"
#include "profiling/emulator/run/block_sample.h"
#include "profiling/emulator/run/gather.h"
#include "profiling/emulator/run/sampled_sums.h"
#include "profiling/emulator/run/scheduler.h"

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
    return module_->kernels[entry] = Decoder(module_->parsed, module_->main_file).decode(f);
  }
  std::string names;
  for (const std::string& name : entries()) names += (names.empty() ? "" : ", ") + name;
  return failure(ErrorKind::usage, "there is no entry " + entry, module_->main_file,
                 names.empty() ? "declare a kernel extern \"C\" __global__" : "choose of " + names);
}

std::shared_ptr<const void> Program::identity() const { return module_; }
const PtxModule& Program::parsed() const { return module_->parsed; }
const std::string& Program::main_file() const { return module_->main_file; }

std::vector<ParameterInfo> parameters(const KernelCode& kernel) { return kernel.parameters; }
std::int64_t static_shared_bytes(const KernelCode& kernel) { return kernel.static_shared_bytes; }

namespace {

// Of one run, beside its buffers and its trace: registers, local memory and sums.
constexpr std::int64_t kMostRunBytes = 512LL << 20;
// What a block costs beside its instructions, in warp instructions: beginning one takes about as
// long. A grid of 2³¹ empty blocks ends by the budget too.
constexpr std::int64_t kBlockCost = 100;
constexpr std::size_t kMostPrinted = 1 << 20;  // bytes of a worker, as much as a device keeps
constexpr std::chrono::milliseconds kAskEvery{1};

// Of an H200. A block also takes registers, whose number only ptxas knows: so many fit at most.
// source: CUDA C++ Programming Guide, "Technical Specifications", compute capability 9.0.
constexpr std::int64_t kMultiprocessors = 132, kBlocksEach = 32, kThreadsEach = 2048;
constexpr std::int64_t kSharedEach = 233472, kSharedReserved = 1024;
constexpr std::int64_t kMostResidentBytes = 256ll << 20;  // on the host

std::int64_t device_blocks(const KernelCode& kernel, const Launch& launch) {
  const std::int64_t threads = launch.block.x * launch.block.y * launch.block.z;
  const std::int64_t rounded = (threads + kWarpLanes - 1) / kWarpLanes * kWarpLanes;
  const std::int64_t shared =
      kernel.static_shared_bytes + launch.dynamic_shared_bytes + kSharedReserved;
  return kMultiprocessors * std::min({kBlocksEach, kThreadsEach / rounded, kSharedEach / shared});
}

// How the sentence ends about what another block could change.
// `count` blocks were to run last, `ran` in all.
std::string why_endless(const RunShared& run, const BlockPool& pool, std::int64_t count,
                        std::int64_t ran, std::int64_t grid) {
  if (pool.in_circles()) {
    return "and what is stored meanwhile, here or by others, comes round again and again too";
  }
  if (pool.begun_count() < count) {
    return "all " + std::to_string(run.resident_blocks) + " blocks that " +
           (run.resident_by_memory ? "the emulator holds at once" : "fit an H200 at once") +
           " wait, and another begins only when one of them ends";
  }
  if (ran < grid) {
    return "no block that runs stores to it, and of the grid's " + std::to_string(grid) + " only " +
           std::to_string(ran) + (ran == 1 ? " was run" : " were run");
  }
  return "no block that still runs stores to it";
}

Result<void> check_launch(const KernelCode& kernel, const Launch& launch,
                          std::span<const ArgumentBytes> arguments) {
  const auto refuse = [&](std::string what, std::string remedy) {
    return failure(ErrorKind::usage, std::move(what), kernel.entry, std::move(remedy));
  };
  if (launch.cluster.x != 1 || launch.cluster.y != 1 || launch.cluster.z != 1) {
    return refuse("clusters of blocks are not emulated", "launch without a cluster");
  }
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

// What one worker takes: registers and local memory with its marks (once more, in bytes), and sums
// of instructions and sites, those by the buffer that was touched twice while they are added up.
std::int64_t bytes_of_worker(const KernelCode& kernel, std::int64_t warps,
                             const EmulatedMemory::State& memory) {
  constexpr std::int64_t kInstructionSums = 24, kBufferSums = 16;
  // Factors of which each was counted in memory: their products fit by far.
  const auto registers = static_cast<std::int64_t>(kernel.register_bytes) + 64;
  const auto sites = static_cast<std::int64_t>(kernel.sites.size());
  return warps * (registers + 2 * kWarpLanes * kernel.local_bytes) +
         static_cast<std::int64_t>(kernel.code.size()) * kInstructionSums +
         sites * (static_cast<std::int64_t>(sizeof(AccessTotals)) +
                  kBufferSums * static_cast<std::int64_t>(memory.buffers.size()));
}

}  // namespace

Result<EmulatedRun> emulate(const Program& program, const std::string& entry, const Launch& launch,
                            std::span<const ArgumentBytes> arguments, EmulatedMemory& memory,
                            const EmulateOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  Result<std::shared_ptr<const KernelCode>> kernel = program.kernel(entry);
  if (!kernel) return tl::unexpected(kernel.error());
  const KernelCode& code = **kernel;
  const Result<void> good =
      within_limits(program.parsed(), code, launch, options.compute_capability).and_then([&] {
        return check_launch(code, launch, arguments);
      });
  if (!good) return tl::unexpected(good.error());
  const std::int64_t grid = launch.grid.x * launch.grid.y * launch.grid.z;
  for (const std::int64_t block : options.blocks) {
    if (block < 0 || block >= grid) {
      return failure(
          ErrorKind::usage,
          "the grid of " + std::to_string(grid) + " blocks has no block " + std::to_string(block),
          entry, "choose a block of the grid");
    }
  }
  const std::int64_t warps =
      (launch.block.x * launch.block.y * launch.block.z + kWarpLanes - 1) / kWarpLanes;
  std::optional<BlockSample> sample;
  std::vector<std::int64_t> blocks = options.blocks;  // that are run now; empty: all
  if (options.sample_instructions > 0 && options.sums && blocks.empty()) {
    sample.emplace(launch, std::clamp<std::int64_t>(options.traced_block, 0, grid - 1),
                   options.sample_instructions, options.block_work);
    blocks = sample->next();
  }
  std::int64_t count = blocks.empty() ? grid : static_cast<std::int64_t>(blocks.size());
  // The module's own arrays are buffers too.
  const std::vector<std::uint64_t>& variable_addresses =
      memory.state().place(program.identity(), program.parsed()).addresses;
  const std::int64_t each = bytes_of_worker(code, warps, memory.state());
  const auto affordable = std::max<std::int64_t>(1, kMostRunBytes / each);
  const int threads = static_cast<int>(std::clamp<std::int64_t>(
      options.threads, 1, std::min({sample ? grid : count, std::int64_t{256}, affordable})));
  if (each > kMostRunBytes) {
    return failure(ErrorKind::resource,
                   "registers, local memory and sums of a block of " + std::to_string(warps) +
                       " warps need " + std::to_string(each >> 20) + " MiB, over the limit of " +
                       std::to_string(kMostRunBytes >> 20) + " MiB",
                   entry, "choose a smaller block, or a smaller kernel");
  }

  RunShared run;
  run.kernel = &code;
  run.memory = &memory.state();
  run.options = &options;
  run.launch = launch;
  run.one_thread = threads == 1;
  run.budget = options.instruction_budget;
  run.parameters.resize(static_cast<std::size_t>(code.parameter_bytes));
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    std::copy(arguments[k].value.begin(), arguments[k].value.end(),
              run.parameters.begin() + code.parameters[k].offset);
  }
  run.variable_addresses = variable_addresses;
  if (code.has_read_only_loads && options.check_races) {
    run.read_only_loads = std::make_unique<ReadOnlyLoads>(written_buffers(run), code);
  }

  const std::int64_t by_device = device_blocks(code, launch);
  const std::int64_t by_memory =
      std::max<std::int64_t>(kMostResidentBytes / block_bytes(code, launch), threads);
  run.resident_by_memory = by_memory < by_device;
  run.resident_blocks = std::min(by_memory, by_device);

  std::unique_ptr<BlockRaces> races;
  if (options.check_races && options.check_block_races && (count > 1 || sample)) {
    races = std::make_unique<BlockRaces>(run, written_buffers(run));
    run.races = races.get();
  }
  std::vector<Worker> workers(static_cast<std::size_t>(threads));
  std::optional<BlockPool> pool;
  std::int64_t ended = 0;  // in the rounds before
  auto asked_at = start;
  // Asked on the caller's thread only: what it calls need not be safe on others.
  const auto ask = [&] {
    const auto now = std::chrono::steady_clock::now();
    if (now - asked_at < kAskEvery) return;
    asked_at = now;
    if (options.cancelled && options.cancelled()) {
      run.cancelled = true;
      run.stop = true;
    }
    if (options.progress) {
      options.progress(static_cast<double>(pool->ended_count()) / static_cast<double>(count));
    }
  };
  const auto work = [&](std::size_t index) {
    Worker& worker = workers[index];
    if (worker.run == nullptr) prepare_worker(worker, run);
    worker.notes_writers = options.writer_entries > 0 && options.blocks.empty() && !sample;
    const std::function<void()> asked = index == 0 ? std::function<void()>(ask) : nullptr;
    const auto has_others = [&] { return pool->has_others(); };
    std::int64_t since_asked = 0;
    std::size_t prints = 0, printed = 0;
    for (BlockPool::Task task = pool->next(worker, asked); task.any();
         task = pool->next(worker, asked)) {
      if (task.begin >= 0) {
        if (task.empty != nullptr) resume_block(worker, *task.empty);
        if (worker.warps.empty()) allocate_block(worker);
        begin_block(worker,
                    blocks.empty() ? task.begin : blocks[static_cast<std::size_t>(task.begin)]);
      } else {
        resume_block(worker, *task.resume);
      }
      const std::int64_t before = worker.instructions;
      if (sample) before_sampled_turn(worker);
      const Turn turn = run_block(worker, asked, has_others);
      if (sample) after_sampled_turn(worker, sample->stratum_of(worker.block_index));
      if (turn.end == TurnEnd::waits || turn.end == TurnEnd::over) {
        auto state =
            task.resume != nullptr ? std::move(task.resume) : std::make_unique<BlockState>();
        std::swap(static_cast<BlockState&>(worker), *state);
        pool->put_aside(worker, std::move(state), turn.end == TurnEnd::waits, turn.moved);
      } else {
        if (sample && turn.end == TurnEnd::ended)
          worker.ran.emplace_back(worker.block_index, worker.did);
        end_block(worker);
        pool->ended(std::move(task.resume));
        if (worker.prints.size() > prints) {
          printed += worker.prints.back().second.size();
          if (printed > kMostPrinted) worker.prints.pop_back();
          prints = worker.prints.size();
        }
        if (run.budget.fetch_sub(kBlockCost) < kBlockCost && !run.stop.exchange(true)) {
          note_fault(worker.warps.front(), code.code.front(), FaultKind::budget, 1,
                     "the run ended here in block " + std::to_string(ended + pool->ended_count()) +
                         " of " + std::to_string(count) + ": more work than the budget allows");
        }
      }
      since_asked += worker.instructions - before + 100;
      if (index == 0 && since_asked > 10'000) {
        since_asked = 0;
        ask();
      }
    }
  };
  // What one of them throws (there is no memory left) is thrown here, when all have ended.
  std::exception_ptr thrown;
  std::mutex throwing;
  const auto guarded = [&](std::size_t index) {
    try {
      work(index);
    } catch (...) {
      const std::lock_guard lock(throwing);
      thrown = std::current_exception();
      run.stop = true;
    }
  };
  bool stuck = false;
  for (;;) {
    pool.emplace(run, count);
    {
      std::vector<std::jthread> others;
      const auto useful = static_cast<std::size_t>(count);
      for (std::size_t k = 1; k < std::min(workers.size(), useful); ++k)
        others.emplace_back(guarded, k);
      guarded(0);
    }
    if (thrown) std::rethrow_exception(thrown);
    stuck = pool->stuck();
    const std::string why =
        stuck ? why_endless(run, *pool, count, ended + count, grid) : std::string();
    for (const std::unique_ptr<BlockState>& state : pool->aside()) {
      resume_block(workers.front(), *state);
      if (stuck) note_endless(workers.front(), why);
      end_block(workers.front());
    }
    ended += pool->ended_count();
    if (!sample || stuck || run.stop) break;
    for (Worker& worker : workers) {
      for (const auto& [block, sums] : worker.ran) sample->ran(block, sums);
      worker.ran.clear();
    }
    blocks = sample->next();
    if (blocks.empty()) break;
    count = static_cast<std::int64_t>(blocks.size());
  }
  const bool part = sample && !sample->whole();

  EmulatedRun result;
  result.cancelled = run.cancelled;
  Trace& trace = result.trace;
  trace.source = program.main_file();
  trace.entry = entry;
  trace.launch = launch;
  trace.scope.grid = options.blocks.empty() && !part;
  trace.scope.block = options.traced_block;
  trace.scope.warp = options.traced_warp;
  trace.buffers = memory.buffers();
  trace.warps = ended * warps;
  while (workers.back().run == nullptr) workers.pop_back();  // there were fewer blocks
  if (part) {
    trace.sample = sample->result();
    trace.sample->unfit = unfit_reason(workers);
    if (trace.sample->unfit.empty()) scale_to_grid(workers, *sample);
  }
  gather(code, memory.state(), workers, trace);
  if (options.sums) trace.unique_load_sectors = loaded_sectors(workers);
  if (options.sums) trace.metrics = emulated_metrics(trace);
  if (!options.sums) {
    for (const Worker& w : workers) trace.warp_instructions += w.instructions;
  }
  trace.emulate_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace warpscope
