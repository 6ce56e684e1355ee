// tests/scenes/autoencoder_gradient_test.cpp: the operators' gradients are adjoints, and those of
// differences.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "scenes/autoencoder/autoencoder.h"
#include "scenes/autoencoder/inputs/images.h"
#include "scenes/autoencoder/net.h"
#include "scenes/autoencoder/steps/direct.h"
#include "scenes/host/random.h"

namespace warpscope {
namespace {

using namespace autoencoder;
using Doubles = std::vector<double>;

Doubles drawn(std::int64_t count, std::uint32_t stream) {
  const RandomStream random(7, stream);
  Doubles values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = random.normal(i);
  return values;
}

template <typename At>
Doubles each(std::int64_t count, At at) {
  Doubles values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = at(static_cast<std::int64_t>(i));
  return values;
}

double product(const Doubles& a, const Doubles& b) {
  EXPECT_EQ(a.size(), b.size());
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// ⟨conv(x), y⟩ = ⟨x, dgrad(y)⟩ = ⟨w, wgrad(x, y)⟩, without biases; ⟨b, y's sums⟩ with them alone.
TEST(AutoencoderGradients, DirectionsOfAConvolutionAreAdjoint) {
  for (const Conv& s : {Conv{.images = 2, .in = 3, .out = 4, .side = 8},
                        Conv{.images = 1, .in = 5, .out = 2, .side = 3},
                        Conv{.images = 3, .in = 1, .out = 1, .side = 1}}) {
    const Doubles x = drawn(s.in_values(), 1), y = drawn(s.out_values(), 2),
                  w = drawn(s.weights(), 3), b = drawn(s.out, 4),
                  none = each(s.out, [](auto) { return 0.0; });
    const Doubles conv =
        each(s.out_values(), [&](std::int64_t i) { return conv_at(s, x, w, none, i).value; });
    const Doubles dx =
        each(s.in_values(), [&](std::int64_t i) { return dgrad_at(s, y, w, i).value; });
    const Doubles dw =
        each(s.weights(), [&](std::int64_t i) { return wgrad_at(s, x, y, i).value; });
    const double expected = product(conv, y);
    EXPECT_NEAR(product(x, dx), expected, 1e-11 * s.products());
    EXPECT_NEAR(product(w, dw), expected, 1e-11 * s.products());
    const Doubles biased =
        each(s.out_values(), [&](std::int64_t i) { return conv_at(s, x, w, b, i).value; });
    const Doubles db = each(s.out, [&](std::int64_t i) { return bias_gradient_at(s, y, i).value; });
    EXPECT_NEAR(product(biased, y) - expected, product(b, db), 1e-10);
  }
}

TEST(AutoencoderGradients, PoolAndUpsampleAreAdjointToTheirGradients) {
  const std::int64_t half = 3, planes = 4, small = planes * half * half, large = 4 * small;
  const Doubles x = drawn(large, 5), y = drawn(small, 6);
  const Doubles pooled = each(small, [&](std::int64_t i) { return pool_at(half, x, i).value; });
  const Doubles argmax =
      each(small, [&](std::int64_t i) { return static_cast<double>(pool_at(half, x, i).place); });
  const Doubles scattered =
      each(large, [&](std::int64_t i) { return pool_gradient_at(half, y, argmax, i); });
  EXPECT_NEAR(product(pooled, y), product(x, scattered), 1e-12);
  const Doubles up =
      each(large, [&](std::int64_t i) { return y[static_cast<std::size_t>(window_of(half, i))]; });
  const Doubles summed =
      each(small, [&](std::int64_t i) { return upsample_gradient_at(half, x, i).value; });
  EXPECT_NEAR(product(up, x), product(y, summed), 1e-12);
}

// The host's reference of whole steps, of images of 8×8 and 4 channels.
class TinyNet {
 public:
  explicit TinyNet(std::int64_t images) : net_(axes_of(images)), axes_(axes_of(images)) {}

  std::int64_t parameters() const { return net_.parameters(); }
  Doubles images(std::int64_t first) const {
    const std::int64_t of_image = kImageChannels * 64;
    return each(image_values(axes_), [&](std::int64_t i) {
      const DrawnImage image(3, first + i / of_image);
      const std::int64_t place = i % of_image;
      return image.at(place / 64, place / 8 % 8, place % 8, 8) / 255.0;
    });
  }

  double loss(const Doubles& parameters, const Doubles& x) const {
    return net_.loss(net_.forward(parameters, x), x).value;
  }
  // Every side of a ReLU and every winner: where two passes have the same, the loss between them is
  // a polynomial.
  std::vector<int> kinks(const Doubles& parameters, const Doubles& x) const {
    const Net::Pass pass = net_.forward(parameters, x);
    std::vector<int> all;
    for (std::size_t l = 0; l + 1 < pass.sums.size(); ++l) {
      const auto count = static_cast<std::int64_t>(pass.sums[l].size());
      const Doubles maps = each(count, [&](std::int64_t i) {
        return relu_of(pass.sums[l][static_cast<std::size_t>(i)].value);
      });
      for (const double value : maps) all.push_back(value > 0 ? 1 : 0);
      const std::int64_t half = 8 >> (l + 1);
      for (std::int64_t i = 0; l < 2 && i < count / 4; ++i)
        all.push_back(static_cast<int>(pool_at(half, maps, i).place));
    }
    return all;
  }
  Doubles gradient(const Doubles& parameters, const Doubles& x) const {
    const Net::Pass pass = net_.forward(parameters, x);
    const std::vector<Net::Map> slopes = net_.backward(pass, parameters, x);
    return each(net_.parameters(),
                [&](std::int64_t i) { return net_.gradient(pass, slopes, i).value; });
  }

 private:
  static Configuration axes_of(std::int64_t images) {
    const Scene scene = autoencoder_scene();
    const auto axes = with_values(
        scene.axes, with_defaults(scene.axes, {}),
        {{"part", "step"}, {"batch", std::to_string(images)}, {"channels", "4"}, {"size", "8"}});
    EXPECT_TRUE(axes);
    return *axes;
  }
  Net net_;
  Configuration axes_;
};

Doubles some_parameters(const TinyNet& net) {
  Doubles parameters = drawn(net.parameters(), 8);
  for (double& value : parameters) value *= 0.3;
  return parameters;
}

TEST(AutoencoderGradients, AreThoseOfCentralDifferences) {
  const TinyNet net(2);
  const Doubles x = net.images(0), parameters = some_parameters(net),
                gradient = net.gradient(parameters, x);
  double largest = 0;
  for (const double g : gradient) largest = std::max(largest, std::abs(g));
  ASSERT_GT(largest, 1e-3);
  // The loss is a parabola in one parameter wherever there is no kink, so differences are exact
  // there.
  constexpr double kStep = 1e-4, kShare = 1e-6;
  std::size_t left_out = 0, compared = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    Doubles less = parameters, more = parameters;
    less[i] -= kStep;
    more[i] += kStep;
    if (net.kinks(less, x) != net.kinks(more, x)) {
      ++left_out;
      continue;
    }
    ++compared;
    const double difference = (net.loss(more, x) - net.loss(less, x)) / (2 * kStep);
    EXPECT_NEAR(difference, gradient[i], kShare * std::max(std::abs(gradient[i]), 1e-3 * largest))
        << "parameter " << i;
  }
  EXPECT_LT(left_out, parameters.size() / 10) << "entries whose step crosses a kink";
  EXPECT_EQ(compared + left_out, 411u);
}

TEST(AutoencoderGradients, OfABatchAreTheMeansOfItsHalves) {
  const TinyNet both(4), half(2);
  const Doubles parameters = some_parameters(both);
  const Doubles whole = both.gradient(parameters, both.images(0));
  const Doubles first = half.gradient(parameters, half.images(0));
  const Doubles second = half.gradient(parameters, half.images(2));
  for (std::size_t i = 0; i < whole.size(); ++i)
    EXPECT_NEAR(whole[i], (first[i] + second[i]) / 2, 1e-14) << i;
}

}  // namespace
}  // namespace warpscope
