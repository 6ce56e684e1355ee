// tests/workbench/commands/file_scene_commands_test.cpp: the real programs take a kernel's file in
// place of a scene's name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "profiling/session/session.h"
#include "tests/scenes/folder_parts.h"
#include "tests/workbench/commands/run_warpscope.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class FileCommands : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(built_program("warpscope-engine"))) GTEST_SKIP() << "the engine is not built";
    if (run_warpscope("trace csrmm/float4_columns m=10 k=10 n=4").status == 3)
      GTEST_SKIP() << "there is no NVRTC here";
    folder_.write("scale.cu",
                  "extern \"C\" __global__ void scale(const float* x, float* y, int n, float a) "
                  "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = a * x[i]; "
                  "}\n");
  }
  OwnFolder folder_{"file_commands"};
  std::string file_ = (folder_.path() / "scale.cu").string();
};

TEST_F(FileCommands, ListVerifyAndTraceAFile) {
  const WarpscopeRun listed = run_warpscope("list " + file_);
  EXPECT_EQ(listed.status, 0) << listed.said;
  EXPECT_THAT(listed.said, HasSubstr("scale: scale"));
  EXPECT_THAT(listed.said, HasSubstr("? n is a parameter that the text gives no value (line 1)"));
  EXPECT_THAT(listed.said,
              HasSubstr("? the text does not launch it: grid and block are guesses (line 1)."));
  const WarpscopeRun verified = run_warpscope("verify " + file_ + " n=1,1000");
  EXPECT_EQ(verified.status, 0) << verified.said;
  EXPECT_THAT(verified.said, HasSubstr("no fault or race found; "));
  EXPECT_THAT(verified.said, Not(HasSubstr("correct")));
  const WarpscopeRun traced = run_warpscope("trace " + file_ + "/scale n=256 --json");
  EXPECT_EQ(traced.status, 0) << traced.said;
  EXPECT_THAT(traced.said, HasSubstr("scale/scale.cu"));
  const WarpscopeRun wrong = run_warpscope("trace " + file_ + "/scaled");
  EXPECT_EQ(wrong.status, 2) << wrong.said;
  EXPECT_THAT(wrong.said, HasSubstr("scale"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 1)
      << "nothing was written";
}

// The file alone is its program, whose launches have no axes.
TEST_F(FileCommands, AValueOfAnAxisWithoutItsVariantIsRefusedWithTheWayToWriteIt) {
  const WarpscopeRun run = run_warpscope("trace " + file_ + " n=256");
  EXPECT_EQ(run.status, 2) << run.said;
  EXPECT_THAT(run.said, HasSubstr("write " + file_ + "/VARIANT n=256; `warpscope list " + file_));
}

TEST_F(FileCommands, AFaultThatOnlyAGuessedSizeMakesIsToldAndIsNotAnError) {
  const auto verified = [&](const std::string& name, const std::string& bytes) {
    folder_.write(name,
                  "__global__ void tile(float* y) {\n  extern __shared__ float s[];\n"
                  "  s[threadIdx.x] = 1;\n  y[threadIdx.x] = s[threadIdx.x];\n}\n"
                  "size_t unknown_size();\nint main() {\n  float* y;\n"
                  "  cudaMalloc(&y, 512 * sizeof(float));\n  tile<<<1, 512, " +
                      bytes + ">>>(y);\n}\n");
    return run_warpscope("verify " + (folder_.path() / name).string());
  };
  const WarpscopeRun guessed = verified("guessed.cu", "unknown_size()");
  EXPECT_EQ(guessed.status, 0) << guessed.said;
  EXPECT_THAT(guessed.said, HasSubstr("it ran, but the scene has no reference to compare its "
                                      "outputs with; guessed/guessed.cu:3"));
  EXPECT_THAT(guessed.said, HasSubstr("is a guess: 2048 bytes would hold these accesses"));
  EXPECT_THAT(guessed.said, Not(HasSubstr("no fault")));
  const WarpscopeRun known = verified("known.cu", "1024");
  EXPECT_EQ(known.status, 1) << known.said;
  EXPECT_THAT(known.said, Not(HasSubstr("is a guess")));
}

// What a compiler says ends in a line feed and a count of mistakes: nothing goes on after it.
TEST_F(FileCommands, TheRemedyStandsBeforeWhatACompilerSays) {
  folder_.write("scale.cu",
                "__global__ void scale(const float* x, float* y, int n) {\n"
                "  y[0] = zz * x[0];\n}\n");
  const WarpscopeRun ran = run_warpscope("trace " + file_);
  EXPECT_NE(ran.status, 0);
  EXPECT_THAT(ran.said, HasSubstr("identifier \"zz\" is undefined"));
  EXPECT_THAT(ran.said, HasSubstr("does not compile, correct the source at the lines named:\n"));
  EXPECT_THAT(ran.said, Not(HasSubstr("; correct")));
  EXPECT_THAT(ran.said, Not(HasSubstr("detected in the compilation")));
}

TEST_F(FileCommands, SayThatAFileIsNotThere) {
  for (const char* command : {"verify absent.cu", "trace absent.cu/scale", "absent.cu",
                              "verify absent.ptx", "absent.ptx", "trace absent.wcap"}) {
    const WarpscopeRun ran = run_warpscope(command);
    EXPECT_EQ(ran.status, 2) << ran.said;
    EXPECT_THAT(ran.said, HasSubstr("there is no such file")) << command;
  }
  for (const char* command : {"list ./absent", "measure ./absent/scale", "verify /absent/scale"}) {
    const WarpscopeRun ran = run_warpscope(command);
    EXPECT_EQ(ran.status, 2) << ran.said;
    EXPECT_THAT(ran.said, HasSubstr("there is no such file or folder")) << command;
  }
  folder_.write("host.cu", "int main() {}\n");
  const WarpscopeRun ran = run_warpscope("verify " + (folder_.path() / "host.cu").string());
  EXPECT_EQ(ran.status, 2) << ran.said;
  EXPECT_THAT(ran.said, HasSubstr("it has no __global__ function"));
}

// Wherever there is no GPU both say so, and name no scene that is not there.
TEST_F(FileCommands, MeasureAndSweepTakeAFile) {
  for (const std::string& command :
       {"measure " + file_ + " n=64", "sweep " + file_ + "/scale n=64,128"}) {
    const WarpscopeRun ran = run_warpscope(command);
    EXPECT_TRUE(ran.status == 0 || ran.status == 3) << ran.said;
    EXPECT_THAT(ran.said, Not(HasSubstr("there is no scene")));
  }
}

// Its kernels with PTX are the variants: a program has no ending that would tell what it is.
TEST_F(FileCommands, ACompiledProgramStandsWhereASceneDoes) {
  folder_.write("scale.cu",
                "__global__ void scale(const float* x, float* y, int n) "
                "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = 2 * x[i]; }\n"
                "int main() {}\n");
  const std::string nvcc = toolkit_nvcc();
  if (!fs::exists(nvcc)) GTEST_SKIP() << "there is no nvcc at " << nvcc;
  const fs::path program = folder_.path() / "scale";
  const std::string command = nvcc + " -gencode arch=compute_90,code=[sm_90,compute_90] " + file_ +
                              " -o " + program.string() + " > /dev/null 2>&1";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  const WarpscopeRun listed = run_warpscope("list " + program.string());
  EXPECT_EQ(listed.status, 0) << listed.said;
  EXPECT_THAT(listed.said, HasSubstr("scale: scale"));
  const WarpscopeRun verified = run_warpscope("verify " + program.string() + "/scale n=1000");
  EXPECT_EQ(verified.status, 0) << verified.said;
  EXPECT_THAT(verified.said, HasSubstr("no fault or race found"));
  const WarpscopeRun measured = run_warpscope("measure " + program.string() + " n=64");
  EXPECT_TRUE(measured.status == 0 || measured.status == 3) << measured.said;
}

// A session of it opens where the file is gone, and reads no other file.
TEST_F(FileCommands, ASessionCarriesTheFile) {
  const OwnFolder kept("file_commands_session");
  const fs::path session = kept.path() / "file.wsj";
  const WarpscopeRun verified = run_warpscope("verify " + file_ + " --session " + session.string());
  ASSERT_EQ(verified.status, 0) << verified.said;
  fs::remove(file_);
  const Result<SessionReading> reading = read_session(session);
  ASSERT_TRUE(reading) << sentence(reading.error());
  ASSERT_EQ(reading->session.all_points().size(), 1u);
  EXPECT_EQ(reading->session.all_points().front()->verdict.outcome, Outcome::no_reference);
  EXPECT_THAT(reading->session.catalogue().kernel("scale/scale.cu")->text, HasSubstr("a * x[i]"));
}

}  // namespace
}  // namespace warpscope
