// tests/scenes/csrmm_inputs_test.cpp: generated matrices are seeded, legal and of the promised
// shape.
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "scenes/csrmm/csrmm.h"
#include "scenes/csrmm/inputs/inputs.h"
#include "scenes/host/parallel.h"

namespace warpscope {
namespace {

using Changes = std::map<std::string, std::string>;
using Names = std::vector<std::string>;

struct Made {
  Configuration axes;
  Inputs inputs;
  Facts facts;
  std::span<const std::int32_t> indptr() const { return inputs.at("indptr").as<std::int32_t>(); }
  std::span<const std::int32_t> indices() const { return inputs.at("indices").as<std::int32_t>(); }
  std::span<const float> floats(const std::string& name) const {
    return inputs.at(name).as<float>();
  }
  std::int64_t fact(const std::string& name) const {
    return static_cast<std::int64_t>(facts.at(name));
  }
};

const Scene& scene() {
  static const Scene made = csrmm_scene();
  return made;
}

Configuration configured(const Changes& changes) {
  const auto axes = with_values(scene().axes, with_defaults(scene().axes, {}), changes);
  if (!axes) throw std::runtime_error(sentence(axes.error()));
  return *axes;
}

Made make(Changes changes) {
  changes.emplace("m", "500");
  changes.emplace("k", "400");
  changes.emplace("p", "0.05");
  changes.emplace("n", "40");
  Made made;
  made.axes = configured(changes);
  const auto groups = regenerate_inputs(scene(), nullptr, made.axes, made.inputs, made.facts);
  EXPECT_TRUE(groups) << sentence(groups.error());
  return made;
}

bool same(const HostArray& a, const HostArray& b) {
  return std::equal(a.bytes().begin(), a.bytes().end(), b.bytes().begin(), b.bytes().end());
}

const Names kDistributions = {"fixed",  "binomial",       "power_law",   "rmat",
                              "banded", "block_diagonal", "one_huge_row"};

TEST(CsrmmInputs, EveryDistributionIsLegalAndItsFactsAreTrue) {
  for (const std::string& rows : kDistributions) {
    const Made made = make({{"rows", rows}, {"huge_row", "123"}});
    const auto indptr = made.indptr(), indices = made.indices();
    const auto valid = csrmm::validate_csr(indptr, indices, 400);
    ASSERT_TRUE(valid) << rows << ": " << sentence(valid.error());
    ASSERT_EQ(indptr.size(), 501u);
    std::int64_t longest = 0, shortest = 1 << 30, duplicates = 0;
    std::vector<std::int32_t> counts(400, 0);
    for (std::size_t row = 0; row < 500; ++row) {
      const std::int64_t length = indptr[row + 1] - indptr[row];
      longest = std::max(longest, length);
      shortest = std::min(shortest, length);
      const std::set<std::int32_t> distinct(indices.begin() + indptr[row],
                                            indices.begin() + indptr[row + 1]);
      duplicates += length - static_cast<std::int64_t>(distinct.size());
    }
    for (const std::int32_t column : indices) ++counts[static_cast<std::size_t>(column)];
    EXPECT_EQ(made.fact("nnz"), static_cast<std::int64_t>(indices.size())) << rows;
    EXPECT_DOUBLE_EQ(made.facts.at("mean_row"), static_cast<double>(indices.size()) / 500) << rows;
    EXPECT_EQ(made.fact("longest_row"), longest) << rows;
    EXPECT_EQ(made.fact("shortest_row"), shortest) << rows;
    EXPECT_EQ(made.fact("duplicates"), duplicates) << rows;
    EXPECT_EQ(made.fact("longest_column"), *std::max_element(counts.begin(), counts.end())) << rows;
    EXPECT_EQ(made.fact("distinct_columns"), 400 - std::count(counts.begin(), counts.end(), 0));
    const auto stored = made.inputs.at("column_counts").as<std::int32_t>();
    EXPECT_TRUE(std::equal(counts.begin(), counts.end(), stored.begin(), stored.end())) << rows;
    EXPECT_EQ(made.inputs.at("weights").count(), made.fact("nnz")) << rows;
    EXPECT_LE(made.facts.at("nnz"), 1.05 * csrmm::expected_entries(made.axes)) << rows;
  }
}

TEST(CsrmmInputs, FixedRowsHaveExactlyTheFloorOfKTimesP) {
  struct Case {
    const char *k, *p;
    std::int64_t length;
  };
  // 100 · 0.29 is 28.999999999999996 in doubles: the specification adds 1e-6 before the floor.
  for (const Case& c : {Case{"100", "0.1", 10}, Case{"100", "0.29", 29}, Case{"150", "0.019", 2},
                        Case{"10", "0.05", 0}, Case{"64", "1", 64}}) {
    const Made made = make({{"m", "70"}, {"k", c.k}, {"p", c.p}});
    EXPECT_EQ(made.fact("nnz"), 70 * c.length);
    EXPECT_EQ(made.fact("longest_row"), c.length);
    EXPECT_EQ(made.fact("shortest_row"), c.length);
  }
}

TEST(CsrmmInputs, SlicesOf32RowsArePaddedToTheirLongestRow) {
  // 70 equal rows are three slices, the last of them padded with 26 empty rows.
  EXPECT_EQ(make({{"m", "70"}, {"k", "100"}, {"p", "0.1"}}).fact("sell_entries"), 3 * 32 * 10);
  // The one row that has entries pads 31 others, wherever it lies.
  for (const char* row : {"0", "123", "499"}) {
    const Made huge = make({{"rows", "one_huge_row"}, {"huge_row", row}});
    EXPECT_EQ(huge.fact("sell_entries"), 32 * huge.fact("nnz")) << row;
  }
  for (const std::string& rows : kDistributions) {
    const Made made = make({{"rows", rows}});
    EXPECT_GE(made.fact("sell_entries"), made.fact("nnz")) << rows;
    EXPECT_LE(made.fact("sell_entries"), 512 * made.fact("longest_row")) << rows;
  }
}

TEST(CsrmmInputs, FixedRowsDrawWithReplacementAndUnsorted) {
  const Made made = make({{"m", "2000"}, {"k", "1000"}, {"p", "0.2"}});
  // 200 draws from 1000 columns give 1000·(1 − 0.999²⁰⁰) = 181.35 distinct ones.
  const double distinct = 200 - made.facts.at("duplicates") / 2000;
  EXPECT_NEAR(distinct, 1000 * (1 - std::pow(0.999, 200)), 0.5);
  EXPECT_FALSE(std::is_sorted(made.indices().begin(), made.indices().begin() + 200));
}

TEST(CsrmmInputs, BinomialRowsHaveTheirMeanAndVariance) {
  // Short rows are counted by gaps, long rows drawn from the normal approximation.
  for (const auto& [k, p] : {std::pair{"400", "0.05"}, std::pair{"20000", "0.05"}}) {
    const Made made = make({{"m", "4000"}, {"k", k}, {"p", p}, {"rows", "binomial"}});
    const double mean = std::stod(k) * 0.05, variance = mean * 0.95;
    EXPECT_NEAR(made.facts.at("mean_row"), mean, 5 * std::sqrt(variance / 4000));
    double squares = 0;
    for (std::size_t row = 0; row < 4000; ++row) {
      const double off = made.indptr()[row + 1] - made.indptr()[row] - mean;
      squares += off * off;
    }
    EXPECT_NEAR(squares / 4000, variance, 5 * variance * std::sqrt(2.0 / 4000));
  }
}

TEST(CsrmmInputs, BinomialTakesTheEndsOfItsDensity) {
  EXPECT_EQ(make({{"rows", "binomial"}, {"p", "0"}}).fact("nnz"), 0);
  EXPECT_EQ(make({{"rows", "binomial"}, {"p", "1e-300"}}).fact("nnz"), 0);
  EXPECT_EQ(make({{"rows", "binomial"}, {"p", "1"}}).fact("nnz"), 500 * 400);
}

TEST(CsrmmInputs, PowerLawRowsKeepTheMeanAndGrowATail) {
  for (const char* alpha : {"1.5", "2", "3"}) {
    const Made made = make(
        {{"m", "5000"}, {"k", "5000"}, {"p", "0.02"}, {"rows", "power_law"}, {"alpha", alpha}});
    EXPECT_NEAR(made.facts.at("mean_row"), 100, 1) << alpha;
    EXPECT_GT(made.fact("longest_row"), 1000) << alpha;
    EXPECT_LE(made.fact("longest_row"), 5000) << alpha;
  }
}

TEST(CsrmmInputs, RmatFillsAGridThatIsNoPowerOfTwoUnevenly) {
  const Made made = make({{"rows", "rmat"}, {"m", "700"}, {"k", "300"}});
  EXPECT_EQ(made.fact("nnz"), 700 * 15);
  EXPECT_GT(made.fact("longest_row"), 45);
  EXPECT_GT(made.fact("longest_column"), 3 * 35);
}

TEST(CsrmmInputs, RmatFillsTheQuadrantsOfItsGridByTheirShares) {
  const Made made = make({{"rows", "rmat"}, {"m", "512"}, {"k", "512"}, {"p", "0.1"}});
  double quadrants[2][2] = {};
  for (std::size_t row = 0; row < 512; ++row) {
    for (std::int32_t j = made.indptr()[row]; j < made.indptr()[row + 1]; ++j) {
      ++quadrants[row / 256][made.indices()[static_cast<std::size_t>(j)] / 256];
    }
  }
  const double shares[2][2] = {{0.57, 0.19}, {0.19, 0.05}}, nnz = made.facts.at("nnz");
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      const double share = shares[i][j];
      EXPECT_NEAR(quadrants[i][j] / nnz, share, 5 * std::sqrt(share * (1 - share) / nnz));
    }
  }
}

