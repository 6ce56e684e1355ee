// tests/profiling/export/occurrences.h: how often words stand in a text.
#pragma once

#include <cstddef>
#include <string>

namespace warpscope {

inline std::size_t occurrences(const std::string& text, const std::string& words) {
  std::size_t found = 0;
  for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1))
    ++found;
  return found;
}

}  // namespace warpscope
