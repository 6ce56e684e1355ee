// scenes/autoencoder/inputs/drawn_bits.h: bits drawn by the index, for what stands in for a buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "scenes/base/array.h"

namespace warpscope::autoencoder {

// 64 − 24 bits a call, the same for the n-th call wherever it is made.
class DrawnBits {
 public:
  std::uint64_t operator()() {
    turned_ += kGolden;
    return (turned_ ^ turned_ >> 29) >> 24;
  }

 private:
  static constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;  // 2⁶⁴ over the golden ratio
  std::uint64_t turned_ = 0;
};

// Each value 0 to 3: the place of a window.
template <typename T>
void fill_with_places(std::span<std::byte> bytes) {
  DrawnBits next;
  for (T& place : elements_in<T>(bytes)) place = static_cast<T>(next() >> 16 & 3);
}

// Each float 1 or −1.
inline void fill_with_signs(std::span<std::byte> bytes) {
  DrawnBits next;
  for (float& value : elements_in<float>(bytes)) value = next() >> 16 & 1 ? 1.0f : -1.0f;
}

}  // namespace warpscope::autoencoder
