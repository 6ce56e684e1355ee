// profiling/stalls/stall_cause.cpp: which instruction a wait is for, and what kind of cause that
// is.
#include "profiling/stalls/stall_cause.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "profiling/listings/machine_table.h"
#include "profiling/stalls/stall_words.h"
#include "scenes/host/enumerators.h"

namespace warpscope {
namespace {

constexpr std::array<StallCauseRow, kEnumeratorCount<StallCause>> kCauses = {{
    {StallCause::uncoalesced, "uncoalesced", "uncoalesced access",
     "Let neighbouring lanes access neighbouring addresses, or stage the data in shared memory."},
    {StallCause::dram_bandwidth, "dram-bandwidth", "DRAM bandwidth",
     "Move fewer bytes: smaller types, reuse from shared memory or L2, fused kernels."},
    {StallCause::l2_misses, "l2-misses", "L2 misses",
     "Let blocks that run together use the same data, in tiles that fit in L2."},
    {StallCause::low_occupancy, "low-occupancy", "low occupancy",
     "Let more warps be resident: less shared memory or fewer registers per block, or a larger "
     "grid; or have several loads in flight per thread."},
    {StallCause::memory_latency, "memory-latency", "latency of global memory",
     "Start several independent loads before the first use, or prefetch."},
    {StallCause::atomics, "atomics", "atomics on the same address",
     "Add up in the warp and in the block first, and use one atomic per block."},
    {StallCause::spill, "spill", "register spill",
     "Let the thread need fewer registers, or allow more of them: __launch_bounds__, "
     "-maxrregcount."},
    {StallCause::local_memory, "local-memory", "local array",
     "Index the array by constants, so that it stays in registers, or put it into shared memory."},
    {StallCause::bank_conflict, "bank-conflict", "bank conflict",
     "Pad the rows by one word, or permute the columns."},
    {StallCause::shared_memory, "shared-memory", "shared memory",
     "Use wider accesses, or keep values in registers."},
    {StallCause::constant_cache, "constant-cache", "constant cache",
     "Let all lanes read the same constant, or read the table from global or shared memory."},
    {StallCause::bulk_copy, "bulk-copy", "bulk copy",
     "Start the copy earlier: use more stages of the pipeline."},
    {StallCause::async_copy, "async-copy", "asynchronous copy",
     "Start the copy earlier: use more stages of the pipeline."},
    {StallCause::barrier_imbalance, "barrier-imbalance", "uneven work before a barrier",
     "Give all warps of the block equal work before the barrier, or use fewer barriers."},
    {StallCause::dependency_chain, "dependency-chain", "dependency chain",
     "Split the chain into independent ones, such as several partial sums, or use more warps."},
    {StallCause::division, "division", "division",
     "Multiply by the reciprocal, divide by a power of two, or use __fdividef or -use_fast_math."},
    {StallCause::special_function, "special-function", "special function",
     "Use fewer of them, or their fast versions: __expf, rsqrtf."},
    {StallCause::arithmetic_pipe, "arithmetic-pipe", "arithmetic pipe",
     "The pipe is busy: do less arithmetic on it, or use another pipe."},
    {StallCause::tensor_pipe, "tensor-pipe", "tensor pipe",
     "The tensor cores are busy: this is the work itself. A smaller type is faster."},
    {StallCause::divergence, "divergence", "divergent lanes",
     "Let the lanes of a warp take the same path and the same number of turns."},
    {StallCause::instruction_cache, "instruction-cache", "instruction cache",
     "Make the code smaller: unroll less, and inline less."},
    {StallCause::store_queue, "store-queue", "stores",
     "Store wider and coalesced, so that fewer requests are made."},
    {StallCause::launch_tail, "launch-tail", "launch tail",
     "Choose the grid so that the last round of blocks is full, or use smaller blocks."},
    {StallCause::other, "other", "another reason", ""},
}};

// Sectors per request above this multiple of what would do are uncoalesced; conflicts likewise.
constexpr double kNotableRatio = 1.5;
constexpr double kLowOccupancy = 0.2, kBusyDram = 0.5, kFewHits = 0.5;

class CauseSearch {
 public:
  CauseSearch(const StallContext& context, std::uint32_t row, std::string_view reason)
      : c_(context), rows_(context.trace.machine_code->rows), row_(row), reason_(reason) {}

