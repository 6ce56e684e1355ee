// scenes/csrmm/work.cpp: what csrmm must cost by arithmetic alone, level by level.
#include "scenes/csrmm/work.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

double row_bytes(const Workload& w) { return n_of(w) * bytes_of_value(w); }
double rows_of_c(const Workload& w) { return w.real(transposed(w.axes) ? "k" : "m"); }
double rows_of_b(const Workload& w) { return w.real(transposed(w.axes) ? "m" : "k"); }

double dram_read_bytes(const Workload& w, const Variant& v) {
  const double rows = transposed(w.axes) ? rows_of_b(w) : w.fact("distinct_columns");
  return csr_bytes(w, v) + rows * row_bytes(w);
}
double dram_bytes(const Workload& w, const Variant& v) {
  const double writes = 1 + trait(v, "clears_output");
  return dram_read_bytes(w, v) + rows_of_c(w) * row_bytes(w) * writes;
}

// Columns that a warp owns: lanes that own four of f32 own eight of 16 bits.
double strip_columns(const Workload& w, const Variant& v) {
  const std::int64_t filled = 16 / value_bytes(w.axes);
  if (trait(v, "scalar_below_quads") != 0 && w.integer("n") % filled != 0)
    return static_cast<double>(kLanes);
  const bool vectors = trait(v, "any_type") != 0 && trait(v, "columns_per_lane") == 4;
  const double wider = vectors ? static_cast<double>(filled) / 4 : 1;
  return trait(v, "columns_per_warp") * wider;
}
double strips(const Workload& w, const Variant& v) {
  return std::ceil(n_of(w) / strip_columns(w, v));
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
  const double b = rows_of_b(w) * row_bytes(w);  // compacted
  return b + nnz_of(w) * kSectorBytes * (strips(w, v) + compressed_steps(w, v, kSectorBytes)) +
         strips(w, v) * nnz_of(w) * (4 + weight_bytes(w));
}

// The chance that the granule of a lane's q-th load is kept, over the patterns of zeros that a
// strip of `columns` columns may have: (weight of the pattern, chances [lane][q]).
using Chances = std::vector<std::vector<double>>;
std::vector<std::pair<double, Chances>> kept_patterns(const Workload& w, const Variant& v,
                                                      double columns) {
  const auto granule = static_cast<int>(trait(v, "compressed_granule"));
  const int loads = 4 / granule;
  const std::string& zeros = w.text("zeros");
  const double db = w.real("db");
  const auto chances = [&](const auto& chance_of_strip) {
    Chances made(kLanes, std::vector<double>(static_cast<std::size_t>(loads), 0.0));
    for (int lane = 0; lane < kLanes; ++lane) {
      for (int q = 0; q < loads; ++q) {
        const int column = (q * static_cast<int>(kLanes) + lane) * granule;  // as compressed_b.cuh
        if (column < columns)
          made[static_cast<std::size_t>(lane)][static_cast<std::size_t>(q)] =
              chance_of_strip(column / 32);
      }
    }
    return made;
  };
  if (zeros == "iid") {
    const double kept = 1 - std::pow(1 - db, granule);
    return {{1.0, chances([kept](int) { return kept; })}};
  }
  const int strips = zeros == "rows" ? 1 : static_cast<int>(std::ceil(columns / 32));
  std::vector<std::pair<double, Chances>> patterns;
  for (int kept = 0; kept < 1 << strips; ++kept) {
    const int count = std::popcount(static_cast<unsigned>(kept));
    patterns.emplace_back(std::pow(db, count) * std::pow(1 - db, strips - count),
                          chances([&](int strip) {
                            return (kept >> (zeros == "rows" ? 0 : strip) & 1) != 0 ? 1.0 : 0.0;
                          }));
  }
  return patterns;
}

// Sectors of the loads of one strip, one load after another, and how many of them have a lane at
// all. What is kept lies side by side in the order of lanes, so the sector of a granule follows
// from how many are kept before it: exact means over all that may be kept.
struct CompressedLoads {
  double sectors = 0, requests = 0;
};
CompressedLoads loads_of(const Chances& chances, double granule_bytes) {
  const auto granules = static_cast<std::size_t>(kSectorBytes / granule_bytes);  // of a sector
  CompressedLoads sum;
  for (std::size_t load = 0; load < chances.front().size(); ++load) {
    // Chance of each place in a sector, and of its having been touched by this load.
    std::vector<std::array<double, 2>> at(granules, {0.0, 0.0});
    at[0][0] = 1;
    double none = 1;
    for (const std::vector<double>& lane : chances) {
      none *= 1 - lane[load];
      for (std::size_t q = 0; q < lane.size(); ++q) {
        std::vector<std::array<double, 2>> next(granules, {0.0, 0.0});
        for (std::size_t place = 0; place < granules; ++place) {
          for (std::size_t touched = 0; touched < 2; ++touched) {
            const double here = at[place][touched], kept = here * lane[q];
            next[place][touched] += here - kept;
            if (q == load && touched == 0) sum.sectors += kept;
            const bool new_sector = place + 1 == granules;
            next[new_sector ? 0 : place + 1][!new_sector && (touched == 1 || q == load)] += kept;
          }
        }
        at = std::move(next);
      }
    }
    sum.requests += 1 - none;
  }
  return sum;
}

