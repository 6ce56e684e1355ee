// scenes/csrmm/work.cpp: what csrmm must cost by arithmetic alone, level by level.
#include "scenes/csrmm/work.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "scenes/csrmm/steps.h"

namespace warpscope::csrmm {
namespace {

constexpr double kValueBytes = 4;    // f32
constexpr double kSectorBytes = 32;  // source: EMULATOR section 4, checked against ncu
constexpr double kLineBytes = 128;

using Value = std::optional<double>;

double trait(const Variant& v, const char* name) {
  const auto found = v.traits.find(name);
  return found == v.traits.end() ? 0 : found->second;
}

double weight_bytes(const Workload& w) { return w.text("weights") == "homo" ? 0 : kValueBytes; }
double n_of(const Workload& w) { return w.real("n"); }
double nnz_of(const Workload& w) { return w.fact("nnz"); }
double round_up(double value, double step) { return std::ceil(value / step) * step; }

// Bytes of the CSR arrays: indices and weights, and the row pointers.
double csr_bytes(const Workload& w) {
  return nnz_of(w) * (4 + weight_bytes(w)) + 4 * (w.real("m") + 1);
}

double dram_bytes(const Workload& w, const Variant& v) {
  const double row = n_of(w) * kValueBytes;
  if (!transposed(w.axes)) {
    return csr_bytes(w) + w.fact("distinct_columns") * row + w.real("m") * row;
  }
  return csr_bytes(w) + w.real("m") * row + w.real("k") * row * (1 + trait(v, "clears_output"));
}

// A warp's columns, never more than there are.
double strips(const Workload& w, const Variant& v) {
  return std::ceil(n_of(w) / trait(v, "columns_per_warp"));
}

Value l2_bytes(const Workload& w, const Variant& v) {
  if (trait(v, "gather") == 0) return std::nullopt;
  return nnz_of(w) * round_up(n_of(w) * kValueBytes, kSectorBytes) +
         strips(w, v) * nnz_of(w) * (4 + weight_bytes(w));
}

Value l1_wavefronts(const Workload& w, const Variant& v) {
  if (trait(v, "gather") == 0) return std::nullopt;
  const double broadcasts = (weight_bytes(w) > 0 ? 2 : 1) * strips(w, v);
  return nnz_of(w) * (std::ceil(n_of(w) * kValueBytes / kLineBytes) + broadcasts);
}

Value instructions(const Workload& w, const Variant& v) {
  if (trait(v, "gather") == 0 && trait(v, "atomic") == 0) return std::nullopt;
  return nnz_of(w) * std::ceil(n_of(w) / 32);
}

double seed_outputs(const Workload& w) { return w.real("m") * n_of(w) * w.fact("mean_row"); }

}  // namespace

std::vector<WorkTerm> work_terms() {
  return {
      {"model.flops", "arithmetic", "FLOP",
       "2·nnz·n: one multiply and one add for every stored entry and column.",
       [](const Workload& w, const Variant&) -> Value { return 2 * nnz_of(w) * n_of(w); }},
      {"model.useful_flops", "useful arithmetic", "FLOP",
       "2·nnz·n·dB: the part of the arithmetic that does not multiply a zero of B.",
       [](const Workload& w, const Variant&) -> Value {
         return 2 * nnz_of(w) * n_of(w) * w.real("db");
       }},
      {"model.dram_bytes", "compulsory DRAM bytes", "B",
       "Indices, weights and row pointers once, the referenced rows of B once, C once (for T with "
       "atomics twice: it is cleared first).",
       [](const Workload& w, const Variant& v) -> Value { return dram_bytes(w, v); }},
      {"model.l2_bytes", "L2 bytes of a plain gather", "B",
       "nnz rows of B in whole 32-byte sectors, and the index and weight streams once for every "
       "strip of columns a warp owns, when L1 never hits.",
       l2_bytes},
      {"model.l1_bytes", "L1 data-path bytes", "B",
       "128 bytes for every L1 wavefront: the data path moves a line a clock, used or not.",
       [](const Workload& w, const Variant& v) -> Value {
         const Value wavefronts = l1_wavefronts(w, v);
         return wavefronts ? Value(*wavefronts * kLineBytes) : std::nullopt;
       }},
      {"model.l1_wavefronts", "L1 wavefronts", "1",
       "One for every 128 bytes of a row of B and one for every broadcast load of an index or a "
       "weight, for every strip.",
       l1_wavefronts},
      {"model.instructions", "multiply-add warp instructions", "1",
       "nnz·⌈n/32⌉: the fewest instructions that can be issued for the arithmetic alone.",
       instructions},
      {"model.seed_bytes", "bytes, seed as published", "B",
       "m·n·L·(4 + 4): the seed's own model, which reuses nothing and charges every lane an index.",
       [](const Workload& w, const Variant&) -> Value {
         return seed_outputs(w) * (4 + kValueBytes);
       }},
      {"model.seed_flops", "arithmetic, seed as published", "FLOP",
       "2·nnz·n·dB: the seed counts only products with a nonzero of B.",
       [](const Workload& w, const Variant&) -> Value {
         return 2 * nnz_of(w) * n_of(w) * w.real("db");
       }},
  };
}

}  // namespace warpscope::csrmm
