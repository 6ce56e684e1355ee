// scenes/esmm/lists.cpp: kernels that order a tile's active k by class before they multiply.
#include "scenes/esmm/lists.h"

#include <algorithm>
#include <utility>

#include "scenes/base/kernel_parts.h"
#include "scenes/esmm/inputs/shapes.h"

namespace warpscope::esmm {
namespace {

constexpr std::int64_t kColumnGroups = 2;  // of a tile
constexpr std::int64_t kUnitBytes = kGroup * kValueBytes;
const std::vector<std::string> kListVariants = {
    "class_lists",      "class_lists_lines",      "class_lists_tf32x3", "class_lists_tf32x3_lines",
    "class_lists_tf32", "class_lists_tf32_lines", "class_lists_bf16"};

Axis list_axis(const char* name, const char* label, const char* description,
               std::vector<std::string> values) {
  Axis axis = choice_axis(name, label, description, std::move(values), Binding::compile_time);
  axis.of_variants = kListVariants;
  return axis;
}

}  // namespace

ListShape list_shape(const Workload& w) {
  return {w.text("list_rows") == "64" ? 2 : 1, std::stoll(w.text("list_warps")),
          std::stoll(w.text("list_slots"))};
}

std::int64_t list_shared_bytes(const ListShape& shape, Products products) {
  constexpr std::int64_t kStages = 2;
  const std::int64_t apart = products == Products::fp32 ? 0 : products == Products::bf16 ? 16 : 32;
  const std::int64_t pitch = (shape.row_groups + kColumnGroups) * kUnitBytes + apart;
  const std::int64_t chunks = shape.listed() / shape.slots + shape.classes();
  constexpr std::int64_t kSlotBytes = 2, kKindBytes = 1, kSumBytes = 4;
  constexpr std::int64_t kAlignment = 16;  // of the sums, and so of all
  const auto aligned = [](std::int64_t bytes) {
    return ceil_divide(bytes, kAlignment) * kAlignment;
  };
  return shape.warps * kStages * shape.slots * pitch +
         aligned(chunks * (shape.slots * kSlotBytes + kKindBytes)) +
         aligned(shape.warps * ceil_divide(shape.classes(), 2) * kSumBytes);
}

std::int64_t list_blocks(const ListShape& shape, Products products) {
  // 32 · 64 sums of a tile take 64 registers of a lane; with two row groups 128.
  const std::int64_t warps = shape.row_groups == 1 ? 16 : products == Products::fp32 ? 12 : 8;
  constexpr std::int64_t kReserved = 1024;  // of each block. source: CUDA C Programming Guide
  const std::int64_t fit = (kDesignDevice.shared_bytes_per_block + kReserved) /
                           (list_shared_bytes(shape, products) + kReserved);
  return std::max<std::int64_t>(1, std::min(warps / shape.warps, fit));
}

std::vector<Axis> list_axes() {
  Axis rows = list_axis("list_rows", "rows per tile", "Rows of C in a tile, which has 64 columns.",
                        {"32", "64"});
  Axis warps = list_axis("list_warps", "warps per tile",
                         "Warps that share a tile's active k and add their sums at the end.",
                         {"4", "2", "1"});
  Axis slots =
      list_axis("list_slots", "k per chunk", "Active k that a warp fetches together.", {"16", "8"});
  for (const std::string& variant : kListVariants) {
    const bool fp32 = variant == "class_lists" || variant == "class_lists_lines";
    const bool split = variant == "class_lists_tf32x3" || variant == "class_lists_tf32x3_lines";
    if (!fp32) warps.defaults_of[variant] = AxisValue(std::string(split ? "2" : "1"));
  }
  return {std::move(rows), std::move(warps), std::move(slots)};
}

Steps packed_pattern_steps(const Workload& w) {
  const Shape s = shape_of(w.axes);
  const std::int64_t words = ceil_divide(s.k, kGroup);
  const auto build = [&](const char* name, bool prepared, int operands) {
    constexpr std::int64_t kJobs = 8, kThreads = 256, kColumnsOfJob = 128;
    const std::int64_t jobs = ((operands & 1) != 0 ? words * ceil_divide(s.m, kGroup) : 0) +
                              ((operands & 2) != 0 ? words * ceil_divide(s.n, kColumnsOfJob) : 0);
    KernelLaunch kernel{"esmm/patterns_pack.cu",
                        "patterns_pack",
                        {define("OPERANDS", operands)},
                        {},
                        {BufferArgument{"a"}, BufferArgument{"b"}, BufferArgument{"a_words"},
                         BufferArgument{"b_words"}, BufferArgument{"a_columns"}, s.m, s.n, s.k}};
    kernel.launch.grid = {ceil_divide(jobs, kJobs), 1, 1};
    kernel.launch.block = {kThreads, 1, 1};
    return Step{name, prepared ? Phase::prepare : Phase::run, std::move(kernel)};
  };
  if (words == 0) return {};
  const bool a = a_prepared(w.axes), b = b_prepared(w.axes);
  if (a == b && products_a_preparation(w.axes) == 1) return {build("patterns, columns of A", a, 3)};
  return {build("patterns, columns of A", a, 1), preparing_b(w, build("patterns of B", b, 2))};
}

Steps list_steps(const Workload& w, Products products, Copies copies) {
  const Shape s = shape_of(w.axes);
  const ListShape shape = list_shape(w);
  const bool tensor = products != Products::fp32, lines = copies == Copies::by_line;
  const std::string name =
      std::string(tensor ? "class_lists_tensor" : "class_lists") + (lines ? "_lines" : "");
  KernelLaunch kernel{"esmm/" + name + ".cu",
                      name,
                      {define("ROW_GROUPS", shape.row_groups), define("WARPS", shape.warps),
                       define("SLOTS", shape.slots), define("LISTED", shape.listed()),
                       define("BLOCKS", list_blocks(shape, products))},
                      {},
                      {BufferArgument{"a_columns"}, BufferArgument{"b"}, BufferArgument{"a_words"},
                       BufferArgument{"b_words"}, BufferArgument{"c"}, s.m, s.n, s.k}};
  if (tensor) {
    kernel.defines.push_back(define("FORM", products == Products::tf32   ? 0
                                            : products == Products::bf16 ? 2
                                                                         : 1));
  } else {
    // With two row groups a lane's registers have no room for the loads of a second k.
    kernel.defines.push_back(define("UNROLL", shape.row_groups == 1 ? 8 : 1));
  }
  if (lines) kernel.defines.push_back(define("WHOLE", s.n % (kColumnGroups * kGroup) == 0 ? 1 : 0));
  kernel.launch.grid = {ceil_divide(s.n, kColumnGroups * kGroup),
                        ceil_divide(s.m, shape.row_groups * kGroup), 1};
  kernel.launch.block = {shape.warps * kWarpLanes, 1, 1};
  kernel.launch.dynamic_shared_bytes = list_shared_bytes(shape, products);
  Steps steps = packed_pattern_steps(w);
  steps.push_back(run_kernel("multiply", std::move(kernel)));
  return steps;
}

Buffers list_scratch(const Workload& w) {
  const Shape s = shape_of(w.axes);
  const std::int64_t words = ceil_divide(s.k, kGroup), rows = ceil_divide(s.m, kGroup),
                     columns = ceil_divide(s.n, kGroup);
  return {{"a_words",
           ElementType::u32,
           rows * words,
           BufferRole::scratch,
           {rows, words},
           "a_words[M/32, K/32]"},
          {"b_words",
           ElementType::u32,
           columns * words,
           BufferRole::scratch,
           {columns, words},
           "b_words[N/32, K/32]"},
          {"a_columns",
           ElementType::f32,
           rows * words * kGroup * kGroup,
           BufferRole::scratch,
           {rows, words * kGroup, kGroup},
           "a_columns[M/32, K, 32]"}};
}

}  // namespace warpscope::esmm
