// profiling/emulator/instructions/warp_instructions.cpp: shuffles, votes, matches, reductions,
// fences, addresses.
#include "profiling/emulator/instructions/warp_instructions.h"

#include <algorithm>
#include <bit>

#include "profiling/emulator/instructions/collectives.h"

namespace warpscope {
namespace {

std::uint32_t slot_at(const Warp& w, const Instruction& i, std::uint32_t k) {
  return w.worker->kernel->slots[i.extra + k];
}
template <typename F>
void for_active(const Warp& w, F function) {
  for (std::uint32_t rest = w.mask; rest != 0; rest &= rest - 1) function(std::countr_zero(rest));
}
void set_lanes(Warp& w, std::uint32_t slot, std::uint32_t bits) {
  std::uint32_t& p = w.predicate(slot);
  p = (p & ~w.mask) | (bits & w.mask);
}

}  // namespace

void publish(Warp& w, const Instruction& i) {
  if (i.run == run_vote || i.run == run_elect || i.run == run_warp_barrier) {
    if (i.run == run_vote) {
      const std::uint32_t bits = w.predicate(i.a) ^ ((i.flags & kFlagNegated) != 0 ? kAllLanes : 0);
      for_active(w, [&](int lane) { w.exchange[lane] = bits >> lane & 1; });
    }
    return;
  }
  if (i.width == 8) {
    for_active(w, [&](int lane) { w.exchange[lane] = w.slot<std::uint64_t>(i.a)[lane]; });
  } else if (w.mask == kAllLanes) {
    const std::uint32_t* const a = w.slot<std::uint32_t>(i.a);
    for (int lane = 0; lane < 32; ++lane) w.exchange[lane] = a[lane];
  } else {
    for_active(w, [&](int lane) { w.exchange[lane] = w.slot<std::uint32_t>(i.a)[lane]; });
  }
}

namespace {

// PTX ISA, "shfl.sync": what comes from a thread that takes no part is undefined. `readers` read
// from the lanes of `absent`.
void fault_absent(Warp& w, const Instruction& i, std::uint32_t readers, std::uint32_t absent) {
  if (!fault_is_first(w, i, FaultKind::absent_lane, readers)) return;
  const std::uint32_t named = w.slot<std::uint32_t>(i.c)[std::countr_zero(readers)];
  std::string why = ", which take no part in it: the result is undefined";
  if ((absent & named) == 0) {
    why = ", which its mask " + mask_text(named) + " does not include: the result is undefined";
  } else if ((absent & ~ended_lanes(w)) == 0) {
    why = ", which have ended or never existed: the result is undefined";
  }
  tell_fault(w, i, FaultKind::absent_lane, readers,
             w.worker->source(i).opcode + " of " + named_lanes(readers) + " reads from " +
                 named_lanes(absent) + why,
             {}, -1);
}

}  // namespace

// PTX ISA, "shfl.sync": the clamp holds the last lane of a segment in bits 0–4 and the segment's
// mask in bits 8–12.
void run_shuffle(Warp& w, const Instruction& i) {
  const std::uint32_t* const b = w.slot<std::uint32_t>(i.b);
  const std::uint32_t* const clamp = w.slot<std::uint32_t>(slot_at(w, i, 0));
  auto* const d = w.slot<std::uint32_t>(i.d);
  std::uint32_t inside = 0, readers = 0, absent = 0;
  const auto mode = static_cast<ShuffleMode>(i.subop);
  for_active(w, [&](int lane) {
    const int distance = static_cast<int>(b[lane] & 31);
    const int last = static_cast<int>(clamp[lane] & 31);
    const int segment = static_cast<int>(clamp[lane] >> 8 & 31);
    const int most = (lane & segment) | (last & ~segment & 31);
    const int least = lane & segment;
    int from = lane;
    bool good = false;
    switch (mode) {
      case ShuffleMode::up:
        from = lane - distance;
        good = from >= most;
        break;
      case ShuffleMode::down:
        from = lane + distance;
        good = from <= most;
        break;
      case ShuffleMode::butterfly:
        from = lane ^ distance;
        good = from <= most;
        break;
      case ShuffleMode::index:
        from = least | (distance & ~segment & 31);
        good = from <= most;
        break;
    }
    if (!good) from = lane;
    if (good) inside |= 1u << lane;
    if ((w.exchange_mask >> from & 1) == 0) {
      readers |= 1u << lane;
      absent |= 1u << from;
      from = lane;  // a lane that takes no part brings nothing
    }
    d[lane] = static_cast<std::uint32_t>(w.exchange[from]);
  });
  if (readers != 0) fault_absent(w, i, readers, absent);
  if (const std::uint32_t p = slot_at(w, i, 1); p != 0) set_lanes(w, p, inside);
}

void run_vote(Warp& w, const Instruction& i) {
  std::uint32_t bits = 0;
  for (std::uint32_t rest = w.exchange_mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    bits |= static_cast<std::uint32_t>(w.exchange[lane]) << lane;
  }
  const std::uint32_t voters = w.exchange_mask;
  switch (static_cast<VoteMode>(i.subop)) {
    case VoteMode::ballot:
      for_active(w, [&](int lane) { w.slot<std::uint32_t>(i.d)[lane] = bits; });
      return;
    case VoteMode::all:
      set_lanes(w, i.d, bits == voters ? kAllLanes : 0);
      return;
    case VoteMode::any:
      set_lanes(w, i.d, bits != 0 ? kAllLanes : 0);
      return;
    case VoteMode::uniform:
      set_lanes(w, i.d, bits == voters || bits == 0 ? kAllLanes : 0);
      return;
  }
}

void run_match(Warp& w, const Instruction& i) {
  const auto equals = [&](int lane) {
    std::uint32_t bits = 0;
    for (std::uint32_t rest = w.exchange_mask; rest != 0; rest &= rest - 1) {
      const int other = std::countr_zero(rest);
      if (w.exchange[other] == w.exchange[lane]) bits |= 1u << other;
    }
    return bits;
  };
  std::uint32_t same = 0;
  for_active(w, [&](int lane) {
    const std::uint32_t bits = equals(lane);
    const bool all = bits == w.exchange_mask;
    if (all) same |= 1u << lane;
    w.slot<std::uint32_t>(i.d)[lane] = i.subop == 0 || all ? bits : 0;
  });
  if (const std::uint32_t p = slot_at(w, i, 0); i.subop == 1 && p != 0) set_lanes(w, p, same);
}

void run_reduce(Warp& w, const Instruction& i) {
  const bool is_signed = (i.flags & kFlagSignExtend) != 0;
  bool first = true;
  std::uint32_t total = 0;
  for (std::uint32_t rest = w.exchange_mask; rest != 0; rest &= rest - 1) {
    const auto x = static_cast<std::uint32_t>(w.exchange[std::countr_zero(rest)]);
    if (first) {
      total = x;
      first = false;
      continue;
    }
    const bool less =
        is_signed ? static_cast<std::int32_t>(x) < static_cast<std::int32_t>(total) : x < total;
    switch (static_cast<ReduceMode>(i.subop)) {
      case ReduceMode::add:
        total += x;
        break;
      case ReduceMode::minimum:
        total = less ? x : total;
        break;
      case ReduceMode::maximum:
        total = less ? total : x;
        break;
      case ReduceMode::bit_and:
        total &= x;
        break;
      case ReduceMode::bit_or:
        total |= x;
        break;
      case ReduceMode::bit_xor:
        total ^= x;
        break;
    }
  }
  for_active(w, [&](int lane) { w.slot<std::uint32_t>(i.d)[lane] = total; });
}

void run_warp_barrier(Warp&, const Instruction&) {}

void run_active_mask(Warp& w, const Instruction& i) {
  const std::uint32_t mask = w.mask;
  for_active(w, [&](int lane) { w.slot<std::uint32_t>(i.d)[lane] = mask; });
}

void run_elect(Warp& w, const Instruction& i) {
  const int leader = std::countr_zero(w.exchange_mask);
  for_active(
      w, [&](int lane) { w.slot<std::uint32_t>(i.d)[lane] = static_cast<std::uint32_t>(leader); });
  set_lanes(w, slot_at(w, i, 0), 1u << leader);
}

void run_nothing(Warp&, const Instruction&) {}

void run_fence(Warp& w, const Instruction& i) {
  ++w.sync_count;
  if (i.subop != 0 && w.worker->run->races != nullptr) w.worker->run->races->fence(w);
  if (w.worker->shadowed) w.worker->shadow.clocks.fence(static_cast<int>(w.index));
  if (w.worker->cluster != nullptr) {  // it may stand beside a flag in another block's memory
    publish_to_cluster(w);
    learn_from_cluster(*w.worker);
  }
}

void run_proxy_fence(Warp& w, const Instruction&) {
  if (w.worker->shadowed) w.worker->shadow.clocks.fence_proxy(static_cast<int>(w.index));
}

// The device's clock means nothing here: it counts this warp's instructions and the time that it
// slept. A warp that reads it thousands of times is waiting for it: it then runs faster and faster,
// so that loops with a time limit end soon.
void run_clock(Warp& w, const Instruction& i) {
  constexpr std::uint64_t kReadsPerStep = 64;
  w.slept += ++w.clock_reads / kReadsPerStep;
  const std::uint64_t now = w.order + w.slept;
  for_active(w, [&](int lane) {
    if (i.width == 8) {
      w.slot<std::uint64_t>(i.d)[lane] = now;
    } else {
      w.slot<std::uint32_t>(i.d)[lane] = static_cast<std::uint32_t>(now);
    }
  });
}

void run_sleep(Warp& w, const Instruction& i) {
  std::uint32_t most = 0;
  for_active(w, [&](int lane) { most = std::max(most, w.slot<std::uint32_t>(i.a)[lane]); });
  w.slept += most;
}

// immediate: what to add, modulo 2^64. Slots of 4 bytes hold offsets in the window.
void run_to_window(Warp& w, const Instruction& i) {
  const auto offset = static_cast<std::uint64_t>(i.immediate);
  for_active(w, [&](int lane) {
    const std::uint64_t from = (i.flags & kFlagAddress32) != 0 ? w.slot<std::uint32_t>(i.a)[lane]
                                                               : w.slot<std::uint64_t>(i.a)[lane];
    if (i.width == 8) {
      w.slot<std::uint64_t>(i.d)[lane] = from + offset;
    } else {
      w.slot<std::uint32_t>(i.d)[lane] = static_cast<std::uint32_t>(from + offset);
    }
  });
}

void run_is_space(Warp& w, const Instruction& i) {
  std::uint32_t bits = 0;
  for_active(w, [&](int lane) {
    const std::uint64_t at = w.slot<std::uint64_t>(i.a)[lane];
    bool is = false;
    switch (i.space) {
      case AddressSpace::shared:
        is = at - kSharedWindow < (i.subop != 0 ? kSharedWindowBytes : kSpaceWindowBytes);
        break;
      case AddressSpace::local:
        is = at - kLocalWindow < kSpaceWindowBytes;
        break;
      case AddressSpace::param:
        is = at - kParamWindow < kSpaceWindowBytes;
        break;
      case AddressSpace::constant: {
        const MemoryBuffer* b = w.worker->run->memory->find(at);
        is = b != nullptr && b->read_only;
        break;
      }
      default:
        is = at >= kLastWindowEnd;
    }
    if (is) bits |= 1u << lane;
  });
  set_lanes(w, i.d, bits);
}

// width: of addresses of 4 bytes, inside the window, or of 8, of which generic ones lie beyond it.
void run_map_address(Warp& w, const Instruction& i) {
  const std::uint64_t window = i.space == AddressSpace::generic ? kSharedWindow : 0;
  for_active(w, [&](int lane) {
    const std::uint64_t at =
        i.width == 8 ? w.slot<std::uint64_t>(i.a)[lane] : w.slot<std::uint32_t>(i.a)[lane];
    const std::uint64_t mapped =
        window + mapped_address(*w.worker, at - window, w.slot<std::uint32_t>(i.b)[lane]);
    if (i.width == 8) {
      w.slot<std::uint64_t>(i.d)[lane] = mapped;
    } else {
      w.slot<std::uint32_t>(i.d)[lane] = static_cast<std::uint32_t>(mapped);
    }
  });
}

void run_rank_of_address(Warp& w, const Instruction& i) {
  const std::uint64_t window = i.space == AddressSpace::generic ? kSharedWindow : 0;
  const std::int64_t own = rank_of(w.worker->block, w.worker->run->launch.cluster);
  for_active(w, [&](int lane) {
    const std::uint64_t at =
        (i.width == 8 ? w.slot<std::uint64_t>(i.a)[lane] : w.slot<std::uint32_t>(i.a)[lane]) -
        window;
    const auto rank =
        names_block(at) ? at / kSpaceWindowBytes - 1 : static_cast<std::uint64_t>(own);
    w.slot<std::uint32_t>(i.d)[lane] = static_cast<std::uint32_t>(rank);
  });
}

// d = a for lanes where a is a predicate slot, flipped.
void run_negate_lanes(Warp& w, const Instruction& i) { set_lanes(w, i.d, ~w.predicate(i.a)); }

}  // namespace warpscope
