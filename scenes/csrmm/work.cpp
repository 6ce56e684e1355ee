// scenes/csrmm/work.cpp: modelled costs of csrmm that the emulator does not give.
#include "scenes/csrmm/work.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "scenes/base/device_units.h"
#include "scenes/csrmm/steps/k_tiles.h"
#include "scenes/csrmm/steps/staged.h"
#include "scenes/csrmm/steps/steps.h"

namespace warpscope::csrmm {
namespace {

constexpr auto kL2Bytes = static_cast<double>(kDesignDevice.l2_bytes);
constexpr auto kMultiprocessors = static_cast<double>(kDesignDevice.multiprocessors);
// How many bytes of rows of B L1 keeps. source: fitted between 130 and 170 KB to 294 points that an
// H200 counted. With this size most of them agree within 3 % (237 points), and all lie between 7 %
// below and 12 % above.
constexpr double kKeptBytes = 150 * 1024;

using Value = std::optional<double>;

double bytes_of_value(const Workload& w) { return static_cast<double>(value_bytes(w.axes)); }
double weight_bytes(const Workload& w) {
  return w.text("weights") == "homo" ? 0 : bytes_of_value(w);
}
double n_of(const Workload& w) { return w.real("n"); }
double nnz_of(const Workload& w) { return w.fact("nnz"); }
double row_bytes(const Workload& w) { return n_of(w) * bytes_of_value(w); }
double rows_of_c(const Workload& w) { return w.real(transposed(w.axes) ? "k" : "m"); }
double rows_of_b(const Workload& w) { return w.real(transposed(w.axes) ? "m" : "k"); }
double entry_bytes(const Workload& w) { return nnz_of(w) * (4 + weight_bytes(w)); }

// Bytes of the CSR or CSC arrays: indices, weights, and row or column pointers.
double a_bytes(const Workload& w, Form form) {
  const bool columns = transposed(w.axes) && form == Form::columns;
  return entry_bytes(w) + 4 * (w.real(columns ? "k" : "m") + 1);
}
// Rows of B that have an entry of A.
double b_bytes(const Workload& w) {
  return (transposed(w.axes) ? rows_of_b(w) : w.fact("distinct_columns")) * row_bytes(w);
}
double c_bytes(const Workload& w) { return rows_of_c(w) * row_bytes(w); }

double strips(const Workload& w, Columns columns) {
  return std::ceil(n_of(w) / static_cast<double>(columns(w)));
}

using Formula = std::function<double(const Workload&)>;

// Reads; what it writes is C.
void charge_reads(Variant& v, const Formula& reads) {
  charge(v, "model.dram_read_bytes", reads);
  charge(v, "model.dram_bytes", [reads](const Workload& w) { return reads(w) + c_bytes(w); });
}

// Multiprocessors that have a block of the largest grid.
double busy_multiprocessors(const Steps& steps) {
  double blocks = 1;
  for (const Step& step : steps) {
    const auto* kernel = std::get_if<KernelLaunch>(&step.action);
    if (kernel == nullptr || step.phase != Phase::run) continue;
    const Dim3& grid = kernel->launch.grid;
    blocks = std::max(blocks, static_cast<double>(grid.x * grid.y * grid.z));
  }
  return std::min(blocks, kMultiprocessors);
}

// How many of `gathers` row reads, each of a random one of `rows`, miss among the last `kept`
// different rows. Until `kept` rows were read, every new row is a miss; after that all but kept /
// rows of them are.
double fetched_rows(double gathers, double rows, double kept) {
  const auto distinct = [rows](double met) { return rows * (1 - std::exp(-met / rows)); };
  if (rows <= 0) return 0;
  if (kept >= rows) return distinct(gathers);
  const double filled = -rows * std::log(1 - kept / rows);
  if (gathers <= filled) return distinct(gathers);
  return kept + (gathers - filled) * (1 - kept / rows);
}

// Multiprocessors share the entries of A evenly. Each keeps its own rows, strip after strip.
double gathered_from_l2(const Workload& w, Columns columns, double multiprocessors) {
  const double rows = transposed(w.axes) ? rows_of_b(w) : w.fact("distinct_columns");
  const std::int64_t width = columns(w), all = w.integer("n");
  double bytes = strips(w, columns) * entry_bytes(w);
  for (std::int64_t first = 0; first < all; first += width) {
    const auto in_strip = static_cast<double>(std::min(width, all - first));
    const double piece = std::ceil(in_strip * bytes_of_value(w) / kSectorBytes) * kSectorBytes;
    bytes += multiprocessors * piece *
             fetched_rows(nnz_of(w) / multiprocessors, rows, kKeptBytes / piece);
  }
  return bytes;
}

double seed_outputs(const Workload& w) { return w.real("m") * n_of(w) * w.fact("mean_row"); }

// Whether what is written can stay in L2 until it is read.
double beyond_l2(double bytes) { return bytes > kL2Bytes ? bytes : 0; }

Value moved_by_dram(const Workload& w, const Variant& v) {
  for (const WorkTerm& term : work_terms()) {
    if (term.id == "model.dram_bytes") return evaluate(term, w, v);
  }
  return std::nullopt;
}

}  // namespace

std::int64_t one_column_a_lane(const Workload&) { return kWarpLanes; }
std::int64_t two_columns_a_lane(const Workload&) { return std::int64_t{2} * kWarpLanes; }
std::int64_t four_columns_a_lane(const Workload&) { return std::int64_t{4} * kWarpLanes; }
std::int64_t sixteen_bytes_a_lane(const Workload& w) {
  const std::int64_t filled = 16 / value_bytes(w.axes);
  return w.integer("n") % filled == 0 ? filled * kWarpLanes : kWarpLanes;
}

void charge_walks(Variant& v, Columns columns, Form form) {
  charge_reads(v, [columns, form](const Workload& w) {
    const double a = a_bytes(w, form);
    return a * (a > kL2Bytes ? strips(w, columns) : 1) + b_bytes(w);
  });
}

void charge_gathers(Variant& v, Columns columns) {
  charge_walks(v, columns);
  charge(v, kL2ReadTerm, [columns, steps = v.steps](const Workload& w) -> Value {
    // Sorted rows do not come in random order: warps of a multiprocessor read them for each other.
    if (w.axes.text("sorted") == "on") return std::nullopt;
    return gathered_from_l2(w, columns, busy_multiprocessors(steps(w)));
  });
}

void charge_one_walk(Variant& v, Form form) {
  charge_reads(v, [form](const Workload& w) { return a_bytes(w, form) + b_bytes(w); });
}

void charge_tiles(Variant& v, Form form, PartSums sums) {
  charge_one_walk(v, form);
  charge(v, kL2ReadTerm, [sums](const Workload& w) -> Value {
    const KTiles s = k_tiles(w, sums);
    const double copied = static_cast<double>(s.blocks * s.inner) *
                          std::ceil(row_bytes(w) / kSectorBytes) * kSectorBytes;
    return copied + strips(w, one_column_a_lane) * entry_bytes(w);
  });
}

void charge_slabs(Variant& v, std::int64_t columns) {
  charge(v, kL2ReadTerm, [columns](const Workload& w) -> Value {
    const double slabs = std::ceil(n_of(w) / static_cast<double>(columns));
    const double fetched = slabs * static_cast<double>(column_slab_parts(w)) * w.real("k");
    return fetched * kSectorBytes + slabs * entry_bytes(w);
  });
}

void charge_clearing(Variant& v) {
  charge(v, "model.dram_bytes", [before = v](const Workload& w) -> Value {
    return *moved_by_dram(w, before) + c_bytes(w);
  });
}

void charge_rounding(Variant& v) {
  charge(v, "model.dram_bytes", [before = v](const Workload& w) -> Value {
    const double all = *moved_by_dram(w, before);
    if (value_bytes(w.axes) != 2) return all;
    // The sums have twice the bytes of C, which charge_clearing counted for them.
    return all + c_bytes(w) + beyond_l2(2 * c_bytes(w));
  });
}

void charge_products(Variant& v) {
  const auto reads = [](const Workload& w) {
    return a_bytes(w, Form::rows) + b_bytes(w) + beyond_l2(4 * nnz_of(w) * n_of(w));
  };
  charge(v, "model.dram_read_bytes", reads);
  charge(v, "model.dram_bytes", [reads](const Workload& w) {
    return reads(w) + c_bytes(w) + beyond_l2(4 * nnz_of(w) * n_of(w));
  });
}

L2Expectation l2_expectation() {
  return {
      "Bytes read from L2 if each multiprocessor's L1 keeps the last 150 KB of rows of B (132 of "
      "them, as on an H200) and rows come in random order. The entries of A are read once per "
      "strip of columns that a warp owns.",
      0.13};
}

std::vector<WorkTerm> work_terms() {
  return {
      {"model.flops", "arithmetic", "FLOP",
       "2·nnz·n: one multiply and one add for every stored entry and column.",
       [](const Workload& w, const Variant&) -> Value { return 2 * nnz_of(w) * n_of(w); }},
      {"model.useful_flops", "useful arithmetic", "FLOP",
       "2·nnz·n·dB: the arithmetic without multiplications by zeros of B.",
       [](const Workload& w, const Variant&) -> Value {
         return 2 * nnz_of(w) * n_of(w) * w.real("db");
       }},
      {"model.dram_bytes", "compulsory DRAM bytes", "B",
       "Indices, weights and row pointers once (if they exceed the 60 MB of an H200's L2, once per "
       "strip of columns that reads them), the used rows of B once, C once. Plus what a variant "
       "reads in another form, clears first, or writes and reads again.",
       [](const Workload& w, const Variant&) -> Value {
         return a_bytes(w, Form::rows) + b_bytes(w) + c_bytes(w);
       }},
      {"model.dram_read_bytes", "compulsory DRAM reads", "B",
       "The same without C: reads alone. (Writes may stay in L2.)",
       [](const Workload& w, const Variant&) -> Value {
         return a_bytes(w, Form::rows) + b_bytes(w);
       }},
      term_of(l2_expectation()),
      {"model.seed_bytes", "bytes, by the article's model", "B",
       "m·n·L·(4 + s), with s bytes per value: the article's own model, which assumes no reuse and "
       "one index load per lane.",
       [](const Workload& w, const Variant&) -> Value {
         return seed_outputs(w) * (4 + bytes_of_value(w));
       }},
      {"model.seed_flops", "arithmetic, by the article's model", "FLOP",
       "2·nnz·n·dB: the article counts only products with a nonzero of B.",
       [](const Workload& w, const Variant&) -> Value {
         return 2 * nnz_of(w) * n_of(w) * w.real("db");
       }},
  };
}

}  // namespace warpscope::csrmm
