// scenes/host/random.h: counter-based random numbers: element i of stream s depends only on the
// random seed, s and i.
#pragma once

#include <array>
#include <cstdint>
#include <span>

// Streams are independent, so moving one slider does not change the other inputs. Any element can
// be made on any thread. source: Philox4x32-10, Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3", SC 2011.
//
//   RandomStream weights(seed, 2);
//   float w = static_cast<float>(weights.normal(i));
//
// All but normal() give the same bits in a kernel: its text is kernels/engine/random.cuh.

namespace warpscope {

// One block of Philox4x32-10, for checking against published vectors.
std::array<std::uint32_t, 4> philox_block(std::array<std::uint32_t, 4> counter, std::uint32_t key0,
                                          std::uint32_t key1);

class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::uint32_t stream) : seed_(seed), stream_(stream) {}
  std::uint32_t bits(std::uint64_t index) const;
  // Four independent words, of which bits(index) is the first: for many draws an element.
  std::array<std::uint32_t, 4> words(std::uint64_t index) const;
  double uniform(std::uint64_t index) const;  // [0, 1), 53 bits
  // uniform(first), uniform(first + 1), …: faster than one by one.
  void uniform(std::uint64_t first, std::span<double> to) const;
  // Mean 0, variance 1 (Box–Muller), f32 resolution. By the host's logarithm and cosine of f32,
  // whose last bit another library may have otherwise: for arrays that the host makes.
  double normal(std::uint64_t index) const;
  // The same distribution with 53 bits, by operations that every device and host rounds alike: for
  // arrays that kernels make too.
  double normal_exact(std::uint64_t index) const;
  // Uniform in [0, bound), without bias that matters (64-bit multiply-shift). bound ≥ 1.
  std::uint64_t below(std::uint64_t index, std::uint64_t bound) const;

 private:
  std::uint64_t seed_;
  std::uint32_t stream_;
};

}  // namespace warpscope
