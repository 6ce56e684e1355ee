// profiling/emulator/sass/lanes/machine_runs.cpp: what instructions of machine code do that need
// more than a function of one lane.
#include "profiling/emulator/sass/lanes/machine_runs.h"

#include <array>
#include <bit>
#include <cstring>
#include <mutex>

#include "profiling/emulator/async/bulk_copy.h"
#include "profiling/emulator/instructions/warp_instructions.h"
#include "profiling/emulator/memory/access_path.h"
#include "profiling/emulator/sass/lanes/machine_slots.h"
#include "profiling/emulator/sass/read/machine_text.h"
#include "profiling/emulator/state/async_barriers.h"
#include "profiling/emulator/state/cluster.h"

namespace warpscope {
namespace {

template <typename F>
void for_active(const Warp& w, F function) {
  for (std::uint32_t rest = w.mask; rest != 0; rest &= rest - 1) function(std::countr_zero(rest));
}
void set_lanes(Warp& w, std::uint32_t slot, std::uint32_t bits) {
  std::uint32_t& p = w.predicate(slot);
  p = (p & ~w.mask) | (bits & w.mask);
}
std::uint32_t slot_at(const Warp& w, const Instruction& i, std::uint32_t k) {
  return w.worker->kernel->slots[i.extra + k];
}
std::uint32_t source_bits(const Warp& w, const Instruction& i) {
  return w.predicate(i.a) ^ ((i.flags & kFlagNegated) != 0 ? kAllLanes : 0);
}
void set_warp(Warp& w, std::uint32_t slot, std::uint32_t value) {
  std::uint32_t* const d = w.slot<std::uint32_t>(slot);
  for (int lane = 0; lane < 32; ++lane) d[lane] = value;
}

}  // namespace

void run_fix_generic(Warp& w, const Instruction& i) {
  const std::uint64_t* const a = w.slot<std::uint64_t>(i.a);
  std::uint64_t* const d = w.slot<std::uint64_t>(i.d);
  for (int lane = 0; lane < 32; ++lane) {
    const std::uint64_t at = a[lane] + static_cast<std::uint64_t>(i.immediate);
    const bool shared = at - kSharedWindow < kSharedWindowBytes;
    std::uint64_t to = shared ? at - i.extra : at;
    if (shared && i.subop != 0) {
      to = kSharedWindow +
           mapped_address(*w.worker, to - kSharedWindow, (to - kSharedWindow) / kSpaceWindowBytes);
    }
    d[lane] = to;
  }
}
void run_map_shared(Warp& w, const Instruction& i) {
  const std::uint32_t* const a = w.slot<std::uint32_t>(i.a);
  std::uint32_t* const d = w.slot<std::uint32_t>(i.d);
  for (int lane = 0; lane < 32; ++lane) {
    const std::uint64_t rank = a[lane] / kSpaceWindowBytes;
    d[lane] = i.subop == 0 ? a[lane] % static_cast<std::uint32_t>(kSpaceWindowBytes)
                           : static_cast<std::uint32_t>(mapped_address(*w.worker, a[lane], rank));
  }
}

void run_find_constant(Warp& w, const Instruction& i) {
  // source: CUDA C++ Programming Guide, "Technical Specifications": 64 kB of constant memory.
  constexpr std::uint32_t kMostBankBytes = 0x10000, kFarFromVariable = 256;
  const std::uint32_t* const a = w.slot<std::uint32_t>(i.a);
  std::uint64_t* const d = w.slot<std::uint64_t>(i.d);
  const std::uint32_t* const rows = w.worker->kernel->slots.data() + i.extra;
  for_active(w, [&](int lane) {
    const std::uint32_t at = a[lane] + static_cast<std::uint32_t>(i.immediate);
    // Outside all variables: beyond the end of the one before, or at an address of none. Both are
    // faults.
    std::uint64_t address = at;
    std::uint32_t nearest = kFarFromVariable;
    for (std::uint32_t k = 0; k + 2 < i.width; k += 3) {
      const std::uint32_t into = at - rows[k + 1];
      const std::uint32_t beyond = into < rows[k + 2] ? 0 : into - rows[k + 2];
      if (into > kMostBankBytes || beyond >= nearest) continue;
      nearest = beyond;
      address = w.worker->run->variable_addresses[rows[k]] + into;
    }
    d[lane] = address;
  });
}
namespace {

// Which of the kernel's functions has an address in PTX with this lower half; −1: none. ptxas makes
// tables of offsets in the bank of literals where several kernels call one function.
int function_of(const Warp& w, const Instruction& i, std::uint32_t lower) {
  const std::vector<std::uint64_t>& addresses = w.worker->run->variable_addresses;
  for (std::uint32_t k = 0; k < i.target && i.c + k < addresses.size(); ++k) {
    if (addresses[i.c + k] != 0 && static_cast<std::uint32_t>(addresses[i.c + k]) == lower)
      return static_cast<int>(k);
  }
  return -1;
}

}  // namespace

void run_indexed_constant(Warp& w, const Instruction& i) {
  const std::uint32_t* const a = w.slot<std::uint32_t>(i.a);
  const std::vector<std::byte>& parameters = w.worker->run->parameters;
  const std::vector<std::uint32_t>& literals = w.worker->kernel->literals;
  const bool of_parameters = i.subop == 0;
  const auto* const bytes =
      of_parameters ? parameters.data() : reinterpret_cast<const std::byte*>(literals.data());
  const std::uint64_t size = of_parameters ? parameters.size() : literals.size() * 4;
  const std::uint32_t mask = w.mask;
  if (i.b != 0) w.mask = kAllLanes;
  std::uint32_t outside = 0;
  for_active(w, [&](int lane) {
    const int function = function_of(w, i, a[lane] + static_cast<std::uint32_t>(i.immediate));
    if (function >= 0) {
      const std::uint32_t words[] = {slot_at(w, i, static_cast<std::uint32_t>(function)), 0};
      for (std::uint32_t k = 0; k < i.count; ++k)
        w.slot<std::uint32_t>(i.d + k * kSlotBytes)[lane] = words[k];
      return;
    }
    for (std::uint32_t k = 0; k < i.count; ++k) {
      const std::uint64_t at = static_cast<std::uint32_t>(
          a[lane] + static_cast<std::uint32_t>(i.immediate) + k * i.width);
      std::uint32_t value = 0;
      if (at + i.width > size) {
        outside |= 1u << lane;
      } else {
        std::memcpy(&value, bytes + at, i.width);
      }
      if ((i.flags & kFlagSignExtend) != 0 && i.width < 4) {
        const int shift = 32 - 8 * i.width;
        value = static_cast<std::uint32_t>(static_cast<std::int32_t>(value << shift) >> shift);
      }
      w.slot<std::uint32_t>(i.d + k * kSlotBytes)[lane] = value;
    }
  });
  w.mask = mask;
  if (outside == 0) return;
  note_fault(w, i, FaultKind::out_of_bounds, outside & mask,
             w.worker->source(i).opcode + " reads outside the kernel's " +
                 (of_parameters ? "parameters" : "constants"),
             of_parameters ? "parameters" : "constants");
}

void run_fill_size(Warp& w, const Instruction& i) {
  std::uint64_t* const a = w.slot<std::uint64_t>(i.a);
  const auto width = std::uint64_t{i.width};
  for_active(w, [&](int lane) {
    const std::uint64_t at = a[lane] + static_cast<std::uint64_t>(i.immediate);
    a[lane] = at & ~(width - 1);
    if (w.slot<std::uint32_t>(i.d)[lane] != 0)
      w.slot<std::uint32_t>(i.d)[lane] = static_cast<std::uint32_t>(width - (at & (width - 1)));
  });
}
void run_bank_address(Warp& w, const Instruction& i) {
  const std::uint32_t* const a = w.slot<std::uint32_t>(i.a);
  for_active(w, [&](int lane) {
    const std::uint32_t at = a[lane] + static_cast<std::uint32_t>(i.immediate);
    std::uint64_t address = 0;
    for (std::uint32_t k = 0; k < i.target; ++k) {
      if (slot_at(w, i, 2 * k) != at) continue;
      const std::uint32_t what = slot_at(w, i, 2 * k + 1);
      address = what >= kSystemFunctions ? std::uint64_t{kAllLanes} << 32 | what
                                         : w.worker->run->variable_addresses[what];
    }
    for (std::uint32_t k = 0; k < i.count; ++k)
      w.slot<std::uint32_t>(i.d + k * kSlotBytes)[lane] =
          static_cast<std::uint32_t>(address >> (32 * k));
  });
}

void run_is_function(Warp& w, const Instruction& i) {
  const std::uint32_t *const low = w.slot<std::uint32_t>(i.a), *const high = w.slot<std::uint32_t>(
                                                                   i.a + kSlotBytes);
  std::uint32_t lanes = 0;
  for_active(w, [&](int lane) {
    const std::uint32_t number = low[lane] - static_cast<std::uint32_t>(i.immediate);
    if (high[lane] == kAllLanes && number < i.target) lanes |= 1u << lane;
  });
  set_lanes(w, i.d, lanes);
}

namespace {

std::byte* local_bytes(Warp& w, int lane) {
  return w.local + std::int64_t{lane} * w.worker->kernel->local_bytes;
}

}  // namespace

void run_pass_arguments(Warp& w, const Instruction& i) {
  for_active(w, [&](int lane) {
    for (std::uint32_t k = 0; k < i.count; ++k)
      std::memcpy(local_bytes(w, lane) + 4 * k, w.slot<std::uint32_t>(i.a + k * kSlotBytes) + lane,
                  sizeof(std::uint32_t));
  });
}

void run_take_result(Warp& w, const Instruction& i) {
  for_active(w, [&](int lane) {
    for (std::uint32_t k = 0; k < i.count; ++k)
      std::memcpy(w.slot<std::uint32_t>(i.d + k * kSlotBytes) + lane,
                  local_bytes(w, lane) + i.immediate + 4 * k, sizeof(std::uint32_t));
  });
}

// 16 bytes are more than every processor changes at once.
void run_atomic_quad(Warp& w, const Instruction& i) {
  constexpr int kBytes = 16, kWords = 4;
  using Quad = std::array<std::uint32_t, kWords>;
  static std::mutex one_at_a_time;
  Access access;
  resolve(w, i, i.a, i.immediate, i.space, kBytes, kBytes, AccessIntent::update, AccessKind::atomic,
          i.site, access);
  const bool compares = static_cast<AtomicOperation>(i.subop) == AtomicOperation::compare_and_swap;
  const auto given = [&](std::uint32_t first, int lane) {
    Quad words;
    for (std::uint32_t k = 0; k < kWords; ++k)
      words[k] = w.slot<std::uint32_t>(slot_at(w, i, first + k))[lane];
    return words;
  };
  const std::lock_guard lock(one_at_a_time);
  for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    std::byte* const place =
        access.contiguous ? access.first + std::ptrdiff_t{lane} * kBytes : access.pointer[lane];
    Quad old, next = given(kWords, lane);
    std::memcpy(old.data(), place, kBytes);
    if (compares) next = old == next ? given(2 * kWords, lane) : old;
    std::memcpy(place, next.data(), kBytes);
    for (std::uint32_t k = 0; k < kWords; ++k)
      w.slot<std::uint32_t>(slot_at(w, i, k))[lane] = old[k];
  }
  end_block_store(*w.worker);
}

