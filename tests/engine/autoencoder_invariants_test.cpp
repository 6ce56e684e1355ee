// tests/engine/autoencoder_invariants_test.cpp: what must hold of outputs of `autoencoder`, on the
// emulator.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <tuple>

#include "scenes/autoencoder/autoencoder.h"
#include "scenes/autoencoder/inputs/inputs.h"
#include "scenes/autoencoder/shapes.h"
#include "tests/engine/autoencoder_layer.h"

namespace warpscope {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

using AutoencoderInvariants = CompilingTest;

void expect_correct_convolutions(const std::vector<Changes>& all_sizes) {
  for (const Changes& sizes : all_sizes) {
    for (const char* direction : {"forward", "dgrad", "wgrad"}) {
      Changes changes = sizes;
      changes["direction"] = direction;
      Layer layer(changes);
      const char* output = changes["direction"] == "forward" ? "y"
                           : changes["direction"] == "dgrad" ? "dx"
                                                             : "dw";
      for (const Variant& variant : layer.variants()) layer.expect_correct(variant, output);
    }
  }
}

// Maps of 3×3 and of 1×1 pixels, which the scene's hard cases do not have.
TEST_F(AutoencoderInvariants, EveryConvolutionIsRightOnTheSmallestMaps) {
  expect_correct_convolutions({{{"layer", "Conv2"}, {"size", "6"}, {"channels", "10"}},
                               {{"layer", "Conv3"}, {"size", "4"}, {"channels", "2"}}});
}

// More sizes like those of the scene's hard cases.
using SlowAutoencoderInvariants = CompilingTest;

TEST_F(SlowAutoencoderInvariants, EveryVariantIsRightAtOddSizes) {
  expect_correct_convolutions({{{"layer", "Conv1"}, {"size", "19"}, {"batch", "1"}},
                               {{"layer", "Conv4"}, {"size", "12"}, {"batch", "3"}},
                               {{"layer", "Conv5"}, {"size", "20"}, {"channels", "34"}}});
  for (const char* part : {"pool", "upsample"}) {
    for (const char* pass : {"forward", "backward"}) {
      Layer layer(
          {{"part", part}, {"pass", pass}, {"up_layer", "Up2"}, {"size", "6"}, {"channels", "6"}});
      const std::string output = pass == std::string("forward") ? "y" : "dx";
      for (const Variant& variant : layer.variants()) layer.expect_correct(variant, output);
    }
  }
  for (const char* layer : {"Pool1", "Pool2"}) {
    Layer both({{"part", "conv_pool"}, {"pool_layer", layer}, {"size", "12"}, {"channels", "6"}});
    for (const Variant& variant : both.variants()) both.expect_correct(variant, "y");
  }
  for (const char* batch : {"1", "7"}) {
    Layer layer({{"part", "loss"}, {"size", "9"}, {"batch", batch}});
    for (const Variant& variant : layer.variants()) layer.expect_correct(variant, "loss");
  }
}

TEST_F(AutoencoderInvariants, VariantsAreRightWhateverTheirTuning) {
  const Changes sizes = {{"layer", "Conv2"}, {"channels", "10"}, {"batch", "3"}};
  for (const auto& [variant, direction, tuning] :
       {std::tuple("shared_tile", "forward", Changes{{"staged_channels", "3"}}),
        {"shared_tile", "dgrad", Changes{{"staged_channels", "40"}}},
        {"block_shape", "forward", Changes{{"block_width", "5"}, {"block_height", "3"}}},
        {"block_shape", "dgrad", Changes{{"block_width", "1"}, {"block_height", "1024"}}},
        {"wgrad_split_k", "wgrad", Changes{{"splits", "1"}}},
        {"wgrad_split_k", "wgrad", Changes{{"splits", "2"}}},
        {"wgrad_split_k", "wgrad", Changes{{"splits", "256"}}}}) {
    Changes changes = sizes;
    changes["direction"] = direction;
    changes.insert(tuning.begin(), tuning.end());
    Layer layer(changes);
    const char* output = direction == std::string("forward") ? "y"
                         : direction == std::string("dgrad") ? "dx"
                                                             : "dw";
    layer.expect_correct(*find_variant(layer.scene(), variant), output);
  }
}

// With weights that are zero but for the middle one, of the first input channel, the output is that
// channel, moved nowhere; with the upper left one it comes from one row up and one column left.
TEST_F(AutoencoderInvariants, ATapOfAFilterMovesTheMapByItsPlace) {
  for (const std::size_t tap : {4u, 0u, 8u, 5u}) {
    Layer layer({{"layer", "Conv2"}, {"batch", "1"}}, [tap](const auto& array, auto values) {
      if (array == "x") {
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i + 1);
      } else {
        std::fill(values.begin(), values.end(), 0.0f);
        if (array == "w") {
          for (std::size_t out = 0; out < 2; ++out) values[out * 4 * 9 + tap] = 1;
        }
      }
    });
    for (const Variant& variant : layer.variants()) {
      const Floats y = layer.output(variant, "y");
      const bool nhwc = variant.reference == "direct_nhwc";
      for (int row = 0; row < 4; ++row) {
        for (int column = 0; column < 4; ++column) {
          const int r = row + static_cast<int>(tap) / 3 - 1,
                    q = column + static_cast<int>(tap) % 3 - 1;
          const bool inside = r >= 0 && r < 4 && q >= 0 && q < 4;
          const std::size_t at = static_cast<std::size_t>(row * 4 + column);
          const float expected = inside ? static_cast<float>(r * 4 + q + 1) : 0.0f;
          // A window of 6×6 multiplies by sixths, which no float holds.
          const float rest = variant.name == "winograd_4x4" ? 1e-4f : 0.0f;
          EXPECT_NEAR(y[nhwc ? at * 2 : at], expected, rest)
              << variant.name << " tap " << tap << " at " << row << ", " << column;
        }
      }
    }
  }
}

