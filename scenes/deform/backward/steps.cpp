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

Argument buffer(const char* name) { return BufferArgument{name}; }

// Threads of a block: of steps of the sorts, and of those that count in shared memory.
constexpr std::int64_t kThreads = 256, kTileThreads = 1024;

// The gradients of locations and weights alone.
Step gather_sums(const Workload& w) {
  return run_kernel("gather_sums", kernel_of_quads(w, "owner_lanes", "gather_sums"));
}

constexpr std::int64_t kWords = 4;  // of 4 bytes: of an entry, of an item

// A scratch array of words.
BufferSpec words(const char* name, std::vector<std::int64_t> shape, const char* symbol) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return {name, ElementType::u32, count, BufferRole::scratch, std::move(shape), symbol};
}

// Parts of an image's queries, each of a block: the last may be smaller, none is empty.
struct Parts {
  std::int64_t queries = 0, count = 0;
};
Parts parts_of(const Workload& w) {
  const std::int64_t all = w.integer("queries"), each = ceil_divide(all, w.integer("parts"));
  return {each, ceil_divide(all, each)};
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
  const Shape s = deform::shape_of(w.axes);
  const Sorted sorted = sorted_of(w);
  const auto kernel = [&](const char* entry, std::int64_t threads, std::vector<Argument> own) {
    KernelLaunch made =
        kernel_of(w, "sorted_cells", entry, ceil_divide(threads, kThreads), kThreads);
    made.defines.push_back(define("CHUNK", w.integer("chunk")));
    made.arguments = std::move(own);
    return run_kernel(entry, std::move(made));
  };
  const Argument batch = as_int(s.batch), queries = as_int(s.queries), rows = as_int(s.rows);
  const Argument shapes = buffer("shapes"), starts = buffer("starts"), loc = buffer("loc");
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
      gather_sums(w),
      kernel("sum_cells", sorted.items * kWarpLanes,
             {shapes, starts, buffer("grad_out"), buffer("entries"), buffer("items"),
              buffer("total"), buffer("grad_value"), rows}),
  };
}

std::vector<BufferSpec> sorted_cells_scratch(const Workload& w) {
  const Shape s = deform::shape_of(w.axes);
  const Sorted sorted = sorted_of(w);
  const std::vector<std::int64_t> of_cells = {s.batch, s.rows, s.heads};
  return {words("counts", of_cells, "counts[Bt, S, heads]"),
          words("next", of_cells, "next[Bt, S, heads]"),
          {"total", ElementType::i64, 1, BufferRole::scratch, {1}, "total[1]"},
          words("items", {sorted.items, kWords}, "items[warps, 4]"),
          words("entries", {s.samples(), kWords}, "entries[samples, 4]")};
}

Steps sorted_parts_steps(const Workload& w) {
  const Shape s = deform::shape_of(w.axes);
  const Sorted sorted = sorted_of(w);
  const Parts parts = parts_of(w);
  const auto kernel = [&](const char* source, const char* entry, std::int64_t blocks,
                          std::int64_t threads, std::vector<Argument> own) {
    KernelLaunch made = kernel_of(w, source, entry, blocks, threads);
    made.defines.push_back(define("CHUNK", w.integer("chunk")));
    made.arguments = std::move(own);
    if (threads == kTileThreads) made.launch.dynamic_shared_bytes = count_bytes(w);
    return run_kernel(entry, std::move(made));
  };
  const Argument queries = as_int(s.queries), rows = as_int(s.rows), part = as_int(parts.queries);
  const Argument shapes = buffer("shapes"), starts = buffer("starts"), loc = buffer("loc");
  return {
      clear_values(),
      {"clear total", Phase::run, Memset{"total"}},
      kernel("sorted_parts", "count_parts", s.batch * s.heads * parts.count, kTileThreads,
             {shapes, starts, loc, buffer("counts"), queries, rows, part}),
      kernel("sorted_parts", "list_parts", ceil_divide(sorted.cells, kThreads), kThreads,
             {buffer("counts"), buffer("items"), buffer("total"), as_int(s.batch), rows,
              as_int(parts.count)}),
      kernel("sorted_parts", "place_parts", s.batch * s.heads * parts.count, kTileThreads,
             {shapes, starts, loc, buffer("weight"), buffer("counts"), buffer("entries"), queries,
              rows, part}),
      gather_sums(w),
      kernel("sorted_cells", "sum_cells", ceil_divide(sorted.items * kWarpLanes, kThreads),
             kThreads,
             {shapes, starts, buffer("grad_out"), buffer("entries"), buffer("items"),
              buffer("total"), buffer("grad_value"), rows}),
  };
}

std::vector<BufferSpec> sorted_parts_scratch(const Workload& w) {
  const Shape s = deform::shape_of(w.axes);
  return {
      words("counts", {s.batch, s.heads, parts_of(w).count, s.rows}, "counts[Bt, heads, parts, S]"),
      {"total", ElementType::i64, 1, BufferRole::scratch, {1}, "total[1]"},
      words("items", {sorted_of(w).items, kWords}, "items[warps, 4]"),
      words("entries", {s.samples(), kWords}, "entries[samples, 4]")};
}

Steps sorted_tiles_steps(const Workload& w) {
  const Shape s = deform::shape_of(w.axes);
  const std::int64_t tile = w.integer("tile");
  KernelLaunch sort = kernel_of(w, "sorted_tiles", "sorted_tiles",
                                s.batch * s.heads * ceil_divide(s.queries, tile), kTileThreads);
  sort.launch.dynamic_shared_bytes = count_bytes(w);
  sort.arguments = {buffer("shapes"),   buffer("starts"),     buffer("loc"),     buffer("weight"),
                    buffer("grad_out"), buffer("grad_value"), buffer("entries"), as_int(s.queries),
                    as_int(s.rows),     as_int(tile)};
  return {clear_values(), run_kernel("sorted_tiles", std::move(sort)), gather_sums(w)};
}

std::vector<BufferSpec> sorted_tiles_scratch(const Workload& w) {
  return {words("entries", {deform::shape_of(w.axes).samples(), kWords}, "entries[samples, 4]")};
}

std::int64_t count_bytes(const Workload& w) {
  return element_bytes(ElementType::u32) * deform::shape_of(w.axes).rows;
}

}  // namespace warpscope::deform_backward
