// profiling/listings/line_diff.cpp: the lines of two texts beside each other: which are the same,
// which are not.
#include "profiling/listings/line_diff.h"

#include <algorithm>
#include <dtl/dtl.hpp>

namespace warpscope {

std::vector<DiffRow> line_diff(const std::vector<std::string>& left,
                               const std::vector<std::string>& right) {
  dtl::Diff<std::string> diff(left, right);
  diff.compose();
  std::vector<DiffRow> rows;
  int next_left = 1, next_right = 1;
  std::vector<DiffRow> added;  // of a run: they follow what went
  const auto close = [&] {
    rows.insert(rows.end(), added.begin(), added.end());
    added.clear();
  };
  for (const auto& [text, change] : diff.getSes().getSequence()) {
    if (change.type == dtl::SES_DELETE) {
      rows.push_back({next_left++, 0, text});
    } else if (change.type == dtl::SES_ADD) {
      added.push_back({0, next_right++, text});
    } else {
      close();
      rows.push_back({next_left++, next_right++, text});
    }
  }
  close();
  return rows;
}

std::vector<DiffStretch> stretches_of(const std::vector<DiffRow>& rows, std::size_t around) {
  std::vector<char> shown(rows.size(), 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].same()) continue;
    const std::size_t from = i < around ? 0 : i - around;
    const std::size_t to = std::min(rows.size(), i + around + 1);
    std::fill(shown.begin() + static_cast<std::ptrdiff_t>(from),
              shown.begin() + static_cast<std::ptrdiff_t>(to), 1);
  }
  // A line that stands for one hidden row takes as much room as the row.
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool before = i == 0 || shown[i - 1] != 0;
    if (before && (i + 1 == rows.size() || shown[i + 1] != 0)) shown[i] = 1;
  }
  std::vector<DiffStretch> stretches;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool hidden = shown[i] == 0;
    if (stretches.empty() || stretches.back().hidden != hidden) stretches.push_back({i, 0, hidden});
    ++stretches.back().count;
  }
  return stretches;
}

std::vector<std::size_t> changes_of(const std::vector<DiffRow>& rows) {
  std::vector<std::size_t> changes;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].same() && (i == 0 || rows[i - 1].same())) changes.push_back(i);
  }
  return changes;
}

}  // namespace warpscope
