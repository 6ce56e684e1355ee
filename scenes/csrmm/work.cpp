// scenes/csrmm/work.cpp: what csrmm must cost by arithmetic alone, level by level.
#include "scenes/csrmm/work.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "scenes/csrmm/k_tiles.h"
#include "scenes/csrmm/staged.h"
#include "scenes/csrmm/steps.h"

namespace warpscope::csrmm {
namespace {

constexpr double kSectorBytes = 32;  // source: EMULATOR section 4, checked against ncu
constexpr double kLineBytes = 128;

using Value = std::optional<double>;

double trait(const Variant& v, const char* name) {
  const auto found = v.traits.find(name);
  return found == v.traits.end() ? 0 : found->second;
}

double bytes_of_value(const Workload& w) { return static_cast<double>(value_bytes(w.axes)); }
double weight_bytes(const Workload& w) {
  return w.text("weights") == "homo" ? 0 : bytes_of_value(w);
}
double n_of(const Workload& w) { return w.real("n"); }
double nnz_of(const Workload& w) { return w.fact("nnz"); }
double round_up(double value, double step) { return std::ceil(value / step) * step; }

// Bytes of the CSR or CSC arrays: indices and weights, and the row or column pointers.
double csr_bytes(const Workload& w, const Variant& v) {
  const bool columns = transposed(w.axes) && trait(v, "csc") != 0;
  const double pointers = w.real(columns ? "k" : "m") + 1;
  return nnz_of(w) * (4 + weight_bytes(w)) + 4 * pointers;
}

double dram_bytes(const Workload& w, const Variant& v) {
  const double row = n_of(w) * bytes_of_value(w);
  const double writes = 1 + trait(v, "clears_output");
  if (!transposed(w.axes)) {
    return csr_bytes(w, v) + w.fact("distinct_columns") * row + w.real("m") * row * writes;
  }
  return csr_bytes(w, v) + w.real("m") * row + w.real("k") * row * writes;
}

// Strips of columns that warps own: lanes that own four columns of f32 own eight of 16 bits.
double strips(const Workload& w, const Variant& v) {
  const std::int64_t filled = 16 / value_bytes(w.axes);
  if (trait(v, "scalar_below_quads") != 0 && w.integer("n") % filled != 0) {
    return std::ceil(n_of(w) / static_cast<double>(kLanes));
  }
  const bool vectors = trait(v, "any_type") != 0 && trait(v, "columns_per_lane") == 4;
  const double wider = vectors ? static_cast<double>(filled) / 4 : 1;
  return std::ceil(n_of(w) / (trait(v, "columns_per_warp") * wider));
}

// The mean of ⌈kept · bytes / step⌉ where `kept` of `count` units are kept with chance q each.
double expected_steps(std::int64_t count, double q, double bytes, double step) {
  if (q >= 1 || count == 0) return std::ceil(static_cast<double>(count) * bytes / step);
  double mean = 0;
  for (std::int64_t kept = 1; kept <= count && q > 0; ++kept) {
    const double c = static_cast<double>(count), j = static_cast<double>(kept);
    const double log_chance = std::lgamma(c + 1) - std::lgamma(j + 1) - std::lgamma(c - j + 1) +
                              j * std::log(q) + (c - j) * std::log1p(-q);
    mean += std::exp(log_chance) * std::ceil(j * bytes / step);
  }
  return mean;
}

// What one entry reads of a compressed B, in units of `step` bytes, over all strips of 128 columns.
// Zeros that come in rows or in strips of 32 columns are kept or dropped in those.
double compressed_steps(const Workload& w, const Variant& v, double step) {
  const double granule = trait(v, "compressed_granule"), db = w.real("db");
  const std::string& zeros = w.text("zeros");
  double total = 0;
  for (double left = n_of(w); left > 0; left -= trait(v, "columns_per_warp")) {
    const double columns = std::min(left, trait(v, "columns_per_warp"));
    const double unit = zeros == "rows" ? columns : zeros == "strips" ? 32 : granule;
    const double kept = zeros == "iid" ? 1 - std::pow(1 - db, granule) : db;
    total += expected_steps(static_cast<std::int64_t>(std::ceil(columns / unit)), kept,
                            unit * bytes_of_value(w), step);
  }
  return total;
}

// A mask has 4 / granule words a strip: one sector.
double compressed_l2_bytes(const Workload& w, const Variant& v) {
  const double b =
      w.real(transposed(w.axes) ? "m" : "k") * n_of(w) * bytes_of_value(w);  // compacted
  return b + nnz_of(w) * kSectorBytes * (strips(w, v) + compressed_steps(w, v, kSectorBytes)) +
         strips(w, v) * nnz_of(w) * (4 + weight_bytes(w));
}

// A lane's granules are so many requests, each of at least one line; indices and weights come four
// at a time.
double compressed_l1_wavefronts(const Workload& w, const Variant& v) {
  const double requests = 4 / trait(v, "compressed_granule");
  const double values = std::max(requests * strips(w, v), compressed_steps(w, v, kLineBytes));
  const double streams = (weight_bytes(w) > 0 ? 2 : 1) / 4.0;
  return nnz_of(w) * (values + strips(w, v) * (1 + streams));
}

// Blocks of the slab kernel fetch their columns of B, 16 of the 32 bytes of a sector, and every
// slab reads all of A.
double slabs(const Workload& w, const Variant& v) {
  return std::ceil(n_of(w) / trait(v, "slab_columns"));
}
double slab_rows(const Workload& w, const Variant& v) {
  return slabs(w, v) * static_cast<double>(column_slab_parts(w)) * w.real("k");
}
double slab_l2_bytes(const Workload& w, const Variant& v) {
  return slab_rows(w, v) * kSectorBytes + slabs(w, v) * nnz_of(w) * (4 + weight_bytes(w));
}

// The K-tiled stream: every block copies its 32 columns of all of B, and reads its entries once for
// each strip as an offset and a weight; an entry reads a row of 32 columns from shared memory.
double copied_bytes(const Workload& w) {
  const KTiles s = k_tiles(w);
  return static_cast<double>(s.blocks * s.inner) *
         round_up(n_of(w) * value_bytes(w.axes), kSectorBytes);
}
double stream_bytes(const Workload& w, const Variant& v) {
  return strips(w, v) * nnz_of(w) * (4 + weight_bytes(w));
}
double tile_reads(const Workload& w, const Variant& v) {
  return strips(w, v) * nnz_of(w) * kLineBytes;
}

Value shared_bytes(const Workload& w, const Variant& v) {
  if (trait(v, "k_tiles") != 0) return tile_reads(w, v);
  if (trait(v, "gather") == 0 || trait(v, "slab_columns") == 0) return std::nullopt;
  return (nnz_of(w) * n_of(w) + slab_rows(w, v) * trait(v, "slab_columns")) * bytes_of_value(w);
}

Value l2_bytes(const Workload& w, const Variant& v) {
  if (trait(v, "k_tiles") != 0) return copied_bytes(w) + stream_bytes(w, v);
  if (trait(v, "gather") == 0) return std::nullopt;
  if (trait(v, "slab_columns") != 0) return slab_l2_bytes(w, v);
  if (trait(v, "compressed_granule") != 0) return compressed_l2_bytes(w, v);
  return nnz_of(w) * round_up(n_of(w) * bytes_of_value(w), kSectorBytes) +
         strips(w, v) * nnz_of(w) * (4 + weight_bytes(w));
}

Value l1_wavefronts(const Workload& w, const Variant& v) {
  if (trait(v, "k_tiles") != 0) return (tile_reads(w, v) + stream_bytes(w, v)) / kLineBytes;
  if (trait(v, "gather") == 0) return std::nullopt;
  if (trait(v, "compressed_granule") != 0) return compressed_l1_wavefronts(w, v);
  if (trait(v, "slab_columns") != 0) {
    const double streams = slabs(w, v) * nnz_of(w) * (4 + weight_bytes(w)) / kLineBytes;
    return *shared_bytes(w, v) / kLineBytes + streams;
  }
  if (trait(v, "row_cache") != 0) {
    // 32 entries are staged with a load and a store each, and read as one broadcast an entry.
    const double staged = strips(w, v) * (1 + (weight_bytes(w) > 0 ? 4 : 3) / 32.0);
    return nnz_of(w) * (std::ceil(n_of(w) * bytes_of_value(w) / kLineBytes) + staged);
  }
  const double broadcasts = (weight_bytes(w) > 0 ? 2 : 1) * strips(w, v);
  return nnz_of(w) * (std::ceil(n_of(w) * bytes_of_value(w) / kLineBytes) + broadcasts);
}

Value instructions(const Workload& w, const Variant& v) {
  if (trait(v, "gather") == 0 && trait(v, "atomic") == 0 && trait(v, "k_tiles") == 0)
    return std::nullopt;
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
       "Indices, weights and row pointers once, the referenced rows of B once, C once (twice where "
       "it is cleared before products are added to it).",
       [](const Workload& w, const Variant& v) -> Value { return dram_bytes(w, v); }},
      {"model.l2_bytes", "L2 bytes of a plain gather", "B",
       "nnz rows of B in whole 32-byte sectors, and the index and weight streams once for every "
       "strip of columns a warp owns, when L1 never hits. Of a compressed B: a sector of mask and "
       "the expected sectors of what is kept, and B once to compress it.",
       l2_bytes},
      {"model.shared_bytes", "shared-memory bytes", "B",
       "Of a slab of B in shared memory: nnz·n·4 read without bank conflicts, and what fills it.",
       shared_bytes},
      {"model.l1_bytes", "L1 data-path bytes", "B",
       "128 bytes for every L1 wavefront: the data path moves a line a clock, used or not.",
       [](const Workload& w, const Variant& v) -> Value {
         const Value wavefronts = l1_wavefronts(w, v);
         return wavefronts ? Value(*wavefronts * kLineBytes) : std::nullopt;
       }},
      {"model.l1_wavefronts", "L1 wavefronts", "1",
       "One for every 128 bytes of a row of B, from L1 or shared memory without conflicts, and one "
       "for every broadcast load of an index or a weight, for every strip.",
       l1_wavefronts},
      {"model.instructions", "multiply-add warp instructions", "1",
       "nnz·⌈n/32⌉: the fewest instructions that can be issued for the arithmetic alone.",
       instructions},
      {"model.seed_bytes", "bytes, seed as published", "B",
       "m·n·L·(4 + s), s the bytes of a value: the seed's own model, which reuses nothing and "
       "charges every lane an index.",
       [](const Workload& w, const Variant&) -> Value {
         return seed_outputs(w) * (4 + bytes_of_value(w));
       }},
      {"model.seed_flops", "arithmetic, seed as published", "FLOP",
       "2·nnz·n·dB: the seed counts only products with a nonzero of B.",
       [](const Workload& w, const Variant&) -> Value {
         return 2 * nnz_of(w) * n_of(w) * w.real("db");
       }},
  };
}

}  // namespace warpscope::csrmm
