// tests/engine/nvcc_test.cpp: whole programs become PTX by nvcc, which reads and runs nothing of
// the person's.
#include "profiling/engine/compile/nvcc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "profiling/binaries/elf.h"
#include "profiling/engine/compile/compiler.h"
#include "profiling/engine/compile/fenced_program.h"
#include "profiling/listings/compiler_options.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const char* const kProgram = R"(#include <cstdio>
#include <cstdint>
#include <vector>
template <typename T, int N>
__global__ void fill(T* to, uint32_t count) {
  const uint32_t i = blockIdx.x * N + threadIdx.x;
  if (i < count) to[i] = static_cast<T>(VALUE);
}
int main() {
  std::vector<float> host(64);
  float* to = nullptr;
  cudaMalloc(&to, host.size() * sizeof(float));
  fill<float, 32><<<2, 32>>>(to, 64);
  std::printf("%d\n", static_cast<int>(cudaDeviceSynchronize()));
}
)";

class NvccTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_nvcc()) GTEST_SKIP() << sentence(find_nvcc().error());
    fs::create_directories(folder_);
    std::ofstream(secret()) << "__device__ int a_secret = 4711;\n";
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string secret() const { return (folder_ / "secret.h").string(); }
  static NvccTask task_of(const std::string& text) {
    NvccTask task;
    task.architecture = "compute_90";
    task.source = "own/program.cu";
    task.defines = {{"VALUE", "1"}};
    task.texts = {text};
    task.names = {task.source};
    return task;
  }
  static std::string said(const Result<CompilerAnswer>& answer) {
    return answer ? answer->log + answer->code : sentence(answer.error());
  }
  const fs::path folder_ =
      fs::temp_directory_path() / ("warpscope-nvcc-test-" + std::to_string(::getpid()));
};

TEST_F(NvccTest, CompilesAProgramAsItIs) {
  for (const bool fenced : {true, false}) {
    const NvccTask task = task_of(kProgram);
    const auto answer = fenced ? run_nvcc(task, 60) : run_nvcc_unfenced(task, 60);
    ASSERT_TRUE(answer) << sentence(answer.error());
    EXPECT_TRUE(answer->compiled) << answer->log;
    EXPECT_THAT(answer->code, HasSubstr(".entry _Z4fillIfLi32EEvPT_j("));
    EXPECT_THAT(answer->code, HasSubstr("own/program.cu\""));
  }
}

// A text is compiled once, to PTX: what is assembled of it is what nvcc makes of the text itself.
TEST_F(NvccTest, MachineCodeOfItsPtxIsThatOfTheText) {
  for (const std::vector<std::string>& passed :
       {std::vector<std::string>{}, {"--maxrregcount=16"}, {"--use_fast_math"}}) {
    NvccTask task = task_of(kProgram);
    task.target = Target::ptx;
    task.architecture = "compute_90";
    task.options = passed;
    const auto ptx = run_nvcc(task, 60);
    ASSERT_TRUE(ptx && ptx->compiled);
    task.target = Target::cubin;
    task.architecture = "sm_90";
    const auto whole = run_nvcc(task, 60);
    ASSERT_TRUE(whole && whole->compiled);
    CompilerOptions options;
    options.passed = passed;
    const auto assembled = run_ptxas(ptx->code, "sm_90", options_of_ptxas(options), 60);
    ASSERT_TRUE(assembled && assembled->compiled);
    // The rest names the folder that each of them worked in.
    const Result<ElfFile> ours = read_elf(assembled->code, "ours"),
                          all = read_elf(whole->code, "all");
    ASSERT_TRUE(ours && all);
    const char* const instructions = ".text._Z4fillIfLi32EEvPT_j";
    ASSERT_NE(ours->section(instructions), nullptr);
    ASSERT_NE(all->section(instructions), nullptr);
    EXPECT_EQ(ours->section(instructions)->bytes, all->section(instructions)->bytes)
        << (passed.empty() ? "" : passed.front());
  }
}

TEST_F(NvccTest, NamesTheLineOfAnErrorInTheTextAndInAHeader) {
  NvccTask task = task_of("#include <cstdio>\n__global__ void k(int* a) { *a = b; }\n");
  EXPECT_THAT(said(run_nvcc(task, 60)), HasSubstr("own/program.cu(2): error"));
  task = task_of("#include <cstdio>\n#include \"near.h\"\n");
  task.texts.emplace_back("\n__device__ int f() { return c; }\n");
  task.names.emplace_back("near.h");
  EXPECT_THAT(said(run_nvcc(task, 60)), HasSubstr("near.h(2): error"));
}