TEST_F(AutoencoderInvariants, ANanWeightReachesItsOutputsAndNoOthers) {
  for (const char* direction : {"forward", "dgrad"}) {
    Layer layer({{"layer", "Conv2"}, {"direction", direction}}, [](const auto& array, auto values) {
      if (array == "w") values[4] = kNan;  // the middle tap, output 0, input 0
    });
    const bool forward = direction == std::string("forward");
    const std::size_t channels = forward ? 2 : 4;
    for (const Variant& variant : layer.variants()) {
      const Floats values = layer.output(variant, forward ? "y" : "dx");
      for (std::size_t i = 0; i < values.size(); ++i) {
        const bool nhwc = variant.reference == "direct_nhwc";
        const std::size_t channel = nhwc ? i % channels : i / 16 % channels;
        EXPECT_EQ(std::isnan(values[i]), channel == 0) << variant.name << " " << i;
      }
    }
  }
}

// An image and a plane at a time, in blocks that are not full at their end.
void expect_counted_pixels(const std::vector<Changes>& all_sizes) {
  for (const Changes& sizes : all_sizes) {
    Changes changes = sizes;
    changes["direction"] = "wgrad";
    Layer layer(changes, [](const auto& array, auto values) {
      if (array == "dy") std::fill(values.begin(), values.end(), 1.0f);
    });
    const autoencoder::Conv s = autoencoder::conv_of(layer.axes());
    for (const Variant& variant : layer.variants())
      EXPECT_EQ(layer.output(variant, "db"),
                Floats(static_cast<std::size_t>(s.out), static_cast<float>(s.images * s.pixels())))
          << variant.name;
  }
}

TEST_F(AutoencoderInvariants, BiasGradientsCountEveryPixelOnce) {
  expect_counted_pixels({{{"layer", "Conv1"}, {"size", "17"}, {"batch", "3"}},
                         {{"layer", "Conv3"}, {"size", "4"}, {"batch", "1"}}});
}
TEST_F(SlowAutoencoderInvariants, BiasGradientsCountEveryPixelOnce) {
  expect_counted_pixels({{{"layer", "Conv5"}, {"size", "8"}, {"batch", "5"}}});
}

