// scenes/autoencoder/steps/conv_steps.cpp: what the direct convolutions run.
#include <algorithm>
#include <utility>

#include "scenes/autoencoder/inputs/drawn_bits.h"
#include "scenes/autoencoder/steps/steps.h"

namespace warpscope::autoencoder {
namespace {

constexpr std::int64_t kTile = 16;       // side of a block of nchw_grid2d.cu and nchw_wgrad.cu
constexpr std::int64_t kFilterSide = 3;  // side of a filter

Step to_nhwc(const std::string& from, std::int64_t outer, std::int64_t channels,
             std::int64_t inner) {
  const std::int64_t count = outer * channels * inner;
  return prepare_kernel(from + " to NHWC",
                        kernel_of_threads("autoencoder/to_nhwc.cu", "to_nhwc", count,
                                          {BufferArgument{from}, BufferArgument{from + "_nhwc"},
                                           count, as_int(channels), as_int(inner)}));
}

std::vector<Argument> with_sizes(std::vector<Argument> arguments, const Conv& s) {
  for (const std::int64_t size : {s.images, s.in, s.out, s.side})
    arguments.emplace_back(as_int(size));
  return arguments;
}

// Half of a convolution's outputs are negative, and a ReLU writes those alone.
StandIn random_signs(const std::string& buffer) {
  return {buffer, buffer + " is 1 or −1, drawn by the index: a ReLU writes where it is negative",
          fill_with_signs};
}

Step naive(std::string name, const std::string& entry, std::int64_t threads,
           std::vector<Argument> arguments) {
  return run_kernel(std::move(name), kernel_of_threads("autoencoder/naive_nhwc.cu", entry, threads,
                                                       std::move(arguments)));
}

Steps naive_prepared(const Conv& s, Direction direction) {
  switch (direction) {
    case Direction::forward:
      return {to_nhwc("x", s.images, s.in, s.pixels()), to_nhwc("w", s.out, s.in, kTaps)};
    case Direction::dgrad:
      return {to_nhwc("dy", s.images, s.out, s.pixels()), to_nhwc("w", s.out, s.in, kTaps)};
    case Direction::wgrad:
      break;
  }
  return {to_nhwc("x", s.images, s.in, s.pixels()), to_nhwc("dy", s.images, s.out, s.pixels())};
}

BufferSpec nhwc(std::string name, std::int64_t outer, std::int64_t side, std::int64_t channels) {
  std::string symbol = name + (side == 3 ? "[out, 3, 3, in]" : "[N, S, S, C]");
  return {std::move(name),
          ElementType::f32,
          outer * side * side * channels,
          BufferRole::scratch,
          {outer, side, side, channels},
          std::move(symbol)};
}

Step nchw_wgrad(const Conv& s, const ConvArrays& a) {
  KernelLaunch kernel{
      "autoencoder/nchw_wgrad.cu",
      "nchw_wgrad",
      {},
      {{ceil_divide(s.in, kTile), ceil_divide(s.out, kTile), 1}, {kTile, kTile, 1}, 0, {}},
      with_sizes({a.x, a.dy, a.dw}, s)};
  return run_kernel("weight gradient", std::move(kernel));
}

// One block of `threads` threads per channel, by a kernel that is named like its source.
Step bias_gradient_by(const std::string& technique, std::int64_t threads, const Conv& s,
                      const ConvArrays& a) {
  return run_kernel("bias gradient",
                    {"autoencoder/" + technique + ".cu",
                     technique,
                     {},
                     {{s.out, 1, 1}, {threads, 1, 1}, 0, {}},
                     {a.dy, a.db, as_int(s.images), as_int(s.out), as_int(s.pixels())}});
}

}  // namespace

KernelLaunch kernel_of_threads(const std::string& source, const std::string& entry,
                               std::int64_t threads, std::vector<Argument> arguments) {
  return {source,
          entry,
          {},
          {{ceil_divide(threads, kBlockThreads), 1, 1}, {kBlockThreads, 1, 1}, 0, {}},
          std::move(arguments)};
}

StandIn all_ones(const std::string& buffer) {
  return {buffer, buffer + " is all ones: it changes no address", [](std::span<std::byte> bytes) {
            for (float& value : elements_in<float>(bytes)) value = 1.0f;
          }};
}

Steps tagged(const Workload& w, Steps steps) {
  const Part part = part_of(w.axes);
  const bool windows = part == Part::pool || part == Part::upsample;
  for (Step& step : steps) {
    if (part == Part::conv || part == Part::conv_pool) step.tags["layer"] = conv_of(w.axes).layer;
    if (windows) step.tags["layer"] = windows_of(w.axes).layer;
    if (part == Part::conv) step.tags["phase"] = w.text("direction");
    if (windows || part == Part::conv_pool) step.tags["phase"] = w.text("pass");
  }
  return steps;
}

Steps naive_nhwc_layer(const Conv& s, Direction direction, const ConvArrays& a) {
  if (direction == Direction::wgrad)
    return {naive("weight gradient", "naive_wgrad", s.weights(), with_sizes({a.x, a.dy, a.dw}, s)),
            naive("bias gradient", "naive_bias_gradient", s.out,
                  {a.dy, a.db, s.images * s.pixels(), as_int(s.out)})};
  if (direction == Direction::dgrad)
    return {
        naive("input gradient", "naive_dgrad", s.in_values(), with_sizes({a.dy, a.w, a.dx}, s))};
  std::vector<Argument> arguments = with_sizes({a.x, a.w, a.b, a.y}, s);
  arguments.emplace_back(as_int(kFilterSide));
  Steps steps = {naive("convolve", "naive_forward", s.out_values(), std::move(arguments))};
  if (s.relu) {
    Step relu = naive("ReLU", "naive_relu", s.out_values(), {a.y, s.out_values()});
    relu.stand_ins = {random_signs(a.y.buffer)};
    steps.push_back(std::move(relu));
  }
  return steps;
}

Steps naive_nhwc_steps(const Workload& w) {
  const Conv s = conv_of(w.axes);
  const Direction direction = direction_of(w.axes);
  ConvArrays arrays;
  for (BufferArgument* moved : {&arrays.x, &arrays.w, &arrays.dy}) moved->buffer += "_nhwc";
  Steps steps = naive_prepared(s, direction);
  for (Step& step : naive_nhwc_layer(s, direction, arrays)) steps.push_back(std::move(step));
  return tagged(w, std::move(steps));
}

Steps naive_taps_outside_steps(const Workload& w) {
  Steps steps = naive_nhwc_steps(w);
  for (Step& step : steps) {
    auto* const kernel = std::get_if<KernelLaunch>(&step.action);
    if (kernel == nullptr || kernel->entry != "naive_forward") continue;
    kernel->source = "autoencoder/naive_taps_outside.cu";
    kernel->entry = "naive_taps_outside";
    kernel->arguments.pop_back();  // its window is 3×3
  }
  return steps;
}

Buffers naive_nhwc_scratch(const Workload& w) {
  const Conv s = conv_of(w.axes);
  const BufferSpec x = nhwc("x_nhwc", s.images, s.side, s.in);
  const BufferSpec dy = nhwc("dy_nhwc", s.images, s.side, s.out);
  const BufferSpec weights = nhwc("w_nhwc", s.out, 3, s.in);
  switch (direction_of(w.axes)) {
    case Direction::forward:
      return {x, weights};
    case Direction::dgrad:
      return {dy, weights};
    case Direction::wgrad:
      break;
  }
  return {x, dy};
}

Step bias_gradient_step(const Conv& s, const ConvArrays& a) {
  return bias_gradient_by("bias_gradient", kBlockThreads, s, a);
}

std::int64_t grid2d_layers(const Workload& w) {
  // Those of the widest map that a step writes.
  if (part_of(w.axes) == Part::step)
    return w.integer("batch") * std::max(w.integer("channels"), kImageChannels);
  const Conv s = conv_of(w.axes);
  const bool of_weights = part_of(w.axes) == Part::conv_pool && backward(w.axes);
  if (direction_of(w.axes) == Direction::wgrad || of_weights) return 1;
  return s.images * (direction_of(w.axes) == Direction::dgrad ? s.in : s.out);
}

KernelLaunch grid2d_kernel(const Conv& s, bool dgrad, const std::string& technique,
                           const ConvArrays& a) {
  const std::int64_t tiles = ceil_divide(s.side, kTile);
  return {
      "autoencoder/" + technique + ".cu",
      technique,
      {define("DGRAD", dgrad ? 1 : 0)},
      {{tiles, tiles, s.images * (dgrad ? s.in : s.out)}, {kTile, kTile, 1}, 0, {}},
      {dgrad ? a.dy : a.x, a.w, dgrad ? a.w : a.b, dgrad ? a.dx : a.y, as_int(dgrad ? s.out : s.in),
       as_int(dgrad ? s.in : s.out), as_int(s.side), as_int(s.relu && !dgrad ? 1 : 0)}};
}

KernelLaunch grid2d_kernel(const Workload& w, const std::string& technique, const std::string& y) {
  ConvArrays arrays;
  arrays.y.buffer = y;
  return grid2d_kernel(conv_of(w.axes), direction_of(w.axes) == Direction::dgrad, technique,
                       arrays);
}

std::string convolution_name(Direction direction) {
  return direction == Direction::dgrad ? "input gradient" : "convolve";
}

std::string convolution_name(const Workload& w) { return convolution_name(direction_of(w.axes)); }

Steps nchw_grid2d_layer(const Conv& s, Direction direction, const ConvArrays& a) {
  if (direction == Direction::wgrad) return {nchw_wgrad(s, a), bias_gradient_step(s, a)};
  return {run_kernel(convolution_name(direction),
                     grid2d_kernel(s, direction == Direction::dgrad, "nchw_grid2d", a))};
}

Steps nchw_run_time_window_steps(const Workload& w) {
  KernelLaunch kernel = grid2d_kernel(w, "nchw_run_time_window");
  kernel.arguments.emplace_back(as_int(kFilterSide));
  return tagged(w, {run_kernel(convolution_name(w), std::move(kernel))});
}

Steps bias_one_warp_steps(const Workload& w) {
  constexpr std::int64_t kWarp = 32;
  const Conv s = conv_of(w.axes);
  return tagged(w, {nchw_wgrad(s, {}), bias_gradient_by("bias_one_warp", kWarp, s, {})});
}

Steps bias_shared_tree_steps(const Workload& w) {
  const Conv s = conv_of(w.axes);
  return tagged(w, {nchw_wgrad(s, {}), bias_gradient_by("bias_shared_tree", kBlockThreads, s, {})});
}

Steps nchw_grid2d_steps(const Workload& w) {
  return tagged(w, nchw_grid2d_layer(conv_of(w.axes), direction_of(w.axes), {}));
}

}  // namespace warpscope::autoencoder
