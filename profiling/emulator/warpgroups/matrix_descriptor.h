// profiling/emulator/warpgroups/matrix_descriptor.h: where a matrix of wgmma lies in shared memory.
#pragma once

#include <cstdint>
#include <string>

// A matrix is read in pieces of 16 bytes, eight of which make a core matrix. K-major: a line is a
// row of A (a column of B), of which a product takes two pieces. M- or N-major: a line is one k,
// its pieces go along m or n, eight 2-byte elements each. source: PTX ISA, "Matrix Descriptor
// Format", "Strides" and "Canonical Layouts" of wgmma.

namespace warpscope {

inline constexpr std::int64_t kPieceBytes = 16;

struct MatrixDescriptor {
  std::int64_t start = 0, leading = 0, stride = 0;  // bytes
  int base_offset = 0;
  int row_pieces = 1;  // in a row of the swizzle's pattern: 1 (none), 2, 4 or 8
};
MatrixDescriptor matrix_descriptor(std::uint64_t bits);
// Why the bits are not a descriptor of a matrix whose lines have `pieces` pieces side by side ("has
// bits 14 and 15 set …"); empty: they are one.
std::string descriptor_defect(std::uint64_t bits, bool k_major, int pieces);

// The shared byte of a piece. `k_major`: which of the two readings above.
std::int64_t piece_address(const MatrixDescriptor& matrix, bool k_major, int line, int piece);

}  // namespace warpscope
