// tests/scenes/autoencoder_tensor_test.cpp: what convolutions on tensor cores execute beside what
// they are asked for.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "scenes/autoencoder/autoencoder.h"
#include "scenes/autoencoder/shapes.h"
#include "scenes/autoencoder/step/tensor_product.h"

namespace warpscope {
namespace {

Workload workload_at(const Scene& scene, const std::map<std::string, std::string>& changes) {
  const auto axes = with_values(scene.axes, default_configuration(scene.axes), changes);
  EXPECT_TRUE(axes) << sentence(axes.error());
  return {*axes, {}};
}

double term(const Scene& scene, const char* variant, const char* id, const Workload& w) {
  for (const WorkTerm& each : scene.work_terms) {
    if (each.id == id) return evaluate(each, w, *find_variant(scene, variant)).value_or(-1);
  }
  return -1;
}

TEST(AutoencoderTensor, LayersThatFillTheirTilesExecuteWhatTheyAreAskedFor) {
  const Scene scene = autoencoder_scene();
  for (const char* layer : {"Conv2", "Conv3", "Conv4"}) {
    for (const char* direction : {"forward", "dgrad", "wgrad"}) {
      const Workload w = workload_at(scene, {{"layer", layer}, {"direction", direction}});
      for (const char* variant : {"implicit_gemm_tf32", "implicit_gemm_bf16"})
        EXPECT_EQ(term(scene, variant, "model.executed_flops", w),
                  term(scene, variant, "model.flops", w))
            << variant << " " << layer << " " << direction;
      EXPECT_EQ(term(scene, "implicit_gemm_tf32x3", "model.executed_flops", w),
                3 * term(scene, "implicit_gemm_tf32x3", "model.flops", w))
          << layer << " " << direction;
    }
  }
}

// Three channels of 32 or 64 of a slice; three outputs of 64 of a tile; in wgrad three of 128.
TEST(AutoencoderTensor, BothEndsOfTheNetworkExecuteWhatFillsTheirTiles) {
  const Scene scene = autoencoder_scene();
  const auto ratio = [&](const char* variant, const char* layer, const char* direction) {
    const Workload w = workload_at(scene, {{"layer", layer}, {"direction", direction}});
    return term(scene, variant, "model.executed_flops", w) / term(scene, variant, "model.flops", w);
  };
  EXPECT_DOUBLE_EQ(ratio("implicit_gemm_tf32", "Conv1", "forward"), 32.0 / 3);
  EXPECT_DOUBLE_EQ(ratio("implicit_gemm_bf16", "Conv1", "forward"), 64.0 / 3);
  EXPECT_DOUBLE_EQ(ratio("implicit_gemm_tf32", "Conv5", "forward"), 64.0 / 3);
  EXPECT_DOUBLE_EQ(ratio("implicit_gemm_tf32", "Conv5", "dgrad"), 32.0 / 3);
  EXPECT_DOUBLE_EQ(ratio("implicit_gemm_bf16", "Conv5", "wgrad"), 128.0 / 3);
}

// Pixels beyond the map: a side of 9 takes two boxes of 8 columns, and one of 16 rows.
TEST(AutoencoderTensor, ARaggedSideExecutesTheBoxesThatCoverIt) {
  const Scene scene = autoencoder_scene();
  const Workload w =
      workload_at(scene, {{"layer", "Conv1"}, {"batch", "1"}, {"size", "9"}, {"channels", "64"}});
  EXPECT_DOUBLE_EQ(term(scene, "implicit_gemm_tf32", "model.executed_flops", w),
                   2.0 * (2 * 8 * 16) * 64 * (9 * 32));
}

const char* const kSteps[] = {"step_fused_tf32x3", "step_fused_tf32", "step_fused_bf16"};

// 66.14 GFLOP, less 5/9 of Conv4's and Conv5's and three quarters of Conv1's weight gradient.
TEST(AutoencoderTensor, AFusedStepMultipliesWhatIsLeftBehindFoldedUpsamplings) {
  const Scene scene = autoencoder_scene();
  const Workload w = workload_at(scene, {{"part", "step"}});
  for (const char* name : kSteps) {
    const double asked = term(scene, name, "model.flops", w);
    EXPECT_NEAR(asked / 1e9, 48.52 - 0.906 * 3 / 4, 0.01) << name;
    // Slices of 32 that a product of 27 or 48 fills in part, tiles of 64 and 128 outputs for 48.
    const double executed = term(scene, name, "model.executed_flops", w);
    EXPECT_GT(executed, asked) << name;
    EXPECT_LT(executed, 1.15 * asked * (name == kSteps[0] ? 3 : 1)) << name;
  }
}

TEST(AutoencoderTensor, AFusedStepIsNineteenKernelsInAGraph) {
  const Scene scene = autoencoder_scene();
  const Workload w = workload_at(scene, {{"part", "step"}});
  for (const char* name : kSteps) {
    const Variant& variant = *find_variant(scene, name);
    ASSERT_TRUE(variant.submission);
    EXPECT_EQ(variant.submission(w.axes), Submission::graph);
    const std::vector<Step> steps = variant.steps(w);
    EXPECT_EQ(steps.size(), 19u);
    std::map<std::string, int> phases;
    std::set<std::string> names;
    for (const Step& step : steps) {
      EXPECT_TRUE(std::holds_alternative<KernelLaunch>(step.action)) << step.name;
      EXPECT_TRUE(names.insert(step.name).second) << step.name;
      ++phases[step.tags.at("phase")];
    }
    EXPECT_EQ(phases, (std::map<std::string, int>{
                          {"forward", 9}, {"dgrad", 4}, {"wgrad", 5}, {"update", 1}}));
  }
}

// Conv3's 32 tiles become 128 blocks of clusters; Conv2 has as many tiles.
TEST(AutoencoderTensor, FewTilesAreSharedOutToClusters) {
  autoencoder::TensorProduct p;
  p.from = {"x", 64, 8, 128};
  p.side = 8, p.out = p.pitch = 128;
  const KernelLaunch few = tensor_product(p);
  EXPECT_EQ(few.launch.grid, (Dim3{32, 1, 4}));
  EXPECT_EQ(few.launch.cluster, (Dim3{1, 1, 4}));
  p.from = {"x", 64, 16, 256};
  p.side = 16;
  EXPECT_EQ(tensor_product(p).launch.grid, (Dim3{128, 1, 1}));
}

// What a block keeps of both parts leaves no room for a second one beside it.
TEST(AutoencoderTensor, FactorsInTwoPartsHaveTwiceTheChannelsAndHalfTheBlocks) {
  autoencoder::TensorProduct p;
  p.from = {"x", 64, 16, 256};
  p.side = 16, p.out = p.pitch = 128;
  p.type = autoencoder::TensorType::tf32x3;
  const KernelLaunch two = tensor_product(p);
  EXPECT_GE(two.launch.dynamic_shared_bytes, 3 * 2 * (128 + 128) * 128) << "three stages";
  EXPECT_LE(two.launch.dynamic_shared_bytes, 227 << 10);
  EXPECT_EQ(std::get<TensorMapArgument>(two.arguments.at(0)).extents.at(0), 2 * 256);
  EXPECT_EQ(std::get<TensorMapArgument>(two.arguments.at(1)).extents.at(0), 2 * 256);
  autoencoder::TensorShares s;
  s.type = p.type;
  s.dy = {"dy", 64, 16, 128};
  s.x = {"x", 64, 16, 256};
  s.out = 128, s.in = 256;
  EXPECT_EQ(s.count(), 132 / 18);
  EXPECT_LE(tensor_shares(s).launch.dynamic_shared_bytes, 227 << 10);
}

TEST(AutoencoderTensor, SharesFillADeviceAndNoShareIsEmpty) {
  autoencoder::TensorShares s;
  s.dy = {"dy", 64, 16, 128};
  s.x = {"x", 64, 16, 256};
  s.out = 128, s.in = 256;
  EXPECT_EQ(s.count(), 2 * 132 / 18);
  for (const std::int64_t sharing : {2, 4}) {
    s.sharing = sharing;
    EXPECT_EQ(s.blocks(), 14 / sharing * sharing);
    EXPECT_EQ(s.count(), 14 / sharing);
    EXPECT_EQ(tensor_shares(s).launch.cluster, (Dim3{1, 1, sharing}));
  }
  s.sharing = 1;
  s.x.images = s.dy.images = 1;
  s.x.side = s.dy.side = 8;  // two boxes of 8 columns and 4 rows
  EXPECT_EQ(s.count(), 2);
  s.sharing = 4;  // two of its blocks have no box
  EXPECT_EQ(s.blocks(), 4);
  EXPECT_EQ(s.count(), 1);
}

}  // namespace
}  // namespace warpscope
