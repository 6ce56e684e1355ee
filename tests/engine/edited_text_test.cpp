// tests/engine/edited_text_test.cpp: a text that is compiled again after an edit becomes the PTX
// that nvcc makes of it, without its headers being preprocessed again.
#include "profiling/engine/compile/steps/edited_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "profiling/engine/compile/fenced_program.h"
#include "scenes/host/input_file.h"
#include "tests/folders.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

// Without what depends on the folder that a compiler works in: its name, its hash in names, and the
// debug data with these.
std::string comparable(std::string ptx) {
  static const std::regex kHash(R"(_[0-9a-f]{8}_(\d+))"), kFolder("warpscope-nvcc-\\w+");
  ptx.resize(std::min(ptx.find("\t.section"), ptx.size()));
  return std::regex_replace(std::regex_replace(ptx, kHash, "_hash_$1"), kFolder, "folder");
}

NvccTask task_of(const std::string& text) {
  NvccTask task;
  task.architecture = "compute_90";
  task.source = "own/k.cu";
  task.options = {"-std=c++20"};
  task.texts = {text};
  task.names = {"own/k.cu"};
  return task;
}

class EditedText : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_nvcc()) GTEST_SKIP() << sentence(find_nvcc().error());
    if (!fences_files()) GTEST_SKIP() << "this system keeps no program to folders";
  }
  static void expect_equal(const NvccTask& task) {
    const auto whole = run_nvcc(task, 120);
    ASSERT_TRUE(whole) << sentence(whole.error());
    const auto edited = run_edited(task, 120);
    ASSERT_EQ(edited.has_value(), whole->compiled) << whole->log;
    if (!edited) return;
    EXPECT_EQ(comparable(edited->code), comparable(whole->code));
  }
};

TEST(DividedText, TheHeadEndsWithTheLastInclude) {
  const auto text =
      divided_text("#include <a>\n#if X\n#include \"b\"\n#endif\n#include <c>\nint x;\n");
  ASSERT_TRUE(text);
  EXPECT_EQ(text->head, "#include <a>\n#if X\n#include \"b\"\n#endif\n#include <c>\n");
  EXPECT_EQ(text->rest, "int x;\n");
  EXPECT_EQ(text->line, 6);
  const auto none = divided_text("int x;\n");
  ASSERT_TRUE(none);
  EXPECT_EQ(none->head, "");
  EXPECT_EQ(none->line, 1);
}

TEST(DividedText, ARestThatDependsOnMoreThanMacrosIsNotDivided) {
  EXPECT_FALSE(divided_text("#if X\n#include <a>\n#endif\nint x;\n"));
  EXPECT_FALSE(divided_text("#include <a>\n#define H include\n"));
  EXPECT_FALSE(divided_text("#include <a>\nint x = __COUNTER__;\n"));
  EXPECT_FALSE(divided_text("#include <a>\n_Pragma(\"pop_macro(\\\"x\\\")\")\n"));
  EXPECT_FALSE(divided_text("#include <a>\n%:define x\n"));
}

TEST(NvccSteps, HaveTheirVariablesReplacedAndOtherProgramsAreRefused) {
  const std::string lines =
      "#$ TOP=/cuda\n#$ CICC_PATH=/cuda/nvvm/bin\n#$ gcc -E -x c++ \"-I/cuda/include\" \"a b.cu\" "
      "-o "
      "\"t.ii\" \n#$ \"$CICC_PATH/cicc\" -arch compute_90 \"t.ii\" -o \"made.out\"\n#$ ptxas "
      "\"made.out\"\n";
  const auto steps = nvcc_steps(lines);
  ASSERT_TRUE(steps);
  EXPECT_THAT(steps->preprocess,
              ElementsAre("gcc", "-E", "-x", "c++", "-I/cuda/include", "a b.cu", "-o", "t.ii"));
  EXPECT_THAT(steps->compile,
              ElementsAre("/cuda/nvvm/bin/cicc", "-arch", "compute_90", "t.ii", "-o", "made.out"));
  EXPECT_THAT(steps->check, ElementsAre("ptxas", "made.out"));
  EXPECT_FALSE(nvcc_steps(lines + "#$ cudafe++ t.ii\n"));
  EXPECT_FALSE(nvcc_steps(lines + "#$ gcc -E b.cu\n"));
  EXPECT_FALSE(nvcc_steps("nvcc fatal: no input\n"));
}

const char* const kText = R"(#include <cuda_fp16.h>
#include <cstdint>
#define TILE 32
#ifdef SCALE
#define BY SCALE
#else
#define BY 2
#endif
static __device__ float table[TILE];
__global__ void scale(const __half* x, float* y, std::uint32_t n) {
  __shared__ float tile[TILE];
  std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x % TILE] = i < n ? __half2float(x[i]) : 0;
  __syncthreads();
  if (i < n) y[i] = BY * tile[threadIdx.x % TILE] + table[i % TILE];
}
)";

TEST_F(EditedText, HasThePtxOfNvccWithItsLinesAndAfterEveryEdit) {
  NvccTask task = task_of(kText);
  expect_equal(task);
  task.defines = {{"SCALE", "7"}};
  expect_equal(task);
  task.texts.front() += "\n\n__global__ void more(float* x) { x[threadIdx.x] = TILE; }\n";
  expect_equal(task);
  const auto edited = run_edited(task, 120);
  ASSERT_TRUE(edited);
  EXPECT_THAT(edited->code, HasSubstr("more"));
}

TEST_F(EditedText, WhatDoesNotCompileIsLeftToNvcc) {
  expect_equal(task_of(std::string(kText) + "__global__ void wrong() { missing(); }\n"));
  expect_equal(task_of("#include \"not_here.h\"\n__global__ void k() {}\n"));
  // Only ptxas looks at this.
  expect_equal(task_of("__global__ void k() { asm volatile(\"no_such_instruction;\"); }\n"));
}

class SlowEditedText : public EditedText {};

// Those whose text up to the last #include is preprocessed once.
std::vector<NvccTask> tasks_of_corpus() {
  std::vector<fs::path> files;
  for (const char* folder :
       {"tests/emulator/corpus", "tests/situations", "tests/emulator/foreign", "assets/examples"}) {
    for (const auto& entry : fs::recursive_directory_iterator(source_folder() / folder)) {
      if (entry.path().extension() == ".cu") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<NvccTask> tasks;
  for (const fs::path& file : files) {
    const auto text = read_input(file, 1 << 20);
    if (!text || !divided_text(*text)) continue;
    tasks.push_back(task_of(*text));
    tasks.back().defines = {{"ITEMS", "4"}, {"QUADS", "4"}};
  }
  return tasks;
}

TEST_F(EditedText, OfFilesOfTheCorpusItEqualsWhatNvccMakes) {
  constexpr std::size_t kEvery = 24;
  const std::vector<NvccTask> tasks = tasks_of_corpus();
  EXPECT_GE(tasks.size(), 40u);
  for (std::size_t i = 0; i < tasks.size(); i += kEvery) {
    SCOPED_TRACE(tasks[i].texts.front().substr(0, 80));
    expect_equal(tasks[i]);
  }
}

TEST_F(SlowEditedText, OverTheCorpusItEqualsWhatNvccMakes) {
  for (const NvccTask& task : tasks_of_corpus()) {
    SCOPED_TRACE(task.texts.front().substr(0, 80));
    expect_equal(task);
  }
}

}  // namespace
}  // namespace warpscope
