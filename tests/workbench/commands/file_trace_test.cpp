// tests/workbench/commands/file_trace_test.cpp: `warpscope trace FILE.cu` runs what the program
// launches, and the right answer stands first; launch files and arrays of the person's own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "scenes/base/npy_array.h"
#include "scenes/host/input_file.h"
#include "tests/folders.h"
#include "tests/workbench/commands/run_warpscope.h"
#include "tests/workbench/commands/twice_launch.h"
#include "tests/workbench/situations.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// The text as far as the first empty line after `lines` paragraphs.
std::string beginning(const std::string& said) { return said.substr(0, said.find("read from ")); }

// The first finding of a list; empty if it has none.
std::string first_finding(const std::string& said) {
  const std::size_t begin = said.find("\n1. ");
  return begin == std::string::npos ? "" : said.substr(begin, said.find("\n\n", begin) - begin);
}

class FileTrace : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(built_program("warpscope-engine"))) GTEST_SKIP() << "the engine is not built";
    folder_ = fs::temp_directory_path() / ("warpscope-file-trace-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    const std::string file = write("empty.cu", "#include <vector>\n__global__ void k() {}\n");
    if (run_warpscope("kernels " + file).status == 3) GTEST_SKIP() << "there is no nvcc here";
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  template <typename T>
  std::string write_npy(const std::string& name, const std::vector<T>& values) const {
    return write(name, npy_text(element_type_of<T>(), {static_cast<std::int64_t>(values.size())},
                                std::as_bytes(std::span(values))));
  }
  fs::path folder_;
};

// "out of bounds" of a .cu file is another kind than that of a .ptx file.
std::string kind_of(const Situation& situation) {
  const std::string answer = situation.answer.front();
  return answer.substr(0, answer.find(", at")) + fs::path(situation.file).extension().string();
}

// `code`: what is emulated.
void expect_answers_first(const std::vector<Situation>& all, const std::string& code) {
  for (const Situation& situation : all) {
    const bool differs = code == "sass" && !situation.machine_answer.empty();
    const fs::path file = source_folder() / "tests/situations" / situation.file;
    const WarpscopeRun run = run_warpscope("trace --code " + code + " " + file.string());
    EXPECT_EQ(run.status, differs ? situation.machine_status : situation.status)
        << situation.file << "\n"
        << run.said;
    const std::string before = beginning(run.said), first = first_finding(before);
    const std::string& answered = run.status == 2 ? run.said : first.empty() ? before : first;
    for (const char* part : differs ? situation.machine_answer : situation.answer)
      EXPECT_THAT(answered, HasSubstr(part)) << situation.file << "\n" << before;
  }
}

// PTX gives the answers. With the first file, and in the slow test, machine code gives figures, as
// it does unless something else is asked for.
TEST_F(FileTrace, ASituationOfEachKindOpensAsItIsAndItsAnswerStandsFirst) {
  std::set<std::string> kinds;
  std::vector<Situation> first_of_kind;
  for (const Situation& situation : situations())
    if (kinds.insert(kind_of(situation)).second) first_of_kind.push_back(situation);
  EXPECT_EQ(first_of_kind.size(), 13U);
  expect_answers_first({first_of_kind.front()}, "best");
  expect_answers_first({first_of_kind.begin() + 1, first_of_kind.end()}, "ptx");
}
using SlowFileTrace = FileTrace;
TEST_F(SlowFileTrace, EverySituationOpensAsItIsAndItsAnswerStandsFirst) {
  expect_answers_first(situations(), "best");
}
TEST_F(SlowFileTrace, EverySituationHasAnAnswerOfMachineCode) {
  const WarpscopeRun one =
      run_warpscope("sass " + (source_folder() / "tests/situations/memory/off_by_one.cu").string());
  if (one.status == 3) GTEST_SKIP() << one.said;
  expect_answers_first(situations(), "sass");
}

