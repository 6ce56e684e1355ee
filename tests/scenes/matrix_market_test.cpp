// tests/scenes/matrix_market_test.cpp: every kind of Matrix Market file is read right or refused
// with its line.
#include "scenes/host/matrix_market.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/folders.h"

namespace warpscope {
namespace {

using Dense = std::map<std::pair<int, int>, double>;  // (row, column) → sum of entries

Dense dense(const SparseMatrix& matrix) {
  Dense sums;
  for (std::size_t row = 0; row + 1 < matrix.indptr.size(); ++row) {
    for (auto j = static_cast<std::size_t>(matrix.indptr[row]);
         j < static_cast<std::size_t>(matrix.indptr[row + 1]); ++j) {
      sums[{static_cast<int>(row), matrix.indices[j]}] += static_cast<double>(matrix.values[j]);
    }
  }
  return sums;
}

struct Good {
  const char* name;
  std::string text;
  ComplexAs complex;
  std::int64_t rows, columns, nnz;
  Dense entries;
};

std::vector<Good> good_files() {
  const auto none = ComplexAs::refuse;
  const std::string banner = "%%MatrixMarket matrix ";
  return {
      {"real general",
       banner + "coordinate real general\n2 3 2\n1 3 1.5\n2 1 -2\n",
       none,
       2,
       3,
       2,
       {{{0, 2}, 1.5}, {{1, 0}, -2}}},
      {"double, any case, CRLF, comments and blank lines anywhere, leading blanks",
       "%%matrixmarket MATRIX Coordinate Double GENERAL\r\n% c\r\n\r\n 2 2 2\r\n%x\r\n\t1 1 3\r\n"
       "\r\n  2 2 4\r\n%end\r\n",
       none,
       2,
       2,
       2,
       {{{0, 0}, 3}, {{1, 1}, 4}}},
      {"Fortran exponents and plus signs",
       banner + "coordinate real general\n1 3 3\n1 1 1.5D+1\n1 2 2d-1\n1 3 +7e0\n",
       none,
       1,
       3,
       3,
       {{{0, 0}, 15}, {{0, 1}, static_cast<double>(0.2f)}, {{0, 2}, 7}}},
      {"duplicates add up",
       banner + "coordinate real general\n1 1 2\n1 1 1\n1 1 2\n",
       none,
       1,
       1,
       2,
       {{{0, 0}, 3}}},
      {"integer",
       banner + "coordinate integer general\n2 2 1\n2 1 -9\n",
       none,
       2,
       2,
       1,
       {{{1, 0}, -9}}},
      {"unsigned-integer",
       banner + "coordinate unsigned-integer general\n2 2 1\n2 1 9\n",
       none,
       2,
       2,
       1,
       {{{1, 0}, 9}}},
      {"pattern",
       banner + "coordinate pattern general\n2 2 1\n1 2\n",
       none,
       2,
       2,
       1,
       {{{0, 1}, 1}}},
      {"symmetric",
       banner + "coordinate real symmetric\n2 2 2\n1 1 5\n2 1 6\n",
       none,
       2,
       2,
       3,
       {{{0, 0}, 5}, {{0, 1}, 6}, {{1, 0}, 6}}},
      {"skew-symmetric",
       banner + "coordinate real skew-symmetric\n2 2 1\n2 1 6\n",
       none,
       2,
       2,
       2,
       {{{0, 1}, -6}, {{1, 0}, 6}}},
      {"complex by real part",
       banner + "coordinate complex general\n1 1 1\n1 1 3 -4\n",
       ComplexAs::real_part,
       1,
       1,
       1,
       {{{0, 0}, 3}}},
      {"complex by magnitude",
       banner + "coordinate complex general\n1 1 1\n1 1 3 -4\n",
       ComplexAs::magnitude,
       1,
       1,
       1,
       {{{0, 0}, 5}}},
      {"hermitian by real part",
       banner + "coordinate complex hermitian\n2 2 1\n2 1 3 -4\n",
       ComplexAs::real_part,
       2,
       2,
       2,
       {{{0, 1}, 3}, {{1, 0}, 3}}},
      {"magnitudes of a skew-symmetric matrix are not negative",
       banner + "coordinate complex skew-symmetric\n2 2 1\n2 1 3 4\n",
       ComplexAs::magnitude,
       2,
       2,
       2,
       {{{0, 1}, 5}, {{1, 0}, 5}}},
      {"array by columns, zeros dropped",
       banner + "array real general\n2 2\n1\n0\n3\n4\n",
       none,
       2,
       2,
       3,
       {{{0, 0}, 1}, {{0, 1}, 3}, {{1, 1}, 4}}},
      {"array symmetric holds the lower triangle",
       banner + "array real symmetric\n2 2\n1\n2\n3\n",
       none,
       2,
       2,
       4,
       {{{0, 0}, 1}, {{0, 1}, 2}, {{1, 0}, 2}, {{1, 1}, 3}}},
      {"array skew-symmetric holds the strictly lower triangle",
       banner + "array real skew-symmetric\n3 3\n1\n2\n3\n",
       none,
       3,
       3,
       6,
       {{{1, 0}, 1}, {{0, 1}, -1}, {{2, 0}, 2}, {{0, 2}, -2}, {{2, 1}, 3}, {{1, 2}, -3}}},
      {"no entries", banner + "coordinate real general\n4 3 0\n", none, 4, 3, 0, {}},
      {"no rows", banner + "coordinate real general\n0 3 0\n", none, 0, 3, 0, {}},
      {"a value too small for a double is zero",
       banner + "coordinate real general\n1 1 1\n1 1 1e-999\n",
       none,
       1,
       1,
       1,
       {{{0, 0}, 0}}},
  };
}

TEST(MatrixMarket, ReadsEveryFieldAndSymmetry) {
  for (const Good& good : good_files()) {
    const auto matrix = parse_matrix_market(good.text, "good.mtx", {good.complex});
    ASSERT_TRUE(matrix) << good.name << ": " << sentence(matrix.error());
    EXPECT_EQ(matrix->rows, good.rows) << good.name;
    EXPECT_EQ(matrix->columns, good.columns) << good.name;
    EXPECT_EQ(static_cast<std::int64_t>(matrix->indices.size()), good.nnz) << good.name;
    EXPECT_EQ(dense(*matrix), good.entries) << good.name;
    EXPECT_TRUE(matrix->warnings.empty()) << good.name;
  }
}

struct Bad {
  const char* name;
  std::string text;
  int line;
  const char* says;
};

std::vector<Bad> bad_files() {
  const std::string real = "%%MatrixMarket matrix coordinate real general\n";
  const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
  const std::string banner = "%%MatrixMarket matrix ";
  return {
      {"empty file", "", 0, "empty"},
      {"no banner", "1 1 1\n", 1, "banner"},
      {"object is not a matrix", "%%MatrixMarket vector coordinate real general\n", 1, "banner"},
      {"short banner", "%%MatrixMarket matrix coordinate real\n", 1, "banner"},
      {"unknown format", banner + "list real general\n", 1, "list"},
      {"unknown field", banner + "coordinate quaternion general\n", 1, "quaternion"},
      {"unknown symmetry", banner + "coordinate real triangular\n", 1, "triangular"},
      {"array of a pattern", banner + "array pattern general\n", 1, "pattern"},
      {"hermitian but real", banner + "coordinate real hermitian\n", 1, "hermitian"},
      {"complex without a choice", banner + "coordinate complex general\n", 1, "magnitude"},
      {"gzip", std::string("\x1f\x8b\x08\x00", 4), 0, "compressed"},
      {"no size line", real, 1, "truncated"},
      {"short size line", real + "3 3\n", 2, "instead of 3"},
      {"size is no number", real + "3 x 1\n", 2, "not a whole number"},
      {"size overflows 64 bits", real + "99999999999999999999 1 1\n", 2, "overflows"},
      {"size overflows 32 bits", real + "4000000000 1 1\n", 2, "32-bit"},
      {"negative size", real + "-1 1 1\n", 2, "negative"},
      {"not square", symmetric + "2 3 0\n", 2, "square"},
      {"more entries than the file has bytes", real + "9 9 4000000\n1 1 1\n", 2, "bytes"},
      {"more rows than the file has bytes", real + "2000000000 1 1\n1 1 1\n", 2, "rows"},
      {"row 0", real + "% c\n2 2 1\n0 1 1\n", 4, "start at 1"},
      {"column 0", real + "2 2 1\n1 0 1\n", 3, "start at 1"},
      {"row over the size", real + "2 2 1\n3 1 1\n", 3, "row 3 is outside 1 to 2"},
      {"column over the size", real + "2 2 1\n1 7 1\n", 3, "column 7 is outside 1 to 2"},
      {"too few entries", real + "2 2 3\n1 1 1\n2 2 1\n", 4, "after 2 of 3"},
      {"too many entries", real + "2 2 1\n1 1 1\n2 2 1\n", 4, "more entries"},
      {"bad number", real + "2 2 1\n1 1 1.5x\n", 3, "1.5x"},
      {"two signs", real + "2 2 1\n1 1 +-5\n", 3, "+-5"},
      {"bad index", real + "2 2 1\n1 1.0 1\n", 3, "1.0"},
      {"no value", real + "2 2 1\n1 1\n", 3, "2 words instead of 3"},
      {"not a number", real + "2 2 1\n1 1 nan\n", 3, "not finite"},
      {"infinite", real + "2 2 1\n1 1 -inf\n", 3, "not finite"},
      {"too large for a double", real + "2 2 1\n1 1 1e999\n", 3, "does not fit"},
      {"too large for a float", real + "2 2 1\n1 1 1e39\n", 3, "does not fit"},
      {"diagonal of a skew-symmetric matrix",
       banner + "coordinate real skew-symmetric\n2 2 1\n2 2 1\n", 3, "diagonal"},
      {"both triangles", symmetric + "2 2 2\n2 1 1\n1 2 1\n", 4, "lines 3 and 4"},
      {"array too short", banner + "array real general\n2 2\n1\n2\n3\n", 5, "after 3 of 4"},
      {"array too long", banner + "array real general\n1 1\n1\n2\n", 4, "more values"},
      {"array of two words", banner + "array real general\n1 1\n1 2\n", 3, "2 words"},
  };
}

TEST(MatrixMarket, RefusesEveryBrokenFileNamingLineAndCause) {
  for (const Bad& bad : bad_files()) {
    const auto matrix = parse_matrix_market(bad.text, "bad.mtx");
    ASSERT_FALSE(matrix) << bad.name;
    const std::string text = sentence(matrix.error());
    EXPECT_EQ(matrix.error().kind, ErrorKind::input) << text;
    EXPECT_EQ(matrix.error().where, "bad.mtx:" + std::to_string(bad.line)) << bad.name;
    EXPECT_NE(text.find(bad.says), std::string::npos) << bad.name << ": " << text;
    EXPECT_FALSE(matrix.error().remedy.empty()) << bad.name;
  }
}

TEST(MatrixMarket, WarnsOfInexactIntegersAndOfTheUpperTriangle) {
  const auto large = parse_matrix_market(
      "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 16777217\n", "large.mtx");
  ASSERT_TRUE(large);
  ASSERT_EQ(large->warnings.size(), 1u);
  EXPECT_NE(large->warnings[0].find("not exact"), std::string::npos);
  const auto upper = parse_matrix_market(
      "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 4\n", "upper.mtx");
  ASSERT_TRUE(upper);
  ASSERT_EQ(upper->warnings.size(), 1u);
  EXPECT_NE(upper->warnings[0].find("above the diagonal"), std::string::npos);
  EXPECT_EQ(dense(*upper), (Dense{{{0, 1}, 4}, {{1, 0}, 4}}));
}

TEST(MatrixMarket, KeepsTheOrderOfTheFileWithinARow) {
  const auto matrix = parse_matrix_market(
      "%%MatrixMarket matrix coordinate pattern general\n2 9 4\n2 1\n1 9\n1 2\n1 5\n", "order.mtx");
  ASSERT_TRUE(matrix);
  EXPECT_EQ(matrix->indptr, (std::vector<std::int32_t>{0, 3, 4}));
  EXPECT_EQ(matrix->indices, (std::vector<std::int32_t>{8, 1, 4, 0}));
  EXPECT_TRUE(matrix->pattern);
}

TEST(MatrixMarket, SaysWhichFileIsMissing) {
  const auto missing = load_matrix_market("/nowhere/a.mtx");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::input);
  EXPECT_NE(sentence(missing.error()).find("/nowhere/a.mtx"), std::string::npos);
  ASSERT_FALSE(load_matrix_market(""));
  EXPECT_EQ(load_matrix_market("").error().kind, ErrorKind::usage);
}

std::filesystem::path samples() {
  const char* shared = std::getenv("WARPSCOPE_SHARED");
  const std::filesystem::path folder =
      shared != nullptr ? std::filesystem::path(shared) : source_folder() / ".." / "shared";
  return folder / "data" / "matrices";
}

// Counts of the stored entries and of those on the diagonal were taken with awk.
TEST(MatrixMarket, ReadsRealCollections) {
  struct Sample {
    const char* file;
    std::int64_t side, stored, diagonal;
    bool pattern;
  };
  for (const Sample& sample :
       {Sample{"karate.mtx", 34, 78, 0, true}, Sample{"ca-CondMat.mtx", 23133, 93497, 58, true},
        Sample{"bcsstk13.mtx", 2003, 42943, 2003, false}}) {
    const std::filesystem::path path = samples() / sample.file;
    if (!std::filesystem::exists(path)) {
      GTEST_SKIP() << path << " is not there; set WARPSCOPE_SHARED to the folder of samples";
    }
    const auto matrix = load_matrix_market(path);
    ASSERT_TRUE(matrix) << sentence(matrix.error());
    EXPECT_EQ(matrix->rows, sample.side);
    EXPECT_EQ(matrix->columns, sample.side);
    EXPECT_EQ(matrix->stored_entries, sample.stored);
    EXPECT_EQ(static_cast<std::int64_t>(matrix->indices.size()),
              2 * (sample.stored - sample.diagonal) + sample.diagonal);
    EXPECT_EQ(matrix->pattern, sample.pattern);
    const auto shape = read_matrix_market_shape(path);
    ASSERT_TRUE(shape) << sentence(shape.error());
    EXPECT_EQ(shape->rows, sample.side);
    EXPECT_EQ(shape->columns, sample.side);
    EXPECT_EQ(shape->most_entries, 2 * sample.stored);
  }
}

}  // namespace
}  // namespace warpscope
