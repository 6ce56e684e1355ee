// scenes/esmm/steps.cpp: what each kernel of `esmm` runs: patterns first, then the product.
#include "scenes/esmm/steps.h"

#include <utility>

#include "scenes/base/kernel_parts.h"
#include "scenes/esmm/shapes.h"

namespace warpscope::esmm {
namespace {

constexpr std::int64_t kThreads = 256;

KernelLaunch build_kernel(std::string entry, std::int64_t warps, std::int64_t group,
                          std::vector<Argument> arguments) {
  KernelLaunch kernel{"esmm/build_patterns.cu",
                      std::move(entry),
                      {define("GROUP", group)},
                      {},
                      std::move(arguments)};
  kernel.launch.grid = {ceil_divide(warps * kWarpLanes, kThreads), 1, 1};
  kernel.launch.block = {kThreads, 1, 1};
  return kernel;
}

BufferSpec pattern_buffer(std::string name, std::int64_t extent, std::int64_t group,
                          std::int64_t k_blocks, std::string symbol) {
  const std::int64_t groups = ceil_divide(extent, group);
  return {std::move(name),     ElementType::u8,    groups * k_blocks,
          BufferRole::scratch, {groups, k_blocks}, std::move(symbol)};
}

}  // namespace

Step a_pattern_step(const Workload& w, std::int64_t group) {
  const Shape s = shape_of(w.axes);
  return {"patterns of A", a_prepared(w.axes) ? Phase::prepare : Phase::run,
          build_kernel("patterns_of_rows", ceil_divide(s.m, group) * ceil_divide(s.k, kWarpLanes),
                       group, {BufferArgument{"a"}, BufferArgument{"a_pattern"}, s.m, s.k})};
}

Step b_pattern_step(const Workload& w, std::int64_t group) {
  const Shape s = shape_of(w.axes);
  return {"patterns of B", b_prepared(w.axes) ? Phase::prepare : Phase::run,
          build_kernel("patterns_of_columns", ceil_divide(s.n, group) * s.k_blocks(), group,
                       {BufferArgument{"b"}, BufferArgument{"b_pattern"}, s.k, s.n})};
}

BufferSpec a_pattern_buffer(const Workload& w, std::int64_t group) {
  const Shape s = shape_of(w.axes);
  return pattern_buffer("a_pattern", s.m, group, s.k_blocks(), "a_pattern[M/32, K/8]");
}

BufferSpec b_pattern_buffer(const Workload& w, std::int64_t group) {
  const Shape s = shape_of(w.axes);
  return pattern_buffer("b_pattern", s.n, group, s.k_blocks(), "b_pattern[N/32, K/8]");
}

KernelLaunch tiled_kernel(const Workload& w, const Tile& tile, std::string source,
                          std::string entry, std::vector<std::string> buffers) {
  const Shape s = shape_of(w.axes);
  KernelLaunch kernel{std::move(source), std::move(entry), tile_defines(w, tile), {}, {}};
  for (std::string& buffer : buffers) kernel.arguments.emplace_back(BufferArgument{buffer});
  kernel.arguments.emplace_back(s.n);
  kernel.arguments.emplace_back(s.k);
  kernel.launch.grid = {ceil_divide(s.n, tile.bn), ceil_divide(s.m, tile.bm), 1};
  kernel.launch.block = {tile.threads(), 1, 1};
  return kernel;
}

Steps dense_warp_tile_steps(const Workload& w) {
  return {run_kernel("multiply", tiled_kernel(w, tile_of(w), "esmm/warptile.cu", "dense_warp_tile",
                                              {"a", "b", "c"}))};
}

Steps a_skip_steps(const Workload& w, bool tests_bits) {
  KernelLaunch kernel =
      tiled_kernel(w, tile_of(w), "esmm/a_skip.cu", "a_skip", {"a", "b", "a_pattern", "c"});
  kernel.defines.push_back(define("TESTS", tests_bits ? 1 : 0));
  return {a_pattern_step(w), run_kernel("multiply", std::move(kernel))};
}

Buffers a_pattern_scratch(const Workload& w) { return {a_pattern_buffer(w)}; }

}  // namespace warpscope::esmm
