// scenes/base/plural.h: how many of what, as a sentence says it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warpscope {

// The noun after a number: "block", "blocks". Without `many` an s is added.
inline std::string noun(std::int64_t count, std::string_view one, std::string_view many = {}) {
  if (count == 1) return std::string(one);
  return many.empty() ? std::string(one) + "s" : std::string(many);
}

// "1 block", "3 blocks", "2 passes".
inline std::string plural(std::int64_t count, std::string_view one, std::string_view many = {}) {
  return std::to_string(count) + " " + noun(count, one, many);
}

}  // namespace warpscope
