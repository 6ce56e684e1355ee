// profiling/emulator/run/kernel_run.cpp: the blocks of one launch, on threads of the host.
#include "profiling/emulator/run/kernel_run.h"

#include <algorithm>
#include <thread>

#include "profiling/agreement/trace_metrics.h"
#include "profiling/emulator/decode/written_memory.h"
#include "profiling/emulator/memory/loaded_sectors.h"
#include "profiling/emulator/run/gather.h"
#include "profiling/emulator/run/sampled_sums.h"

namespace warpscope {
namespace {

// What a block costs beside its instructions, in warp instructions: beginning one takes about as
// long. A grid of 2³¹ empty blocks ends by the budget too.
constexpr std::int64_t kBlockCost = 100;
constexpr std::size_t kMostPrinted = 1 << 20;  // bytes of a worker, as much as a device keeps
constexpr std::chrono::milliseconds kAskEvery{1};
constexpr std::int64_t kAskAfter = 10'000;  // warp instructions, before the clock is looked at

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

}  // namespace

KernelRun::KernelRun(const KernelCode& code, const Launch& launch, const EmulateOptions& options,
                     EmulatedMemory::State& memory)
    : code_(code),
      launch_(launch),
      options_(options),
      memory_(memory),
      grid_(launch.grid.x * launch.grid.y * launch.grid.z),
      blocks_(options.blocks) {
  if (options.sample_instructions > 0 && options.sums && blocks_.empty()) {
    sample_.emplace(launch, std::clamp<std::int64_t>(options.traced_block, 0, grid_ - 1),
                    options.sample_instructions, options.block_work);
    blocks_ = sample_->next();
  }
  count_ = blocks_.empty() ? grid_ : static_cast<std::int64_t>(blocks_.size());
  run_.kernel = &code;
  run_.memory = &memory;
  run_.options = &options;
  run_.launch = launch;
  run_.budget = options.instruction_budget;
}

void KernelRun::set_arguments(std::span<const ArgumentBytes> arguments,
                              const std::vector<std::uint64_t>& variable_addresses) {
  run_.parameters.resize(static_cast<std::size_t>(code_.parameter_bytes));
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    std::copy(arguments[k].value.begin(), arguments[k].value.end(),
              run_.parameters.begin() + code_.parameters[k].offset);
  }
  run_.variable_addresses = variable_addresses;
}

void KernelRun::bound_resident_blocks(std::int64_t threads) {
  const std::int64_t by_device = device_blocks(code_, launch_);
  const std::int64_t by_memory =
      std::max<std::int64_t>(kMostResidentBytes / block_bytes(code_, launch_), threads);
  run_.resident_by_memory = by_memory < by_device;
  run_.resident_blocks = std::min(by_memory, by_device);
}

void KernelRun::watch_races() {
  if (!options_.check_races) return;
  if (code_.has_read_only_loads) {
    run_.read_only_loads = std::make_unique<ReadOnlyLoads>(written_buffers(run_), code_);
  }
  if (options_.check_block_races && (count_ > 1 || sample_)) {
    races_ = std::make_unique<BlockRaces>(run_, written_buffers(run_));
    run_.races = races_.get();
  }
}

void KernelRun::run(std::int64_t affordable) {
  const std::int64_t threads = std::clamp<std::int64_t>(
      options_.threads, 1, std::min({sample_ ? grid_ : count_, std::int64_t{256}, affordable}));
  run_.one_thread = threads == 1;
  bound_resident_blocks(threads);
  watch_races();
  workers_ = std::vector<Worker>(static_cast<std::size_t>(threads));
  for (;;) {
    run_round();
    if (!sample_ || pool_->stuck() || run_.stop) break;
    for (Worker& worker : workers_) {
      for (const auto& [block, sums] : worker.ran) sample_->ran(block, sums);
      worker.ran.clear();
    }
    blocks_ = sample_->next();
    if (blocks_.empty()) break;
    count_ = static_cast<std::int64_t>(blocks_.size());
  }
}

void KernelRun::run_round() {
  const auto guarded = [&](std::size_t index) {
    try {
      work(index);
    } catch (...) {
      const std::lock_guard lock(throwing_);
      thrown_ = std::current_exception();
      run_.stop = true;
    }
  };
  pool_.emplace(run_, count_);
  {
    std::vector<std::jthread> others;
    const auto useful = static_cast<std::size_t>(count_);
    for (std::size_t k = 1; k < std::min(workers_.size(), useful); ++k)
      others.emplace_back(guarded, k);
    guarded(0);
  }
  if (thrown_) std::rethrow_exception(thrown_);
  end_stuck_blocks();
  ended_ += pool_->ended_count();
}

// Asked on the caller's thread only: what it calls need not be safe on others.
void KernelRun::ask() {
  const auto now = Clock::now();
  if (now - asked_at_ < kAskEvery) return;
  asked_at_ = now;
  if (options_.cancelled && options_.cancelled()) {
    run_.cancelled = true;
    run_.stop = true;
  }
  if (options_.progress) {
    options_.progress(static_cast<double>(pool_->ended_count()) / static_cast<double>(count_));
  }
}