void expect_alone_as_in_the_batch(const std::vector<std::string>& layers) {
  for (const std::string& name : layers) {
    Floats second;
    const auto later_half = [](std::span<float> values) {
      return Floats(values.begin() + values.size() / 2, values.end());
    };
    Layer both({{"layer", name}}, [&](const auto& array, auto values) {
      if (array == "x") second = later_half(values);
    });
    const std::vector<Variant> variants = both.variants();
    Layer alone({{"layer", name}, {"batch", "1"}}, [&](const auto& array, auto values) {
      if (array == "x") std::copy(second.begin(), second.end(), values.begin());
    });
    for (const Variant& variant : variants) {
      Floats y = both.output(variant, "y");
      EXPECT_EQ(later_half(y), alone.output(variant, "y")) << name << " " << variant.name;
    }
  }
}

// The first layer, one with the fewest pixels, and one after an upsampling.
TEST_F(AutoencoderInvariants, AnImageAloneGivesWhatItGivesInTheBatch) {
  expect_alone_as_in_the_batch({"Conv1", "Conv3", "Conv4"});
}
TEST_F(SlowAutoencoderInvariants, AnImageAloneGivesWhatItGivesInTheBatch) {
  expect_alone_as_in_the_batch({"Conv2", "Conv5"});
}

// Half of the gradients of a batch of two alike images is that of one.
TEST_F(AutoencoderInvariants, WeightGradientsAddUpOverImages) {
  const auto edit = [](const auto&, auto values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(static_cast<int>(i % 64 * 5 % 13) - 6);
  };
  Layer one({{"layer", "Conv1"}, {"direction", "wgrad"}, {"batch", "1"}, {"channels", "2"}}, edit);
  Layer two({{"layer", "Conv1"}, {"direction", "wgrad"}, {"batch", "2"}, {"channels", "2"}}, edit);
  for (const Variant& variant : one.variants()) {
    for (const char* array : {"dw", "db"}) {
      Floats once = one.output(variant, array);
      for (float& value : once) value *= 2;
      EXPECT_EQ(two.output(variant, array), once) << variant.name << " " << array;
    }
  }
}

// The window of every row below, as the upper left corner of a map.
TEST_F(AutoencoderInvariants, PoolsTakeTheFirstMaximumAndNoNan) {
  struct Row {
    Floats window;
    float value;
    std::uint32_t place;
  };
  for (const Row& row : {Row{{1, 2, 3, 4}, 4, 3},
                         {{5, 5, 5, 5}, 5, 0},
                         {{0, 7, 7, 0}, 7, 1},
                         {{-3, -2, -2, -3}, -2, 1},
                         {{0.0f, -0.0f, 0.0f, 0.0f}, 0, 0},
                         {{kNan, 1, kNan, 2}, 2, 3},
                         {{kNan, kNan, kNan, kNan}, -1e38f, 0},
                         {{-kInfinity, -kInfinity, -kInfinity, -kInfinity}, -1e38f, 0},
                         {{-kInfinity, kNan, -9, kInfinity}, kInfinity, 3}}) {
    Layer layer({{"part", "pool"}}, [&row](const auto&, auto values) {
      for (const std::size_t corner : {std::size_t{0}, values.size() - 10})
        for (std::size_t i = 0; i < 4; ++i) values[corner + i / 2 * 8 + i % 2] = row.window[i];
    });
    for (const Variant& variant : layer.variants()) {
      layer.expect_correct(variant, "y");
      const Floats y = layer.output(variant, "y");
      const auto places = layer.output<std::uint32_t>(variant, "argmax");
      EXPECT_EQ(y.front(), row.value) << variant.name;
      EXPECT_EQ(places.front(), row.place) << variant.name;
      EXPECT_EQ(y.back(), row.value) << variant.name;
      EXPECT_EQ(places.back(), row.place) << variant.name;
    }
  }
}

TEST_F(AutoencoderInvariants, ALearningRateOfZeroChangesNoBit) {
  Floats before;
  Layer layer({{"part", "sgd"}, {"lr", "0"}}, [&before](const auto& array, auto values) {
    if (array == "parameters") before.assign(values.begin(), values.end());
  });
  for (const Variant& variant : layer.variants()) {
    EXPECT_EQ(layer.output(variant, "parameters"), before) << variant.name;
    EXPECT_EQ(before.size(), 411u);
  }
}