  FoundCause find() const {
    FoundCause found;
    found.row = waited_for();
    found.work = work_of(rows_[found.row].text);
    found.site = site_of(c_.trace, found.row);
    found.cause = kind_of(found);
    return found;
  }

 private:
  bool is(std::string_view reason) const { return reason_ == reason; }
  MachineWork work(std::uint32_t row) const { return work_of(rows_[row].text); }

  std::uint32_t waited_for() const {
    if (is("barrier")) return slow_before_barrier();
    if (is("wait")) return fixed_producer();
    if (is("drain")) return last_store();
    if (is("long_scoreboard") || is("short_scoreboard") || is("gmma") || is("sleeping") ||
        is("branch_resolving") || is("warpgroup_arrive"))
      return producer();
    return row_;
  }

  double cost(std::uint32_t row) const {
    const std::ptrdiff_t site = site_of(c_.trace, row);
    if (site < 0) return 0;
    const AccessTotals& t = c_.trace.sites[static_cast<std::size_t>(site)].totals;
    return static_cast<double>(t.sectors + t.wavefronts) /
           static_cast<double>(std::max<std::int64_t>(1, t.requests));
  }

  // A warp that waits at DEPBAR for copies or products stands at the instruction after it, as a
  // device samples it. No value: it does not stand there.
  std::optional<std::uint32_t> waited_at_depbar() const {
    if (row_ == 0 || !rows_[row_ - 1].next.empty()) return std::nullopt;
    const MachineRow& before = rows_[row_ - 1];
    if (opcode_in(before.text).find("DEPBAR") == std::string_view::npos) return std::nullopt;
    for (const MachineNeed& need : before.needs) {
      if (need.kind == NeedKind::asynchronous) return need.row;
    }
    return std::nullopt;
  }

  // If several are waited for: one of the reason's kind, then one that shares a register, then
  // the one with the most costly access, then the nearest.
  std::uint32_t producer() const {
    const MachineNeed* best = nullptr;
    const auto worth = [&](const MachineNeed& need) {
      const bool fits = is("gmma") || is("warpgroup_arrive")
                            ? work(need.row) == MachineWork::warpgroup_product
                            : is_long_latency(work(need.row)) == !is("short_scoreboard");
      const int kind = need.kind == NeedKind::asynchronous ? 3
                       : need.kind == NeedKind::value      ? 2
                       : need.kind == NeedKind::order      ? 1
                                                           : 0;
      return std::tuple(fits, kind, cost(need.row));
    };
    for (const MachineNeed& need : rows_[row_].needs) {
      const bool waits = need.scoreboard >= 0 || need.kind == NeedKind::asynchronous;
      if (!waits) continue;
      if (best == nullptr || worth(need) > worth(*best)) best = &need;
    }
    const bool long_wait = is("long_scoreboard") || is("gmma") || is("warpgroup_arrive");
    if (long_wait && (best == nullptr || !std::get<0>(worth(*best)))) {
      if (const auto beside = waited_at_depbar()) return *beside;
    }
    if (best == nullptr) return row_;
    return copy_of_wait(best->row);
  }

  // A wait at a barrier in shared memory is one for the copies that arrive there.
  std::uint32_t copy_of_wait(std::uint32_t row) const {
    if (work(row) != MachineWork::mbarrier) return row;
    for (const MachineNeed& need : rows_[row].needs) {
      if (need.kind == NeedKind::asynchronous) return need.row;
    }
    return row;
  }

