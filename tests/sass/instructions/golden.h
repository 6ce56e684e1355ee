// tests/sass/instructions/golden.h: what a device stored for instruction cases, as a text file.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/sass/instructions/cases.h"

// Lines "device …", "driver …", "compiled …" and "date …", then one line per case: "case" or
// "quick", its name, a hash of its text and inputs, and a hash of each 128 words of its results, or
// the words themselves if PTX does not fix their bits. Quick cases are those that ./check runs.

namespace warpscope::instructions {

struct Golden {
  struct Row {
    std::uint32_t text = 0;
    bool quick = false;
    std::vector<std::uint32_t> words;
  };
  std::map<std::string, std::string> origin;
  std::map<std::string, Row> rows;
};

std::uint32_t hash_of(const std::string& bytes);
// A hash of what a case is: a golden row with another one is out of date.
std::uint32_t hash_of(const Case& c);
// What a row has for these results.
std::vector<std::uint32_t> kept_words(const Case& c, const std::vector<std::uint32_t>& results);

// The largest distance of floats in units of their last place. NaNs have the same bits, or the
// distance is the largest there is.
std::int64_t distance(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b);

std::string text_of(const Golden& golden);
// Empty if it is not such a text.
Golden golden_of(const std::string& text);
std::set<std::string> quick_cases(const Golden& golden);

// Rows "NAME refused: reason", "NAME differs: reason" and, for floats, "NAME within N: reason",
// whose results are at most N units of the last place away. Rows that begin with # say what
// follows.
std::map<std::string, std::string> known_cases(const std::string& text);

// Runs all cases, or those of a family, on device 0. Takes FAMILY.cubin in a folder, or else what
// ptxas makes, or else what the driver makes. Also writes all words into `values` if that is not
// empty. 0: it went well.
int record(const std::string& out, const std::string& cubins, const std::string& values,
           const std::string& family);

}  // namespace warpscope::instructions
