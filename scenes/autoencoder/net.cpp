// scenes/autoencoder/net.cpp: the whole network in double precision on the host, with how far
// single precision may lie from it.
#include "scenes/autoencoder/net.h"

#include <algorithm>
#include <cmath>

#include "scenes/autoencoder/steps/direct.h"
#include "scenes/base/half.h"
#include "scenes/host/parallel.h"

namespace warpscope::autoencoder {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
double squared(double v) { return v * v; }
Number exactly(double value) { return {value, 0}; }
double error_of(const Number& v) { return kBound * kRoundoff * std::sqrt(v.variance); }
double in_bf16(double v) {
  return static_cast<double>(rounded(static_cast<float>(v), ElementType::bf16));
}
// The square of all of a gradient, in squares of the roundoff.
double doubt_of(double gradient) { return squared(gradient / kRoundoff); }

// A sum of products of two numbers, each with its variance.
class NetSum {
 public:
  explicit NetSum(const Rounding& rounding)
      : of_products_(rounding.of_products), to_bf16_(rounding.to_bf16) {}
  void add(Number a, Number b) {
    if (to_bf16_) a.value = in_bf16(a.value), b.value = in_bf16(b.value);
    value_ += a.value * b.value;
    magnitude_ += std::abs(a.value * b.value);
    variance_ += a.variance * squared(b.value) + squared(a.value) * b.variance;
    ++terms_;
  }
  void add_one(double term) {
    value_ += term;
    magnitude_ += std::abs(term);
    ++terms_;
  }
  Number number() const { return {value_, whole_variance()}; }
  // `share`: of the value, for what all terms have alike.
  ReferenceValue result(double share) const {
    return {value_, std::sqrt(whole_variance()) + share * std::abs(value_), magnitude_};
  }

 private:
  // With that of its own rounding.
  double whole_variance() const {
    return variance_ + squared(magnitude_) * (static_cast<double>(terms_) + squared(of_products_));
  }
  double of_products_;
  bool to_bf16_;
  double value_ = 0, magnitude_ = 0, variance_ = 0;
  std::int64_t terms_ = 0;
};

template <typename Make>
Net::Map each(std::int64_t count, Make make) {
  constexpr std::int64_t kPiece = 256;
  Net::Map map(at(count));
  parallel_for(count, kPiece, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) map[at(i)] = make(i);
  });
  return map;
}

// Rounded down.
std::int64_t half_of(std::int64_t i) { return i >= 0 ? i / 2 : -((1 - i) / 2); }

// For a filter after an upsampling: the sum, in f32, of the taps through which an output reads one
// pixel of the small map. Only the sum is rounded.
double folded(const double* filter, std::int64_t row, std::int64_t column, std::int64_t small_row,
              std::int64_t small_column) {
  float sum = 0;
  for (std::int64_t tap = 0; tap < kTaps; ++tap) {
    if (half_of(row + tap / 3 - 1) == small_row && half_of(column + tap % 3 - 1) == small_column)
      sum += static_cast<float>(filter[tap]);
  }
  return static_cast<double>(sum);
}

// Adds what the four pixels of the small map contribute to an output of a plane after an
// upsampling.
void add_folded(const Conv& s, const Place& place, const Number* plane, const double* filter,
                NetSum& sum) {
  for (std::int64_t i = 0; i < 4; ++i) {
    const std::int64_t row = half_of(place.row - 1) + i / 2,
                       column = half_of(place.column - 1) + i % 2;
    if (row < 0 || row >= s.side / 2 || column < 0 || column >= s.side / 2) continue;
    sum.add(plane[2 * row * s.side + 2 * column],
            exactly(folded(filter, place.row, place.column, row, column)));
  }
}

// Adds what a plane of gradients contributes to a pixel of the small map.
void add_folded_gradient(const Conv& s, const Place& small, const Number* plane,
                         const double* filter, NetSum& sum) {
  for (std::int64_t i = 0; i < 16; ++i) {
    const std::int64_t row = 2 * small.row - 1 + i / 4, column = 2 * small.column - 1 + i % 4;
    if (row < 0 || row >= s.side || column < 0 || column >= s.side) continue;
    sum.add(plane[row * s.side + column],
            exactly(folded(filter, row, column, small.row, small.column)));
  }
}

Number conv_number(const Conv& s, const Net::Map& x, const double* w, const double* b,
                   std::int64_t element, const Rounding& rounding) {
  const Place place = place_of(element, s.side);
  const std::int64_t image = place.plane / s.out, out = place.plane % s.out;
  NetSum sum(rounding);
  sum.add_one(b[out]);
  for (std::int64_t in = 0; in < s.in; ++in) {
    if (rounding.to_bf16 && s.behind_upsample) {
      add_folded(s, place, &x[at((image * s.in + in) * s.pixels())], &w[(out * s.in + in) * kTaps],
                 sum);
      continue;
    }
    each_neighbour(s.side, place, [&](std::int64_t row, std::int64_t column, std::int64_t tap) {
      sum.add(x[at(((image * s.in + in) * s.side + row) * s.side + column)],
              exactly(w[(out * s.in + in) * kTaps + tap]));
    });
  }
  return sum.number();
}

