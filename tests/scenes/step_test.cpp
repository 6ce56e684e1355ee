// tests/scenes/step_test.cpp: a tensor map keeps to the driver's rules or is refused with a
// sentence.
#include "scenes/base/step.h"

#include <gtest/gtest.h>

#include <functional>

namespace warpscope {
namespace {

// 100 rows of 40 floats, of which 32 × 16 are copied at a time.
TensorMapArgument good_map() { return {"b", ElementType::f32, {40, 100}, {160}, {32, 16}}; }
constexpr std::int64_t kBytes = 100 * 160;

TEST(TensorMap, KeepsToTheRules) {
  EXPECT_TRUE(tensor_map_is_legal(good_map(), kBytes));
  EXPECT_TRUE(tensor_map_is_legal({"b", ElementType::u8, {1000}, {}, {256}}, 1000));
  EXPECT_TRUE(tensor_map_is_legal(
      {"b", ElementType::f16, {8, 4, 3, 2, 2}, {16, 64, 192, 384}, {8, 256, 1, 1, 1}}, 768));
  const std::pair<TensorSwizzle, std::int64_t> rows[] = {{TensorSwizzle::bytes_32, 32},
                                                         {TensorSwizzle::bytes_64, 64},
                                                         {TensorSwizzle::bytes_128, 128}};
  for (const auto& [swizzle, bytes] : rows) {
    EXPECT_EQ(row_bytes(swizzle), bytes);
    TensorMapArgument map = good_map();
    map.box[0] = bytes / 4;
    map.swizzle = swizzle;
    EXPECT_TRUE(tensor_map_is_legal(map, kBytes)) << bytes;
  }
}

TEST(TensorMap, IsRefusedWithTheRuleItBreaks) {
  struct Broken {
    std::function<void(TensorMapArgument&)> change;
    const char* words;
  };
  const Broken broken[] = {
      {[](auto& m) { m.offset_bytes = 8; }, "begins at byte 8 of 16000"},
      {[](auto& m) { m.offset_bytes = -16; }, "begins at byte -16"},
      {[](auto& m) { m.offset_bytes = 16016; }, "begins at byte 16016"},
      {[](auto& m) { m.offset_bytes = 16; }, "past the 15984 bytes of the buffer in dimension 1"},
      {[](auto& m) { m.extents = {}; }, "1 to 5 dimensions, not 0"},
      {[](auto& m) { m.extents.assign(6, 1); }, "1 to 5 dimensions, not 6"},
      {[](auto& m) { m.strides_bytes.clear(); }, "1 strides and 2 box sizes, not 0 and 2"},
      {[](auto& m) { m.box.pop_back(); }, "1 strides and 2 box sizes, not 1 and 1"},
      {[](auto& m) { m.extents[1] = 0; }, "extent 0 of dimension 1"},
      {[](auto& m) { m.extents[0] = (1LL << 32) + 1; }, "extent 4294967297 of dimension 0"},
      {[](auto& m) { m.box[1] = 257; }, "box size 257 of dimension 1"},
      {[](auto& m) { m.box[0] = 0; }, "box size 0 of dimension 0"},
      {[](auto& m) { m.strides_bytes[0] = 168; }, "stride 168 of dimension 1"},
      {[](auto& m) { m.strides_bytes[0] = 1LL << 40; }, "stride 1099511627776 of dimension 1"},
      {[](auto& m) { m.strides_bytes[0] = -16; }, "stride -16 of dimension 1"},
      {[](auto& m) { m.extents[1] = 101; }, "past the 16000 bytes of the buffer in dimension 1"},
      {[](auto& m) { m.extents[0] = 4001; }, "past the 16000 bytes of the buffer in dimension 0"},
      {[](auto& m) { m.box[0] = 30; }, "the 120 bytes of a box's row"},
      {[](auto& m) { m.swizzle = TensorSwizzle::bytes_64; },
       "the 128 bytes of a box's row are not the 64 of its swizzle"},
      {[](auto& m) {
         m.box[0] = 16;
         m.swizzle = TensorSwizzle::bytes_128;
       },
       "the 64 bytes of a box's row are not the 128 of its swizzle"},
  };
  for (const Broken& b : broken) {
    TensorMapArgument map = good_map();
    b.change(map);
    const Result<void> legal = tensor_map_is_legal(map, kBytes);
    ASSERT_FALSE(legal) << b.words;
    EXPECT_EQ(legal.error().kind, ErrorKind::usage);
    EXPECT_NE(sentence(legal.error()).find(b.words), std::string::npos) << sentence(legal.error());
  }
}

}  // namespace
}  // namespace warpscope