  // If a register comes from several places: the one that is executed most, then the nearest.
  std::uint32_t fixed_producer() const {
    const auto count = static_cast<std::uint32_t>(rows_.size());
    const auto worth = [&](std::uint32_t row) {
      const std::uint32_t distance = row < row_ ? row_ - row : row_ + count - row;
      return std::tuple(rows_[row].executed, count + count - distance);
    };
    std::optional<std::uint32_t> best;
    for (const MachineNeed& need : rows_[row_].needs) {
      if (need.kind != NeedKind::fixed) continue;
      if (!best || worth(need.row) > worth(*best)) best = need.row;
    }
    return best.value_or(row_);
  }

  std::uint32_t last_store() const {
    const auto none = [](std::uint32_t) { return false; };
    for (const std::uint32_t k : c_.flow.all_before(row_, none)) {
      if (work(k) == MachineWork::global_store || work(k) == MachineWork::global_atomic) return k;
    }
    return row_;
  }

  // Rows between the barrier that is waited for and the ones before it. A warp that waits stands at
  // the barrier, or shortly after it, as a device samples it.
  std::vector<std::uint32_t> before_barrier() const {
    const auto is_barrier = [&](std::uint32_t k) { return work(k) == MachineWork::block_barrier; };
    std::vector<std::uint32_t> barriers;
    const auto stops = [&](std::uint32_t k) {
      if (is_barrier(k)) barriers.push_back(k);
      return is_barrier(k);
    };
    if (is_barrier(row_)) return c_.flow.all_before(row_, is_barrier);
    std::vector<std::uint32_t> passed = c_.flow.all_before(row_, stops);
    if (barriers.empty()) return passed;
    std::set<std::uint32_t> region;
    for (const std::uint32_t barrier : barriers) {
      for (const std::uint32_t k : c_.flow.all_before(barrier, is_barrier)) region.insert(k);
    }
    return {region.begin(), region.end()};
  }

  // The line where warps spend most time between the barrier before and this one: there the slow
  // warps are. Lines that all warps execute alike do not count where others differ.
  std::uint32_t slow_before_barrier() const {
    const std::vector<std::uint32_t> region = before_barrier();
    const std::vector<bool> uneven = uneven_rows();
    const bool any_uneven =
        std::any_of(region.begin(), region.end(), [&](std::uint32_t k) { return uneven[k]; });
    std::map<std::pair<std::string, int>, double> by_line;
    const auto place = [&](std::uint32_t k) {
      const SourcePosition& at = c_.flow.line_of(k);
      return std::pair(at.file, at.line);
    };
    for (const std::uint32_t k : region) {
      if (any_uneven && !uneven[k]) continue;
      by_line[place(k)] += c_.waits.rows[k].all();
    }
    std::uint32_t best = row_;
    double most = 0, most_of_row = -1;
    for (const auto& [at, weight] : by_line) most = std::max(most, weight);
    for (const std::uint32_t k : region) {
      if (any_uneven && !uneven[k]) continue;
      if (by_line[place(k)] < most || c_.waits.rows[k].all() <= most_of_row) continue;
      most_of_row = c_.waits.rows[k].all();
      best = k;
    }
    return best;
  }

  // Rows that some warps of the kept block execute more often than others.
  std::vector<bool> uneven_rows() const {
    std::vector<std::int64_t> least(rows_.size(), -1), most(rows_.size(), 0);
    for (const std::vector<IssuedInstruction>& warp : c_.trace.issued) {
      std::vector<std::int64_t> count(rows_.size(), 0);
      for (const IssuedInstruction& i : warp) {
        if (i.instruction < count.size()) ++count[i.instruction];
      }
      for (std::size_t k = 0; k < count.size(); ++k) {
        least[k] = least[k] < 0 ? count[k] : std::min(least[k], count[k]);
        most[k] = std::max(most[k], count[k]);
      }
    }
    std::vector<bool> uneven(rows_.size(), false);
    for (std::size_t k = 0; k < rows_.size(); ++k) uneven[k] = least[k] >= 0 && most[k] > least[k];
    return uneven;
  }

