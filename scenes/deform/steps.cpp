// scenes/deform/steps.cpp: what each kernel of `deform` runs: sources, defines, grids, arguments.
#include "scenes/deform/steps.h"

#include <utility>

#include "scenes/deform/shapes.h"

namespace warpscope::deform {
namespace {

Steps one(KernelLaunch kernel) { return {run_kernel("sample", std::move(kernel))}; }

}  // namespace

KernelLaunch kernel_of(const Workload& w, const std::string& technique, std::int64_t threads) {
  const Shape s = shape_of(w.axes);
  KernelLaunch kernel{"deform/" + technique + ".cu",
                      technique,
                      {define("LEVELS", s.level_count()), define("POINTS", s.points),
                       define("CHANNELS", s.channels), define("HEADS", s.heads)},
                      {},
                      {BufferArgument{"value"}, BufferArgument{"shapes"}, BufferArgument{"starts"},
                       BufferArgument{"loc"}, BufferArgument{"weight"}, BufferArgument{"out"},
                       as_int(s.batch), as_int(s.queries), as_int(s.rows)}};
  const std::int64_t block = w.integer("block_size");
  kernel.launch.grid = {ceil_divide(threads, block), 1, 1};
  kernel.launch.block = {block, 1, 1};
  return kernel;
}

KernelLaunch kernel_of_lanes(const Workload& w, const std::string& technique) {
  const Shape s = shape_of(w.axes);
  return kernel_of(w, technique, s.groups() * ceil_divide(s.channels, kLaneChannels));
}

Steps runtime_point_loop_steps(const Workload& w) {
  const Shape s = shape_of(w.axes);
  KernelLaunch kernel = kernel_of_lanes(w, "runtime_point_loop");
  kernel.defines = {define("CHANNELS", s.channels), define("HEADS", s.heads)};
  kernel.arguments.emplace_back(as_int(s.level_count()));
  kernel.arguments.emplace_back(as_int(s.points));
  return one(std::move(kernel));
}

Steps interleaved_steps(const Workload& w) {
  return one(kernel_of_lanes(w, "interleaved_compile_time_points"));
}

}  // namespace warpscope::deform
