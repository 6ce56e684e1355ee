// tests/scenes/autoencoder_tensor_test.cpp: what convolutions on tensor cores execute beside what
// they are asked for.
#include <gtest/gtest.h>

#include "scenes/autoencoder/autoencoder.h"
#include "scenes/autoencoder/shapes.h"
#include "scenes/autoencoder/tensor_product.h"

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

TEST(AutoencoderTensor, SharesFillADeviceAndNoShareIsEmpty) {
  autoencoder::TensorShares s;
  s.dy = {"dy", 64, 16, 128};
  s.x = {"x", 64, 16, 256};
  s.out = 128, s.in = 256;
  EXPECT_EQ(s.count(), 2 * 132 / 18);
  s.x.images = s.dy.images = 1;
  s.x.side = s.dy.side = 8;  // two boxes of 8 columns and 4 rows
  EXPECT_EQ(s.count(), 2);
}

}  // namespace
}  // namespace warpscope