void run_is_performed(Warp& w, const Instruction& i) {
  const std::uint64_t* const a = w.slot<std::uint64_t>(i.a);
  std::uint32_t performed = 0;
  for_active(w, [&](int lane) {
    const std::uint64_t at = a[lane] + static_cast<std::uint64_t>(i.immediate);
    const bool shared = at - kSharedWindow < kSharedWindowBytes;
    const bool local = at - kLocalWindow < kParamWindow - kLocalWindow;
    if (!local && !(shared && i.subop != 0)) performed |= 1u << lane;
  });
  set_lanes(w, i.d, performed);
}
void run_function_index(Warp& w, const Instruction& i) {
  const std::uint32_t *const low = w.slot<std::uint32_t>(i.a), *const high = w.slot<std::uint32_t>(
                                                                   i.a + kSlotBytes);
  const std::uint32_t* const offsets = w.worker->kernel->slots.data() + i.extra;
  const std::vector<std::uint64_t>& addresses = w.worker->run->variable_addresses;
  for_active(w, [&](int lane) {
    const std::uint64_t value = std::uint64_t{high[lane]} << 32 | low[lane];
    std::uint32_t index = ~0u;
    for (std::uint32_t k = 0; k < i.target; ++k) {
      const std::size_t place = i.b + k;
      const bool named = value != 0 && place < addresses.size() && value == addresses[place];
      if (named || value + static_cast<std::uint64_t>(i.immediate) == offsets[k])
        index = offsets[k] / kMachineInstructionBytes;
    }
    w.slot<std::uint32_t>(i.d)[lane] = index;
  });
}

