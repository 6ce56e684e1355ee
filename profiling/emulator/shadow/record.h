// profiling/emulator/shadow/record.h: who last wrote and read a word, or a byte of one, and whether
// an access knows of them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "profiling/emulator/shadow/vector_clocks.h"

namespace warpscope {

// Atomics and other strong accesses do not race with each other. Nor do volatile ones, except those
// of two lanes of one warp: lanes run apart since Volta, and volatile does not order them.
enum class AccessStrength : std::uint8_t { weak, by_volatile, strong };

struct ShadowRecord {
  // clock << 11 | many lanes << 10 | warp << 5 | lane
  std::uint32_t write = 0, read = 0;
  std::uint32_t write_sync = 0, read_sync = 0;
  std::uint32_t read_warps = 0;
  std::uint8_t initialised = 0;  // bit a byte; of a split record bit 0
  std::uint8_t flags = 0;
  // warp << 5 | lane of a copy under way, or of one out of here (kCopySource); of kProductRead
  // the number of the product.
  std::uint16_t copy_lane = 0;
  // The group of a cp.async or a kCopySource. Or the phase that a bulk copy reports to; write_sync
  // is then its barrier. Or the mask of lanes that stored together.
  std::uint32_t copy_group = 0;
  std::uint32_t split = 0;  // first of four records beside it, 0: not split

  // Bits of `flags`.
  static constexpr std::uint8_t kStrongWrite = 1, kStrongRead = 2, kCopy = 4, kBulkCopy = 8,
                                kProductRead = 16, kCopySource = 32, kFromOutside = 64,
                                kVolatileWrite = 128;  // beside kStrongWrite
  bool has(int any) const { return (flags & any) != 0; }
  void set(int all) { flags |= static_cast<std::uint8_t>(all); }
  void clear(int all) { flags &= static_cast<std::uint8_t>(~all); }
};

inline constexpr int kClockShift = 11;
inline constexpr std::uint32_t kManyLanes = 1u << 10;
inline constexpr std::uint8_t kAllBytes = 15;  // a bit a byte

inline std::uint32_t stamp_of(std::uint32_t clock, int warp, int lane) {
  return clock << kClockShift | static_cast<std::uint32_t>(warp) << 5 |
         static_cast<std::uint32_t>(lane);
}
inline int warp_of(std::uint32_t stamp) { return static_cast<int>(stamp >> 5 & 31); }
inline int lane_of(std::uint32_t stamp) { return static_cast<int>(stamp & 31); }

// The rules of plain records, for a lane of a warp at a count of the warp's own synchronisations.
// `lane` −1: any lane is another.

// Whether a lane that reads or writes knows of the last write.
inline bool knows_write(const VectorClocks& clocks, const ShadowRecord& r, int warp, int lane,
                        std::uint32_t sync, bool reads) {
  if (r.write == 0) return true;
  const int writer = warp_of(r.write);
  if (writer != warp) return (r.write >> kClockShift) <= clocks.known(warp, writer);
  if (r.write_sync != sync) return true;
  if ((r.write & kManyLanes) == 0) return lane_of(r.write) == lane;
  // Each lane may read what lanes stored together; a lane that overwrites it also overwrites the
  // value of the others.
  return reads && (r.copy_group >> lane & 1) != 0;
}

// The other warps that read since, unknown to this one.
inline std::uint32_t unmet_readers(const VectorClocks& clocks, const ShadowRecord& r, int warp) {
  const std::uint32_t read_clock = r.read >> kClockShift;
  std::uint32_t unmet = 0;
  for (std::uint32_t others = r.read_warps & ~(1u << warp); others != 0; others &= others - 1) {
    const int other = __builtin_ctz(others);
    if (read_clock > clocks.known(warp, other)) unmet |= 1u << other;
  }
  return unmet;
}

// Whether another lane of this warp reads at the same time.
inline bool is_read_beside(const VectorClocks& clocks, const ShadowRecord& r, int warp, int lane,
                           std::uint32_t sync) {
  return (r.read_warps >> warp & 1) != 0 && warp_of(r.read) == warp && r.read_sync == sync &&
         (r.read >> kClockShift) == clocks.now(warp) &&
         (lane_of(r.read) != lane || (r.read & kManyLanes) != 0);
}

// Whether the read joins one of its warp at the same time.
inline bool note_read(const VectorClocks& clocks, ShadowRecord& r, int warp, int lane,
                      std::uint32_t sync) {
  const std::uint32_t clock = clocks.now(warp), self = 1u << warp;
  if (r.read_warps == self && (r.read >> kClockShift) == clock && r.read_sync == sync) {
    if (lane_of(r.read) != lane) r.read |= kManyLanes;
    return true;
  }
  // Readers that this warp has met at a barrier since need not be remembered.
  const std::uint32_t unmet = unmet_readers(clocks, r, warp);
  r.read = stamp_of(unmet == 0 ? clock : std::min(r.read >> kClockShift, clock), warp, lane);
  r.read_warps = unmet | self;
  r.read_sync = sync;
  return false;
}

inline void note_write(const VectorClocks& clocks, ShadowRecord& r, int warp, int lane,
                       std::uint32_t sync) {
  r.write = stamp_of(clocks.now(warp), warp, lane);
  r.write_sync = sync;
  r.read_warps = 0;
  r.read = 0;
}

}  // namespace warpscope
