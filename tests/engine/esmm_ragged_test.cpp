// tests/engine/esmm_ragged_test.cpp: rows of `esmm` that take every size, at sizes that are not
// whole tiles, on the emulator.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "profiling/engine/run/emulated/emulated_stage.h"
#include "scenes/base/texts/code_id.h"
#include "scenes/esmm/esmm.h"
#include "tests/engine/staged_scene.h"

namespace warpscope {
namespace {

// Runs the variants and gives the names of those that ran and were right.
std::set<std::string> right_at(const Changes& changes, const std::vector<std::string>& variants) {
  const Scene scene = esmm_scene();
  std::set<std::string> right;
  for (const std::string& name : variants) {
    const Variant& variant = *find_variant(scene, name);
    const auto axes = with_values(scene.axes, default_configuration(scene.axes), changes);
    EXPECT_TRUE(axes) << sentence(axes.error());
    const Configuration own = for_variant(scene.axes, *axes, name);
    const std::string place = name + " at " + configuration_key(scene.axes, own, name);
    EmulatedStage stage;
    const Result<void> set = stage.set(scene, own);
    EXPECT_TRUE(set) << place << ": " << sentence(set.error());
    if (unavailable(variant, stage.workload(), DeviceLimits{})) continue;
    EmulatedStage::View view;
    view.sums = false;
    const auto run = stage.run(variant, view);
    EXPECT_TRUE(run) << place << ": " << sentence(run.error());
    if (!run) continue;
    for (const Fault& fault : run->faults) ADD_FAILURE() << place << ": " << fault.sentence;
    const Result<Verdict> verdict = stage.check(variant);
    EXPECT_TRUE(verdict) << place << ": " << sentence(verdict.error());
    if (!verdict) continue;
    EXPECT_EQ(verdict->outcome, Outcome::correct) << place << ": " << verdict->sentence;
    EXPECT_GT(verdict->checked_elements, 0);
    right.insert(name);
  }
  return right;
}

using EsmmRagged = CompilingTest;

const std::vector<std::string> kFp32 = {"joint_bk32", "joint_vec", "joint_rows", "persist"};
const std::vector<std::string> kAll = {"joint_bk32", "joint_vec",  "joint_rows",
                                       "persist",    "tf32_wgmma", "bf16_wgmma"};
const std::set<std::string> kEveryName(kAll.begin(), kAll.end());

TEST_F(EsmmRagged, RowsOfWordsAreRightAtPartsOfTiles) {
  for (const char* zeros : {"blockwise", "unstructured", "causal"}) {
    // In whole pieces of 16 bytes, of bfloat16 too: every row runs.
    EXPECT_EQ(right_at({{"m", "70"}, {"n", "136"}, {"k", "200"}, {"a_zeros", zeros}}, kAll),
              kEveryName);
    // In single words.
    EXPECT_EQ(right_at({{"m", "130"}, {"n", "67"}, {"k", "45"}, {"a_zeros", zeros}}, kFp32).size(),
              kFp32.size());
  }
  for (const char* size : {"1", "8", "32", "33"})
    EXPECT_EQ(right_at({{"m", size}, {"n", size}, {"k", size}}, kFp32).size(), kFp32.size());
  EXPECT_EQ(right_at({{"m", "1"}, {"n", "8"}, {"k", "8"}}, kAll), kEveryName);
}

// More words than one list holds: 256, of tf32_wgmma 128, of bf16_wgmma 1024.
TEST_F(EsmmRagged, RowsOfWordsAreRightWhereOneListIsNotEnough) {
  EXPECT_EQ(right_at({{"m", "33"}, {"n", "40"}, {"k", "8360"}}, kAll), kEveryName);
  EXPECT_EQ(right_at({{"m", "8"}, {"n", "8"}, {"k", "32840"}}, {"bf16_wgmma"}).size(), 1u);
  // A part of the words, and none of them.
  for (const char* d : {"0.02", "0"})
    EXPECT_EQ(right_at({{"m", "64"}, {"n", "64"}, {"k", "8200"}, {"da", d}, {"db", d}}, kAll),
              kEveryName);
}

TEST_F(EsmmRagged, EveryFormOfARowIsRight) {
  const Changes at = {{"m", "130"}, {"n", "140"}, {"k", "324"}};
  for (const auto& [axis, value, variants] :
       {std::tuple<const char*, const char*, std::vector<std::string>>{
            "vec_rows", "64", {"joint_vec"}},
        {"stages", "3", {"joint_bk32", "joint_rows", "persist"}}}) {
    Changes changes = at;
    changes[axis] = value;
    EXPECT_EQ(right_at(changes, variants).size(), variants.size()) << axis;
    changes["n"] = "139";
    changes["k"] = "323";
    EXPECT_EQ(right_at(changes, variants).size(), variants.size()) << axis;
  }
}

// Tiles of unequal work, more than blocks that stay: the queue hands out the rest.
TEST_F(EsmmRagged, BlocksThatStayTakeEveryTile) {
  EXPECT_EQ(
      right_at({{"m", "1600"}, {"n", "1540"}, {"k", "72"}, {"a_zeros", "causal"}}, {"persist"})
          .size(),
      1u);
}

// All of B is prepared before, and a part of it again.
TEST_F(EsmmRagged, ProductsThatShareAPreparationOfBAreRight) {
  const std::vector<std::string> variants = {"ab_fine",     "transposed_b", "k_major_b",
                                             "joint_table", "joint_rows",   "class_lists",
                                             "tf32_wgmma",  "bf16_wgmma"};
  for (const char* reuse : {"3", "1000"})
    EXPECT_EQ(right_at({{"m", "128"}, {"n", "256"}, {"k", "64"}, {"reuse", reuse}}, variants),
              std::set<std::string>(variants.begin(), variants.end()));
}

}  // namespace
}  // namespace warpscope
