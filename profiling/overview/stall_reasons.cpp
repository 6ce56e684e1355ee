// profiling/overview/stall_reasons.cpp: why warps wait, by the counters of stall reasons.
#include "profiling/overview/stall_reasons.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "profiling/figures/multiprocessor.h"

namespace warpscope {
namespace {

constexpr std::array<StallReason, 18> kStallReasons = {{
    {"stall.long_scoreboard", StallGroup::memory, "global memory",
     "The warp needs a value that is on its way from global or local memory. More loads in flight "
     "(more warps, or several loads before the first use), fewer sectors per request, or reuse "
     "from shared memory shorten it."},
    {"stall.lg_throttle", StallGroup::memory, "global memory queue",
     "The queue for global and local memory instructions is full. Wider loads (16 bytes per lane) "
     "and coalesced accesses need fewer of its entries."},
    {"stall.short_scoreboard", StallGroup::memory, "shared memory",
     "The warp needs a value from shared memory, or from a special function such as exp. Bank "
     "conflicts lengthen it."},
    {"stall.mio_throttle", StallGroup::memory, "shared memory queue",
     "The queue for shared memory, special functions and dynamic branches is full. Wider accesses "
     "to shared memory and fewer bank conflicts need fewer of its entries."},
    {"stall.tex_throttle", StallGroup::memory, "texture queue",
     "The queue for texture instructions is full. Issue fewer or wider texture fetches."},
    {"stall.imc_miss", StallGroup::memory, "constant cache",
     "A constant missed the constant cache. Lanes that read different constants, or many "
     "constants, cause it."},
    {"stall.drain", StallGroup::memory, "last stores",
     "The warp has ended and waits until its last stores are written. Coalesced stores shorten "
     "it."},
    {"stall.wait", StallGroup::dependency, "fixed latency",
     "The warp waits for the few cycles that its last instruction takes. More independent "
     "instructions, or more warps, cover it."},
    {"stall.branch_resolving", StallGroup::dependency, "branch target",
     "The warp waits for the target of a branch. Fewer branches, or unrolled loops, shorten it."},
    {"stall.gmma", StallGroup::dependency, "matrix products",
     "The warp waits for the asynchronous matrix products of its warpgroup. That is the work "
     "itself if the tensor cores are busy."},
    {"stall.barrier", StallGroup::barrier, "barrier",
     "The warp waits for other warps of its block at a barrier. Uneven work before the barrier "
     "lengthens it; smaller blocks or fewer barriers shorten it."},
    {"stall.membar", StallGroup::barrier, "memory fence",
     "The warp waits at a fence until its memory accesses are visible. A narrower scope, such as "
     "the block, shortens it."},
    {"stall.sleeping", StallGroup::barrier, "sleep",
     "All threads of the warp sleep by instruction (nanosleep), as waiting loops do."},
    {"stall.not_selected", StallGroup::issue, "another warp was issued",
     "The warp was ready, and the scheduler issued another one. There are more warps than needed: "
     "more registers per thread may cost nothing."},
    {"stall.math_pipe_throttle", StallGroup::issue, "arithmetic pipe",
     "The arithmetic pipe of the next instruction is busy. This is what remains when nothing else "
     "limits: spread the work over other pipes, or do less of it."},
    {"stall.dispatch_stall", StallGroup::issue, "dispatch",
     "The scheduler selected the warp, and the dispatcher held it back because of conflicts or "
     "missing resources."},
    {"stall.no_instruction", StallGroup::issue, "instruction fetch",
     "The next instruction is not there yet. Long unrolled code, jumps, and the end of the kernel "
     "cause it."},
    {"stall.misc", StallGroup::other, "other reasons", "A reason that has no counter of its own."},
}};

constexpr const char* kStallGroupNames[kStallGroups] = {"memory", "dependency", "barrier", "issue",
                                                        "other"};
constexpr const char* kStallGroupSentences[kStallGroups] = {
    "Warps that wait for data, or for room in a queue of memory instructions.",
    "Warps that wait for the result of an earlier instruction of their own.",
    "Warps that wait for other warps.",
    "Warps that wait for the scheduler, the dispatcher, an arithmetic pipe or their next "
    "instruction.",
    "Warps that wait for a reason without a counter."};

}  // namespace

const char* to_text(StallGroup group) { return kStallGroupNames[static_cast<int>(group)]; }
const char* sentence_of(StallGroup group) { return kStallGroupSentences[static_cast<int>(group)]; }

std::span<const StallReason> all_stall_reasons() { return kStallReasons; }

double Stalls::of(StallGroup group) const {
  double sum = 0;
  for (const StallPart& part : parts) sum += part.reason->group == group ? part.warps : 0;
  return sum;
}

const StallPart* Stalls::largest() const {
  const auto found =
      std::max_element(parts.begin(), parts.end(),
                       [](const StallPart& a, const StallPart& b) { return a.warps < b.warps; });
  return found == parts.end() || found->warps <= 0 ? nullptr : &*found;
}

bool counts_stalls(const std::vector<MetricValue>& metrics) {
  return std::any_of(kStallReasons.begin(), kStallReasons.end(), [&](const StallReason& reason) {
    return value_of(metrics, reason.id).has_value();
  });
}

std::optional<Stalls> stalls_of(const std::vector<MetricValue>& metrics, double scheduler_warps) {
  Stalls stalls;
  for (const StallReason& reason : kStallReasons) {
    if (const auto warps = value_of(metrics, reason.id)) {
      stalls.parts.push_back({&reason, *warps});
      stalls.counted += *warps;
    } else {
      stalls.uncounted.push_back(&reason);
    }
  }
  if (stalls.parts.empty()) return std::nullopt;
  const auto occupancy = value_of(metrics, "occupancy.achieved"),
             issue = value_of(metrics, "issue.active");
  if (stalls.uncounted.empty() || !occupancy || !issue || *issue <= 0) return stalls;
  // Both are in percent: warps that a scheduler has, and how often it issues one of them.
  const double cycles = *occupancy * scheduler_warps / *issue;
  stalls.others = std::max(0.0, cycles - 1 - stalls.counted);
  return stalls;
}

double scheduler_warps(int compute_capability) {
  constexpr int kUsual = 90, kWarpThreads = 32;
  const ArchitectureLimits* limits = limits_of(compute_capability);
  if (limits == nullptr) limits = limits_of(kUsual);
  return static_cast<double>(limits->threads) / kWarpThreads /
         static_cast<double>(kMultiprocessorParts);
}

std::string stall_sentence(const Stalls& stalls) {
  const StallPart* part = stalls.largest();
  if (part == nullptr) return "No warp waits for any of the reasons that were counted.";
  const bool whole = stalls.uncounted.empty() || stalls.others.has_value();
  std::string words =
      std::string(stalls.uncounted.empty() ? "The longest wait is for “"
                                           : "The longest wait that was counted is for “") +
      part->reason->name + "”: " + format_value(part->warps, "1");
  if (whole && stalls.all() > 0) {
    words += " of " + format_value(stalls.all(), "1") + " waiting cycles per instruction (" +
             format_value(part->warps / stalls.all(), "ratio") + ")";
  } else {
    words += " cycles per instruction";
  }
  return words + ". " + part->reason->sentence;
}

}  // namespace warpscope
