// tests/engine/tensor_map_test.cpp: tensor maps for the driver and for the emulator; a box on the
// GPU.
#include "profiling/engine/cuda/tensor_map.h"

#include <array>
#include <vector>

#include "profiling/emulator/state/tensor_map.h"
#include "tests/engine/gpu_fixture.h"

namespace warpscope {
namespace {

TensorMapArgument map_of(std::int64_t width, std::int64_t height) {
  return {"from", ElementType::f32, {width, height}, {width * 4}, {32, 16}};
}

// What the last call of the driver's function was given.
struct Encoded {
  CUtensorMapDataType type{};
  cuuint32_t rank = 0;
  void* address = nullptr;
  std::vector<cuuint64_t> extents, strides;
  std::vector<cuuint32_t> box, steps;
  CUtensorMapSwizzle swizzle{};
  CUtensorMapL2promotion promotion{};
  CUresult answer = CUDA_SUCCESS;
} encoded;

CUresult encode(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
                const cuuint64_t* extents, const cuuint64_t* strides, const cuuint32_t* box,
                const cuuint32_t* steps, CUtensorMapInterleave interleave,
                CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                CUtensorMapFloatOOBfill fill) {
  EXPECT_EQ(interleave, CU_TENSOR_MAP_INTERLEAVE_NONE);
  EXPECT_EQ(fill, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  const CUresult answer = encoded.answer;
  encoded = {type,
             rank,
             address,
             {extents, extents + rank},
             {strides, strides + rank - 1},
             {box, box + rank},
             {steps, steps + rank},
             swizzle,
             promotion,
             answer};
  map->opaque[0] = 7;
  return answer;
}

TEST(TensorMapEncoding, GivesTheDriverWhatTheMapSays) {
  CudaDriver driver;
  driver.cuTensorMapEncodeTiled = encode;
  encoded = {};
  const Result<CUtensorMap> map = encode_tensor_map(driver, map_of(40, 100), 0x1000, 16000);
  ASSERT_TRUE(map) << sentence(map.error());
  EXPECT_EQ(map->opaque[0], 7u);
  EXPECT_EQ(encoded.type, CU_TENSOR_MAP_DATA_TYPE_FLOAT32);
  EXPECT_EQ(encoded.rank, 2u);
  EXPECT_EQ(encoded.address, reinterpret_cast<void*>(0x1000));
  EXPECT_EQ(encoded.extents, (std::vector<cuuint64_t>{40, 100}));
  EXPECT_EQ(encoded.strides, (std::vector<cuuint64_t>{160}));
  EXPECT_EQ(encoded.box, (std::vector<cuuint32_t>{32, 16}));
  EXPECT_EQ(encoded.steps, (std::vector<cuuint32_t>{1, 1}));
  EXPECT_EQ(encoded.swizzle, CU_TENSOR_MAP_SWIZZLE_NONE);
}

TEST(TensorMapEncoding, GivesBothTheSwizzle) {
  CudaDriver driver;
  driver.cuTensorMapEncodeTiled = encode;
  const std::pair<TensorSwizzle, CUtensorMapSwizzle> swizzles[] = {
      {TensorSwizzle::none, CU_TENSOR_MAP_SWIZZLE_NONE},
      {TensorSwizzle::bytes_32, CU_TENSOR_MAP_SWIZZLE_32B},
      {TensorSwizzle::bytes_64, CU_TENSOR_MAP_SWIZZLE_64B},
      {TensorSwizzle::bytes_128, CU_TENSOR_MAP_SWIZZLE_128B}};
  for (const auto& [swizzle, given] : swizzles) {
    TensorMapArgument map = map_of(40, 100);
    map.swizzle = swizzle;
    if (swizzle != TensorSwizzle::none) map.box[0] = row_bytes(swizzle) / 4;
    encoded = {};
    ASSERT_TRUE(encode_tensor_map(driver, map, 0x1000, 16000));
    EXPECT_EQ(encoded.swizzle, given);
    const Result<EmulatedTensorMap> emulated = emulated_tensor_map(map, 0x7000, 16000);
    ASSERT_TRUE(emulated) << sentence(emulated.error());
    EXPECT_EQ(emulated->swizzle, static_cast<std::uint32_t>(given));
  }
}

TEST(TensorMapEncoding, GivesBothTheTensorsPlaceAndTheDriverWhatL2Fetches) {
  CudaDriver driver;
  driver.cuTensorMapEncodeTiled = encode;
  const std::pair<std::int64_t, CUtensorMapL2promotion> fetches[] = {
      {0, CU_TENSOR_MAP_L2_PROMOTION_NONE},
      {64, CU_TENSOR_MAP_L2_PROMOTION_L2_64B},
      {128, CU_TENSOR_MAP_L2_PROMOTION_L2_128B},
      {256, CU_TENSOR_MAP_L2_PROMOTION_L2_256B}};
  for (const auto& [bytes, given] : fetches) {
    TensorMapArgument map = map_of(40, 100);
    map.offset_bytes = 512;
    map.fetched_bytes = bytes;
    encoded = {};
    ASSERT_TRUE(encode_tensor_map(driver, map, 0x1000, 16512));
    EXPECT_EQ(encoded.address, reinterpret_cast<void*>(0x1200));
    EXPECT_EQ(encoded.promotion, given);
    EXPECT_EQ(emulated_tensor_map(map, 0x7000, 16512)->address, 0x7200u);
  }
}

TEST(TensorMapEncoding, SaysThatTheDriverLacksIt) {
  const Result<CUtensorMap> map = encode_tensor_map(CudaDriver{}, map_of(40, 100), 0x1000, 16000);
  ASSERT_FALSE(map);
  EXPECT_EQ(map.error().kind, ErrorKind::environment);
  EXPECT_NE(map.error().what.find("cuTensorMapEncodeTiled"), std::string::npos);
}

TEST(TensorMapEncoding, PassesOnThatTheDriverRefuses) {
  CudaDriver driver;
  driver.cuTensorMapEncodeTiled = encode;
  encoded = {};
  encoded.answer = CUDA_ERROR_INVALID_VALUE;
  const Result<CUtensorMap> refused = encode_tensor_map(driver, map_of(40, 100), 0x1000, 16000);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::usage);
  EXPECT_EQ(refused.error().where, "tensor map of from");
  const Result<CUtensorMap> broken = encode_tensor_map(driver, map_of(41, 100), 0x1000, 16400);
  ASSERT_FALSE(broken);
  EXPECT_NE(broken.error().what.find("stride 164 of dimension 1"), std::string::npos);
}

TEST(TensorMapEncoding, HoldsForTheEmulatorWhatTheMapSays) {
  const Result<EmulatedTensorMap> map = emulated_tensor_map(map_of(40, 100), 0x7000, 16000);
  ASSERT_TRUE(map) << sentence(map.error());
  EXPECT_EQ(map->magic, EmulatedTensorMap::tensor_map_magic);
  EXPECT_EQ(map->address, 0x7000u);
  EXPECT_EQ(map->dimensions, 2);
  EXPECT_EQ(map->extents, (std::array<std::uint64_t, 5>{40, 100}));
  EXPECT_EQ(map->strides, (std::array<std::uint64_t, 5>{4, 160}));
  EXPECT_EQ(map->box, (std::array<std::uint16_t, 5>{32, 16}));
  EXPECT_FALSE(emulated_tensor_map(map_of(41, 100), 0x7000, 16400));
}

using GpuTensorMap = GpuTest;

// A tensor of 40 × 24 floats under boxes of 32 × 16 that begin at (−8, −4): each has parts outside.
TEST_F(GpuTensorMap, CopiesABoxWithZerosWhereTheTensorIsNot) {
  if (device_->description().compute_capability < 90)
    GTEST_SKIP() << "bulk tensor copies need compute capability 9.0";
  constexpr int kWidth = 40, kHeight = 24, kBoxWidth = 32, kBoxHeight = 16, kX = -8, kY = -4;
  constexpr int kBoxes = 4, kBox = kBoxWidth * kBoxHeight;
  std::vector<float> from(kWidth * kHeight), to(kBoxes * kBox, -1.0f);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<float>(i + 1);
  for (const auto& [name, values] : {std::pair{"from", &from}, std::pair{"to", &to}}) {
    Result<DeviceBuffer> buffer =
        DeviceBuffer::allocate(*device_, static_cast<std::int64_t>(values->size() * 4));
    ASSERT_TRUE(buffer) << sentence(buffer.error());
    ASSERT_EQ(device_->driver().cuMemcpyHtoD(buffer->address(), values->data(), values->size() * 4),
              CUDA_SUCCESS);
    buffers_.emplace(name, std::move(*buffer));
  }
  const KernelLaunch launch{
      "engine/tensor_box.cu",
      "tensor_box",
      {},
      {{2, 2, 1}, {128, 1, 1}, 0, {}},
      {map_of(kWidth, kHeight), BufferArgument{"to"}, std::int32_t{kX}, std::int32_t{kY}}};
  const Result<BoundStep> step =
      BoundStep::bind(*device_, *kernels_, Step{"copy", Phase::run, launch},
                      [this](const std::string& name) { return &buffers_.at(name); });
  ASSERT_TRUE(step) << sentence(step.error());
  const Result<void> ran = run(*step);
  ASSERT_TRUE(ran) << sentence(ran.error());
  ASSERT_EQ(device_->driver().cuMemcpyDtoH(to.data(), buffers_.at("to").address(), to.size() * 4),
            CUDA_SUCCESS);
  for (int box = 0; box < kBoxes; ++box) {
    for (int k = 0; k < kBox; ++k) {
      const int x = kX + kBoxWidth * (box % 2) + k % kBoxWidth;
      const int y = kY + kBoxHeight * (box / 2) + k / kBoxWidth;
      const bool inside = x >= 0 && x < kWidth && y >= 0 && y < kHeight;
      const float expected = inside ? static_cast<float>(y * kWidth + x + 1) : 0.0f;
      ASSERT_EQ(to[static_cast<std::size_t>(box * kBox + k)], expected)
          << "box " << box << ", element (" << x << ", " << y << ")";
    }
  }
}

}  // namespace
}  // namespace warpscope
