// profiling/emulator/instructions/tensor/matrix_loads.cpp: asynchronous copies, ldmatrix, stmatrix,
// movmatrix.
#include <algorithm>
#include <bit>
#include <cstring>

#include "profiling/emulator/instructions/warp_instructions.h"
#include "profiling/emulator/memory/access_path.h"

namespace warpscope {
namespace {

std::byte* place_of_lane(const Access& access, int lane, int width) {
  return access.contiguous ? access.first + static_cast<std::ptrdiff_t>(lane) * width
                           : access.pointer[lane];
}

}  // namespace

// What `slots` holds at i.extra: the slot of the source's size, the source's offset, and whether
// the copy goes past L1. The load counts at the site, the store to shared memory at the one after
// it.
void run_async_copy(Warp& w, const Instruction& i) {
  Worker& k = *w.worker;
  const std::uint32_t* const slots = k.kernel->slots.data() + i.extra;
  const std::uint32_t whole = w.mask;
  // Lanes whose source size is zero, or which are told to ignore it, do not read and get zeros.
  std::uint32_t reading = whole;
  if (slots[0] != 0) {
    const std::uint32_t* const size = w.slot<std::uint32_t>(slots[0]);
    for (std::uint32_t rest = whole; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      if (size[lane] == 0) reading &= ~(1u << lane);
    }
  }
  Access from;
  from.mask = 0;
  if (reading != 0) {
    w.mask = reading;
    // The cache of the last buffer goes by the instruction's place in the code, so that is kept.
    resolve(w, i, i.b, static_cast<std::int32_t>(slots[1]), AddressSpace::global, i.width, i.width,
            AccessIntent::read, AccessKind::async_copy, i.site, from);
  }
  w.mask = (whole & ~reading) | from.mask;
  if (w.mask == 0) return;
  Access to;
  const bool was_shadowed = k.shadowed;
  resolve(w, i, i.a, i.immediate, AddressSpace::shared, i.width, i.width, AccessIntent::write,
          AccessKind::async_copy, i.site == kNoSite ? kNoSite : i.site + 1, to);
  // Counted so far by where they lie; past L1 they count by where they go.
  const std::uint32_t copied = from.mask & to.mask;
  if (slots[2] != 0 && i.site != kNoSite && k.sums && copied != 0) {
    k.totals[i.site].sectors += copied_sectors(from.address, to.address, copied) -
                                touched(sorted_lanes(from.address, copied), i.width).sectors;
  }
  for (std::uint32_t rest = to.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    int bytes = i.width;
    if (slots[0] != 0) {
      bytes =
          static_cast<int>(std::min<std::uint32_t>(w.slot<std::uint32_t>(slots[0])[lane], i.width));
    }
    std::byte* const target = place_of_lane(to, lane, i.width);
    std::memset(target, 0, i.width);
    if ((from.mask >> lane & 1) != 0) {
      std::memcpy(target, place_of_lane(from, lane, i.width), static_cast<std::size_t>(bytes));
    }
    if (was_shadowed) {
      k.shadow.begin_copy(static_cast<int>(w.index), lane, target - k.shared.data(), i.width);
    }
  }
}

void run_async_commit(Warp& w, const Instruction&) {
  w.worker->shadow.copies.commit(static_cast<int>(w.index), w.mask);
}

// Lane 8·m + r brings the address of row r of matrix m; lane l receives of each matrix the two
// halves at row l / 4, columns 2·(l mod 4) and the next (transposed: row and column exchanged).
void run_load_matrix(Warp& w, const Instruction& i) {
  const std::uint32_t* const slots = w.worker->kernel->slots.data() + i.extra;
  const std::uint32_t all = w.mask;
  const int rows = 8 * i.count;
  if (rows < 32) w.mask &= (1u << rows) - 1;
  Access access;
  resolve(w, i, i.a, i.immediate, i.space, 16, 2, AccessIntent::read, AccessKind::matrix_load,
          i.site, access);
  std::uint16_t values[4][8][8] = {};
  for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    std::memcpy(values[lane / 8][lane % 8], place_of_lane(access, lane, 16), 16);
  }
  w.mask = all;
  for (int m = 0; m < i.count; ++m) {
    auto* const d = w.slot<std::uint32_t>(slots[m]);
    for (std::uint32_t rest = all; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest), row = lane / 4, column = 2 * (lane % 4);
      const std::uint32_t low = i.subop != 0 ? values[m][column][row] : values[m][row][column];
      const std::uint32_t high =
          i.subop != 0 ? values[m][column + 1][row] : values[m][row][column + 1];
      d[lane] = high << 16 | low;
    }
  }
}

void run_store_matrix(Warp& w, const Instruction& i) {
  const std::uint32_t* const slots = w.worker->kernel->slots.data() + i.extra;
  const std::uint32_t all = w.mask;
  const int rows = 8 * i.count;
  std::uint16_t values[4][8][8] = {};
  for (int m = 0; m < i.count; ++m) {
    const std::uint32_t* const s = w.slot<std::uint32_t>(slots[m]);
    for (std::uint32_t rest = all; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest), row = lane / 4, column = 2 * (lane % 4);
      const auto low = static_cast<std::uint16_t>(s[lane]);
      const auto high = static_cast<std::uint16_t>(s[lane] >> 16);
      (i.subop != 0 ? values[m][column][row] : values[m][row][column]) = low;
      (i.subop != 0 ? values[m][column + 1][row] : values[m][row][column + 1]) = high;
    }
  }
  if (rows < 32) w.mask &= (1u << rows) - 1;
  Access access;
  resolve(w, i, i.a, i.immediate, i.space, 16, 2, AccessIntent::write, AccessKind::matrix_store,
          i.site, access);
  w.mask = all;
  for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    std::memcpy(place_of_lane(access, lane, 16), values[lane / 8][lane % 8], 16);
  }
}

// Lane l has the halves of row l / 4, columns 2·(l mod 4) and the next.
void run_transpose_matrix(Warp& w, const Instruction& i) {
  std::uint16_t values[8][8];
  const std::uint32_t* const a = w.slot<std::uint32_t>(i.a);
  for (int lane = 0; lane < 32; ++lane) {
    values[lane / 4][2 * (lane % 4)] = static_cast<std::uint16_t>(a[lane]);
    values[lane / 4][2 * (lane % 4) + 1] = static_cast<std::uint16_t>(a[lane] >> 16);
  }
  auto* const d = w.slot<std::uint32_t>(i.d);
  for (std::uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest), row = lane / 4, column = 2 * (lane % 4);
    d[lane] = static_cast<std::uint32_t>(values[column + 1][row]) << 16 | values[column][row];
  }
}

}  // namespace warpscope
