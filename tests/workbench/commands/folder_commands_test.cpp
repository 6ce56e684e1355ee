// tests/workbench/commands/folder_commands_test.cpp: the real programs with scenes that are
// folders.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "profiling/session/session.h"
#include "scenes/catalogue.h"
#include "scenes/host/input_file.h"
#include "tests/folders.h"
#include "tests/scenes/folder_parts.h"
#include "tests/workbench/commands/run_warpscope.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class FolderCommands : public testing::Test {
 protected:
  FolderCommands() : folder_("commands/doubled") {
    folder_.write("scene.toml", kDoublingDescription);
    folder_.write("twice.cu", kDoublingKernel);
  }
  void SetUp() override {
    if (!fs::exists(built_program("warpscope-engine"))) GTEST_SKIP() << "the engine is not built";
    if (run_warpscope("trace csrmm/float4_columns m=10 k=10 n=4").status == 3)
      GTEST_SKIP() << "there is no NVRTC here";
  }
  std::string path(const std::string& below = "") const {
    return (folder_.path() / below).string();
  }
  OwnFolder folder_;
};

TEST_F(FolderCommands, ListTraceAndVerifyAFolder) {
  const WarpscopeRun listed = run_warpscope("list " + path("scene.toml"));
  EXPECT_EQ(listed.status, 0) << listed.said;
  EXPECT_THAT(listed.said, HasSubstr("doubled: Twice"));
  EXPECT_THAT(listed.said, HasSubstr("twice"));
  const WarpscopeRun verified = run_warpscope("verify " + folder_.path().string() + " n=1,1000");
  EXPECT_EQ(verified.status, 0) << verified.said;
  EXPECT_THAT(verified.said, HasSubstr("correct"));
  const WarpscopeRun traced = run_warpscope("trace " + path("twice") + " n=256 --json");
  EXPECT_EQ(traced.status, 0) << traced.said;
  EXPECT_THAT(traced.said, HasSubstr("doubled/twice.cu"));
}

// A kernel that is not there is as wrong as one that does not compile.
TEST_F(FolderCommands, FindAKernelThatTheFileDoesNotHave) {
  folder_.write("twice.cu", replaced(kDoublingKernel, "void twice(", "void doubled("));
  for (const char* how : {"", " --hard"}) {
    const WarpscopeRun verified = run_warpscope("verify " + path("twice") + how);
    EXPECT_EQ(verified.status, 1) << verified.said;
    EXPECT_THAT(verified.said, HasSubstr("there is no entry twice; there are: doubled, exact"));
    EXPECT_THAT(verified.said, HasSubstr("write entry = "));
    EXPECT_THAT(verified.said, Not(HasSubstr("cannot run")));
  }
}

TEST_F(FolderCommands, FindAWrongOutput) {
  folder_.write("twice.cu", replaced(kDoublingKernel, "2 * x[i]", "3 * x[i]"));
  const WarpscopeRun verified = run_warpscope("verify " + folder_.path().string());
  EXPECT_EQ(verified.status, 1) << verified.said;
  EXPECT_THAT(verified.said, HasSubstr("wrong"));
}

TEST_F(FolderCommands, SayWhereADescriptionIsWrong) {
  folder_.write("scene.toml", replaced(kDoublingDescription, "block = 128", "blok = 128"));
  const WarpscopeRun verified = run_warpscope("verify " + folder_.path().string());
  EXPECT_EQ(verified.status, 2) << verified.said;
  EXPECT_THAT(verified.said, HasSubstr("scene.toml:10, variants.twice.blok"));
  EXPECT_THAT(verified.said, HasSubstr("did you mean block?"));
  const WarpscopeRun nothing = run_warpscope("list " + folder_.path().parent_path().string());
  EXPECT_EQ(nothing.status, 2) << nothing.said;
  EXPECT_THAT(nothing.said, HasSubstr("the folder has no scene.toml"));
}

