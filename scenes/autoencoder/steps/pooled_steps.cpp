// scenes/autoencoder/steps/pooled_steps.cpp: the steps of a convolution with a pool after it.
#include <utility>

#include "scenes/autoencoder/steps/steps.h"

namespace warpscope::autoencoder {
namespace {

constexpr std::int64_t kWindowsOfPair = 32;  // whose places two words hold: pool_fused_argmax.cu

BufferSpec maps(std::string name, const Conv& s, std::int64_t side) {
  std::string symbol = name + "[N, C, S, S]";
  return {std::move(name),
          ElementType::f32,
          s.images * s.out * side * side,
          BufferRole::scratch,
          {s.images, s.out, side, side},
          std::move(symbol)};
}

KernelLaunch of_windows(const Workload& w, const std::string& technique, const std::string& entry,
                        std::vector<Argument> arguments) {
  return kernel_of_threads("autoencoder/" + technique + ".cu", entry,
                           windows_of(w.axes).small_values(), std::move(arguments));
}

// What either fused kernel takes, `places` between the output and the sizes where it has them.
std::vector<Argument> fused_arguments(const Workload& w, bool places) {
  const Conv s = conv_of(w.axes);
  std::vector<Argument> all = {BufferArgument{"x"}, BufferArgument{"w"}, BufferArgument{"b"},
                               BufferArgument{"y"}};
  if (places) all.emplace_back(BufferArgument{"places"});
  for (const Argument& size : {Argument{windows_of(w.axes).small_values()}, Argument{as_int(s.in)},
                               Argument{as_int(s.out)}, Argument{as_int(s.side / 2)}})
    all.push_back(size);
  return all;
}

// The pool's gradient, then the ReLU's for the whole large map, then the gradient of the weights.
Steps gradients_of_maps(const Workload& w) {
  const Conv s = conv_of(w.axes);
  const Windows windows = windows_of(w.axes);
  ConvArrays arrays;
  arrays.dy = {"dmap"};
  Steps steps = {
      {"gradient to be masked", Phase::prepare, DeviceCopy{"dy", "dpooled"}},
      run_kernel("ReLU gradient", of_windows(w, "relu_gradient", "relu_gradient",
                                             {BufferArgument{"y"}, BufferArgument{"dpooled"},
                                              windows.small_values()})),
      run_kernel("pool gradient", of_windows(w, "pool_windows", "pool_windows_backward",
                                             {BufferArgument{"dpooled"}, BufferArgument{"argmax"},
                                              BufferArgument{"dmap"}, windows.planes(),
                                              as_int(windows.small_side)}))};
  steps.back().stand_ins = {all_ones("dpooled")};
  for (Step& step : nchw_grid2d_layer(s, Direction::wgrad, arrays)) {
    step.stand_ins.push_back(all_ones("dmap"));
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace

Steps conv_then_pool_steps(const Workload& w) {
  if (backward(w.axes)) return tagged(w, gradients_of_maps(w));
  const Windows windows = windows_of(w.axes);
  return tagged(w,
                {run_kernel("convolve", grid2d_kernel(w, "nchw_grid2d", "map")),
                 run_kernel("pool", of_windows(w, "pool_windows", "pool_windows_values",
                                               {BufferArgument{"map"}, BufferArgument{"y"},
                                                windows.planes(), as_int(windows.small_side)}))});
}

Buffers conv_then_pool_scratch(const Workload& w) {
  const Conv s = conv_of(w.axes);
  if (backward(w.axes)) return {maps("dpooled", s, s.side / 2), maps("dmap", s, s.side)};
  return {maps("map", s, s.side)};
}

Steps fused_relu_pool_steps(const Workload& w) {
  return tagged(w,
                {run_kernel("convolve and pool", of_windows(w, "fused_relu_pool", "fused_relu_pool",
                                                            fused_arguments(w, false)))});
}

Steps pool_fused_argmax_steps(const Workload& w) {
  constexpr std::int64_t kChannelsOfBlock = 3;
  const Conv s = conv_of(w.axes);
  if (!backward(w.axes))
    return tagged(
        w, {run_kernel("convolve and pool", of_windows(w, "pool_fused_argmax", "pool_fused_argmax",
                                                       fused_arguments(w, true)))});
  KernelLaunch gradients{
      "autoencoder/pool_fused_argmax.cu",
      "argmax_wgrad",
      {},
      {{ceil_divide(s.in, kChannelsOfBlock), s.out, 1}, {kBlockThreads, 1, 1}, 0, {}},
      {BufferArgument{"x"}, BufferArgument{"y"}, BufferArgument{"places"}, BufferArgument{"dy"},
       BufferArgument{"dw"}, BufferArgument{"db"}, as_int(s.images), as_int(s.in), as_int(s.out),
       as_int(s.side / 2)}};
  return tagged(w, {prepare_kernel("pack places",
                                   of_windows(w, "pool_fused_argmax", "pack_places",
                                              {BufferArgument{"argmax"}, BufferArgument{"places"},
                                               windows_of(w.axes).small_values()})),
                    run_kernel("gradients of weights and biases", std::move(gradients))});
}

Buffers pool_fused_argmax_scratch(const Workload& w) {
  const std::int64_t pairs = ceil_divide(windows_of(w.axes).small_values(), kWindowsOfPair);
  return {
      {"places", ElementType::u32, 2 * pairs, BufferRole::scratch, {pairs, 2}, "places[y/32, 2]"}};
}

}  // namespace warpscope::autoencoder
