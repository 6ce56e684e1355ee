// profiling/emulator/run/kernel_run.cpp: the blocks of one launch, on threads of the host.
#include "profiling/emulator/run/kernel_run.h"

#include <algorithm>
#include <iterator>
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

// The limits of an H200. A block also takes registers, whose number only ptxas knows, so this is
// the most that can fit. source: CUDA C++ Programming Guide, "Technical Specifications", compute
// capability 9.0.
constexpr std::int64_t kMultiprocessors = 132, kBlocksEach = 32, kThreadsEach = 2048;
constexpr std::int64_t kSharedEach = 233472, kSharedReserved = 1024;
constexpr std::int64_t kMostResidentBytes = 256ll << 20;  // on the host

}  // namespace

std::int64_t device_blocks(const KernelCode& kernel, const Launch& launch) {
  const std::int64_t threads = launch.block.x * launch.block.y * launch.block.z;
  const std::int64_t rounded = (threads + kWarpLanes - 1) / kWarpLanes * kWarpLanes;
  const std::int64_t shared =
      kernel.static_shared_bytes + launch.dynamic_shared_bytes + kSharedReserved;
  return kMultiprocessors * std::min({kBlocksEach, kThreadsEach / rounded, kSharedEach / shared});
}

KernelRun::KernelRun(const KernelCode& code, const Launch& launch, const EmulateOptions& options,
                     EmulatedMemory::State& memory)
    : code_(code),
      launch_(launch),
      options_(options),
      memory_(memory),
      grid_(launch.grid.x * launch.grid.y * launch.grid.z),
      each_(static_cast<std::size_t>(blocks_of(launch.cluster))) {
  for (const std::int64_t block : options.blocks) {
    const std::int64_t cluster = cluster_of_block(launch, block);
    if (each_ == 1 || std::find(blocks_.begin(), blocks_.end(), cluster) == blocks_.end()) {
      blocks_.push_back(cluster);
    }
  }
  // All blocks run where they meet.
  if (options.sample_instructions > 0 && options.sums && blocks_.empty() && !launch.cooperative) {
    sample_clusters();
    blocks_ = sample_->next();
  }
  count_ = blocks_.empty() ? grid_ / static_cast<std::int64_t>(each_)
                           : static_cast<std::int64_t>(blocks_.size());
  run_.kernel = &code;
  run_.memory = &memory;
  run_.options = &options;
  run_.launch = launch;
  run_.budget = options.instruction_budget;
}

// A grid of clusters, of which each does what its blocks do. Without clusters a block is one.
void KernelRun::sample_clusters() {
  const Dim3 &size = launch_.cluster, &grid = launch_.grid;
  Launch clusters = launch_;
  clusters.grid = {grid.x / size.x, grid.y / size.y, grid.z / size.z};
  clusters.cluster = {};
  std::function<double(const Dim3&)> work = options_.block_work;
  if (work && each_ > 1) {
    work = [this, clusters](const Dim3& at) {
      const std::int64_t cluster = at.x + clusters.grid.x * (at.y + clusters.grid.y * at.z);
      double sum = 0;
      for (std::size_t rank = 0; rank < each_; ++rank) {
        const std::int64_t block =
            block_of_cluster(launch_, cluster, static_cast<std::int64_t>(rank));
        sum += options_.block_work({block % launch_.grid.x, block / launch_.grid.x % launch_.grid.y,
                                    block / (launch_.grid.x * launch_.grid.y)});
      }
      return sum;
    };
  }
  const std::int64_t traced = std::clamp<std::int64_t>(options_.traced_block, 0, grid_ - 1);
  sample_.emplace(clusters, cluster_of_block(launch_, traced), options_.sample_instructions, work);
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
  run_.resident_by_memory = by_memory < by_device && !launch_.cooperative;
  run_.resident_blocks = run_.resident_by_memory ? by_memory : by_device;
  // The pool counts clusters.
  run_.resident_blocks =
      std::max<std::int64_t>(run_.resident_blocks / static_cast<std::int64_t>(each_), threads);
}

void KernelRun::watch_races() {
  if (!options_.check_races) return;
  if (code_.has_read_only_loads) {
    run_.read_only_loads = std::make_unique<ReadOnlyLoads>(written_buffers(run_), code_);
  }
  if (launch_.block.x * launch_.block.y * launch_.block.z > 1) {
    const std::vector<bool> written = written_buffers(run_);
    run_.compared_buffers.assign(written.begin(), written.end());
  }
  if (options_.check_block_races && (count_ > 1 || sample_)) {
    races_ = std::make_unique<BlockRaces>(run_, written_buffers(run_));
    run_.races = races_.get();
  }
}

