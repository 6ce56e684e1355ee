// tests/engine/autoencoder_pooled_test.cpp: what must hold of the places of maxima that
// `autoencoder`'s fused pool keeps in two bits, on the emulator.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "scenes/autoencoder/shapes.h"
#include "scenes/autoencoder/steps/direct.h"
#include "tests/engine/autoencoder_layer.h"

namespace warpscope {
namespace {

using autoencoder::Conv;

constexpr float kStart = -1e38f;

// The place of the maximum in window i, from pairs of words: see pool_fused_argmax.cu.
unsigned place_in(const std::vector<std::uint32_t>& words, std::size_t i) {
  const std::size_t pair = i / 32 * 2, bit = i % 32;
  return (words[pair] >> bit & 1) + 2 * (words[pair + 1] >> bit & 1);
}

// Small whole numbers, so that sums are exact and ties are many; the last output channel has no
// number for a weight.
void whole_numbers(const std::string& array, std::span<float> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint32_t turned = static_cast<std::uint32_t>(i + array.front()) * 2654435761u;
    turned = (turned ^ turned >> 15) * 2246822519u;
    const int drawn = static_cast<int>(turned >> 20 & 3);
    values[i] = static_cast<float>(array == "x" ? drawn / 2 : drawn - (array == "w" ? 1 : 2));
  }
  if (array == "w") values[values.size() - 5] = std::numeric_limits<float>::quiet_NaN();
}

using AutoencoderPooled = CompilingTest;

TEST_F(AutoencoderPooled, PlacesAreThoseOfTheFirstMaximum) {
  for (const Changes& sizes :
       {Changes{{"pool_layer", "Pool1"}, {"size", "12"}, {"channels", "6"}, {"batch", "1"}},
        Changes{{"pool_layer", "Pool1"}, {"size", "8"}, {"channels", "4"}, {"batch", "2"}},
        Changes{{"pool_layer", "Pool2"}, {"size", "12"}, {"channels", "10"}, {"batch", "3"}}}) {
    Changes changes = sizes;
    changes["part"] = "conv_pool";
    Layer layer(changes, whole_numbers);
    const Variant& variant = *find_variant(layer.scene(), "pool_fused_argmax");
    const Floats y = layer.output(variant, "y");
    const auto words = layer.output<std::uint32_t>(variant, "places");
    const Conv s = autoencoder::conv_of(layer.axes());
    const auto made = [&](const char* array) {
      for (const BufferSpec& buffer : autoencoder::buffers({layer.axes(), {}})) {
        if (buffer.name != array) continue;
        Floats values(static_cast<std::size_t>(buffer.count));
        whole_numbers(array, values);
        return values;
      }
      return Floats{};
    };
    const Floats x = made("x"), w = made("w"), b = made("b");
    struct At {
      const Floats& values;
      float operator[](std::int64_t i) const { return values[static_cast<std::size_t>(i)]; }
    };
    std::vector<double> map(static_cast<std::size_t>(s.out_values()));
    for (std::size_t i = 0; i < map.size(); ++i)
      map[i] = autoencoder::relu_of(
          autoencoder::conv_at(s, At{x}, At{w}, At{b}, static_cast<std::int64_t>(i)).value);
    ASSERT_EQ(words.size(), 2 * ((y.size() + 31) / 32));
    std::size_t of_place[4] = {}, ties = 0, none = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      const autoencoder::Pooled best = autoencoder::pool_at(s.side / 2, map.data(), at);
      EXPECT_EQ(y[i], static_cast<float>(best.value)) << i;
      ASSERT_EQ(place_in(words, i), static_cast<unsigned>(best.place)) << i;
      ++of_place[best.place];
      none += y[i] == kStart ? 1 : 0;
      const autoencoder::Place p = autoencoder::place_of(at, s.side / 2);
      int best_count = 0;
      for (std::int64_t k = 0; k < 4; ++k) {
        const auto pixel = static_cast<std::size_t>(
            (p.plane * s.side + 2 * p.row + k / 2) * s.side + 2 * p.column + k % 2);
        best_count += map[pixel] == best.value ? 1 : 0;
      }
      ties += best_count > 1 ? 1 : 0;
    }
    for (const std::size_t count : of_place) EXPECT_GT(count, 0u) << "every place is a winner";
    EXPECT_GT(ties, y.size() / 20);
    EXPECT_EQ(none, y.size() / static_cast<std::size_t>(s.out)) << "windows of nothing but NaN";
  }
}

// What lies in the 32-bit places and their two bits is one: both passes take the same gradient.
TEST_F(AutoencoderPooled, GradientsOfBothWaysBackAreRightAtEveryPlace) {
  for (const char* layer : {"Pool1", "Pool2"}) {
    Layer back({{"part", "conv_pool"},
                {"pass", "backward"},
                {"pool_layer", layer},
                {"size", "12"},
                {"channels", "10"},
                {"batch", "3"}});
    ASSERT_EQ(back.variants().size(), 2u);
    for (const Variant& variant : back.variants()) {
      back.expect_correct(variant, "dw");
      back.expect_correct(variant, "db");
    }
  }
}

// A window whose maximum is not positive has no gradient, whatever stands opposite it.
TEST_F(AutoencoderPooled, WindowsWithoutAPositiveMaximumHaveNoGradient) {
  Layer back({{"part", "conv_pool"}, {"pass", "backward"}, {"size", "12"}, {"channels", "6"}},
             [](const std::string& array, std::span<float> values) {
               constexpr float kNoMaximum[] = {0.0f, -0.0f, kStart,
                                               std::numeric_limits<float>::quiet_NaN()};
               for (std::size_t i = 0; i < values.size(); ++i) {
                 if (array == "y") values[i] = kNoMaximum[i % 4];
               }
             });
  for (const Variant& variant : back.variants()) {
    for (const char* output : {"dw", "db"}) {
      for (const float value : back.output(variant, output))
        EXPECT_EQ(value, 0.0f) << variant.name << " " << output;
    }
  }
}

}  // namespace
}  // namespace warpscope
