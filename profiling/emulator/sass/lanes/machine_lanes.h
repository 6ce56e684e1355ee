// profiling/emulator/sass/lanes/machine_lanes.h: functions of one lane on the slots of machine
// code.
#pragma once

#include "profiling/emulator/instructions/lanes.h"
#include "profiling/emulator/sass/lanes/machine_slots.h"
#include "profiling/emulator/sass/lanes/machine_table.h"
#include "profiling/emulator/state/worker.h"

// As lanes.h: for files that are compiled twice, so nothing here may be shared between the two.

namespace warpscope {
namespace {

// An instruction of the uniform datapath: what it computes is of the warp, whatever lanes come.
template <RunInstruction base>
void of_warp(Warp& w, const Instruction& i) {
  const u32 mask = w.mask;
  w.mask = kAllLanes;
  base(w, i);
  w.mask = mask;
}

template <RunInstruction run>
void add(MachineTable& t, const Key& name) {
  t.add(name.text, run, of_warp<run>);
}

// All ones where a bit of the instruction's immediate is set.
WARPSCOPE_INLINE u32 ones_if(const Instruction& i, s64 bit) {
  return (i.immediate & bit) != 0 ? ~0u : 0u;
}
WARPSCOPE_INLINE u32 option(const Instruction& i) {
  return static_cast<u32>(i.immediate >> kSubopShift);
}

// A source that may be negated, as an integer.
struct Integer {
  const u32* slots;
  u32 flip;
  WARPSCOPE_INLINE Integer(const Warp& w, const Instruction& i, u32 slot, int number)
      : slots(w.slot<u32>(slot)), flip(ones_if(i, negated_bit(number))) {}
  WARPSCOPE_INLINE u32 at(int lane) const { return (slots[lane] ^ flip) - flip; }
};
// Two registers as one number of 64 bits.
struct Pair {
  const u32 *low, *high;
  WARPSCOPE_INLINE Pair(const Warp& w, u32 slot)
      : low(w.slot<u32>(slot)), high(w.slot<u32>(slot + kSlotBytes)) {}
  WARPSCOPE_INLINE u64 at(int lane) const { return static_cast<u64>(high[lane]) << 32 | low[lane]; }
};
// A predicate among the sources.
struct Bits {
  u32 mask;
  WARPSCOPE_INLINE Bits(const Warp& w, const Instruction& i, u32 slot, int number)
      : mask(w.predicate(slot) ^ ones_if(i, flipped_bit(number))) {}
  WARPSCOPE_INLINE u32 at(int lane) const { return mask >> lane & 1; }
};
// A float whose sign may be changed or taken away.
struct Number32 {
  const u32* slots;
  u32 keep, flip;
  WARPSCOPE_INLINE Number32(const Warp& w, const Instruction& i, u32 slot, int number)
      : slots(w.slot<u32>(slot)),
        keep(~(ones_if(i, absolute_bit(number)) & 0x80000000u)),
        flip(ones_if(i, negated_bit(number)) & 0x80000000u) {}
  WARPSCOPE_INLINE f32 at(int lane) const {
    return std::bit_cast<f32>((slots[lane] & keep) ^ flip);
  }
};

WARPSCOPE_INLINE const u32* more_slots(const Warp& w, const Instruction& i) {
  return w.worker->kernel->slots.data() + i.extra;
}

WARPSCOPE_INLINE void set_lanes(Warp& w, u32 slot, u32 bits) {
  u32& p = w.predicate(slot);
  p = (p & ~w.mask) | (bits & w.mask);
}
template <typename F>
WARPSCOPE_INLINE u32 bits_of(F function) {
  u32 bits = 0;
  for (int lane = 0; lane < 32; ++lane) bits |= static_cast<u32>(function(lane) ? 1 : 0) << lane;
  return bits;
}

// How a comparison and the predicate after it become two predicates: AND, OR, XOR.
WARPSCOPE_INLINE void set_compared(Warp& w, const Instruction& i, u32 compared, u32 before) {
  const u32* const slots = more_slots(w, i);
  const u32 how = option(i);
  const auto joined = [&](u32 bits) {
    return how == 0 ? bits & before : how == 1 ? bits | before : bits ^ before;
  };
  const u32 first = joined(compared), second = joined(~compared);
  set_lanes(w, i.d, first);
  set_lanes(w, slots[0], second);
}

}  // namespace
}  // namespace warpscope
