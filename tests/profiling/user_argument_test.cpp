// tests/profiling/user_argument_test.cpp: arguments in words become bytes, or a sentence.
#include "profiling/user_argument.h"

#include <gtest/gtest.h>

namespace warpscope {
namespace {

TEST(UserArgument, ReadsBuffersAndValues) {
  const auto buffer = parse_user_argument("f32[1024]:iota");
  ASSERT_TRUE(buffer);
  EXPECT_TRUE(buffer->buffer);
  EXPECT_EQ(buffer->count, 1024);
  EXPECT_EQ(filled(*buffer, 0).as<float>()[1000], 1000.0f);
  const auto value = parse_user_argument("i32:-7");
  ASSERT_TRUE(value);
  EXPECT_FALSE(value->buffer);
  EXPECT_EQ(value->value, -7);
  EXPECT_EQ(parse_user_argument("u8[3]")->fill, "random");
}

TEST(UserArgument, FillsAsItSays) {
  EXPECT_EQ(filled(*parse_user_argument("f16[2]:one"), 0).as<std::uint16_t>()[1], 0x3c00);
  EXPECT_EQ(filled(*parse_user_argument("bf16[2]:one"), 0).as<std::uint16_t>()[1], 0x3f80);
  EXPECT_EQ(filled(*parse_user_argument("f16[4]:iota"), 0).as<std::uint16_t>()[3], 0x4200);
  const HostArray indices = filled(*parse_user_argument("i32[100]:random"), 1);
  const HostArray others = filled(*parse_user_argument("i32[100]:random"), 2);
  int differing = 0;
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_GE(indices.as<std::int32_t>()[i], 0);
    EXPECT_LT(indices.as<std::int32_t>()[i], 100);
    differing += indices.as<std::int32_t>()[i] != others.as<std::int32_t>()[i] ? 1 : 0;
  }
  EXPECT_GT(differing, 50);
}

TEST(UserArgument, RefusesWhatMeansNothing) {
  for (const char* text : {"", "f32", "f33[4]", "f32[x]", "f32[-1]", "f32[4", "f32[4]:ones",
                           "f32[4]iota", "i32:", "i32:7x", "f32:nan", "f32[99999999999]"}) {
    const auto argument = parse_user_argument(text);
    EXPECT_FALSE(argument) << text;
    if (!argument) {
      EXPECT_NE(argument.error().remedy.find("TYPE"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace warpscope
