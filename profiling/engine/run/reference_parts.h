// profiling/engine/run/reference_parts.h: what a reference writes for an output, and where it is
// compared with the host.
#pragma once

#include <cstdint>
#include <vector>

#include "scenes/host/random.h"

namespace warpscope {

// Buffers of f64 after an output's name.
inline constexpr const char* kReferenceParts[] = {".reference", ".accumulation", ".magnitude"};

// Some random elements of `count`, the same every time: what the device made is compared with the
// host's there.
inline std::vector<std::int64_t> spot_elements(std::int64_t count) {
  constexpr std::uint64_t kElements = 64;
  const RandomStream stream(0x5EED, 99);
  std::vector<std::int64_t> elements;
  for (std::uint64_t i = 0; i < kElements && count > 0; ++i) {
    elements.push_back(
        static_cast<std::int64_t>(stream.below(i, static_cast<std::uint64_t>(count))));
  }
  return elements;
}

}  // namespace warpscope
