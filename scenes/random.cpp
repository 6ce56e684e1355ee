// scenes/random.cpp: counter-based random numbers by Philox4x32-10.
#include "scenes/random.h"

#include <array>
#include <cmath>
#include <numbers>

namespace warpscope {
namespace {

using Block = std::array<std::uint32_t, 4>;
__extension__ using Wide = unsigned __int128;

// source: Salmon et al., SC 2011: multipliers and Weyl constants of Philox4x32, ten rounds.
Block philox(Block counter, std::uint32_t key0, std::uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = std::uint64_t{0xD2511F53u} * counter[0];
    const std::uint64_t product1 = std::uint64_t{0xCD9E8D57u} * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key0,
               static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key1,
               static_cast<std::uint32_t>(product0)};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return counter;
}

Block block_of(std::uint64_t seed, std::uint32_t stream, std::uint64_t index) {
  return philox(
      {static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32), stream, 0},
      static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
}

std::uint64_t wide(std::uint32_t high, std::uint32_t low) {
  return (std::uint64_t{high} << 32) | low;
}

}  // namespace

std::array<std::uint32_t, 4> philox_block(std::array<std::uint32_t, 4> counter, std::uint32_t key0,
                                          std::uint32_t key1) {
  return philox(counter, key0, key1);
}

std::uint32_t RandomStream::bits(std::uint64_t index) const { return words(index)[0]; }

std::array<std::uint32_t, 4> RandomStream::words(std::uint64_t index) const {
  return block_of(seed_, stream_, index);
}

double RandomStream::uniform(std::uint64_t index) const {
  const Block b = block_of(seed_, stream_, index);
  return static_cast<double>(wide(b[0], b[1]) >> 11) * 0x1.0p-53;
}

double RandomStream::normal(std::uint64_t index) const {
  const Block b = block_of(seed_, stream_, index);
  const float u = (static_cast<float>(b[0] >> 8) + 1.0f) * 0x1.0p-24f;  // (0, 1]
  const float v = static_cast<float>(b[1] >> 8) * 0x1.0p-24f;
  return std::sqrt(-2.0f * std::log(u)) * std::cos(2.0f * std::numbers::pi_v<float> * v);
}

std::uint64_t RandomStream::below(std::uint64_t index, std::uint64_t bound) const {
  const Block b = block_of(seed_, stream_, index);
  return static_cast<std::uint64_t>((static_cast<Wide>(wide(b[0], b[1])) * bound) >> 64);
}

}  // namespace warpscope
