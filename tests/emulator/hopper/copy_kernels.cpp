// tests/emulator/hopper/copy_kernels.cpp: kernels of bulk copies out of shared memory, and their
// references.
#ifdef WARPSCOPE_WITH_COMPILER

#include <algorithm>

#include "tests/emulator/hopper/cluster_cases.h"

namespace warpscope {
namespace {

using enum ElementType;

ClusterKernel bulk_store() {
  constexpr std::size_t kBlocks = 3, kTiles = 5, kTile = 512;
  std::vector<float> x(kBlocks * kTiles * kTile), y;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 1013) / 4;
  for (const float v : x) y.push_back(2 * v);
  Launch launch;
  launch.grid.x = kBlocks;
  launch.block.x = 128;
  return {"bulk_store",
          launch,
          {input("x", f32, x), output("y", f32, std::vector<float>(x.size(), -1), y)},
          {BufferArgument{"x"}, BufferArgument{"y"}, static_cast<std::int32_t>(kTiles)}};
}

ClusterKernel bulk_reduction() {
  constexpr std::size_t kBlocks = 6, kRows = 7, kColumns = 256;
  std::vector<int> values(kBlocks * kRows * kColumns);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<int>(i * 2654435761u >> 7 & 0xfff) - 2048;
  }
  std::vector<float> sums(kColumns, 0.5f), expected_sums = sums;
  std::vector<int> most(kColumns, -1), expected_most = most;
  std::vector<std::uint32_t> bits(kColumns, 0x80000000u), expected_bits = bits;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t c = i % kColumns;
    expected_sums[c] += static_cast<float>(values[i]);
    expected_most[c] = std::max(expected_most[c], values[i]);
    expected_bits[c] |= 1u << (values[i] & 31);
  }
  Launch launch;
  launch.grid.x = kBlocks;
  launch.block.x = kColumns;
  return {"bulk_reduction",
          launch,
          {input("values", i32, values), output("sums", f32, sums, expected_sums, true),
           output("most", i32, most, expected_most, true),
           output("bits", u32, bits, expected_bits, true)},
          {BufferArgument{"values"}, BufferArgument{"sums"}, BufferArgument{"most"},
           BufferArgument{"bits"}, static_cast<std::int32_t>(kRows)}};
}

ClusterKernel edited_map() {
  const std::vector<int> rows = {40, 16, 7}, columns = {36, 64, 100};
  std::vector<int> first;
  std::size_t size = 0;
  for (std::size_t g = 0; g < rows.size(); ++g) {
    first.push_back(static_cast<int>(size));
    size += static_cast<std::size_t>(rows[g] * columns[g]) + 32;
  }
  std::vector<float> in(size), out;
  for (std::size_t i = 0; i < size; ++i) in[i] = static_cast<float>(i % 509);
  out = in;
  for (std::size_t g = 0; g < rows.size(); ++g) {
    for (int i = 0; i < rows[g] * columns[g]; ++i) out[static_cast<std::size_t>(first[g] + i)] += 1;
  }
  Launch launch;
  launch.grid.x = std::ssize(rows);
  launch.block.x = 128;
  return {"edited_map",
          launch,
          {output("in", f32, in, out, true),
           KernelBuffer{"maps", u8, std::vector<std::byte>(128 * rows.size()), {}, false},
           input("first", i32, first), input("rows", i32, rows), input("columns", i32, columns)},
          {TensorMapArgument{"in", f32, {64, 4}, {256}, {32, 16}}, BufferArgument{"maps"},
           BufferArgument{"in"}, BufferArgument{"first"}, BufferArgument{"rows"},
           BufferArgument{"columns"}}};
}

// In rows of 32, 64 and 128 bytes, pieces of 16 bytes change places by the number of the row: every
// fourth, every second, every row has another order.
ClusterKernel swizzled_boxes() {
  constexpr std::size_t kRows = 24, kBoxRows = 16, kFirst = 3, kColumns = 32, kBox = kBoxRows * 32;
  std::vector<std::uint32_t> in(kRows * kColumns), lay(3 * kBox), copied(kBoxRows * kColumns);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint32_t>(i * 7 + 1);
  const std::vector<std::uint32_t> before = lay, empty = copied;
  for (std::size_t b = 0; b < 3; ++b) {
    const std::size_t pieces = 2u << b, rows_alike = 4u >> b;
    for (std::size_t row = 0; row < kBoxRows; ++row) {
      for (std::size_t piece = 0; piece < pieces; ++piece) {
        const std::size_t to = piece ^ row / rows_alike % pieces;
        for (std::size_t word = 0; word < 4; ++word) {
          lay[b * kBox + (row * pieces + to) * 4 + word] =
              in[(kFirst + row) * kColumns + piece * 4 + word];
        }
      }
    }
  }
  std::copy_n(in.begin() + kFirst * kColumns, copied.size(), copied.begin());
  Launch launch;
  launch.block.x = 128;
  const auto map = [](const char* buffer, std::int64_t rows, TensorSwizzle swizzle) {
    return TensorMapArgument{
        buffer, u32, {kColumns, rows}, {4 * kColumns}, {row_bytes(swizzle) / 4, kBoxRows}, swizzle};
  };
  return {"swizzled_boxes",
          launch,
          {input("in", u32, in), output("copied", u32, empty, copied),
           output("lay", u32, before, lay, true)},
          {map("in", kRows, TensorSwizzle::bytes_32), map("in", kRows, TensorSwizzle::bytes_64),
           map("in", kRows, TensorSwizzle::bytes_128),
           map("copied", kBoxRows, TensorSwizzle::bytes_128), BufferArgument{"lay"}}};
}

}  // namespace

void add_copy_kernels(std::vector<ClusterKernel>& kernels) {
  for (const auto& make : {bulk_store, bulk_reduction, edited_map, swizzled_boxes})
    kernels.push_back(make());
}

}  // namespace warpscope

#endif  // WARPSCOPE_WITH_COMPILER
