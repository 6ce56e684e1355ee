// tests/emulator/aligned_products_test.cpp: sums of products equal those of a GPU's tensor cores,
// bit for bit.
#include "profiling/emulator/instructions/tensor/aligned_products.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "profiling/emulator/instructions/half_lanes.h"
#include "tests/folders.h"

namespace warpscope {
namespace {

constexpr int kColumns = 8;

// Eight sums of tests/emulator/tensor_products.txt.
struct Recorded {
  std::string type;
  int k = 0, factors = 0;
  std::vector<double> row, columns;  // [factors], [factors, 8]
  std::array<double, kColumns> addends{}, results{};
};

std::vector<double> floats(const std::string& line) {
  std::vector<double> all;
  std::istringstream words(line);
  for (std::string word; words >> word;)
    all.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(std::stoul(word, nullptr, 16))));
  return all;
}

std::vector<Recorded> recorded_products() {
  std::ifstream file(source_folder() / "tests" / "emulator" / "tensor_products.txt");
  std::vector<Recorded> all;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) continue;
    Recorded one;
    std::istringstream(line) >> one.type >> one.k >> one.factors;
    std::getline(file, line);
    one.row = floats(line);
    one.columns.resize(one.row.size() * kColumns);
    for (std::size_t j = 0; j < kColumns; ++j) {
      std::getline(file, line);
      const std::vector<double> column = floats(line);
      for (std::size_t z = 0; z < column.size(); ++z) one.columns[kColumns * z + j] = column[z];
    }
    for (auto* const to : {&one.addends, &one.results}) {
      std::getline(file, line);
      const std::vector<double> from = floats(line);
      std::copy(from.begin(), from.end(), to->begin());
    }
    all.push_back(std::move(one));
  }
  return all;
}

int least_exponent(const std::string& type) {
  return type.starts_with("f16") ? -14 : type == "e4m3" ? -6 : type == "e5m2" ? -14 : -126;
}

// As many instructions of k factors as there are factors, one after another.
std::array<double, kColumns> sums_of(const Recorded& one) {
  const bool half = one.type == "f16_to_f16", byte = one.type.starts_with("e");
  const auto count = static_cast<int>(one.columns.size());
  std::vector<std::int16_t> row(one.row.size()), columns(one.columns.size());
  find_exponents(one.row.data(), one.factors, least_exponent(one.type), row.data());
  find_exponents(one.columns.data(), count, least_exponent(one.type), columns.data());
  std::array<double, kColumns> sums = one.addends;
  for (int z = 0; z < one.factors; z += one.k) {
    const AlignedTerms terms{&one.row[static_cast<std::size_t>(z)],
                             &one.columns[static_cast<std::size_t>(kColumns * z)],
                             &row[static_cast<std::size_t>(z)],
                             &columns[static_cast<std::size_t>(kColumns * z)],
                             kColumns,
                             one.k,
                             half ? kLeastOfHalf : kLeastOfFloat,
                             true};
    add_products(terms, byte ? kAlignedBytes : half ? kAlignedToHalf : kAligned, sums.data());
    for (double& sum : sums) {
      if (half) sum = widen_half(narrow_half(to_odd(sum)));
    }
  }
  return sums;
}

TEST(AlignedProducts, EqualThoseOfAnH200BitForBit) {
  const std::vector<Recorded> all = recorded_products();
  ASSERT_EQ(all.size(), 14U);
  for (const Recorded& one : all) {
    const std::array<double, kColumns> sums = sums_of(one);
    for (std::size_t j = 0; j < kColumns; ++j)
      EXPECT_EQ(sums[j], one.results[j]) << one.type << ", k " << one.k << ", column " << j;
  }
}

// Where plain sums were right as well, the rules above would not be tested.
TEST(AlignedProducts, DifferFromPlainSums) {
  int different = 0, of_all = 0;
  for (const Recorded& one : recorded_products()) {
    for (std::size_t j = 0; j < kColumns; ++j, ++of_all) {
      double sum = one.addends[j];
      for (std::size_t z = 0; z < one.row.size(); ++z)
        sum += one.row[z] * one.columns[kColumns * z + j];
      if (static_cast<float>(sum) != one.results[j]) ++different;
    }
  }
  EXPECT_GT(different, of_all / 2);
}

// The column of an infinity has it, the column of its product with zero has a NaN, and the others
// are what they are without it.
TEST(AlignedProducts, BesideAnInfinityAreWhatTheyAre) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::array<double, 2> row = {2, 3};
  std::array<double, 2 * kColumns> columns{};
  for (std::size_t j = 0; j < kColumns; ++j) {
    columns[j] = 1 + static_cast<double>(j);
    columns[kColumns + j] = 1;
  }
  columns[1] = infinity;
  columns[2] = infinity;
  columns[kColumns + 2] = -infinity;
  std::array<std::int16_t, 2> row_exponents{};
  std::array<std::int16_t, 2 * kColumns> column_exponents{};
  find_exponents(row.data(), 2, kLeastOfFloat, row_exponents.data());
  EXPECT_EQ(find_exponents(columns.data(), 2 * kColumns, kLeastOfFloat, column_exponents.data()),
            kOfInfinity);
  std::array<double, kColumns> sums{};
  sums.fill(0.5);
  add_products({row.data(), columns.data(), row_exponents.data(), column_exponents.data(), kColumns,
                2, kLeastOfFloat, false},
               kAligned, sums.data());
  for (std::size_t j = 0; j < kColumns; ++j) {
    if (j == 1) {
      EXPECT_EQ(sums[j], infinity);
    } else if (j == 2) {
      EXPECT_TRUE(std::isnan(sums[j]));
    } else {
      EXPECT_EQ(sums[j], 0.5 + 2 * (1 + static_cast<double>(j)) + 3) << j;
    }
  }
}

}  // namespace
}  // namespace warpscope
