// profiling/emulator/run/scheduler.cpp: the warps of a block in turn, to barriers and to the end.
#include "profiling/emulator/run/scheduler.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "profiling/emulator/instructions/collectives.h"
#include "profiling/emulator/run/warp_execution.h"

namespace warpscope {
namespace {

// What nobody wrote reads as a NaN and as a large negative number.
constexpr std::byte kPoison{0xff};

template <typename T>
void fill(Warp& w, std::uint32_t slot, T value) {
  std::fill_n(w.slot<T>(slot), 32, value);
}
void fill(Warp& w, std::uint32_t slot, int bytes, std::uint64_t value) {
  if (bytes == 8) {
    fill<std::uint64_t>(w, slot, value);
  } else {
    fill<std::uint32_t>(w, slot, static_cast<std::uint32_t>(value));
  }
}

std::uint64_t special_value(const Worker& worker, const Warp& w, SpecialRegister which, int lane) {
  const Launch& launch = worker.run->launch;
  const Dim3 thread = thread_of(worker, w, lane);
  const std::uint32_t bit = 1u << lane;
  switch (which) {
    case SpecialRegister::tid_x:
      return static_cast<std::uint64_t>(thread.x);
    case SpecialRegister::tid_y:
      return static_cast<std::uint64_t>(thread.y);
    case SpecialRegister::tid_z:
      return static_cast<std::uint64_t>(thread.z);
    case SpecialRegister::ntid_x:
      return static_cast<std::uint64_t>(launch.block.x);
    case SpecialRegister::ntid_y:
      return static_cast<std::uint64_t>(launch.block.y);
    case SpecialRegister::ntid_z:
      return static_cast<std::uint64_t>(launch.block.z);
    case SpecialRegister::ctaid_x:
      return static_cast<std::uint64_t>(worker.block.x);
    case SpecialRegister::ctaid_y:
      return static_cast<std::uint64_t>(worker.block.y);
    case SpecialRegister::ctaid_z:
      return static_cast<std::uint64_t>(worker.block.z);
    case SpecialRegister::nctaid_x:
      return static_cast<std::uint64_t>(launch.grid.x);
    case SpecialRegister::nctaid_y:
      return static_cast<std::uint64_t>(launch.grid.y);
    case SpecialRegister::nctaid_z:
      return static_cast<std::uint64_t>(launch.grid.z);
    case SpecialRegister::laneid:
      return static_cast<std::uint64_t>(lane);
    case SpecialRegister::warpid:
      return w.index;
    case SpecialRegister::nwarpid:
      return 64;  // of a multiprocessor, compute capability 9.0
    case SpecialRegister::smid:
      return static_cast<std::uint64_t>(worker.block_index % 132);
    case SpecialRegister::nsmid:
      return 132;  // of an H200
    case SpecialRegister::gridid:
      return 1;
    case SpecialRegister::lanemask_eq:
      return bit;
    case SpecialRegister::lanemask_lt:
      return bit - 1;
    case SpecialRegister::lanemask_le:
      return bit | (bit - 1);
    case SpecialRegister::lanemask_gt:
      return static_cast<std::uint32_t>(~(bit | (bit - 1)));
    case SpecialRegister::lanemask_ge:
      return static_cast<std::uint32_t>(~(bit - 1));
    case SpecialRegister::dynamic_shared_bytes:
      return static_cast<std::uint64_t>(launch.dynamic_shared_bytes);
    case SpecialRegister::total_shared_bytes:
      return worker.shared.size();
    case SpecialRegister::zero:
      return 0;
    case SpecialRegister::one:
      return 1;
  }
  return 0;
}
bool changes_with_block(SpecialRegister which) {
  return which == SpecialRegister::ctaid_x || which == SpecialRegister::ctaid_y ||
         which == SpecialRegister::ctaid_z || which == SpecialRegister::smid;
}

void fill_special(const Worker& worker, Warp& w, const KernelCode::SpecialSlot& s) {
  for (int lane = 0; lane < 32; ++lane) {
    const std::uint64_t value = special_value(worker, w, s.which, lane);
    if (s.bytes == 8) {
      w.slot<std::uint64_t>(s.slot)[lane] = value;
    } else {
      w.slot<std::uint32_t>(s.slot)[lane] = static_cast<std::uint32_t>(value);
    }
  }
}

void fill_registers(Worker& worker, Warp& w) {
  const KernelCode& kernel = *worker.kernel;
  for (const KernelCode::Constant& c : kernel.constants) fill(w, c.slot, c.bytes, c.value);
  for (const KernelCode::ParameterSlot& p : kernel.parameter_slots) {
    std::uint64_t value = 0;
    std::memcpy(&value, worker.run->parameters.data() + p.offset, p.bytes);
    if (p.sign_extend && p.bytes < 8) {
      const int shift = 64 - 8 * p.bytes;
      value = static_cast<std::uint64_t>(static_cast<std::int64_t>(value << shift) >> shift);
    }
    fill(w, p.slot, p.slot_bytes, value);
  }
  for (const KernelCode::AddressSlot& a : kernel.addresses) {
    fill(w, a.slot, 8,
         worker.run->variable_addresses[a.variable] + static_cast<std::uint64_t>(a.addend));
  }
  for (const KernelCode::SpecialSlot& s : kernel.specials) fill_special(worker, w, s);
}

// Arms at one barrier of the block.
void note_barrier_wait(Worker& worker, Warp& w, const Arm& arm) {
  const Instruction& i = worker.kernel->code[arm.pc];
  const BarrierState& barrier = worker.barriers[arm.barrier];
  std::int64_t live = 0;
  for (const Warp& other : worker.warps) live += std::popcount(other.live);
  note_fault(w, i, FaultKind::deadlock, arm.mask,
             worker.source(i).opcode + " waits at barrier " + std::to_string(arm.barrier) +
                 " with " + std::to_string(barrier.threads) + " of " +
                 std::to_string(barrier.expected > 0 ? barrier.expected : live) +
                 " threads; the others never come");
}
void note_async_wait(Worker& worker, Warp& w, const Arm& arm) {
  const Instruction& i = worker.kernel->code[arm.pc];
  if (!fault_is_first(w, i, FaultKind::deadlock, arm.mask)) return;
  tell_fault(w, i, FaultKind::deadlock, arm.mask,
             worker.source(i).opcode + " " + waiting_text(w, i, arm.mask), "shared memory", -1);
}
void end_all_lanes(Worker& worker) {
  for (Warp& w : worker.warps) {
    w.live = 0;
    w.arms.clear();
    w.meetings.clear();
  }
}

}  // namespace

void begin_block(Worker& worker, std::int64_t block_index) {
  const RunShared& run = *worker.run;
  const Dim3& grid = run.launch.grid;
  worker.block_index = block_index;
  worker.block = {block_index % grid.x, block_index / grid.x % grid.y,
                  block_index / (grid.x * grid.y)};
  std::fill(worker.shared.begin(), worker.shared.end(), kPoison);
  std::fill(worker.local_memory.begin(), worker.local_memory.end(), kPoison);
  std::fill(worker.local_initialised.begin(), worker.local_initialised.end(), 0);
  worker.barriers.fill({});
  worker.async_barriers.begin_block();
  worker.lanes_ended = false;
  worker.suspect = false;
  worker.looked_at = -1;
  worker.did = {};
  if (run.races != nullptr) run.races->begin_block(worker);
  const EmulateOptions& options = *run.options;
  if (worker.shadowed) {
    worker.shadow.begin_block(static_cast<std::int64_t>(worker.shared.size()),
                              static_cast<int>(worker.warps.size()), options.check_races,
                              options.check_uninitialised);
  }
  const bool traced = block_index == options.traced_block;
  if (traced) {
    worker.requests.clear();
    // Only address space until they come: growing would copy hundreds of bytes a request.
    worker.requests.reserve(static_cast<std::size_t>(options.maximum_requests));
    worker.issued.assign(worker.warps.size(), {});
  }
  for (Warp& w : worker.warps) {
    const int first = static_cast<int>(w.index) * 32;
    const int lanes = std::min(32, worker.threads - first);
    w.live = lanes == 32 ? kAllLanes : (1u << lanes) - 1;
    w.order = 0;
    w.sync_count = 0;
    w.suspect = false;
    w.watch_at = unwatched_instructions;
    w.watch_branches = first_watched_branches;
    w.slept = w.clock_reads = 0;
    w.meetings.clear();
    w.arms.clear();
    Arm arm;
    arm.mask = w.live;
    w.arms.push_back(arm);
    w.recorded =
        traced && worker.sums &&
        (options.traced_warp < 0 || static_cast<std::uint32_t>(options.traced_warp) == w.index);
    for (const KernelCode::SpecialSlot& s : worker.kernel->specials) {
      // What changes is the same for all lanes.
      if (changes_with_block(s.which)) {
        fill(w, s.slot, s.bytes, special_value(worker, w, s.which, 0));
      }
    }
  }
}

void resume_block(Worker& worker, BlockState& state) {
  std::swap(static_cast<BlockState&>(worker), state);
  for (Warp& w : worker.warps) w.worker = &worker;
}

namespace {

// All arms wait and none can go on: say where each kind of waiting is, then let them go.
void break_deadlock(Worker& worker) {
  const auto waits = [](const Arm& arm) { return arm.state == ArmState::at_async_barrier; };
  for (Warp& w : worker.warps) {
    // Lanes at an mbarrier are why the others of their warp wait for them.
    if (std::none_of(w.arms.begin(), w.arms.end(), waits) && release_collective(worker, w, true)) {
      return;
    }
  }
  for (Warp& w : worker.warps) {
    for (const Arm& arm : w.arms) {
      if (waits(arm)) note_async_wait(worker, w, arm);
    }
  }
  for (Warp& w : worker.warps) {
    for (const Arm& arm : w.arms) {
      if (arm.state == ArmState::at_barrier) note_barrier_wait(worker, w, arm);
    }
  }
  // What waited at barriers ends: going on would only make up faults.
  end_all_lanes(worker);
}

// The instruction that a warp would run next, for the sentence about the budget.
void fault_budget(Worker& worker) {
  for (Warp& w : worker.warps) {
    for (const Arm& arm : w.arms) {
      if (arm.state != ArmState::ready) continue;
      const Instruction& i = worker.kernel->code[arm.pc];
      note_fault(w, i, FaultKind::budget, arm.mask,
                 "the run ended here after " +
                     std::to_string(worker.run->options->instruction_budget) +
                     " warp instructions, the most that a run may take: more work than that, or a "
                     "loop whose values go on changing for ever (one that repeats itself would "
                     "have been named)");
      return;
    }
  }
}

}  // namespace

void prepare_worker(Worker& worker, RunShared& run) {
  const KernelCode& kernel = *run.kernel;
  const EmulateOptions& options = *run.options;
  worker.run = &run;
  worker.kernel = &kernel;
  const Dim3& block = run.launch.block;
  worker.threads = static_cast<int>(block.x * block.y * block.z);
  worker.sums = options.sums;
  worker.shadowed = options.check_races || options.check_uninitialised;
  allocate_block(worker);
  worker.last_buffer.assign(kernel.code.size(), nullptr);
  worker.executed.assign(kernel.code.size(), 0);
  worker.lanes.assign(kernel.code.size(), 0);
  worker.totals.assign(kernel.sites.size(), {});
  worker.touched.resize(kernel.sites.size());
  worker.site_space.assign(kernel.sites.size(), 0);
}

void allocate_block(Worker& worker) {
  const KernelCode& kernel = *worker.kernel;
  const RunShared& run = *worker.run;
  const auto warps = static_cast<std::size_t>((worker.threads + 31) / 32);
  static_cast<BlockState&>(worker) = BlockState{};
  worker.shared.resize(
      static_cast<std::size_t>(kernel.static_shared_bytes + run.launch.dynamic_shared_bytes));
  // A cache line more than the registers, so that warps do not meet in the same cache sets.
  const std::size_t stride = kernel.register_bytes + 64;
  worker.register_storage = std::make_unique<std::byte[]>(stride * warps + 64);
  auto start = reinterpret_cast<std::uintptr_t>(worker.register_storage.get());
  worker.register_file = reinterpret_cast<std::byte*>((start + 63) / 64 * 64);
  const auto local = static_cast<std::size_t>(kernel.local_bytes) * 32;
  worker.local_memory.resize(local * warps);
  worker.local_initialised.resize(local * warps);
  worker.warps.resize(warps);
  for (std::size_t k = 0; k < warps; ++k) {
    Warp& w = worker.warps[k];
    w.index = static_cast<std::uint32_t>(k);
    w.worker = &worker;
    w.registers = worker.register_file + k * stride;
    w.local = worker.local_memory.data() + k * local;
    fill_registers(worker, w);
  }
}

std::int64_t block_bytes(const KernelCode& kernel, const Launch& launch) {
  const std::int64_t warps =
      (launch.block.x * launch.block.y * launch.block.z + kWarpLanes - 1) / kWarpLanes;
  // Eight bytes of shadow for each of shared memory; local memory has a byte for each.
  return static_cast<std::int64_t>(sizeof(BlockState)) +
         warps * (kernel.register_bytes + 2 * 32 * kernel.local_bytes +
                  static_cast<std::int64_t>(sizeof(Warp))) +
         9 * (kernel.static_shared_bytes + launch.dynamic_shared_bytes);
}

namespace {

// Warp instructions after which a block gives way to others that could run: far beyond what blocks
// run that wait for nobody, as each interruption costs caches and each block put aside memory.
constexpr std::int64_t kTurnInstructions = 4'000'000;
// Turns of all warps after which a block's states are compared, for 1/32 of the time: most blocks
// have fewer, as a turn goes to a barrier or for a slice.
constexpr std::int64_t kRoundsBeforeWindow = 1024;

// When to compare the states of a block.
class BlockWatch {
 public:
  explicit BlockWatch(bool suspect)
      : begin_(suspect ? 1 : kRoundsBeforeWindow), end_(begin_ + length()) {}
  // After a round.
  Recurrence::Answer look(Worker& worker) {
    ++rounds_;
    if (rounds_ < begin_) return Recurrence::Answer::none;
    if (rounds_ > end_) {
      worker.watch.block_ = worker.suspect = false;
      begin_ = std::max(2 * begin_, kRoundsBeforeWindow);
      end_ = begin_ + length();
      return Recurrence::Answer::none;
    }
    if (!worker.watch.block_) {
      worker.watch.block_ = true;
      recurrence_ = {};
    }
    return recurrence_.next(hash_of(worker, worker), worker.watch.memory(), worker.watch.effects());
  }