void run_equal(Warp& w, const Instruction& i) {
  for_active(w, [&](int lane) {
    const bool same = i.width == 8
                          ? w.slot<std::uint64_t>(i.a)[lane] == w.slot<std::uint64_t>(i.b)[lane]
                          : w.slot<std::uint32_t>(i.a)[lane] == w.slot<std::uint32_t>(i.b)[lane];
    w.slot<std::uint32_t>(i.d)[lane] = same ? 1 : 0;
    if (i.width == 8) w.slot<std::uint32_t>(i.d + kSlotBytes)[lane] = 0;
  });
}

void run_machine_shuffle(Warp& w, const Instruction& i) {
  const std::uint32_t* const a = w.slot<std::uint32_t>(i.a);
  for (int lane = 0; lane < 32; ++lane) w.exchange[lane] = a[lane];
  w.exchange_mask = w.mask;
  run_shuffle(w, i);
}

void run_machine_vote(Warp& w, const Instruction& i) {
  const std::uint32_t bits = source_bits(w, i) & w.mask;
  const bool any = bits != 0, all = bits == w.mask;
  const bool result = i.subop == 0 ? any : i.subop == 1 ? all : all || !any;
  const std::uint32_t p = slot_at(w, i, 0);
  const std::uint32_t mask = w.mask;
  if ((i.flags & kFlagOneMask) != 0) w.mask = kAllLanes;
  set_lanes(w, p, result ? kAllLanes : 0);
  if (i.d != 0) for_active(w, [&](int lane) { w.slot<std::uint32_t>(i.d)[lane] = bits; });
  w.mask = mask;
}