// Adds what an element of a convolution's input has of the output's gradient.
void add_dgrad(const Conv& s, const Net::Map& dy, const double* w, std::int64_t element,
               NetSum& sum) {
  const Place place = place_of(element, s.side);
  const std::int64_t image = place.plane / s.in, in = place.plane % s.in;
  for (std::int64_t out = 0; out < s.out; ++out) {
    each_neighbour(s.side, place, [&](std::int64_t row, std::int64_t column, std::int64_t tap) {
      sum.add(dy[at(((image * s.out + out) * s.side + row) * s.side + column)],
              exactly(w[(out * s.in + in) * kTaps + (kTaps - 1 - tap)]));
    });
  }
}

NetSum wgrad_sum(const Conv& s, const Net::Map& x, const Net::Map& dy, std::int64_t element,
                 const Rounding& rounding) {
  const std::int64_t tap = element % kTaps, in = element / kTaps % s.in;
  const std::int64_t out = element / kTaps / s.in;
  NetSum sum(rounding);
  for (std::int64_t image = 0; image < s.images; ++image) {
    for (std::int64_t row = 0; row < s.side; ++row) {
      for (std::int64_t column = 0; column < s.side; ++column) {
        const std::int64_t r = row + tap / 3 - 1, q = column + tap % 3 - 1;
        if (r < 0 || r >= s.side || q < 0 || q >= s.side) continue;
        sum.add(dy[at(((image * s.out + out) * s.side + row) * s.side + column)],
                x[at(((image * s.in + in) * s.side + r) * s.side + q)]);
      }
    }
  }
  return sum;
}

Number behind_relu(const Number& sum) { return {relu_of(sum.value), sum.variance}; }

// The gradient before a ReLU, from the gradient after it.
Number before_relu_of(const Number& d, const Number& sum) {
  const bool passes = sum.value > 0, doubtful = std::abs(sum.value) <= error_of(sum);
  return {passes ? d.value : 0,
          doubtful ? d.variance + doubt_of(d.value) : (passes ? d.variance : 0)};
}

// A window's sums and the first maximum after the ReLU.
struct SumWindow {
  Number sums[4];
  std::int64_t winner = 0;
  double best = kPoolStart;

  SumWindow(const Net::Map& map, const Place& place, std::int64_t half) {
    for (std::int64_t i = 0; i < 4; ++i) {
      const std::int64_t row = 2 * place.row + i / 2, column = 2 * place.column + i % 2;
      sums[i] = map[at((place.plane * 2 * half + row) * 2 * half + column)];
      const double value = relu_of(sums[i].value);
      if (value > best) best = value, winner = i;
    }
  }
  // Whether f32 might give the gradient to one and not to the other.
  bool contested(std::int64_t a, std::int64_t b) const {
    const double apart = std::abs(relu_of(sums[a].value) - relu_of(sums[b].value));
    return sums[a].value != sums[b].value && apart <= error_of(sums[a]) + error_of(sums[b]);
  }
};

}  // namespace

Net::Net(const Configuration& axes, Rounding rounding)
    : rounding_(rounding),
      tensors_(tensors_of(axes)),
      image_values_(autoencoder::image_values(axes)) {
  for (const std::string& layer : conv_layers()) convs_.push_back(conv_named(axes, layer));
}

std::int64_t Net::parameters() const { return tensors_.back().first + tensors_.back().count; }

Net::Map Net::input_of(std::size_t layer, const Pass& pass, const Doubles& images) const {
  const Conv& s = convs_[layer];
  if (s.of_image)
    return each(s.in_values(), [&](std::int64_t i) { return exactly(images[at(i)]); });
  if (!s.behind_upsample) return pass.pooled[layer - 1];
  const Map& sums = pass.sums[layer - 1];
  return each(s.in_values(),
              [&](std::int64_t i) { return behind_relu(sums[at(window_of(s.side / 2, i))]); });
}

Net::Pass Net::forward(const Doubles& parameters, const Doubles& images) const {
  Pass pass;
  for (std::size_t l = 0; l < convs_.size(); ++l) {
    const Conv& s = convs_[l];
    pass.inputs.push_back(input_of(l, pass, images));
    const Map& x = pass.inputs.back();
    const double* const w = parameters.data() + tensors_[2 * l].first;
    const double* const b = parameters.data() + tensors_[2 * l + 1].first;
    pass.sums.push_back(each(
        s.out_values(), [&](std::int64_t i) { return conv_number(s, x, w, b, i, rounding_); }));
    if (l >= 2) continue;
    const std::int64_t half = s.side / 2;
    pass.pooled.push_back(each(s.out_values() / 4, [&](std::int64_t i) {
      const SumWindow window(pass.sums[l], place_of(i, half), half);
      double variance = 0;
      for (const Number& sum : window.sums) variance = std::max(variance, sum.variance);
      return Number{window.best, variance};
    }));
  }
  return pass;
}

