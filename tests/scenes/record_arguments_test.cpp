// tests/scenes/record_arguments_test.cpp: structures by value in descriptions, and in the first one
// that is written for a program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "scenes/base/step_buffers.h"
#include "scenes/first_description.h"
#include "scenes/folder/scene_text.h"
#include "tests/scenes/folder_parts.h"

namespace warpscope {
namespace {

using testing::HasSubstr;
using testing::Not;

SceneText with_arguments(const std::string& arguments) {
  SceneText text = doubling_text("records");
  text.description = replaced(text.description, "arguments = [\"x\", \"y\", \"i32:n\"]", arguments);
  return text;
}

KernelLaunch first_launch(const Scene& scene) {
  Workload workload;
  workload.axes = default_configuration(scene.axes);
  for (const Step& step : scene.variants[0].steps(workload)) {
    if (const auto* kernel = std::get_if<KernelLaunch>(&step.action)) return *kernel;
  }
  return {};
}

TEST(RecordArguments, MembersLieAsCppLaysThemOut) {
  const Result<Scene> scene = scene_of(
      with_arguments("arguments = [\"struct:{u8:7,x,i32:n,struct:{f64:0.5,u16:3}}\", \"y\"]"));
  ASSERT_TRUE(scene) << sentence(scene.error());
  const KernelLaunch kernel = first_launch(*scene);
  ASSERT_EQ(kernel.arguments.size(), 2u);
  const auto* record = std::get_if<RecordArgument>(&kernel.arguments[0]);
  ASSERT_NE(record, nullptr);
  // struct { unsigned char a; float* x; int n; struct { double d; unsigned short s; } inner; }
  ASSERT_EQ(record->bytes.size(), 40u);
  EXPECT_EQ(record->bytes[0], std::byte{7});
  ASSERT_EQ(record->addresses.size(), 1u);
  EXPECT_EQ(record->addresses[0].first, 8u);
  EXPECT_EQ(record->addresses[0].second.buffer, "x");
  double half = 0;
  std::memcpy(&half, record->bytes.data() + 24, sizeof half);
  EXPECT_EQ(half, 0.5);
  EXPECT_EQ(record->bytes[32], std::byte{3});
}

TEST(RecordArguments, AStructuresBuffersAreThoseOfItsStep) {
  const Result<Scene> scene = scene_of(with_arguments("arguments = [\"struct:{x,i32:n}\", \"y\"]"));
  ASSERT_TRUE(scene) << sentence(scene.error());
  EXPECT_THAT(buffers_of(Step{"k", Phase::run, first_launch(*scene)}),
              testing::UnorderedElementsAre("x", "y"));
}

TEST(RecordArguments, BytesArePassedAsTheyAre) {
  const Result<Scene> scene = scene_of(with_arguments("arguments = [\"bytes:0x0700\", \"y\"]"));
  ASSERT_TRUE(scene) << sentence(scene.error());
  const auto record = std::get<RecordArgument>(first_launch(*scene).arguments[0]);
  EXPECT_EQ(record.bytes, (std::vector<std::byte>{std::byte{7}, std::byte{0}}));
}

// n is 1000 by default: 250 rows of 16 bytes.
TEST(RecordArguments, ATensorMapHasTheSizesOfItsAxes) {
  const Result<Scene> scene = scene_of(
      with_arguments("arguments = [\"map:{x+32,f32,(4,n/4-2),(16),(4,8),fetch:128}\", "
                     "\"struct:{i32:n,map:{y,f32,(4,n/4),(16),(32/4,8),swizzle:32},y}\"]"));
  ASSERT_TRUE(scene) << sentence(scene.error());
  const KernelLaunch kernel = first_launch(*scene);
  Workload workload;
  workload.axes = default_configuration(scene->axes);
  const std::int64_t n = scene->buffers(workload)[0].count;
  const auto& alone = std::get<TensorMapArgument>(kernel.arguments[0]);
  EXPECT_EQ(alone.buffer, "x");
  EXPECT_EQ(alone.offset_bytes, 32);
  EXPECT_EQ(alone.type, ElementType::f32);
  EXPECT_EQ(alone.extents, (std::vector<std::int64_t>{4, n / 4 - 2}));
  EXPECT_EQ(alone.strides_bytes, (std::vector<std::int64_t>{16}));
  EXPECT_EQ(alone.box, (std::vector<std::int64_t>{4, 8}));
  EXPECT_EQ(alone.fetched_bytes, 128);
  // struct { int n; alignas(64) CUtensorMap map; float* y; }
  const auto& record = std::get<RecordArgument>(kernel.arguments[1]);
  EXPECT_EQ(record.bytes.size(), 256u);
  ASSERT_EQ(record.maps.size(), 1u);
  EXPECT_EQ(record.maps[0].first, 64u);
  EXPECT_EQ(record.maps[0].second.swizzle, TensorSwizzle::bytes_32);
  EXPECT_EQ(record.maps[0].second.box, (std::vector<std::int64_t>{8, 8}));
  EXPECT_EQ(record.maps[0].second.fetched_bytes, 256);
  ASSERT_EQ(record.addresses.size(), 1u);
  EXPECT_EQ(record.addresses[0].first, 192u);
  EXPECT_THAT(buffers_of(Step{"k", Phase::run, kernel}), testing::UnorderedElementsAre("x", "y"));
}

TEST(RecordArguments, AMistakeInATensorMapNamesIt) {
  for (const char* map :
       {"map:{x,f32,(4,8),(16)}", "map:{x,f31,(4,8),(16),(4,8)}", "map:(x,f32,(4,8),(16),(4,8))",
        "map:{x,f32,(1,1,1,1,1,1),(16),(4,8)}", "map:{x,f32,4,(16),(4,8)}",
        "map:{x,f32,(4,8),(16),(4,8),swizzle:48}", "map:{x,f32,(4,8),(16),(4,8),fetch:}",
        "map:{i32:4,f32,(4,8),(16),(4,8)}", "map:{}", "map:", "map:{x,f32,(4,8),(16),()}"}) {
    const Result<Scene> scene =
        scene_of(with_arguments("arguments = [\"" + std::string(map) + "\", \"y\"]"));
    ASSERT_FALSE(scene) << map;
    EXPECT_THAT(sentence(scene.error()), HasSubstr("is not a tensor map")) << map;
  }
  const Result<Scene> none =
      scene_of(with_arguments("arguments = [\"map:{z,f32,(4,8),(16),(4,8)}\", \"y\"]"));
  ASSERT_FALSE(none);
  EXPECT_THAT(sentence(none.error()), HasSubstr("there is no buffer “z”"));
}

TEST(RecordArguments, AMistakeInAStructureNamesIt) {
  struct Mistake {
    const char* arguments;
    const char* said;
  };
  for (const Mistake& mistake :
       {Mistake{"arguments = [\"struct:{z,i32:n}\", \"y\"]", "there is no buffer “z”"},
        Mistake{"arguments = [\"struct:x,i32:n\", \"y\"]", "is not a structure"},
        Mistake{"arguments = [\"struct:{half:1}\", \"y\"]", "“half” is not a type"},
        Mistake{"arguments = [\"bytes:0x070\", \"y\"]", "hexadecimal"},
        Mistake{"arguments = [\"u8:1\", \"y\"]", "“u8” is not a type"}}) {
    const Result<Scene> scene = scene_of(with_arguments(mistake.arguments));
    ASSERT_FALSE(scene) << mistake.arguments;
    EXPECT_THAT(sentence(scene.error()), HasSubstr(mistake.said)) << mistake.arguments;
  }
}

TEST(RecordArguments, TheFirstDescriptionPassesAStructureMemberByMember) {
  const Result<std::string> description = first_description(
      "template <typename Real> struct Span { Real* at; int n; };\n"
      "template <typename Real>\n"
      "__global__ void dots(Span<const Real> x, Real* sums, bool twice) {\n"
      "  sums[blockIdx.x] = x.at[threadIdx.x];\n"
      "}\n"
      "int main() {\n"
      "  const int n = 10000;\n"
      "  double *x, *sums;\n"
      "  cudaMalloc(&x, n * sizeof(double));\n"
      "  cudaMalloc(&sums, 8 * sizeof(double));\n"
      "  dots<double><<<8, 256>>>(Span<const double>{x, n}, sums, true);\n"
      "}\n",
      "dots.cu");
  ASSERT_TRUE(description) << sentence(description.error());
  EXPECT_THAT(*description,
              HasSubstr("arguments = [\"struct:{x,i32:n}\", \"sums\", \"struct:{u8:1}\"]"));
  EXPECT_THAT(*description, HasSubstr("[buffers.x]"));
  EXPECT_THAT(*description, Not(HasSubstr("left out")));
}

}  // namespace
}  // namespace warpscope
