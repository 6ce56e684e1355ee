// tests/scenes/esmm_npy_test.cpp: .npy files are read as NumPy writes them, or refused by field.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "scenes/esmm/inputs/npy_file.h"

namespace warpscope {
namespace {

// A file of version 1 as numpy.save writes it: the header ends at a multiple of 64 bytes.
template <typename T>
std::string npy(const std::string& dictionary, const std::vector<T>& elements) {
  std::string header = dictionary;
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() & 0xFF);
  file += static_cast<char>(header.size() >> 8);
  file += header;
  const std::size_t at = file.size();
  file.resize(at + elements.size() * sizeof(T));
  if (!elements.empty())
    std::memcpy(file.data() + at, elements.data(), elements.size() * sizeof(T));
  return file;
}

std::string dictionary(const char* descr, const char* order, const char* shape) {
  return std::string("{'descr': '") + descr + "', 'fortran_order': " + order +
         ", 'shape': " + shape + ", }";
}

using Floats = std::vector<float>;

TEST(Npy, ReadsRowsAndColumnsInBothOrders) {
  const Floats stored = {1, 2, 3, 4, 5, 6};
  const auto rows = parse_npy(npy(dictionary("<f4", "False", "(2, 3)"), stored), "a.npy");
  ASSERT_TRUE(rows) << sentence(rows.error());
  EXPECT_EQ(rows->rows, 2);
  EXPECT_EQ(rows->columns, 3);
  EXPECT_EQ(rows->values, stored);
  const auto columns = parse_npy(npy(dictionary("<f4", "True", "(2, 3)"), stored), "a.npy");
  ASSERT_TRUE(columns);
  EXPECT_EQ(columns->values, (Floats{1, 3, 5, 2, 4, 6}));
}

TEST(Npy, CountsWhatF32DoesNotHold) {
  const std::vector<double> stored = {0.5, 0.1, -3, 1e300};
  const auto wide = parse_npy(npy(dictionary("<f8", "False", "(2, 2)"), stored), "a.npy");
  ASSERT_TRUE(wide);
  EXPECT_EQ(wide->inexact, 2);
  EXPECT_EQ(wide->values[2], -3.0f);
  const std::vector<std::uint16_t> halves = {0x3C00, 0xC000, 0x0001, 0x7C00};
  const auto half = parse_npy(npy(dictionary("<f2", "False", "(1, 4)"), halves), "a.npy");
  ASSERT_TRUE(half);
  EXPECT_EQ(half->values, (Floats{1, -2, std::ldexp(1.0f, -24), INFINITY}));
  EXPECT_EQ(half->inexact, 0);
}

TEST(Npy, RefusesByTheFieldThatIsWrong) {
  const Floats six = {1, 2, 3, 4, 5, 6};
  const auto said = [](const std::string& file) {
    const auto matrix = parse_npy(file, "a.npy");
    return matrix ? "" : sentence(matrix.error());
  };
  const auto expect = [&](const std::string& file, const char* words) {
    EXPECT_NE(said(file).find(words), std::string::npos) << said(file);
  };
  expect(npy(dictionary("<f4", "False", "(6,)"), six), "shape has 1 extents");
  expect(npy(dictionary("<f4", "False", "(1, 2, 3)"), six), "shape has 3 extents");
  expect(npy(dictionary(">f4", "False", "(2, 3)"), six), "big-endian");
  expect(npy(dictionary("<i4", "False", "(2, 3)"), six), "only f2, f4 and f8");
  expect(npy(dictionary("|O", "False", "(2, 3)"), six), "objects");
  expect(npy(dictionary("<f4", "False", "(2, 4)"), six), "24 of 32 bytes");
  expect(npy(dictionary("<f4", "False", "(2, -4)"), six), "does not hold numbers");
  expect(npy("{'descr': '<f4', 'shape': (2, 3), }", six), "no fortran_order");
  expect(npy("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2, 3), }", six),
         "structure");
  expect("NUMPY, perhaps", "does not begin");
  expect(npy(dictionary("<f4", "False", "(2, 3)"), six).substr(0, 40), "cut off");
}

TEST(Npy, ReadsAnEmptyMatrix) {
  const auto empty = parse_npy(npy<float>(dictionary("<f4", "False", "(0, 3)"), {}), "a.npy");
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->columns, 3);
  EXPECT_TRUE(empty->values.empty());
}

}  // namespace
}  // namespace warpscope