void run_machine_match(Warp& w, const Instruction& i) {
  for (int lane = 0; lane < 32; ++lane) {
    w.exchange[lane] =
        i.width == 8 ? w.slot<std::uint64_t>(i.a)[lane] : w.slot<std::uint32_t>(i.a)[lane];
  }
  w.exchange_mask = w.mask;
  run_match(w, i);
}

void run_machine_reduce(Warp& w, const Instruction& i) {
  const std::uint32_t* const a = w.slot<std::uint32_t>(i.a);
  for (int lane = 0; lane < 32; ++lane) w.exchange[lane] = a[lane];
  w.exchange_mask = w.mask;
  const std::uint32_t mask = w.mask;
  w.mask = kAllLanes;
  run_reduce(w, i);
  w.mask = mask;
}

void run_to_uniform(Warp& w, const Instruction& i) {
  const std::uint32_t* const a = w.slot<std::uint32_t>(i.a);
  const std::uint32_t value = a[std::countr_zero(w.mask)];
  std::uint32_t others = 0;
  for_active(w, [&](int lane) { others |= a[lane] != value ? 1u << lane : 0; });
  set_lanes(w, slot_at(w, i, 0), others);
  set_warp(w, i.d, value);
}
void run_machine_elect(Warp& w, const Instruction& i) {
  const auto leader = static_cast<std::uint32_t>(std::countr_zero(w.mask));
  set_lanes(w, i.d, 1u << leader);
  set_warp(w, i.a, leader);
}
void run_broadcast(Warp& w, const Instruction& i) {
  set_warp(w, i.d, w.slot<std::uint32_t>(i.a)[std::countr_zero(w.mask)]);
}