 private:
  std::int64_t length() const { return std::max<std::int64_t>(begin_ / 32, 32); }
  std::int64_t rounds_ = 0, begin_ = 0, end_ = 0;
  Recurrence recurrence_;
};

// Whether something of the warp moved, or may have.
bool run_warp(Worker& worker, Warp& w) {
  const std::int64_t slice_start = worker.instructions;
  Watch& watch = worker.watch;
  const std::uint64_t effects = watch.effects(), moves = watch.moves();
  const bool watched = w.suspect;
  for (Arm& arm : w.arms) arm.repeats = false;
  if (watched) watch.begin_warp(most_watched_branches);
  bool any = false, over = false;
  while (run_ready_arm(worker, w)) {
    any = true;
    if (!worker.block_meetings.empty()) settle_block_meetings(worker);
    over = worker.instructions - slice_start >= worker.slice || std::exchange(worker.yields, false);
    if (over) break;
  }
  // Then all that is ready repeats itself, and has changed nothing before.
  const bool quiet =
      watched && watch.on() && !over && watch.effects() == effects && watch.moves() == moves;
  watch.end_warp();
  return any && !quiet;
}

}  // namespace

Turn run_block(Worker& worker, const std::function<void()>& asked,
               const std::function<bool()>& has_others) {
  RunShared& run = *worker.run;
  const std::int64_t start = worker.instructions;
  std::int64_t spent = start, next_turn = start + kTurnInstructions;
  const std::uint64_t effects = worker.watch.effects();
  Turn turn;
  const bool watched = worker.suspect;
  BlockWatch watch(watched);
  worker.watch.block_ = watched;
  const auto finish = [&](TurnEnd end) {
    run.budget.fetch_sub(worker.instructions - spent);
    worker.watch.block_ = false;
    worker.watch.settle();  // the block's memory may go
    turn.end = end;
    return turn;
  };
  while (!run.stop.load(std::memory_order_relaxed)) {
    bool moved = false, live = false, ready = false;
    for (Warp& w : worker.warps) {
      // Of different lengths, so that who looks at a lock now and then sees it free.
      worker.slice = slice_instructions - (worker.suspect ? worker.instructions % 4099 : 0);
      if (run_warp(worker, w)) moved = true;
      if (release_collective(worker, w, false)) moved = true;
      live = live || w.live != 0;
      for (const Arm& arm : w.arms) ready = ready || arm.state == ArmState::ready;
      if (worker.instructions - spent >= slice_instructions) {
        const std::int64_t used = worker.instructions - spent;
        spent = worker.instructions;
        if (asked) asked();
        if (run.budget.fetch_sub(used) < used && !run.stop.exchange(true)) fault_budget(worker);
        if (run.stop.load(std::memory_order_relaxed)) return finish(TurnEnd::stopped);
      }
    }
    if (worker.lanes_ended && release_barriers(worker)) moved = true;
    turn.moved = turn.moved || moved;
    if (!live) return finish(TurnEnd::ended);
    if (!moved && !ready) {
      break_deadlock(worker);
      continue;
    }
    if (!moved) return finish(TurnEnd::waits);
    const Recurrence::Answer answer = watch.look(worker);
    if (answer != Recurrence::Answer::none) {
      worker.suspect = true;
      const bool quiet = answer == Recurrence::Answer::quiet;
      if (quiet && watched) turn.moved = worker.watch.effects() != effects;
      return finish(quiet ? TurnEnd::waits : TurnEnd::over);
    }
    if (worker.instructions >= next_turn) {
      if (has_others()) return finish(TurnEnd::over);
      next_turn = worker.instructions + kTurnInstructions;
    }
  }
  return finish(TurnEnd::stopped);
}

void end_block(Worker& worker) {
  if (worker.block_index == worker.run->options->traced_block) {
    worker.run->requests = std::move(worker.requests);
    worker.run->issued = std::move(worker.issued);
  }
  if (worker.printed.empty()) return;
  worker.prints.emplace_back(worker.block_index, std::move(worker.printed));
  worker.printed.clear();
}

void note_endless(Worker& worker, const std::string& why) {
  for (Warp& w : worker.warps) note_repeating(worker, w, why);
  for (Warp& w : worker.warps) {
    for (const Arm& arm : w.arms) {
      if (arm.state == ArmState::at_async_barrier) note_async_wait(worker, w, arm);
      if (arm.state == ArmState::at_barrier) note_barrier_wait(worker, w, arm);
      if (arm.state == ArmState::at_collective) note_collective_wait(worker, w, arm);
    }
  }
  end_all_lanes(worker);
}

}  // namespace warpscope