TEST_F(FolderCommands, ASessionOpensWithoutTheFolder) {
  const fs::path session = folder_.path().parent_path() / "doubled.wsj";
  fs::remove(session);
  const WarpscopeRun verified =
      run_warpscope("verify " + folder_.path().string() + " --session " + session.string());
  ASSERT_EQ(verified.status, 0) << verified.said;
  const WarpscopeRun again =
      run_warpscope("trace " + path("twice") + " --session " + session.string());
  ASSERT_EQ(again.status, 0) << again.said;
  fs::remove_all(folder_.path());
  const WarpscopeRun exported =
      run_warpscope("export " + session.string() + " --json " + session.string() + ".json");
  EXPECT_THAT(exported.said, Not(HasSubstr("there is no scene")));
  const Result<SessionReading> reading = read_session(session);
  ASSERT_TRUE(reading) << sentence(reading.error());
  EXPECT_TRUE(reading->warnings.empty()) << reading->warnings.front();
  ASSERT_EQ(reading->session.all_points().size(), 1u);
  const Measurement& point = *reading->session.all_points().front();
  EXPECT_EQ(point.scene, "doubled");
  EXPECT_EQ(point.key, "n=1000");
  EXPECT_EQ(point.verdict.outcome, Outcome::correct);
  const Catalogue& catalogue = reading->session.catalogue();
  const Result<const Scene*> scene = catalogue.find("doubled");
  ASSERT_TRUE(scene) << sentence(scene.error());
  EXPECT_EQ((*scene)->title, "Twice");
  EXPECT_EQ(catalogue.kernel("doubled/twice.cu")->text, kDoublingKernel);
  const Result<std::string> text = read_input(session, 1 << 20);
  EXPECT_LT(text->find("\"type\":\"scene\""), text->find("\"type\":\"job\""))
      << "its text stands before the first message of it";
}

TEST_F(FolderCommands, TheUsersSceneFolderIsFoundByName) {
  const OwnFolder data("commands/data");
  const fs::path scenes = data.path() / "warpscope" / "scenes";
  fs::create_directories(scenes);
  fs::copy(folder_.path(), scenes / "mine", fs::copy_options::recursive);
  const std::string environment = "XDG_DATA_HOME=" + data.path().string() + " ";
  const WarpscopeRun verified = run_warpscope("verify mine/twice", environment);
  EXPECT_EQ(verified.status, 0) << verified.said;
  EXPECT_THAT(run_warpscope("list", environment).said, HasSubstr("mine: Twice"));
  EXPECT_THAT(run_warpscope("list patterns", environment).said, Not(HasSubstr("mine")));
}

TEST_F(FolderCommands, NewMakesAFolderOfAKernelAndOverwritesNothing) {
  const OwnFolder other("commands/new");
  other.write("scale.cu",
              "extern \"C\" __global__ void scale(const float* x, float* y, int n, float "
              "a) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = a * "
              "x[i]; }\n");
  const std::string kernel = (other.path() / "scale.cu").string();
  const WarpscopeRun made = run_warpscope("new " + kernel);
  EXPECT_EQ(made.status, 0) << made.said;
  EXPECT_THAT(made.said, HasSubstr("there is no reference yet"));
  EXPECT_THAT(made.said, HasSubstr("the scene has no reference to compare its outputs with"));
  const WarpscopeRun traced =
      run_warpscope("trace " + (other.path() / "scale" / "scale").string() + " n=512");
  EXPECT_EQ(traced.status, 0) << traced.said;
  const WarpscopeRun again = run_warpscope("new " + kernel);
  EXPECT_EQ(again.status, 2) << again.said;
  EXPECT_THAT(again.said, HasSubstr("it exists already and is not overwritten"));
}

// Its kernel is a template in a namespace, its entry an instance by its C++ name.
TEST_F(FolderCommands, NewRunsTheKernelsOfAProgram) {
  if (!fs::exists("/usr/local/cuda/bin/nvcc")) GTEST_SKIP() << "there is no nvcc here";
  const OwnFolder other("commands/new_program");
  other.write("program.cu", R"(#include <cstdio>
#include <vector>
namespace net {
template <typename T, int kWidth>
__global__ void scale(const T* x, T* y, int n) {
  const int i = blockIdx.x * kWidth + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
}  // namespace net
int main() {
  const int n = 1000;
  std::vector<float> host(n, 1.0f);
  float *x, *y;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  cudaMemcpy(x, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  net::scale<float, 128><<<(n + 127) / 128, 128>>>(x, y, n);
  cudaMemcpy(host.data(), y, n * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%f\n", host[0]);
})");
  const WarpscopeRun made = run_warpscope("new " + (other.path() / "program.cu").string());
  EXPECT_EQ(made.status, 0) << made.said;
  EXPECT_THAT(made.said, HasSubstr("the scene has no reference to compare its outputs with"));
  const WarpscopeRun traced =
      run_warpscope("trace " + (other.path() / "program" / "scale").string() + " --json");
  EXPECT_EQ(traced.status, 0) << traced.said;
  EXPECT_THAT(traced.said, HasSubstr("net::scale<float, 128>"));
}

TEST_F(FolderCommands, AWordThatIsNoCommandIsNoFolderEither) {
  const WarpscopeRun ran = run_warpscope("verfy");
  EXPECT_EQ(ran.status, 2) << ran.said;
  EXPECT_THAT(ran.said, HasSubstr("did you mean verify?"));
}

}  // namespace
}  // namespace warpscope