TEST_F(NvccTest, GivenHeadersAreFoundByTheirNames) {
  NvccTask task = task_of(
      "#include <lib/one.h>\n#include \"../up/two.h\"\n"
      "__global__ void k(int* a) { *a = one() + two(); }\n");
  task.names.insert(task.names.end(), {"lib/one.h", "../up/two.h"});
  task.texts.emplace_back("__device__ inline int one() { return 1; }\n");
  task.texts.emplace_back("__device__ inline int two() { return 2; }\n");
  const auto answer = run_nvcc(task, 60);
  EXPECT_TRUE(answer && answer->compiled) << said(answer);
}

// The second compiler opens files by itself: what preprocessing leaves of these is an include.
TEST_F(NvccTest, NeverShowsAFileThatNobodyAllowed) {
  const std::string quoted = "\"" + secret() + "\"";
  const std::string up = "../../../../../../../../../../.." + secret();
  const std::string kernel = "\n__global__ void k(int* a) { *a = a_secret; }\n";
  for (const std::string& text :
       {"#include " + quoted, "#include <" + secret() + ">", "#include \"" + up + "\"",
        "#define NAME " + quoted + "\n#include NAME", "#define H #\nH include " + quoted,
        "#define H %:\nH include " + quoted, "#define I include\n#define H # I\nH " + quoted,
        "#ifdef __CUDA_ARCH__\n#include " + quoted + "\n#endif",
        "#define I(x) x\nI(#include " + quoted + ")", "#import " + quoted,
        "#include_next " + quoted}) {
    for (const bool fenced : {true, false}) {
      const NvccTask task = task_of(text + kernel);
      const auto answer = fenced ? run_nvcc(task, 60) : run_nvcc_unfenced(task, 60);
      EXPECT_FALSE(answer && answer->compiled) << text << fenced;
      EXPECT_THAT(said(answer), Not(HasSubstr("4711"))) << text << fenced;
      EXPECT_THAT(said(answer), Not(HasSubstr("int a_secret"))) << text << fenced;
    }
  }
  const auto plain = run_nvcc(task_of("#include " + quoted + kernel), 60);
  EXPECT_THAT(said(plain), HasSubstr("the text includes " + secret() + ", which is outside"));
}

TEST_F(NvccTest, RunsNothingOfAText) {
  const std::string mark = (folder_ / "ran").string();
  NvccTask task = task_of("#include <cstdlib>\nstatic int ran = std::system(\"touch " + mark +
                          "\");\n" + kProgram);
  ASSERT_TRUE(run_nvcc(task, 60)) << said(run_nvcc(task, 60));
  // nvcc gives its words to a shell.
  for (const std::string& command : {"$(touch " + mark + ")", "`touch " + mark + "`",
                                     "\"; touch " + mark + "; \"", "';touch " + mark + ";'"}) {
    task = task_of(kProgram);
    task.defines = {{"VALUE", command + "1"}};
    task.source = command + "/program.cu";
    task.names = {task.source, command + ".h"};
    task.texts.emplace_back("");
    task.appended = "#line 1 \"" + command + "\"\n";
    (void)run_nvcc(task, 60);
  }
  EXPECT_FALSE(fs::exists(mark));
}

TEST_F(NvccTest, RefusesMacrosOfMoreThanOneLine) {
  NvccTask task = task_of(kProgram);
  for (const auto& [name, value] : {std::pair("A", "1\n#include \"/etc/hostname\""),
                                    std::pair("A\n#include </etc/hostname>\n#define B", "1"),
                                    std::pair("A", "1\\"), std::pair("", "1")}) {
    task.defines = {{name, value}};
    EXPECT_THAT(said(run_nvcc(task, 60)), HasSubstr("not a macro of one line"));
  }
}

TEST_F(NvccTest, EndsAtItsLimitOfTime) {
  const auto answer = run_nvcc(task_of(kProgram), 0.02);
  EXPECT_THAT(said(answer), HasSubstr("nvcc did not end within 0.02 s"));
}

