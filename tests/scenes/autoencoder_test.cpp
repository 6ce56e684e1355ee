// tests/scenes/autoencoder_test.cpp: sizes, inputs, constraints and work model of `autoencoder`
// hold.
#include "scenes/autoencoder/autoencoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "scenes/autoencoder/inputs/images.h"
#include "scenes/autoencoder/inputs/inputs.h"
#include "scenes/autoencoder/shapes.h"
#include "scenes/autoencoder/steps/direct.h"
#include "scenes/base/element_inputs.h"

namespace warpscope {
namespace {

using namespace autoencoder;
using Changes = std::map<std::string, std::string>;

const Scene& scene() {
  static const Scene made = autoencoder_scene();
  return made;
}

Configuration configured(const Changes& changes) {
  const auto axes = with_values(scene().axes, with_defaults(scene().axes, {}), changes);
  EXPECT_TRUE(axes) << sentence(axes.error());
  return *axes;
}

Workload workload(const Changes& changes) { return {configured(changes), {}}; }

double term(const char* id, const Workload& w, const char* variant = "naive_nhwc") {
  for (const WorkTerm& row : scene().work_terms) {
    if (row.id == id) return evaluate(row, w, *find_variant(scene(), variant)).value();
  }
  ADD_FAILURE() << id;
  return 0;
}

std::vector<float> floats(const Changes& changes, const char* array) {
  const Workload w = workload(changes);
  Inputs inputs;
  Facts facts;
  EXPECT_TRUE(regenerate_inputs(scene(), nullptr, w.axes, inputs, facts));
  make_element_inputs(scene(), w, inputs);
  const auto values = inputs.at(array).as<float>();
  return {values.begin(), values.end()};
}

// Why a variant cannot run, or nothing.
std::string why_not(const char* variant, const Changes& changes, const DeviceLimits& device = {}) {
  return unavailable(*find_variant(scene(), variant), workload(changes), device).value_or("");
}

TEST(Autoencoder, HasTheParametersOfTheNetwork) {
  const Configuration axes = configured({});
  const std::int64_t expected[5] = {7168, 295040, 147584, 295168, 6915};
  for (std::size_t l = 0; l < 5; ++l) {
    const Conv conv = conv_named(axes, conv_layers()[l]);
    EXPECT_EQ(conv.weights() + conv.out, expected[l]) << conv.layer;
  }
  EXPECT_EQ(parameter_count(axes), 751875);
  const std::vector<Tensor> tensors = tensors_of(axes);
  ASSERT_EQ(tensors.size(), 10u);
  for (std::size_t i = 1; i < tensors.size(); ++i)
    EXPECT_EQ(tensors[i].first, tensors[i - 1].first + tensors[i - 1].count) << tensors[i].name;
}

// The worked numbers of 64 images, in 10⁹ flops and in 10⁶ bytes.
TEST(Autoencoder, WorkOfTheConvolutionsIsWhatTheirFormulasGive) {
  struct Row {
    const char* layer;
    double gflop, in, out, columns;
  };
  for (const Row& row : {Row{"Conv1", 0.906, 0.79, 67.11, 7.08},
                         {"Conv2", 9.664, 16.78, 8.39, 151.0},
                         {"Conv3", 1.208, 2.10, 2.10, 18.87},
                         {"Conv4", 9.664, 8.39, 16.78, 75.5},
                         {"Conv5", 0.906, 67.11, 0.79, 604.0}}) {
    for (const char* direction : {"forward", "dgrad", "wgrad"}) {
      const Workload w = workload({{"layer", row.layer}, {"direction", direction}});
      EXPECT_NEAR(term("model.flops", w) / 1e9, row.gflop, 1e-3) << row.layer;
      const Conv conv = conv_of(w.axes);
      const double parameters = 4e-6 * static_cast<double>(conv.weights());
      EXPECT_NEAR(term("model.dram_bytes", w) / 1e6, row.in + row.out + parameters, 0.02)
          << row.layer << " " << direction;
      EXPECT_NEAR(term("model.column_bytes", w, "im2col_cublas_loop") / 1e6, row.columns, 0.1);
    }
  }
}

TEST(Autoencoder, WorkOfTheOtherPartsIsTheirBytes) {
  const Workload pool = workload({{"part", "pool"}});
  // 67.1 MB in, 16.8 MB of values and as many of places out.
  EXPECT_NEAR(term("model.dram_bytes", pool, "pool_scatter") / 1e6, 67.1 + 16.8 + 16.8, 0.1);
  const Workload up = workload({{"part", "upsample"}, {"up_layer", "Up2"}});
  EXPECT_NEAR(term("model.dram_bytes", up, "upsample_pixels") / 1e6, 16.8 + 67.1, 0.1);
  // Convolution and pool in one write 16.8 MB; apart, 67.1 MB more, and read them again.
  const Workload both = workload({{"part", "conv_pool"}});
  EXPECT_NEAR(term("model.dram_bytes", both, "fused_relu_pool") / 1e6, 0.8 + 16.8, 0.1);
  EXPECT_NEAR(term("model.dram_bytes", both, "conv_then_pool") / 1e6, 0.8 + 16.8 + 2 * 67.1, 0.1);
  EXPECT_EQ(term("model.flops", both, "fused_relu_pool"), 18.0 * 64 * 3 * 256 * 1024);
  // Places of 4.2 million windows have a quarter of a byte each; backward they spare 32-bit ones.
  EXPECT_NEAR(term("model.dram_bytes", both, "pool_fused_argmax") / 1e6, 0.8 + 16.8 + 1.05, 0.1);
  const Workload back = workload({{"part", "conv_pool"}, {"pass", "backward"}});
  EXPECT_NEAR(term("model.dram_bytes", back, "pool_fused_argmax") / 1e6, 0.8 + 2 * 16.8 + 1.05,
              0.1);
  EXPECT_NEAR(term("model.dram_bytes", back, "conv_then_pool") / 1e6, 0.8 + 3 * 16.8 + 3 * 67.1,
              0.1);
  EXPECT_EQ(4 * term("model.flops", back, "pool_fused_argmax"),
            term("model.flops", back, "conv_then_pool"));
  // Folded: four ninths of the flops, a quarter of the map.
  const Workload last = workload({{"layer", "Conv5"}});
  EXPECT_NEAR(term("model.flops", last, "upsample_folded") / 1e9, 0.40, 0.005);
  EXPECT_NEAR(term("model.dram_bytes", last, "upsample_folded") / 1e6, 16.8 + 0.8, 0.1);
  // Sixteen products for four outputs in place of 36.
  const Workload second = workload({{"layer", "Conv2"}});
  EXPECT_NEAR(term("model.flops", second, "winograd_2x2") * 2.25,
              term("model.flops", second, "implicit_gemm_fp32"), 1);
  EXPECT_EQ(term("model.flops", workload({{"part", "loss"}}), "loss_two_stage"), 4.0 * 196608);
  EXPECT_EQ(term("model.dram_bytes", workload({{"part", "sgd"}}), "sgd_one_launch"),
            3 * 4.0 * 751875);
}

TEST(Autoencoder, GridZHolds65535Layers) {
  EXPECT_EQ(why_not("nchw_grid2d", {{"batch", "255"}}), "");
  EXPECT_EQ(why_not("nchw_grid2d", {{"batch", "256"}}), "grid z holds 65535 layers, needs 65536");
  EXPECT_EQ(why_not("nchw_grid2d", {{"batch", "256"}, {"layer", "Conv5"}}), "")
      << "an image has three planes there";
  EXPECT_NE(why_not("nchw_grid2d", {{"batch", "256"}, {"layer", "Conv5"}, {"direction", "dgrad"}}),
            "")
      << "gradients of 256 planes";
  EXPECT_EQ(why_not("nchw_grid2d", {{"batch", "1024"}, {"direction", "wgrad"}}), "");
}

TEST(Autoencoder, ColumnsAreCountedBy32BitsAndHeldInMemory) {
  const Changes last = {{"layer", "Conv5"}, {"batch", "910"}};
  EXPECT_EQ(why_not("im2col_cublas_loop", last), "");
  const std::string reason = why_not("im2col_cublas_loop", {{"layer", "Conv5"}, {"batch", "911"}});
  EXPECT_NE(reason.find("im2col has a 32-bit index"), std::string::npos) << reason;
  DeviceLimits small;
  small.free_bytes = 575LL << 20;
  EXPECT_EQ(why_not("im2col_cublas_strided", {{"layer", "Conv5"}}, small),
            "the columns need 576 MiB, 575 are free");
}

TEST(Autoencoder, ATileFitsSharedMemory) {
  EXPECT_EQ(why_not("shared_tile", {{"staged_channels", "179"}}), "");
  EXPECT_EQ(why_not("shared_tile", {{"staged_channels", "180"}}),
            "a tile of 180 channels needs 233280 bytes of shared memory, a block has 232448");
}

TEST(Autoencoder, ABlockHasAtMost1024Threads) {
  const Changes wide = {{"block_width", "64"}, {"block_height", "16"}};
  EXPECT_EQ(why_not("block_shape", wide), "");
  EXPECT_EQ(why_not("block_shape", {{"block_width", "64"}, {"block_height", "17"}}),
            "a block has at most 1024 threads, and this one has 1088");
}

TEST(Autoencoder, RowsOf16BytesAndEvenMapsAreAskedForWhereTheyAreNeeded) {
  EXPECT_EQ(why_not("float4_loads", {{"size", "8"}}), "");
  EXPECT_EQ(why_not("float4_loads", {{"size", "8"}, {"layer", "Conv3"}}),
            "16-byte accesses would be misaligned: a row has 2 pixels");
  EXPECT_EQ(why_not("pool_float4", {{"part", "pool"}, {"size", "6"}}),
            "16-byte accesses would be misaligned: a row has 6 pixels");
  EXPECT_EQ(why_not("upsample_folded", {{"layer", "Conv4"}, {"size", "10"}}),
            "a map of 5 pixels was not upsampled by two");
}

TEST(Autoencoder, RefusesWhatHasNoWholeSizes) {
  const auto refused = [](const Changes& changes) {
    const Result<void> admitted = scene().admit(configured(changes));
    return admitted ? std::string() : sentence(admitted.error());
  };
  EXPECT_EQ(refused({}), "");
  EXPECT_NE(refused({{"channels", "255"}}).find("255 is odd"), std::string::npos);
  EXPECT_EQ(refused({{"part", "loss"}, {"channels", "255"}}), "") << "the loss has no channels";
  EXPECT_NE(
      refused({{"layer", "Conv3"}, {"size", "10"}}).find("cannot be cut into quarters at Conv3"),
      std::string::npos);
  EXPECT_EQ(refused({{"layer", "Conv2"}, {"size", "10"}}), "");
  EXPECT_NE(refused({{"part", "pool"}, {"size", "9"}}).find("cannot be cut into halves at Pool1"),
            std::string::npos);
  EXPECT_NE(refused({{"data", "file"}, {"size", "16"}}).find("32×32"), std::string::npos);
  EXPECT_NE(refused({{"batch", "1024"}, {"channels", "512"}, {"size", "64"}, {"layer", "Conv5"}})
                .find("MiB"),
            std::string::npos);
}

TEST(Autoencoder, AxesApplyWhereTheyMatter) {
  const auto applying = [](const Changes& changes) {
    std::set<std::string> names;
    const Configuration axes = configured(changes);
    for (const Axis& axis : scene().axes) {
      if (applies(axis, axes)) names.insert(axis.name);
    }
    return names;
  };
  using Names = std::set<std::string>;
  EXPECT_EQ(applying({}),
            (Names{"part", "layer", "direction", "batch", "channels", "size", "data",
                   "block_height", "block_width", "staged_channels", "search", "seed"}));
  EXPECT_EQ(applying({{"data", "file"}}).count("data_file"), 1u);
  EXPECT_EQ(applying({{"layer", "Conv2"}}).count("data"), 0u) << "Conv2 reads no image";
  EXPECT_EQ(applying({{"direction", "dgrad"}}).count("data"), 0u) << "nor does a gradient";
  EXPECT_EQ(applying({{"direction", "wgrad"}}).count("staged_channels"), 0u);
  EXPECT_EQ(applying({{"direction", "wgrad"}}).count("splits"), 1u);
  EXPECT_EQ(applying({{"part", "conv_pool"}, {"pool_layer", "Pool2"}, {"direction", "wgrad"}}),
            (Names{"part", "pool_layer", "pass", "batch", "channels", "size", "seed"}))
      << "a direction set earlier is not an axis here";
  EXPECT_EQ(applying({{"part", "pool"}}),
            (Names{"part", "pool_layer", "pass", "batch", "channels", "size", "seed"}));
  EXPECT_EQ(applying({{"part", "sgd"}}), (Names{"part", "channels", "lr", "seed"}));
  EXPECT_EQ(applying({{"part", "loss"}}), (Names{"part", "batch", "size", "data", "seed"}));
  EXPECT_EQ(applying({{"part", "step"}}),
            (Names{"part", "broken", "batch", "channels", "size", "data", "lr", "search",
                   "branches", "share_blocks", "winograd_tile", "seed"}));
  EXPECT_EQ(applying({{"layer", "Conv4"}}).count("winograd_tile"), 1u) << "after an upsampling";
  EXPECT_EQ(applying({{"layer", "Conv4"}, {"direction", "dgrad"}}).count("winograd_tile"), 0u);
}

TEST(Autoencoder, DrawnImagesAreWhatTheirRecordsHold) {
  const std::vector<std::uint8_t> records = drawn_records(42, 3);
  ASSERT_EQ(records.size(), 3u * 3073);
  const std::vector<float> x = floats({{"batch", "3"}, {"channels", "4"}}, "x");
  ASSERT_EQ(x.size(), 3u * 3072);
  std::set<std::uint8_t> values;
  for (std::size_t image = 0; image < 3; ++image) {
    EXPECT_EQ(records[image * 3073], 0);
    for (std::size_t i = 0; i < 3072; ++i) {
      const std::uint8_t byte = records[image * 3073 + 1 + i];
      values.insert(byte);
      ASSERT_EQ(x[image * 3072 + i], static_cast<float>(byte) / 255.0f) << image << " " << i;
    }
  }
  EXPECT_GT(values.size(), 50u) << "something is drawn";
}

// source: the means and deviations of CIFAR-10's training images over their channels, as they are
// published for normalising them: 0.4914, 0.4822, 0.4465 and 0.247, 0.243, 0.262.
TEST(Autoencoder, DrawnImagesHaveTheMeanAndTheSpreadOfCifar10) {
  constexpr std::int64_t kImages = 2000, kStep = 7;
  const std::vector<std::uint8_t> records = drawn_records(42, kImages);
  double sum = 0, squares = 0;
  std::int64_t count = 0;
  for (std::int64_t image = 0; image < kImages; ++image) {
    for (std::int64_t i = 0; i < 3072; i += kStep) {
      const double value = records[static_cast<std::size_t>(image * 3073 + 1 + i)] / 255.0;
      sum += value;
      squares += value * value;
      ++count;
    }
  }
  const double mean = sum / static_cast<double>(count);
  EXPECT_NEAR(mean, 0.4734, 0.04);
  EXPECT_NEAR(std::sqrt(squares / static_cast<double>(count) - mean * mean), 0.2516, 0.02);
}

TEST(Autoencoder, ElementsDependOnTheirIndexAlone) {
  for (const Changes& changes : {Changes{{"batch", "2"}, {"channels", "4"}, {"size", "9"}},
                                 Changes{{"layer", "Conv5"}, {"batch", "2"}, {"channels", "4"}},
                                 Changes{{"part", "sgd"}, {"channels", "4"}}}) {
    const Workload w = workload(changes);
    for (const BufferSpec& buffer : buffers(w)) {
      if (buffer.role == BufferRole::output) continue;
      std::vector<float> all(static_cast<std::size_t>(buffer.count));
      make_elements(w, buffer.name, 0, std::as_writable_bytes(std::span(all)));
      for (const std::int64_t i : {buffer.count / 3, buffer.count / 2, buffer.count - 1}) {
        float one = -1;
        make_elements(w, buffer.name, i, std::as_writable_bytes(std::span(&one, 1)));
        EXPECT_EQ(one, all[static_cast<std::size_t>(i)]) << buffer.name << " " << i;
      }
    }
  }
}

TEST(Autoencoder, MapsBehindAnUpsamplingComeInEqualFours) {
  const std::vector<float> x =
      floats({{"layer", "Conv4"}, {"batch", "2"}, {"channels", "4"}, {"size", "8"}}, "x");
  ASSERT_EQ(x.size(), 2u * 2 * 16);
  std::size_t zeros = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t row = i / 4 % 4, column = i % 4, plane = i / 16;
    EXPECT_EQ(x[i], x[plane * 16 + row / 2 * 2 * 4 + column / 2 * 2]);
    EXPECT_GE(x[i], 0);
    zeros += x[i] == 0 ? 1 : 0;
  }
  EXPECT_GT(zeros, 8u) << "a ReLU leaves about half of them";
  EXPECT_LT(zeros, 56u);
}

// Windows of 2×2 as one plane of two rows.
TEST(Autoencoder, APoolTakesTheFirstMaximumAndNoNan) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  struct Row {
    std::vector<double> window;
    double value;
    std::int64_t place;
  };
  for (const Row& row : {Row{{1, 2, 3, 4}, 4, 3},
                         {{5, 5, 5, 5}, 5, 0},
                         {{0, 7, 7, 0}, 7, 1},
                         {{-3, -2, -2, -3}, -2, 1},
                         {{kNan, 1, kNan, 2}, 2, 3},
                         {{kNan, kNan, kNan, kNan}, -1e38, 0},
                         {{-kInfinity, -kInfinity, -kInfinity, -kInfinity}, -1e38, 0},
                         {{-kInfinity, kNan, -9, kInfinity}, kInfinity, 3},
                         {{-2e38, -3e38, -2e38, -2e38}, -1e38, 0}}) {
    const Pooled best = pool_at(1, row.window, 0);
    EXPECT_EQ(best.value, row.value);
    EXPECT_EQ(best.place, row.place);
  }
}

TEST(Autoencoder, AReluKeepsNan) {
  EXPECT_TRUE(std::isnan(relu_of(std::numeric_limits<double>::quiet_NaN())));
  EXPECT_EQ(relu_of(-1), 0);
  EXPECT_EQ(relu_of(2), 2);
}

}  // namespace
}  // namespace warpscope
