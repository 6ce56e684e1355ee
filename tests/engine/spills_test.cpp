// tests/engine/spills_test.cpp: spilled registers have the sums of ptxas and the lines of the
// machine code.
#include "profiling/engine/compile/spills.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "profiling/engine/compile/nvcc.h"
#include "tests/engine/compiling_test.h"

namespace warpscope {
namespace {

// 64 floats that stay alive through a loop; 1024 threads leave 64 registers for each.
const std::string kHeavy =
    R"(extern "C" __global__ void __launch_bounds__(1024) heavy(const float* x, float* y, int n) {
  float v[64];
#pragma unroll
  for (int k = 0; k < 64; ++k) v[k] = x[threadIdx.x + k * 1024];
  for (int i = 0; i < n; ++i) {
#pragma unroll
    for (int k = 0; k < 64; ++k) v[k] = v[k] * v[(k + 7) % 64] + x[i];
  }
#pragma unroll
  for (int k = 0; k < 64; ++k) y[threadIdx.x + k * 1024] = v[k];
}
)";

class Spills : public CompilingTest {
 protected:
  static std::string ptx_of(const std::string& text) {
    const Result<CompiledPtx> made = compile_to_ptx({"heavy.cu", {}, 90}, text);
    EXPECT_TRUE(made) << (made ? "" : sentence(made.error()));
    return made ? made->ptx : "";
  }
};

TEST_F(Spills, LinesAddUpToWhatPtxasReports) {
  const std::string ptx = ptx_of(kHeavy);
  EXPECT_TRUE(may_spill(ptx, "heavy", {}));
  const auto found = spilled_registers(ptx, "heavy", "heavy.cu", {});
  if (!found && found.error().kind == ErrorKind::environment) GTEST_SKIP() << "there is no ptxas";
  ASSERT_TRUE(found) << sentence(found.error());
  ASSERT_TRUE(*found);
  const SpilledRegisters& spills = **found;
  EXPECT_EQ(spills.registers_per_thread, 64);
  EXPECT_GT(spills.store_bytes, 0);
  std::int64_t stores = 0, loads = 0, of_array = 0;
  for (const SpilledRegisters::Line& line : spills.lines) {
    stores += line.store_bytes;
    loads += line.load_bytes;
    EXPECT_GE(line.position.line, 1);
    EXPECT_LE(line.position.line, 11);
    EXPECT_EQ(line.position.file, "heavy.cu");
    // The array is loaded in line 4, computed with in line 7 and stored in line 10.
    const int at = line.position.line;
    if (at == 4 || at == 7 || at == 10) of_array += line.store_bytes + line.load_bytes;
  }
  EXPECT_GE(of_array, (stores + loads) * 9 / 10) << "what is spilled is the array";
  EXPECT_EQ(stores, spills.store_bytes);
  EXPECT_EQ(loads, spills.load_bytes);
}

TEST_F(Spills, OneKernelOfAFewRegistersIsNotCompiledAgain) {
  const std::string ptx =
      ptx_of("extern \"C\" __global__ void heavy(float* x) { x[threadIdx.x] *= 2; }\n");
  EXPECT_FALSE(may_spill(ptx, "heavy", {}));
  CompilerOptions few;
  few.passed = {"-maxrregcount=8"};
  EXPECT_TRUE(may_spill(ptx, "heavy", few));
  const auto found = spilled_registers(ptx, "heavy", "heavy.cu", {});
  if (!found && found.error().kind == ErrorKind::environment) GTEST_SKIP() << "there is no ptxas";
  ASSERT_TRUE(found) << sentence(found.error());
  EXPECT_FALSE(*found);
}

TEST_F(Spills, APersonsOptionsCount) {
  const std::string ptx = ptx_of(
      "extern \"C\" __global__ void heavy(const float4* x, float4* y) {\n"
      "  float4 v[12];\n  for (int k = 0; k < 12; ++k) v[k] = x[k * 32 + threadIdx.x];\n"
      "  __syncthreads();\n"
      "  for (int k = 0; k < 12; ++k) y[k * 32 + threadIdx.x] = v[11 - k];\n}\n");
  CompilerOptions few;
  few.passed = {"-maxrregcount=24"};
  const auto all = spilled_registers(ptx, "heavy", "heavy.cu", {}),
             some = spilled_registers(ptx, "heavy", "heavy.cu", few);
  if (!all && all.error().kind == ErrorKind::environment) GTEST_SKIP() << "there is no ptxas";
  ASSERT_TRUE(all && some);
  EXPECT_FALSE(*all);
  ASSERT_TRUE(*some);
  EXPECT_EQ((*some)->registers_per_thread, 24);
}

TEST_F(Spills, BytesThatAreNoMachineCodeAreASentence) {
  EXPECT_FALSE(local_accesses("no cubin", "heavy", "heavy.cu"));
  const auto wrong = spilled_registers("not PTX", "heavy", "heavy.cu", {});
  ASSERT_FALSE(wrong);
  EXPECT_FALSE(wrong.error().remedy.empty());
}

}  // namespace
}  // namespace warpscope
