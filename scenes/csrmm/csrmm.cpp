// scenes/csrmm/csrmm.cpp: sparse CSR matrix times dense matrix: axes, inputs, reference, work
// model.
#include "scenes/csrmm/csrmm.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "scenes/csrmm/article.h"
#include "scenes/csrmm/inputs/hard_cases.h"
#include "scenes/csrmm/inputs/inputs.h"
#include "scenes/csrmm/inputs/reference.h"
#include "scenes/csrmm/inputs/seed_reading.h"
#include "scenes/csrmm/steps/steps.h"
#include "scenes/csrmm/variants/variants.h"
#include "scenes/csrmm/work.h"
#include "scenes/host/matrix_market.h"

namespace warpscope {
namespace {

using csrmm::transposed;

bool rows_are(const Configuration& axes, const char* distribution) {
  return axes.text("rows") == distribution;
}
bool generated(const Configuration& axes) { return !rows_are(axes, "file"); }

Axis only_for(Axis axis, const char* distribution) {
  axis.applies = [distribution](const Configuration& c) { return rows_are(c, distribution); };
  return axis;
}

// Long: a table of axes, one after the other.
std::vector<Axis> csrmm_axes() {
  const auto integer = AxisKind::integer;
  const auto real = AxisKind::real;
  const auto linear = AxisScale::linear;
  const auto log = AxisScale::log;
  const auto whole = [](std::int64_t value) { return AxisValue(value); };
  Axis m = number_axis("m", "rows of A", "rows", "Rows of the sparse matrix.", integer, log,
                       Binding::argument, 1000, 200000, whole(10000));
  m.typed_minimum = 0;
  m.typed_maximum = 17e6;
  m.stops = {1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000};
  Axis k = m;
  k.name = "k";
  k.label = "columns of A";
  k.unit = "columns";
  k.description = "Columns of the sparse matrix. Equal to m until you unlink it.";
  k.linked_to = "m";
  Axis p =
      number_axis("p", "density of A", "ratio",
                  "The probability that an entry of A is stored (of a connection, in a network).",
                  real, log, Binding::input, 1e-5, 0.3, 0.02);
  p.typed_minimum = 0;
  p.typed_maximum = 1;
  p.stops = {0.0001, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2};
  p.applies = generated;
  Axis n = number_axis("n", "columns of B", "columns",
                       "Columns of the dense operand: independent input vectors, the batch size.",
                       integer, log, Binding::argument, 1, 1024, whole(128));
  n.typed_minimum = 0;
  n.typed_maximum = 65536;
  n.stops = {1, 3, 31, 32, 33, 63, 64, 100, 127, 128, 256, 512, 1024};
  Axis db =
      number_axis("db", "density of B", "ratio",
                  "The share of nonzeros in the dense operand. A plain gather reads the zeros too.",
                  real, linear, Binding::input, 0, 1, 0.10);
  Axis alpha =
      number_axis("alpha", "power-law exponent", "1",
                  "The exponent of the Pareto distribution of row lengths. Smaller is more skewed.",
                  real, linear, Binding::input, 1.5, 3, 2.0);
  alpha.typed_minimum = 1.1;
  alpha.typed_maximum = 10;
  Axis w = number_axis("w", "bandwidth", "columns",
                       "Number of columns around the diagonal in which a row may have entries.",
                       integer, log, Binding::input, 1, 200000, whole(201));
  Axis b = number_axis("b", "block side", "rows", "The side of a diagonal block.", integer, log,
                       Binding::input, 8, 4096, whole(128));
  b.typed_minimum = 1;
  Axis huge = number_axis("huge_row", "huge row", "row", "The row that holds all entries.", integer,
                          linear, Binding::input, 0, 200000, whole(5000));
  huge.typed_maximum = 17e6;
  Axis threshold = number_axis(
      "auto_threshold", "dispatch threshold", "entries",
      "Length dispatch picks the warp-row kernel up to this mean number of entries per row.",
      integer, log, Binding::launch_shape, 1, 4096, whole(256));
  threshold.stops = {64, 256};
  threshold.of_variants = {"length_dispatch"};
  Axis unroll = number_axis("unroll", "unroll", "entries",
                            "Entries that the variant rows per block handles per loop iteration.",
                            integer, log, Binding::compile_time, 1, 8, whole(4));
  unroll.stops = {1, 2, 4, 8};
  unroll.of_variants = {"rows_per_block"};
  Axis seed = number_axis("seed", "seed", "", "Random seed of all inputs.", integer, linear,
                          Binding::input, 0, 1e6, whole(42));
  seed.typed_maximum = 9007199254740991.0;  // 2^53 - 1: exact in a double
  Axis file;
  file.name = "file";
  file.label = "Matrix Market file";
  file.description = "The .mtx file that A is read from; m and k follow it.";
  file.kind = AxisKind::file;
  file.takes = {".mtx"};
  file.binds = Binding::input;
  file.default_value = std::string();
  return {
      std::move(m),
      std::move(k),
      std::move(p),
      std::move(n),
      std::move(db),
      choice_axis("weights", "values of A",
                  "Each entry has its own weight, or all entries share one.", {"hetero", "homo"}),
      choice_axis("op", "operation", "NT gathers rows of B: C = A·B. T scatters them: C = Aᵀ·B.",
                  {"NT", "T"}),
      choice_axis("dtype", "type",
                  "The storage type of weights, B and C. Sums are f32 (f64 for f64).",
                  {"f32", "f16", "bf16", "f64"}, Binding::compile_time),
      choice_axis("rows", "row lengths", "How entries are distributed over rows and columns.",
                  {"fixed", "binomial", "power_law", "rmat", "banded", "block_diagonal",
                   "one_huge_row", "file"}),
      only_for(std::move(alpha), "power_law"),
      only_for(std::move(w), "banded"),
      only_for(std::move(b), "block_diagonal"),
      only_for(std::move(huge), "one_huge_row"),
      only_for(std::move(file), "file"),
      only_for(
          choice_axis("complex_as", "complex values", "How a complex value in the file is read.",
                      {"refuse", "real part", "magnitude"}),
          "file"),
      choice_axis("sorted", "sorted columns",
                  "Whether the column indices of a row are in ascending order.", {"off", "on"}),
      choice_axis("duplicates", "duplicates",
                  "Whether a row may have two entries in the same column.", {"on", "off"}),
      choice_axis(
          "zeros", "zero pattern",
          "Where the zeros of B are: at random, in whole rows, or in 32-column strips of a row.",
          {"iid", "rows", "strips"}),
      std::move(threshold),
      std::move(unroll),
      csrmm::index_width_axis(),
      csrmm::launch_bounds_axis(),
      std::move(seed),
  };
}

std::vector<Preset> csrmm_presets() {
  const auto size = [](std::string name, std::string m, std::string p, std::string n) {
    return Preset{std::move(name),
                  "A problem from the published benchmark.",
                  {{"m", m}, {"k", m}, {"p", p}, {"n", n}, {"rows", "fixed"}}};
  };
  return {
      size("10k · 0.02 · 128 (default)", "10000", "0.02", "128"),
      size("10k · 0.01 · 64", "10000", "0.01", "64"),
      size("5k · 0.05 · 128", "5000", "0.05", "128"),
      size("5k · 0.01 · 64", "5000", "0.01", "64"),
      size("1k · 0.10 · 128", "1000", "0.1", "128"),
      size("1k · 0.05 · 32", "1000", "0.05", "32"),
      {"power law",
       "Row lengths with a heavy tail[[warp_row_zero_test.time.warm > 1.5 * "
       "warp_row_zero_test@rows=fixed.time.warm => : the first published kernel waits for the "
       "longest row and takes {ratio(warp_row_zero_test.time.warm, "
       "warp_row_zero_test@rows=fixed.time.warm)} times as long as with equal rows | : the first "
       "published kernel takes {warp_row_zero_test.time.warm}, "
       "{warp_row_zero_test@rows=fixed.time.warm} with equal rows]].",
       {{"m", "10000"}, {"k", "10000"}, {"p", "0.02"}, {"n", "128"}, {"rows", "power_law"}}},
      {"one huge row",
       "All entries are in one row: the case for row splitting.",
       {{"m", "10000"}, {"k", "10000"}, {"p", "0.002"}, {"n", "128"}, {"rows", "one_huge_row"}}},
  };
}

Result<Configuration> settle(const Configuration& axes) {
  if (!rows_are(axes, "file")) return axes;
  const Result<FileShape> shape = read_matrix_market_shape(axes.text("file"));
  if (!shape) return tl::unexpected(shape.error());
  Configuration settled = axes;
  settled.set("m", shape->rows);
  settled.set("k", shape->columns);
  return settled;
}

std::int64_t output_rows(const Configuration& axes) {
  return axes.integer(transposed(axes) ? "k" : "m");
}

std::int64_t estimate_bytes(const Configuration& axes) {
  const double n = axes.real("n");
  const double b_rows = axes.real(transposed(axes) ? "m" : "k");
  constexpr double kReferenceBytes = 3 * 8;  // reference, accumulation, magnitude in f64
  const auto value = static_cast<double>(csrmm::value_bytes(axes));
  const double bytes = csrmm::expected_entries(axes) * (4 + value) +
                       4 * (axes.real("m") + axes.real("k")) + value * b_rows * n +
                       (value + kReferenceBytes) * static_cast<double>(output_rows(axes)) * n;
  return static_cast<std::int64_t>(std::min(bytes, 9e18));
}

std::int64_t estimate_whole_bytes(const Configuration& axes) {
  const double entries = csrmm::expected_entries(axes);
  const double bytes =
      4 * entries * (rows_are(axes, "file") ? 3 : 1) +  // values of a file, weights
      4 * (axes.real("m") + 1 + axes.real("k"));
  return static_cast<std::int64_t>(std::min(bytes, 9e18));
}

Result<void> admit(const Configuration& axes) {
  const double entries = generated(axes) ? csrmm::expected_entries(axes) : 0;
  if (entries > std::numeric_limits<std::int32_t>::max()) {
    return failure(ErrorKind::usage, "nnz does not fit in 32-bit row pointers",
                   "m·k·p = " + std::to_string(static_cast<std::int64_t>(entries)) + " entries",
                   "lower m, k or p until it is under 2147483647");
  }
  constexpr double kMostDenseElements = 4e9;  // 16 GB of host memory for B
  const double dense = axes.real(transposed(axes) ? "m" : "k") * axes.real("n");
  if (dense > kMostDenseElements) {
    return failure(ErrorKind::usage,
                   "B would have " + std::to_string(static_cast<std::int64_t>(dense)) + " elements",
                   "axes m, k and n", "lower them until B has at most 4000000000");
  }
  return {};
}

std::vector<BufferSpec> buffers(const Workload& w) {
  const std::int64_t m = w.integer("m"), k = w.integer("k"), n = w.integer("n");
  const std::int64_t nnz = static_cast<std::int64_t>(w.fact("nnz"));
  const std::int64_t weights = w.text("weights") == "homo" ? 1 : nnz;
  const std::int64_t b_rows = transposed(w.axes) ? m : k, c_rows = transposed(w.axes) ? k : m;
  const ElementType value = csrmm::value_type(w.axes);
  return {
      {"indptr", ElementType::i32, m + 1, BufferRole::input, {m + 1}, "indptr[m + 1]"},
      {"indices", ElementType::i32, nnz, BufferRole::input, {nnz}, "indices[nnz]"},
      {"column_counts", ElementType::i32, k, BufferRole::input, {k}, "column_counts[k]"},
      {"weights", value, weights, BufferRole::input, {weights}, "weights[nnz]"},
      {"b", value, b_rows * n, BufferRole::input, {b_rows, n}, "B[k, n]"},
      {"c", value, c_rows * n, BufferRole::output, {c_rows, n}, "C[m, n]"},
  };
}

std::optional<std::string> nothing_to_do(const Workload& w) {
  if (w.integer("n") == 0) return "empty: n is 0, so B and C have no columns";
  if (output_rows(w.axes) == 0) return "empty: C has no rows";
  if (w.integer("m") == 0) return "empty: m is 0, so A has no rows";
  return std::nullopt;
}

}  // namespace

// Long: a table of what the scene consists of.
Scene csrmm_scene() {
  Scene scene;
  scene.name = "csrmm";
  scene.title = "Sparse CSR matrix times dense matrix";
  scene.story =
      "A sparse matrix times a dense one. NT gathers rows of the dense matrix; T scatters them. "
      "[[auto.model.dram_bytes < device.l2_bytes => The {model.dram_bytes:auto} of A, B and C fit "
      "in the {device.l2_bytes} of L2. Still, every entry of A reads a row of B from there. | The "
      "{model.dram_bytes:auto} of A, B and C exceed the {device.l2_bytes} of L2, and every entry "
      "of A reads a row of B. || Every entry of A reads a row of B. Whether A, B and C fit in L2 "
      "depends on their size and the device.]] [[warp_row_zero_test.binds = 'L2' => A plain gather "
      "is limited by L2: {ratio(warp_row_zero_test.l2.bytes_to_sm, "
      "warp_row_zero_test.model.dram_bytes)} times those bytes go from L2 to the multiprocessors. "
      "| A plain gather is limited by {warp_row_zero_test.binds} here.]] The article that this "
      "scene comes from removed a branch and unrolled a loop by hand: [[warp_row_unroll4.time.warm "
      "< warp_row_zero_test.time.warm => here that takes {ratio(warp_row_unroll4.time.warm, "
      "warp_row_zero_test.time.warm)} of the first kernel's time | warp_row_unroll4.time.warm > "
      "warp_row_zero_test.time.warm => here that takes {ratio(warp_row_unroll4.time.warm, "
      "warp_row_zero_test.time.warm)} times as long as the first kernel | here the time differs by "
      "no more than the noise || what that gains depends on the compiler]].";
  scene.axes = csrmm_axes();
  scene.presets = csrmm_presets();
  scene.hard_cases = csrmm::hard_cases;
  scene.input_groups = {
      {"structure",
       {"m", "k", "p", "rows", "alpha", "w", "b", "huge_row", "file", "complex_as", "sorted",
        "duplicates", "seed"},
       {},
       {"indptr", "indices", "column_counts", "file_values"},
       csrmm::generate_structure,
       csrmm::make_elements,
       nullptr,
       csrmm::has_elements,
       "a row begins where the previous row ends; columns that are sorted or drawn without "
       "duplicates depend on each other; those of bands, blocks and R-MAT depend on the row; a "
       "file gives everything",
       csrmm::outline_structure},
      {"weights",
       {"weights", "dtype", "seed"},
       {"structure"},
       {"weights"},
       csrmm::generate_weights,
       csrmm::make_elements,
       nullptr,
       csrmm::has_elements},
      {"b",
       {"m", "k", "n", "db", "zeros", "op", "dtype", "seed"},
       {},
       {"b"},
       csrmm::generate_b,
       csrmm::make_elements},
  };
  scene.settle = settle;
  scene.admit = admit;
  scene.estimate_bytes = estimate_bytes;
  scene.estimate_whole_bytes = estimate_whole_bytes;
  scene.buffers = buffers;
  scene.nothing_to_do = nothing_to_do;
  scene.references = csrmm::references();
  scene.l2_expectation = csrmm::l2_expectation();
  scene.work_terms = csrmm::work_terms();
  scene.variants = csrmm_variants(scene.axes);
  scene.groups = {
      {"seed",
       "published",
       {"warp_row_zero_test", "warp_row_branch_free", "warp_row_shuffle", "warp_row_unroll4",
        "block_row_unroll4", "length_dispatch", "t_scatter_atomics", "t_scatter_plain_loads"}},
      {"ablation", "ablations", {}},
      {"ours", "ours", {}},
      {"library", "libraries", {}}};
  scene.article = csrmm::article();
  scene.baseline = "warp_row_zero_test";
  scene.library_baseline = "cusparse_alg3";
  scene.library_baseline_elsewhere =
      "cusparse_csc";  // the baseline of variants that prepare columns too
  return scene;
}

}  // namespace warpscope
