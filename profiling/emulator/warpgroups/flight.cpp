// profiling/emulator/warpgroups/flight.cpp: what a warp may do while products of its warpgroup are
// under way.
#include <algorithm>

#include "profiling/emulator/memory/access_path.h"
#include "profiling/emulator/warpgroups/products.h"

namespace warpscope {
namespace {

constexpr std::uint32_t kSlotBytes = 128;

WarpFlight& flight_of(const Warp& w) { return w.worker->flights[w.index]; }

std::string line_text(const Worker& k, std::uint32_t source) {
  return k.kernel->sources[source].opcode + " of line " +
         std::to_string(k.kernel->sources[source].position.line);
}

// PTX ISA: .aligned asks all threads of the warp to be there.
void note_alignment(Warp& w, const Instruction& i) {
  if (w.mask == w.live) return;
  note_fault(w, i, FaultKind::divergent_barrier, w.mask,
             w.worker->source(i).opcode + " is reached by only a part of its warp");
}

// Two products may accumulate into the same registers one after the other, where they have one
// shape.
bool follows(const WarpgroupProduct& p, const WarpgroupProduct& before, std::uint32_t slot) {
  const auto holds = [&](const WarpgroupProduct& x) {
    return std::find(x.accumulators.begin(), x.accumulators.end(), slot) != x.accumulators.end();
  };
  return p.n == before.n && p.d == before.d && holds(p) && holds(before);
}

void note_early_use(Warp& w, const Instruction& i, std::uint32_t number) {
  if (!fault_is_first(w, i, FaultKind::missing_wait, w.mask)) return;
  const Worker& k = *w.worker;
  const WarpFlight& flight = flight_of(w);
  const bool committed = !flight.group_ends.empty() && flight.group_ends.back() >= number;
  tell_fault(
      w, i, FaultKind::missing_wait, w.mask,
      k.source(i).opcode + " uses a register of the " +
          line_text(k, flight.begun[number - 1].source) +
          (committed ? " before wgmma.wait_group has waited for it"
                     : ", which no wgmma.commit_group has closed and no wgmma.wait_group has "
                       "waited for"),
      {}, -1);
}

void note_missing_fence(Warp& w, const Instruction& i, const WarpgroupProduct& p) {
  const WarpFlight& flight = flight_of(w);
  if (flight.fenced || (flight.ever_fenced && !p.written_before)) return;
  note_fault(
      w, i, FaultKind::missing_fence, kAllLanes,
      w.worker->source(i).opcode +
          (flight.ever_fenced ? " works on registers that were written since the last wgmma.fence"
                              : " comes before any wgmma.fence, which makes its registers ready"));
}

}  // namespace

void begin_flight(Warp& w, const Instruction& i, const WarpgroupProduct& p) {
  WarpFlight& flight = flight_of(w);
  w.mask = kAllLanes;
  note_missing_fence(w, i, p);
  flight.begun.push_back({i.source, static_cast<std::uint32_t>(i.immediate), ~0u});
  const auto number = static_cast<std::uint32_t>(flight.begun.size());
  const auto take = [&](std::uint32_t slot) {
    std::uint32_t& last = flight.product_of_slot[slot / kSlotBytes];
    if (last > flight.over && last != number &&
        !follows(p, w.worker->kernel->products[flight.begun[last - 1].product], slot)) {
      note_early_use(w, i, last);
    }
    last = number;
  };
  for (const std::uint32_t slot : p.accumulators) take(slot);
  // Products may share registers of A, which they only read.
  for (const std::uint32_t slot : p.a_registers) {
    if (!p.a_in_registers) break;
    std::uint32_t& last = flight.product_of_slot[slot / kSlotBytes];
    if (last > flight.over && last != number) {
      const WarpgroupProduct& before = w.worker->kernel->products[flight.begun[last - 1].product];
      if (std::find(before.accumulators.begin(), before.accumulators.end(), slot) !=
          before.accumulators.end()) {
        note_early_use(w, i, last);
      }
    }
    last = number;
  }
  w.multiplies = true;
}

void wait_for_products(Warp& w, const Instruction& i) {
  note_alignment(w, i);
  WarpFlight& flight = flight_of(w);
  const auto groups = static_cast<std::int64_t>(flight.group_ends.size());
  flight.fenced = false;
  if (groups > i.immediate) {
    const std::uint32_t end = flight.group_ends[static_cast<std::size_t>(groups - 1 - i.immediate)];
    for (; flight.over < end; ++flight.over) {
      const std::uint32_t shadow = flight.begun[flight.over].shadow;
      if (shadow != ~0u)
        w.worker->shadow.products.end(w.worker->shadow.clocks, shadow, static_cast<int>(w.index));
    }
  }
  w.multiplies = flight.under_way();
}

void run_product_fence(Warp& w, const Instruction& i) {
  note_alignment(w, i);
  flight_of(w).fenced = flight_of(w).ever_fenced = true;
}

void run_product_commit(Warp& w, const Instruction& i) {
  note_alignment(w, i);
  WarpFlight& flight = flight_of(w);
  flight.group_ends.push_back(static_cast<std::uint32_t>(flight.begun.size()));
}

void note_register_uses(Warp& w, const Instruction& i, std::uint32_t lanes) {
  if (lanes == 0 || i.counted == 0) return;
  w.mask = lanes;
  const KernelCode& kernel = *w.worker->kernel;
  if (i.kind == InstructionKind::warpgroup_product) return;  // begin_flight looks at its registers
  const RegisterUse& use = kernel.register_uses[i.source];
  const std::uint32_t* const slots = kernel.used_registers.data() + use.first;
  WarpFlight& flight = flight_of(w);
  if (use.copies) {
    flight.product_of_slot[slots[0] / kSlotBytes] = flight.product_of_slot[slots[1] / kSlotBytes];
    return;
  }
  for (int k = 0; k < use.count; ++k) {
    const std::uint32_t number = flight.product_of_slot[slots[k] / kSlotBytes];
    if (number > flight.over) note_early_use(w, i, number);
  }
}

void run_set_registers(Warp& w, const Instruction& i) {
  // source: PTX ISA, "setmaxnreg".
  constexpr int kLeast = 24, kMost = 256, kStep = 8;
  note_alignment(w, i);
  Worker& k = *w.worker;
  const auto count = static_cast<int>(i.immediate);
  const int wanted = std::abs(count);
  if (wanted < kLeast || wanted > kMost || wanted % kStep != 0) {
    note_fault(w, i, FaultKind::misaligned, w.mask,
               k.source(i).opcode + " asks for " + std::to_string(wanted) +
                   " registers; it accepts multiples of 8 from 24 to 256");
  }
  WarpFlight& flight = flight_of(w);
  flight.register_counts.push_back(count);
  flight.register_source = i.source;
  const std::size_t at = flight.register_counts.size() - 1;
  const std::uint32_t first = w.index / kWarpgroupWarps * kWarpgroupWarps;
  for (std::uint32_t v = first; v < first + kWarpgroupWarps && v < k.warps.size(); ++v) {
    const std::vector<int>& other = k.flights[v].register_counts;
    if (other.size() <= at || other[at] == count) continue;
    note_fault(w, i, FaultKind::divergent_barrier, w.mask,
               k.source(i).opcode + " asks for " + std::to_string(wanted) +
                   " registers while warp " + std::to_string(v) + " of its warpgroup asks for " +
                   std::to_string(std::abs(other[at])));
  }
}

namespace {

// Once the last warp of a block ends: whether what its warps asked for by setmaxnreg fits what the
// block began with. The assembler chooses how many that were. Here it is the most that a block of
// this many threads can have, so a block that is reported to wait does wait. Warps that never ask
// keep theirs. source: PTX ISA, "setmaxnreg": .inc waits until the block's pool has as many.
void note_register_pool(Warp& last, const Instruction& i) {
  constexpr int kOfMultiprocessor = 65536, kMost = 256, kStep = 8;
  Worker& k = *last.worker;
  const int each = std::min(kMost, kOfMultiprocessor / k.threads / kStep * kStep);
  int asked = 0, had = 0;
  std::uint32_t most = last.index;
  for (std::uint32_t v = 0; v < k.warps.size(); ++v) {
    if (v != last.index && k.warps[v].live != 0) return;
    const std::vector<int>& counts = k.flights[v].register_counts;
    if (counts.empty()) continue;
    asked += kWarpLanes * std::abs(counts.back());
    had += kWarpLanes * each;
    const std::vector<int>& so_far = k.flights[most].register_counts;
    if (so_far.empty() || counts.back() > so_far.back()) most = v;
  }
  if (asked <= had) return;
  Instruction asking = i;  // at the line that asks for most
  asking.source = k.flights[most].register_source;
  note_fault(last, asking, FaultKind::deadlock, last.mask,
             k.source(asking).opcode + " of warp " + std::to_string(most) +
                 " waits for ever on a device: the warps of the block ask for " +
                 std::to_string(asked) + " registers together, and they began with " +
                 std::to_string(had) + " at most (" + std::to_string(each) +
                 " a thread); ask for fewer, or let others give more back");
}

}  // namespace

void note_unfinished(Warp& w, const Instruction& i) {
  Worker& k = *w.worker;
  const WarpFlight& flight = flight_of(w);
  if (flight.under_way()) {
    note_fault(w, i, FaultKind::missing_wait, w.mask,
               "the warp ends while the " + line_text(k, flight.begun[flight.over].source) +
                   " may still read shared memory and registers: no wgmma.wait_group has waited "
                   "for it");
  }
  const std::uint32_t first = w.index / kWarpgroupWarps * kWarpgroupWarps;
  for (std::uint32_t v = first; v < first + kWarpgroupWarps && v < k.warps.size(); ++v) {
    const WarpFlight& other = k.flights[v];
    if (k.warps[v].live != 0 || other.register_counts.size() == flight.register_counts.size()) {
      continue;
    }
    const bool fewer = other.register_counts.size() < flight.register_counts.size();
    note_fault(w, i, FaultKind::divergent_barrier, w.mask,
               "warp " + std::to_string(fewer ? v : w.index) + " ended without the " +
                   line_text(k, fewer ? flight.register_source : other.register_source) +
                   " that others of its warpgroup executed: all of them must");
  }
  note_register_pool(w, i);
}

}  // namespace warpscope
