// tests/engine/autoencoder_tensor_test.cpp: what must hold of pools in the registers of tensor
// cores, on the emulator.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "tests/engine/autoencoder_layer.h"

namespace warpscope {
namespace {

using AutoencoderTensor = CompilingTest;

constexpr std::int64_t kHalf = 8;  // of images of 16×16
constexpr std::size_t kWords = 8;  // of places: an output in eight a word

// What happens inside of the map, where the padding does not reach: windows of the first pool.
template <typename Check>
void each_inner_window(Check check) {
  for (std::size_t image = 0; image < 2; ++image) {
    for (std::size_t row = 1; row + 1 < kHalf; ++row) {
      for (std::size_t column = 1; column + 1 < kHalf; ++column)
        check((image * kHalf + row) * kHalf + column);
    }
  }
}

const char* const kSteps[] = {"step_fused_tf32x3", "step_fused_tf32", "step_fused_bf16"};

TEST_F(AutoencoderTensor, OfEqualPixelsTheFirstIsTheMaximum) {
  Layer layer({{"part", "step"}, {"size", "16"}}, [](const auto& array, auto values) {
    if (array == "x") std::fill(values.begin(), values.end(), 0.5f);
    // Positive sums, so that no ReLU hides an order.
    if (array == "parameters") std::fill(values.begin(), values.end(), 0.25f);
  });
  for (const char* name : kSteps) {
    const auto places = layer.output<std::uint32_t>(*find_variant(layer.scene(), name), "places1");
    ASSERT_EQ(places.size(), 2 * kHalf * kHalf * kWords) << name;
    each_inner_window([&](std::size_t window) {
      for (std::size_t word = 0; word < kWords; ++word)
        EXPECT_EQ(places[window * kWords + word], 0u) << name << " window " << window;
    });
  }
}

// One pixel of each window is brighter, in windows beside each other another one, and the filter
// takes the middle alone: each output has it.
TEST_F(AutoencoderTensor, ABrighterPixelOfAWindowIsTheMaximumWhereverItIs) {
  const auto brighter = [](std::size_t window) { return (window / kHalf * 3 + window) % 4; };
  Layer layer({{"part", "step"}, {"size", "16"}}, [brighter](const auto& array, auto values) {
    if (array == "parameters") {
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 9 == 4 ? 1.0f : 0.0f;
    }
    if (array != "x") return;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t row = i / 16 % 16, column = i % 16, image = i / (3 * 16 * 16);
      const std::size_t window = (image * kHalf + row / 2) * kHalf + column / 2;
      values[i] = row % 2 * 2 + column % 2 == brighter(window) ? 1.0f : 0.25f;
    }
  });
  for (const char* name : kSteps) {
    const auto places = layer.output<std::uint32_t>(*find_variant(layer.scene(), name), "places1");
    // Four outputs: the first of eight in words 0 to 3.
    each_inner_window([&](std::size_t window) {
      for (std::size_t word = 0; word < 4; ++word)
        EXPECT_EQ(places[window * kWords + word], brighter(window)) << name << " window " << window;
    });
  }
}

// A window of nothing but NaN has the start value, and so has its gradient: none.
TEST_F(AutoencoderTensor, NanNeverWinsAPool) {
  Layer layer({{"part", "step"}, {"size", "16"}}, [](const auto& array, auto values) {
    if (array == "parameters") values[4] = std::numeric_limits<float>::quiet_NaN();
  });
  const std::size_t pitch = 32;  // a slice of TF32
  const Variant& variant = *find_variant(layer.scene(), "step_fused_tf32");
  const Floats pooled = layer.output(variant, "pooled1");
  ASSERT_EQ(pooled.size(), 2 * kHalf * kHalf * pitch);
  each_inner_window([&](std::size_t window) {
    EXPECT_NEAR(pooled[window * pitch] / -1e38f, 1, 1e-3) << window;
    for (std::size_t output = 1; output < 4; ++output)
      EXPECT_GE(pooled[window * pitch + output], 0.0f) << window;
    for (std::size_t output = 4; output < pitch; ++output)
      EXPECT_EQ(pooled[window * pitch + output], 0.0f) << "there is nothing after the last";
  });
}

TEST_F(AutoencoderTensor, TwoRunsGiveTheSameBits) {
  Layer layer({{"part", "step"}, {"channels", "6"}, {"batch", "3"}});
  for (const char* name : kSteps) {
    const Variant& variant = *find_variant(layer.scene(), name);
    const auto first = layer.output<std::uint32_t>(variant, "gradients");
    EXPECT_EQ(layer.output<std::uint32_t>(variant, "gradients"), first) << name;
  }
}

}  // namespace
}  // namespace warpscope
