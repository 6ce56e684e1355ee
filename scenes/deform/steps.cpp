// scenes/deform/steps.cpp: what kernels of a thread for every eight channels run.
#include "scenes/deform/steps.h"

#include <algorithm>
#include <utility>

#include "scenes/deform/inputs/shapes.h"

namespace warpscope::deform {
namespace {

Steps one(KernelLaunch kernel) { return {run_kernel("sample", std::move(kernel))}; }

constexpr std::int64_t kThreads = 256;  // of a block of steps beside the sampling

KernelLaunch kernel_of_threads(const KernelLaunch& like, std::string entry, std::int64_t threads,
                               std::vector<Argument> arguments) {
  KernelLaunch kernel = like;
  kernel.entry = std::move(entry);
  kernel.launch = {{ceil_divide(threads, kThreads), 1, 1}, {kThreads, 1, 1}, 0, {}};
  kernel.arguments = std::move(arguments);
  return kernel;
}

// What float_samples.cuh calls a type.
std::int64_t type_number(ElementType type) {
  return type == ElementType::f32 ? 0 : type == ElementType::f16 ? 1 : 2;
}

std::int64_t lane_threads(const Shape& s) {
  return s.groups() * ceil_divide(s.channels, kLaneChannels);
}

}  // namespace

KernelLaunch kernel_in_blocks(const Workload& w, const std::string& technique, std::int64_t threads,
                              std::int64_t block) {
  const Shape s = shape_of(w.axes);
  KernelLaunch kernel{"deform/" + technique + ".cu",
                      technique,
                      {define("LEVELS", s.level_count()), define("POINTS", s.points),
                       define("CHANNELS", s.channels), define("HEADS", s.heads)},
                      {},
                      {BufferArgument{"value"}, BufferArgument{"shapes"}, BufferArgument{"starts"},
                       BufferArgument{"loc"}, BufferArgument{"weight"}, BufferArgument{"out"},
                       as_int(s.batch), as_int(s.queries), as_int(s.rows)}};
  kernel.launch.grid = {ceil_divide(threads, block), 1, 1};
  kernel.launch.block = {block, 1, 1};
  return kernel;
}

KernelLaunch kernel_of(const Workload& w, const std::string& technique, std::int64_t threads) {
  return kernel_in_blocks(w, technique, threads, w.integer("block_size"));
}

KernelLaunch kernel_of_lanes(const Workload& w, const std::string& technique) {
  return kernel_of(w, technique, lane_threads(shape_of(w.axes)));
}

Steps lanes_steps(const Workload& w, const std::string& technique) {
  return one(kernel_of_lanes(w, technique));
}

Steps runtime_point_loop_steps(const Workload& w) {
  const Shape s = shape_of(w.axes);
  KernelLaunch kernel = kernel_of_lanes(w, "runtime_point_loop");
  kernel.defines = {define("CHANNELS", s.channels), define("HEADS", s.heads)};
  kernel.arguments.emplace_back(as_int(s.level_count()));
  kernel.arguments.emplace_back(as_int(s.points));
  return one(std::move(kernel));
}

Steps two_phase_steps(const Workload& w, const std::string& technique, std::int64_t cap) {
  KernelLaunch kernel = kernel_of_lanes(w, technique);
  kernel.defines = {define("CAP", cap)};
  return one(std::move(kernel));
}

Steps two_phase_unroll_steps(const Workload& w) {
  KernelLaunch kernel = kernel_of_lanes(w, "two_phase_unroll");
  kernel.defines.push_back(define("UNROLL", w.integer("unroll")));
  kernel.defines.push_back(define("BLOCK", w.integer("block_size")));
  return one(std::move(kernel));
}

std::int64_t bare_rows(const Workload& w) {
  std::int64_t rows = 0;
  for (const Level& level : shape_of(w.axes).levels) rows += level.height * level.width;
  return rows;
}

Steps unpadded_values_steps(const Workload& w) {
  const Shape s = shape_of(w.axes);
  KernelLaunch kernel = kernel_of_lanes(w, "unpadded_values");
  const std::int64_t bare = bare_rows(w);
  const KernelLaunch drop = kernel_of_threads(
      kernel, "drop_rings", s.batch * bare * s.heads * ceil_divide(s.channels, kLaneChannels),
      {BufferArgument{"value"}, BufferArgument{"shapes"}, BufferArgument{"starts"},
       BufferArgument{"bare"}, as_int(s.batch), as_int(s.rows), as_int(bare)});
  kernel.arguments[0] = BufferArgument{"bare"};
  kernel.arguments.back() = as_int(bare);
  return {prepare_kernel("drop rings", drop), run_kernel("sample", std::move(kernel))};
}

Buffers unpadded_values_scratch(const Workload& w) {
  const Shape s = shape_of(w.axes);
  const std::int64_t bare = bare_rows(w);
  return {{"bare",
           ElementType::f16,
           s.batch * bare * s.heads * s.channels,
           BufferRole::scratch,
           {s.batch, bare, s.heads, s.channels},
           "bare[Bt, S, heads, C]"}};
}

Steps fused_softmax_steps(const Workload& w) {
  KernelLaunch kernel = kernel_of_lanes(w, "fused_softmax");
  kernel.arguments[4] = BufferArgument{"logits"};
  return one(std::move(kernel));
}

Steps fp32_coordinates_steps(const Workload& w, StoredAs stored) {
  constexpr std::int64_t kBf16 = 2, kFp8 = 3;
  const Shape s = shape_of(w.axes);
  const std::int64_t type = type_number(value_type(w.axes));
  KernelLaunch kernel = kernel_of_lanes(w, "fp32_coordinates");
  kernel.defines.push_back(define("TYPE", type));
  kernel.defines.push_back(define("VALUES", stored == StoredAs::input  ? type
                                            : stored == StoredAs::bf16 ? kBf16
                                                                       : kFp8));
  if (stored == StoredAs::input) return one(std::move(kernel));
  kernel.arguments[0] = BufferArgument{"converted"};
  const KernelLaunch convert =
      kernel_of_threads(kernel, "convert_values", ceil_divide(s.values(), kLaneChannels),
                        {BufferArgument{"value"}, BufferArgument{"converted"}, s.values()});
  return {prepare_kernel("convert values", convert), run_kernel("sample", std::move(kernel))};
}

Buffers converted_scratch(const Workload& w, StoredAs stored) {
  if (stored == StoredAs::input) return {};
  const Shape s = shape_of(w.axes);
  return {{"converted",
           stored == StoredAs::bf16 ? ElementType::bf16 : ElementType::u8,
           s.values(),
           BufferRole::scratch,
           {s.batch, s.rows, s.heads, s.channels},
           "converted[Bt, S, heads, C]"}};
}

std::int64_t sample_bytes(const Workload& w) {
  const Shape s = shape_of(w.axes);
  return element_bytes(ElementType::f16) * s.samples() * s.channels;
}

Steps sample_then_reduce_steps(const Workload& w) {
  const Shape s = shape_of(w.axes);
  const KernelLaunch reduce_lanes = kernel_of_lanes(w, "sample_then_reduce");
  const std::int64_t block = w.integer("block_size");
  Steps steps;
  for (std::int64_t l = 0; l < s.level_count(); ++l) {
    KernelLaunch kernel = reduce_lanes;
    kernel.entry = "sample_level";
    kernel.launch.grid = {ceil_divide(lane_threads(s) * s.points, block), 1, 1};
    kernel.arguments.erase(kernel.arguments.begin() + 4);
    kernel.arguments[4] = BufferArgument{"samples"};
    kernel.arguments.emplace_back(as_int(l));
    steps.push_back(run_kernel("sample level " + std::to_string(l), std::move(kernel)));
  }
  KernelLaunch reduce = reduce_lanes;
  reduce.entry = "reduce_samples";
  reduce.arguments = {BufferArgument{"samples"}, BufferArgument{"weight"}, BufferArgument{"out"},
                      as_int(s.batch), as_int(s.queries)};
  steps.push_back(run_kernel("weigh and sum", std::move(reduce)));
  return steps;
}

Buffers sample_then_reduce_scratch(const Workload& w) {
  const Shape s = shape_of(w.axes);
  return {{"samples",
           ElementType::f16,
           s.samples() * s.channels,
           BufferRole::scratch,
           {s.groups(), s.level_count(), s.points, s.channels},
           "samples[groups, L, P, C]"}};
}

Steps lane_per_point_steps(const Workload& w) {
  const std::int64_t lanes = w.integer("query_lanes");
  KernelLaunch kernel = kernel_of(w, "lane_per_point_shuffle", shape_of(w.axes).groups() * lanes);
  kernel.defines.push_back(define("QUERY_LANES", lanes));
  return one(std::move(kernel));
}

}  // namespace warpscope::deform