ReferenceValue Net::loss(const Pass& pass, const Doubles& images) const {
  const Map& p = pass.sums.back();
  const auto count = static_cast<double>(image_values_);
  double sum = 0, inherited = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double difference = p[i].value - images[i];
    sum += squared(difference) / count;
    inherited += 2 * std::abs(difference) * std::sqrt(p[i].variance) / count;
  }
  return {sum, std::sqrt(squared(sum) * count + squared(inherited)), sum};
}

Net::Map Net::before_pool(const Map& gradient, const Map& sums, std::int64_t half) const {
  return each(static_cast<std::int64_t>(sums.size()), [&](std::int64_t i) {
    const Place place = place_of(i, 2 * half);
    const SumWindow window(sums, {place.plane, place.row / 2, place.column / 2}, half);
    const std::int64_t own = place_in_window(half, i);
    const Number sum = window.sums[own], d = gradient[at(window_of(half, i))];
    const bool won = own == window.winner;
    if (sum.value < -error_of(sum) || !(won || window.contested(own, window.winner)))
      return exactly(0);
    bool doubtful = std::abs(sum.value) <= error_of(sum);
    for (std::int64_t other = 0; other < 4; ++other)
      doubtful = doubtful || window.contested(own, other);
    const bool passes = won && sum.value > 0;
    return Number{passes ? d.value : 0,
                  doubtful ? d.variance + doubt_of(d.value) : (passes ? d.variance : 0)};
  });
}

// Gradients of the sums before the ReLU and the upsampling that precede a layer.
Net::Map Net::before_relu(std::size_t layer, const Map& slopes, const Doubles& parameters,
                          const Map& sums) const {
  const Conv& s = convs_[layer];
  const double* const w = parameters.data() + tensors_[2 * layer].first;
  const std::int64_t half = s.side / 2;
  return each(s.in_values() / 4, [&](std::int64_t i) {
    const Place place = place_of(i, half);
    NetSum sum(rounding_);
    if (rounding_.to_bf16) {
      const std::int64_t image = place.plane / s.in, in = place.plane % s.in;
      for (std::int64_t out = 0; out < s.out; ++out)
        add_folded_gradient(s, place, &slopes[at((image * s.out + out) * s.pixels())],
                            &w[(out * s.in + in) * kTaps], sum);
      return before_relu_of(sum.number(), sums[at(i)]);
    }
    for (std::int64_t k = 0; k < 4; ++k) {
      const std::int64_t row = 2 * place.row + k / 2, column = 2 * place.column + k % 2;
      add_dgrad(s, slopes, w, (place.plane * s.side + row) * s.side + column, sum);
    }
    return before_relu_of(sum.number(), sums[at(i)]);
  });
}

std::vector<Net::Map> Net::backward(const Pass& pass, const Doubles& parameters,
                                    const Doubles& images) const {
  std::vector<Map> slopes(convs_.size());
  const auto count = static_cast<double>(image_values_);
  slopes.back() = each(image_values_, [&](std::int64_t i) {
    const Number& p = pass.sums.back()[at(i)];
    const double value = 2 * (p.value - images[at(i)]) / count;
    // A difference and a quotient are rounded.
    return Number{value, 4 * p.variance / squared(count) + 2 * squared(value)};
  });
  for (std::size_t l = convs_.size() - 1; l > 0; --l) {
    const Conv& s = convs_[l];
    const Map& sums = pass.sums[l - 1];
    if (s.behind_upsample) {
      slopes[l - 1] = before_relu(l, slopes[l], parameters, sums);
      continue;
    }
    const double* const w = parameters.data() + tensors_[2 * l].first;
    const Map gradient = each(s.in_values(), [&](std::int64_t i) {
      NetSum sum(rounding_);
      add_dgrad(s, slopes[l], w, i, sum);
      return sum.number();
    });
    slopes[l - 1] = before_pool(gradient, sums, s.side);
  }
  return slopes;
}

ReferenceValue Net::gradient(const Pass& pass, const std::vector<Map>& slopes,
                             std::int64_t parameter) const {
  std::size_t t = 0;
  while (parameter >= tensors_[t].first + tensors_[t].count) ++t;
  const std::size_t l = t / 2;
  const Conv& s = convs_[l];
  const std::int64_t element = parameter - tensors_[t].first;
  if (tensors_[t].in != 0) {
    return wgrad_sum(s, pass.inputs[l], slopes[l], element, rounding_)
        .result(rounding_.of_gradient);
  }
  // A bias has no products: its terms are the gradients themselves.
  NetSum sum({.to_bf16 = rounding_.to_bf16});
  for (std::int64_t image = 0; image < s.images; ++image) {
    for (std::int64_t i = 0; i < s.pixels(); ++i)
      sum.add(slopes[l][at((image * s.out + element) * s.pixels() + i)], exactly(1));
  }
  return sum.result(rounding_.of_gradient);
}

}  // namespace warpscope::autoencoder