TEST(CsrmmInputs, BandsAndBlocksStayAtTheDiagonal) {
  for (const char* duplicates : {"on", "off"}) {
    const Made band = make({{"rows", "banded"}, {"w", "31"}, {"duplicates", duplicates}});
    const Made block = make({{"rows", "block_diagonal"}, {"b", "32"}, {"duplicates", duplicates}});
    for (std::int64_t row = 0; row < 500; ++row) {
      const auto at = static_cast<std::size_t>(row);
      for (std::int32_t j = band.indptr()[at]; j < band.indptr()[at + 1]; ++j) {
        const std::int64_t off = band.indices()[static_cast<std::size_t>(j)] - row * 400 / 500;
        ASSERT_LE(std::abs(off), row < 25 || row > 475 ? 31 : 15) << "row " << row;
      }
      for (std::int32_t j = block.indptr()[at]; j < block.indptr()[at + 1]; ++j) {
        ASSERT_EQ(block.indices()[static_cast<std::size_t>(j)] / 32, row / 32);
      }
    }
    if (std::string(duplicates) == "off") {
      EXPECT_EQ(band.fact("duplicates"), 0);
      EXPECT_EQ(block.fact("duplicates"), 0);
    }
    EXPECT_EQ(band.fact("longest_row"), 20);
    EXPECT_EQ(block.fact("longest_row"), 20);  // 32 columns filled at 0.05 · 400 / 32
  }
}

