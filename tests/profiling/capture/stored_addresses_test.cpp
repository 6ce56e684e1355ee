// tests/profiling/capture/stored_addresses_test.cpp: addresses that captured memory holds are found
// and moved.
#include "profiling/capture/stored_addresses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/profiling/capture/made_capture.h"

namespace warpscope {
namespace {

using testing::ElementsAre;

std::string words(const std::vector<std::uint64_t>& values) {
  std::string bytes(8 * values.size(), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// Memory of 10 000 bytes at 0x7f0000000000 and of 64 bytes at 0x7f1000000000.
TEST(StoredAddressesTest, AlignedWordsInsideCapturedMemoryCount) {
  const Capture c = made_capture();
  EXPECT_THAT(
      stored_addresses(c, 0,
                       words({5, 0x7f0000000000, 0x7f000000270f, 0x7f0000002710, 0x7f1000000020,
                              0x7f1000000040, 0x7effffffffff})),
      ElementsAre(StoredAddress{8, 0, 0}, StoredAddress{16, 0, 9999}, StoredAddress{32, 1, 32}));
  EXPECT_TRUE(stored_addresses(c, 0, "1234567").empty());
  EXPECT_TRUE(stored_addresses(c, 0, "xxxx" + words({0x7f0000000000}).substr(0, 4)).empty());
}

TEST(StoredAddressesTest, TheyBecomeThoseOfTheReplaysBuffers) {
  const std::vector<std::int64_t> table =
      address_table({{8, 0, 16}, {24, 1, 0}}, {"arg1", "table"});
  std::string bytes(32, 'x');
  place_addresses(table,
                  {{address_target_of("arg1"), 0x1000}, {address_target_of("table"), 0x2000}},
                  std::as_writable_bytes(std::span(bytes)));
  EXPECT_EQ(bytes, "xxxxxxxx" + words({0x1010}) + "xxxxxxxx" + words({0x2000}));
}

// A table of a stranger's file.
TEST(StoredAddressesTest, WhatLiesOutsideIsLeftOut) {
  const std::int64_t arg = address_target_of("arg1");
  const std::vector<std::int64_t> table = {1,   arg, 0, -8, arg, 0, 1LL << 62,
                                           arg, 0,   0, 5,  0,   7, arg};
  std::string bytes(8, 'x');
  place_addresses(table, {{arg, 0x1000}}, std::as_writable_bytes(std::span(bytes)));
  EXPECT_EQ(bytes, "xxxxxxxx");
}

TEST(StoredAddressesTest, ABufferHasThemInAnArrayNamedAfterIt) {
  EXPECT_EQ(address_table_of("arg1"), "arg1_addresses");
  EXPECT_EQ(address_table_of("arg1.expected"), "arg1_expected_addresses");
  const auto spec = [](const char* name, ElementType type) {
    BufferSpec made;
    made.name = name;
    made.type = type;
    return made;
  };
  const std::map<std::string, std::string> holders = address_holders(
      {spec("arg1", ElementType::u32), spec("arg2", ElementType::u32),
       spec("arg1.expected", ElementType::u32), spec("arg1_addresses", ElementType::i64),
       spec("arg1_expected_addresses", ElementType::i64),
       spec("arg2_addresses", ElementType::f32)});
  EXPECT_THAT(holders, ElementsAre(testing::Pair("arg1", "arg1_addresses"),
                                   testing::Pair("arg1.expected", "arg1_expected_addresses")));
}

}  // namespace
}  // namespace warpscope
