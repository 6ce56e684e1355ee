// tests/scenes/half_test.cpp: 16-bit floating-point numbers on the host are those of the formats.
#include "scenes/base/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace warpscope {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(Half, KnowsTheLandmarksOfBinary16) {
  struct Case {
    float value;
    std::uint16_t bits;
  };
  for (const Case& c : {Case{0, 0x0000}, Case{-0.0f, 0x8000}, Case{1, 0x3c00}, Case{-2, 0xc000},
                        Case{65504, 0x7bff}, Case{0x1p-14f, 0x0400}, Case{0x1p-24f, 0x0001},
                        Case{kInfinity, 0x7c00}, Case{1.0f / 3, 0x3555}}) {
    EXPECT_EQ(to_f16(c.value), c.bits) << c.value;
    if (c.bits != 0x3555) {  // a third is rounded
      EXPECT_EQ(from_f16(c.bits), c.value);
    }
  }
  EXPECT_TRUE(std::isnan(from_f16(to_f16(std::nanf("")))));
  EXPECT_TRUE(std::isnan(from_bf16(to_bf16(std::nanf("")))));
}

TEST(Half, RoundsToNearestEvenAndOverflowsFromHalfAStep) {
  EXPECT_EQ(to_f16(1 + 0x1p-11f), 0x3c00);             // between 1 and 1 + 2⁻¹⁰: to even
  EXPECT_EQ(to_f16(1 + 0x1p-11f + 0x1p-20f), 0x3c01);  // above the middle
  EXPECT_EQ(to_f16(1 + 3 * 0x1p-11f), 0x3c02);
  EXPECT_EQ(to_f16(2047.0f / 2048), 0x3bff);
  EXPECT_EQ(to_f16(4095.0f / 4096), 0x3c00);  // carries into the exponent
  EXPECT_EQ(to_f16(65519), 0x7bff);
  EXPECT_EQ(to_f16(65520), 0x7c00);
  EXPECT_EQ(to_f16(0x1p-25f), 0x0000);  // half of the smallest: to even
  EXPECT_EQ(to_f16(1.5f * 0x1p-25f), 0x0001);
  EXPECT_EQ(to_f16(-0x1p-25f), 0x8000);
  EXPECT_EQ(to_bf16(1 + 0x1p-8f), 0x3f80);
  EXPECT_EQ(to_bf16(1 + 3 * 0x1p-8f), 0x3f82);
  EXPECT_EQ(to_bf16(std::numeric_limits<float>::max()), 0x7f80);
}

TEST(Half, EveryNumberOf16BitsComesBack) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto b = static_cast<std::uint16_t>(bits);
    if (!std::isnan(from_f16(b))) {
      EXPECT_EQ(to_f16(from_f16(b)), b);
    }
    if (!std::isnan(from_bf16(b))) {
      EXPECT_EQ(to_bf16(from_bf16(b)), b);
    }
  }
}

TEST(Half, RoundsArraysAndWidensThem) {
  const std::vector<float> values = {1, 1.0f / 3, -65504};
  for (const ElementType type : {ElementType::f16, ElementType::bf16, ElementType::f32}) {
    const HostArray there = rounded(HostArray::of<float>(values), type);
    EXPECT_EQ(there.type(), type);
    const HostArray back = widened(there);
    ASSERT_EQ(back.count(), 3);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_EQ(back.as<float>()[i], rounded(values[i], type)) << to_text(type);
  }
}

}  // namespace
}  // namespace warpscope
