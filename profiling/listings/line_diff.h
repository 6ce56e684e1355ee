// profiling/listings/line_diff.h: the lines of two texts beside each other: which are the same,
// which are not.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace warpscope {

// A row of a comparison: a line of either text, or of one alone.
struct DiffRow {
  int left = 0, right = 0;  // line numbers from 1; 0: the text has no such line
  std::string text;         // the left one's, where both have it
  bool same() const { return left > 0 && right > 0; }
  bool operator==(const DiffRow&) const = default;
};

// The shortest script that makes the right text of the left one, as rows from the top: what only
// the left has stands before what only the right has. source: Wu, Manber, Myers and Miller, "An
// O(NP) sequence comparison algorithm", 1990 (libdtl).
std::vector<DiffRow> line_diff(const std::vector<std::string>& left,
                               const std::vector<std::string>& right);

// Rows that follow each other: shown, or hidden because both texts have them and nothing near is
// different.
struct DiffStretch {
  std::size_t first = 0, count = 0;
  bool hidden = false;
  bool operator==(const DiffStretch&) const = default;
};
// All rows in their order. `around` rows before and after every difference are shown, and so is a
// single row that would be hidden alone.
std::vector<DiffStretch> stretches_of(const std::vector<DiffRow>& rows, std::size_t around);

// Places in the rows where something differs: the first row of each run of rows that only one has.
std::vector<std::size_t> changes_of(const std::vector<DiffRow>& rows);

}  // namespace warpscope
