// scenes/autoencoder/steps/window_steps.cpp: what pools and upsamplings run.
#include <utility>

#include "scenes/autoencoder/steps/steps.h"

namespace warpscope::autoencoder {
namespace {

std::string pass_name(bool backward) { return backward ? "backward" : "forward"; }

std::vector<Argument> pool_arrays(bool backward, const WindowArrays& a) {
  if (backward) return {a.dy, a.argmax, a.dx};
  return {a.x, a.y, a.argmax};
}

std::vector<Argument> upsample_arrays(bool backward, const WindowArrays& a) {
  if (backward) return {a.dy, a.dx};
  return {a.x, a.y};
}

Step window_step(const Windows& s, bool backward, const std::string& source,
                 const std::string& entry, std::int64_t threads, std::vector<Argument> arguments) {
  arguments.emplace_back(s.planes());
  arguments.emplace_back(as_int(s.small_side));
  return run_kernel(pass_name(backward), kernel_of_threads("autoencoder/" + source + ".cu",
                                                           entry + "_" + pass_name(backward),
                                                           threads, std::move(arguments)));
}

Step with_channels(const Windows& s, Step step) {
  std::get<KernelLaunch>(step.action).arguments.emplace_back(as_int(s.channels));
  return step;
}

// A gradient that a kernel adds to begins as zeros.
Steps cleared(const WindowArrays& a, Step step) {
  return {{"clear gradient", Phase::run, Memset{a.dx.buffer, 0}}, std::move(step)};
}

// A thread for every pixel of the map that is written.
std::int64_t written(const Windows& s, bool backward) {
  return backward ? s.small_values() : s.large_values();
}

}  // namespace

Steps pool_scatter_layer(const Windows& s, bool backward, const WindowArrays& a) {
  Step step = window_step(s, backward, "pool_scatter", "pool_scatter", s.small_values(),
                          pool_arrays(backward, a));
  if (backward) return cleared(a, std::move(step));
  return {std::move(step)};
}

Steps pool_scatter_steps(const Workload& w) {
  return tagged(w, pool_scatter_layer(windows_of(w.axes), backward(w.axes), {}));
}

Steps upsample_pixels_layer(const Windows& s, bool backward, const WindowArrays& a) {
  return {window_step(s, backward, "upsample_pixels", "upsample_pixels", written(s, backward),
                      upsample_arrays(backward, a))};
}

Steps upsample_pixels_steps(const Workload& w) {
  return tagged(w, upsample_pixels_layer(windows_of(w.axes), backward(w.axes), {}));
}

Steps pool_windows_layer(const Windows& s, bool backward, const WindowArrays& a) {
  return {window_step(s, backward, "pool_windows", "pool_windows", s.small_values(),
                      pool_arrays(backward, a))};
}

Steps upsample_row_pairs_layer(const Windows& s, bool backward, const WindowArrays& a) {
  return {window_step(s, backward, "upsample_row_pairs", "upsample_row_pairs", s.small_values(),
                      upsample_arrays(backward, a))};
}

Steps pool_nhwc_windows_layer(const Windows& s, bool backward, const WindowArrays& a) {
  return {with_channels(
      s, window_step(s, backward, "windows_nhwc", backward ? "pool_nhwc_windows" : "pool_nhwc",
                     s.small_values(), pool_arrays(backward, a)))};
}

Steps upsample_quads_nhwc_layer(const Windows& s, bool backward, const WindowArrays& a) {
  if (backward) return upsample_nhwc_layer(s, backward, a);
  return {with_channels(s, window_step(s, backward, "upsample_quads_nhwc", "upsample_quads_nhwc",
                                       s.small_values(), upsample_arrays(backward, a)))};
}

Steps pool_nhwc_layer(const Windows& s, bool backward, const WindowArrays& a) {
  Step step = with_channels(s, window_step(s, backward, "windows_nhwc", "pool_nhwc",
                                           s.small_values(), pool_arrays(backward, a)));
  if (backward) return cleared(a, std::move(step));
  return {std::move(step)};
}

Steps upsample_nhwc_layer(const Windows& s, bool backward, const WindowArrays& a) {
  return {with_channels(s, window_step(s, backward, "windows_nhwc", "upsample_nhwc",
                                       written(s, backward), upsample_arrays(backward, a)))};
}

Steps window_steps(const Workload& w, const std::string& technique, std::int64_t windows) {
  const Windows s = windows_of(w.axes);
  const bool back = backward(w.axes);
  return tagged(w, {window_step(s, back, technique, technique, s.small_values() / windows,
                                part_of(w.axes) == Part::pool ? pool_arrays(back, {})
                                                              : upsample_arrays(back, {}))});
}

}  // namespace warpscope::autoencoder
