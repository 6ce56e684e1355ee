// tests/scenes/file_scene_test.cpp: a kernel's file is a scene by itself, and nothing is written.
#include "scenes/file_scene.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "scenes/catalogue.h"
#include "scenes/first_description.h"
#include "scenes/folder_watch.h"
#include "scenes/host/input_file.h"
#include "tests/scenes/folder_parts.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kProgram = R"(
__global__ void doubled(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
__global__ void tripled(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 3 * x[i];
}
int main() {
  const int n = 5000;
  float *x, *y;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  doubled<<<(n + 127) / 128, 128>>>(x, y, n);
  tripled<<<(n + 127) / 128, 128>>>(x, y, n);
}
)";

std::set<std::string> files_below(const fs::path& folder) {
  std::set<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    files.insert(entry.path().lexically_relative(folder).string());
  return files;
}

const BufferSpec& buffer_of(const std::vector<BufferSpec>& all, const std::string& name) {
  return *std::find_if(all.begin(), all.end(),
                       [&name](const BufferSpec& spec) { return spec.name == name; });
}

class FileScenes : public testing::Test {
 protected:
  void SetUp() override { folder_.write("twofold.cu", kProgram); }
  fs::path file(const char* name = "twofold.cu") const { return folder_.path() / name; }
  OwnFolder folder_{"file_scenes"};
  Catalogue catalogue_;
};

TEST_F(FileScenes, HaveAVariantPerLaunchedKernelAndItsSizesAsAxes) {
  const Result<const Scene*> opened = catalogue_.open_file(file());
  ASSERT_TRUE(opened) << sentence(opened.error());
  const Scene& scene = **opened;
  EXPECT_EQ(scene.name, "twofold");
  std::vector<std::string> names;
  for (const Variant& variant : scene.variants) names.push_back(variant.name);
  EXPECT_THAT(names, ElementsAre("doubled", "tripled"));
  ASSERT_EQ(scene.axes.size(), 1u);
  EXPECT_EQ(scene.axes[0].name, "n");
  const Configuration usual = default_configuration(scene.axes);
  EXPECT_EQ(usual.integer("n"), 5000);
  const std::vector<BufferSpec> buffers = scene.buffers({usual, {}});
  EXPECT_EQ(buffer_of(buffers, "x").role, BufferRole::input);
  EXPECT_EQ(buffer_of(buffers, "y").role, BufferRole::output);
  EXPECT_EQ(buffer_of(buffers, "x").count, 5000);
  for (const Variant& variant : scene.variants) {
    EXPECT_TRUE(variant.reference.empty()) << "nothing says what is right";
    const std::vector<Step> steps = variant.steps({usual, {}});
    ASSERT_EQ(steps.size(), 1u);
    const auto& launch = std::get<KernelLaunch>(steps[0].action);
    EXPECT_EQ(launch.launch.grid.x, 40) << "5000 threads in blocks of 128";
    EXPECT_EQ(launch.launch.block.x, 128);
    EXPECT_EQ(launch.source, "twofold/twofold.cu");
    EXPECT_TRUE(launch.any_text);
  }
}

// The slider launches another grid.
TEST_F(FileScenes, FollowTheirAxis) {
  const Scene& scene = *catalogue_.open_file(file()).value();
  Configuration larger = default_configuration(scene.axes);
  larger.set("n", std::int64_t{1280});
  const std::vector<Step> steps = scene.variants[0].steps({larger, {}});
  EXPECT_EQ(std::get<KernelLaunch>(steps[0].action).launch.grid.x, 10);
}

TEST_F(FileScenes, WriteNothing) {
  const std::set<std::string> before = files_below(folder_.path());
  ASSERT_TRUE(catalogue_.open_file(file()));
  FolderWatch watch;
  static_cast<void>(watch.look_now(catalogue_, "twofold"));
  EXPECT_EQ(files_below(folder_.path()), before);
  EXPECT_TRUE(catalogue_.folder_of("twofold").empty());
  EXPECT_EQ(catalogue_.file_of("twofold"), fs::weakly_canonical(file()));
}

TEST_F(FileScenes, HaveTheDescriptionThatNewWouldWrite) {
  ASSERT_TRUE(catalogue_.open_file(file()));
  const Result<std::string> written = first_description(kProgram, "twofold.cu");
  ASSERT_TRUE(written);
  EXPECT_EQ(catalogue_.text("twofold")->description, *written);
}

