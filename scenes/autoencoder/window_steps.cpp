// scenes/autoencoder/window_steps.cpp: what pools and upsamplings run.
#include <utility>

#include "scenes/autoencoder/steps.h"

namespace warpscope::autoencoder {
namespace {

// The arrays of the pass, as the kernels take them.
std::vector<Argument> arrays(const Workload& w) {
  const bool pool = part_of(w.axes) == Part::pool;
  if (!backward(w.axes)) {
    if (pool) return {BufferArgument{"x"}, BufferArgument{"y"}, BufferArgument{"argmax"}};
    return {BufferArgument{"x"}, BufferArgument{"y"}};
  }
  if (pool) return {BufferArgument{"dy"}, BufferArgument{"argmax"}, BufferArgument{"dx"}};
  return {BufferArgument{"dy"}, BufferArgument{"dx"}};
}

Step window_step(const Workload& w, const std::string& technique, std::int64_t threads) {
  std::vector<Argument> arguments = arrays(w);
  arguments.emplace_back(windows_of(w.axes).planes());
  arguments.emplace_back(as_int(windows_of(w.axes).small_side));
  const std::string pass = w.text("pass");
  return run_kernel(pass, kernel_of_threads("autoencoder/" + technique + ".cu",
                                            technique + "_" + pass, threads, std::move(arguments)));
}

}  // namespace

Steps pool_scatter_steps(const Workload& w) {
  Steps steps;
  if (backward(w.axes)) steps.push_back({"clear gradient", Phase::run, Memset{"dx", 0}});
  steps.push_back(window_step(w, "pool_scatter", windows_of(w.axes).small_values()));
  return tagged(w, std::move(steps));
}

// A thread for every pixel of the map that is written.
Steps upsample_pixels_steps(const Workload& w) {
  const Windows s = windows_of(w.axes);
  return tagged(w, {window_step(w, "upsample_pixels",
                                backward(w.axes) ? s.small_values() : s.large_values())});
}

Steps window_steps(const Workload& w, const std::string& technique, std::int64_t windows) {
  return tagged(w, {window_step(w, technique, windows_of(w.axes).small_values() / windows)});
}

}  // namespace warpscope::autoencoder
