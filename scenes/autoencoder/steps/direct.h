// scenes/autoencoder/steps/direct.h: every operator in double precision, one element at a time, as
// it is written down.
#pragma once

#include <cmath>
#include <cstdint>

#include "scenes/autoencoder/shapes.h"
#include "scenes/base/scene.h"

// Arrays are anything that is read by its index: elements of an input, or doubles of a test that
// chains operators. Maps are NCHW, an element is asked for by its index there.

namespace warpscope::autoencoder {

inline constexpr double kPoolStart = -1e38;  // what a window's values are held against first

struct Place {
  std::int64_t plane = 0, row = 0, column = 0;  // plane: image · channels + channel
};
inline Place place_of(std::int64_t element, std::int64_t side) {
  return {element / side / side, element / side % side, element % side};
}

// Σ of products with the scales of its error bound.
class Sum {
 public:
  void add(double a, double b) {
    value_ += a * b;
    magnitude_ += std::abs(a * b);
    ++terms_;
  }
  ReferenceValue result() const {
    return {value_, magnitude_ * std::sqrt(static_cast<double>(terms_ > 0 ? terms_ : 1)),
            magnitude_};
  }

 private:
  double value_ = 0, magnitude_ = 0;
  std::int64_t terms_ = 0;
};

// Calls at(row, column, tap) for the neighbours of a place that lie inside of the map; tap 0 … 8,
// row by row.
template <typename At>
void each_neighbour(std::int64_t side, const Place& place, At at) {
  for (std::int64_t tap = 0; tap < kTaps; ++tap) {
    const std::int64_t row = place.row + tap / 3 - 1, column = place.column + tap % 3 - 1;
    if (row >= 0 && row < side && column >= 0 && column < side) at(row, column, tap);
  }
}

// NaN stays NaN.
inline double relu_of(double value) { return value < 0 ? 0 : value; }

// y without its ReLU.
template <typename X, typename W, typename B>
ReferenceValue conv_at(const Conv& s, const X& x, const W& w, const B& b, std::int64_t element) {
  const Place place = place_of(element, s.side);
  const std::int64_t image = place.plane / s.out, out = place.plane % s.out;
  Sum sum;
  sum.add(b[out], 1);
  for (std::int64_t in = 0; in < s.in; ++in) {
    each_neighbour(s.side, place, [&](std::int64_t row, std::int64_t column, std::int64_t tap) {
      sum.add(x[((image * s.in + in) * s.side + row) * s.side + column],
              w[(out * s.in + in) * kTaps + tap]);
    });
  }
  return sum.result();
}

template <typename DY, typename W>
ReferenceValue dgrad_at(const Conv& s, const DY& dy, const W& w, std::int64_t element) {
  const Place place = place_of(element, s.side);
  const std::int64_t image = place.plane / s.in, in = place.plane % s.in;
  Sum sum;
  for (std::int64_t out = 0; out < s.out; ++out) {
    each_neighbour(s.side, place, [&](std::int64_t row, std::int64_t column, std::int64_t tap) {
      // The output to the upper left took this input by its lower right weight.
      sum.add(dy[((image * s.out + out) * s.side + row) * s.side + column],
              w[(out * s.in + in) * kTaps + (kTaps - 1 - tap)]);
    });
  }
  return sum.result();
}

template <typename X, typename DY>
ReferenceValue wgrad_at(const Conv& s, const X& x, const DY& dy, std::int64_t element) {
  const std::int64_t tap = element % kTaps, in = element / kTaps % s.in;
  const std::int64_t out = element / kTaps / s.in;
  Sum sum;
  for (std::int64_t image = 0; image < s.images; ++image) {
    for (std::int64_t row = 0; row < s.side; ++row) {
      for (std::int64_t column = 0; column < s.side; ++column) {
        const std::int64_t from_row = row + tap / 3 - 1, from_column = column + tap % 3 - 1;
        if (from_row < 0 || from_row >= s.side || from_column < 0 || from_column >= s.side)
          continue;
        sum.add(dy[((image * s.out + out) * s.side + row) * s.side + column],
                x[((image * s.in + in) * s.side + from_row) * s.side + from_column]);
      }
    }
  }
  return sum.result();
}

template <typename DY>
ReferenceValue bias_gradient_at(const Conv& s, const DY& dy, std::int64_t out) {
  Sum sum;
  for (std::int64_t image = 0; image < s.images; ++image) {
    for (std::int64_t i = 0; i < s.pixels(); ++i)
      sum.add(dy[(image * s.out + out) * s.pixels() + i], 1);
  }
  return sum.result();
}

struct Pooled {
  double value = kPoolStart;
  std::int64_t place = 0;  // 0 … 3 in its window, row by row
};
// The first maximum: a value has to be greater, which no NaN is.
template <typename X>
Pooled pool_at(std::int64_t small_side, const X& x, std::int64_t element) {
  const Place at = place_of(element, small_side);
  const std::int64_t side = 2 * small_side;
  Pooled best;
  for (std::int64_t i = 0; i < 4; ++i) {
    const double value = x[(at.plane * side + 2 * at.row + i / 2) * side + 2 * at.column + i % 2];
    if (value > best.value) best = {value, i};
  }
  return best;
}

// The window in which an element of a large map lies.
inline std::int64_t window_of(std::int64_t small_side, std::int64_t element) {
  const Place at = place_of(element, 2 * small_side);
  return (at.plane * small_side + at.row / 2) * small_side + at.column / 2;
}
inline std::int64_t place_in_window(std::int64_t small_side, std::int64_t element) {
  const Place at = place_of(element, 2 * small_side);
  return 2 * (at.row % 2) + at.column % 2;
}

template <typename DY, typename Argmax>
double pool_gradient_at(std::int64_t small_side, const DY& dy, const Argmax& argmax,
                        std::int64_t element) {
  const std::int64_t window = window_of(small_side, element);
  const bool won =
      static_cast<std::int64_t>(argmax[window]) == place_in_window(small_side, element);
  return won ? dy[window] : 0.0;
}

// The gradient of a convolution's weights through ReLU and pool: of a window whose maximum is
// positive it goes to the place of that.
template <typename X, typename Y, typename Argmax, typename DY>
ReferenceValue pooled_wgrad_at(const Conv& s, const X& x, const Y& y, const Argmax& argmax,
                               const DY& dy, std::int64_t element) {
  const std::int64_t tap = element % kTaps, in = element / kTaps % s.in;
  const std::int64_t out = element / kTaps / s.in, half = s.side / 2;
  Sum sum;
  for (std::int64_t image = 0; image < s.images; ++image) {
    for (std::int64_t window = 0; window < half * half; ++window) {
      const std::int64_t i = (image * s.out + out) * half * half + window;
      if (!(y[i] > 0)) continue;
      const auto place = static_cast<std::int64_t>(argmax[i]);
      const std::int64_t row = 2 * (window / half) + place / 2 + tap / 3 - 1;
      const std::int64_t column = 2 * (window % half) + place % 2 + tap % 3 - 1;
      if (row < 0 || row >= s.side || column < 0 || column >= s.side) continue;
      sum.add(dy[i], x[((image * s.in + in) * s.side + row) * s.side + column]);
    }
  }
  return sum.result();
}
template <typename Y, typename DY>
ReferenceValue pooled_bias_gradient_at(const Conv& s, const Y& y, const DY& dy, std::int64_t out) {
  const std::int64_t windows = s.pixels() / 4;
  Sum sum;
  for (std::int64_t image = 0; image < s.images; ++image) {
    for (std::int64_t window = 0; window < windows; ++window) {
      const std::int64_t i = (image * s.out + out) * windows + window;
      if (y[i] > 0) sum.add(dy[i], 1);
    }
  }
  return sum.result();
}

template <typename DY>
ReferenceValue upsample_gradient_at(std::int64_t small_side, const DY& dy, std::int64_t element) {
  const Place at = place_of(element, small_side);
  const std::int64_t side = 2 * small_side;
  Sum sum;
  for (std::int64_t i = 0; i < 4; ++i)
    sum.add(dy[(at.plane * side + 2 * at.row + i / 2) * side + 2 * at.column + i % 2], 1);
  return sum.result();
}

// The mean of all squared differences.
template <typename P, typename T>
ReferenceValue loss_of(const P& p, const T& t, std::int64_t count) {
  Sum sum;
  for (std::int64_t i = 0; i < count; ++i) {
    const double difference = static_cast<double>(p[i]) - static_cast<double>(t[i]);
    sum.add(difference, difference / static_cast<double>(count));
  }
  return sum.result();
}
template <typename P, typename T>
double loss_gradient_at(const P& p, const T& t, std::int64_t count, std::int64_t i) {
  return 2 * (static_cast<double>(p[i]) - static_cast<double>(t[i])) / static_cast<double>(count);
}

}  // namespace warpscope::autoencoder
