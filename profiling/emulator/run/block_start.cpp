// profiling/emulator/run/block_start.cpp: what a block has before its first instruction: memory,
// registers, and warps with all their lanes.
#include <algorithm>
#include <cstring>
#include <utility>

#include "profiling/emulator/run/scheduler.h"

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

std::int64_t component(const Dim3& d, int axis) { return axis == 0 ? d.x : axis == 1 ? d.y : d.z; }

// The value of a special register about clusters. A launch without clusters has clusters of one
// block.
std::uint64_t cluster_value(const Worker& worker, SpecialRegister which) {
  const Dim3 &size = worker.run->launch.cluster, &grid = worker.run->launch.grid;
  const auto axis_from = [&](SpecialRegister first) {
    return static_cast<int>(which) - static_cast<int>(first);
  };
  const auto value = [](std::int64_t n) { return static_cast<std::uint64_t>(n); };
  if (which == SpecialRegister::cluster_ctarank) return value(rank_of(worker.block, size));
  if (which == SpecialRegister::cluster_nctarank) return value(blocks_of(size));
  if (which < SpecialRegister::cluster_nctaid_x) {
    const int axis = axis_from(SpecialRegister::cluster_ctaid_x);
    return value(component(worker.block, axis) % component(size, axis));
  }
  if (which < SpecialRegister::cluster_ctarank) {
    return value(component(size, axis_from(SpecialRegister::cluster_nctaid_x)));
  }
  if (which < SpecialRegister::nclusterid_x) {
    const int axis = axis_from(SpecialRegister::clusterid_x);
    return value(component(worker.block, axis) / component(size, axis));
  }
  const int axis = axis_from(SpecialRegister::nclusterid_x);
  return value(component(grid, axis) / component(size, axis));
}

// Long: a row for each special register, and the compiler sees to it that none is missing.
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
    case SpecialRegister::cluster_ctaid_x:
    case SpecialRegister::cluster_ctaid_y:
    case SpecialRegister::cluster_ctaid_z:
    case SpecialRegister::cluster_nctaid_x:
    case SpecialRegister::cluster_nctaid_y:
    case SpecialRegister::cluster_nctaid_z:
    case SpecialRegister::cluster_ctarank:
    case SpecialRegister::cluster_nctarank:
    case SpecialRegister::clusterid_x:
    case SpecialRegister::clusterid_y:
    case SpecialRegister::clusterid_z:
    case SpecialRegister::nclusterid_x:
    case SpecialRegister::nclusterid_y:
    case SpecialRegister::nclusterid_z:
      return cluster_value(worker, which);
    case SpecialRegister::is_explicit_cluster:
      return launch.cluster == Dim3{} ? 0 : kAllLanes;
    case SpecialRegister::workspace_low:
      return worker.run->workspace & kAllLanes;
    case SpecialRegister::workspace_high:
      return worker.run->workspace >> 32;
    case SpecialRegister::zero:
      return 0;
  }
  return 0;
}

std::uint32_t bank_value(const Worker& worker, const KernelCode::BankSlot& s) {
  const std::uint64_t address = worker.run->variable_addresses[s.variable];
  if (s.word == KernelCode::BankSlot::Word::address_low) return address & kAllLanes;
  if (s.word == KernelCode::BankSlot::Word::address_high) return address >> 32;
  const MemoryBuffer* const b = worker.run->memory->find(address);
  std::uint32_t value = 0;
  if (b != nullptr && b->holds(address + s.offset, sizeof value))
    std::memcpy(&value, b->data + (address + s.offset - b->address), sizeof value);
  return value;
}

bool changes_with_block(SpecialRegister which) {
  return which == SpecialRegister::ctaid_x || which == SpecialRegister::ctaid_y ||
         which == SpecialRegister::ctaid_z || which == SpecialRegister::smid ||
         (which >= SpecialRegister::cluster_ctaid_x && which <= SpecialRegister::nclusterid_z);
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
  for (const KernelCode::BankSlot& s : kernel.bank_slots)
    fill<std::uint32_t>(w, s.slot, bank_value(worker, s));
  for (const KernelCode::SpecialSlot& s : kernel.specials) fill_special(worker, w, s);
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
         warps * (kernel.register_bytes + 2 * (kWarpLanes * kernel.local_bytes) +
                  static_cast<std::int64_t>(sizeof(Warp))) +
         9 * (kernel.static_shared_bytes + launch.dynamic_shared_bytes);
}

namespace {

// A warp of a block that begins; `traced`: of the block whose requests are kept.
void begin_warp(Worker& worker, Warp& w, bool traced) {
  const EmulateOptions& options = *worker.run->options;
  const int first = static_cast<int>(w.index) * 32;
  const int lanes = std::min(32, worker.threads - first);
  w.live = lanes == 32 ? kAllLanes : (1u << lanes) - 1;
  w.order = 0;
  w.sync_count = 0;
  w.cluster_arrived = w.cluster_over = 0;
  w.suspect = w.multiplies = false;
  w.watch_at = kUnwatchedInstructions;
  w.watch_until = w.period = 0;
  w.slept = w.clock_reads = 0;
  w.leavings.clear();
  w.undefined.clear();
  w.unwritten.clear();
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
    if (changes_with_block(s.which)) fill(w, s.slot, s.bytes, special_value(worker, w, s.which, 0));
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
  if (worker.kernel->has_warpgroups) {
    WarpFlight none;
    none.product_of_slot.resize(worker.kernel->register_bytes / 128);
    worker.flights.assign(worker.warps.size(), none);
  }
  worker.lanes_ended = false;
  worker.suspect = worker.begun = worker.ended = false;
  worker.looked_at = -1;
  worker.cluster_phases = 0;
  worker.meets_cluster = false;
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
    // This reserves only address space until requests come: growing would copy hundreds of bytes
    // per request.
    worker.requests.reserve(static_cast<std::size_t>(options.maximum_requests));
    worker.issued.assign(worker.warps.size(), {});
    worker.traced_barriers.clear();
    worker.barrier_events.clear();
  }
  for (Warp& w : worker.warps) begin_warp(worker, w, traced);
}

void resume_block(Worker& worker, BlockState& state) {
  std::swap(static_cast<BlockState&>(worker), state);
  for (Warp& w : worker.warps) w.worker = &worker;
}

}  // namespace warpscope
