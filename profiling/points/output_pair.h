// profiling/points/output_pair.h: compares the outputs of two variants bit by bit.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "profiling/points/outcome_messages.h"
#include "scenes/base/array.h"

// What `diff` says of two files of results, in the field's words: how many elements have the same
// bits, how far the others are apart in steps of their type (ulps), and where.
//
//   std::vector<OutputDifference> d = output_differences(first, second);
//   show(sentence_of(d[0]));  // "out: 12 of 4 096 elements bit-equal; at most 3 ulps apart, at …"

namespace warpscope {

// An output as a run left it.
struct StoredOutput {
  BufferSpec spec;
  std::vector<std::byte> bytes;
};

// Each output that both have, in the first one's order. Outputs that differ in element type or
// count are left out: two variants of one problem have the same outputs.
std::vector<OutputDifference> output_differences(const std::vector<StoredOutput>& first,
                                                 const std::vector<StoredOutput>& second);

// "out: 12 of 4 096 elements bit-equal; at most 3 ulps apart, first at out[0, 7]: 0.5 and 0.5001".
std::string sentence_of(const OutputDifference& difference);
// A sentence about all outputs, or why there are none.
std::string sentence_of(const OutputPair& pair);
// Whether every bit of every output is equal.
bool all_equal(const OutputPair& pair);

}  // namespace warpscope
