// scenes/host/nearest.cpp: the nearest of some names to a mistyped one.
#include "scenes/host/nearest.h"

#include <algorithm>
#include <numeric>

namespace warpscope {
namespace {

// Levenshtein distance.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view typed, const std::vector<std::string>& names) {
  if (typed.size() > 64) return {};
  std::string best;
  std::size_t best_distance = typed.size();
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(typed, name);
    if (distance < best_distance && 2 * distance <= std::max(typed.size(), name.size())) {
      best = name;
      best_distance = distance;
    }
  }
  return best;
}

std::string suggest(std::string_view typed, const std::vector<std::string>& names) {
  if (const std::string nearest = nearest_name(typed, names); !nearest.empty()) {
    return "did you mean " + nearest + "?";
  }
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return "there are " + all;
}

}  // namespace warpscope
