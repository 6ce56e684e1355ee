// tests/engine/bounded_process_test.cpp: work in processes that may take no more than they are
// given, and texts that would make a compiler take more.
#include "profiling/engine/compile/bounded_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "profiling/engine/compile/compiler.h"
#include "tests/scenes/folder_parts.h"

namespace warpscope {
namespace {

using End = BoundedProcesses::End;

// Answers with the task and its length; some words make it misbehave.
std::string work(const std::string& task) {
  if (task == "sleep") ::pause();
  if (task == "die") std::raise(SIGKILL);
  if (task == "allocate") {
    std::vector<std::vector<char>> kept;
    for (int k = 0; k < 64; ++k) kept.emplace_back(16 << 20, 'x');
  }
  if (task == "process") return std::to_string(::getpid());
  return task + std::to_string(task.size());
}

TEST(BoundedProcess, AnswersComeBackWhole) {
  BoundedProcesses processes(work);
  for (const std::size_t bytes : {0u, 1u, 70'000u, 20'000'000u}) {
    const std::string task(bytes, 'a');
    const auto outcome = processes.run(task, {60, 1ll << 30});
    ASSERT_EQ(outcome.end, End::answered);
    EXPECT_EQ(outcome.answer, task + std::to_string(bytes));
  }
}

TEST(BoundedProcess, TooMuchTimeMemoryOrACrashEndsOneTaskAlone) {
  BoundedProcesses processes(work);
  EXPECT_EQ(processes.run("sleep", {0.2, 1ll << 30}).end, End::out_of_time);
  EXPECT_EQ(processes.run("allocate", {60, 200 << 20}).end, End::died);
  EXPECT_EQ(processes.run("allocate", {60, 4ll << 30}).answer, "allocate8");
  EXPECT_EQ(processes.run("die", {60, 1ll << 30}).end, End::died);
  EXPECT_EQ(processes.run("again", {60, 1ll << 30}).answer, "again5");
}

TEST(BoundedProcess, ProcessesAreUsedAgainAndWorkSideBySide) {
  BoundedProcesses processes(work);
  const std::string first = processes.run("process", {}).answer;
  EXPECT_EQ(processes.run("process", {}).answer, first);
  EXPECT_NE(first, std::to_string(::getpid()));
  // One that ended meanwhile is replaced.
  ::kill(std::stoi(first), SIGKILL);
  EXPECT_EQ(processes.run("next", {}).answer, "next4");
  std::vector<std::string> answers(8);
  {
    std::vector<std::jthread> threads;
    for (std::size_t k = 0; k < answers.size(); ++k) {
      threads.emplace_back([&, k] { answers[k] = processes.run(std::string(k, 'b'), {}).answer; });
    }
  }
  for (std::size_t k = 0; k < answers.size(); ++k)
    EXPECT_EQ(answers[k], std::string(k, 'b') + std::to_string(k));
}

// Else who reads a pipe of this process to its end would wait for them.
TEST(BoundedProcess, ProcessesKeepNothingOpen) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  BoundedProcesses processes(work);
  ASSERT_EQ(processes.run("process", {}).end, End::answered);
  ::close(ends[1]);
  ASSERT_EQ(::fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
  char byte = 0;
  EXPECT_EQ(::read(ends[0], &byte, 1), 0) << "the pipe is still open elsewhere";
  ::close(ends[0]);
}

Result<CompiledPtx> compiled(const std::string& source, const std::string& text, double limit_s) {
  CompileRequest request{source, {}, 90};
  request.limit_s = limit_s;
  return compile_to_ptx(request, {kernel_source(source, text)});
}

TEST(BoundedProcess, TextsThatGrowWithoutEndAreRefusedWithASentence) {
  if (!nvrtc_version()) GTEST_SKIP() << nvrtc_version().error().what;
  std::string bomb = "#define A0 x + x + x + x\n";
  for (int k = 1; k < 10; ++k) {
    const std::string inner = "A" + std::to_string(k - 1);
    bomb += "#define A" + std::to_string(k);
    for (int copy = 0; copy < 8; ++copy) bomb += (copy == 0 ? " " : " + ") + inner;
    bomb += "\n";
  }
  bomb += "extern \"C\" __global__ void k(int* p) { int x = p[0]; p[1] = A9; }\n";
  const std::string instances =
      "template <int a, int b> struct F {\n"
      "  static const long long v = F<a - 1, b>::v + F<a - 1, b + 1>::v;\n};\n"
      "template <int b> struct F<0, b> { static const long long v = b; };\n"
      "extern \"C\" __global__ void k(long long* p) {\n"
      "  p[0] = F<190, 0>::v + F<190, 1000>::v + F<190, 3000>::v + F<190, 5000>::v;\n"
      "  p[1] = F<190, 7000>::v + F<190, 9000>::v + F<190, 11000>::v + F<190, 13000>::v;\n}\n";
  const Result<CompiledPtx> ended = compiled("bomb.cu", bomb, 2);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().kind, ErrorKind::input);
  EXPECT_EQ(ended.error().where, "bomb.cu");
  const bool told = ended.error().what == "the compiler did not end within 2 s" ||
                    ended.error().what.find("more than 3 GiB of memory") != std::string::npos;
  EXPECT_TRUE(told) << ended.error().what;
  EXPECT_FALSE(ended.error().remedy.empty());
  const Result<CompiledPtx> grown = compiled("instances.cu", instances, 1);
  ASSERT_FALSE(grown);
  EXPECT_EQ(grown.error().what, "the compiler did not end within 1 s");
  // The next text compiles.
  const Result<CompiledPtx> next =
      compiled("good.cu", "extern \"C\" __global__ void k(int* p) { p[0] = 1; }", 60);
  EXPECT_TRUE(next) << sentence(next.error());
}

TEST(BoundedProcess, AHeaderOfGigabytesIsNotTakenInWhole) {
  if (!nvrtc_version()) GTEST_SKIP() << nvrtc_version().error().what;
  const OwnFolder folder("huge_header");
  const std::filesystem::path header = folder.path() / "huge.h", source = folder.path() / "k.cu";
  std::ofstream(header) << "";
  std::filesystem::resize_file(header, 20ull << 30);  // no byte of it takes room on disk
  const Result<CompiledPtx> code =
      compiled(source.string(), "#include \"huge.h\"\n__global__ void k() {}\n", 60);
  ASSERT_FALSE(code);
  EXPECT_NE(code.error().what.find("huge.h"), std::string::npos) << code.error().what;
}

}  // namespace
}  // namespace warpscope
