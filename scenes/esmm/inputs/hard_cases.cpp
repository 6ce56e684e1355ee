// scenes/esmm/inputs/hard_cases.cpp: the hard cases of `esmm`.
#include "scenes/esmm/inputs/hard_cases.h"

#include <map>
#include <string>
#include <utility>

#include "scenes/esmm/inputs/shapes.h"

namespace warpscope::esmm {
namespace {

using Values = std::map<std::string, std::string>;

HardCase at(std::string name, std::string sentence, const char* m, const char* n, const char* k,
            Values more = {}) {
  Values values = {{"m", m}, {"n", n}, {"k", k}};
  for (auto& [axis, value] : more) values.insert_or_assign(axis, std::move(value));
  return {std::move(name), std::move(sentence), std::move(values)};
}

// The other operand has no zeros: its bits keep every one of these, and none may be skipped.
HardCase not_finite(const char* array, const char* zeros, const char* dense) {
  HardCase hard = at(std::string("not_finite_") + array,
                     std::string("NaN and an infinity in ") + (array[0] == 'a' ? "A" : "B") +
                         ", each opposite a nonzero: a zero test must keep them.",
                     "128", "256", "64", {{zeros, "0.3"}, {dense, "1"}});
  hard.change = [name = std::string(array)](const Workload&, Inputs& inputs) {
    HostArray& values = inputs.at(name);
    poke(values, values.count() / 3, kNotANumber);
    poke(values, values.count() - 1, kNotANumber);
  };
  return hard;
}

// 1048576 · 2080 elements of A, of which the last block reads the last 128 rows. What makes
// patterns of all of A would run for hours.
HardCase far_rows() {
  HardCase far = at("far_rows_of_a", "Rows of A beyond 2^31 elements.", "1048576", "256", "2080");
  far.variants = {"dense_warp_tile"};
  far.blocks = {-1};
  far.elements = [](const Workload& w, const Inputs&) {
    const Shape s = shape_of(w.axes);
    std::vector<std::int64_t> last;
    for (std::int64_t e = s.outputs() - 16; e < s.outputs(); ++e) last.push_back(e);
    return last;
  };
  return far;
}

}  // namespace

std::vector<HardCase> hard_cases() {
  return {
      at("one_below_tiles", "Every size is one below a multiple of 32.", "127", "127", "31"),
      at("whole_tiles", "Every tile is full, half of the bits are set.", "128", "256", "32"),
      at("one_above_tiles", "Every size is one above a tile.", "129", "129", "33"),
      at("pieces_of_16_bytes", "Whole pieces of 16 bytes, of bfloat16 too, and no whole tile.",
         "70", "136", "200", {{"a_zeros", "unstructured"}, {"da", "0.05"}}),
      at("primes", "Sizes that no tile divides.", "37", "67", "53", {{"a_zeros", "causal"}}),
      at("one_byte_of_k", "Eight k: one mask byte, and tiles that are mostly empty.", "33", "40",
         "8"),
      at("few_nonzeros", "Patterns of which most are empty.", "128", "256", "128",
         {{"da", "0.02"}, {"db", "0.02"}}),
      not_finite("a", "da", "db"),
      not_finite("b", "db", "da"),
      far_rows(),
  };
}

}  // namespace warpscope::esmm
