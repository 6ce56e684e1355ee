// profiling/emulator/state/bit_words.h: runs of bits in words of 64.
#pragma once

#include <cstdint>

namespace warpscope {

inline constexpr std::uint64_t kBitsOfWord = 64;

// Calls function(word, bits) → bool for the words that hold bits offset … offset + width − 1, until
// it says no; whether it never did.
template <typename F>
bool for_words(std::uint64_t offset, std::uint64_t width, F function) {
  if (width == 0) return true;
  const std::uint64_t last = offset + width - 1;
  const std::uint64_t first_bits = ~0ull << offset % kBitsOfWord;
  const std::uint64_t last_bits = ~0ull >> (kBitsOfWord - 1 - last % kBitsOfWord);
  const std::uint64_t last_word = last / kBitsOfWord;
  std::uint64_t word = offset / kBitsOfWord;
  if (word == last_word) return function(word, first_bits & last_bits);
  if (!function(word, first_bits)) return false;
  while (++word < last_word) {
    if (!function(word, ~0ull)) return false;
  }
  return function(last_word, last_bits);
}

}  // namespace warpscope