// Every kernel of the file that ships: the sizes of its program, and both of its launches.
TEST_F(FileScenes, OpenTheProgramThatShips) {
  const Result<const Scene*> opened =
      catalogue_.open_file(source_folder() / "assets" / "examples" / "programs" / "row_sums.cu");
  ASSERT_TRUE(opened) << sentence(opened.error());
  const Configuration usual = default_configuration((*opened)->axes);
  EXPECT_EQ(usual.integer("rows"), 2048);
  EXPECT_EQ(usual.integer("columns"), 1024);
  ASSERT_EQ((*opened)->variants.size(), 2u);
  const std::vector<BufferSpec> buffers = (*opened)->buffers({usual, {}});
  EXPECT_EQ(buffer_of(buffers, "in").count, 2048 * 1024);
  EXPECT_EQ(buffer_of(buffers, "out").count, 2048);
  const std::vector<Step> warps = (*opened)->variants[1].steps({usual, {}});
  EXPECT_EQ(std::get<KernelLaunch>(warps[0].action).launch.grid.x, 512) << "four rows per block";
}

// A kernel that nobody launches is launched by a guess, and has a slider all the same.
TEST_F(FileScenes, OfAKernelAloneHaveASliderToo) {
  folder_.write("alone.cu", "__global__ void alone(float* y) { y[threadIdx.x] = 1; }\n");
  const Result<const Scene*> opened = catalogue_.open_file(file("alone.cu"));
  ASSERT_TRUE(opened) << sentence(opened.error());
  EXPECT_GE((*opened)->axes.size(), 1u);
  EXPECT_EQ((*opened)->variants.size(), 1u);
}

TEST_F(FileScenes, OfAHeaderWithKernelsAreLikeThoseOfAProgram) {
  folder_.write("tiled.cuh", "__global__ void tiled(float* y) { y[threadIdx.x] = 1; }\n");
  EXPECT_TRUE(is_scene_file(file("tiled.cuh")));
  const Result<const Scene*> opened = catalogue_.open_file(file("tiled.cuh"));
  ASSERT_TRUE(opened) << sentence(opened.error());
  EXPECT_EQ((*opened)->name, "tiled");
}

TEST_F(FileScenes, WithoutAKernelSayWhatIsWrong) {
  folder_.write("host.cu", "int main() {}\n");
  const Result<const Scene*> opened = catalogue_.open_file(file("host.cu"));
  ASSERT_FALSE(opened);
  EXPECT_THAT(sentence(opened.error()), HasSubstr("it has no __global__ function"));
  EXPECT_FALSE(catalogue_.open_file(file("absent.cu")));
  EXPECT_TRUE(catalogue_.opened().empty());
}

TEST_F(FileScenes, TakeAnotherNameWhereTheirsIsTaken) {
  folder_.write("csrmm.cu", kProgram);
  EXPECT_EQ(catalogue_.open_file(file("csrmm.cu")).value()->name, "csrmm_2");
  const OwnFolder other("file_scenes_other");
  other.write("twofold.cu", kProgram);
  EXPECT_EQ(catalogue_.open_file(file()).value()->name, "twofold");
  EXPECT_EQ(catalogue_.open_file(other.path() / "twofold.cu").value()->name, "twofold_2");
  EXPECT_EQ(catalogue_.open_file(file()).value()->name, "twofold") << "it is the same file";
  other.write("two words, 1.cu", kProgram);
  EXPECT_EQ(catalogue_.open_file(other.path() / "two words, 1.cu").value()->name, "two_words__1");
}

TEST_F(FileScenes, AreReadAgainWhenTheFileIsSaved) {
  const Scene* first = catalogue_.open_file(file()).value();
  FolderWatch watch;
  EXPECT_FALSE(watch.look_now(catalogue_, "twofold")) << "it is looked at for the first time";
  EXPECT_FALSE(watch.look_now(catalogue_, "twofold")) << "nothing was saved";
  folder_.write("twofold.cu", replaced(kProgram, "n = 5000", "n = 7000"));
  const auto saved = watch.look_now(catalogue_, "twofold");
  ASSERT_TRUE(saved && *saved);
  EXPECT_NE(**saved, first);
  EXPECT_EQ(default_configuration((**saved)->axes).integer("n"), 7000);
  EXPECT_EQ(default_configuration(first->axes).integer("n"), 5000) << "the old one lives on";
  folder_.write("twofold.cu", "// no kernel\n");
  const auto broken = watch.look_now(catalogue_, "twofold");
  ASSERT_TRUE(broken && !*broken);
  EXPECT_EQ(*catalogue_.find("twofold"), **saved) << "the last good one stays";
}

