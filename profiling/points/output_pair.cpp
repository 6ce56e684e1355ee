// profiling/points/output_pair.cpp: compares the outputs of two variants bit by bit.
#include "profiling/points/output_pair.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "profiling/points/compare_output.h"

namespace warpscope {
namespace {

bool is_floating(const std::string& type) {
  return type == "f16" || type == "bf16" || type == "f32" || type == "f64";
}

OutputDifference difference_of(const StoredOutput& first, const StoredOutput& second) {
  const ElementType type = first.spec.type;
  const auto size = static_cast<std::size_t>(element_bytes(type));
  OutputDifference d;
  d.output = first.spec.name;
  d.type = to_text(type);
  d.elements = static_cast<std::int64_t>(first.bytes.size() / size);
  std::int64_t farthest = -1;
  for (std::int64_t i = 0; i < d.elements; ++i) {
    const std::byte* const a = first.bytes.data() + static_cast<std::size_t>(i) * size;
    const std::byte* const b = second.bytes.data() + static_cast<std::size_t>(i) * size;
    if (std::memcmp(a, b, size) == 0) {
      ++d.bit_equal;
      continue;
    }
    const OutputElement here = element_at(type, a), there = element_at(type, b);
    if (std::isnan(here.value) || std::isnan(there.value)) {
      ++d.not_numbers;
      continue;
    }
    const double steps = steps_apart(here, there);
    if (steps <= d.most_ulps) continue;
    d.most_ulps = steps;
    farthest = i;
    d.here = here.value;
    d.there = there.value;
  }
  if (farthest >= 0) d.at = element_name(first.spec, farthest);
  return d;
}

}  // namespace

std::vector<OutputDifference> output_differences(const std::vector<StoredOutput>& first,
                                                 const std::vector<StoredOutput>& second) {
  std::vector<OutputDifference> found;
  for (const StoredOutput& output : first) {
    const auto other =
        std::find_if(second.begin(), second.end(), [&](const StoredOutput& candidate) {
          return candidate.spec.name == output.spec.name &&
                 candidate.spec.type == output.spec.type &&
                 candidate.bytes.size() == output.bytes.size();
        });
    if (other != second.end()) found.push_back(difference_of(output, *other));
  }
  return found;
}

std::string sentence_of(const OutputDifference& d) {
  std::string words = d.output + ": ";
  if (d.bit_equal == d.elements)
    return words + "every bit of " + grouped(d.elements) + " elements is equal";
  words += grouped(d.bit_equal) + " of " + grouped(d.elements) + " elements bit-equal";
  if (!d.at.empty()) {
    char text[128];
    std::snprintf(text, sizeof text, "%.0f", d.most_ulps);
    const bool ulps = is_floating(d.type);
    words += std::string("; at most ") + text +
             (!ulps              ? ""
              : d.most_ulps == 1 ? " ulp"
                                 : " ulps") +
             " apart, first at " + d.at;
    std::snprintf(text, sizeof text, ": %.9g and %.9g", d.here, d.there);
    words += text;
  }
  if (d.not_numbers > 0)
    words += "; " + grouped(d.not_numbers) + " that differ are NaN in one or both";
  return words;
}

std::string sentence_of(const OutputPair& pair) {
  if (!pair.refusal.empty()) return "not compared: " + pair.refusal;
  std::string words;
  for (const OutputDifference& d : pair.outputs)
    words += (words.empty() ? "" : "; ") + sentence_of(d);
  return words;
}

bool all_equal(const OutputPair& pair) {
  return pair.refusal.empty() && !pair.outputs.empty() &&
         std::all_of(pair.outputs.begin(), pair.outputs.end(),
                     [](const OutputDifference& d) { return d.bit_equal == d.elements; });
}

}  // namespace warpscope
