// profiling/access/barrier_events.h: what the warps of a block did at its barriers, in program
// order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

// The emulator keeps these events for the traced block. They are in an order in which they can have
// happened: each warp's own events are in program order, and a wait comes after what it waited for.
// It is not the order in time: on a device warps overtake each other.

namespace warpscope {

enum class BarrierFamily { block, mbarrier, cluster };
const char* to_text(BarrierFamily family);  // "mbarrier"

struct TracedBarrier {
  BarrierFamily family = BarrierFamily::block;
  std::int64_t id = 0;  // of a block's barrier its number; of an mbarrier its byte in shared memory
  std::string name;     // "barrier 0", "full[1]"
  bool operator==(const TracedBarrier&) const = default;
};

enum class BarrierMark {
  arrive,           // and goes on
  arrive_and_wait,  // bar.sync
  expect,           // says how many bytes copies will bring
  copy,             // a copy that reports to it is asked for
  wait,             // until the phase is over
};
const char* to_text(BarrierMark mark);  // "arrive"

struct BarrierEvent {
  std::uint32_t warp = 0;
  std::uint32_t barrier = 0;  // index in Trace::barriers
  BarrierMark mark = BarrierMark::arrive;
  std::int64_t phase = 0;         // from 0 where the barrier was made
  std::uint32_t lanes = 0;        // that took part
  std::uint32_t instruction = 0;  // index in the kernel's instruction list
  int line = 0;                   // of the person's own text; 0: not known
  std::uint64_t order = 0;        // warp instructions of the warp before it
  bool operator==(const BarrierEvent&) const = default;
};

inline constexpr std::size_t kMostBarrierEvents = 20'000;  // kept of a block

}  // namespace warpscope
