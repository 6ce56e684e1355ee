// profiling/stalls/stall_cause.h: which instruction a wait is for, and what kind of cause that is.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/access/trace.h"
#include "profiling/points/measurement.h"
#include "profiling/stalls/code_flow.h"
#include "profiling/stalls/kernel_waits.h"
#include "profiling/stalls/machine_opcode.h"

namespace warpscope {

enum class StallCause : std::uint8_t {
  uncoalesced,
  dram_bandwidth,
  l2_misses,
  low_occupancy,
  memory_latency,
  atomics,
  spill,
  local_memory,
  bank_conflict,
  shared_memory,
  constant_cache,
  bulk_copy,
  async_copy,
  barrier_imbalance,
  dependency_chain,
  division,
  special_function,
  arithmetic_pipe,
  tensor_pipe,
  divergence,
  instruction_cache,
  store_queue,
  launch_tail,
  other,
};
struct StallCauseRow {
  StallCause cause;
  const char* id;     // in JSON and CSV: "bank-conflict"
  const char* title;  // "bank conflict"
  const char* remedy;
};
// One row per cause, in the order of StallCause.
std::span<const StallCauseRow> stall_causes();
const StallCauseRow& row_of(StallCause cause);

// What is known of a kernel beside where it waits. Pointers may be null.
struct StallContext {
  const Trace& trace;
  const KernelWaits& waits;
  const CodeFlow& flow;
  const Measurement* point = nullptr;  // with counters, for the level that answers
  const KernelResources* resources = nullptr;
  int multiprocessors = 0;  // 0: not known
};

struct FoundCause {
  StallCause cause = StallCause::other;
  // The instruction that is waited for; the waiting one itself where its own queue or pipe is full.
  std::uint32_t row = 0;
  std::ptrdiff_t site = -1;  // its access, an index into Trace::sites; −1: it has none
  MachineWork work = MachineWork::other;
};
FoundCause cause_of(const StallContext& context, std::uint32_t row, std::string_view reason);

// The access of an instruction with most requests; −1: it has none.
std::ptrdiff_t site_of(const Trace& trace, std::uint32_t row);
// Whether a load's address needs the value that the same instruction loaded before, as in a list or
// a random walk: then a thread has only one of these loads in flight.
bool needs_itself(std::span<const MachineRow> rows, std::uint32_t row);
// How full the last round of blocks leaves the multiprocessors: the share of their time in which
// they have a block, 0 … 1; no value if that is not known or the grid is one round.
std::optional<double> filled_rounds(const StallContext& context);
// Where the loads' data came from: the share of sectors that the level answers.
struct LevelShares {
  std::optional<double> l1, l2;     // of those that it was asked for
  std::optional<double> dram_busy;  // of its peak rate
};
// The counters that this needs.
inline constexpr const char* kStallLevelCounters =
    "l1.sectors_load,l1.sectors_load_hit,l2.sectors,l2.sectors_hit,dram.throughput";
LevelShares level_shares(const StallContext& context);

}  // namespace warpscope
