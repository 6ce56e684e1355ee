// tests/scenes/user_argument_test.cpp: arguments in words become bytes, or a sentence.
#include "scenes/base/user_argument.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

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
  EXPECT_EQ(value->value.as<std::int32_t>()[0], -7);
  EXPECT_EQ(parse_user_argument("u8[3]")->fill, "random");
}

TEST(UserArgument, StructuresAreLaidOutAsCppLaysThemOut) {
  struct Span {
    const double* at;
    std::int32_t n;
  };
  struct Mixed {
    std::uint8_t a;
    Span b;
    float c;
    std::uint8_t d;
  };
  const auto argument =
      parse_user_argument("struct:{u8:1,struct:{f64[10]:one,i32:7},f32:1.5,u8:255}");
  ASSERT_TRUE(argument) << sentence(argument.error());
  EXPECT_EQ(buffer_bytes(*argument), 80);
  int buffers = 0;
  const LaidOut all = laid_out(*argument, [&](const UserArgument& buffer) {
    ++buffers;
    EXPECT_EQ(buffer.count, 10);
    return 0x1234567890ull;
  });
  EXPECT_EQ(buffers, 1);
  ASSERT_EQ(all.bytes.size(), sizeof(Mixed));
  EXPECT_EQ(all.alignment, alignof(Mixed));
  const auto at = [&](std::size_t place, auto value) {
    std::memcpy(&value, all.bytes.data() + place, sizeof value);
    return value;
  };
  EXPECT_EQ(at(offsetof(Mixed, a), std::uint8_t{}), 1);
  EXPECT_EQ(at(offsetof(Mixed, b), std::uint64_t{}), 0x1234567890ull);
  EXPECT_EQ(at(offsetof(Mixed, b) + offsetof(Span, n), std::int32_t{}), 7);
  EXPECT_EQ(at(offsetof(Mixed, c), float{}), 1.5f);
  EXPECT_EQ(at(offsetof(Mixed, d), std::uint8_t{}), 255);
  const auto raw = parse_user_argument("bytes:0x0700ff");
  ASSERT_TRUE(raw);
  EXPECT_EQ(raw->raw, (std::vector<std::byte>{std::byte{7}, std::byte{0}, std::byte{255}}));
  for (const char* text : {"struct:", "struct:{", "struct:{}x", "struct:{i32}", "struct:i32:7",
                           "bytes:", "bytes:0x0", "bytes:0xzz",
                           "struct:{struct:{struct:{struct:{"
                           "struct:{struct:{struct:{struct:{struct:{struct:{i32:7}}}}}}}}}}"})
    EXPECT_FALSE(parse_user_argument(text)) << text;
  EXPECT_FALSE(
      parse_user_arguments(std::vector<std::string>{"struct:{f32[10000000000],f32[10000000000]}"}));
}

TEST(UserArgument, ValuesOfVariablesHaveAName) {
  const auto table = parse_user_variable("table=f32[9]:random");
  ASSERT_TRUE(table);
  EXPECT_EQ(table->name, "table");
  EXPECT_EQ(table->value.count, 9);
  for (const char* text : {"table", "=f32:1", "a=f33:1", "a=struct:{f32[4]}"}) {
    const auto bad = parse_user_variable(text);
    ASSERT_FALSE(bad) << text;
    EXPECT_NE(bad.error().remedy.find("NAME="), std::string::npos);
  }
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

// A value is what was typed, or a sentence: it never wraps.
TEST(UserArgument, ReadsValuesUpToTheEndsOfTheirTypes) {
  const auto bytes = [](const char* text) {
    const auto argument = parse_user_argument(text);
    EXPECT_TRUE(argument) << text;
    std::string hexadecimal;
    if (!argument) return hexadecimal;
    for (const std::byte b : argument->value.bytes()) {
      char digits[4];
      std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(b));
      hexadecimal = digits + hexadecimal;
    }
    return hexadecimal;
  };
  EXPECT_EQ(bytes("u8:255"), "ff");
  EXPECT_EQ(bytes("i8:-128"), "80");
  EXPECT_EQ(bytes("u16:65535"), "ffff");
  EXPECT_EQ(bytes("i32:-2147483648"), "80000000");
  EXPECT_EQ(bytes("u32:4294967295"), "ffffffff");
  EXPECT_EQ(bytes("u32:0xFf"), "000000ff");
  EXPECT_EQ(bytes("i64:9223372036854775807"), "7fffffffffffffff")
      << "beyond the digits of a double";
  EXPECT_EQ(bytes("i64:-9223372036854775808"), "8000000000000000");
  EXPECT_EQ(bytes("u64:18446744073709551615"), "ffffffffffffffff");
  EXPECT_EQ(bytes("u64:9223372036854775808"), "8000000000000000");
  EXPECT_EQ(bytes("u64:0xFfffFfffFfffFfff"), "ffffffffffffffff");
  EXPECT_EQ(bytes("u64:0"), "0000000000000000");
  EXPECT_EQ(bytes("f32:0.5"), "3f000000");
  EXPECT_EQ(bytes("f32:-0"), "80000000");
  EXPECT_EQ(bytes("f64:1e300"), "7e37e43c8800759c");
}

TEST(UserArgument, RefusesValuesThatDoNotFit) {
  for (const char* text : {"u8:300", "u8:-1", "i8:128", "i8:-129", "u16:65536", "i32:2147483648",
                           "i32:-2147483649", "u32:4294967296", "i64:9223372036854775808",
                           "u64:18446744073709551616", "i32:99999999999999999999", "f32:1e60",
                           "f32:-1e60", "f32:1e-60", "f64:1e999", "f32:inf", "f64:1e-400"}) {
    const auto argument = parse_user_argument(text);
    ASSERT_FALSE(argument) << text;
    EXPECT_EQ(argument.error().kind, ErrorKind::usage) << text;
    const std::string words = sentence(argument.error());
    EXPECT_TRUE(words.find("does not fit") != std::string::npos ||
                words.find("can represent") != std::string::npos)
        << words;
  }
  for (const char* text : {"i32:2.5", "i32:1e3", "i32: 7", "i32:+7", "i32:0x", "i32:-", "u8:--1",
                           "f32: 1", "f32:1x", "f32:", "f16:1"}) {
    EXPECT_FALSE(parse_user_argument(text)) << text;
  }
}

TEST(UserArgument, RefusesBuffersThatFitNoMemory) {
  for (const char* text :
       {"f32[1e12]:random", "f64[8589934593]", "u8[68719476737]", "f32[17179869185]",
        "f32[9223372036854775807]", "f32[18446744073709551616]"}) {
    EXPECT_FALSE(parse_user_argument(text)) << text;
  }
  const std::vector<std::string> half(2, "u8[34359738368]:zero");
  EXPECT_TRUE(parse_user_arguments(half));
  const std::vector<std::string> more = {"u8[34359738368]:zero", "u8[34359738368]:zero", "u8[1]"};
  const auto refused = parse_user_arguments(more);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("64 GiB together"), std::string::npos);
}

}  // namespace
}  // namespace warpscope