// In a place of its own: other programs compile in the common one.
TEST_F(NvccTest, LeavesNoFolder) {
  const std::string common = fs::temp_directory_path().string();
  const fs::path place = folder_ / "temporary";
  fs::create_directories(place);
  ::setenv("TMPDIR", place.c_str(), 1);
  (void)run_nvcc(task_of(kProgram), 0.02);
  EXPECT_TRUE(run_nvcc(task_of(kProgram), 60));
  ::setenv("TMPDIR", common.c_str(), 1);
  EXPECT_TRUE(fs::is_empty(place));
}

TEST(Nvcc, ItsAbsenceIsASentence) {
  const auto absent = find_nvcc_in({"/nowhere"});
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().kind, ErrorKind::environment);
  EXPECT_THAT(sentence(absent.error()), HasSubstr("there is no nvcc here"));
  EXPECT_THAT(absent.error().remedy, HasSubstr("nvidia-cuda-nvcc"));
}

TEST_F(NvccTest, TextsWithHostCodeGoToItAndOthersToNvrtc) {
  const auto compiler_of = [](const std::string& text, const std::string& expression = {}) {
    CompileRequest request{"own/k.cu", {{"VALUE", "2"}}, 90};
    request.any_text = true;
    const auto ptx = compile_to_ptx(request, {kernel_source("own/k.cu", text)}, expression);
    return ptx ? ptx->compiler + " " + ptx->entry : sentence(ptx.error());
  };
  const std::string device = "__global__ void k(int* a) { *a = VALUE; }\n";
  EXPECT_THAT(compiler_of(device), StartsWith("NVRTC "));
  EXPECT_THAT(compiler_of("#include <cooperative_groups.h>\n" + device), StartsWith("NVRTC "));
  EXPECT_THAT(compiler_of("#include <cstdio>\n" + device), StartsWith("nvcc "));
  EXPECT_THAT(compiler_of(device + "int main() { k<<<1, 1>>>(0); }\n"), StartsWith("nvcc "));
  // What NVRTC refuses nvcc is asked for.
  EXPECT_THAT(compiler_of(device + "void host(void** p) { cudaMalloc(p, 4); }\n"),
              StartsWith("nvcc "));
  EXPECT_THAT(compiler_of(kProgram, "fill<double, 64>"), HasSubstr(" _Z4fillIdLi64EEvPT_j"));
  EXPECT_THAT(compiler_of("namespace a { namespace { constexpr int n = 4; template <int N> "
                          "__global__ void k(int (*p)[N], const int* q, const int* r) {} } }\n"
                          "#include <cstdio>\n",
                          "a::k<a::n>"),
              HasSubstr("1kILi4EE"));
  EXPECT_THAT(compiler_of(kProgram, "fill<double>"), HasSubstr("fill<float, 32>(float*, "));
}

TEST(FencedProgram, IsKeptToItsTimeFilesAndMemory) {
  const fs::path folder =
      fs::temp_directory_path() / ("warpscope-fence-" + std::to_string(::getpid()));
  fs::create_directories(folder / "own");
  std::ofstream(folder / "outside.txt") << "outside";
  const auto run = [&](const std::string& script, double seconds = 20) {
    return run_fenced({{"/bin/sh", "-c", script},
                       folder / "own",
                       {"/bin", "/usr/bin", "/lib", "/lib64", "/usr/lib", "/etc/ld.so.cache"},
                       seconds,
                       1ll << 30});
  };
  EXPECT_EQ(run("echo yes >here; cat here").output, "yes\n");
  EXPECT_EQ(run("exit 3").status, 3);
  EXPECT_EQ(run("sleep 60 & sleep 60", 0.3).end, FencedOutcome::End::out_of_time);
  ::setenv("WARPSCOPE_SECRET", "secret", 1);
  EXPECT_EQ(run("echo $WARPSCOPE_SECRET").output, "\n");
  EXPECT_NE(run("head -c 2000000000 /dev/zero | tail -c 1900000000 >/dev/null").status, 77);
  if (fences_files()) {
    EXPECT_NE(run("cat ../outside.txt").status, 0);
    EXPECT_NE(run("echo no >../outside.txt").status, 0);
    EXPECT_NE(run("ls ..").status, 0);
  }
  EXPECT_EQ(run_fenced({{"/nowhere/program"}, folder / "own", {}, 5}).end,
            FencedOutcome::End::not_started);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace warpscope