TEST_F(FileTrace, ArraysComeFromFilesAndGoToFiles) {
  const std::string kernel = write("twice.cu", kTwiceKernel);
  const std::string x = write_npy<float>("x.npy", {1, 2, 3, 4, 5});
  const std::string good = write_npy<float>("good.npy", {2, 4, 6, 8, 10});
  const std::string bad = write_npy<float>("bad.npy", {2, 4, 6.5, 8, 11});
  const std::string out = (folder_ / "y.npy").string();
  const std::string call = "trace --source " + kernel +
                           " --block 32 --arg y=f32[5]:unset --arg n=i32:5 " + "--arg x=@" + x +
                           " --out y=" + out + " --print 'y[1:3]' --expect y=";
  const WarpscopeRun right = run_warpscope(call + good);
  EXPECT_EQ(right.status, 0) << right.said;
  EXPECT_THAT(right.said, AllOf(HasSubstr("correct: all 5 elements of y are as expected"),
                                HasSubstr("100 % are bit-equal"), HasSubstr("y[1:3] = 4 6\n")));
  const Result<std::string> bytes = read_input(out, 1 << 20);
  ASSERT_TRUE(bytes);
  const Result<NpyArray> written = parse_npy_array(*bytes, out);
  ASSERT_TRUE(written) << sentence(written.error());
  EXPECT_EQ(written->count(), 5);
  float last = 0;
  std::memcpy(&last, written->bytes.data() + 16, sizeof last);
  EXPECT_EQ(last, 10);
  const WarpscopeRun wrong = run_warpscope(call + bad);
  EXPECT_EQ(wrong.status, 1) << wrong.said;
  EXPECT_THAT(wrong.said, AllOf(HasSubstr("wrong: 2 of 5 elements of y differ"),
                                HasSubstr("y[2] is 6, expected 6.5, off by 0.5"),
                                HasSubstr("y[4] is 10, expected 11, off by 1"),
                                HasSubstr("60 % are bit-equal")));
  EXPECT_EQ(run_warpscope(call + bad + " --rtol 0.1").status, 0);
}

TEST_F(FileTrace, ALaunchFileRunsAndItsValuesMayBeReplaced) {
  write("twice.cu", kTwiceKernel);
  write_npy<float>("good.npy", {0, 2, 4, 6, 8, 10, 12, 14});
  const std::string launch = write("launch.toml", twice_launch("good.npy"));
  const WarpscopeRun run = run_warpscope("trace --launch " + launch);
  EXPECT_EQ(run.status, 0) << run.said;
  EXPECT_THAT(run.said, AllOf(HasSubstr("grid (2, 1, 1), block (4, 1, 1)"),
                              HasSubstr("correct: all 8 elements of y")));
  const WarpscopeRun fewer = run_warpscope("trace --launch " + launch + " n=6");
  EXPECT_EQ(fewer.status, 1) << fewer.said;
  EXPECT_THAT(fewer.said, HasSubstr("y has 6 elements, and "));
}

TEST_F(FileTrace, WhatNothingWroteIsWrong) {
  const std::string kernel = write("twice.cu", kTwiceKernel);
  const std::string good = write_npy<float>("good.npy", {0, 2, 4, 6, 0, 0});
  const WarpscopeRun run = run_warpscope(
      "trace --source " + kernel +
      " --block 32 --arg f32[6]:iota --arg y=f32[6]:unset --arg i32:4 " + "--expect y=" + good);
  EXPECT_EQ(run.status, 1) << run.said;
  EXPECT_THAT(run.said, HasSubstr("2 of 6 elements of y were never written, the first is y[4]"));
}

TEST_F(FileTrace, AGuessIsPrintedWithItsLine) {
  const std::string file = write("program.cu",
                                 "#include <vector>\n"
                                 "__global__ void k(const float* x, float* y) {\n"
                                 "  y[threadIdx.x] = x[threadIdx.x];\n"
                                 "}\n"
                                 "int main() {\n"
                                 "  float *x, *y;\n"
                                 "  cudaMalloc(&x, 64 * sizeof(float));\n"
                                 "  cudaMalloc(&y, unknown_size());\n"
                                 "  k<<<1, 64>>>(x, y);\n"
                                 "}\n"
                                 "size_t unknown_size();\n");
  const WarpscopeRun run = run_warpscope("trace " + file);
  EXPECT_THAT(run.said, HasSubstr("x = f32[64]:random  — line 7: cudaMalloc(&x, 64 * sizeof"));
  EXPECT_THAT(run.said, HasSubstr("? y = f32[64]:unset  — one element per thread"));
}

