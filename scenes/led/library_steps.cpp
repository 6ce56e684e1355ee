// scenes/led/library_steps.cpp: what cuSPARSE and cuBLAS need around their products, and the rows
// that call them beside led's kernels.
#include "scenes/led/library_steps.h"

#include <optional>
#include <string>
#include <utility>

#include "scenes/led/constraints.h"
#include "scenes/led/shapes.h"
#include "scenes/led/variants.h"

namespace warpscope::led {
namespace {

constexpr std::int64_t kThreads = 256;

Step kernel_step(const Workload& w, std::string name, Phase phase, std::string entry, Dim3 grid,
                 std::vector<Argument> arguments, std::string source = "led/libraries.cu") {
  return {std::move(name), phase,
          KernelLaunch{std::move(source),
                       std::move(entry),
                       {{"B", std::to_string(w.integer("block"))}, {"UINT8", "0"}, {"RAW", "0"}},
                       {grid, {kThreads, 1, 1}, 0, {}},
                       std::move(arguments)}};
}

// The name of a channel's own buffer.
std::string of_channel(const char* name, std::int64_t channel) {
  return name + std::string("_") + std::to_string(channel);
}

// `pixels` of every frame, from pixel `first` on, as [pixels, F].
Step lay_frames(const Workload& w, std::string name, std::int64_t first, std::int64_t pixels,
                std::string to) {
  const Shape s = shape_of(w.axes);
  return kernel_step(
      w, std::move(name), Phase::run, "pixels_to_rows", {ceil_divide(pixels, kThreads), 1, 1},
      {BufferArgument{"frames", first * s.value_bytes}, BufferArgument{std::move(to)}, pixels,
       s.channels * s.height * s.width, as_int(s.frames)});
}

Step lay_outputs(const Workload& w, std::string name, BufferArgument from, std::int64_t rows,
                 std::int64_t first, std::int64_t stride) {
  const Shape s = shape_of(w.axes);
  return kernel_step(w, std::move(name), Phase::run, "rows_to_outputs",
                     {ceil_divide(rows * s.frames, kThreads), 1, 1},
                     {std::move(from), BufferArgument{"out"}, as_int(rows), as_int(s.frames),
                      as_int(s.blocks()), as_int(first), as_int(stride)});
}

// The same for rows of one channel.
Step lay_outputs_of_channel(const Workload& w, BufferArgument from, std::int64_t c) {
  const Shape s = shape_of(w.axes);
  const bool apart = planar(w.axes);
  return lay_outputs(w, "lay outputs of channel " + std::to_string(c), std::move(from), s.leds,
                     apart ? c * s.leds : c, apart ? 1 : s.channels);
}

BufferSpec floats(std::string name, std::int64_t rows, std::int64_t columns, std::string symbol) {
  return {std::move(name),     ElementType::f32, rows * columns,
          BufferRole::scratch, {rows, columns},  std::move(symbol)};
}

}  // namespace

Steps cusparse_steps(const Workload& w, const std::string& call) {
  const Shape s = shape_of(w.axes);
  const std::int64_t pixels = s.channels * s.height * s.width;
  return {
      kernel_step(
          w, "build CSR", Phase::prepare, "blocks_to_csr", {s.leds, s.channels, 1},
          {BufferArgument{"values"}, BufferArgument{"positions"}, BufferArgument{"indptr"},
           BufferArgument{"indices"}, BufferArgument{"weights"}, as_int(s.leds), as_int(s.channels),
           as_int(s.height), as_int(s.width), as_int(s.frames), as_int(planar(w.axes))}),
      lay_frames(w, "lay frames innermost", 0, pixels, "innermost"),
      {"multiply", Phase::run,
       LibraryCall{call,
                   {{"indptr", "indptr"},
                    {"indices", "indices"},
                    {"weights", "weights"},
                    {"b", "innermost"},
                    {"c", "rows"}},
                   {{"m", static_cast<double>(s.blocks())},
                    {"k", static_cast<double>(pixels)},
                    {"n", static_cast<double>(s.frames)},
                    {"nnz", static_cast<double>(s.values())},
                    {"transpose", 0}}}},
      lay_outputs(w, "lay outputs", {"rows"}, s.blocks(), 0, 1)};
}

Buffers cusparse_scratch(const Workload& w) {
  const Shape s = shape_of(w.axes);
  const auto ints = [](std::string name, std::int64_t count, std::string symbol) {
    return BufferSpec{std::move(name),     ElementType::i32, count,
                      BufferRole::scratch, {count},          std::move(symbol)};
  };
  return {ints("indptr", s.blocks() + 1, "indptr[N·C + 1]"),
          ints("indices", s.values(), "indices[N·C·B²]"),
          floats("weights", s.blocks(), s.block * s.block, "weights[N·C, B²]"),
          floats("innermost", s.channels * s.height * s.width, s.frames, "innermost[C·H·W, F]"),
          floats("rows", s.blocks(), s.frames, "rows[N·C, F]")};
}

Steps cublas_batched_steps(const Workload& w) {
  constexpr std::int64_t kFramesOfBlock = 8;  // of gather_patches.cu
  const Shape s = shape_of(w.axes);
  Steps steps = {kernel_step(w, "gather patches", Phase::run, "gather_patches",
                             {s.leds, s.channels, ceil_divide(s.frames, kFramesOfBlock)},
                             {BufferArgument{"positions"}, BufferArgument{"frames"},
                              BufferArgument{"patches"}, as_int(s.leds), as_int(s.channels),
                              as_int(s.height), as_int(s.width), as_int(s.frames)},
                             "led/gather_patches.cu"),
                 {"multiply", Phase::run,
                  LibraryCall{"cublas.sgemm_strided_batched",
                              {{"a", "values"}, {"b", "patches"}, {"c", "rows"}},
                              {{"m", 1},
                               {"k", static_cast<double>(s.block * s.block)},
                               {"n", static_cast<double>(s.frames)},
                               {"count", static_cast<double>(s.blocks())}}}}};
  for (std::int64_t c = 0; c < s.channels; ++c)
    steps.push_back(lay_outputs_of_channel(w, {"rows", c * s.leds * s.frames * s.value_bytes}, c));
  return steps;
}

Buffers cublas_batched_scratch(const Workload& w) {
  const Shape s = shape_of(w.axes);
  return {{"patches",
           ElementType::f32,
           s.products(),
           BufferRole::scratch,
           {s.blocks(), s.block * s.block, s.frames},
           "patches[N·C, B², F]"},
          floats("rows", s.blocks(), s.frames, "rows[N·C, F]")};
}

std::int64_t cublas_batched_bytes(const Workload& w) {
  std::int64_t bytes = 0;
  for (const BufferSpec& buffer : cublas_batched_scratch(w))
    bytes += buffer.count * element_bytes(buffer.type);
  return bytes;
}

Steps cublas_dense_steps(const Workload& w) {
  const Shape s = shape_of(w.axes);
  const std::int64_t pixels = s.height * s.width;
  Steps steps;
  for (std::int64_t c = 0; c < s.channels; ++c) {
    const std::string dense = of_channel("dense", c), channel = " of channel " + std::to_string(c);
    steps.push_back({"clear matrix" + channel, Phase::prepare, Memset{dense, 0}});
    steps.push_back(
        kernel_step(w, "fill matrix" + channel, Phase::prepare, "blocks_to_dense", {s.leds, 1, 1},
                    {BufferArgument{"values", c * s.leds * s.block * s.block * s.value_bytes},
                     BufferArgument{"positions", c * s.leds * 8}, BufferArgument{dense},
                     as_int(s.height), as_int(s.width)}));
  }
  for (std::int64_t c = 0; c < s.channels; ++c) {
    const std::string innermost = of_channel("innermost", c), rows = of_channel("rows", c),
                      channel = " of channel " + std::to_string(c);
    steps.push_back(lay_frames(w, "lay frames" + channel, c * pixels, pixels, innermost));
    steps.push_back({"multiply" + channel, Phase::run,
                     LibraryCall{"cublas.gemm.fp32",
                                 {{"a", of_channel("dense", c)}, {"b", innermost}, {"c", rows}},
                                 {{"m", static_cast<double>(s.leds)},
                                  {"k", static_cast<double>(pixels)},
                                  {"n", static_cast<double>(s.frames)},
                                  {"transpose", 0}}}});
    steps.push_back(lay_outputs_of_channel(w, {rows}, c));
  }
  return steps;
}

Buffers cublas_dense_scratch(const Workload& w) {
  const Shape s = shape_of(w.axes);
  const std::int64_t pixels = s.height * s.width;
  Buffers buffers;
  for (std::int64_t c = 0; c < s.channels; ++c) {
    buffers.push_back(floats(of_channel("dense", c), s.leds, pixels, "Aᵀ[N, H·W]"));
    buffers.push_back(floats(of_channel("innermost", c), pixels, s.frames, "innermost[H·W, F]"));
    buffers.push_back(floats(of_channel("rows", c), s.leds, s.frames, "rows[N, F]"));
  }
  return buffers;
}

std::int64_t cublas_dense_bytes(const Workload& w) {
  const Shape s = shape_of(w.axes);
  return s.blocks() * s.height * s.width * s.value_bytes;
}

std::vector<Variant> library_variants() {
  const auto only_f32 = [](const Configuration& axes) { return !integers(axes); };
  Variant sparse = led_variant(
      "cusparse_csr", "cuSPARSE CSR_ALG2", "library",
      "All blocks as one CSR matrix of N·C rows, times the frames as columns. BSR and Blocked-ELL "
      "would need square blocks on a grid, but a pattern can start at any row.",
      "Each pattern value has a 4-byte index, which a block would not need.",
      [](const Workload& w) { return cusparse_steps(w, "cusparse.spmm.csr_alg2"); });
  sparse.scratch = cusparse_scratch;
  explain(sparse, "model.dram_read_bytes", Side::below, 0.52,
          "Frames are rearranged, and the library reads entries or frames again: 49 % of what an "
          "H200 read.");
  sparse.applies = only_f32;
  sparse.constraints = {{"N·C·B² must fit in 32-bit row pointers",
                         [](const Workload& w, const DeviceLimits&) -> Violation {
                           const std::int64_t entries = shape_of(w.axes).values();
                           if (entries <= 2147483647) return std::nullopt;
                           return std::to_string(entries) +
                                  " entries do not fit in 32-bit row pointers";
                         }},
                        {"C·H·W must fit in 32-bit column indices",
                         [](const Workload& w, const DeviceLimits&) -> Violation {
                           const Shape s = shape_of(w.axes);
                           if (s.channels * s.height * s.width <= 2147483647) return std::nullopt;
                           return "a frame has more pixels than a 32-bit column index can address";
                         }}};

  Variant batched = led_variant("cublas_batched", "gather, cuBLAS batched", "library",
                                "The pixels under every block are gathered into a patch. Then one "
                                "call computes N·C products of F×B² by B²×1. A batched product "
                                "directly on the image is not possible: a patch has two strides.",
                                "DRAM: the gather writes every pixel once per block over it, and "
                                "the product reads them again.",
                                cublas_batched_steps);
  batched.scratch = cublas_batched_scratch;
  batched.constraints = {
      {"type must be fp32",
       [](const Workload& w, const DeviceLimits&) -> Violation {
         if (!integers(w.axes)) return std::nullopt;
         return "cuBLAS multiplies f32 or signed bytes: these bytes are unsigned";
       }},
      memory_fits("patches need", cublas_batched_bytes)};

  Variant dense = led_variant(
      "cublas_dense", "cuBLAS dense", "library",
      "One dense matrix per channel, zeros included, with one row per LED and one column per "
      "pixel, times the frames.",
      "DRAM: one matrix element per pixel is read, and those outside the block are zero.",
      cublas_dense_steps);
  dense.scratch = cublas_dense_scratch;
  dense.applies = only_f32;
  dense.constraints = {memory_fits("dense Aᵀ needs", cublas_dense_bytes)};
  return {std::move(sparse), std::move(batched), std::move(dense)};
}

}  // namespace warpscope::led
