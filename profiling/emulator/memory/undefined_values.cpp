// profiling/emulator/memory/undefined_values.cpp: values that nobody wrote, from their load
// to where they matter.
#include "profiling/emulator/memory/undefined_values.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "profiling/emulator/memory/access_path.h"

namespace warpscope {
namespace {

using Undefined = Warp::Undefined;

std::uint32_t undefined_lanes(const Warp& w, std::uint32_t slot) {
  std::uint32_t lanes = 0;
  for (const Undefined& u : w.undefined) lanes |= u.slot == slot ? u.lanes : 0;
  return lanes;
}

// The lanes that use the value need it: the fault is the load's.
void report(Warp& w, std::uint32_t slot, std::uint32_t lanes) {
  if (lanes == 0) return;
  for (const Undefined& u : w.undefined) {
    const std::uint32_t both = u.slot == slot ? u.lanes & lanes : 0;
    if (both == 0) continue;
    const bool first = (both >> u.lane & 1) != 0;
    note_shared_finding(w, w.worker->kernel->code[u.load], SharedFinding::uninitialised,
                        first ? u.lane : std::countr_zero(both), u.offset, u.element,
                        AccessIntent::read);
  }
}

// Copies what a slot holds of `lanes` to another, which is made of it.
void pass_on(const Warp& w, std::uint32_t from, std::uint32_t to, std::uint32_t lanes,
             std::vector<Undefined>& made) {
  for (Undefined u : w.undefined) {
    if (u.slot != from || (u.lanes & lanes) == 0) continue;
    u.slot = to;
    u.lanes &= lanes;
    made.push_back(u);
  }
}

// The lanes for which the other operand of an and (an or) does not decide the result.
std::uint32_t open_lanes(const Warp& w, std::uint32_t other, bool both) {
  const std::uint32_t value = w.predicate(other);
  return (both ? value : ~value) | undefined_lanes(w, other);
}

}  // namespace

void look_at_undefined(Warp& w, const Instruction& i, std::uint32_t lanes, std::uint32_t mask) {
  if (i.guard != 0) report(w, i.guard, lanes);
  std::vector<Undefined> made;
  switch (i.undefined) {
    case UndefinedUse::compare:
      pass_on(w, i.a, i.d, mask, made);
      pass_on(w, i.b, i.d, mask, made);
      break;
    case UndefinedUse::both:
    case UndefinedUse::either: {
      const bool both = i.undefined == UndefinedUse::both;
      pass_on(w, i.a, i.d, mask & open_lanes(w, i.b, both), made);
      pass_on(w, i.b, i.d, mask & open_lanes(w, i.a, both), made);
      break;
    }
    case UndefinedUse::opposite:
      pass_on(w, i.a, i.d, mask, made);
      break;
    case UndefinedUse::choose: {
      const std::uint32_t chosen = w.predicate(i.c);
      report(w, i.c, mask);
      report(w, i.a, mask & chosen);
      report(w, i.b, mask & ~chosen);
      break;
    }
    case UndefinedUse::load:
    case UndefinedUse::mark:
    case UndefinedUse::none:
      break;
  }
  // What an instruction writes is what it makes of it.
  for (Undefined& u : w.undefined) {
    if (u.slot == i.d) u.lanes &= ~mask;
  }
  w.undefined.insert(w.undefined.end(), made.begin(), made.end());
  std::erase_if(w.undefined, [](const Undefined& u) { return u.lanes == 0; });
}

}  // namespace warpscope
