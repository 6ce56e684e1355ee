// profiling/launches/number_text.h: a number as an argument of a launch writes it.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>

namespace warpscope {

// "1000", "0.1", "1e-05": the shortest text that reads back as the same number.
inline std::string number_text(double value) {
  constexpr double kWhole = 9e15;  // below it every whole number is exact
  if (value == std::floor(value) && std::abs(value) < kWhole)
    return fmt::format("{}", static_cast<std::int64_t>(value));
  return fmt::format("{}", value);
}

}  // namespace warpscope