TEST_F(FileTrace, AnAccessBeyondAGuessedSizeIsAWarningAndBeyondAKnownOneAnError) {
  const auto program = [](const char* size_of_y, const char* index) {
    return std::string("__global__ void k(const float* x, float* y) {\n  y[") + index +
           "] = x[threadIdx.x];\n}\nsize_t unknown_size();\nint main() {\n"
           "  float *x, *y;\n  cudaMalloc(&x, 64 * sizeof(float));\n  cudaMalloc(&y, " +
           size_of_y + ");\n  k<<<1, 64>>>(x, y);\n}\n";
  };
  const char* const kUnknown = "unknown_size()";
  const WarpscopeRun guessed =
      run_warpscope("trace " + write("guessed.cu", program(kUnknown, "threadIdx.x * 3")));
  EXPECT_EQ(guessed.status, 0) << guessed.said;
  EXPECT_THAT(guessed.said, HasSubstr("warning, invalid address, at guessed.cu:2"));
  EXPECT_THAT(guessed.said, HasSubstr("The size of y is a guess: 190 elements would hold"));
  const WarpscopeRun known =
      run_warpscope("trace " + write("known.cu", program("64 * sizeof(float)", "threadIdx.x * 3")));
  EXPECT_EQ(known.status, 1) << known.said;
  EXPECT_THAT(known.said, HasSubstr("error, invalid address, at known.cu:2"));
  const WarpscopeRun before =
      run_warpscope("trace " + write("before.cu", program(kUnknown, "int(threadIdx.x * 3) - 1")));
  EXPECT_EQ(before.status, 1) << before.said;
  EXPECT_THAT(before.said, HasSubstr("error, invalid address, at before.cu:2"));
}

TEST_F(FileTrace, SharedMemoryOfAGuessedSizeIsAWarningToo) {
  const auto program = [](const char* bytes) {
    return std::string(
               "__global__ void k(float* y) {\n  extern __shared__ float s[];\n"
               "  s[threadIdx.x] = 1;\n  y[threadIdx.x] = s[threadIdx.x];\n}\n"
               "size_t unknown_size();\nint main() {\n  float* y;\n"
               "  cudaMalloc(&y, 512 * sizeof(float));\n  k<<<1, 512, ") +
           bytes + ">>>(y);\n}\n";
  };
  const WarpscopeRun guessed =
      run_warpscope("trace " + write("guessed.cu", program("unknown_size()")));
  EXPECT_EQ(guessed.status, 0) << guessed.said;
  EXPECT_THAT(guessed.said, HasSubstr("is a guess: 2048 bytes would hold"));
  const WarpscopeRun known = run_warpscope("trace " + write("known.cu", program("1024")));
  EXPECT_EQ(known.status, 1) << known.said;
  EXPECT_THAT(known.said, Not(HasSubstr("is a guess: ")));
}

// Where each element goes is in an array that another file fills. With random numbers two go to the
// same place; with 0, 1, 2, … none do. Halves of the index meet whatever is in it.
const char* const kScatter =
    R"(__global__ void scatter(const int* to, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[to[i]] = x[i];
}
__global__ void halves(const int* to, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i / 2] = x[i] + to[i];
}
void run_scatter(const int* to, const float* x, float* y, int n) {
  scatter<<<(n + 33) / 33, 33>>>(to, x, y, n);
}
void run_halves(const int* to, const float* x, float* y, int n) {
  halves<<<(n + 33) / 33, 33>>>(to, x, y, n);
}
)";

TEST_F(FileTrace, AFaultThatComesFromNumbersOfAnotherFileIsAWarning) {
  const std::string file = write("scatter.cu", kScatter);
  const WarpscopeRun scatter = run_warpscope("trace " + file + " --kernel scatter");
  EXPECT_EQ(scatter.status, 0) << scatter.said;
  EXPECT_THAT(scatter.said, HasSubstr("warning, race, at scatter.cu:3"));
  EXPECT_THAT(scatter.said, HasSubstr("The content of to is a guess: with 0, 1, 2, … in it this"));
  const WarpscopeRun halves = run_warpscope("trace " + file + " --kernel halves");
  EXPECT_EQ(halves.status, 1) << halves.said;
  EXPECT_THAT(halves.said, HasSubstr("error, race, at scatter.cu:7"));
  EXPECT_EQ(run_warpscope("verify " + file + "/scatter").status, 0);
  EXPECT_EQ(run_warpscope("verify " + file + "/halves").status, 1);
}

TEST_F(FileTrace, ALaunchThatNoDeviceTakesIsLeftOutAndTheOthersRun) {
  const std::string file = write("steps.cu",
                                 "__global__ void k(float* y) { y[threadIdx.x] = 1; }\n"
                                 "int main() {\n  float* y;\n"
                                 "  cudaMalloc(&y, 32 * sizeof(float));\n"
                                 "  k<<<1, 32>>>(y);\n  k<<<1, 4096>>>(y);\n}\n");
  const WarpscopeRun run = run_warpscope("trace " + file);
  EXPECT_EQ(run.status, 0) << run.said;
  EXPECT_THAT(run.said, HasSubstr("k is not run"));
  EXPECT_THAT(run.said, HasSubstr("a block has 1 to 1024 threads"));
}

}  // namespace
}  // namespace warpscope