TEST(CsrmmInputs, OneHugeRowHoldsEverything) {
  const Made made = make({{"rows", "one_huge_row"}, {"huge_row", "7"}});
  EXPECT_EQ(made.indptr()[7], 0);
  EXPECT_EQ(made.indptr()[8], 500 * 20);
  EXPECT_EQ(made.fact("nnz"), 500 * 20);
  EXPECT_EQ(make({{"rows", "one_huge_row"}, {"huge_row", "90000"}}).indptr()[499], 0);
}

TEST(CsrmmInputs, SortedRowsWithoutDuplicatesAscendStrictly) {
  const Made made = make({{"p", "0.4"}, {"sorted", "on"}, {"duplicates", "off"}});
  const Made off = make({{"p", "0.4"}});
  EXPECT_EQ(made.fact("nnz"), off.fact("nnz"));
  EXPECT_GT(off.fact("duplicates"), 0);
  for (std::size_t row = 0; row < 500; ++row) {
    for (std::int32_t j = made.indptr()[row] + 1; j < made.indptr()[row + 1]; ++j) {
      ASSERT_LT(made.indices()[static_cast<std::size_t>(j) - 1],
                made.indices()[static_cast<std::size_t>(j)]);
    }
  }
}

TEST(CsrmmInputs, TheSameSeedGivesTheSameInputsAndAnotherSeedOthers) {
  for (const std::string& rows : kDistributions) {
    const Made first = make({{"rows", rows}}), again = make({{"rows", rows}});
    const Made other = make({{"rows", rows}, {"seed", "43"}});
    for (const char* name : {"indptr", "indices", "weights", "b"}) {
      EXPECT_TRUE(same(first.inputs.at(name), again.inputs.at(name))) << rows << " " << name;
    }
    for (const char* name : {"indices", "weights", "b"}) {
      EXPECT_FALSE(same(first.inputs.at(name), other.inputs.at(name))) << rows << " " << name;
    }
  }
}

