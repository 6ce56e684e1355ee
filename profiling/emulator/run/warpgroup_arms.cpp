// profiling/emulator/run/warpgroup_arms.cpp: warps that come to a product of their warpgroup.
#include <algorithm>

#include "profiling/emulator/run/arms.h"
#include "profiling/emulator/warpgroups/products.h"
#include "scenes/base/plural.h"

namespace warpscope {
namespace {

std::uint32_t first_of(const Warp& w) { return w.index / kWarpgroupWarps * kWarpgroupWarps; }

// The path of a warp that waits for its warpgroup; null: none does.
Arm* waiting_arm(Warp& w) {
  const auto at = std::find_if(w.arms.begin(), w.arms.end(),
                               [](const Arm& arm) { return arm.state == ArmState::at_warpgroup; });
  return at == w.arms.end() ? nullptr : &*at;
}

// Lets the warps of a warpgroup that wait go on after the product.
void release(Worker& worker, std::uint32_t first) {
  for (std::uint32_t v = first; v < first + kWarpgroupWarps; ++v) {
    if (Arm* arm = waiting_arm(worker.warps[v])) {
      arm->state = ArmState::ready;
      ++arm->pc;
    }
  }
  worker.watch.note_effect();
}

void refuse(Warp& w, const Instruction& i, std::uint32_t lanes, const std::string& why) {
  note_fault(w, i, FaultKind::divergent_barrier, lanes,
             w.worker->source(i).opcode + " " + why +
                 ": all threads of the four warps of a warpgroup must execute it");
}

// Why the product cannot be one of the whole warpgroup; empty: it can.
std::string missing_warp(const Worker& worker, std::uint32_t first) {
  const std::size_t warps = worker.warps.size();
  if (first + kWarpgroupWarps > warps) {
    return "is reached by a warpgroup of " +
           plural(static_cast<std::int64_t>(warps - first), "warp");
  }
  for (std::uint32_t v = first; v < first + kWarpgroupWarps; ++v) {
    if (worker.warps[v].live != kAllLanes) {
      return "is reached without " + std::string(worker.warps[v].live == 0 ? "" : "threads of ") +
             "warp " + std::to_string(v) + ", which " +
             (worker.warps[v].live == 0 ? "has ended" : "have ended or never existed");
    }
  }
  return {};
}

}  // namespace

ArmPlace come_to_product(Worker& worker, Warp& w, Arm& arm, const Instruction& i, ArmPlace at,
                         std::uint32_t mask) {
  const std::uint32_t first = first_of(w);
  if (mask != w.live) {
    refuse(w, i, mask, "is reached by only a part of its warp");
    return {at.pc + 1, at.lanes};
  }
  if (const std::string why = missing_warp(worker, first); !why.empty()) {
    refuse(w, i, mask, why);
    return {at.pc + 1, at.lanes};
  }
  park(worker, w, arm, at, ArmState::at_warpgroup);
  std::uint32_t same = 0, other = first;
  for (std::uint32_t v = first; v < first + kWarpgroupWarps; ++v) {
    const Arm* const there = waiting_arm(worker.warps[v]);
    if (there == nullptr) return {};
    if (there->pc == at.pc) {
      ++same;
    } else {
      other = v;
    }
  }
  if (same == kWarpgroupWarps) {
    run_product(worker, first, i);
  } else {
    const Instruction& theirs = worker.kernel->code[waiting_arm(worker.warps[other])->pc];
    refuse(w, i, mask,
           "is executed while warp " + std::to_string(other) + " executes the one of line " +
               std::to_string(worker.source(theirs).position.line));
  }
  release(worker, first);
  return {};
}

ArmPlace come_to_product_wait(Worker& worker, Warp& w, Arm& arm, const Instruction& i,
                              ArmPlace at) {
  const bool multiplied = w.multiplies;
  wait_for_products(w, i);
  ++at.pc;
  if (w.multiplies == multiplied) return at;
  // What runs a warp with products under way is another loop.
  park(worker, w, arm, at, ArmState::ready);
  return {};
}

bool release_warpgroups(Worker& worker) {
  bool any = false;
  for (Warp& w : worker.warps) {
    const Arm* const arm = waiting_arm(w);
    if (arm == nullptr) continue;
    const std::uint32_t first = first_of(w);
    const std::string why = missing_warp(worker, first);
    if (why.empty()) continue;
    refuse(w, worker.kernel->code[arm->pc], arm->mask, why);
    release(worker, first);
    any = true;
  }
  return any;
}

void note_warpgroup_wait(Worker& worker, Warp& w, const Arm& arm) {
  const Instruction& i = worker.kernel->code[arm.pc];
  const std::uint32_t first = first_of(w);
  std::string absent;
  int count = 0;
  for (std::uint32_t v = first; v < first + kWarpgroupWarps; ++v) {
    if (waiting_arm(worker.warps[v]) != nullptr) continue;
    absent += (count++ == 0 ? "" : ", ") + std::to_string(v);
  }
  note_fault(w, i, FaultKind::deadlock, arm.mask,
             worker.source(i).opcode + " waits for " + (count == 1 ? "warp " : "warps ") + absent +
                 " of its warpgroup, which never " + (count == 1 ? "comes" : "come"));
}

}  // namespace warpscope
