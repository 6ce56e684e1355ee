// scenes/host/nearest.h: the nearest of some names to a mistyped one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpscope {

// The name with the smallest edit distance, or empty when none is within half its length.
std::string nearest_name(std::string_view typed, const std::vector<std::string>& names);

// "did you mean n?" or "there are m, k, n": the remedy for an unknown name.
std::string suggest(std::string_view typed, const std::vector<std::string>& names);

}  // namespace warpscope