TEST(CsrmmInputs, TheNumberOfThreadsChangesNothing) {
  for (const std::string& rows : kDistributions) {
    const Changes changes = {{"m", "3000"}, {"k", "2000"}, {"rows", rows}, {"duplicates", "off"}};
    const Made many = make(changes);
    Made one;
    std::thread([&] {  // on one core, parallel_for makes one piece
      cpu_set_t allowed, first;
      CPU_ZERO(&first);
      ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
      for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&first) == 0; ++cpu) {
        if (CPU_ISSET(cpu, &allowed)) CPU_SET(cpu, &first);
      }
      ASSERT_EQ(sched_setaffinity(0, sizeof first, &first), 0);
      int pieces = 0;
      parallel_for(1000, 1, [&](std::int64_t, std::int64_t) { ++pieces; });
      ASSERT_EQ(pieces, 1);
      one = make(changes);
    })
        .join();
    for (const auto& [name, array] : many.inputs) {
      EXPECT_TRUE(same(array, one.inputs.at(name))) << rows << " " << name;
    }
    EXPECT_EQ(many.facts, one.facts) << rows;
  }
}

TEST(CsrmmInputs, AMovedAxisMakesOnlyItsOwnInputsAnew) {
  struct Case {
    const char *axis, *value;
    Names groups;
  };
  const Names all = {"structure", "weights", "b"};
  for (const Case& c :
       {Case{"n", "41", {"b"}}, Case{"db", "0.5", {"b"}}, Case{"zeros", "rows", {"b"}},
        Case{"op", "T", {"b"}}, Case{"weights", "homo", {"weights"}},
        Case{"p", "0.06", {"structure", "weights"}}, Case{"seed", "1", all}, Case{"m", "501", all},
        Case{"unroll", "8", {}}, Case{"auto_threshold", "64", {}}}) {
    Made made = make({});
    const Made before = made;
    Configuration next = *with_values(scene().axes, made.axes, {{c.axis, c.value}});
    const auto groups = regenerate_inputs(scene(), &made.axes, next, made.inputs, made.facts);
    ASSERT_TRUE(groups);
    EXPECT_EQ(*groups, c.groups) << c.axis;
    const bool b_moves = std::find(c.groups.begin(), c.groups.end(), "b") != c.groups.end();
    EXPECT_TRUE(b_moves || same(made.inputs.at("b"), before.inputs.at("b"))) << c.axis;
  }
}

