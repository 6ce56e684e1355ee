// profiling/emulator/instructions/atomics.cpp: atom and red on global and shared memory.
#include <atomic>
#include <bit>
#include <cstring>
#include <type_traits>

#include "profiling/emulator/instructions/half_lanes.h"
#include "profiling/emulator/instructions/warp_instructions.h"
#include "profiling/emulator/memory/access_path.h"

// Blocks run on several threads of the host and share buffers, so these are atomic there too.

namespace warpscope {
namespace {

// How a type is stored and computed with.
struct HalfPair {};
struct BfloatPair {};

template <typename T>
struct Storage {
  using type = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                                  std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>>;
};
template <>
struct Storage<Half> {
  using type = std::uint16_t;
};
template <>
struct Storage<Bfloat> {
  using type = std::uint16_t;
};
template <>
struct Storage<HalfPair> {
  using type = std::uint32_t;
};
template <>
struct Storage<BfloatPair> {
  using type = std::uint32_t;
};

template <typename Format>
u16 half_operation(AtomicOperation op, u16 old, u16 value) {
  constexpr u16 kNan = 0x7fff;
  const f32 a = widen<Format>(old), b = widen<Format>(value);
  switch (op) {
    // A NaN gives way to a number; −0 is less than +0.
    case AtomicOperation::minimum:
      if (a != a && b != b) return kNan;
      return a != a ? value : b != b || a < b || (a == b && std::signbit(a)) ? old : value;
    case AtomicOperation::maximum:
      if (a != a && b != b) return kNan;
      return a != a ? value : b != b || a > b || (a == b && !std::signbit(a)) ? old : value;
    default:
      return narrow<Format>(a + b);
  }
}

// The units beside global memory flush floats of 32 bits, and leave a NaN of 64 bits as it is.
// Shared memory has no such units: ptxas makes a loop of ordinary additions. source: PTX ISA,
// "atom", and an H200. `near`: beside global memory.
f32 sum_of(f32 a, f32 b, bool near) {
  return near ? flushed(one_nan(flushed(a) + flushed(b))) : one_nan(a + b);
}
f64 sum_of(f64 a, f64 b, bool near) { return near && b != b ? b : near && a != a ? a : a + b; }

template <typename T, typename Raw>
Raw result_of(AtomicOperation op, Raw old, Raw value, Raw swap, bool near) {
  switch (op) {
    case AtomicOperation::exchange:
      return value;
    case AtomicOperation::compare_and_swap:
      return old == value ? swap : old;
    case AtomicOperation::bit_and:
      return old & value;
    case AtomicOperation::bit_or:
      return old | value;
    case AtomicOperation::bit_xor:
      return old ^ value;
    case AtomicOperation::increment:
      return old >= value ? Raw{0} : static_cast<Raw>(old + 1);
    case AtomicOperation::decrement:
      return old == 0 || old > value ? value : static_cast<Raw>(old - 1);
    default:
      break;
  }
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bfloat>) {
    return half_operation<T>(op, old, value);
  } else if constexpr (std::is_same_v<T, HalfPair> || std::is_same_v<T, BfloatPair>) {
    using Format = std::conditional_t<std::is_same_v<T, HalfPair>, Half, Bfloat>;
    const auto low = half_operation<Format>(op, static_cast<u16>(old), static_cast<u16>(value));
    const auto high =
        half_operation<Format>(op, static_cast<u16>(old >> 16), static_cast<u16>(value >> 16));
    return static_cast<Raw>(high) << 16 | low;
  } else if constexpr (std::is_floating_point_v<T>) {
    const T a = std::bit_cast<T>(old), b = std::bit_cast<T>(value);
    if (op == AtomicOperation::minimum) return std::bit_cast<Raw>(a != a || b < a ? b : a);
    if (op == AtomicOperation::maximum) return std::bit_cast<Raw>(a != a || b > a ? b : a);
    return std::bit_cast<Raw>(sum_of(a, b, near));
  } else {
    const T a = static_cast<T>(old), b = static_cast<T>(value);
    if (op == AtomicOperation::minimum) return b < a ? value : old;
    if (op == AtomicOperation::maximum) return b > a ? value : old;
    return static_cast<Raw>(old + value);
  }
}

template <typename T>
void run_atomic(Warp& w, const Instruction& i) {
  using Raw = typename Storage<T>::type;
  using SlotType = std::conditional_t<sizeof(Raw) == 8, u64, u32>;
  Access access;
  const int count = i.count;
  const bool has_old = (i.flags & kFlagHasOld) != 0;
  const auto op = static_cast<AtomicOperation>(i.subop);
  resolve(w, i, i.a, i.immediate, i.space, static_cast<int>(sizeof(Raw)) * count, sizeof(Raw),
          AccessIntent::update, has_old ? AccessKind::atomic : AccessKind::reduction, i.site,
          access);
  const std::uint32_t* const slots = w.worker->kernel->slots.data() + i.extra;
  const bool shared_with_threads = !w.worker->run->one_thread;
  const auto is_near = [&](int lane) {
    if (i.space != AddressSpace::generic) return i.space != AddressSpace::shared;
    const u64 at = w.slot<u64>(i.a)[lane] + static_cast<u64>(i.immediate);
    return at - kSharedWindow >= kSharedWindowBytes;
  };
  for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    std::byte* base = access.contiguous
                          ? access.first + static_cast<std::size_t>(lane) * sizeof(Raw) *
                                               static_cast<std::size_t>(count)
                          : access.pointer[lane];
    const bool near = std::is_floating_point_v<T> && is_near(lane);
    for (int k = 0; k < count; ++k) {
      auto& place = *reinterpret_cast<Raw*>(base + static_cast<std::size_t>(k) * sizeof(Raw));
      const Raw value = static_cast<Raw>(w.slot<SlotType>(slots[count + k])[lane]);
      const Raw swap = op == AtomicOperation::compare_and_swap
                           ? static_cast<Raw>(w.slot<SlotType>(slots[count + count])[lane])
                           : Raw{0};
      Raw old;
      if (shared_with_threads) {
        std::atomic_ref<Raw> atomic(place);
        old = atomic.load();
        while (!atomic.compare_exchange_weak(old, result_of<T, Raw>(op, old, value, swap, near))) {
        }
      } else {
        old = place;
        place = result_of<T, Raw>(op, old, value, swap, near);
      }
      if (has_old) w.slot<SlotType>(slots[k])[lane] = static_cast<SlotType>(old);
    }
  }
  end_block_store(*w.worker);
}

