// scenes/esmm/inputs/pattern_counts.h: what the patterns of a run hold, counted on the host from
// its values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenes/base/scene.h"
#include "scenes/esmm/inputs/operands.h"

namespace warpscope::esmm {

// The bytes [groups][k_blocks] of one operand, `group` rows or columns each.
struct Pattern {
  std::int64_t group = 0, groups = 0, k_blocks = 0;
  std::vector<std::uint8_t> bytes;
  std::uint8_t at(std::int64_t g, std::int64_t block) const {
    return bytes[static_cast<std::size_t>(g * k_blocks + block)];
  }
};
// The pattern of groups of eight. `nonzeros`, unless it is null, is set to the number of elements
// that are not 0. error: input, from the file that holds the operand.
Result<Pattern> pattern_of(const Operand& operand, std::int64_t* nonzeros = nullptr);
// The pattern of groups `times` as large: the bytes of the joined groups are combined by OR.
Pattern joined(const Pattern& pattern, std::int64_t times);
// How many groups have the bit of each k.
std::vector<std::int64_t> groups_with(const Pattern& pattern);

// The sizes of groups of which counts are kept.
inline constexpr std::int64_t kCountedGroups[] = {8, 32, 64, 128, 256};

// Facts, for r and c of kCountedGroups:
//   a_bits_r, b_bits_c      set bits of all bytes of the operand
//   a_blocks_r, b_blocks_c  bytes that are not 0
//   a_nonzeros              elements of A that are not 0
//   a_sparse_blocks_s       blocks of s × s elements of A that hold a nonzero, for s = 8, 16, 32
//   a_most_blocks_s         of a row of such blocks at most
//   a_first_bits            set bits of A's first group of 32
//   joint_r_c               set bits of PA & PB over all pairs of groups: steps of k that warps of
//                           r × c elements of C take
//   joint_blocks_r_c        of these bytes, those that are not 0, where r, c ≥ 32
//   joint_sixteens_128      of r = c = 128, pairs of neighbouring bytes, the first at an even one,
//                           that are not both 0
// error: input; a matrix of zeros where the rule asked for others.
Result<void> measure_patterns(const Configuration& axes, Inputs& inputs, Facts& facts);

// The first 128 k of the first 32 groups of A, of the pairs of groups of equal number, and of B,
// from the top, a pixel a bit: dark where a nonzero is.
Raster pattern_picture(const Workload& w);

// The names of these facts: joint_fact("joint", 32, 64) is "joint_32_64".
std::string group_fact(const char* name, std::int64_t group);
std::string joint_fact(const char* name, std::int64_t rows, std::int64_t columns);

}  // namespace warpscope::esmm
