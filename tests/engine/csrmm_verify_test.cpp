// tests/engine/csrmm_verify_test.cpp: csrmm's own kernels at widths and rows that are hard on them.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <tuple>

#include "profiling/engine/run/emulated/emulated_stage.h"
#include "scenes/base/texts/code_id.h"
#include "scenes/catalogue.h"

namespace warpscope {
namespace {

using Changes = std::map<std::string, std::string>;

// Checks every variant that is not a library, at these axes: no fault, and the reference's values.
// Returns the names of those that could run.
std::set<std::string> verify_all(EmulatedStage& stage, const Scene& scene, const Changes& changes) {
  std::set<std::string> verified;
  const Result<Configuration> axes =
      with_values(scene.axes, with_defaults(scene.axes, {}), changes);
  if (!axes) {
    ADD_FAILURE() << sentence(axes.error());
    return verified;
  }
  const std::string place = problem_key(scene.axes, *axes);
  if (const Result<void> set = stage.set(scene, *axes); !set) {
    ADD_FAILURE() << place << ": " << sentence(set.error());
    return verified;
  }
  for (const Variant& variant : scene.variants) {
    if (!applies(variant, *axes) || calls_library(variant, stage.workload())) continue;
    if (unavailable(variant, stage.workload(), DeviceLimits{})) continue;
    EmulatedStage::View view;
    view.sums = false;
    const Result<EmulatedStage::Run> run = stage.run(variant, view);
    if (!run) {
      ADD_FAILURE() << place << " " << variant.name << ": " << sentence(run.error());
      continue;
    }
    for (const Fault& fault : run->faults)
      ADD_FAILURE() << place << " " << variant.name << ": " << fault.sentence;
    const Result<Verdict> verdict = stage.check(variant);
    if (!verdict) {
      ADD_FAILURE() << place << " " << variant.name << ": " << sentence(verdict.error());
      continue;
    }
    EXPECT_EQ(verdict->outcome, Outcome::correct)
        << place << " " << variant.name << ": " << verdict->sentence;
    EXPECT_GT(verdict->checked_elements, 0);
    verified.insert(variant.name);
  }
  return verified;
}

class CsrmmVerify : public ::testing::Test {
 protected:
  void SetUp() override {
    if (Result<std::string> version = nvrtc_version(); !version)
      GTEST_SKIP() << sentence(version.error());
    const Result<const Scene*> found = built_in_catalogue().find("csrmm");
    ASSERT_TRUE(found);
    scene_ = *found;
  }
  void verify(const Changes& changes, std::size_t at_least) {
    for (const char* op : {"NT", "T"}) {
      Changes with_op = changes;
      with_op["op"] = op;
      EXPECT_GE(verify_all(stage_, *scene_, with_op).size(), at_least) << op;
    }
  }
  const Scene* scene_ = nullptr;
  EmulatedStage stage_;
};

TEST_F(CsrmmVerify, OneColumnThreeColumnsAndOneBeyondAWarp) {
  for (const char* n : {"1", "3", "33"})
    verify({{"m", "70"}, {"k", "50"}, {"p", "0.1"}, {"n", n}}, 4);
}

TEST_F(CsrmmVerify, WidthsThatEndInsideAWarpOfFloat4Columns) {
  for (const char* n : {"4", "36", "132"})
    verify({{"m", "40"}, {"k", "60"}, {"p", "0.1"}, {"n", n}}, 4);
}

// Most rows have no entry, some have one: leading, inner and trailing rows are empty.
TEST_F(CsrmmVerify, EmptyRowsAndColumns) {
  for (const char* n : {"3", "32"})
    verify({{"m", "200"}, {"k", "300"}, {"p", "0.002"}, {"rows", "binomial"}, {"n", n}}, 4);
  verify({{"m", "5"}, {"k", "7"}, {"p", "0"}, {"n", "8"}}, 4);  // nnz = 0
}

// 1440 and 4900 entries in one row: three segments, several shares, several blocks of shares.
TEST_F(CsrmmVerify, OneHugeRowBetweenEmptyOnes) {
  for (const char* row : {"0", "17", "69"}) {
    verify({{"m", "70"},
            {"k", "70"},
            {"p", "1"},
            {"rows", "one_huge_row"},
            {"huge_row", row},
            {"n", "8"}},
           4);
  }
  verify({{"m", "60"}, {"k", "120"}, {"p", "0.2"}, {"rows", "one_huge_row"}, {"n", "33"}}, 4);
}

TEST_F(CsrmmVerify, PowerLawRowsOfBothWeights) {
  for (const char* weights : {"hetero", "homo"}) {
    verify({{"m", "150"},
            {"k", "700"},
            {"p", "0.04"},
            {"alpha", "1.5"},
            {"rows", "power_law"},
            {"weights", weights},
            {"n", "12"}},
           4);
  }
}

// 32 tiles through a ring of seven, the last strip of columns partly beyond B.
TEST_F(CsrmmVerify, TilesThatPassTheRingSeveralTimes) {
  for (const char* weights : {"hetero", "homo"}) {
    verify({{"m", "64"}, {"k", "2000"}, {"p", "0.05"}, {"weights", weights}, {"n", "36"}}, 4);
  }
}

TEST_F(CsrmmVerify, ZerosOfBInWholeStripsAndRows) {
  for (const char* zeros : {"strips", "rows"})
    verify({{"m", "60"}, {"k", "60"}, {"p", "0.1"}, {"zeros", zeros}, {"n", "72"}}, 4);
}

TEST_F(CsrmmVerify, SixteenBitStorageOfEveryWidth) {
  for (const char* type : {"f16", "bf16"}) {
    for (const char* n : {"1", "8", "36", "264"}) {
      for (const char* weights : {"hetero", "homo"}) {
        verify({{"m", "40"},
                {"k", "60"},
                {"p", "0.2"},
                {"dtype", type},
                {"weights", weights},
                {"n", n}},
               1);
      }
    }
  }
}

// Edges of the tensor cores' tiles: 16 rows, 32 columns of A, 8 columns of B.
TEST_F(CsrmmVerify, OneWeightWithoutDuplicates) {
  const std::map<std::string, std::string> base = {
      {"p", "0.2"}, {"weights", "homo"}, {"duplicates", "off"}, {"db", "1"}};
  for (const auto& [m, k, n] : {std::tuple{"1", "1", "1"}, std::tuple{"33", "31", "9"},
                                std::tuple{"130", "97", "72"}, std::tuple{"16", "64", "64"}}) {
    Changes changes = base;
    changes.insert({{"m", m}, {"k", k}, {"n", n}});
    const std::set<std::string> verified = verify_all(stage_, *scene_, changes);
    for (const char* variant :
         {"bitmap_tensor_cores", "bitmap_tensor_cores_2", "bitmap_tensor_cores_3"})
      EXPECT_EQ(verified.count(variant), 1u) << variant << " at m = " << m;
  }
}

}  // namespace
}  // namespace warpscope
