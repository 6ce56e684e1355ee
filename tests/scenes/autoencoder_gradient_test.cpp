// tests/scenes/autoencoder_gradient_test.cpp: the operators' gradients are adjoints, and those of
// differences.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "scenes/autoencoder/autoencoder.h"
#include "scenes/autoencoder/direct.h"
#include "scenes/autoencoder/images.h"
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

// The whole network of 2 images of 8×8 and 4 channels, in double precision.
class Net {
 public:
  explicit Net(std::int64_t images) {
    const Scene scene = autoencoder_scene();
    const auto axes =
        with_values(scene.axes, with_defaults(scene.axes, {}),
                    {{"batch", std::to_string(images)}, {"channels", "4"}, {"size", "8"}});
    EXPECT_TRUE(axes);
    axes_ = *axes;
    tensors_ = tensors_of(axes_);
    for (const std::string& layer : conv_layers()) convs_.push_back(conv_named(axes_, layer));
  }

  std::int64_t parameters() const { return parameter_count(axes_); }
  Doubles images(std::int64_t first) const {
    const std::int64_t of_image = kImageChannels * 64;
    return each(image_values(axes_), [&](std::int64_t i) {
      const DrawnImage image(3, first + i / of_image);
      const std::int64_t place = i % of_image;
      return image.at(place / 64, place / 8 % 8, place % 8, 8) / 255.0;
    });
  }

  // What a loss was made of, layer by layer.
  struct Pass {
    double loss = 0;
    std::vector<Doubles> from, sums;  // of a convolution: its input, its output before the ReLU
    std::vector<Doubles> places;      // of a pool: which of a window won
    Doubles output;
    // Every side of a ReLU and every winner: where two passes have the same, the loss between them
    // is a polynomial.
    std::vector<int> kinks() const {
      std::vector<int> all;
      for (std::size_t l = 0; l + 1 < sums.size(); ++l) {
        for (const double sum : sums[l]) all.push_back(sum > 0 ? 1 : 0);
      }
      for (const Doubles& each_places : places) {
        for (const double place : each_places) all.push_back(static_cast<int>(place));
      }
      return all;
    }
  };

  Pass forward(const Doubles& parameters, const Doubles& x) const {
    Pass pass;
    Doubles map = x;
    for (std::size_t l = 0; l < convs_.size(); ++l) {
      const Conv& s = convs_[l];
      if (s.behind_upsample) {
        map = each(s.in_values(), [&](std::int64_t i) {
          return map[static_cast<std::size_t>(window_of(s.side / 2, i))];
        });
      }
      const Doubles w = tensor(parameters, 2 * l), b = tensor(parameters, 2 * l + 1);
      const Doubles sums =
          each(s.out_values(), [&](std::int64_t i) { return conv_at(s, map, w, b, i).value; });
      pass.from.push_back(map);
      pass.sums.push_back(sums);
      map = sums;
      if (s.relu) std::transform(map.begin(), map.end(), map.begin(), relu_of);
      if (l < 2) {
        const std::int64_t half = s.side / 2, count = s.out_values() / 4;
        pass.places.push_back(each(count, [&](std::int64_t i) {
          return static_cast<double>(pool_at(half, map, i).place);
        }));
        map = each(count, [&](std::int64_t i) { return pool_at(half, map, i).value; });
      }
    }
    pass.output = map;
    pass.loss = loss_of(map, x, image_values(axes_)).value;
    return pass;
  }

  Doubles gradient(const Doubles& parameters, const Doubles& x) const {
    const Pass pass = forward(parameters, x);
    Doubles all(parameters.size());
    Doubles d = each(image_values(axes_), [&](std::int64_t i) {
      return loss_gradient_at(pass.output, x, image_values(axes_), i);
    });
    for (std::size_t l = convs_.size(); l-- > 0;) {
      const Conv& s = convs_[l];
      if (l < 2) {
        d = each(s.out_values(), [&](std::int64_t i) {
          return pool_gradient_at(s.side / 2, d, pass.places[l], i);
        });
      }
      if (s.relu) {
        for (std::size_t i = 0; i < d.size(); ++i) d[i] = pass.sums[l][i] > 0 ? d[i] : 0;
      }
      for (std::int64_t i = 0; i < s.weights(); ++i)
        all[static_cast<std::size_t>(tensors_[2 * l].first + i)] =
            wgrad_at(s, pass.from[l], d, i).value;
      for (std::int64_t i = 0; i < s.out; ++i)
        all[static_cast<std::size_t>(tensors_[2 * l + 1].first + i)] =
            bias_gradient_at(s, d, i).value;
      const Doubles w = tensor(parameters, 2 * l);
      d = each(s.in_values(), [&](std::int64_t i) { return dgrad_at(s, d, w, i).value; });
      if (s.behind_upsample) {
        d = each(s.in_values() / 4,
                 [&](std::int64_t i) { return upsample_gradient_at(s.side / 2, d, i).value; });
      }
    }
    return all;
  }

 private:
  Doubles tensor(const Doubles& parameters, std::size_t t) const {
    const auto first = parameters.begin() + tensors_[t].first;
    return {first, first + tensors_[t].count};
  }

  Configuration axes_;
  std::vector<Tensor> tensors_;
  std::vector<Conv> convs_;
};

Doubles some_parameters(const Net& net) {
  Doubles parameters = drawn(net.parameters(), 8);
  for (double& value : parameters) value *= 0.3;
  return parameters;
}

TEST(AutoencoderGradients, AreThoseOfCentralDifferences) {
  const Net net(2);
  const Doubles x = net.images(0), parameters = some_parameters(net),
                gradient = net.gradient(parameters, x);
  double largest = 0;
  for (const double g : gradient) largest = std::max(largest, std::abs(g));
  ASSERT_GT(largest, 1e-3);
  // Of one parameter the loss is a parabola where no kink lies: differences are exact there.
  constexpr double kStep = 1e-4, kShare = 1e-6;
  std::size_t left_out = 0, compared = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    Doubles less = parameters, more = parameters;
    less[i] -= kStep;
    more[i] += kStep;
    const Net::Pass below = net.forward(less, x), above = net.forward(more, x);
    if (below.kinks() != above.kinks()) {
      ++left_out;
      continue;
    }
    ++compared;
    const double difference = (above.loss - below.loss) / (2 * kStep);
    EXPECT_NEAR(difference, gradient[i], kShare * std::max(std::abs(gradient[i]), 1e-3 * largest))
        << "parameter " << i;
  }
  EXPECT_LT(left_out, parameters.size() / 10) << "entries whose step crosses a kink";
  EXPECT_EQ(compared + left_out, 411u);
}

TEST(AutoencoderGradients, OfABatchAreTheMeansOfItsHalves) {
  const Net both(4), half(2);
  const Doubles parameters = some_parameters(both);
  const Doubles whole = both.gradient(parameters, both.images(0));
  const Doubles first = half.gradient(parameters, half.images(0));
  const Doubles second = half.gradient(parameters, half.images(2));
  for (std::size_t i = 0; i < whole.size(); ++i)
    EXPECT_NEAR(whole[i], (first[i] + second[i]) / 2, 1e-14) << i;
}

}  // namespace
}  // namespace warpscope