template <typename T>
void reduce(AtomicOperation op, std::byte* to, const std::byte* from, std::size_t bytes,
            bool alone) {
  using Raw = typename Storage<T>::type;
  constexpr bool kNear = sizeof(T) == 8;  // floats of 32 bits are not flushed by bulk copies
  for (std::size_t at = 0; at + sizeof(Raw) <= bytes; at += sizeof(Raw)) {
    auto& place = *reinterpret_cast<Raw*>(to + at);
    Raw value;
    std::memcpy(&value, from + at, sizeof value);
    if (alone) {
      place = result_of<T, Raw>(op, place, value, Raw{0}, kNear);
      continue;
    }
    std::atomic_ref<Raw> atomic(place);
    Raw old = atomic.load();
    while (!atomic.compare_exchange_weak(old, result_of<T, Raw>(op, old, value, Raw{0}, kNear))) {
    }
  }
}

}  // namespace

void reduce_bytes(AtomicType type, AtomicOperation op, std::byte* to, const std::byte* from,
                  std::size_t bytes, bool alone) {
  using Reduce = void (*)(AtomicOperation, std::byte*, const std::byte*, std::size_t, bool);
  constexpr Reduce by_type[] = {reduce<u16>,    reduce<u32>,      reduce<s32>,       reduce<u64>,
                                reduce<s64>,    reduce<f32>,      reduce<f64>,       reduce<Half>,
                                reduce<Bfloat>, reduce<HalfPair>, reduce<BfloatPair>};
  by_type[static_cast<std::size_t>(type)](op, to, from, bytes, alone);
}

RunInstruction run_of_atomic(AtomicType type) {
  switch (type) {
    case AtomicType::u16:
      return run_atomic<u16>;
    case AtomicType::u32:
      return run_atomic<u32>;
    case AtomicType::s32:
      return run_atomic<s32>;
    case AtomicType::u64:
      return run_atomic<u64>;
    case AtomicType::s64:
      return run_atomic<s64>;
    case AtomicType::f32:
      return run_atomic<f32>;
    case AtomicType::f64:
      return run_atomic<f64>;
    case AtomicType::f16:
      return run_atomic<Half>;
    case AtomicType::bf16:
      return run_atomic<Bfloat>;
    case AtomicType::f16x2:
      return run_atomic<HalfPair>;
    case AtomicType::bf16x2:
      return run_atomic<BfloatPair>;
  }
  return nullptr;
}

}  // namespace warpscope
