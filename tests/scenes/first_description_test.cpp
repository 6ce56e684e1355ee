// tests/scenes/first_description_test.cpp: what a kernel's signature makes of a description.
#include "scenes/first_description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "scenes/folder/scene_text.h"
#include "scenes/host/input_file.h"
#include "scenes/kernel_signature.h"
#include "tests/folders.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

constexpr const char* kKernels = R"__(
// Not a kernel: __global__ stands in a comment.
template <typename T> __global__ void of_any_type(T* x) { x[0] = 1; }
extern "C" __global__ void __launch_bounds__(128, 2)
    scaled(const float* __restrict__ x,  // [rows, columns]
           float4* __restrict__ y,       // [rows, columns / 4]
           int rows, int columns, float factor) {
  y[threadIdx.x] = make_float4(x[0], 0, 0, factor);
}
extern "C" __global__ void by_tiles(const int *keys, double* sums, long long n) {
  if (threadIdx.y < n) sums[blockIdx.y] = keys[0];
}
__global__ void mangled(float* x) {}
)__";

TEST(KernelSignatures, AreReadFromTheText) {
  const std::vector<KernelSignature> kernels = kernels_in(kKernels);
  ASSERT_EQ(kernels.size(), 3u);
  EXPECT_EQ(kernels[0].name, "scaled");
  EXPECT_EQ(kernels[0].threads, 128);
  EXPECT_FALSE(kernels[0].by_rows);
  ASSERT_EQ(kernels[0].parameters.size(), 5u);
  EXPECT_EQ(kernels[0].parameters[0].type, "const float*");
  EXPECT_EQ(kernels[0].parameters[0].name, "x");
  EXPECT_EQ(kernels[0].parameters[0].shape, "rows, columns");
  EXPECT_EQ(kernels[0].parameters[4].name, "factor");
  EXPECT_TRUE(kernels[1].by_rows);
  EXPECT_TRUE(kernels[1].plain);
  EXPECT_FALSE(kernels[2].plain);
}

TEST(FirstDescriptions, AreScenes) {
  const Result<std::string> description = first_description(kKernels, "k.cu");
  ASSERT_TRUE(description) << sentence(description.error());
  SceneText text;
  text.name = "k";
  text.file = "k/scene.toml";
  text.description = *description;
  text.sources = {kernel_source("k/k.cu", kKernels)};
  const Result<Scene> scene = scene_of(text);
  ASSERT_TRUE(scene) << sentence(scene.error()) << "\n" << *description;
  EXPECT_TRUE(scene->references.empty());
  ASSERT_EQ(scene->variants.size(), 2u);
  const Workload w{*configured(*scene, "scaled", {{"rows", "10"}, {"columns", "20"}}), {}};
  const std::vector<BufferSpec> buffers = scene->buffers(w);
  ASSERT_EQ(buffers.size(), 4u);
  EXPECT_EQ(buffers[0].shape, (std::vector<std::int64_t>{10, 20}));
  EXPECT_EQ(buffers[0].role, BufferRole::input);
  EXPECT_EQ(buffers[1].role, BufferRole::output);
  EXPECT_EQ(scene->variants[0].steps(w).size(), 1u);
}

// Of every kernel that comes with this program: a description that is a scene, or a reason.
TEST(FirstDescriptions, OfEveryKernelHereAreScenesOrSaySomething) {
  int scenes = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(source_folder() / "kernels")) {
    if (entry.path().extension() != ".cu") continue;
    const Result<std::string> kernel = read_input(entry.path(), kMostTextFileBytes);
    const Result<std::string> description = first_description(*kernel, entry.path().string());
    if (!description) {
      EXPECT_FALSE(description.error().remedy.empty());
      continue;
    }
    SceneText text;
    text.name = "k";
    text.file = entry.path().string();
    text.description = *description;
    text.sources = {kernel_source("k/k.cu", *kernel)};
    const Result<Scene> scene = scene_of(text);
    EXPECT_TRUE(scene) << sentence(scene.error());
    scenes += scene ? 1 : 0;
  }
  EXPECT_GT(scenes, 50);
}

TEST(FirstDescriptions, SayWhatAKernelLacks) {
  const auto words = [](const char* text) {
    return sentence(first_description(text, "k.cu").error());
  };
  EXPECT_THAT(words("int main() {}"), HasSubstr("it has no __global__ function"));
  EXPECT_THAT(words("__global__ void k(float* x) {}"), HasSubstr("none of its kernels is extern"));
  EXPECT_THAT(words("template <typename T> __global__ void k(T* x) {}"),
              HasSubstr("none of its kernels is extern"));
  EXPECT_THAT(words("extern \"C\" __global__ void k(Thing* x) {}"), HasSubstr("“Thing*”"));
}

}  // namespace
}  // namespace warpscope
