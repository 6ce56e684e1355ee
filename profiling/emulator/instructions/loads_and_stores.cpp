// profiling/emulator/instructions/loads_and_stores.cpp: ld and st of every space, width and vector.
#include "profiling/emulator/instructions/lanes.h"
#include "profiling/emulator/memory/access_path.h"
#include "profiling/emulator/memory/whole_warp.h"

namespace warpscope::WARPSCOPE_LANES {
namespace {

template <typename T, typename SlotType>
WARPSCOPE_INLINE SlotType extended(T value) {
  // A signed type widens with its sign, in the slot as in the register it stands for.
  if constexpr (std::is_signed_v<T>) {
    return static_cast<SlotType>(static_cast<s64>(value));
  } else {
    return static_cast<SlotType>(value);
  }
}
template <typename T>
WARPSCOPE_INLINE T read_bytes(const std::byte* from) {
  T value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}
template <typename T>
WARPSCOPE_INLINE void write_bytes(std::byte* to, T value) {
  __builtin_memcpy(to, &value, sizeof value);
}

// Zero where the next lanes lie as far after these as their number makes it. Asked of halves, not
// of neighbours, so that vectors are loaded as they were stored and nothing is multiplied by lane.
template <int lanes>
WARPSCOPE_INLINE u64 off_step(const u64* a, u64 step) {
  u64 different = 0;
  for (int lane = 0; lane < lanes; ++lane) {
    different |= (a[lane + lanes] - a[lane]) ^ (step * lanes);
  }
  return different;
}

// Addresses of all lanes that begin at `first` and go on by one `step`.
struct Row {
  bool found = false;
  u64 first = 0, step = 0;
};
WARPSCOPE_INLINE Row row_of(const Warp& w, const Instruction& i) {
  if (w.mask != kAllLanes || w.recorded || w.witnessed || (i.flags & kFlagAddress32) != 0)
    return {};
  const u64* const a = w.slot<u64>(i.a);
  const u64 first = a[0], step = a[1] - first;
  if (a[31] - first != step * 31) return {};  // tells most others at once
  if ((off_step<16>(a, step) | off_step<8>(a, step) | off_step<4>(a, step) |
       off_step<2>(a, step)) != 0) {
    return {};
  }
  return {true, first + static_cast<u64>(i.immediate), step};
}

// Loads `count` elements of each lane: lane 0's at `from`, the others' `step` bytes on.
template <typename T, typename SlotType>
WARPSCOPE_INLINE void load_row(Warp& w, const Instruction& i, const std::byte* from, u64 step) {
  if (i.count == 1) {
    auto* const d = w.slot<SlotType>(i.d);
    if (step == 0) {
      const auto value = extended<T, SlotType>(read_bytes<T>(from));
      for (int lane = 0; lane < 32; ++lane) d[lane] = value;
    } else {
#pragma GCC ivdep
      for (u64 lane = 0; lane < 32; ++lane) {
        d[lane] = extended<T, SlotType>(read_bytes<T>(from + lane * sizeof(T)));
      }
    }
    return;
  }
  const u32* const slots = operand_slots(w, i);
  for (u64 k = 0; k < i.count; ++k) {
    auto* const d = w.slot<SlotType>(slots[k]);
#pragma GCC ivdep
    for (u64 lane = 0; lane < 32; ++lane) {
      d[lane] = extended<T, SlotType>(read_bytes<T>(from + lane * step + k * sizeof(T)));
    }
  }
}

template <typename T, typename SlotType>
void run_load(Warp& w, const Instruction& i) {
  const int count = i.count, width = static_cast<int>(sizeof(T)) * count;
  if (const Row row = row_of(w, i); row.found) {
    const std::byte* from = nullptr;
    if (row.step == static_cast<u64>(width)) from = load_contiguous(w, i, row.first, width);
    if (row.step == 0) from = load_broadcast(w, i, row.first, width);
    if (from != nullptr) return load_row<T, SlotType>(w, i, from, row.step);
  }
  Access access;
  access.unused = i.subop;
  resolve(w, i, i.a, i.immediate, i.space, width, sizeof(T), AccessIntent::read, AccessKind::load,
          i.site, access);
  if (access.mask == 0) return;
  if (access.contiguous) {
    return load_row<T, SlotType>(w, i, access.first, static_cast<u64>(width));
  }
  const u32* const slots = operand_slots(w, i);
  for (int k = 0; k < count; ++k) {
    auto* const d = w.slot<SlotType>(slots[k]);
    for (u32 rest = access.mask; rest != 0; rest &= rest - 1) {
      const int lane = __builtin_ctz(rest);
      d[lane] = extended<T, SlotType>(
          read_bytes<T>(access.pointer[lane] + static_cast<u64>(k) * sizeof(T)));
    }
  }
}

template <typename T, typename SlotType>
WARPSCOPE_INLINE void store_row(Warp& w, const Instruction& i, std::byte* to) {
  const u64 count = i.count, step = count * sizeof(T);
  if (count == 1) {
    const SlotType* const s = w.slot<SlotType>(i.d);
#pragma GCC ivdep
    for (u64 lane = 0; lane < 32; ++lane) {
      write_bytes(to + lane * sizeof(T), static_cast<T>(s[lane]));
    }
    return;
  }
  const u32* const slots = operand_slots(w, i);
  for (u64 k = 0; k < count; ++k) {
    const SlotType* const s = w.slot<SlotType>(slots[k]);
#pragma GCC ivdep
    for (u64 lane = 0; lane < 32; ++lane) {
      write_bytes(to + lane * step + k * sizeof(T), static_cast<T>(s[lane]));
    }
  }
}

template <typename T, typename SlotType>
bool stores_same(const Warp& w, const Instruction& i, int lane, int other) {
  const u32* const slots = operand_slots(w, i);
  for (int k = 0; k < i.count; ++k) {
    const SlotType* const s = w.slot<SlotType>(slots[k]);
    if (static_cast<T>(s[lane]) != static_cast<T>(s[other])) return false;
  }
  return true;
}

template <typename T, typename SlotType>
u32 changed_by_store(const Warp& w, const Instruction& i, int lane, const std::byte* there) {
  const u32* const slots = operand_slots(w, i);
  u32 changed = 0;
  int at = 0;  // bytes
  for (int k = 0; k < i.count; ++k) {
    const T value = static_cast<T>(w.slot<SlotType>(slots[k])[lane]);
    const u64 differs = static_cast<T>(value ^ read_bytes<T>(there + at));
    for (u64 byte = 0; byte < sizeof(T); ++byte, ++at) {
      if ((differs >> (8 * byte) & 0xff) != 0) changed |= 1u << at;
    }
  }
  return changed;
}

template <typename T, typename SlotType>
void run_store(Warp& w, const Instruction& i) {
  const int count = i.count, width = static_cast<int>(sizeof(T)) * count;
  if (const Row row = row_of(w, i); row.found && row.step == static_cast<u64>(width)) {
    std::byte* const to = store_contiguous(w, i, row.first, width);
    if (to != nullptr) {
      store_row<T, SlotType>(w, i, to);
      return end_block_store(*w.worker);
    }
  }
  Access access;
  access.same_value = stores_same<T, SlotType>;
  access.changed = changed_by_store<T, SlotType>;
  resolve(w, i, i.a, i.immediate, i.space, width, sizeof(T), AccessIntent::write, AccessKind::store,
          i.site, access);
  if (access.mask == 0) return;
  if (access.contiguous) {
    store_row<T, SlotType>(w, i, access.first);
    return end_block_store(*w.worker);
  }
  const u32* const slots = operand_slots(w, i);
  for (int k = 0; k < count; ++k) {
    const SlotType* const s = w.slot<SlotType>(slots[k]);
    for (u32 rest = access.mask; rest != 0; rest &= rest - 1) {
      const int lane = __builtin_ctz(rest);
      write_bytes(access.pointer[lane] + static_cast<u64>(k) * sizeof(T), static_cast<T>(s[lane]));
    }
  }
  end_block_store(*w.worker);
}

template <typename T, typename SlotType>
void add_width(OpcodeTable& t) {
  constexpr int log_width = std::countr_zero(sizeof(T)), wide = sizeof(SlotType) == 8 ? 1 : 0;
  t.loads[log_width][wide][0] = run_load<T, SlotType>;
  t.loads[log_width][wide][1] = run_load<std::make_signed_t<T>, SlotType>;
  t.stores[log_width][wide] = run_store<T, SlotType>;
}

}  // namespace

void add_memory(OpcodeTable& t) {
  add_width<u8, u32>(t);
  add_width<u16, u32>(t);
  add_width<u32, u32>(t);
  add_width<u64, u32>(t);
  add_width<u8, u64>(t);
  add_width<u16, u64>(t);
  add_width<u32, u64>(t);
  add_width<u64, u64>(t);
}

}  // namespace warpscope::WARPSCOPE_LANES
