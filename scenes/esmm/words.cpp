// scenes/esmm/words.cpp: kernels that pass K by pattern words, 32 k at a time.
#include "scenes/esmm/words.h"

#include <algorithm>
#include <utility>

#include "scenes/base/kernel_parts.h"
#include "scenes/esmm/inputs/shapes.h"
#include "scenes/esmm/lists.h"

namespace warpscope::esmm {
namespace {

constexpr std::int64_t kWordSteps = 32;  // k of a word
constexpr std::int64_t kListedWords = 256;
constexpr std::int64_t kThreads = 256, kWarps = kThreads / kWarpLanes;

std::int64_t words_of(const Shape& s) { return ceil_divide(s.k, kWordSteps); }

// WordList of word_lists.cuh.
std::int64_t word_list_bytes(std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t kWordBytes = 4, kNumberBytes = 2;
  return kListedWords * ((rows + columns) / kGroup * kWordBytes + kNumberBytes) +
         kWarps * kWordBytes;
}

Defines quads(const Shape& s) {
  return {define("QUADS_OF_A", s.k % 4 == 0 ? 1 : 0), define("QUADS_OF_B", s.n % 4 == 0 ? 1 : 0)};
}

// A block per tile of rows × columns, columns of tiles along x.
KernelLaunch tile_kernel(const Shape& s, const std::string& name, std::int64_t rows,
                         std::int64_t columns, std::int64_t threads,
                         std::vector<Argument> arguments) {
  KernelLaunch kernel{"esmm/" + name + ".cu", name, {}, {}, std::move(arguments)};
  for (const std::int64_t size : {s.m, s.n, s.k}) kernel.arguments.emplace_back(size);
  kernel.launch.grid = {ceil_divide(s.n, columns), ceil_divide(s.m, rows), 1};
  kernel.launch.block = {threads, 1, 1};
  return kernel;
}

std::vector<Argument> operands() {
  return {BufferArgument{"a"}, BufferArgument{"b"}, BufferArgument{"a_words"},
          BufferArgument{"b_words"}, BufferArgument{"c"}};
}

std::int64_t stages_of(const Workload& w) { return std::stoll(w.text("stages")); }

// Ring of stages.cuh.
std::int64_t ring_bytes(std::int64_t stages) {
  constexpr std::int64_t kPad = 4;
  return stages * kValueBytes * (kStagedRows * (kWordSteps + kPad) + kWordSteps * kStagedColumns) +
         word_list_bytes(kStagedRows, kStagedColumns);
}

KernelLaunch staged_kernel(const Workload& w, const std::string& name,
                           std::vector<Argument> arguments) {
  const Shape s = shape_of(w.axes);
  KernelLaunch kernel =
      tile_kernel(s, name, kStagedRows, kStagedColumns, kThreads, std::move(arguments));
  kernel.defines = quads(s);
  kernel.defines.push_back(define("STAGES", stages_of(w)));
  kernel.launch.dynamic_shared_bytes = ring_bytes(stages_of(w));
  return kernel;
}

std::int64_t staged_tiles(const Shape& s) {
  return ceil_divide(s.m, kStagedRows) * ceil_divide(s.n, kStagedColumns);
}

Axis choice_of(const char* name, const char* label, const char* description,
               std::vector<std::string> choices, std::vector<std::string> variants) {
  Axis axis = choice_axis(name, label, description, std::move(choices), Binding::compile_time);
  axis.of_variants = std::move(variants);
  return axis;
}

}  // namespace

std::vector<Axis> word_axes() {
  return {choice_of("stages", "stages", "Stages of 32 k that a block keeps in shared memory.",
                    {"4", "3"}, {"joint_bk32", "joint_rows", "persist"}),
          choice_of("vec_rows", "rows per warp",
                    "Rows of C per warp, which has 32 columns. With 32 rows a lane has 8 × 4 sums. "
                    "With 64 it has 8 × 8, and the two halves are tested separately.",
                    {"32", "64"}, {"joint_vec"})};
}

Steps word_pattern_steps(const Workload& w) {
  const Shape s = shape_of(w.axes);
  const auto build = [&](const char* name, bool prepared, int operands) {
    constexpr std::int64_t kColumnsOfJob = 128;
    const std::int64_t jobs =
        words_of(s) * (((operands & 1) != 0 ? ceil_divide(s.m, kGroup) : 0) +
                       ((operands & 2) != 0 ? ceil_divide(s.n, kColumnsOfJob) : 0));
    KernelLaunch kernel =
        kernel_of_threads("esmm/patterns.cu", "patterns", jobs * kWarpLanes,
                          {BufferArgument{"a"}, BufferArgument{"b"}, BufferArgument{"a_words"},
                           BufferArgument{"b_words"}, s.m, s.n, s.k});
    kernel.defines = {define("OPERANDS", operands)};
    return Step{name, prepared ? Phase::prepare : Phase::run, std::move(kernel)};
  };
  const bool a = a_prepared(w.axes), b = b_prepared(w.axes);
  if (a == b && products_a_preparation(w.axes) == 1) return {build("patterns", a, 3)};
  return {build("patterns of A", a, 1), preparing_b(w, build("patterns of B", b, 2))};
}

Buffers word_patterns(const Workload& w) {
  Buffers all = list_scratch(w);
  all.pop_back();  // the columns of A
  return all;
}

Steps staged_steps(const Workload& w, const std::string& kernel) {
  Steps steps = word_pattern_steps(w);
  steps.push_back(run_kernel("multiply", staged_kernel(w, kernel, operands())));
  return steps;
}

Steps persist_steps(const Workload& w) {
  constexpr std::int64_t kBlocks = 2;  // of a multiprocessor: what its ring leaves room for
  const Shape s = shape_of(w.axes);
  const std::int64_t tiles = staged_tiles(s);
  const Phase order = a_prepared(w.axes) && b_prepared(w.axes) ? Phase::prepare : Phase::run;
  Steps steps = word_pattern_steps(w);
  steps.push_back({"count work", order,
                   kernel_of_threads("esmm/persist.cu", "count_work", tiles * kWarpLanes,
                                     {BufferArgument{"a_words"}, BufferArgument{"b_words"},
                                      BufferArgument{"work"}, s.m, s.n, s.k})});
  steps.push_back(
      {"order tiles", order,
       kernel_of_threads("esmm/persist.cu", "order_tiles", tiles * kWarpLanes,
                         {BufferArgument{"work"}, BufferArgument{"order"}, as_int(tiles)})});
  KernelLaunch kernel =
      staged_kernel(w, "persist",
                    {BufferArgument{"a"}, BufferArgument{"b"}, BufferArgument{"a_words"},
                     BufferArgument{"b_words"}, BufferArgument{"order"}, BufferArgument{"queue"},
                     BufferArgument{"c"}});
  kernel.arguments.emplace_back(as_int(tiles));
  kernel.launch.grid = {std::min(tiles, kBlocks * kDesignDevice.multiprocessors), 1, 1};
  for (Step& step : steps) {
    auto& other = std::get<KernelLaunch>(step.action);
    if (other.source == kernel.source) other.defines = kernel.defines;
  }
  steps.push_back({"clear the queue", Phase::run, Memset{"queue"}});
  steps.push_back(run_kernel("multiply", std::move(kernel)));
  return steps;
}

Buffers persist_scratch(const Workload& w) {
  const std::int64_t tiles = staged_tiles(shape_of(w.axes));
  const auto array = [](const char* name, std::int64_t count, const char* symbol) {
    return BufferSpec{name, ElementType::u32, count, BufferRole::scratch, {count}, symbol};
  };
  Buffers all = word_patterns(w);
  all.push_back(array("work", tiles, "work[tiles]"));
  all.push_back(array("order", tiles, "order[tiles]"));
  all.push_back(array("queue", 1, "queue[1]"));
  return all;
}

Steps joint_vec_steps(const Workload& w) {
  constexpr std::int64_t kStages = 2, kColumns = 128;
  const Shape s = shape_of(w.axes);
  const std::int64_t warp_rows = std::stoll(w.text("vec_rows")), rows = 2 * warp_rows;
  KernelLaunch kernel = tile_kernel(s, "joint_vec", rows, kColumns, kThreads, operands());
  kernel.defines = quads(s);
  kernel.defines.push_back(define("WARP_ROWS", warp_rows));
  kernel.launch.dynamic_shared_bytes =
      kStages * kValueBytes * kWordSteps * (rows + kColumns) + word_list_bytes(rows, kColumns);
  Steps steps = word_pattern_steps(w);
  steps.push_back(run_kernel("multiply", std::move(kernel)));
  return steps;
}

Steps bf16_wgmma_steps(const Workload& w) {
  constexpr std::int64_t kStages = 6, kListed = 1024, kBytes = 2, kBoxColumns = 64;
  constexpr std::int64_t kBarrierBytes = 8, kListedBytes = 6, kCountBytes = 4;
  const Shape s = shape_of(w.axes);
  const auto boxes = [](const char* buffer, std::int64_t rows, std::int64_t columns,
                        std::vector<std::int64_t> box, TensorSwizzle swizzle) {
    return TensorMapArgument{
        buffer, ElementType::bf16, {columns, rows}, {columns * kBytes}, std::move(box), swizzle};
  };
  KernelLaunch kernel =
      tile_kernel(s, "bf16_wgmma", kBf16Rows, kBf16Columns, kThreads,
                  {boxes("a_bf16", s.m, s.k, {kWordSteps, kBf16Rows}, TensorSwizzle::bytes_64),
                   boxes("b_bf16", s.k, s.n, {kBoxColumns, kWordSteps}, TensorSwizzle::bytes_128),
                   BufferArgument{"a_words"}, BufferArgument{"b_words"}, BufferArgument{"c"}});
  kernel.launch.dynamic_shared_bytes =
      kStages * (kBytes * kWordSteps * (kBf16Rows + kBf16Columns) + kBarrierBytes) +
      kListed * kListedBytes + kWarps * kCountBytes;
  kernel.architecture_features = true;
  const auto round = [&](const char* name, const char* from, const char* to, std::int64_t count) {
    return Step{name, a_prepared(w.axes) ? Phase::prepare : Phase::run,
                kernel_of_threads("esmm/to_bf16.cu", "to_bf16", count,
                                  {BufferArgument{from}, BufferArgument{to}, count})};
  };
  Steps steps = word_pattern_steps(w);
  steps.push_back(round("round A", "a", "a_bf16", s.a_elements()));
  steps.push_back(preparing_b(w, round("round B", "b", "b_bf16", s.b_elements())));
  steps.push_back(run_kernel("multiply", std::move(kernel)));
  return steps;
}

Buffers bf16_wgmma_scratch(const Workload& w) {
  const Shape s = shape_of(w.axes);
  Buffers all = word_patterns(w);
  all.push_back(
      {"a_bf16", ElementType::bf16, s.a_elements(), BufferRole::scratch, {s.m, s.k}, "A[m, k]"});
  all.push_back(
      {"b_bf16", ElementType::bf16, s.b_elements(), BufferRole::scratch, {s.k, s.n}, "B[k, n]"});
  return all;
}

Steps tf32_wgmma_steps(const Workload& w) {
  constexpr std::int64_t kOwnThreads = 128, kStages = 2, kSlots = 32, kPad = 8;
  constexpr std::int64_t kListed = 4096, kListedBytes = 2, kCountBytes = 4;
  KernelLaunch kernel =
      tile_kernel(shape_of(w.axes), "tf32_wgmma", kWgmmaRows, kWgmmaColumns, kOwnThreads,
                  {BufferArgument{"a_columns"}, BufferArgument{"b"}, BufferArgument{"a_words"},
                   BufferArgument{"b_words"}, BufferArgument{"c"}});
  kernel.launch.dynamic_shared_bytes =
      kStages * kSlots * kValueBytes * (kWgmmaRows + kPad + kWgmmaColumns) +
      kListed * kListedBytes + kOwnThreads / kWarpLanes * kCountBytes;
  kernel.architecture_features = true;
  Steps steps = packed_pattern_steps(w);
  steps.push_back(run_kernel("multiply", std::move(kernel)));
  return steps;
}

}  // namespace warpscope::esmm