void run_bit_product(Warp& w, const Instruction& i) {
  constexpr int kRows = 16, kColumns = 8, kWords = 8;
  std::uint32_t rows[kRows][kWords], columns[kColumns][kWords];
  // RZ is four slots of zeros.
  const auto word = [&](std::uint32_t first, int r, int lane) {
    return w.slot<std::uint32_t>(first + static_cast<std::uint32_t>(r) * kSlotBytes)[lane];
  };
  for (int lane = 0; lane < 32; ++lane) {
    const int g = lane / 4, t = lane % 4;
    for (int r = 0; r < 4; ++r) rows[g + 8 * (r % 2)][t + 4 * (r / 2)] = word(i.a, r, lane);
    for (int r = 0; r < 2; ++r) columns[g][t + 4 * r] = word(i.b, r, lane);
  }
  for_active(w, [&](int lane) {
    std::uint32_t sums[4];
    for (int r = 0; r < 4; ++r) {
      const int row = lane / 4 + 8 * (r / 2), column = 2 * (lane % 4) + r % 2;
      sums[r] = word(i.c, r, lane);
      for (int k = 0; k < kWords; ++k)
        sums[r] += static_cast<std::uint32_t>(std::popcount(rows[row][k] & columns[column][k]));
    }
    for (int r = 0; r < 4; ++r)
      w.slot<std::uint32_t>(i.d + static_cast<std::uint32_t>(r) * kSlotBytes)[lane] = sums[r];
  });
}

void run_async_barrier_once(Warp& w, const Instruction& i) {
  const std::uint32_t mask = w.mask;
  w.mask &= 0 - w.mask;
  run_async_barrier(w, i);
  w.mask = mask;
}
namespace {

// Runs it for the lowest lane that comes.
template <RunInstruction run>
void once(Warp& w, const Instruction& i) {
  const std::uint32_t mask = w.mask;
  w.mask &= 0 - w.mask;
  run(w, i);
  w.mask = mask;
}

}  // namespace

