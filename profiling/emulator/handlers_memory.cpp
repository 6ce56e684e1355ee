// profiling/emulator/handlers_memory.cpp: ld and st of every space, width and vector.
#include <cstring>

#include "profiling/emulator/access_path.h"

namespace warpscope {
namespace {

template <typename T, typename SlotType>
SlotType extended(T value) {
  // A signed type widens with its sign, in the slot as in the register it stands for.
  if constexpr (std::is_signed_v<T>) {
    return static_cast<SlotType>(static_cast<std::int64_t>(value));
  } else {
    return static_cast<SlotType>(value);
  }
}

template <typename T, typename SlotType>
void run_load(Warp& w, const Instruction& i) {
  Access access;
  const int count = i.count;
  resolve(w, i, i.a, i.immediate, i.space, static_cast<int>(sizeof(T)) * count, sizeof(T),
          AccessIntent::read, AccessKind::load, i.site, access);
  if (access.mask == 0) return;
  const std::uint32_t* const slots = w.worker->kernel->slots.data() + i.extra;
  for (int k = 0; k < count; ++k) {
    SlotType* const d = w.slot<SlotType>(slots[k]);
    if (access.contiguous) {
      const std::byte* const from = access.first + static_cast<std::size_t>(k) * sizeof(T);
      if (count == 1) {
        T values[32];
        std::memcpy(values, from, sizeof values);
        for (int lane = 0; lane < 32; ++lane) d[lane] = extended<T, SlotType>(values[lane]);
      } else {
        const std::size_t step = static_cast<std::size_t>(count) * sizeof(T);
        for (int lane = 0; lane < 32; ++lane) {
          T value;
          std::memcpy(&value, from + static_cast<std::size_t>(lane) * step, sizeof value);
          d[lane] = extended<T, SlotType>(value);
        }
      }
    } else {
      for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        T value;
        std::memcpy(&value, access.pointer[lane] + static_cast<std::size_t>(k) * sizeof(T),
                    sizeof value);
        d[lane] = extended<T, SlotType>(value);
      }
    }
  }
}

template <typename T, typename SlotType>
void run_store(Warp& w, const Instruction& i) {
  Access access;
  const int count = i.count;
  resolve(w, i, i.a, i.immediate, i.space, static_cast<int>(sizeof(T)) * count, sizeof(T),
          AccessIntent::write, AccessKind::store, i.site, access);
  if (access.mask == 0) return;
  const std::uint32_t* const slots = w.worker->kernel->slots.data() + i.extra;
  for (int k = 0; k < count; ++k) {
    const SlotType* const s = w.slot<SlotType>(slots[k]);
    if (access.contiguous) {
      std::byte* const to = access.first + static_cast<std::size_t>(k) * sizeof(T);
      if (count == 1) {
        T values[32];
        for (int lane = 0; lane < 32; ++lane) values[lane] = static_cast<T>(s[lane]);
        std::memcpy(to, values, sizeof values);
      } else {
        const std::size_t step = static_cast<std::size_t>(count) * sizeof(T);
        for (int lane = 0; lane < 32; ++lane) {
          const T value = static_cast<T>(s[lane]);
          std::memcpy(to + static_cast<std::size_t>(lane) * step, &value, sizeof value);
        }
      }
    } else {
      for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        const T value = static_cast<T>(s[lane]);
        std::memcpy(access.pointer[lane] + static_cast<std::size_t>(k) * sizeof(T), &value,
                    sizeof value);
      }
    }
  }
}

template <typename SlotType>
Handler load_into(int width, bool sign_extend) {
  switch (width) {
    case 1:
      return sign_extend ? run_load<std::int8_t, SlotType> : run_load<std::uint8_t, SlotType>;
    case 2:
      return sign_extend ? run_load<std::int16_t, SlotType> : run_load<std::uint16_t, SlotType>;
    case 4:
      return sign_extend ? run_load<std::int32_t, SlotType> : run_load<std::uint32_t, SlotType>;
    default:
      return run_load<std::uint64_t, SlotType>;
  }
}
template <typename SlotType>
Handler store_from(int width) {
  switch (width) {
    case 1:
      return run_store<std::uint8_t, SlotType>;
    case 2:
      return run_store<std::uint16_t, SlotType>;
    case 4:
      return run_store<std::uint32_t, SlotType>;
    default:
      return run_store<std::uint64_t, SlotType>;
  }
}

}  // namespace

Handler load_handler(int width, bool sign_extend, bool wide_slots) {
  return wide_slots ? load_into<std::uint64_t>(width, sign_extend)
                    : load_into<std::uint32_t>(width, sign_extend);
}
Handler store_handler(int width, bool wide_slots) {
  return wide_slots ? store_from<std::uint64_t>(width) : store_from<std::uint32_t>(width);
}

}  // namespace warpscope
