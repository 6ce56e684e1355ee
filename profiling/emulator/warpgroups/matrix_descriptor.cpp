// profiling/emulator/warpgroups/matrix_descriptor.cpp: where a matrix of wgmma lies in shared
// memory.
#include "profiling/emulator/warpgroups/matrix_descriptor.h"

#include <algorithm>

namespace warpscope {
namespace {

// Addresses and offsets are kept without their four lowest bits, of 18.
constexpr std::uint64_t kField = 0x3fff;
constexpr std::int64_t kAddressMask = 0x3ffff;
constexpr std::uint64_t kUsedBits = kField | kField << 16 | kField << 32 | 7ull << 49 | 3ull << 62;

}  // namespace

MatrixDescriptor matrix_descriptor(std::uint64_t bits) {
  const auto field = [&](int shift) {
    return static_cast<std::int64_t>((bits >> shift & kField) << 4);
  };
  constexpr int kRowPieces[] = {1, 8, 4, 2};
  return {field(0), field(16), field(32), static_cast<int>(bits >> 49 & 7), kRowPieces[bits >> 62]};
}

std::string descriptor_defect(std::uint64_t bits, bool k_major, int pieces) {
  if ((bits & ~kUsedBits) != 0) {
    int bit = 0;
    while (((bits & ~kUsedBits) >> bit & 1) == 0) ++bit;
    return "has bit " + std::to_string(bit) +
           " set, which belongs to no field: addresses and offsets are stored divided by 16";
  }
  const MatrixDescriptor m = matrix_descriptor(bits);
  if (m.row_pieces == 1) {
    if (m.base_offset == 0) return {};
    return "has a base offset without a swizzle";
  }
  const std::int64_t row_bytes = m.row_pieces * kPieceBytes;
  const std::int64_t in_row = m.start % row_bytes;
  const std::int64_t taken = (k_major ? 2 : std::min(pieces, m.row_pieces)) * kPieceBytes;
  if (in_row + taken <= row_bytes) return {};
  return "begins " + std::to_string(in_row) + " bytes into a swizzled row of " +
         std::to_string(row_bytes) + ", in which " + std::to_string(taken) + " have no place";
}

// With T for a piece, CuTe writes the layouts ((8,m),(T,2k)):((row,SBO),(1,LBO or T)) and
// ((T,row,m),(8,k)):((1,T,LBO),(row,SBO)), the two offsets exchanged where nothing is swizzled.
std::int64_t piece_address(const MatrixDescriptor& m, bool k_major, int line, int piece) {
  std::int64_t at = m.start + line % 8 * (m.row_pieces * kPieceBytes);
  if (k_major) {
    at += line / 8 * m.stride + piece * (m.row_pieces == 1 ? m.leading : kPieceBytes);
  } else if (m.row_pieces == 1) {
    at += line / 8 * m.leading + piece * m.stride;
  } else {
    at +=
        line / 8 * m.stride + piece % m.row_pieces * kPieceBytes + piece / m.row_pieces * m.leading;
  }
  at &= kAddressMask;
  // The 16-byte pieces of a 128-byte line change places by its number in the pattern, which begins
  // at a multiple of the pattern's size or at the base offset.
  const std::int64_t line_in_pattern = (at >> 7) - m.base_offset;
  return at ^ (line_in_pattern & (m.row_pieces - 1)) << 4;
}

}  // namespace warpscope
