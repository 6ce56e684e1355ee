// scenes/esmm/steps.cpp: what each kernel of `esmm` runs: patterns first, then the product.
#include "scenes/esmm/steps.h"

#include <algorithm>
#include <utility>

#include "scenes/base/kernel_parts.h"
#include "scenes/esmm/inputs/shapes.h"

namespace warpscope::esmm {
namespace {

constexpr std::int64_t kThreads = 256;

KernelLaunch build_kernel(std::string entry, std::int64_t warps, std::int64_t group,
                          std::vector<Argument> arguments) {
  KernelLaunch kernel = kernel_of_threads("esmm/build_patterns.cu", std::move(entry),
                                          warps * kWarpLanes, std::move(arguments));
  kernel.defines = {define("GROUP", group)};
  return kernel;
}

Phase phase_of_a(const Workload& w) { return a_prepared(w.axes) ? Phase::prepare : Phase::run; }

// A kernel whose tile and declaration of it are axes.
KernelLaunch kernel_of_axes(const Workload& w, std::string source, std::string entry,
                            const std::vector<std::string>& buffers, Defines defines = {}) {
  return tiled_kernel(w, tile_of(w), std::move(source), std::move(entry), buffers,
                      std::move(defines), w.text("shared_tiles") == "quads");
}

BufferSpec pattern_buffer(std::string name, std::int64_t extent, std::int64_t group,
                          std::int64_t k_blocks, std::string symbol) {
  const std::int64_t groups = ceil_divide(extent, group);
  return {std::move(name),     ElementType::u8,    groups * k_blocks,
          BufferRole::scratch, {groups, k_blocks}, std::move(symbol)};
}

Step b_eights_step(const Workload& w) {
  const Shape s = shape_of(w.axes);
  return preparing_b(
      w, {"patterns of B", Phase::run,
          build_kernel("patterns_of_eights", s.k_blocks() * ceil_divide(s.n, kWarpLanes), kGroup,
                       {BufferArgument{"b"}, BufferArgument{"b_eights"}, s.k, s.n})});
}

BufferSpec b_eights_buffer(const Workload& w) {
  const Shape s = shape_of(w.axes);
  const std::int64_t eights = ceil_divide(s.n, kByteSteps);
  return {"b_eights",          ElementType::u8,        s.k_blocks() * eights,
          BufferRole::scratch, {s.k_blocks(), eights}, "b_eights[K/8, N/8]"};
}

Step transpose_b_step(const Workload& w) {
  constexpr std::int64_t kTurned = 32;  // rows and columns of a block in transpose.cu
  const Shape s = shape_of(w.axes);
  KernelLaunch turn{"esmm/transpose.cu",
                    "transpose_b",
                    {},
                    {},
                    {BufferArgument{"b"}, BufferArgument{"bt"}, s.k, s.n}};
  turn.launch.grid = {ceil_divide(s.n, kTurned), ceil_divide(s.k, kTurned), 1};
  turn.launch.block = {kThreads, 1, 1};
  return preparing_b(w, {"transpose B", Phase::run, std::move(turn)});
}

BufferSpec transposed_b_buffer(const Workload& w) {
  const Shape s = shape_of(w.axes);
  return {"bt", ElementType::f32, s.b_elements(), BufferRole::scratch, {s.n, s.k}, "bt[N, K]"};
}

}  // namespace

KernelLaunch kernel_of_threads(std::string source, std::string entry, std::int64_t threads,
                               std::vector<Argument> arguments) {
  KernelLaunch kernel{std::move(source), std::move(entry), {}, {}, std::move(arguments)};
  kernel.launch.grid = {ceil_divide(threads, kThreads), 1, 1};
  kernel.launch.block = {kThreads, 1, 1};
  return kernel;
}

Step dense_product(const Workload& w, std::string name, std::string call, std::string a,
                   std::string b, bool adds) {
  const Shape s = shape_of(w.axes);
  return {std::move(name), Phase::run,
          LibraryCall{std::move(call),
                      {{"a", std::move(a)}, {"b", std::move(b)}, {"c", "c"}},
                      {{"m", static_cast<double>(s.m)},
                       {"k", static_cast<double>(s.k)},
                       {"n", static_cast<double>(s.n)},
                       {"transpose", 0},
                       {"accumulate", adds ? 1.0 : 0.0}}}};
}

Step preparing_b(const Workload& w, Step step) {
  step.phase = b_prepared(w.axes) ? Phase::prepare : Phase::run;
  step.tags["operand"] = "B";
  return step;
}

Steps shared_by_products(const Workload& w, Steps steps) {
  const std::int64_t products = products_a_preparation(w.axes);
  if (products == 1) return steps;
  Steps all;
  for (Step& step : steps) {
    const auto operand = step.tags.find("operand");
    auto* const kernel = std::get_if<KernelLaunch>(&step.action);
    if (kernel != nullptr && operand != step.tags.end() && operand->second == "B") {
      Step whole = step;
      whole.phase = Phase::prepare;
      all.push_back(std::move(whole));
      step.name += ", a part";
      Dim3& grid = kernel->launch.grid;
      std::int64_t& blocks = grid.y > 1 ? grid.y : grid.x;
      blocks = ceil_divide(blocks, products);
    }
    all.push_back(std::move(step));
  }
  return all;
}

Step a_pattern_step(const Workload& w, std::int64_t group) {
  const Shape s = shape_of(w.axes);
  return {"patterns of A", phase_of_a(w),
          build_kernel("patterns_of_rows", ceil_divide(s.m, group) * ceil_divide(s.k, kWarpLanes),
                       group, {BufferArgument{"a"}, BufferArgument{"a_pattern"}, s.m, s.k})};
}

Step b_pattern_step(const Workload& w) {
  const Shape s = shape_of(w.axes);
  return preparing_b(
      w, {"patterns of B", Phase::run,
          build_kernel("patterns_of_columns", ceil_divide(s.n, kGroup) * s.k_blocks(), kGroup,
                       {BufferArgument{"b"}, BufferArgument{"b_pattern"}, s.k, s.n})});
}

BufferSpec a_pattern_buffer(const Workload& w, std::int64_t group) {
  const Shape s = shape_of(w.axes);
  return pattern_buffer("a_pattern", s.m, group, s.k_blocks(),
                        "a_pattern[M/" + std::to_string(group) + ", K/8]");
}

BufferSpec b_pattern_buffer(const Workload& w) {
  const Shape s = shape_of(w.axes);
  return pattern_buffer("b_pattern", s.n, kGroup, s.k_blocks(), "b_pattern[N/32, K/8]");
}

Buffers a_pattern_scratch(const Workload& w) { return {a_pattern_buffer(w)}; }
Buffers b_pattern_scratch(const Workload& w) { return {b_pattern_buffer(w)}; }
Buffers both_patterns_scratch(const Workload& w) {
  return {a_pattern_buffer(w), b_pattern_buffer(w)};
}

KernelLaunch tiled_kernel(const Workload& w, const Tile& tile, std::string source,
                          std::string entry, const std::vector<std::string>& buffers,
                          Defines defines, bool quads) {
  const Shape s = shape_of(w.axes);
  KernelLaunch kernel{std::move(source), std::move(entry), tile_defines(tile, quads), {}, {}};
  kernel.defines.insert(kernel.defines.end(), defines.begin(), defines.end());
  for (const std::string& buffer : buffers) kernel.arguments.emplace_back(BufferArgument{buffer});
  kernel.arguments.emplace_back(s.n);
  kernel.arguments.emplace_back(s.k);
  kernel.launch.grid = {ceil_divide(s.n, tile.bn), ceil_divide(s.m, tile.bm), 1};
  kernel.launch.block = {tile.threads(), 1, 1};
  return kernel;
}

Steps dense_warp_tile_steps(const Workload& w) {
  return {run_kernel("multiply",
                     kernel_of_axes(w, "esmm/warptile.cu", "dense_warp_tile", {"a", "b", "c"}))};
}

Steps global_list_steps(const Workload& w) {
  KernelLaunch list{"esmm/global_list.cu",
                    "list_active_steps",
                    tile_defines(tile_of(w), false),
                    {},
                    {BufferArgument{"a_pattern"}, BufferArgument{"list"}, BufferArgument{"listed"},
                     shape_of(w.axes).k}};
  list.launch.block = {kWarpLanes, 1, 1};
  return {a_pattern_step(w),
          {"list active k", phase_of_a(w), std::move(list)},
          run_kernel("multiply", kernel_of_axes(w, "esmm/global_list.cu", "global_list",
                                                {"a", "b", "list", "listed", "c"}))};
}

Buffers global_list_scratch(const Workload& w) {
  const std::int64_t k = shape_of(w.axes).k;
  return {a_pattern_buffer(w),
          {"list", ElementType::i32, k, BufferRole::scratch, {k}, "list[K]"},
          {"listed", ElementType::i32, 1, BufferRole::scratch, {1}, "listed[1]"}};
}

Steps a_skip_steps(const Workload& w, bool tests_bits) {
  return {a_pattern_step(w),
          run_kernel("multiply",
                     kernel_of_axes(w, "esmm/a_skip.cu", "a_skip", {"a", "b", "a_pattern", "c"},
                                    {define("TESTS", tests_bits ? 1 : 0)}))};
}

Steps ab_fine_steps(const Workload& w) {
  const std::vector<std::string> forms = {"flat", "conditional_load", "inline_multiply",
                                          "hierarchical", "offset_lists"};
  const auto form = std::find(forms.begin(), forms.end(), w.text("ab_form")) - forms.begin();
  return {a_pattern_step(w), b_eights_step(w),
          run_kernel("multiply", kernel_of_axes(w, "esmm/ab_fine.cu", "ab_fine",
                                                {"a", "b", "a_pattern", "b_eights", "c"},
                                                {define("FORM", form)}))};
}

Steps ab_bodies_steps(const Workload& w) {
  return {
      a_pattern_step(w), b_eights_step(w),
      run_kernel("multiply", tiled_kernel(w, own_tile("ab_bodies"), "esmm/ab_bodies.cu",
                                          "ab_bodies", {"a", "b", "a_pattern", "b_eights", "c"}))};
}

Buffers ab_fine_scratch(const Workload& w) { return {a_pattern_buffer(w), b_eights_buffer(w)}; }

Steps transposed_b_steps(const Workload& w, std::int64_t blocks) {
  return {b_pattern_step(w), transpose_b_step(w),
          run_kernel("multiply",
                     kernel_of_axes(w, "esmm/bt_tile.cu", "bt_tile", {"a", "bt", "b_pattern", "c"},
                                    {define("BLOCKS", blocks)}))};
}

Buffers transposed_b_scratch(const Workload& w) {
  return {b_pattern_buffer(w), transposed_b_buffer(w)};
}

Steps broadcast_b_steps(const Workload& w) {
  return {b_eights_step(w), transpose_b_step(w),
          run_kernel("multiply", tiled_kernel(w, own_tile("broadcast_b"), "esmm/broadcast_b.cu",
                                              "broadcast_b", {"a", "bt", "b_eights", "c"}))};
}

Buffers broadcast_b_scratch(const Workload& w) {
  return {b_eights_buffer(w), transposed_b_buffer(w)};
}

Steps k_major_b_steps(const Workload& w) {
  return {b_pattern_step(w), run_kernel("multiply", kernel_of_axes(w, "esmm/kmajor.cu", "k_major",
                                                                   {"a", "b", "b_pattern", "c"}))};
}

Steps joint_steps(const Workload& w, bool searches_lists) {
  return {a_pattern_step(w), b_pattern_step(w),
          run_kernel("multiply", kernel_of_axes(w, "esmm/joint.cu", "joint",
                                                {"a", "b", "a_pattern", "b_pattern", "c"},
                                                {define("LISTS", searches_lists ? 1 : 0)}))};
}

Steps joint_wide_steps(const Workload& w) {
  return {a_pattern_step(w), b_pattern_step(w),
          run_kernel("multiply", kernel_of_axes(w, "esmm/joint_wide.cu", "joint_wide",
                                                {"a", "b", "a_pattern", "b_pattern", "c"}))};
}

std::int64_t group_rows(const Workload& w) { return std::stoll(w.text("a_group")); }

Steps joint_granularity_steps(const Workload& w) {
  return {a_pattern_step(w, group_rows(w)), b_pattern_step(w),
          run_kernel("multiply", kernel_of_axes(w, "esmm/joint_groups.cu", "joint_groups",
                                                {"a", "b", "a_pattern", "b_pattern", "c"},
                                                {define("GROUP", group_rows(w))}))};
}

Buffers joint_granularity_scratch(const Workload& w) {
  return {a_pattern_buffer(w, group_rows(w)), b_pattern_buffer(w)};
}

Steps joint_table_steps(const Workload& w) {
  std::int64_t table = 128;
  while (table < shape_of(w.axes).k_blocks() && table < kMostTableBlocks) table *= 2;
  return {a_pattern_step(w), b_pattern_step(w),
          run_kernel("multiply", kernel_of_axes(w, "esmm/joint_table.cu", "joint_table",
                                                {"a", "b", "a_pattern", "b_pattern", "c"},
                                                {define("TABLE", table)}))};
}

Steps block_list_steps(const Workload& w) {
  return {a_pattern_step(w), b_pattern_step(w),
          run_kernel("multiply", kernel_of_axes(w, "esmm/block_list.cu", "block_list",
                                                {"a", "b", "a_pattern", "b_pattern", "c"}))};
}

Steps broken_steps(const Workload& w, const std::string& variant, int mistake) {
  return {a_pattern_step(w),
          run_kernel("multiply",
                     tiled_kernel(w, own_tile(variant), "esmm/broken.cu", "broken_product",
                                  {"a", "b", "a_pattern", "c"}, {define("MISTAKE", mistake)}))};
}

Steps shared_pattern_tile_steps(const Workload& w) {
  constexpr int kMistake = 5;
  constexpr std::int64_t kGroupsOfBlock = 8;
  const Shape s = shape_of(w.axes);
  const Tile tile = own_tile("shared_pattern_tile");
  KernelLaunch build{"esmm/broken.cu",
                     "shared_pattern_tile",
                     tile_defines(tile, false),
                     {},
                     {BufferArgument{"a"}, BufferArgument{"a_pattern"}, s.m, s.k}};
  build.defines.push_back(define("MISTAKE", kMistake));
  build.launch.grid = {ceil_divide(s.k, kWarpLanes), ceil_divide(s.m, kGroup * kGroupsOfBlock), 1};
  build.launch.block = {kThreads, 1, 1};
  return {{"patterns of A", phase_of_a(w), std::move(build)},
          run_kernel("multiply", tiled_kernel(w, tile, "esmm/a_skip.cu", "a_skip",
                                              {"a", "b", "a_pattern", "c"}, {define("TESTS", 0)}))};
}

}  // namespace warpscope::esmm