TEST_F(FileScenes, AreReadAgainWhenAHeaderOfTheirsIsSaved) {
  folder_.write("factor.h", "#define FACTOR 2\n");
  folder_.write("twofold.cu",
                "#include \"factor.h\"\n" + replaced(kProgram, "2 * x[i]", "FACTOR * x[i]"));
  ASSERT_TRUE(catalogue_.open_file(file()));
  ASSERT_EQ(catalogue_.text("twofold")->sources.size(), 2u);
  FolderWatch watch;
  EXPECT_FALSE(watch.look_now(catalogue_, "twofold"));
  folder_.write("factor.h", "#define FACTOR 30\n");
  const auto saved = watch.look_now(catalogue_, "twofold");
  ASSERT_TRUE(saved && *saved);
  EXPECT_THAT(catalogue_.text("twofold")->sources[1].text, HasSubstr("30"));
}

// What a file includes from elsewhere is not read; and whoever gets the text reads no file at all.
TEST_F(FileScenes, ReadNothingOutsideOfTheirFolderAndTheirText) {
  const OwnFolder secret("file_scenes_secret");
  secret.write("secret.h", "int secret;\n");
  folder_.write("twofold.cu",
                "#include \"../file_scenes_secret/secret.h\"\n" + std::string(kProgram));
  ASSERT_TRUE(catalogue_.open_file(file()));
  const SceneText text = *catalogue_.text("twofold");
  for (const KernelSource& source : text.sources)
    EXPECT_EQ(source.text.find("int secret"), std::string::npos) << source.path;
  SceneText received = text;
  received.file = "/etc/passwd";
  received.sources.resize(1);
  received.hash = scene_hash(received);
  Catalogue other;
  ASSERT_TRUE(other.open_text(received));
  EXPECT_TRUE(other.file_of("twofold").empty());
  FolderWatch watch;
  EXPECT_FALSE(watch.look_now(other, "twofold"));
  folder_.write("twofold.cu", replaced(kProgram, "n = 5000", "n = 7000"));
  EXPECT_FALSE(watch.look_now(other, "twofold")) << "a received scene follows no file";
  EXPECT_EQ(other.sources_of("twofold").value()->size(), 1u);
}

// A program in one file, its kernels in a header beside it.
TEST_F(FileScenes, HaveTheKernelsOfTheirHeaders) {
  folder_.write("halved.cuh",
                "#pragma once\n__global__ void halved(const float* x, float* y, int n) {\n"
                "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                "  if (i < n) y[i] = x[i] / 2;\n}\n");
  folder_.write("program.cu",
                "#include \"halved.cuh\"\nint main() {\n  const int n = 640;\n  float *x, *y;\n"
                "  cudaMalloc(&x, n * sizeof(float));\n  cudaMalloc(&y, n * sizeof(float));\n"
                "  halved<<<n / 64, 64>>>(x, y, n);\n}\n");
  const Result<const Scene*> opened = catalogue_.open_file(file("program.cu"));
  ASSERT_TRUE(opened) << sentence(opened.error());
  ASSERT_EQ((*opened)->variants.size(), 1u);
  const std::vector<Step> steps =
      (*opened)->variants[0].steps({default_configuration((*opened)->axes), {}});
  const auto& launch = std::get<KernelLaunch>(steps[0].action);
  EXPECT_EQ(launch.source, "program/program.cu");
  EXPECT_EQ(launch.launch.grid.x, 10);
}

TEST_F(FileScenes, HaveAKernelThatTakesNothing) {
  folder_.write("hello.cu",
                "#include <cstdio>\n__global__ void hello() { printf(\"%d\\n\", threadIdx.x); }\n"
                "int main() { hello<<<2, 64>>>(); cudaDeviceSynchronize(); }\n");
  const Result<const Scene*> opened = catalogue_.open_file(file("hello.cu"));
  ASSERT_TRUE(opened) << sentence(opened.error());
  ASSERT_EQ((*opened)->variants.size(), 1u);
  const std::vector<Step> steps =
      (*opened)->variants[0].steps({default_configuration((*opened)->axes), {}});
  const auto& launch = std::get<KernelLaunch>(steps[0].action);
  EXPECT_EQ(launch.launch.grid.x, 2);
  EXPECT_EQ(launch.launch.block.x, 64);
}

}  // namespace
}  // namespace warpscope
