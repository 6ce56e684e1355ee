// profiling/emulator/state/warp.h: a running warp as instructions see it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiling/emulator/state/kernel_code.h"
#include "scenes/base/device_units.h"

// Lanes that diverge at a branch form divergent paths (Arm), each with its own program counter. The
// paths reconverge at the branch's immediate post-dominator. A Meeting is such a reconvergence
// point: it holds which lanes are expected and which have arrived.

namespace warpscope {

struct MemoryBuffer;
struct Worker;

// Lanes of a mask. Nearly all masks are full, and processors of old count bits by a call.
inline int lane_count(std::uint32_t mask) {
  return mask == kAllLanes ? kWarpLanes : std::popcount(mask);
}

enum class ArmState : std::uint8_t {
  ready,
  at_barrier,
  at_collective,
  at_async_barrier,
  at_warpgroup,  // at a wgmma.mma_async, until the other warps of the warpgroup are there
  at_cluster_barrier
};

struct Arm {
  std::uint32_t pc = 0;
  std::uint32_t mask = 0;
  std::int32_t meeting = -1;  // index in Warp::meetings, −1: none
  ArmState state = ArmState::ready;
  std::uint8_t barrier = 0;  // id, while at_barrier
  std::uint32_t wanted = 0;  // the mask that its lanes name, while at_collective
  bool repeats = false;      // in this turn it came back to a state that it had been in
  bool operator==(const Arm&) const = default;
};

struct Meeting {
  std::uint32_t pc = 0;
  std::uint32_t expected = 0, arrived = 0;
  std::int32_t outer = -1;
  bool operator==(const Meeting&) const = default;
};

struct Warp {
  std::byte* registers = nullptr;
  std::uint32_t mask = 0;   // lanes of the instruction that runs
  std::uint32_t index = 0;  // in its block
  std::uint32_t live = 0;   // lanes that exist and have not ended
  std::uint64_t order = 0;  // warp instructions before the one that runs
  std::byte* local = nullptr;
  Worker* worker = nullptr;
  // Lanes whose operands a collective combines, and what they brought; `mask` takes the result.
  std::uint32_t exchange_mask = 0;
  alignas(64) std::uint64_t exchange[32] = {};
  alignas(64) std::uint64_t exchange_other[32] = {};
  std::uint32_t sync_count = 0;   // warp-level synchronisations, orders accesses in the warp
  bool recorded = false;          // requests and issued instructions are kept
  bool multiplies = false;        // a product of its warpgroup is under way: WarpFlight
  bool suspect = false;           // its paths were found repeating themselves
  std::uint64_t watch_at = 0;     // warp instructions after which it is looked at, see Watch
  std::uint64_t watch_until = 0;  // the end of a look that has begun; 0: none has
  std::uint64_t period = 0;       // warp instructions after which it was found to repeat itself
  bool witnessed = false;         // what it loads is noted, see Watch
  std::uint64_t slept = 0;        // what its clock shows beyond its instructions
  std::uint64_t clock_reads = 0;
  // Lanes that came to barrier.cluster.arrive and not yet to a wait after it: of the phase that is
  // not over, and of the one before.
  std::uint32_t cluster_arrived = 0, cluster_over = 0;
  // Lanes that took the way to the kernel's end, and the instruction that led there; see
  // InstructionKind::leave.
  struct Leaving {
    std::uint32_t source = 0;  // in KernelCode::sources
    std::uint32_t lanes = 0;
  };
  std::vector<Leaving> leavings;
  // Registers that hold what nobody wrote, and predicates made of them; see undefined_values.h.
  struct Undefined {
    std::uint32_t slot = 0, lanes = 0;
    std::uint32_t load = 0;  // in KernelCode::code
    int lane = 0;            // the first, and the byte of shared memory that it loaded
    std::int64_t offset = 0;
    int element = 0;
  };
  std::vector<Undefined> undefined;
  // The same of machine code; see unwritten_registers.h.
  struct Unwritten {
    struct Load {
      std::uint32_t pc = 0;  // in KernelCode::code
      int element = 0;       // of a vector
      AddressSpace space = {};
      const MemoryBuffer* buffer = nullptr;  // in global memory
      std::int64_t byte[32] = {};            // that a lane loaded: of the buffer or the space
    };
    struct Mark {
      std::uint32_t slot = 0, lanes = 0;
      std::uint32_t load = 0;  // in `loads`
    };
    std::uint64_t filter = 0;  // RegisterFlow::filter_bit of all slots with marks
    std::vector<Load> loads;
    std::vector<Mark> marks;
    void clear() {
      filter = 0;
      loads.clear();
      marks.clear();
    }
  } unwritten;
  std::vector<Arm> arms;  // the last one runs first
  std::vector<Meeting> meetings;

  template <typename T>
  T* slot(std::uint32_t offset) const {
    return reinterpret_cast<T*>(registers + offset);
  }
  std::uint32_t& predicate(std::uint32_t offset) const { return *slot<std::uint32_t>(offset); }
};

}  // namespace warpscope
