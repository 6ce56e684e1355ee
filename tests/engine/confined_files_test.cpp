// tests/engine/confined_files_test.cpp: no text makes the compiler open a file outside of the
// toolkit, by whatever trick it names it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "profiling/engine/compile/compiler.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class ConfinedFiles : public testing::Test {
 protected:
  void SetUp() override {
    const auto nvrtc = nvrtc_version();
    // A program that does not confine it refuses to use it, which is a defect of ours.
    ASSERT_TRUE(nvrtc || nvrtc.error().kind != ErrorKind::internal) << sentence(nvrtc.error());
    if (!nvrtc) GTEST_SKIP() << sentence(nvrtc.error());
    fs::create_directories(folder_ / "include");
    std::ofstream(secret()) << "extern \"C\" __device__ int a_secret = 4711;\n";
    std::ofstream(folder_ / "include" / "near.h") << "__device__ int a_secret_nearby;\n";
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string secret() const { return (folder_ / "secret.h").string(); }
  // Both targets, without what the cache has.
  static std::string all_of(const std::string& text) {
    const std::vector<KernelSource> sources = {kernel_source("own/k.cu", text)};
    std::string all;
    const auto ptx = compile_to_ptx({"own/k.cu", {}, 90}, sources, "k");
    all += ptx ? ptx->ptx + ptx->log : sentence(ptx.error());
    const auto registers = registers_per_thread({"own/k.cu", {}, 90}, sources, "k");
    return all + (registers ? "registers" : sentence(registers.error()));
  }
  const fs::path folder_ =
      fs::temp_directory_path() / ("warpscope-confined-" + std::to_string(::getpid()));
};

const char* const kKernel = "\nextern \"C\" __global__ void k(int* a) { *a = 1; }\n";

TEST_F(ConfinedFiles, KeepTheCompilerFromEveryFileThatATextNames) {
  const std::string quoted = "\"" + secret() + "\"", name = secret();
  const std::string up = "../../../../../../../../../.." + secret();
  for (const std::string& text :
       {"#include " + quoted, "#include <" + name + ">", "#include \"" + up + "\"",
        "#include <" + up + ">", "#define FILE_NAME " + quoted + "\n#include FILE_NAME",
        "#define NAME(x) <x>\n#include NAME(" + name + ")", "#inc\\\nlude " + quoted,
        "#/* */include/* */" + quoted, "%:include " + quoted, "#include_next " + quoted,
        "#import " + quoted, "#line 1 \"" + folder_.string() + "/k.cu\"\n#include \"secret.h\"",
        "__device__ const char text[] = {\n#embed " + quoted + "\n};",
        "#if __has_include(" + quoted + ")\n__device__ int a_secret;\n#endif",
        // A toolkit header includes what a macro says, and a text can define that macro.
        "#define __THRUST_HOST_SYSTEM_TAG_HEADER " + quoted +
            "\n#include <thrust/system/detail/sequential/execution_policy.h>\n"
            "#include __THRUST_HOST_SYSTEM_TAG_HEADER"}) {
    EXPECT_THAT(all_of(text + kKernel), Not(HasSubstr("4711"))) << text;
    if (text.find("__has_include") != std::string::npos) {
      EXPECT_THAT(all_of(text + kKernel), Not(HasSubstr("a_secret"))) << text;
    }
  }
}

TEST_F(ConfinedFiles, KeepTheAssemblerFromThem) {
  for (const char* directive : {".include", ".incbin", "#include", ".file 7"}) {
    const std::string text = "extern \"C\" __global__ void k(int* a) { asm(\"" +
                             std::string(directive) + " \\\"" + secret() + "\\\"\"); *a = 1; }\n";
    EXPECT_THAT(all_of(text), Not(HasSubstr("4711"))) << directive;
  }
}

// Text smuggled in by a constant's name or value does not become an option of the compiler.
TEST_F(ConfinedFiles, KeepItFromFoldersThatAConstantNames) {
  const std::vector<KernelSource> sources = {
      kernel_source("own/k.cu", std::string("#include <secret.h>") + kKernel)};
  for (const auto& define :
       {std::pair<std::string, std::string>("Q=1 -I" + folder_.string(), "2"),
        std::pair<std::string, std::string>("Q", "1 -I" + folder_.string()),
        std::pair<std::string, std::string>("Q", "1\n-I" + folder_.string())}) {
    const auto ptx = compile_to_ptx({"own/k.cu", {define}, 90}, sources);
    ASSERT_FALSE(ptx);
    EXPECT_THAT(sentence(ptx.error()), Not(HasSubstr("4711")));
  }
}

// The folder at hand may be anybody's: its include/ is not the toolkit's.
TEST_F(ConfinedFiles, KeepItFromTheFolderAtHand) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  const std::string all = all_of(std::string("#include \"secret.h\"") + kKernel) +
                          all_of(std::string("#include <near.h>") + kKernel);
  fs::current_path(before);
  EXPECT_THAT(all, Not(HasSubstr("4711")));
  EXPECT_THAT(all, Not(HasSubstr("a_secret_nearby")));
}

TEST_F(ConfinedFiles, LeaveTheToolkitsHeadersAndTheTextsInMemory) {
  const std::vector<KernelSource> sources = {
      kernel_source("own/k.cu",
                    "#include <cuda_fp16.h>\n#include <cooperative_groups.h>\n"
                    "#include <cuda/std/array>\n#include \"own/inner.cuh\"\n"
                    "extern \"C\" __global__ void k(__half* a) { *a = __float2half(kOne); }\n"),
      kernel_source("own/inner.cuh", "constexpr float kOne = 1.0f;\n")};
  const auto ptx = compile_to_ptx({"own/k.cu", {}, 90}, sources, "k");
  ASSERT_TRUE(ptx) << sentence(ptx.error());
  EXPECT_THAT(ptx->ptx, HasSubstr(".visible .entry k("));
}

// Only the compiler's own calls are confined.
TEST_F(ConfinedFiles, LeaveTheProgramsOwnFiles) {
  ASSERT_TRUE(nvrtc_version());
  std::FILE* file = std::fopen(secret().c_str(), "r");
  ASSERT_NE(file, nullptr);
  std::fclose(file);
  EXPECT_EQ(::access(secret().c_str(), R_OK), 0);
}

}  // namespace
}  // namespace warpscope