TEST(CsrmmInputs, WeightsAreNormalOrOneOne) {
  const Made hetero = make({{"m", "2000"}});
  double sum = 0, squares = 0;
  for (const float w : hetero.floats("weights")) {
    sum += static_cast<double>(w);
    squares += static_cast<double>(w) * static_cast<double>(w);
  }
  const double count = hetero.facts.at("nnz");
  EXPECT_NEAR(sum / count, 0, 5 / std::sqrt(count));
  EXPECT_NEAR(squares / count, 1, 5 * std::sqrt(2 / count));
  const Made homo = make({{"weights", "homo"}});
  ASSERT_EQ(homo.floats("weights").size(), 1u);
  EXPECT_EQ(homo.floats("weights")[0], 1.0f);
}

TEST(CsrmmInputs, BHasItsDensityShapeAndZeroPattern) {
  EXPECT_EQ(make({}).floats("b").size(), 400u * 40);
  EXPECT_EQ(make({{"op", "T"}}).floats("b").size(), 500u * 40);
  EXPECT_EQ(make({{"db", "0"}}).fact("b_nonzeros"), 0);
  EXPECT_EQ(make({{"db", "1"}}).fact("b_nonzeros"), 400 * 40);
  for (const auto& [zeros, width] :
       {std::pair{"iid", 1}, std::pair{"rows", 64}, std::pair{"strips", 32}}) {
    const Made made = make({{"n", "64"}, {"db", "0.3"}, {"zeros", zeros}});
    const auto b = made.floats("b");
    EXPECT_EQ(std::count_if(b.begin(), b.end(), [](float v) { return v != 0; }),
              made.fact("b_nonzeros"));
    std::int64_t full = 0;
    for (std::size_t i = 0; i < b.size(); i += static_cast<std::size_t>(width)) {
      for (std::size_t j = i; j < i + static_cast<std::size_t>(width); ++j) {
        ASSERT_EQ(b[j] != 0, b[i] != 0) << zeros;
      }
      full += b[i] != 0;
    }
    const double groups = static_cast<double>(b.size()) / width;
    EXPECT_NEAR(static_cast<double>(full) / groups, 0.3, 5 * std::sqrt(0.21 / groups)) << zeros;
  }
}

TEST(CsrmmInputs, EmptySizesMakeEmptyInputs) {
  for (const std::string& rows : kDistributions) {
    for (const char* axis : {"m", "k", "n"}) {
      Changes changes = {{"rows", rows}};
      changes[axis] = "0";
      const Made made = make(changes);
      EXPECT_TRUE(csrmm::validate_csr(made.indptr(), made.indices(), made.axes.integer("k")));
      EXPECT_EQ(made.fact("nnz") > 0, std::string(axis) == "n") << rows << " " << axis;
    }
  }
}

TEST(CsrmmInputs, TheValidatorRefusesRawArraysThatAreNoCsr) {
  using Ints = std::vector<std::int32_t>;
  struct Case {
    Ints indptr, indices;
    const char* says;
  };
  for (const Case& c : {Case{{}, {}, "start at 0"}, Case{{1, 2}, {0, 0}, "start at 0"},
                        Case{{0, 2, 1, 2}, {0, 1}, "fall after row 1"},
                        Case{{0, 1}, {0, 1}, "last row pointer is 1"},
                        Case{{0, 3}, {0, 1}, "last row pointer is 3"},
                        Case{{0, 2}, {0, -1}, "entry 1 has column -1"},
                        Case{{0, 2}, {3, 0}, "entry 0 has column 3"}}) {
    const auto result = csrmm::validate_csr(c.indptr, c.indices, 3);
    ASSERT_FALSE(result) << c.says;
    EXPECT_EQ(result.error().kind, ErrorKind::input);
    EXPECT_NE(result.error().what.find(c.says), std::string::npos) << result.error().what;
  }
  EXPECT_TRUE(csrmm::validate_csr(Ints{0, 0, 3}, Ints{2, 2, 0}, 3));
  EXPECT_TRUE(csrmm::validate_csr(Ints{0}, Ints{}, 0));
}