void KernelRun::work(std::size_t index) {
  Worker& worker = workers_[index];
  if (worker.run == nullptr) prepare_worker(worker, run_);
  worker.notes_writers = options_.writer_entries > 0 && options_.blocks.empty() && !sample_;
  const std::function<void()> asked =
      index == 0 ? std::function<void()>([this] { ask(); }) : nullptr;
  const auto has_others = [this] { return pool_->has_others(); };
  std::int64_t since_asked = 0;
  Printed printed;
  for (BlockPool::Task task = pool_->next(worker, asked); task.any();
       task = pool_->next(worker, asked)) {
    begin(worker, task);
    const std::int64_t before = worker.instructions;
    if (sample_) before_sampled_turn(worker);
    const Turn turn = run_block(worker, asked, has_others);
    if (sample_) after_sampled_turn(worker, sample_->stratum_of(worker.block_index));
    if (turn.end == TurnEnd::waits || turn.end == TurnEnd::over) {
      auto state = task.resume != nullptr ? std::move(task.resume) : std::make_unique<BlockState>();
      std::swap(static_cast<BlockState&>(worker), *state);
      pool_->put_aside(worker, std::move(state), turn.end == TurnEnd::waits, turn.moved);
    } else {
      end(worker, task, turn.end, printed);
    }
    since_asked += worker.instructions - before + kBlockCost;
    if (index == 0 && since_asked > kAskAfter) {
      since_asked = 0;
      ask();
    }
  }
}

void KernelRun::begin(Worker& worker, BlockPool::Task& task) {
  if (task.begin < 0) {
    resume_block(worker, *task.resume);
    return;
  }
  if (task.empty != nullptr) resume_block(worker, *task.empty);
  if (worker.warps.empty()) allocate_block(worker);
  begin_block(worker, blocks_.empty() ? task.begin : blocks_[static_cast<std::size_t>(task.begin)]);
}

void KernelRun::end(Worker& worker, BlockPool::Task& task, TurnEnd how, Printed& printed) {
  if (sample_ && how == TurnEnd::ended) worker.ran.emplace_back(worker.block_index, worker.did);
  end_block(worker);
  pool_->ended(std::move(task.resume));
  if (worker.prints.size() > printed.blocks) {
    printed.bytes += worker.prints.back().second.size();
    if (printed.bytes > kMostPrinted) worker.prints.pop_back();
    printed.blocks = worker.prints.size();
  }
  if (run_.budget.fetch_sub(kBlockCost) < kBlockCost && !run_.stop.exchange(true)) {
    note_fault(worker.warps.front(), code_.code.front(), FaultKind::budget, 1,
               "the run ended here in block " + std::to_string(ended_ + pool_->ended_count()) +
                   " of " + std::to_string(count_) + ": more work than the budget allows");
  }
}

void KernelRun::end_stuck_blocks() {
  const std::string why = pool_->stuck() ? why_endless() : std::string();
  auto& aside = pool_->aside();
  std::sort(aside.begin(), aside.end(),
            [](const auto& a, const auto& b) { return a->block_index < b->block_index; });
  for (const std::unique_ptr<BlockState>& state : aside) {
    resume_block(workers_.front(), *state);
    if (pool_->stuck()) note_endless(workers_.front(), why);
    end_block(workers_.front());
  }
}

// How the sentence ends about what another block could change.
std::string KernelRun::why_endless() const {
  const std::int64_t ran = ended_ + count_;  // in all
  if (pool_->in_circles()) {
    return "and what is stored meanwhile, here or by others, comes round again and again too";
  }
  if (pool_->begun_count() < count_) {
    return "all " + std::to_string(run_.resident_blocks) + " blocks that " +
           (run_.resident_by_memory ? "the emulator holds at once" : "fit an H200 at once") +
           " wait, and another begins only when one of them ends";
  }
  if (ran < grid_) {
    return "no block that runs stores to it, and of the grid's " + std::to_string(grid_) +
           " only " + std::to_string(ran) + (ran == 1 ? " was run" : " were run");
  }
  return "no block that still runs stores to it";
}

void KernelRun::describe(Trace& trace) {
  const bool part = sample_ && !sample_->whole();
  trace.scope.grid = options_.blocks.empty() && !part;
  trace.scope.block = options_.traced_block;
  trace.scope.warp = options_.traced_warp;
  trace.warps = ended_ * warps_of(launch_);
  while (workers_.back().run == nullptr) workers_.pop_back();  // there were fewer blocks
  if (part) {
    trace.sample = sample_->result();
    trace.sample->unfit = unfit_reason(workers_);
    if (trace.sample->unfit.empty()) scale_to_grid(workers_, *sample_);
  }
  gather(code_, memory_, workers_, trace);
  if (options_.sums) {
    trace.unique_load_sectors = loaded_sectors(workers_);
    trace.metrics = emulated_metrics(trace);
  } else {
    for (const Worker& w : workers_) trace.warp_instructions += w.instructions;
  }
}

}  // namespace warpscope
