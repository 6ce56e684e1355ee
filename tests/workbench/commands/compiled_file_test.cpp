// tests/workbench/commands/compiled_file_test.cpp: kernels of compiled files, listed and traced by
// the real program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/folders.h"
#include "tests/profiling/binaries/made_binaries.h"
#include "tests/workbench/commands/run_warpscope.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class CompiledFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("warpscope-compiled-file-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return (folder_ / name).string();
  }
  fs::path folder_;
};

TEST_F(CompiledFile, IsListedByArchitecture) {
  const std::string file =
      write("made.o", made_object(made_fat_binary({{2, made_cubin("_Z1kPfi").bytes(), 90},
                                                   {1, std::string(kMadePtx), 80}})));
  const WarpscopeRun listed = run_warpscope("kernels --block 128 " + file);
  EXPECT_EQ(listed.status, 0) << listed.said;
  EXPECT_THAT(listed.said, HasSubstr("an object file, 2 kernels; machine code for sm_90; PTX for "
                                     "compute_80\nk\n  float*, 8 bytes at offset 0\n  int, 4 bytes "
                                     "at offset 8\n  sm_90: 40 registers, 512 bytes of static"));
  // 40 registers per thread fill 48 of 64 warps: 65536 / (40 · 32 = 1280) = 51, in fours 48.
  EXPECT_THAT(listed.said, HasSubstr("occupancy: 75 % with 128 threads per block, limited by "
                                     "registers"));
  EXPECT_THAT(listed.said, HasSubstr("PTX: none, so its machine code is emulated"));
  const WarpscopeRun json = run_warpscope("kernels --json --kernel '_Z1kPfi' " + file);
  EXPECT_EQ(json.status, 0) << json.said;
  const nlohmann::json object = nlohmann::json::parse(json.said);
  ASSERT_EQ(object["kernels"].size(), 1u);
  const nlohmann::json& code = object["kernels"][0]["machine_code"][0];
  EXPECT_EQ(code["registers"], 40);
  EXPECT_EQ(code["shared_bytes"], 512);
  EXPECT_EQ(code["parameters"][1]["offset"], 8);
  EXPECT_EQ(object["kernels"][0]["types"][0], "float*");
}

TEST_F(CompiledFile, WithMachineCodeAloneIsASentence) {
  MadeElf cubin = made_cubin();
  cubin.flags = 0x6004604;  // sm_70: that of sm_75 and later is emulated
  const std::string file = write("made.cubin", cubin.bytes());
  EXPECT_EQ(run_warpscope("kernels " + file).status, 0);
  for (const auto& [command, status] :
       {std::pair("trace --kernel k ", 2), std::pair("trace ", 2), std::pair("verify ", 2),
        std::pair("list ", 0), std::pair("registers ", 0)}) {
    const WarpscopeRun told = run_warpscope(command + file);
    EXPECT_EQ(told.status, status) << command;
    EXPECT_THAT(told.said, HasSubstr("sm_70: 40 registers, 1 536 bytes of static shared memory"));
    EXPECT_THAT(told.said, HasSubstr("has machine code alone, and emulation needs PTX"));
  }
  const std::string host = write("host.o", made_object(""));
  for (const char* command : {"kernels ", "trace --kernel k "}) {
    const WarpscopeRun none = run_warpscope(command + host);
    EXPECT_EQ(none.status, 2);
    EXPECT_THAT(none.said, HasSubstr("this file has no GPU code"));
  }
}

TEST_F(CompiledFile, WithPtxIsTracedLikeItsPtx) {
  if (!fs::exists(built_program("warpscope-engine"))) GTEST_SKIP() << "the engine is not built";
  const std::string nvcc = toolkit_nvcc();
  if (!fs::exists(nvcc)) GTEST_SKIP() << "there is no nvcc at " << nvcc;
  write("add.cu",
        "template <class T>\n"
        "__global__ void add(T* x, const T* y, int n) {\n"
        "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i <= n) x[i] += y[i];\n"
        "}\n"
        "template __global__ void add<float>(float*, const float*, int);\n"
        "__global__ void other(int* p) { *p = 1; }\n"
        "int main() { other<<<1, 1>>>(nullptr); }\n");
  const std::string compile = "cd " + folder_.string() + " && " + nvcc +
                              " -lineinfo add.cu -gencode arch=compute_90,code=[sm_90,compute_90] ";
  const std::string arguments =
      " --kernel 'add<float>' --grid 1 --block 96 --arg f32[64]:iota --arg f32[64]:one --arg "
      "i32:64";
  for (const auto& [way, name] :
       {std::pair("-ptx -o add.ptx", "add.ptx"), std::pair("-fatbin -o add.fatbin", "add.fatbin"),
        std::pair("-c -o add.o", "add.o"), std::pair("-o add", "add")}) {
    const bool ptx = std::string_view(way).starts_with("-ptx");
    const std::string command =
        ptx ? "cd " + folder_.string() + " && " + nvcc + " -lineinfo -arch=compute_90 add.cu " + way
            : compile + way;
    ASSERT_EQ(std::system((command + " > /dev/null 2>&1").c_str()), 0) << command;
    const WarpscopeRun run = run_warpscope("trace " + (folder_ / name).string() + arguments);
    EXPECT_EQ(run.status, 1) << run.said;
    EXPECT_THAT(run.said, HasSubstr("add.cu:4")) << name;
    EXPECT_THAT(run.said, HasSubstr("4 bytes beyond the 256 bytes of argument 0")) << name;
  }
}

}  // namespace
}  // namespace warpscope
