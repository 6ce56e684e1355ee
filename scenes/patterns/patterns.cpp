// scenes/patterns/patterns.cpp: access patterns for teaching: axes, presets, sizes, checks.
#include "scenes/patterns/patterns.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "scenes/patterns/article.h"
#include "scenes/patterns/hard_cases.h"
#include "scenes/patterns/inputs.h"
#include "scenes/patterns/reference.h"
#include "scenes/patterns/shapes.h"
#include "scenes/patterns/variants.h"
#include "scenes/patterns/work.h"

namespace warpscope {
namespace {

using patterns::op_is;
using patterns::output_elements;

constexpr std::int64_t kMostElements = 1LL << 28;  // of x: 1 GiB

Axis only_for(Axis axis, const char* op) {
  axis.applies = [op](const Configuration& c) { return op_is(c, op); };
  return axis;
}

std::vector<double> powers_of_two(std::int64_t first, std::int64_t last) {
  std::vector<double> stops;
  for (std::int64_t stop = first; stop <= last; stop *= 2)
    stops.push_back(static_cast<double>(stop));
  return stops;
}

// Long: a table of axes, one after the other.
std::vector<Axis> patterns_axes() {
  const auto integer = AxisKind::integer;
  const auto log = AxisScale::log;
  const auto linear = AxisScale::linear;
  const auto whole = [](std::int64_t value) { return AxisValue(value); };
  const auto most = static_cast<double>(kMostElements);
  // 64 MiB in and 64 MiB out do not fit the 60 MB of an H200's L2: DRAM is seen.
  Axis n = number_axis("n", "elements of x", "elements", "Elements of the input, 4 bytes each.",
                       integer, log, Binding::argument, 1 << 12, most, whole(1 << 24));
  n.typed_minimum = 0;
  n.stops = powers_of_two(1 << 12, kMostElements);
  n.applies = [](const Configuration& c) { return !op_is(c, "transpose"); };
  Axis rows = number_axis("rows", "rows of x", "rows",
                          "Rows of the matrix, which are columns of its transpose.", integer, log,
                          Binding::argument, 32, 16384, whole(4096));
  rows.typed_minimum = 0;
  rows.typed_maximum = 65536;
  rows.stops = powers_of_two(32, 16384);
  Axis columns = rows;
  columns.name = "columns";
  columns.label = "columns of x";
  columns.unit = "columns";
  columns.description = "Columns of the matrix. Equal to rows until you unlink it.";
  columns.linked_to = "rows";
  Axis stride = number_axis(
      "stride", "stride", "vectors",
      "Distance between the elements of neighbouring lanes. Stride s copies every s-th vector.",
      integer, log, Binding::argument, 1, 64, whole(1));
  stride.typed_maximum = 4096;
  stride.stops = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 48, 64};
  Axis offset = number_axis("offset", "offset", "elements",
                            "Index in x at which the copy starts. Vectors must still be aligned.",
                            integer, linear, Binding::argument, 0, 32, whole(0));
  offset.typed_maximum = 4096;
  offset.stops = {0, 1, 2, 4, 8, 16, 24, 32};
  Axis fields = number_axis("fields", "fields read", "fields",
                            "How many of the eight fields of a structure are summed.", integer,
                            linear, Binding::compile_time, 1, 8, whole(3));
  fields.stops = {1, 2, 3, 4, 5, 6, 7, 8};
  Axis locality =
      number_axis("locality", "locality", "ratio",
                  "The probability that element i has index i. Otherwise its index is random.",
                  AxisKind::real, linear, Binding::input, 0, 1, 0.5);
  locality.stops = {0, 0.25, 0.5, 0.75, 0.9, 1};
  Axis bins = number_axis("bins", "bins", "bins", "Number of bins to which elements are added.",
                          integer, log, Binding::argument, 1, 65536, whole(1024));
  bins.stops = powers_of_two(1, 65536);
  bins.typed_maximum = 1 << 24;
  Axis contention = number_axis("contention", "contention", "lanes",
                                "How many neighbouring lanes of a warp share one bin.", integer,
                                log, Binding::input, 1, 32, whole(4));
  contention.stops = powers_of_two(1, 32);
  Axis seed = number_axis("seed", "seed", "", "Random seed of all inputs.", integer, linear,
                          Binding::input, 0, 1e6, whole(42));
  seed.typed_maximum = 9007199254740991.0;  // 2^53 - 1: exact in a double
  return {
      choice_axis("op", "operation", "The operation. Each has its own variants.",
                  {"copy", "structures", "transpose", "reduction", "gather", "atomics"}),
      std::move(n),
      only_for(std::move(rows), "transpose"),
      only_for(std::move(columns), "transpose"),
      only_for(
          choice_axis("width", "bytes per lane", "Bytes that a lane loads with one instruction.",
                      {"4", "8", "16"}, Binding::compile_time),
          "copy"),
      only_for(std::move(stride), "copy"),
      only_for(std::move(offset), "copy"),
      only_for(std::move(fields), "structures"),
      only_for(std::move(locality), "gather"),
      only_for(std::move(bins), "atomics"),
      only_for(std::move(contention), "atomics"),
      std::move(seed),
  };
}

std::vector<Preset> patterns_presets() {
  const auto copy = [](std::string name, std::string sentence, std::string width,
                       std::string stride, std::string offset) {
    return Preset{std::move(name),
                  std::move(sentence),
                  {{"op", "copy"},
                   {"n", "16777216"},
                   {"width", width},
                   {"stride", stride},
                   {"offset", offset}}};
  };
  return {
      copy("copy in order",
           "32 lanes of 4 bytes read one line[[copy.l1.sectors_per_request_load ~ 4 => , "
           "{l1.sectors_per_request_load:copy} sectors per request as counted]].",
           "4", "1", "0"),
      copy("copy, stride 8", "Each lane reads a different sector and uses an eighth of it.", "4",
           "8", "0"),
      copy("copy, off by one", "Every warp straddles one sector more.", "4", "1", "1"),
      copy("copy, 16 bytes per lane", "A quarter of the requests for the same sectors.", "16", "1",
           "0"),
      {"structures",
       "Three of eight fields.",
       {{"op", "structures"}, {"n", "16777216"}, {"fields", "3"}}},
      {"transpose", "4096 × 4096.", {{"op", "transpose"}, {"rows", "4096"}, {"columns", "4096"}}},
      {"reduction", "Sums of 256 elements each.", {{"op", "reduction"}, {"n", "16777216"}}},
      {"gather, local",
       "Neighbouring lanes read neighbouring elements.",
       {{"op", "gather"}, {"n", "16777216"}, {"locality", "1"}}},
      {"gather, anywhere",
       "Lanes read random elements of the array.",
       {{"op", "gather"}, {"n", "16777216"}, {"locality", "0"}}},
      {"atomics, spread",
       "32 lanes, 32 bins.",
       {{"op", "atomics"}, {"n", "16777216"}, {"bins", "1024"}, {"contention", "1"}}},
      {"atomics, contended",
       "All lanes of a warp add to one bin.",
       {{"op", "atomics"}, {"n", "16777216"}, {"bins", "1024"}, {"contention", "32"}}},
  };
}

Result<void> admit(const Configuration& axes) {
  const std::int64_t elements = patterns::input_elements(axes);
  if (elements > kMostElements) {
    return failure(ErrorKind::usage, "x would have " + std::to_string(elements) + " elements",
                   op_is(axes, "transpose") ? "axes rows and columns" : "axis n",
                   "lower them until x has at most " + std::to_string(kMostElements));
  }
  return {};
}

std::int64_t estimate_bytes(const Configuration& axes) {
  constexpr std::int64_t kReferenceBytes = 24;  // reference, accumulation, magnitude: 8 each
  std::int64_t bytes =
      4 * patterns::input_elements(axes) + (4 + kReferenceBytes) * output_elements(axes);
  if (op_is(axes, "gather")) bytes += 4 * axes.integer("n");
  if (op_is(axes, "atomics")) bytes += 4 * (axes.integer("n") + axes.integer("bins"));
  return bytes;
}

std::vector<BufferSpec> buffers(const Workload& w) {
  const std::int64_t n = w.integer("n"), rows = w.integer("rows"), columns = w.integer("columns");
  const std::int64_t outputs = output_elements(w.axes);
  BufferSpec x{"x", ElementType::f32, n, BufferRole::input, {n}, "x[n]"};
  BufferSpec y{"y", ElementType::f32, outputs, BufferRole::output, {outputs}, "y[elements]"};
  const auto indices = [](std::string name, std::int64_t count, std::string symbol) {
    return BufferSpec{std::move(name),   ElementType::i32, count,
                      BufferRole::input, {count},          std::move(symbol)};
  };
  if (op_is(w.axes, "transpose")) {
    x.count = rows * columns;
    x.shape = {rows, columns};
    x.symbol = "x[rows, columns]";
    y.shape = {columns, rows};
    y.symbol = "y[columns, rows]";
  } else if (op_is(w.axes, "structures")) {
    y.symbol = "y[structures]";
  } else if (op_is(w.axes, "reduction")) {
    y.symbol = "y[pieces]";
  } else if (op_is(w.axes, "gather")) {
    y.symbol = "y[n]";
    return {std::move(x), indices("index", n, "index[n]"), std::move(y)};
  } else if (op_is(w.axes, "atomics")) {
    y.symbol = "y[bins]";
    return {std::move(x), indices("key", n, "key[n]"),
            indices("bin_counts", w.integer("bins"), "bin_counts[bins]"), std::move(y)};
  }
  return {std::move(x), std::move(y)};
}

std::optional<std::string> nothing_to_do(const Workload& w) {
  if (patterns::input_elements(w.axes) == 0) return "empty: x has no elements";
  if (output_elements(w.axes) > 0) return std::nullopt;
  return op_is(w.axes, "copy") ? "empty: there is no whole vector after the offset"
                               : "empty: x is shorter than one structure of eight fields";
}

}  // namespace