void KernelRun::run(std::int64_t affordable) {
  const std::int64_t threads = std::clamp<std::int64_t>(
      options_.threads, 1,
      std::min({sample_ ? grid_ / static_cast<std::int64_t>(each_) : count_, std::int64_t{256},
                affordable}));
  run_.one_thread = threads == 1;
  bound_resident_blocks(threads);
  watch_races();
  workers_ = std::vector<Worker>(static_cast<std::size_t>(threads) * each_);
  run_.workers = workers_.data();
  run_.worker_count = workers_.size();
  clusters_ = std::vector<Cluster>(each_ == 1 ? 0 : static_cast<std::size_t>(threads));
  for (;;) {
    run_round();
    if (!sample_ || pool_->stuck() || run_.stop) break;
    // In the order of blocks: sums of fractions would depend on which thread ran what.
    std::vector<std::pair<std::int64_t, LaunchSums>> ran;
    for (Worker& worker : workers_) {
      std::move(worker.ran.begin(), worker.ran.end(), std::back_inserter(ran));
      worker.ran.clear();
    }
    std::sort(ran.begin(), ran.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [block, sums] : ran) sample_->ran(block, sums);
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
    for (std::size_t k = 1; k < std::min(workers_.size() / each_, useful); ++k)
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
  const double limit_s = options_.time_limit_s;
  if (limit_s > 0 && std::chrono::duration<double>(now - begun_at_).count() > limit_s)
    run_.out_of_time = true;
  if (options_.cancelled && options_.cancelled()) {
    run_.cancelled = true;
    run_.stop = true;
  }
  if (options_.progress) {
    options_.progress(static_cast<double>(pool_->ended_count()) / static_cast<double>(count_));
  }
}

void KernelRun::work(std::size_t index) {
  const std::span<Worker> blocks = team(index);
  Worker& worker = blocks.front();
  for (Worker& block : blocks) {
    if (block.run == nullptr) prepare_worker(block, run_);
    block.notes_writers = options_.writer_entries > 0 && options_.blocks.empty() && !sample_;
    if (each_ == 1) continue;
    if (&block == &worker) clusters_[index].blocks.clear();
    clusters_[index].blocks.push_back(&block);
    block.cluster = &clusters_[index];
  }
  const std::function<void()> asked =
      index == 0 ? std::function<void()>([this] { ask(); }) : nullptr;
  const auto has_others = [this] { return pool_->has_others(); };
  const auto instructions = [&] {
    std::int64_t sum = 0;
    for (const Worker& block : blocks) sum += block.instructions;
    return sum;
  };
  std::int64_t since_asked = 0;
  std::size_t printed_bytes = 0;
  for (BlockPool::Task task = pool_->next(worker, asked); task.any();
       task = pool_->next(worker, asked)) {
    begin(blocks, task);
    const std::int64_t before = instructions();
    if (sample_) std::for_each(blocks.begin(), blocks.end(), before_sampled_turn);
    const Turn turn = run_cluster(blocks, asked, has_others);
    if (sample_) after_turn(blocks);
    if (turn.end == TurnEnd::waits || turn.end == TurnEnd::over) {
      put_aside(blocks, task, turn);
    } else {
      end(blocks, task, turn.end, printed_bytes);
    }
    since_asked += instructions() - before + kBlockCost;
    if (index == 0 && since_asked > kAskAfter) {
      since_asked = 0;
      ask();
    }
  }
}

// The others of a cluster run beside a block that is asked for, and count for nothing.
void KernelRun::choose_sums(Worker& worker, std::int64_t block) const {
  const std::vector<std::int64_t>& asked = options_.blocks;
  worker.sums = options_.sums &&
                (asked.empty() || std::find(asked.begin(), asked.end(), block) != asked.end());
}

void KernelRun::begin_one(Worker& worker, std::int64_t place, std::int64_t rank) {
  if (worker.warps.empty()) allocate_block(worker);
  std::int64_t block = blocks_.empty() ? place : blocks_[static_cast<std::size_t>(place)];
  if (each_ > 1) {
    block = block_of_cluster(launch_, block, rank);
    choose_sums(worker, block);
  }
  begin_block(worker, block);
}

void KernelRun::begin(std::span<Worker> blocks, BlockPool::Task& task) {
  BlockState* const first = task.begin < 0 ? task.resume.get() : task.empty.get();
  if (first != nullptr) {
    for (std::size_t rank = 1; rank < blocks.size() && !first->others.empty(); ++rank) {
      resume_block(blocks[rank], *first->others[rank - 1]);
    }
    resume_block(blocks.front(), *first);
    std::swap(blocks.front().others, first->others);
  }
  if (each_ > 1) {
    blocks.front().cluster->phases_over = task.begin < 0 ? blocks.front().cluster_phases : 0;
    for (Worker& block : blocks) {
      if (task.begin < 0) choose_sums(block, block.block_index);
      block.watch.run_ = blocks.front().watch.run_;
    }
  }
  if (task.begin < 0) return;
  for (std::size_t rank = 0; rank < blocks.size(); ++rank) {
    begin_one(blocks[rank], task.begin, static_cast<std::int64_t>(rank));
  }
}

void KernelRun::after_turn(std::span<Worker> blocks) {
  const std::size_t stratum =
      sample_->stratum_of(cluster_of_block(launch_, blocks.front().block_index));
  for (Worker& block : blocks) after_sampled_turn(block, stratum);
}

void KernelRun::put_aside(std::span<Worker> blocks, BlockPool::Task& task, const Turn& turn) {
  Worker& worker = blocks.front();
  if (each_ > 1) worker.cluster_phases = worker.cluster->phases_over;
  auto state = task.resume != nullptr ? std::move(task.resume) : std::make_unique<BlockState>();
  std::vector<std::unique_ptr<BlockState>> others = std::move(state->others);
  others.resize(blocks.size() - 1);
  for (std::size_t rank = 1; rank < blocks.size(); ++rank) {
    auto& other = others[rank - 1];
    if (other == nullptr) other = std::make_unique<BlockState>();
    std::swap(static_cast<BlockState&>(blocks[rank]), *other);
    worker.watch.take(blocks[rank].watch);
  }
  std::swap(static_cast<BlockState&>(worker), *state);
  state->others = std::move(others);
  pool_->put_aside(worker, std::move(state), turn.end == TurnEnd::waits, turn.moved);
}

void KernelRun::end(std::span<Worker> blocks, BlockPool::Task& task, TurnEnd how,
                    std::size_t& printed_bytes) {
  Worker& worker = blocks.front();
  if (sample_ && how == TurnEnd::ended) {
    LaunchSums did;
    for (const Worker& block : blocks) did += block.did;
    worker.ran.emplace_back(cluster_of_block(launch_, worker.block_index), did);
  }
  for (Worker& block : blocks) {
    const std::size_t before = block.prints.size();
    end_block(block);
    if (block.prints.size() == before) continue;
    printed_bytes += block.prints.back().second.size();
    if (printed_bytes > kMostPrinted) block.prints.pop_back();
  }
  pool_->ended(std::move(task.resume));
  const std::int64_t cost = kBlockCost * static_cast<std::int64_t>(each_);
  const bool spent_all = run_.budget.fetch_sub(cost) < cost || run_.out_of_time;
  if (spent_all && pool_->ended_count() < count_ && !run_.stop.exchange(true)) {
    note_fault(worker.warps.front(), code_.code.front(), FaultKind::budget, 1,
               "stopped at the limit after " + taken_text(run_) + ", in block " +
                   std::to_string(ended_ + pool_->ended_count()) + " of " + std::to_string(count_) +
                   ": the result is partial");
  }
}

void KernelRun::end_stuck_blocks() {
  const std::string why = pool_->stuck() ? why_endless() : std::string();
  auto& aside = pool_->aside();
  std::sort(aside.begin(), aside.end(),
            [](const auto& a, const auto& b) { return a->block_index < b->block_index; });
  const std::span<Worker> blocks = team(0);
  for (std::unique_ptr<BlockState>& state : aside) {
    BlockPool::Task task;
    task.resume = std::move(state);
    begin(blocks, task);
    for (Worker& block : blocks) {
      if (pool_->stuck() && !block.ended) note_endless(block, why);
      end_block(block);
    }
  }
}

// How the sentence ends about what another block could change.
std::string KernelRun::why_endless() const {
  const std::int64_t ran = (ended_ + count_) * static_cast<std::int64_t>(each_);  // in all
  if (pool_->in_circles()) {
    return "and the values that this and other threads store meanwhile repeat as well";
  }
  if (pool_->begun_count() < count_) {
    return "all " + std::to_string(run_.resident_blocks) + " blocks that " +
           (run_.resident_by_memory ? "the emulator holds at once" : "fit an H200 at once") +
           " wait, and the next begins only when one of them ends";
  }
  if (ran < grid_) {
    return "no running block stores to it, and only " + std::to_string(ran) + " of the grid's " +
           std::to_string(grid_) + " blocks" + (ran == 1 ? " was run" : " were run");
  }
  return "no block that still runs stores to it";
}

void KernelRun::describe(Trace& trace) {
  const bool part = sample_ && !sample_->whole();
  trace.scope.grid = options_.blocks.empty() && !part;
  trace.scope.block = options_.traced_block;
  trace.scope.warp = options_.traced_warp;
  trace.warps = ended_ * static_cast<std::int64_t>(each_) * warps_of(launch_);
  while (workers_.back().run == nullptr) workers_.pop_back();  // there were fewer blocks
  if (part) {
    trace.sample = sample_->result();
    trace.sample->blocks *= static_cast<std::int64_t>(each_);
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
