// profiling/emulator/memory/unwritten_registers.cpp: registers of machine code that hold what
// nobody wrote, from their load to where they matter.
#include "profiling/emulator/memory/unwritten_registers.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "profiling/emulator/memory/memory_path.h"

namespace warpscope {
namespace {

using Mark = Warp::Unwritten::Mark;
using How = RegisterFlow::How;

std::uint32_t marked_lanes(const Warp& w, std::uint32_t slot) {
  std::uint32_t lanes = 0;
  for (const Mark& m : w.unwritten.marks) lanes |= m.slot == slot ? m.lanes : 0;
  return lanes;
}

void tell(Warp& w, const Warp::Unwritten::Load& load, std::uint32_t lanes) {
  const Instruction& i = w.worker->kernel->code[load.pc];
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::int64_t byte = load.byte[lane];
    if (load.space == AddressSpace::shared) {
      note_shared_finding(w, i, SharedFinding::uninitialised, lane, byte, i.width,
                          AccessIntent::read);
    } else if (load.space == AddressSpace::local) {
      fault_empty_local(w, i, lane_bit(lane), static_cast<std::uint64_t>(byte));
    } else {
      fault_uninitialised(w, i, *load.buffer, lane_bit(lane), byte);
    }
  }
}

// These lanes use the value. What they loaded counts as written from here on: it is told once.
void report(Warp& w, std::uint32_t slot, std::uint32_t lanes) {
  for (std::size_t k = 0; k < w.unwritten.marks.size(); ++k) {
    const Mark m = w.unwritten.marks[k];
    const std::uint32_t both = m.slot == slot ? m.lanes & lanes : 0;
    if (both == 0) continue;
    tell(w, w.unwritten.loads[m.load], both);
    for (Mark& other : w.unwritten.marks) {
      if (other.load == m.load) other.lanes &= ~both;
    }
  }
}

// The slots of a flow, kind after kind.
struct Slots {
  const std::uint32_t *sources, *addresses, *predicates, *results, *predicate_results;
  Slots(const Warp& w, const RegisterFlow& f)
      : sources(w.worker->kernel->flow_slots.data() + f.first),
        addresses(sources + f.sources),
        predicates(addresses + f.addresses),
        results(predicates + f.predicates),
        predicate_results(results + f.results) {}
};

std::vector<std::uint32_t> results_of(const Warp& w, const RegisterFlow& f) {
  const Slots slots(w, f);
  std::vector<std::uint32_t> words;
  for (int k = 0; k < f.results; ++k) {
    const auto* const lanes = w.slot<std::uint32_t>(slots.results[k]);
    words.insert(words.end(), lanes, lanes + kWarpLanes);
  }
  for (int k = 0; k < f.predicate_results; ++k)
    words.push_back(w.predicate(slots.predicate_results[k]));
  return words;
}
void set_results(const Warp& w, const RegisterFlow& f, const std::vector<std::uint32_t>& words) {
  const Slots slots(w, f);
  auto from = words.begin();
  for (int k = 0; k < f.results; ++k, from += kWarpLanes)
    std::copy_n(from, kWarpLanes, w.slot<std::uint32_t>(slots.results[k]));
  for (int k = 0; k < f.predicate_results; ++k) w.predicate(slots.predicate_results[k]) = *from++;
}

// The lanes where both values of a predicate's lanes give different results: the instruction is
// run with either.
std::uint32_t lanes_decided_by(Warp& w, const Instruction& i, const RegisterFlow& f,
                               std::uint32_t predicate, std::uint32_t lanes, std::uint32_t mask) {
  const std::vector<Instruction>& code = w.worker->kernel->code;
  const auto first = static_cast<std::size_t>(&i - code.data());
  const std::vector<std::uint32_t> before = results_of(w, f);
  const std::uint32_t value = w.predicate(predicate);
  const auto with = [&](std::uint32_t tried) {
    w.predicate(predicate) = tried;
    for (std::size_t pc = first; pc < code.size() && code[pc].source == i.source; ++pc) {
      w.mask = mask;
      code[pc].run(w, code[pc]);
    }
    std::vector<std::uint32_t> after = results_of(w, f);
    set_results(w, f, before);
    w.predicate(predicate) = value;
    return after;
  };
  const std::vector<std::uint32_t> yes = with(value | lanes), no = with(value & ~lanes);
  std::uint32_t differs = 0;
  const std::size_t registers = std::size_t{f.results} * kWarpLanes;
  for (std::size_t k = 0; k < registers; ++k)
    differs |= yes[k] != no[k] ? lane_bit(static_cast<int>(k % kWarpLanes)) : 0;
  for (std::size_t k = registers; k < yes.size(); ++k) differs |= yes[k] ^ no[k];
  return differs & lanes;
}

// The lanes for which source `number` matters.
std::uint32_t open_lanes(const Warp& w, const RegisterFlow& f, int number) {
  if (f.how != How::chooses && f.how != How::joins_and && f.how != How::joins_or) return kAllLanes;
  const std::uint32_t gate = w.predicate(f.gate) ^ (f.gate_flip ? kAllLanes : 0);
  const std::uint32_t either = marked_lanes(w, f.gate);
  const bool where_it_holds = f.how == How::chooses ? number == 0 : f.how == How::joins_and;
  return (where_it_holds ? gate : ~gate) | either;
}

// Results are marked as their sources are, and are not what they were.
void pass_on(Warp& w, const Instruction& i, const RegisterFlow& f, std::uint32_t lanes,
             std::uint32_t mask) {
  const Slots slots(w, f);
  const bool passes = f.how != How::uses_up && f.how != How::uses_first;
  std::vector<Mark> made;
  const auto pass = [&](std::uint32_t from, std::uint32_t of) {
    for (const Mark& m : w.unwritten.marks) {
      if (m.slot != from || (m.lanes & of) == 0) continue;
      for (int k = 0; k < f.results + f.predicate_results; ++k)
        made.push_back({slots.results[k], f.of_warp ? kAllLanes : m.lanes & of, m.load});
    }
  };
  for (int k = 0; passes && k < f.sources; ++k) pass(slots.sources[k], mask & open_lanes(w, f, k));
  for (int k = 0; passes && k < f.predicates; ++k) {
    const std::uint32_t p = slots.predicates[k], marked = marked_lanes(w, p) & mask;
    if (marked != 0) pass(p, lanes_decided_by(w, i, f, p, marked, mask));
  }
  if (passes && f.guard != 0) pass(f.guard, lanes);
  const std::uint32_t replaced = f.of_warp ? kAllLanes : mask;
  for (Mark& m : w.unwritten.marks) {
    const auto* const end = slots.predicate_results + f.predicate_results;
    if (std::find(slots.results, end, m.slot) != end) m.lanes &= ~replaced;
  }
  for (const Mark& m : made) {
    const auto same = [&](const Mark& o) { return o.slot == m.slot && o.load == m.load; };
    const auto found = std::find_if(w.unwritten.marks.begin(), w.unwritten.marks.end(), same);
    if (found != w.unwritten.marks.end()) {
      found->lanes |= m.lanes;
    } else {
      w.unwritten.marks.push_back(m);
    }
  }
}

}  // namespace

