// tests/engine/random_gpu_test.cpp: random numbers made by a GPU are the host's, bit by bit.
#include <bit>
#include <vector>

#include "scenes/host/random.h"
#include "tests/engine/gpu_fixture.h"

namespace warpscope {
namespace {

class GpuRandom : public GpuTest {
 protected:
  template <typename T>
  std::vector<T> values_of(const std::string& buffer, std::int64_t count) {
    std::vector<T> values(static_cast<std::size_t>(count));
    const Result<void> copied =
        device_->check(device_->driver().cuMemcpyDtoH(values.data(), buffers_.at(buffer).address(),
                                                      values.size() * sizeof(T)),
                       "copy of " + buffer);
    EXPECT_TRUE(copied) << sentence(copied.error());
    return values;
  }
};

TEST_F(GpuRandom, NumbersAreTheHostsBits) {
  constexpr std::int64_t kNumbers = 1 << 20;
  constexpr std::uint64_t kSeed = 0x123456789abcdefull, kFirst = (1ull << 32) - 50000;
  constexpr std::uint64_t kBound = 0xffffffff00000003ull;
  constexpr std::uint32_t kStream = 3;
  for (const char* name : {"words", "uniform", "below", "normal"}) {
    Result<DeviceBuffer> buffer = DeviceBuffer::allocate(*device_, kNumbers * 16);
    ASSERT_TRUE(buffer) << sentence(buffer.error());
    buffers_.emplace(name, std::move(*buffer));
  }
  const KernelLaunch launch{
      "engine/random_numbers.cu",
      "random_numbers",
      {},
      {{(kNumbers + 255) / 256, 1, 1}, {256, 1, 1}, 0, {}},
      {BufferArgument{"words"}, BufferArgument{"uniform"}, BufferArgument{"below"},
       BufferArgument{"normal"}, kSeed, kStream, kBound, kFirst, kNumbers}};
  const Result<BoundStep> step =
      BoundStep::bind(*device_, *kernels_, Step{"random", Phase::run, launch},
                      [this](const std::string& name) { return &buffers_.at(name); });
  ASSERT_TRUE(step) << sentence(step.error());
  const Result<void> ran = run(*step);
  ASSERT_TRUE(ran) << sentence(ran.error());
  const auto words = values_of<std::uint32_t>("words", 4 * kNumbers);
  const auto uniform = values_of<double>("uniform", kNumbers);
  const auto below = values_of<std::uint64_t>("below", kNumbers);
  const auto normal = values_of<std::uint64_t>("normal", kNumbers);  // their bits
  const RandomStream stream(kSeed, kStream);
  for (std::size_t i = 0; i < kNumbers; ++i) {
    const std::uint64_t index = kFirst + i;
    const auto expected = stream.words(index);
    for (std::size_t w = 0; w < 4; ++w) ASSERT_EQ(words[4 * i + w], expected[w]) << i;
    ASSERT_EQ(uniform[i], stream.uniform(index)) << i;
    ASSERT_EQ(below[i], stream.below(index, kBound)) << i;
    ASSERT_EQ(normal[i], std::bit_cast<std::uint64_t>(stream.normal_exact(index))) << i;
  }
}

}  // namespace
}  // namespace warpscope
