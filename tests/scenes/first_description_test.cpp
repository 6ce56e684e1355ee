// tests/scenes/first_description_test.cpp: what a kernel's signature makes of a description.
#include "scenes/first_description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "scenes/folder/scene_text.h"
#include "scenes/host/input_file.h"
#include "scenes/program/program.h"
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

TEST(KernelTexts, AreReadFromTheText) {
  const std::vector<KernelText> kernels = read_program(kKernels).kernels;
  ASSERT_EQ(kernels.size(), 4u);
  EXPECT_EQ(kernels[0].template_parameters, std::vector<std::string>{"T"});
  EXPECT_EQ(kernels[1].name, "scaled");
  EXPECT_EQ(kernels[1].most_threads, 128);
  EXPECT_FALSE(kernels[1].by_rows);
  ASSERT_EQ(kernels[1].parameters.size(), 5u);
  EXPECT_EQ(kernels[1].parameters[0].type, "const float*");
  EXPECT_EQ(kernels[1].parameters[0].name, "x");
  EXPECT_EQ(kernels[1].parameters[0].shape, "rows, columns");
  EXPECT_TRUE(kernels[1].parameters[0].read);
  EXPECT_FALSE(kernels[1].parameters[0].written);
  EXPECT_EQ(kernels[1].parameters[1].element, "f32");
  EXPECT_EQ(kernels[1].parameters[1].elements, 4);
  EXPECT_TRUE(kernels[1].parameters[1].written);
  EXPECT_EQ(kernels[1].parameters[4].name, "factor");
  EXPECT_TRUE(kernels[2].by_rows);
  EXPECT_TRUE(kernels[2].plain);
  EXPECT_FALSE(kernels[3].plain);
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
  ASSERT_EQ(scene->variants.size(), 4u);
  EXPECT_EQ(scene->variants[0].name, "of_any_type");
  const Workload w{*configured(*scene, "scaled", {{"rows", "10"}, {"columns", "20"}}), {}};
  const std::vector<BufferSpec> buffers = scene->buffers(w);
  ASSERT_EQ(buffers.size(), 4u);  // kernels with a parameter of one name share its buffer
  EXPECT_EQ(buffers[1].role, BufferRole::output);
  const std::vector<Step> steps = scene->variants[0].steps(w);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(std::get<KernelLaunch>(steps[0].action).entry, "of_any_type<float>");
}

// Every kernel that comes with this program gives a description that is a scene, or a reason.
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
  EXPECT_THAT(words("extern \"C\" __global__ void k(Thing x) {}"), HasSubstr("“Thing”"));
  EXPECT_THAT(words("__global__ void k(float** x) {}"), HasSubstr("an array of pointers"));
  EXPECT_TRUE(first_description("__global__ void k(int n) {}", "k.cu")) << "it may only print";
}

// A program is described as it launches: sizes, contents and launches with the lines they are from.
TEST(FirstDescriptions, AreOfTheProgramsLaunch) {
  constexpr const char* kProgram = R"__(#define TILE 32
__constant__ float taps[3];
template <typename T>
__global__ void turned(const T* in, T* out, int w, int h) {
  __shared__ T tile[TILE][TILE];
  out[blockIdx.y * h] = in[blockIdx.x * w] * taps[0] + tile[0][0];
}
__global__ void counted(unsigned char* flags, int w) { flags[threadIdx.x] += w; }
int main() {
  const int w = 640, h = 480;
  float ones[3] = {1, 1, 1};
  cudaMemcpyToSymbol(taps, ones, sizeof(ones));
  double *in, *out;
  unsigned char* flags;
  cudaMalloc(&in, w * h * sizeof(double));
  cudaMalloc(&out, w * h * sizeof(double));
  cudaMalloc(&flags, w);
  cudaMemset(flags, 255, w);
  turned<<<dim3(w / TILE, h / TILE), dim3(TILE, 8), 128>>>(in, out, w, h);
  counted<<<1, 64>>>(flags, w);
})__";
  const Result<std::string> description = first_description(kProgram, "k.cu");
  ASSERT_TRUE(description) << sentence(description.error());
  for (const char* words :
       {"default = 640", "from line 10: const int w = 640, h = 480;", "TILE = 32",
        "count = \"w * h\"", "entry = \"turned<double>\"",
        "grid = [\"floor(w / TILE)\", \"floor(h / TILE)\"]", "block = [\"TILE\", 8]",
        "shared = 128", "constants = { taps = \"taps\" }", "element = \"255\"", "role = \"state\"",
        "from line 19: turned<<<dim3(w / TILE"}) {
    EXPECT_THAT(*description, HasSubstr(words));
  }
  SceneText text;
  text.name = "k";
  text.file = "k/scene.toml";
  text.description = *description;
  text.sources = {kernel_source("k/k.cu", kProgram)};
  const Result<Scene> scene = scene_of(text);
  ASSERT_TRUE(scene) << sentence(scene.error()) << "\n" << *description;
  EXPECT_EQ(scene->axes.size(), 2u);
  EXPECT_EQ(scene->variants.size(), 2u);
}

// Where a program has no size that may vary, the number of blocks is the slider.
// A kernel whose blocks wait for each other, and a half by value.
TEST(FirstDescriptions, HaveCooperativeLaunchesAndHalvesByValue) {
  const std::string program = R"__(
__global__ void meet(__half a, __half* x, int n) { if (threadIdx.x < n) x[threadIdx.x] = a; }
int main() {
  int n = 64;
  __half* x;
  __half a = __float2half(2.0f);
  cudaMalloc(&x, n * sizeof(__half));
  void* arguments[] = {&a, &x, &n};
  cudaLaunchCooperativeKernel((void*)meet, dim3(4), dim3(64), arguments);
})__";
  const Result<std::string> description = first_description(program, "k.cu");
  ASSERT_TRUE(description) << sentence(description.error());
  EXPECT_THAT(*description, HasSubstr("cooperative = true "));
  EXPECT_THAT(*description, HasSubstr("\"struct:{f16:2}\""));
  SceneText text;
  text.name = "k";
  text.file = "k/scene.toml";
  text.description = *description;
  text.sources = {kernel_source("k/k.cu", program)};
  const Result<Scene> scene = scene_of(text);
  ASSERT_TRUE(scene) << sentence(scene.error()) << "\n" << *description;
  const Workload w{*configured(*scene, "meet", {}), {}};
  const std::vector<Step> steps = scene->variants[0].steps(w);
  ASSERT_EQ(steps.size(), 1u);
  const auto& kernel = std::get<KernelLaunch>(steps[0].action);
  EXPECT_TRUE(kernel.launch.cooperative);
  const auto& half = std::get<RecordArgument>(kernel.arguments[0]);
  EXPECT_EQ(half.bytes, (std::vector<std::byte>{std::byte{0x00}, std::byte{0x40}})) << "2 in f16";
}

TEST(FirstDescriptions, HaveAnAxisInAnyCase) {
  const Result<std::string> description = first_description(
      "const int N = 64;\n__global__ void k(int* c) { c[threadIdx.x] = N; }\n"
      "int main() { int* c; cudaMalloc(&c, N * N * 4); k<<<N, N>>>(c); }",
      "k.cu");
  ASSERT_TRUE(description);
  EXPECT_THAT(*description, HasSubstr("[axes.blocks]"));
  EXPECT_THAT(*description, HasSubstr("grid = \"blocks\""));
}

}  // namespace
}  // namespace warpscope