class CsrmmFile : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  Configuration written(const std::string& text, Changes changes = {}) {
    std::ofstream(path_, std::ios::binary) << text;
    changes["rows"] = "file";
    changes["file"] = path_.string();
    return configured(changes);
  }
  std::filesystem::path path_ = std::filesystem::path(testing::TempDir()) / "csrmm_inputs_test.mtx";
};

TEST_F(CsrmmFile, DecidesTheShapeAndTheWeights) {
  const auto axes = scene().settle(
      written("%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 5\n3 3 7\n"));
  ASSERT_TRUE(axes) << sentence(axes.error());
  EXPECT_EQ(axes->integer("m"), 3);
  EXPECT_EQ(axes->integer("k"), 3);
  Inputs inputs;
  Facts facts;
  ASSERT_TRUE(regenerate_inputs(scene(), nullptr, *axes, inputs, facts));
  const auto weights = inputs.at("weights").as<float>();
  EXPECT_EQ((std::vector<float>(weights.begin(), weights.end())), (std::vector<float>{5, 5, 7}));
  // A generated matrix afterwards has weights of its own again.
  Configuration next = *axes;
  next.set("rows", std::string("fixed"));
  next.set("p", 1.0);
  ASSERT_TRUE(regenerate_inputs(scene(), &*axes, next, inputs, facts));
  EXPECT_EQ(inputs.at("weights").count(), 9);
}

TEST_F(CsrmmFile, IsEstimatedByItsEntriesNotByTheDensityAxis) {
  // The density axis would mean 1.3 billion entries.
  const Result<Configuration> axes = scene().settle(
      written("%%MatrixMarket matrix coordinate real general\n65536 65536 1\n1 1 1\n",
              {{"p", "0.3"}, {"n", "1"}}));
  ASSERT_TRUE(axes) << sentence(axes.error());
  EXPECT_EQ(csrmm::expected_entries(*axes), 1);
  EXPECT_LT(scene().estimate_bytes(*axes), 20000000);
  EXPECT_TRUE(scene().admit(*axes));
}

TEST_F(CsrmmFile, OfAPatternTakesNormalWeights) {
  const auto axes = scene().settle(
      written("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n2 2\n"));
  Inputs inputs;
  Facts facts;
  ASSERT_TRUE(regenerate_inputs(scene(), nullptr, *axes, inputs, facts));
  const auto weights = inputs.at("weights").as<float>();
  ASSERT_EQ(weights.size(), 2u);
  EXPECT_NE(weights[0], 1.0f);
  EXPECT_NE(weights[0], weights[1]);
}

TEST_F(CsrmmFile, ThatIsBrokenLeavesTheLoadedMatrixAsItWas) {
  const Configuration axes =
      *scene().settle(written("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 8\n"));
  Inputs inputs;
  Facts facts;
  ASSERT_TRUE(regenerate_inputs(scene(), nullptr, axes, inputs, facts));
  const Inputs before = inputs;
  written("%%MatrixMarket matrix coordinate real general\n2 2 1\n0 1 8\n");
  const auto failed = csrmm::generate_structure(axes, inputs, facts);
  ASSERT_FALSE(failed);
  EXPECT_NE(sentence(failed.error()).find(":3: row 0 is outside"), std::string::npos);
  for (const auto& [name, array] : before) EXPECT_TRUE(same(array, inputs.at(name))) << name;
}

}  // namespace
}  // namespace warpscope