  bool divides(std::uint32_t row) const {
    if (calls_division(c_.flow.routine_of(row))) return true;
    // Inlined: the line has a reciprocal, and much arithmetic around it.
    const SourcePosition& at = c_.flow.line_of(row);
    if (at.line <= 0) return false;
    const CodeFlow::LineCode line = c_.flow.code_of(at);
    constexpr int kDivision = 6;  // instructions: 1/x by the special-function unit alone has fewer
    return line.divisions > 0 && line.instructions >= kDivision * line.divisions;
  }

  StallCause kind_of(const FoundCause& found) const {
    if (is("no_instruction") || is("no_instructions")) return StallCause::instruction_cache;
    if (is("imc_miss")) return StallCause::constant_cache;
    if (is("barrier")) return StallCause::barrier_imbalance;
    const StallCause memory = memory_kind(found);
    if (memory != StallCause::other) return memory;
    if (divides(row_) || divides(found.row)) return StallCause::division;
    if (few_lanes(rows_[row_])) return StallCause::divergence;
    switch (found.work) {
      case MachineWork::matrix_product:
      case MachineWork::warpgroup_product:
        return StallCause::tensor_pipe;
      case MachineWork::special_function:
        return is("wait") ? StallCause::dependency_chain : StallCause::special_function;
      default:
        break;
    }
    if (is("math_pipe_throttle")) return StallCause::arithmetic_pipe;
    if (is("wait")) return StallCause::dependency_chain;
    return StallCause::other;
  }

  StallCause memory_kind(const FoundCause& found) const {
    const bool own_queue = is("lg_throttle") || is("mio_throttle") || is("drain");
    const bool waits = is("long_scoreboard") || is("short_scoreboard") || own_queue ||
                       found.row != row_ || is("membar") || is("sleeping");
    if (!waits || is("wait") || is("math_pipe_throttle")) return StallCause::other;
    switch (found.work) {
      case MachineWork::global_load:
      case MachineWork::global_store:
        return global_kind(found);
      case MachineWork::global_atomic:
      case MachineWork::shared_atomic:
        return StallCause::atomics;
      case MachineWork::local_memory:
        return rows_[found.row].spill || is_stack_access(rows_[found.row].text)
                   ? StallCause::spill
                   : StallCause::local_memory;
      case MachineWork::shared_load:
      case MachineWork::shared_store:
        return conflict_ratio(found) >= kNotableRatio ? StallCause::bank_conflict
                                                      : StallCause::shared_memory;
      case MachineWork::constant_load:
        return StallCause::constant_cache;
      case MachineWork::bulk_copy:
      case MachineWork::mbarrier:
        return StallCause::bulk_copy;
      case MachineWork::copy:
        return StallCause::async_copy;
      default:
        return StallCause::other;
    }
  }

  double conflict_ratio(const FoundCause& found) const {
    if (found.site < 0) return 0;
    const AccessTotals& t = c_.trace.sites[static_cast<std::size_t>(found.site)].totals;
    return static_cast<double>(t.wavefronts) /
           static_cast<double>(std::max<std::int64_t>(1, t.ideal_wavefronts));
  }

  StallCause global_kind(const FoundCause& found) const {
    if (needs_itself(rows_, found.row)) return StallCause::memory_latency;
    if (found.site >= 0) {
      const AccessTotals& t = c_.trace.sites[static_cast<std::size_t>(found.site)].totals;
      if (static_cast<double>(t.sectors) > kNotableRatio * static_cast<double>(t.ideal_sectors))
        return StallCause::uncoalesced;
    }
    const LevelShares levels = level_shares(c_);
    if (levels.dram_busy && *levels.dram_busy >= kBusyDram) return StallCause::dram_bandwidth;
    if (found.work == MachineWork::global_store) return StallCause::store_queue;
    if (c_.resources != nullptr && c_.resources->theoretical_occupancy_ratio > 0 &&
        c_.resources->theoretical_occupancy_ratio <= kLowOccupancy)
      return StallCause::low_occupancy;
    if (few_lanes(rows_[found.row])) return StallCause::divergence;
    if (levels.l2 && *levels.l2 < kFewHits && levels.l1.value_or(0) < kFewHits)
      return StallCause::l2_misses;
    return StallCause::memory_latency;
  }

