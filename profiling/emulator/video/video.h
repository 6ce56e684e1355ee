// profiling/emulator/video/video.h: integers in the halves and bytes of words: the video
// instructions and cvt.pack.
#pragma once

#include <cstdint>

#include "profiling/emulator/state/warp.h"

// source: PTX ISA, "Scalar Video Instructions", "SIMD Video Instructions", "cvt.pack".

namespace warpscope {

enum class VideoKind : std::uint8_t {
  add,
  subtract,
  absolute_difference,
  minimum,
  maximum,
  average,
  compare,
  shift_left,
  shift_right,
  multiply_add,
};
enum class VideoComparison : std::uint8_t {
  equal,
  not_equal,
  less,
  less_or_equal,
  greater,
  greater_or_equal
};
// What becomes of the result and the third operand.
enum class VideoSecond : std::uint8_t { none, add, minimum, maximum, merge };

// A part of a word: b0 to b3 are 0 to 3, h0 and h1 are 4 and 5.
inline constexpr std::uint32_t kWholeWord = 6;

// Packed in Instruction::immediate. For scalar instructions, `a_parts`, `b_parts` and
// `result_parts` each select one part of a word. For SIMD instructions, a_parts and b_parts have
// four bits per element: its place in the eight bytes (or four halves) of b and a. There
// result_parts is a mask.
struct VideoOperation {
  std::uint64_t kind : 4 = 0;      // VideoKind
  std::uint64_t elements : 3 = 1;  // 1: scalar; 2 or 4
  std::uint64_t second : 3 = 0;    // VideoSecond
  std::uint64_t comparison : 3 = 0;
  std::uint64_t d_signed : 1 = 0;
  std::uint64_t a_signed : 1 = 0;
  std::uint64_t b_signed : 1 = 0;
  std::uint64_t saturates : 1 = 0;
  std::uint64_t wraps : 1 = 0;            // a shift distance, modulo 32
  std::uint64_t adds_one : 1 = 0;         // vmad.po
  std::uint64_t negates_product : 1 = 0;  // vmad
  std::uint64_t negates_addend : 1 = 0;   // vmad
  std::uint64_t scale : 4 = 0;            // vmad: bits that the result is shifted to the right
  std::uint64_t result_parts : 4 = kWholeWord;
  std::uint64_t a_parts : 16 = kWholeWord;
  std::uint64_t b_parts : 16 = kWholeWord;
};
static_assert(sizeof(VideoOperation) == sizeof(std::int64_t));

void run_video(Warp& warp, const Instruction& i);
// cvt.pack: width bits of each result, kFlagSignExtend for signed ones; count 3: c fills the rest.
void run_pack_saturated(Warp& warp, const Instruction& i);

}  // namespace warpscope
