// scenes/deform/backward/steps.cpp: what each variant runs: sources, defines, grids, arguments.
#include "scenes/deform/backward/steps.h"

#include <cstdint>
#include <utility>

#include "scenes/deform/inputs/shapes.h"

namespace warpscope::deform_backward {
namespace {

using deform::Shape;

// A kernel with the constants and the parameters of kernels/deform_backward/samples.cuh.
KernelLaunch kernel_of(const Workload& w, const std::string& source, const std::string& entry,
                       std::int64_t blocks, std::int64_t threads) {
  const Shape s = deform::shape_of(w.axes);
  KernelLaunch kernel{
      "deform_backward/" + source + ".cu",
      entry,
      {define("LEVELS", s.level_count()), define("POINTS", s.points),
       define("CHANNELS", s.channels), define("HEADS", s.heads),
       define("TYPE", deform::value_type(w.axes) == ElementType::f32 ? 0 : 1)},
      {},
      {BufferArgument{"value"}, BufferArgument{"shapes"}, BufferArgument{"starts"},
       BufferArgument{"loc"}, BufferArgument{"weight"}, BufferArgument{"grad_out"},
       BufferArgument{"grad_value"}, BufferArgument{"grad_loc"}, BufferArgument{"grad_weight"},
       as_int(s.batch), as_int(s.queries), as_int(s.rows)}};
  kernel.launch.grid = {blocks, 1, 1};
  kernel.launch.block = {threads, 1, 1};
  return kernel;
}

Step clear_values() { return {"clear", Phase::run, Memset{"grad_value"}}; }

constexpr std::int64_t kQuad = 4;  // channels of a lane

// A lane for every four channels of a query and head.
KernelLaunch kernel_of_quads(const Workload& w, const std::string& source,
                             const std::string& entry) {
  const Shape s = deform::shape_of(w.axes);
  const std::int64_t block = w.integer("block_size");
  return kernel_of(w, source, entry, ceil_divide(s.groups() * s.channels / kQuad, block), block);
}

// What the sort of sorted_cells holds: a cell is an upper left pixel of a head.
struct Sorted {
  std::int64_t cells = 0, items = 0;
};
Sorted sorted_of(const Workload& w) {
  const Shape s = deform::shape_of(w.axes);
  const std::int64_t cells = s.batch * s.rows * s.heads;
  return {cells, cells + s.samples() / w.integer("chunk")};
}

}  // namespace

Steps block_per_query_steps(const Workload& w, bool tree) {
  const Shape s = deform::shape_of(w.axes);
  KernelLaunch kernel = kernel_of(w, "block_per_query", "block_per_query", s.groups(), s.channels);
  kernel.defines.push_back(define("TREE", tree ? 1 : 0));
  return {clear_values(), run_kernel("gradients", std::move(kernel))};
}

Steps warp_per_query_steps(const Workload& w) {
  const std::int64_t block = w.integer("block_size");
  const std::int64_t warps = deform::shape_of(w.axes).groups();
  return {clear_values(),
          run_kernel("gradients", kernel_of(w, "warp_per_query", "warp_per_query",
                                            ceil_divide(warps * kWarpLanes, block), block))};
}

Steps quads_steps(const Workload& w, const std::string& technique) {
  return {clear_values(), run_kernel("gradients", kernel_of_quads(w, technique, technique))};
}

Steps sorted_cells_steps(const Workload& w) {
  constexpr std::int64_t kThreads = 256;
  const Shape s = deform::shape_of(w.axes);
  const Sorted sorted = sorted_of(w);
  const auto buffer = [](const char* name) { return Argument{BufferArgument{name}}; };
  const auto kernel = [&](const char* entry, std::int64_t threads, std::vector<Argument> own) {
    KernelLaunch made =
        kernel_of(w, "sorted_cells", entry, ceil_divide(threads, kThreads), kThreads);
    made.defines.push_back(define("CHUNK", w.integer("chunk")));
    made.arguments = std::move(own);
    return run_kernel(entry, std::move(made));
  };
  const Argument batch = as_int(s.batch), queries = as_int(s.queries), rows = as_int(s.rows);
  const Argument shapes = buffer("shapes"), starts = buffer("starts"), loc = buffer("loc");
  KernelLaunch gather = kernel_of_quads(w, "sorted_cells", "gather_sums");
  gather.defines.push_back(define("CHUNK", w.integer("chunk")));
  return {
      clear_values(),
      {"clear counts", Phase::run, Memset{"counts"}},
      {"clear total", Phase::run, Memset{"total"}},
      kernel("count_cells", s.samples(),
             {shapes, starts, loc, buffer("counts"), batch, queries, rows}),
      kernel("list_cells", sorted.cells,
             {buffer("counts"), buffer("next"), buffer("items"), buffer("total"), sorted.cells}),
      kernel("place_samples", s.samples(),
             {shapes, starts, loc, buffer("weight"), buffer("next"), buffer("entries"), batch,
              queries, rows}),
      run_kernel("gather_sums", std::move(gather)),
      kernel("sum_cells", sorted.items * kWarpLanes,
             {shapes, starts, buffer("grad_out"), buffer("entries"), buffer("items"),
              buffer("total"), buffer("grad_value"), rows}),
  };
}

std::vector<BufferSpec> sorted_cells_scratch(const Workload& w) {
  constexpr std::int64_t kWords = 4;  // of an entry or item
  const Shape s = deform::shape_of(w.axes);
  const Sorted sorted = sorted_of(w);
  const auto scratch = [](const char* name, ElementType type, std::vector<std::int64_t> shape,
                          const char* symbol) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= extent;
    return BufferSpec{name, type, count, BufferRole::scratch, std::move(shape), symbol};
  };
  const std::vector<std::int64_t> of_cells = {s.batch, s.rows, s.heads};
  return {scratch("counts", ElementType::u32, of_cells, "counts[Bt, S, heads]"),
          scratch("next", ElementType::u32, of_cells, "next[Bt, S, heads]"),
          scratch("total", ElementType::i64, {1}, "total[1]"),
          scratch("items", ElementType::u32, {sorted.items, kWords}, "items[warps, 4]"),
          scratch("entries", ElementType::u32, {s.samples(), kWords}, "entries[samples, 4]")};
}

}  // namespace warpscope::deform_backward
