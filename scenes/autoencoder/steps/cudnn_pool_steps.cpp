// scenes/autoencoder/steps/cudnn_pool_steps.cpp: pools by calls of cuDNN, and what those compute.
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "scenes/autoencoder/steps/steps.h"

namespace warpscope::autoencoder {
namespace {

constexpr std::int64_t kWindow = 4;

// The value number `k` of a window, in the large map.
std::size_t value_at(const Windows& s, std::int64_t window, std::int64_t k) {
  const std::int64_t column = window % s.small_side, row = window / s.small_side % s.small_side;
  const std::int64_t plane = window / s.small_side / s.small_side;
  return static_cast<std::size_t>((plane * s.large_side() + 2 * row + k / 2) * s.large_side() +
                                  2 * column + k % 2);
}

struct Maximum {
  float value = -1e38f;  // of windows.cuh
  std::int64_t place = 0;
};

// On the host, to emulate what a library call does. Takes the first of equal maxima, and the start
// value if nothing is greater. The library promises neither, and no gradient here has ties.
Maximum maximum_of(const Windows& s, std::span<const float> map, std::int64_t window) {
  Maximum best;
  for (std::int64_t k = 0; k < kWindow; ++k) {
    const float value = map[value_at(s, window, k)];
    if (value > best.value) best = {value, k};
  }
  return best;
}

Result<void> pool(const Windows& s, HostBuffers& buffers) {
  const auto x = elements_in<float>(buffers.at("x")), y = elements_in<float>(buffers.at("y"));
  for (std::int64_t i = 0; i < s.small_values(); ++i)
    y[static_cast<std::size_t>(i)] = maximum_of(s, x, i).value;
  return {};
}

Result<void> scatter(const Windows& s, HostBuffers& buffers) {
  const auto map = elements_in<float>(buffers.at("map"));
  const auto dy = elements_in<float>(buffers.at("dy")), dx = elements_in<float>(buffers.at("dx"));
  for (std::int64_t i = 0; i < s.small_values(); ++i) {
    const std::int64_t place = maximum_of(s, map, i).place;
    for (std::int64_t k = 0; k < kWindow; ++k)
      dx[value_at(s, i, k)] = k == place ? dy[static_cast<std::size_t>(i)] : 0;
  }
  return {};
}

std::map<std::string, double> sizes_of(const Windows& s) {
  return {{"images", static_cast<double>(s.images)},
          {"channels", static_cast<double>(s.channels)},
          {"side", static_cast<double>(s.large_side())}};
}

Step places_kernel(const Windows& s, std::string name, Phase phase, const std::string& entry,
                   std::vector<Argument> arguments) {
  arguments.emplace_back(s.planes());
  arguments.emplace_back(as_int(s.small_side));
  return {std::move(name), phase,
          kernel_of_threads("autoencoder/pool_places.cu", entry, s.small_values(),
                            std::move(arguments))};
}

BufferSpec scratch_map(std::string name, const Windows& s, std::int64_t side) {
  std::string symbol = name + "[N, C, S, S]";
  return {std::move(name),
          ElementType::f32,
          s.planes() * side * side,
          BufferRole::scratch,
          {s.images, s.channels, side, side},
          std::move(symbol)};
}

}  // namespace

Steps cudnn_pooling_steps(const Workload& w) {
  const Windows s = windows_of(w.axes);
  if (backward(w.axes)) {
    LibraryCall call{"cudnn.pooling.backward",
                     {{"x", "map"}, {"y", "pooled"}, {"dy", "dy"}, {"dx", "dx"}},
                     sizes_of(s)};
    call.on_host = std::make_shared<const HostFunction>(
        HostFunction{{"map", "pooled", "dy"}, {"dx"}, [s](HostBuffers& buffers) {
                       return scatter(s, buffers);
                     }});
    return tagged(
        w,
        {places_kernel(s, "map with these maxima", Phase::prepare, "map_of_places",
                       {BufferArgument{"argmax"}, BufferArgument{"map"}, BufferArgument{"pooled"}}),
         {"pool gradient", Phase::run, std::move(call)}});
  }
  LibraryCall call{"cudnn.pooling.forward", {{"x", "x"}, {"y", "y"}}, sizes_of(s)};
  call.on_host = std::make_shared<const HostFunction>(
      HostFunction{{"x"}, {"y"}, [s](HostBuffers& buffers) { return pool(s, buffers); }});
  return tagged(w, {{"pool", Phase::run, std::move(call)},
                    places_kernel(s, "places of maxima", Phase::run, "places_of_maxima",
                                  {BufferArgument{"x"}, BufferArgument{"argmax"}})});
}

Buffers cudnn_pooling_scratch(const Workload& w) {
  const Windows s = windows_of(w.axes);
  if (!backward(w.axes)) return {};
  return {scratch_map("map", s, s.large_side()), scratch_map("pooled", s, s.small_side)};
}

}  // namespace warpscope::autoencoder