void mark_unwritten(Warp& w, const Instruction& i, int element, int lane,
                    const UnwrittenPlace& place) {
  Warp::Unwritten& u = w.unwritten;
  const auto pc = static_cast<std::uint32_t>(&i - w.worker->kernel->code.data());
  std::size_t load = 0;
  while (load < u.loads.size() && (u.loads[load].pc != pc || u.loads[load].element != element))
    ++load;
  if (load == u.loads.size()) u.loads.push_back({pc, element, place.space, place.buffer, {}});
  u.loads[load].space = place.space;
  u.loads[load].buffer = place.buffer;
  u.loads[load].byte[lane] = place.byte;
  const std::uint32_t slot = operand_slots(w, i)[element];
  const auto index = static_cast<std::uint32_t>(load);
  for (Mark& m : u.marks) {
    if (m.slot != slot || m.load != index) continue;
    m.lanes |= lane_bit(lane);
    return;
  }
  u.marks.push_back({slot, lane_bit(lane), index});
  u.filter |= RegisterFlow::filter_bit(slot);
}

void look_at_unwritten(Warp& w, const Instruction& i, std::uint32_t lanes, std::uint32_t mask) {
  const RegisterFlow& f = w.worker->kernel->flows[i.source];
  if ((f.filter & w.unwritten.filter) == 0) return;
  const Slots slots(w, f);
  for (int k = 0; k < f.addresses; ++k) report(w, slots.addresses[k], mask);
  if (f.how == How::uses_up || f.how == How::uses_first) {
    const std::uint32_t used = f.how == How::uses_up ? mask : mask & (0 - mask);
    if (f.guard != 0) report(w, f.guard, lanes);
    for (int k = 0; k < f.sources; ++k) report(w, slots.sources[k], used);
    for (int k = 0; k < f.predicates; ++k) report(w, slots.predicates[k], used);
  }
  pass_on(w, i, f, lanes, mask);
  std::erase_if(w.unwritten.marks, [](const Mark& m) { return m.lanes == 0; });
  w.unwritten.filter = 0;
  for (const Mark& m : w.unwritten.marks) w.unwritten.filter |= RegisterFlow::filter_bit(m.slot);
}

}  // namespace warpscope