Scene patterns_scene() {
  Scene scene;
  scene.name = "patterns";
  scene.title = "Access patterns, one at a time";
  scene.story =
      "Small kernels that show what memory does with the requests of 32 lanes: strided copies, "
      "structure layouts, transposes, reductions, gathers and atomics. Memory moves 32-byte "
      "sectors in lines of 128 bytes; shared memory has 32 banks. How a kernel uses them decides "
      "much of its time. [[axis.op = 'copy' and copy@stride=8.time.warm > 1.5 * "
      "copy@stride=1.time.warm / 8 => Here, copying every eighth element takes "
      "{ratio(copy@stride=8.time.warm, copy@stride=1.time.warm)} of the time of copying all.]]";
  scene.axes = patterns_axes();
  scene.presets = patterns_presets();
  scene.hard_cases = patterns::hard_cases;
  scene.input_groups = {
      {"values",
       {"op", "n", "rows", "columns", "seed"},
       {},
       {"x"},
       patterns::generate_values,
       patterns::make_elements},
      {"index",
       {"op", "n", "locality", "seed"},
       {},
       {"index"},
       patterns::generate_index,
       patterns::make_elements},
      {"keys",
       {"op", "n", "bins", "contention", "seed"},
       {},
       {"key", "bin_counts"},
       patterns::generate_keys,
       patterns::make_elements},
  };
  scene.admit = admit;
  scene.estimate_bytes = estimate_bytes;
  scene.buffers = buffers;
  scene.nothing_to_do = nothing_to_do;
  scene.references = patterns::references();
  scene.work_terms = patterns::work_terms();
  scene.variants = patterns::variants();
  scene.article = patterns::article();
  scene.baseline = "copy";
  scene.library_baseline = "copy_driver";
  scene.sweep_metric = "rate.useful_bytes";
  return scene;
}

}  // namespace warpscope
