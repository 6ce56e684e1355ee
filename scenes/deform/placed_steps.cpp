// scenes/deform/placed_steps.cpp: what kernels run that choose where and when queries are sampled.
#include <algorithm>
#include <cmath>
#include <utility>

#include "scenes/deform/inputs/inputs.h"
#include "scenes/deform/inputs/shapes.h"
#include "scenes/deform/steps.h"

namespace warpscope::deform {
namespace {

constexpr std::int64_t kThreads = 256;  // of a block of steps beside the sampling
constexpr std::int64_t kHalfBytes = 2;

KernelLaunch with_launch(KernelLaunch kernel, std::string entry, std::int64_t blocks,
                         std::vector<Argument> arguments) {
  kernel.entry = std::move(entry);
  kernel.launch = {{blocks, 1, 1}, {kThreads, 1, 1}, 0, {}};
  kernel.arguments = std::move(arguments);
  return kernel;
}

std::int64_t group_lanes(const Shape& s) { return ceil_divide(s.channels, kLaneChannels); }

std::pair<std::string, std::string> block_define(const Workload& w) {
  return define("BLOCK", w.integer("block_size"));
}

// Cells of an image by which queries are sorted, and one for those that look outside.
std::int64_t cells(const Workload& w) {
  const Level level = shape_of(w.axes).levels.front();
  const std::int64_t cell = w.integer("cell");
  return ceil_divide(level.width + 2, cell) * ceil_divide(level.height + 2, cell) + 1;
}

}  // namespace

std::int64_t resident_blocks(std::int64_t wanted, std::int64_t of_a_multiprocessor) {
  return std::max<std::int64_t>(
      1, std::min(wanted, kDesignDevice.multiprocessors * of_a_multiprocessor));
}

Steps query_tiles_steps(const Workload& w) {
  constexpr std::int64_t kSide = 8, kPasses = 2;
  const Shape s = shape_of(w.axes);
  const std::int64_t columns = query_columns(s);
  KernelLaunch kernel =
      kernel_in_blocks(w, "query_tiles", 1, kSide * kSide / kPasses * group_lanes(s));
  kernel.launch.grid = {ceil_divide(columns, kSide),
                        ceil_divide(ceil_divide(s.queries, columns), kSide), s.batch * s.heads};
  kernel.arguments.emplace_back(as_int(columns));
  return {run_kernel("sample", std::move(kernel))};
}

namespace {

// The queries of every image in the order of their cells: what comes before the sampling.
Steps sorting_steps(const Workload& w) {
  const Shape s = shape_of(w.axes);
  KernelLaunch kernel = kernel_of_lanes(w, "sorted_queries");
  kernel.defines.push_back(define("CELL", w.integer("cell")));
  const std::int64_t blocks = ceil_divide(s.batch * s.queries, kThreads);
  const auto shapes = BufferArgument{"shapes"}, starts = BufferArgument{"starts"},
             loc = BufferArgument{"loc"}, places = BufferArgument{"places"},
             order = BufferArgument{"order"};
  const auto batch = as_int(s.batch), queries = as_int(s.queries);
  return {{"clear counts", Phase::run, Memset{"places"}},
          run_kernel("count cells", with_launch(kernel, "count_cells", blocks,
                                                {shapes, starts, loc, places, batch, queries})),
          run_kernel("first places",
                     with_launch(kernel, "first_places", s.batch, {places, as_int(cells(w))})),
          run_kernel("order queries",
                     with_launch(kernel, "order_queries", blocks,
                                 {shapes, starts, loc, places, order, batch, queries}))};
}

}  // namespace

Steps sorted_queries_steps(const Workload& w) {
  KernelLaunch kernel = kernel_of_lanes(w, "sorted_queries");
  kernel.defines.push_back(define("CELL", w.integer("cell")));
  kernel.arguments.emplace_back(BufferArgument{"order"});
  Steps steps = sorting_steps(w);
  steps.push_back(run_kernel("sample", std::move(kernel)));
  return steps;
}

std::int64_t window_bytes(const Workload& w) {
  const std::int64_t side = w.integer("window_side");
  return side * side * shape_of(w.axes).channels * kHalfBytes;
}

Steps sorted_windows_steps(const Workload& w) {
  constexpr std::int64_t kCluster = 2;
  const Shape s = shape_of(w.axes);
  const std::int64_t side = w.integer("window_side"), pixel = s.heads * s.channels;
  const Level first = s.levels.front();
  KernelLaunch kernel = kernel_of_lanes(w, "sorted_windows");
  kernel.defines.push_back(define("WINDOW", side));
  kernel.defines.push_back(block_define(w));
  const std::int64_t block_queries = w.integer("block_size") / group_lanes(s);
  kernel.launch.grid = {ceil_divide(s.queries, kCluster * block_queries) * kCluster, s.heads,
                        s.batch};
  kernel.launch.cluster = {kCluster, 1, 1};
  kernel.launch.dynamic_shared_bytes = window_bytes(w);
  kernel.arguments.emplace_back(BufferArgument{"order"});
  kernel.arguments.emplace_back(TensorMapArgument{
      "value",
      ElementType::f16,
      {pixel, first.columns(), first.height + 2, s.batch},
      {pixel * kHalfBytes, first.columns() * pixel * kHalfBytes, s.rows * pixel * kHalfBytes},
      {s.channels, side, side / kCluster, 1}});
  Steps steps = sorting_steps(w);
  steps.push_back(run_kernel("sample", std::move(kernel)));
  return steps;
}

Buffers sorted_queries_scratch(const Workload& w) {
  const Shape s = shape_of(w.axes);
  return {{"places",
           ElementType::i32,
           s.batch * cells(w),
           BufferRole::scratch,
           {s.batch, cells(w)},
           "places[Bt, cells]"},
          {"order",
           ElementType::i32,
           s.batch * s.queries,
           BufferRole::scratch,
           {s.batch, s.queries},
           "order[Bt, Q]"}};
}

namespace {

// Groups whose metadata a block has at once.
std::int64_t metadata_tile(const Workload& w) {
  return std::max<std::int64_t>(1, w.integer("block_size") / group_lanes(shape_of(w.axes)));
}

}  // namespace

std::int64_t async_metadata_bytes(const Workload& w) {
  constexpr std::int64_t kStages = 2;
  constexpr std::int64_t kApart = 16;  // bytes between rows of two groups
  const std::int64_t samples = shape_of(w.axes).group_samples();
  const std::int64_t loc_bytes = 2 * kHalfBytes * samples + kApart;
  const std::int64_t weight_bytes = kHalfBytes * samples + kApart;
  return kStages * metadata_tile(w) * (loc_bytes + weight_bytes);
}

Steps async_metadata_steps(const Workload& w) {
  constexpr std::int64_t kBlocksOfAMultiprocessor = 4;
  const Shape s = shape_of(w.axes);
  KernelLaunch kernel = kernel_of_lanes(w, "async_metadata");
  kernel.defines.push_back(block_define(w));
  kernel.launch.grid.x =
      resident_blocks(ceil_divide(s.groups(), metadata_tile(w)), kBlocksOfAMultiprocessor);
  kernel.launch.dynamic_shared_bytes = async_metadata_bytes(w);
  return {run_kernel("sample", std::move(kernel))};
}

std::int64_t staged_bytes(const Workload& w) {
  const Shape s = shape_of(w.axes);
  const std::int64_t staged = std::min(w.integer("staged_levels"), s.level_count());
  const Level first = s.levels[static_cast<std::size_t>(s.level_count() - staged)];
  return (s.rows - first.first_row) * s.heads * s.channels * kHalfBytes;
}

Steps staged_steps(const Workload& w, const std::string& technique) {
  const Shape s = shape_of(w.axes);
  KernelLaunch kernel = kernel_of_lanes(w, technique);
  kernel.defines.push_back(define("STAGED", std::min(w.integer("staged_levels"), s.level_count())));
  kernel.defines.push_back(block_define(w));
  kernel.launch.grid.x = resident_blocks(kernel.launch.grid.x, 1);
  kernel.launch.dynamic_shared_bytes = staged_bytes(w);
  return {run_kernel("sample", std::move(kernel))};
}

std::int64_t tma_box_bytes(const Workload& w) {
  constexpr std::int64_t kStages = 2, kCorners = 4;
  const Shape s = shape_of(w.axes);
  return kStages * (w.integer("block_size") / group_lanes(s)) * kCorners * s.channels * kHalfBytes;
}

Steps tma_box_steps(const Workload& w) {
  const Shape s = shape_of(w.axes);
  KernelLaunch kernel = kernel_of_lanes(w, "tma_box_per_sample");
  kernel.defines.push_back(block_define(w));
  kernel.launch.dynamic_shared_bytes = tma_box_bytes(w);
  const std::int64_t pixel = s.heads * s.channels, pixels = s.batch * s.rows;
  for (const Level& level : s.levels) {
    // Pixels of all images one after the other, and again a row of this level further on.
    kernel.arguments.emplace_back(
        TensorMapArgument{"value",
                          ElementType::f16,
                          {pixel, pixels - level.columns(), 2},
                          {pixel * kHalfBytes, level.columns() * pixel * kHalfBytes},
                          {s.channels, 2, 2}});
  }
  return {run_kernel("sample", std::move(kernel))};
}

}  // namespace warpscope::deform