TEST_F(AutoencoderInvariants, EqualImagesHaveNoLossAndNoGradient) {
  Floats same;
  Layer layer({{"part", "loss"}}, [&same](const auto& array, auto values) {
    if (array == "p") same.assign(values.begin(), values.end());
    if (array == "t") std::copy(same.begin(), same.end(), values.begin());
  });
  for (const Variant& variant : layer.variants()) {
    EXPECT_EQ(layer.output(variant, "loss"), Floats{0.0f}) << variant.name;
    EXPECT_EQ(layer.output(variant, "dp"), Floats(2 * 3 * 64, 0.0f)) << variant.name;
  }
}

// The numbers have exact squares and sums, whatever the order.
TEST_F(AutoencoderInvariants, TheLossIsTheMeanOfAllSquares) {
  Layer layer({{"part", "loss"}, {"batch", "1"}, {"size", "16"}}, [](const auto& array, auto v) {
    for (std::size_t i = 0; i < v.size(); ++i)
      v[i] = array == "t" ? 0.0f : i % 3 == 0 ? 3.0f : -1.5f;
  });
  for (const Variant& variant : layer.variants()) {
    EXPECT_NEAR(layer.output(variant, "loss").front(), (9 + 2 * 2.25) / 3, 1e-5) << variant.name;
    EXPECT_FLOAT_EQ(layer.output(variant, "dp").front(), 2 * 3.0f / 768) << variant.name;
  }
}

// The kernels of the reference are compared with the host's sums, which share no code with them.
TEST_F(AutoencoderInvariants, TheDevicesReferenceIsTheHosts) {
  for (const Changes& changes :
       {Changes{}, Changes{{"layer", "Conv5"}, {"size", "5"}},
        Changes{{"layer", "Conv2"}, {"direction", "dgrad"}},
        Changes{{"layer", "Conv2"}, {"direction", "wgrad"}, {"channels", "6"}},
        Changes{{"part", "pool"}}, Changes{{"part", "pool"}, {"pass", "backward"}},
        Changes{{"part", "upsample"}}, Changes{{"part", "upsample"}, {"pass", "backward"}},
        Changes{{"part", "loss"}}, Changes{{"part", "sgd"}}, Changes{{"part", "conv_pool"}}}) {
    Layer layer(changes);
    for (const Reference& reference : layer.scene().references) {
      // A variant that runs the kernels of the reference into scratch of its own.
      Variant device = layer.variants().front();
      device.steps = reference.steps;
      device.scratch = [](const Workload& w) {
        return reference_parts_of(autoencoder::buffers(w));
      };
      for (const BufferSpec& buffer : autoencoder::buffers({layer.axes(), {}})) {
        if (buffer.role == BufferRole::input) continue;
        const auto part = [&](const char* name) {
          return layer.output<double>(device, buffer.name + name);
        };
        const std::vector<double> sums = part(".reference"), magnitudes = part(".magnitude"),
                                  accumulations = part(".accumulation");
        Inputs inputs;
        for (const BufferSpec& input : autoencoder::buffers({layer.axes(), {}})) {
          if (input.role == BufferRole::output) continue;
          inputs[input.name] = HostArray(input.type, input.count);
          autoencoder::make_elements({layer.axes(), {}}, input.name, 0,
                                     inputs.at(input.name).bytes());
        }
        std::vector<std::int64_t> elements(static_cast<std::size_t>(buffer.count));
        for (std::size_t i = 0; i < elements.size(); ++i)
          elements[i] = static_cast<std::int64_t>(i);
        std::vector<ReferenceValue> values(elements.size());
        reference.host({layer.axes(), {}}, inputs, buffer.name, elements, values);
        ASSERT_EQ(sums.size(), values.size()) << buffer.name;
        for (std::size_t i = 0; i < values.size(); ++i) {
          ASSERT_NEAR(sums[i], values[i].value, 1e-12) << reference.name << " " << buffer.name;
          ASSERT_NEAR(magnitudes[i], values[i].magnitude, 1e-12) << buffer.name;
          ASSERT_NEAR(accumulations[i], values[i].accumulation, 1e-11) << buffer.name;
        }
      }
    }
  }
}

}  // namespace
}  // namespace warpscope
