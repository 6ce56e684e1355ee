// scenes/csrmm/inputs/hard_cases.cpp: the hard cases of `csrmm`.
#include "scenes/csrmm/inputs/hard_cases.h"

#include <map>
#include <string>
#include <utility>

#include "scenes/csrmm/steps/steps.h"

namespace warpscope::csrmm {
namespace {

using Values = std::map<std::string, std::string>;

// One weight for all entries that is not a power of two: dropping it or applying it twice shows
// everywhere. 0.75 is exact in every type.
void three_quarters(const Workload&, Inputs& inputs) { poke(inputs.at("weights"), 0, 0.75); }

// In weights also at zeros of B, which a zero test skips; in B also next to a zero.
void not_finite(const Workload& w, Inputs& inputs) {
  HostArray &weights = inputs.at("weights"), &b = inputs.at("b");
  const std::int64_t entries = weights.count(), elements = b.count(), n = w.integer("n");
  for (const auto& [part, value] :
       {std::pair(2, kNotANumber), std::pair(3, kInfinity), std::pair(7, -kInfinity)})
    poke(weights, entries / part, value);
  poke(b, 3 * n + 1, kNotANumber);
  poke(b, elements / 2, kInfinity);
  poke(b, elements - 1, -kInfinity);
}

// Rows of every length around 12: every rest of an unrolled loop.
HardCase ragged(std::string name, std::string sentence, Values sizes) {
  Values values = {{"rows", "binomial"}, {"db", "0.5"}};
  for (auto& [axis, value] : sizes) values.insert_or_assign(axis, std::move(value));
  return {std::move(name), std::move(sentence), std::move(values)};
}

std::vector<HardCase> ragged_sizes() {
  return {
      ragged("one_below_tiles", "Every size is one below a multiple of 32: no tile is full.",
             {{"m", "31"}, {"k", "63"}, {"p", "0.2"}, {"n", "31"}}),
      ragged("whole_tiles", "Every size is a multiple of 32: every tile is full.",
             {{"m", "32"}, {"k", "64"}, {"p", "0.2"}, {"n", "32"}}),
      ragged("one_above_tiles",
             "Every size is one above a multiple of 32: the last strip has one column.",
             {{"m", "33"}, {"k", "65"}, {"p", "0.2"}, {"n", "33"}}),
      ragged("below_128_columns", "Whole 16-byte vectors that do not fill a warp's 128 columns.",
             {{"m", "7"}, {"k", "127"}, {"p", "0.1"}, {"n", "124"}}),
      ragged("above_128_columns", "Whole 16-byte vectors, four columns beyond a warp's 128.",
             {{"m", "9"}, {"k", "129"}, {"p", "0.1"}, {"n", "132"}}),
      ragged("primes", "All sizes are primes.",
             {{"m", "13"}, {"k", "53"}, {"p", "0.25"}, {"n", "61"}}),
      ragged("half_storage", "16-bit storage in whole 16-byte vectors; tiles are not full.",
             {{"m", "33"}, {"k", "65"}, {"p", "0.2"}, {"n", "40"}, {"dtype", "f16"}}),
      ragged("bf16_storage", "bfloat16 with a number of columns that no vector load fits.",
             {{"m", "31"}, {"k", "67"}, {"p", "0.2"}, {"n", "33"}, {"dtype", "bf16"}}),
      ragged("mostly_empty_rows", "First, inner and last rows have no entries.",
             {{"m", "100"}, {"k", "150"}, {"p", "0.004"}, {"n", "36"}}),
  };
}

// The published kernels with the axes as they were recorded first, and in every type they support.
// The other cases run them as listed.
std::vector<HardCase> readings_of_the_seed() {
  const auto with = [](Values more) {
    more.insert({{"m", "33"}, {"k", "65"}, {"p", "0.2"}, {"n", "33"}});
    return more;
  };
  HardCase wide_bounded =
      ragged("bounds_and_64_bits",
             "The published kernels with 64-bit indices and the launch bounds of one warp.",
             with({{"index_width", "64"}, {"launch_bounds", "32"}}));
  HardCase wide = ragged("doubles", "Values and sums in f64.", with({{"dtype", "f64"}}));
  wide.change = not_finite;
  HardCase odd = ragged(
      "doubles_of_one_weight", "One weight of 0.75 in f64, with 64-bit indices and launch bounds.",
      with(
          {{"dtype", "f64"}, {"weights", "homo"}, {"index_width", "64"}, {"launch_bounds", "32"}}));
  odd.change = three_quarters;
  HardCase halves = ragged("halves_of_64_bits", "f16 with 64-bit indices and no launch bounds.",
                           with({{"dtype", "f16"}, {"index_width", "64"}}));
  return {std::move(wide_bounded), std::move(wide), std::move(odd), std::move(halves)};
}

std::vector<HardCase> weights_and_contention() {
  HardCase odd = ragged("one_odd_weight", "One weight for all entries, 0.75 instead of 1.",
                        {{"m", "33"}, {"k", "65"}, {"p", "0.2"}, {"n", "36"}, {"weights", "homo"}});
  odd.change = three_quarters;
  HardCase strip = odd;
  strip.name = "one_odd_weight_33";
  strip.sentence = "The same with 33 columns, which no vector load fits.";
  strip.values["n"] = "33";
  HardCase halves = odd;
  halves.name = "one_odd_weight_f16";
  halves.sentence = "The same in 16-bit storage.";
  halves.values.insert_or_assign("n", "40");
  halves.values["dtype"] = "f16";
  HardCase bitmap{"one_odd_weight_unique",
                  "One weight of 0.75 and no duplicate entries: what a bitmap can store.",
                  {{"m", "33"},
                   {"k", "65"},
                   {"p", "0.2"},
                   {"n", "72"},
                   {"db", "1"},
                   {"weights", "homo"},
                   {"duplicates", "off"}},
                  three_quarters};
  HardCase crowd{"contended_rows",
                 "For op T, 300 rows add to three rows of C; for op NT, rows are short.",
                 {{"m", "300"}, {"k", "3"}, {"p", "0.7"}, {"n", "36"}, {"db", "0.9"}}};
  HardCase huge{"one_huge_row",
                "1440 entries in one row: several segments, shares and blocks.",
                {{"m", "60"},
                 {"k", "120"},
                 {"p", "0.2"},
                 {"rows", "one_huge_row"},
                 {"huge_row", "17"},
                 {"n", "36"}}};
  HardCase infinite =
      ragged("not_finite", "NaN and infinities in weights (also where B is zero) and in B.",
             {{"m", "33"}, {"k", "65"}, {"p", "0.2"}, {"n", "36"}});
  infinite.change = not_finite;
  return {std::move(odd),   std::move(strip), std::move(halves),  std::move(bitmap),
          std::move(crowd), std::move(huge),  std::move(infinite)};
}

// The rows of C that any entry reaches, and all columns of them.
std::vector<std::int64_t> reached_elements(const Workload& w, const Inputs& inputs) {
  const std::int64_t n = w.integer("n");
  std::vector<std::int64_t> rows;
  if (transposed(w.axes)) {
    const ElementsOf<std::int32_t> indices = inputs.at("indices").elements<std::int32_t>();
    for (std::int64_t j = 0; j < indices.count(); ++j) rows.push_back(indices[j]);
  } else {
    for (std::int64_t row = 0; row < w.integer("m"); ++row) rows.push_back(row);
  }
  std::vector<std::int64_t> elements;
  for (const std::int64_t row : rows) {
    for (std::int64_t column = 0; column < n; ++column) elements.push_back(row * n + column);
  }
  return elements;
}

// Half of the entries name the last columns, whose elements of B or C lie beyond 2^31.
void last_columns(const Workload& w, Inputs& inputs) {
  HostArray &indices = inputs.at("indices"), &counts = inputs.at("column_counts");
  const ElementsOf<std::int32_t> column = indices.elements<std::int32_t>(),
                                 count = counts.elements<std::int32_t>();
  const std::int64_t k = w.integer("k");
  for (std::int64_t j = 0; j < column.count(); j += 2) {
    const std::int64_t from = column[j], to = k - 1 - j % 5;
    poke(counts, from, count[from] - 1);
    poke(counts, to, count[to] + 1);
    poke(indices, j, static_cast<double>(to));
  }
}

// 16777259 · 128 elements: more than 2^31. What prepares all of B or C would run for hours.
HardCase far_rows(std::string name, std::string sentence, const char* op,
                  std::vector<std::string> variants) {
  HardCase far{std::move(name),
               std::move(sentence),
               {{"m", "6"},
                {"k", "16777259"},
                {"p", "5e-7"},
                {"n", "128"},
                {"db", "0.5"},
                {"op", op},
                {"index_width", "64"}},
               last_columns};
  far.variants = std::move(variants);
  far.elements = reached_elements;
  return far;
}

std::vector<HardCase> far_addresses() {
  return {far_rows("far_rows_of_b", "Rows of B beyond 2^31 elements.", "NT",
                   {"warp_row_zero_test",
                    "warp_row_branch_free",
                    "warp_row_shuffle",
                    "warp_row_shuffle_4",
                    "warp_row_unroll4",
                    "block_row_zero_test",
                    "block_row",
                    "block_row_unroll4",
                    "length_dispatch",
                    "warp_row_plain_load",
                    "warp_row_grouped",
                    "block_row_narrow",
                    "grid_capped_row_pack",
                    "rows_per_block",
                    "float4_columns",
                    "row_swizzle",
                    "row_split",
                    "merge_path",
                    "row_cache_2",
                    "row_cache",
                    "row_queue",
                    "gather_segment_add"}),
          far_rows("far_rows_of_c", "Rows of C beyond 2^31 elements.", "T",
                   {"t_scatter_plain_loads", "t_scatter_atomics", "t_empty_strip_skip",
                    "t_vector_reductions_2", "t_vector_reductions"})};
}

}  // namespace

std::vector<HardCase> hard_cases() {
  std::vector<HardCase> all = ragged_sizes();
  for (HardCase& hard : readings_of_the_seed()) all.push_back(std::move(hard));
  for (HardCase& hard : weights_and_contention()) all.push_back(std::move(hard));
  for (HardCase& hard : far_addresses()) all.push_back(std::move(hard));
  return all;
}

}  // namespace warpscope::csrmm