void run_bulk_load_once(Warp& w, const Instruction& i) { once<run_bulk_load>(w, i); }
void run_bulk_store_once(Warp& w, const Instruction& i) { once<run_bulk_store>(w, i); }
void run_bulk_pass_once(Warp& w, const Instruction& i) { once<run_bulk_pass>(w, i); }
// source: what ptxas makes of mbarrier.init: (2^20 − arrivals) · 2 in the lower word.
void run_arrivals_of(Warp& w, const Instruction& i) {
  const std::uint32_t* const a = w.slot<std::uint32_t>(i.a);
  for (int lane = 0; lane < 32; ++lane)
    w.slot<std::uint32_t>(i.d)[lane] = (1u << 20) - (a[lane] >> 1);
}
// source: what ptxas makes of mbarrier.pending_count, and of mbarrier.init for the lower word, of
// which nothing is read.
void run_barrier_state(Warp& w, const Instruction& i) {
  constexpr std::uint32_t kArrivals = (1u << 20) - 1;
  const std::uint64_t* const a = w.slot<std::uint64_t>(i.a);
  for_active(w, [&](int lane) {
    const auto pending = static_cast<std::uint32_t>(a[lane]) & kArrivals,
               phase = static_cast<std::uint32_t>(a[lane] >> 32);
    w.slot<std::uint32_t>(i.d)[lane] = 0;
    w.slot<std::uint32_t>(i.d + kSlotBytes)[lane] =
        phase << 31 | (((1u << 20) - pending) & kArrivals) << 11;
  });
}
void run_bulk_bytes(Warp& w, const Instruction& i) {
  const std::uint32_t* const a = w.slot<std::uint32_t>(i.a);
  for (int lane = 0; lane < 32; ++lane) w.slot<std::uint32_t>(i.d)[lane] = (a[lane] & 0xffff) << 4;
}
void run_descriptor(Warp& w, const Instruction& i) {
  const std::uint32_t *const low = w.slot<std::uint32_t>(i.a), *const high = w.slot<std::uint32_t>(
                                                                   i.a + kSlotBytes);
  std::uint64_t* const d = w.slot<std::uint64_t>(i.d);
  for (int lane = 0; lane < 32; ++lane) {
    const std::uint64_t bits = std::uint64_t{high[lane]} << 32 | low[lane];
    const std::uint64_t start =
        ((bits & 0x3fff) - static_cast<std::uint64_t>(i.immediate)) & 0x3fff;
    d[lane] = (bits & ~std::uint64_t{0x3fff}) | start;
  }
}

void run_note_convergence(Warp& w, const Instruction& i) {
  for_active(w, [&](int lane) { w.slot<std::uint32_t>(i.d)[lane] = w.mask; });
}
// The lanes take themselves out of the barrier, also for those that wait there already.
void run_break_convergence(Warp& w, const Instruction& i) {
  std::uint32_t* const barrier = w.slot<std::uint32_t>(i.d);
  const std::uint32_t out = w.mask;
  for (int lane = 0; lane < 32; ++lane) barrier[lane] &= ~out;
  const Instruction* const code = w.worker->kernel->code.data();
  for (Arm& arm : w.arms) {
    if (arm.state == ArmState::at_collective && code[arm.pc].run == run_reconverge &&
        code[arm.pc].c == i.d)
      arm.wanted &= ~out;
  }
}
void run_reconverge(Warp&, const Instruction&) {}

// Each group of lanes that comes issues WARPSYNC, and once more the joined lanes. source: counted
// on an H200 of a kernel whose warps come apart.
void run_join_warp(Warp& w, const Instruction& i) {
  Worker& worker = *w.worker;
  if (w.mask == w.exchange_mask || !worker.sums) return;
  if ((w.mask >> std::countr_zero(w.exchange_mask) & 1) == 0) return;
  const auto pc = static_cast<std::size_t>(&i - worker.kernel->code.data());
  ++worker.executed[pc];
  worker.lanes[pc] += lane_count(w.exchange_mask);
}

void run_is_apart(Warp& w, const Instruction& i) {
  const std::uint32_t wanted = w.slot<std::uint32_t>(i.a)[std::countr_zero(w.mask)] & w.live;
  set_lanes(w, i.d, (wanted & ~w.mask) != 0 ? kAllLanes : 0);
}
void run_any_lane(Warp& w, const Instruction& i) {
  set_lanes(w, i.d, (source_bits(w, i) & w.mask) != 0 ? kAllLanes : 0);
}
void run_code_index(Warp& w, const Instruction& i) {
  const std::uint32_t* const a = w.slot<std::uint32_t>(i.a);
  for_active(w, [&](int lane) {
    w.slot<std::uint32_t>(i.d)[lane] =
        (a[lane] + static_cast<std::uint32_t>(i.immediate)) / kMachineInstructionBytes;
  });
}

}  // namespace warpscope
