// scenes/host/random.cpp: counter-based random numbers by Philox4x32-10.
#include "scenes/host/random.h"

#include <array>
#include <cmath>
#include <numbers>

#include "kernels/engine/random.cuh"

namespace warpscope {
std::array<std::uint32_t, 4> philox_block(std::array<std::uint32_t, 4> counter, std::uint32_t key0,
                                          std::uint32_t key1) {
  const RandomBlock b =
      random_philox({{counter[0], counter[1], counter[2], counter[3]}}, key0, key1);
  return {b.word[0], b.word[1], b.word[2], b.word[3]};
}

std::uint32_t RandomStream::bits(std::uint64_t index) const { return words(index)[0]; }

std::array<std::uint32_t, 4> RandomStream::words(std::uint64_t index) const {
  const RandomBlock b = random_words(random_key(seed_, stream_), index);
  return {b.word[0], b.word[1], b.word[2], b.word[3]};
}

double RandomStream::uniform(std::uint64_t index) const {
  return random_uniform(random_key(seed_, stream_), index);
}

void RandomStream::uniform(std::uint64_t first, std::span<double> to) const {
  const RandomKey key = random_key(seed_, stream_);
  for (double& each : to) each = random_uniform(key, first++);
}

double RandomStream::normal(std::uint64_t index) const {
  const RandomBlock b = random_words(random_key(seed_, stream_), index);
  const float u = (static_cast<float>(b.word[0] >> 8) + 1.0f) * 0x1.0p-24f;  // (0, 1]
  const float v = static_cast<float>(b.word[1] >> 8) * 0x1.0p-24f;
  return std::sqrt(-2.0f * std::log(u)) * std::cos(2.0f * std::numbers::pi_v<float> * v);
}

double RandomStream::normal_exact(std::uint64_t index) const {
  return random_normal_exact(random_key(seed_, stream_), index);
}

std::uint64_t RandomStream::below(std::uint64_t index, std::uint64_t bound) const {
  return random_below(random_key(seed_, stream_), index, bound);
}

}  // namespace warpscope
