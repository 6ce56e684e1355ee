// scenes/patterns/hard_cases.cpp: the hard cases of `patterns`.
#include "scenes/patterns/hard_cases.h"

#include <map>
#include <string>
#include <utility>

namespace warpscope::patterns {
namespace {

using Values = std::map<std::string, std::string>;

HardCase of(const char* op, std::string name, std::string sentence, Values values) {
  values["op"] = op;
  return {op + ("_" + std::move(name)), std::move(sentence), std::move(values)};
}

// At both ends and in the middle of x.
void not_finite(const Workload&, Inputs& inputs) {
  HostArray& x = inputs.at("x");
  poke(x, 0, kInfinity);
  poke(x, x.count() / 2, kNotANumber);
  poke(x, x.count() - 1, -kInfinity);
}

}  // namespace

std::vector<HardCase> hard_cases() {
  std::vector<HardCase> all = {
      of("copy", "below", "One element below a block of 256.", {{"n", "255"}}),
      of("copy", "above", "One element above four blocks of 256.", {{"n", "1025"}}),
      of("copy", "strided", "A prime stride after an offset.",
         {{"n", "9973"}, {"stride", "7"}, {"offset", "5"}}),
      of("copy", "vectors", "16 bytes per lane, and three elements after the last vector.",
         {{"n", "4099"}, {"width", "16"}, {"stride", "3"}, {"offset", "4"}}),
      of("structures", "ragged", "Structures that do not fill a block, and a partial structure.",
         {{"n", "8221"}, {"fields", "5"}}),
      of("transpose", "below", "One row and one column below a tile of 32.",
         {{"rows", "31"}, {"columns", "63"}}),
      of("transpose", "above", "One row and one column above a tile of 32.",
         {{"rows", "33"}, {"columns", "65"}}),
      of("reduction", "below", "The last piece has 255 elements.", {{"n", "2303"}}),
      of("reduction", "above", "The last piece has one element.", {{"n", "2305"}}),
      of("gather", "ragged", "Indices that fill neither a block nor a group of four.",
         {{"n", "4099"}, {"locality", "0.5"}}),
      of("atomics", "one_bin", "All elements are added to one bin.",
         {{"n", "4099"}, {"bins", "1"}, {"contention", "32"}}),
      of("atomics", "above",
         "One element more than one block with shared bins handles, in 31 bins.",
         {{"n", "16385"}, {"bins", "31"}, {"contention", "3"}}),
  };
  for (const char* op : {"copy", "structures", "reduction", "gather", "atomics"}) {
    HardCase hard =
        of(op, "not_finite", "NaN and infinities at both ends and in the middle.", {{"n", "4104"}});
    hard.change = not_finite;
    all.push_back(std::move(hard));
  }
  return all;
}

}  // namespace warpscope::patterns