// The same over all strips of a row of B.
CompressedLoads compressed_loads(const Workload& w, const Variant& v) {
  CompressedLoads sum;
  for (double left = n_of(w); left > 0; left -= trait(v, "columns_per_warp")) {
    for (const auto& [weight, chances] :
         kept_patterns(w, v, std::min(left, trait(v, "columns_per_warp")))) {
      const CompressedLoads loads =
          loads_of(chances, trait(v, "compressed_granule") * bytes_of_value(w));
      sum.sectors += weight * loads.sectors;
      sum.requests += weight * loads.requests;
    }
  }
  return sum;
}

// A load of b bytes a lane takes b / 4 wavefronts, also when all lanes read one address: those of
// values, of a mask of 4 / granule words, and of four indices or weights at once. source: counted
// on an H200.
double compressed_l1_wavefronts(const Workload& w, const Variant& v) {
  const double granule = trait(v, "compressed_granule");
  const double values = compressed_loads(w, v).requests * granule;
  const double streams = weight_bytes(w) > 0 ? 2 : 1;
  return nnz_of(w) * (values + strips(w, v) * (4 / granule + streams));
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

// The largest number of `balls` in one of as many bins as there are balls, on average, when each
// falls anywhere: from the exponential generating function of the bins.
double expected_fullest_bin(int balls) {
  double mean = 0;
  for (int most = 0; most < balls; ++most) {
    std::vector<double> ways(static_cast<std::size_t>(balls) + 1, 0.0);  // over (balls so far)!
    ways[0] = 1;
    for (int bin = 0; bin < balls; ++bin) {
      std::vector<double> next(ways.size(), 0.0);
      for (int before = 0; before <= balls; ++before) {
        for (int here = 0; here <= std::min(most, balls - before); ++here)
          next[static_cast<std::size_t>(before + here)] +=
              ways[static_cast<std::size_t>(before)] / std::tgamma(here + 1);
      }
      ways = std::move(next);
    }
    const double none_above = ways.back() * std::tgamma(balls + 1) / std::pow(balls, balls);
    mean += 1 - none_above;
  }
  return mean;
}

// 32 entries at a time: their indices and weights, and 16 bytes of the slab for each lane, a
// quarter of a warp a wavefront where its eight rows lie in different banks. Six shuffles, two row
// pointers and a store a row and slab; what fills the slab is scattered in memory, not in the slab.
double slab_l1_wavefronts(const Workload& w, const Variant& v) {
  constexpr int kQuarter = 8;
  constexpr double kShuffles = 6, kPointers = 2, kStores = 1;
  const double rows = slabs(w, v) * w.real("m"), streams = weight_bytes(w) > 0 ? 2 : 1;
  const double turns = std::ceil(w.fact("mean_row") / static_cast<double>(kLanes));
  return slabs(w, v) * nnz_of(w) / kQuarter * expected_fullest_bin(kQuarter) +
         rows * (turns * streams + kShuffles + kPointers + kStores) +
         slab_rows(w, v) * (1 + 1.0 / kQuarter);
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
// Two lanes read the same 16 bytes: four wavefronts bring 256.
double stream_wavefronts(const Workload& w, const Variant& v) { return stream_bytes(w, v) / 64; }
double tile_reads(const Workload& w, const Variant& v) {
  return strips(w, v) * nnz_of(w) * kLineBytes;
}

Value shared_bytes(const Workload& w, const Variant& v) {
  if (trait(v, "k_tiles") != 0) return tile_reads(w, v);
  if (trait(v, "gather") == 0 || trait(v, "slab_columns") == 0) return std::nullopt;
  return (nnz_of(w) * n_of(w) + slab_rows(w, v) * trait(v, "slab_columns")) * bytes_of_value(w);
}

Value l2_gather_bytes(const Workload& w, const Variant& v) {
  if (trait(v, "k_tiles") != 0) return copied_bytes(w) + stream_bytes(w, v);
  if (trait(v, "gather") == 0) return std::nullopt;
  if (trait(v, "slab_columns") != 0) return slab_l2_bytes(w, v);
  if (trait(v, "compressed_granule") != 0) return compressed_l2_bytes(w, v);
  return nnz_of(w) * round_up(n_of(w) * bytes_of_value(w), kSectorBytes) +
         strips(w, v) * nnz_of(w) * (4 + weight_bytes(w));
}

// Sectors of `bytes` bytes from `offset` on in each row of a matrix, on average over the places in
// a sector where rows `pitch` bytes apart begin.
double sectors_of_rows(double offset, double bytes, double pitch) {
  constexpr int kPeriod = static_cast<int>(kSectorBytes);
  double sum = 0;
  for (int row = 0; row < kPeriod; ++row) {
    const double begin = std::fmod(row * pitch + offset, kSectorBytes);
    sum += std::ceil((begin + bytes) / kSectorBytes);
  }
  return sum / kPeriod;
}

// Sectors of a row of B or C, a request a strip.
double sectors_of_strips(const Workload& w, const Variant& v) {
  const double width = strip_columns(w, v);
  double sum = 0;
  for (double first = 0; first < n_of(w); first += width) {
    sum += sectors_of_rows(first * bytes_of_value(w),
                           std::min(width, n_of(w) - first) * bytes_of_value(w), row_bytes(w));
  }
  return sum;
}

// Sectors that stores touch, request by request, those of clearing C among them: all of them go to
// L2. A lane of a compressed B
// stores its columns one by one, so many sectors for each; compressing B writes the words of masks
// and, again one by one, the columns of what is kept.
double store_sectors(const Workload& w, const Variant& v) {
  const double rows = rows_of_c(w);
  if (trait(v, "slab_columns") != 0) return rows * slabs(w, v);
  const double granule = trait(v, "compressed_granule");
  if (granule == 0) {
    const double cleared = trait(v, "clears_output") * round_up(row_bytes(w), kSectorBytes);
    return rows * (sectors_of_strips(w, v) + cleared / kSectorBytes);
  }
  return rows * granule * sectors_of_strips(w, v) +
         rows_of_b(w) * (strips(w, v) * 4 / granule + granule * compressed_loads(w, v).sectors);
}

Value l2_bytes(const Workload& w, const Variant& v) {
  const Value read = l2_gather_bytes(w, v);
  return read ? Value(*read + store_sectors(w, v) * kSectorBytes) : std::nullopt;
}

Value l1_wavefronts(const Workload& w, const Variant& v) {
  if (trait(v, "k_tiles") != 0) return tile_reads(w, v) / kLineBytes + stream_wavefronts(w, v);
  if (trait(v, "gather") == 0) return std::nullopt;
  if (trait(v, "compressed_granule") != 0) return compressed_l1_wavefronts(w, v);
  if (trait(v, "slab_columns") != 0) return slab_l1_wavefronts(w, v);
  if (trait(v, "row_cache") != 0) {
    // 32 entries are staged with a load and a store each, and read as one broadcast an entry.
    const double staged = strips(w, v) * (1 + (weight_bytes(w) > 0 ? 4 : 3) / 32.0);
    return nnz_of(w) * (std::ceil(n_of(w) * bytes_of_value(w) / kLineBytes) + staged);
  }
  const double broadcasts = (weight_bytes(w) > 0 ? 2 : 1) * strips(w, v);
  return nnz_of(w) * (std::ceil(n_of(w) * bytes_of_value(w) / kLineBytes) + broadcasts);
}

// Loads of `length` entries from `first` on, where four come in one load that begins at a multiple
// of four, and those before and after one by one.
double loads_by_fours(double first, double length) {
  const double head = std::min(length, std::fmod(4 - std::fmod(first, 4), 4));
  return head + std::floor((length - head) / 4) + std::fmod(length - head, 4);
}

// Sectors of a stream of A, `bytes` an entry, that the loads of one strip touch: one each where an
// entry is read by all lanes at once, or by fours. Lanes side by side touch those of their row's
// entries. Exact where all rows are equally long, and so begin in turn at known places, or where
// one row has all entries and begins at the first; else rows begin and end anywhere, a load of x
// bytes touches x / 32 and all but one of the places where it may begin, and a row's last load is
// half full.
double sectors_of_stream(const Workload& w, const Variant& v, double bytes) {
  const double together = std::max(1.0, trait(v, "entries_a_load"));
  if (together == 1) return nnz_of(w);
  const double length = w.fact("longest_row");
  const bool equal = !transposed(w.axes) && length == w.fact("shortest_row");
  const double rows = rows_of_c(w) - w.fact(transposed(w.axes) ? "empty_columns" : "empty_rows");
  if (rows <= 1) return std::ceil(nnz_of(w) * std::max(1 / together, bytes / kSectorBytes));
  if (together == 4) {
    constexpr double kExpectedEnds = 3;  // 1.5 entries before and 1.5 after
    if (!equal) return nnz_of(w) / 4 + rows * (kExpectedEnds - kExpectedEnds / 4);
    double loads = 0;
    for (int row = 0; row < 4; ++row) loads += loads_by_fours(row * length, length);
    return rows * loads / 4;
  }
  if (equal) {
    double a_row = 0;
    for (double first = 0; first < length; first += together) {
      a_row += sectors_of_rows(first * bytes, std::min(together, length - first) * bytes,
                               length * bytes);
    }
    return rows * a_row;
  }
  const double loads = nnz_of(w) / together + rows / 2;
  return nnz_of(w) * bytes / kSectorBytes + loads * (1 - bytes / kSectorBytes);
}

// The share of strips of 32 columns of rows of B in which not all is zero.
double nonzero_strips(const Workload& w) {
  return w.text("zeros") == "iid" ? 1 - std::pow(1 - w.real("db"), 32) : w.real("db");
}

// Sectors that loads of global memory touch, request by request.
Value load_sectors(const Workload& w, const Variant& v) {
  if (trait(v, "k_tiles") != 0) return stream_bytes(w, v) / kSectorBytes;
  if (trait(v, "gather") == 0) return std::nullopt;
  const bool hetero = weight_bytes(w) > 0;
  const double weighed = trait(v, "weights_if_not_zero") != 0 ? nonzero_strips(w) : 1;
  const double stream = sectors_of_stream(w, v, 4) +
                        (hetero ? weighed * sectors_of_stream(w, v, weight_bytes(w)) : 0);
  const double pointers = std::max(2.0, trait(v, "pointers_a_row"));
  // A warp of a slab reads the one weight once, not for every row.
  if (trait(v, "slab_columns") != 0)
    return slabs(w, v) * (stream + rows_of_c(w) * pointers) + slab_rows(w, v);
  const double a_warp = pointers + (hetero ? 0 : 1);
  const double warps = rows_of_c(w) * strips(w, v) * std::max(1.0, trait(v, "warps_a_row"));
  const double streams = strips(w, v) * stream + warps * a_warp;
  const double whole = sectors_of_strips(w, v), granule = trait(v, "compressed_granule");
  if (granule == 0) return nnz_of(w) * whole + streams;
  return nnz_of(w) * (compressed_loads(w, v).sectors + strips(w, v)) + streams +
         rows_of_b(w) * granule * whole;
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
      {"model.dram_read_bytes", "compulsory DRAM reads", "B",
       "The same without C: what it reads. (What is written may stay in L2.)",
       [](const Workload& w, const Variant& v) -> Value { return dram_read_bytes(w, v); }},
      {"model.l2_bytes", "L2 to and from multiprocessors", "B",
       "What is gathered (model.l2_gather_bytes) and the rows of C in whole sectors.", l2_bytes},
      {"model.l2_gather_bytes", "L2 bytes of a plain gather", "B",
       "nnz rows of B in whole 32-byte sectors, and the index and weight streams once for every "
       "strip of columns a warp owns, when L1 never hits. Of a compressed B: a sector of mask and "
       "the expected sectors of what is kept, and B once to compress it.",
       l2_gather_bytes},
      {"model.shared_bytes", "shared-memory bytes", "B",
       "Of a slab of B in shared memory: nnz·n·4 read without bank conflicts, and what fills it.",
       shared_bytes},
      {"model.l1_bytes", "L1 bytes", "B",
       "32 bytes for every sector that each request of 32 lanes touches in global memory: those of "
       "a row of B for every strip, one for every broadcast index or weight (their own where lanes "
       "load them side by side), pointers and C. What bulk copies bring is not among them.",
       [](const Workload& w, const Variant& v) -> Value {
         const Value loads = load_sectors(w, v);
         return loads ? Value((*loads + store_sectors(w, v)) * kSectorBytes) : std::nullopt;
       }},
      {"model.l1_wavefronts", "L1 wavefronts", "1",
       "One for every 128 bytes of a row of B, from L1 or shared memory, and one for every "
       "broadcast "
       "load of an index or a weight, for every strip; loads of 8 or 16 bytes a lane take two or "
       "four wherever they point. Of a slab: the expected bank conflicts of columns anywhere.",
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
