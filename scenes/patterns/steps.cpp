// scenes/patterns/steps.cpp: what each kernel of `patterns` runs: sources, defines, grids,
// arguments.
#include "scenes/patterns/steps.h"

#include <algorithm>
#include <utility>

#include "scenes/base/kernel_parts.h"
#include "scenes/patterns/shapes.h"

namespace warpscope::patterns {
namespace {

// A kernel with 256 threads per block in `blocks` blocks; its source is named like its entry.
KernelLaunch row_of_blocks(const std::string& technique, std::int64_t blocks,
                           std::vector<Argument> arguments) {
  KernelLaunch kernel{"patterns/" + technique + ".cu", technique, {}, {}, std::move(arguments)};
  kernel.launch.grid = {std::max<std::int64_t>(1, blocks), 1, 1};
  kernel.launch.block = {kThreads, 1, 1};
  return kernel;
}

Steps copy_by(const Workload& w, const std::string& technique, std::int64_t blocks) {
  KernelLaunch kernel =
      row_of_blocks(technique, blocks,
                    {BufferArgument{"x"}, BufferArgument{"y"}, copied_vectors(w.axes),
                     as_int(w.integer("offset")), as_int(w.integer("stride"))});
  kernel.defines = {{"WIDTH", w.text("width")}};
  return {run_kernel("copy", std::move(kernel))};
}

std::pair<std::string, std::string> fields(const Workload& w) {
  return {"FIELDS", std::to_string(w.integer("fields"))};
}

Step clear_bins() { return {"clear y", Phase::run, Memset{"y", 0}}; }

}  // namespace

Steps copy_steps(const Workload& w, const std::string& technique, std::int64_t vectors_per_lane) {
  return copy_by(w, technique, ceil_divide(copied_vectors(w.axes), kThreads * vectors_per_lane));
}

Steps copy_grid_stride_steps(const Workload& w) {
  // Eight blocks of 256 threads fill a multiprocessor.
  constexpr std::int64_t kMostBlocks = std::int64_t{8} * kDesignDevice.multiprocessors;
  return copy_by(w, "copy_grid_stride",
                 std::min(kMostBlocks, ceil_divide(copied_vectors(w.axes), kThreads)));
}

Steps device_copy_steps(const Workload&) { return {{"copy", Phase::run, DeviceCopy{"x", "y"}}}; }

Steps structures_steps(const Workload& w, const std::string& technique) {
  const std::int64_t count = structures(w.axes);
  KernelLaunch kernel = row_of_blocks(technique, ceil_divide(count, kThreads),
                                      {BufferArgument{"x"}, BufferArgument{"y"}, count});
  kernel.defines = {fields(w)};
  return {run_kernel("sum fields", std::move(kernel))};
}

Steps structures_arrays_steps(const Workload& w) {
  const std::int64_t count = structures(w.axes);
  const std::int64_t blocks = ceil_divide(count, kThreads);
  KernelLaunch split = row_of_blocks("structures_arrays", blocks,
                                     {BufferArgument{"x"}, BufferArgument{"arrays"}, count});
  split.entry = "split_structures";
  KernelLaunch sum = row_of_blocks("structures_arrays", blocks,
                                   {BufferArgument{"arrays"}, BufferArgument{"y"}, count});
  split.defines = sum.defines = {fields(w)};
  return {{"split structures", Phase::prepare, std::move(split)},
          run_kernel("sum fields", std::move(sum))};
}

Buffers structures_arrays_scratch(const Workload& w) {
  const std::int64_t count = structures(w.axes);
  return {{"arrays",
           ElementType::f32,
           kFields * count,
           BufferRole::scratch,
           {kFields, count},
           "arrays[8, count]"}};
}

Steps transpose_steps(const Workload& w, const std::string& technique) {
  constexpr std::int64_t kTile = 32, kRowsAtOnce = 8;
  KernelLaunch kernel = row_of_blocks(technique, 1,
                                      {BufferArgument{"x"}, BufferArgument{"y"},
                                       as_int(w.integer("rows")), as_int(w.integer("columns"))});
  kernel.launch.grid = {ceil_divide(w.integer("columns"), kTile),
                        ceil_divide(w.integer("rows"), kTile), 1};
  kernel.launch.block = {kTile, kRowsAtOnce, 1};
  return {run_kernel("transpose", std::move(kernel))};
}

Steps reduction_steps(const Workload& w, const std::string& technique) {
  const std::int64_t n = w.integer("n");
  return {run_kernel("sum pieces", row_of_blocks(technique, ceil_divide(n, kPiece),
                                                 {BufferArgument{"x"}, BufferArgument{"y"}, n}))};
}

Steps reduction_warp_steps(const Workload& w) {
  constexpr std::int64_t kPiecesPerBlock = kThreads / kWarpLanes;
  const std::int64_t n = w.integer("n"), pieces = ceil_divide(n, kPiece);
  return {run_kernel("sum pieces",
                     row_of_blocks("reduction_warp", ceil_divide(pieces, kPiecesPerBlock),
                                   {BufferArgument{"x"}, BufferArgument{"y"}, n / 4, pieces}))};
}

Steps gather_steps(const Workload& w) {
  const std::int64_t n = w.integer("n");
  return {run_kernel("gather", row_of_blocks("gather", ceil_divide(n, kThreads),
                                             {BufferArgument{"x"}, BufferArgument{"index"},
                                              BufferArgument{"y"}, n}))};
}

Steps gather_in_flight_steps(const Workload& w) {
  const std::int64_t quads = w.integer("n") / 4;
  return {run_kernel("gather", row_of_blocks("gather_in_flight", ceil_divide(quads, kThreads),
                                             {BufferArgument{"x"}, BufferArgument{"index"},
                                              BufferArgument{"y"}, quads}))};
}

Steps atomics_steps(const Workload& w, const std::string& technique) {
  const std::int64_t n = w.integer("n");
  return {clear_bins(), run_kernel("add", row_of_blocks(technique, ceil_divide(n, kThreads),
                                                        {BufferArgument{"x"}, BufferArgument{"key"},
                                                         BufferArgument{"y"}, n}))};
}

Steps atomics_shared_steps(const Workload& w) {
  const std::int64_t n = w.integer("n"), bins = w.integer("bins");
  KernelLaunch kernel =
      row_of_blocks("atomics_shared", ceil_divide(n, kBinnedPerBlock),
                    {BufferArgument{"x"}, BufferArgument{"key"}, BufferArgument{"y"}, n,
                     as_int(bins), as_int(kBinnedPerBlock)});
  kernel.launch.dynamic_shared_bytes = bins * kValueBytes;
  return {clear_bins(), run_kernel("add", std::move(kernel))};
}

}  // namespace warpscope::patterns