  const StallContext& c_;
  const std::vector<MachineRow>& rows_;
  const std::uint32_t row_;
  const std::string_view reason_;
};

}  // namespace

std::span<const StallCauseRow> stall_causes() { return kCauses; }
const StallCauseRow& row_of(StallCause cause) { return kCauses[static_cast<std::size_t>(cause)]; }

std::ptrdiff_t site_of(const Trace& trace, std::uint32_t row) {
  std::ptrdiff_t best = -1;
  for (std::size_t s = 0; s < trace.sites.size(); ++s) {
    if (trace.sites[s].instruction != row) continue;
    if (best < 0 || trace.sites[s].totals.requests >
                        trace.sites[static_cast<std::size_t>(best)].totals.requests)
      best = static_cast<std::ptrdiff_t>(s);
  }
  return best;
}

bool needs_itself(std::span<const MachineRow> rows, std::uint32_t row) {
  constexpr std::size_t kMostSteps = 256;
  std::vector<std::uint32_t> open = {row};
  std::set<std::uint32_t> seen;
  for (std::size_t at = 0; at < open.size() && at < kMostSteps; ++at) {
    for (const MachineNeed& need : rows[open[at]].needs) {
      if (need.kind != NeedKind::fixed && need.kind != NeedKind::value) continue;
      if (rows[need.row].executed < rows[row].executed) continue;  // not on the way each time
      if (need.row == row) return true;
      if (seen.insert(need.row).second) open.push_back(need.row);
    }
  }
  return false;
}

std::optional<double> filled_rounds(const StallContext& context) {
  if (context.multiprocessors <= 0 || context.resources == nullptr ||
      context.resources->blocks_per_multiprocessor <= 0)
    return std::nullopt;
  const std::int64_t blocks = block_count(context.trace.launch);
  const std::int64_t round =
      std::int64_t{context.multiprocessors} * context.resources->blocks_per_multiprocessor;
  if (blocks <= round) return std::nullopt;
  const std::int64_t full = (blocks - 1) / round, last = blocks - full * round;
  const double busy = std::min(1.0, static_cast<double>(last) / context.multiprocessors);
  return (static_cast<double>(full) + busy) / static_cast<double>(full + 1);
}

LevelShares level_shares(const StallContext& context) {
  LevelShares shares;
  if (context.point == nullptr) return shares;
  const std::vector<MetricValue>* metrics = &context.point->metrics;
  for (const StepRecord& step : context.point->steps) {
    if (step.name == context.trace.step && value_of(step.metrics, "l2.sectors"))
      metrics = &step.metrics;
  }
  const auto ratio = [&](const char* part, const char* all) -> std::optional<double> {
    const auto a = value_of(*metrics, part), b = value_of(*metrics, all);
    return a && b && *b > 0 ? std::optional(*a / *b) : std::nullopt;
  };
  shares.l1 = ratio("l1.sectors_load_hit", "l1.sectors_load");
  shares.l2 = ratio("l2.sectors_hit", "l2.sectors");
  constexpr double kPercent = 100;
  if (const auto busy = value_of(*metrics, "dram.throughput")) shares.dram_busy = *busy / kPercent;
  return shares;
}

FoundCause cause_of(const StallContext& context, std::uint32_t row, std::string_view reason) {
  return CauseSearch(context, row, reason).find();
}

}  // namespace warpscope
