// scenes/autoencoder/cpu_level.cpp: the training step on the processor, in f32, one thread.
#include <utility>

#include "scenes/autoencoder/step/step.h"

// Plain loops over planes of pixels, rows innermost: what the kernels are a copy of.

namespace warpscope::autoencoder {
namespace {

// Set where this file is compiled: scenes/CMakeLists.txt.
constexpr const char* kHow = "-O3 for any x86-64 processor, one thread";

using Floats = std::span<float>;

// The floats of an argument, from its offset on.
Floats floats(HostBuffers& buffers, const BufferArgument& array) {
  return elements_in<float>(
      buffers.at(array.buffer).subspan(static_cast<std::size_t>(array.offset_bytes)));
}

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

Step host_step(std::string name, std::vector<std::string> reads, std::vector<std::string> writes,
               std::function<void(HostBuffers&)> run) {
  HostStep step;
  step.sentence = kHow;
  step.function = {std::move(reads), std::move(writes),
                   [run = std::move(run)](HostBuffers& buffers) -> Result<void> {
                     run(buffers);
                     return {};
                   }};
  return {std::move(name), Phase::run, std::move(step)};
}

// Where a tap's neighbours lie inside of a map: rows and columns from `first` to `end`.
struct Inside {
  std::int64_t first = 0, end = 0;
};
Inside inside_of(std::int64_t offset, std::int64_t side) {
  return {offset < 0 ? -offset : 0, offset > 0 ? side - offset : side};
}

// Calls row(pixel, neighbour, count) for each row of pixels that have a neighbour at the tap.
template <typename Row>
void each_row(std::int64_t side, std::int64_t tap, Row row) {
  const std::int64_t down = tap / 3 - 1, right = tap % 3 - 1;
  const Inside rows = inside_of(down, side), columns = inside_of(right, side);
  for (std::int64_t r = rows.first; r < rows.end; ++r)
    row(r * side + columns.first, (r + down) * side + columns.first + right,
        columns.end - columns.first);
}

void convolve(const Conv& s, Floats x, Floats w, Floats b, Floats y) {
  for (std::int64_t plane = 0; plane < s.images * s.out; ++plane) {
    const std::int64_t image = plane / s.out, out = plane % s.out;
    const Floats to = y.subspan(at(plane * s.pixels()), at(s.pixels()));
    for (float& value : to) value = b[at(out)];
    for (std::int64_t in = 0; in < s.in; ++in) {
      const Floats from = x.subspan(at((image * s.in + in) * s.pixels()), at(s.pixels()));
      for (std::int64_t tap = 0; tap < kTaps; ++tap) {
        const float weight = w[at((out * s.in + in) * kTaps + tap)];
        each_row(s.side, tap, [&](std::int64_t pixel, std::int64_t near, std::int64_t count) {
          for (std::int64_t i = 0; i < count; ++i) to[at(pixel + i)] += weight * from[at(near + i)];
        });
      }
    }
    for (float& value : to) value = s.relu && value < 0 ? 0 : value;
  }
}

void input_gradient(const Conv& s, Floats dy, Floats w, Floats dx) {
  for (float& value : dx.first(at(s.in_values()))) value = 0;
  for (std::int64_t plane = 0; plane < s.images * s.out; ++plane) {
    const std::int64_t image = plane / s.out, out = plane % s.out;
    const Floats from = dy.subspan(at(plane * s.pixels()), at(s.pixels()));
    for (std::int64_t in = 0; in < s.in; ++in) {
      const Floats to = dx.subspan(at((image * s.in + in) * s.pixels()), at(s.pixels()));
      for (std::int64_t tap = 0; tap < kTaps; ++tap) {
        const float weight = w[at((out * s.in + in) * kTaps + tap)];
        each_row(s.side, tap, [&](std::int64_t pixel, std::int64_t near, std::int64_t count) {
          for (std::int64_t i = 0; i < count; ++i) to[at(near + i)] += weight * from[at(pixel + i)];
        });
      }
    }
  }
}

void weight_gradient(const Conv& s, Floats x, Floats dy, Floats dw, Floats db) {
  for (float& value : dw.first(at(s.weights()))) value = 0;
  for (float& value : db.first(at(s.out))) value = 0;
  for (std::int64_t plane = 0; plane < s.images * s.out; ++plane) {
    const std::int64_t image = plane / s.out, out = plane % s.out;
    const Floats d = dy.subspan(at(plane * s.pixels()), at(s.pixels()));
    for (const float value : d) db[at(out)] += value;
    for (std::int64_t in = 0; in < s.in; ++in) {
      const Floats from = x.subspan(at((image * s.in + in) * s.pixels()), at(s.pixels()));
      for (std::int64_t tap = 0; tap < kTaps; ++tap) {
        float sum = 0;
        each_row(s.side, tap, [&](std::int64_t pixel, std::int64_t near, std::int64_t count) {
          for (std::int64_t i = 0; i < count; ++i) sum += d[at(pixel + i)] * from[at(near + i)];
        });
        dw[at((out * s.in + in) * kTaps + tap)] += sum;
      }
    }
  }
}

Steps convolve_on_host(const Conv& s, Direction direction, const ConvArrays& a) {
  if (direction == Direction::forward)
    return {host_step("convolve", {a.x.buffer, a.w.buffer}, {a.y.buffer}, [s, a](HostBuffers& h) {
      convolve(s, floats(h, a.x), floats(h, a.w), floats(h, a.b), floats(h, a.y));
    })};
  if (direction == Direction::dgrad)
    return {host_step("input gradient", {a.dy.buffer, a.w.buffer}, {a.dx.buffer},
                      [s, a](HostBuffers& h) {
                        input_gradient(s, floats(h, a.dy), floats(h, a.w), floats(h, a.dx));
                      })};
  return {host_step(
      "weight gradient", {a.x.buffer, a.dy.buffer}, {a.dw.buffer}, [s, a](HostBuffers& h) {
        weight_gradient(s, floats(h, a.x), floats(h, a.dy), floats(h, a.dw), floats(h, a.db));
      })};
}

// Calls window(small, large, step to the row below) for each window.
template <typename Each>
void each_window(const Windows& s, Each window) {
  const std::int64_t side = s.large_side(), half = s.small_side;
  for (std::int64_t plane = 0; plane < s.planes(); ++plane) {
    for (std::int64_t row = 0; row < half; ++row) {
      for (std::int64_t column = 0; column < half; ++column)
        window((plane * half + row) * half + column, (plane * side + 2 * row) * side + 2 * column);
    }
  }
}

Steps pool_on_host(const Windows& s, bool backward, const WindowArrays& a) {
  const std::int64_t side = s.large_side();
  const auto place_of = [side](std::int64_t large, std::uint32_t place) {
    return at(large + place / 2 * side + place % 2);
  };
  if (backward)
    return {host_step("", {a.dy.buffer, a.argmax.buffer}, {a.dx.buffer}, [=](HostBuffers& h) {
      const Floats dy = floats(h, a.dy), dx = floats(h, a.dx);
      const auto argmax = elements_in<std::uint32_t>(h.at(a.argmax.buffer));
      for (float& value : dx) value = 0;
      each_window(s, [&](std::int64_t small, std::int64_t large) {
        dx[place_of(large, argmax[at(small)])] = dy[at(small)];
      });
    })};
  return {host_step("", {a.x.buffer}, {a.y.buffer, a.argmax.buffer}, [=](HostBuffers& h) {
    const Floats x = floats(h, a.x), y = floats(h, a.y);
    const auto argmax = elements_in<std::uint32_t>(h.at(a.argmax.buffer));
    each_window(s, [&](std::int64_t small, std::int64_t large) {
      float best = -1e38f;
      argmax[at(small)] = 0;
      for (std::uint32_t place = 0; place < 4; ++place) {
        const float value = x[place_of(large, place)];
        if (value > best) best = value, argmax[at(small)] = place;
      }
      y[at(small)] = best;
    });
  })};
}

Steps upsample_on_host(const Windows& s, bool backward, const WindowArrays& a) {
  const std::int64_t side = s.large_side();
  if (backward)
    return {host_step("", {a.dy.buffer}, {a.dx.buffer}, [=](HostBuffers& h) {
      const Floats dy = floats(h, a.dy), dx = floats(h, a.dx);
      each_window(s, [&](std::int64_t small, std::int64_t large) {
        dx[at(small)] =
            (dy[at(large)] + dy[at(large + 1)]) + (dy[at(large + side)] + dy[at(large + side + 1)]);
      });
    })};
  return {host_step("", {a.x.buffer}, {a.y.buffer}, [=](HostBuffers& h) {
    const Floats x = floats(h, a.x), y = floats(h, a.y);
    each_window(s, [&](std::int64_t small, std::int64_t large) {
      for (const std::int64_t i : {large, large + 1, large + side, large + side + 1})
        y[at(i)] = x[at(small)];
    });
  })};
}

Step mask_on_host(const std::string& y, const std::string& dy, std::int64_t values) {
  return host_step("", {y, dy}, {dy}, [=](HostBuffers& h) {
    const Floats sums = floats(h, {y}), d = floats(h, {dy});
    for (std::int64_t i = 0; i < values; ++i) d[at(i)] = sums[at(i)] > 0 ? d[at(i)] : 0;
  });
}

Steps loss_on_host(std::int64_t values, const std::string& p, const std::string& t,
                   const std::string& dp) {
  return {host_step("loss", {p, t}, {"loss"},
                    [=](HostBuffers& h) {
                      const Floats made = floats(h, {p}), wanted = floats(h, {t});
                      float sum = 0;
                      for (std::int64_t i = 0; i < values; ++i) {
                        const float difference = made[at(i)] - wanted[at(i)];
                        sum += difference * difference;
                      }
                      floats(h, {"loss"})[0] = sum / static_cast<float>(values);
                    }),
          host_step("gradient", {p, t}, {dp}, [=](HostBuffers& h) {
            const Floats made = floats(h, {p}), wanted = floats(h, {t}), d = floats(h, {dp});
            for (std::int64_t i = 0; i < values; ++i)
              d[at(i)] = 2 * (made[at(i)] - wanted[at(i)]) / static_cast<float>(values);
          })};
}

Step update_on_host(const Workload& w, const Tensor& tensor, const std::string& parameters) {
  const auto lr = static_cast<float>(w.real("lr"));
  return host_step("", {"gradients", parameters}, {parameters}, [=](HostBuffers& h) {
    const Floats slopes = floats(h, {"gradients"}), values = floats(h, {parameters});
    for (std::int64_t i = tensor.first; i < tensor.first + tensor.count; ++i)
      values[at(i)] -= lr * slopes[at(i)];
  });
}

}  // namespace

Level cpu_level() {
  Level level;
  level.convolve = convolve_on_host;
  level.pool = pool_on_host;
  level.upsample = upsample_on_host;
  level.mask = mask_on_host;
  level.loss = loss_on_host;
  level.update = update_on_host;
  level.copies = false;
  return level;
}

}  // namespace warpscope::autoencoder
