// profiling/emulator/video/video.cpp: integers in the halves and bytes of words: the video
// instructions and cvt.pack.
#include "profiling/emulator/video/video.h"

#include <algorithm>
#include <bit>

#include "profiling/emulator/state/kernel_code.h"

namespace warpscope {
namespace {

// Wide enough for every intermediate result: of a 33-bit number that is shifted by 32 bits, and of
// products of two.
__extension__ using Wide = __int128;

Wide field(std::uint64_t bits, int first, int width, bool is_signed) {
  const std::uint64_t x = bits >> first & ((1ull << width) - 1);
  const bool negative = is_signed && (x >> (width - 1) & 1) != 0;
  return static_cast<Wide>(x) - (negative ? static_cast<Wide>(1) << width : 0);
}

struct Part {
  int first = 0, width = 32;
};
Part part_of_word(std::uint64_t which) {
  if (which < 4) return {8 * static_cast<int>(which), 8};
  if (which < kWholeWord) return {16 * static_cast<int>(which - 4), 16};
  return {};
}

Wide clamped(Wide x, int width, bool is_signed) {
  const Wide most = (static_cast<Wide>(1) << (is_signed ? width - 1 : width)) - 1;
  const Wide least = is_signed ? -most - 1 : 0;
  return std::clamp(x, least, most);
}

bool compares(Wide a, Wide b, VideoComparison how) {
  switch (how) {
    case VideoComparison::equal:
      return a == b;
    case VideoComparison::not_equal:
      return a != b;
    case VideoComparison::less:
      return a < b;
    case VideoComparison::less_or_equal:
      return a <= b;
    case VideoComparison::greater:
      return a > b;
    case VideoComparison::greater_or_equal:
      return a >= b;
  }
  return false;
}

Wide result_of(const VideoOperation& op, Wide a, Wide b) {
  constexpr Wide kWordBits = 32;
  const Wide shift = op.wraps != 0 ? b & (kWordBits - 1) : std::min(b, kWordBits);
  switch (static_cast<VideoKind>(op.kind)) {
    case VideoKind::add:
      return a + b;
    case VideoKind::subtract:
      return a - b;
    case VideoKind::absolute_difference:
      return a < b ? b - a : a - b;
    case VideoKind::minimum:
      return std::min(a, b);
    case VideoKind::maximum:
      return std::max(a, b);
    case VideoKind::average:  // halves away from zero
      return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
    case VideoKind::compare:
      return compares(a, b, static_cast<VideoComparison>(op.comparison)) ? 1 : 0;
    case VideoKind::shift_left:
      return a << static_cast<int>(shift);
    case VideoKind::shift_right:
      return a >> static_cast<int>(shift);
    case VideoKind::multiply_add:
      break;
  }
  return 0;
}

// The intermediate result of scalar instructions has 33 bits.
Wide in_33_bits(Wide x) { return field(static_cast<std::uint64_t>(x), 0, 33, true); }

std::uint32_t scalar(const VideoOperation& op, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const Part from_a = part_of_word(op.a_parts), from_b = part_of_word(op.b_parts);
  const Part to = part_of_word(op.result_parts);
  Wide t = result_of(op, field(a, from_a.first, from_a.width, op.a_signed != 0),
                     field(b, from_b.first, from_b.width, op.b_signed != 0));
  t = op.saturates != 0 ? clamped(t, to.width, op.d_signed != 0) : in_33_bits(t);
  const Wide third = field(c, 0, 32, op.d_signed != 0);
  switch (static_cast<VideoSecond>(op.second)) {
    case VideoSecond::none:
      break;
    case VideoSecond::add:
      t += third;
      break;
    case VideoSecond::minimum:
      t = std::min(t, third);
      break;
    case VideoSecond::maximum:
      t = std::max(t, third);
      break;
    case VideoSecond::merge: {
      const auto ones = static_cast<std::uint32_t>(((1ull << to.width) - 1) << to.first);
      return (c & ~ones) | (static_cast<std::uint32_t>(t) << to.first & ones);
    }
  }
  return static_cast<std::uint32_t>(t);
}

std::uint32_t multiply_add(const VideoOperation& op, std::uint32_t a, std::uint32_t b,
                           std::uint32_t c) {
  const Part from_a = part_of_word(op.a_parts), from_b = part_of_word(op.b_parts);
  const bool is_signed =
      op.a_signed != 0 || op.b_signed != 0 || op.negates_product != 0 || op.negates_addend != 0;
  Wide t = field(a, from_a.first, from_a.width, op.a_signed != 0) *
           field(b, from_b.first, from_b.width, op.b_signed != 0);
  // A negated operand is its complement and one more, which is added with the rest.
  if (op.negates_product != 0) t = ~t;
  if (op.negates_addend != 0) c = ~c;
  t += field(c, 0, 32, is_signed);
  if (op.adds_one != 0 || op.negates_product != 0 || op.negates_addend != 0) t += 1;
  t >>= static_cast<int>(op.scale);
  if (op.saturates != 0) t = clamped(t, 32, is_signed);
  return static_cast<std::uint32_t>(t);
}

std::uint32_t packed(const VideoOperation& op, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const int elements = static_cast<int>(op.elements), width = 32 / elements;
  const std::uint64_t both = static_cast<std::uint64_t>(b) << 32 | a;
  const bool adds = static_cast<VideoSecond>(op.second) == VideoSecond::add;
  std::uint32_t d = c;
  for (int k = 0; k < elements; ++k) {
    if ((op.result_parts >> k & 1) == 0) continue;
    const int in_a = static_cast<int>(op.a_parts >> (4 * k) & 15);
    const int in_b = static_cast<int>(op.b_parts >> (4 * k) & 15);
    Wide t = result_of(op, field(both, in_a * width, width, op.a_signed != 0),
                       field(both, in_b * width, width, op.b_signed != 0));
    if (op.saturates != 0) t = clamped(t, width, op.d_signed != 0);
    if (adds) {
      d += static_cast<std::uint32_t>(t);
      continue;
    }
    const auto ones = static_cast<std::uint32_t>(((1ull << width) - 1) << (k * width));
    d = (d & ~ones) | (static_cast<std::uint32_t>(t) << (k * width) & ones);
  }
  return d;
}

template <typename F>
void for_active(Warp& w, std::uint32_t destination, F function) {
  auto* const d = w.slot<std::uint32_t>(destination);
  for (std::uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    d[lane] = function(lane);
  }
}

}  // namespace

void run_video(Warp& w, const Instruction& i) {
  const auto op = std::bit_cast<VideoOperation>(i.immediate);
  const auto* const a = w.slot<std::uint32_t>(i.a);
  const auto* const b = w.slot<std::uint32_t>(i.b);
  const auto* const c = w.slot<std::uint32_t>(i.c);
  const auto run = op.elements > 1                                              ? packed
                   : static_cast<VideoKind>(op.kind) == VideoKind::multiply_add ? multiply_add
                                                                                : scalar;
  for_active(w, i.d, [&](int lane) { return run(op, a[lane], b[lane], c[lane]); });
}

void run_pack_saturated(Warp& w, const Instruction& i) {
  const auto* const a = w.slot<std::uint32_t>(i.a);
  const auto* const b = w.slot<std::uint32_t>(i.b);
  const auto* const c = w.slot<std::uint32_t>(i.c);
  const int width = i.width;
  const bool is_signed = (i.flags & kFlagSignExtend) != 0;
  const std::uint32_t ones = (1u << width) - 1;
  const auto narrow = [&](std::uint32_t x) {
    return static_cast<std::uint32_t>(clamped(static_cast<std::int32_t>(x), width, is_signed)) &
           ones;
  };
  for_active(w, i.d, [&](int lane) {
    const std::uint32_t pair = narrow(a[lane]) << width | narrow(b[lane]);
    return i.count == 3 ? c[lane] << (2 * width) | pair : pair;
  });
}

}  // namespace warpscope
