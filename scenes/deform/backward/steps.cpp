// scenes/deform/backward/steps.cpp: what each variant runs: sources, defines, grids, arguments.
#include "scenes/deform/backward/steps.h"

#include <cstdint>
#include <utility>

#include "scenes/deform/inputs/shapes.h"
#include "scenes/deform/steps.h"

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

// A step of a sort, with these arguments.
Step sort_kernel(const Workload& w, const char* source, const char* entry, std::int64_t blocks,
                 std::int64_t threads, std::vector<Argument> arguments) {
  KernelLaunch kernel = kernel_of(w, source, entry, blocks, threads);
  kernel.defines.push_back(define("CHUNK", w.integer("chunk")));
  kernel.arguments = std::move(arguments);
  return run_kernel(entry, std::move(kernel));
}

// Items of an image and head: parts of cells, which warps add up.
std::int64_t items_of(const Workload& w) {
  const Shape s = deform::shape_of(w.axes);
  return s.rows + s.queries * s.group_samples() / w.integer("chunk");
}

// Places and items from the counts of `parts` parts of each image and head.
Step list_cells(const Workload& w, std::int64_t parts) {
  const Shape s = deform::shape_of(w.axes);
  return sort_kernel(w, "listed_cells", "list_cells", s.batch * s.heads, kTileThreads,
                     {buffer("counts"), buffer("places"), buffer("items"), buffer("item_counts"),
                      as_int(s.queries), as_int(s.rows), as_int(parts)});
}

// As many blocks as a device runs at once, shared out among images and heads.
Step sum_cells(const Workload& w) {
  constexpr std::int64_t kBlocksOfAMultiprocessor = 6;
  const Shape s = deform::shape_of(w.axes);
  const std::int64_t heads = s.batch * s.heads,
                     wanted = ceil_divide(items_of(w) * kWarpLanes, kThreads),
                     resident = deform::resident_blocks(heads * wanted, kBlocksOfAMultiprocessor);
  Step step =
      sort_kernel(w, "listed_cells", "sum_cells", ceil_divide(resident, heads), kThreads,
                  {buffer("shapes"), buffer("starts"), buffer("grad_out"), buffer("entries"),
                   buffer("items"), buffer("item_counts"), buffer("grad_value"), as_int(s.batch),
                   as_int(s.queries), as_int(s.rows)});
  std::get<KernelLaunch>(step.action).launch.grid.y = heads;
  return step;
}

// What both sorts keep between their steps.
std::vector<BufferSpec> sort_scratch(const Workload& w, std::int64_t parts) {
  const Shape s = deform::shape_of(w.axes);
  const std::vector<std::int64_t> of_cells = {s.batch, s.heads, parts, s.rows};
  return {words("counts", of_cells, "counts[Bt, heads, parts, S]"),
          words("places", of_cells, "places[Bt, heads, parts, S]"),
          words("items", {s.batch, s.heads, items_of(w), kWords}, "items[Bt, heads, items, 4]"),
          words("item_counts", {s.batch, s.heads}, "item_counts[Bt, heads]"),
          words("entries", {s.samples(), kWords}, "entries[samples, 4]")};
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
  const std::int64_t blocks = ceil_divide(s.samples(), kThreads);
  const Argument batch = as_int(s.batch), queries = as_int(s.queries), rows = as_int(s.rows);
  const Argument shapes = buffer("shapes"), starts = buffer("starts"), loc = buffer("loc");
  return {
      clear_values(),
      {"clear counts", Phase::run, Memset{"counts"}},
      sort_kernel(w, "sorted_cells", "count_cells", blocks, kThreads,
                  {shapes, starts, loc, buffer("counts"), buffer("ranks"), batch, queries, rows}),
      list_cells(w, 1),
      sort_kernel(w, "sorted_cells", "place_samples", blocks, kThreads,
                  {shapes, starts, loc, buffer("weight"), buffer("places"), buffer("ranks"),
                   buffer("entries"), batch, queries, rows}),
      gather_sums(w),
      sum_cells(w)};
}

std::vector<BufferSpec> sorted_cells_scratch(const Workload& w) {
  std::vector<BufferSpec> all = sort_scratch(w, 1);
  all.push_back(words("ranks", {deform::shape_of(w.axes).samples()}, "ranks[samples]"));
  return all;
}

Steps sorted_parts_steps(const Workload& w) {
  const Shape s = deform::shape_of(w.axes);
  const Parts parts = parts_of(w);
  const Argument queries = as_int(s.queries), rows = as_int(s.rows), part = as_int(parts.queries);
  const Argument shapes = buffer("shapes"), starts = buffer("starts"), loc = buffer("loc");
  const auto of_parts = [&](const char* entry, std::vector<Argument> arguments) {
    Step step = sort_kernel(w, "sorted_parts", entry, s.batch * s.heads * parts.count, kTileThreads,
                            std::move(arguments));
    std::get<KernelLaunch>(step.action).launch.dynamic_shared_bytes = count_bytes(w);
    return step;
  };
  return {clear_values(),
          of_parts("count_parts", {shapes, starts, loc, buffer("counts"), queries, rows, part}),
          list_cells(w, parts.count),
          of_parts("place_parts", {shapes, starts, loc, buffer("weight"), buffer("places"),
                                   buffer("entries"), queries, rows, part}),
          gather_sums(w),
          sum_cells(w)};
}

std::vector<BufferSpec> sorted_parts_scratch(const Workload& w) {
  return sort_scratch(w, parts_of(w).count);
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
