// tests/emulator/constant_arrays_test.cpp: constant arrays that nothing filled are named where they
// are read.
#include <span>

#include "tests/emulator/fixture.h"

#ifdef WARPSCOPE_WITH_COMPILER

namespace warpscope {
namespace {

Trace run_constant(const std::string& ptx, std::vector<float>& y, bool fill) {
  Bench bench;
  bench.add("y", y, false);
  if (!fill) return bench.run(ptx, launch_of(1, 4));
  const std::vector<float> values = {2, 3, 4, 5};
  const Result<Program> program = Program::parse(ptx, "test.cu");
  EXPECT_TRUE(program);
  EXPECT_TRUE(bench.memory.fill_constant(*program, "table", std::as_bytes(std::span(values))));
  Result<EmulatedRun> run =
      emulate(*program, "k", launch_of(1, 4), bench.arguments, bench.memory, bench.options);
  EXPECT_TRUE(run);
  return std::move(run->trace);
}

constexpr const char* kReader =
    "extern \"C\" __global__ void k(float* y) {\n"
    "  y[threadIdx.x] = table[threadIdx.x] + 1;\n}";

TEST(ConstantArrays, WithoutValuesAreNamedWithTheRemedy) {
  const std::pair<const char*, const char*> rows[] = {
      {"__constant__ float table[4];\n", "table"},
      {"namespace filters { __constant__ float table[4]; }\nusing filters::table;\n",
       "filters::table"},
      {"static __constant__ float table[4];\n", "table"}};
  for (const auto& [declaration, name] : rows) {
    SCOPED_TRACE(declaration);
    WARPSCOPE_COMPILE(ptx, std::string(declaration) + kReader);
    std::vector<float> y(4);
    const Trace trace = run_constant(ptx, y, false);
    ASSERT_EQ(trace.faults.size(), 1u) << faults_text(trace);
    EXPECT_EQ(trace.faults[0].kind, FaultKind::uninitialised_read);
    EXPECT_EQ(trace.faults[0].buffer, name);
    for (const std::string& words :
         {"reads " + std::string(name) + "[0], a __constant__ array without values",
          "constants = { " + std::string(name) + " = \"BUFFER\" }"}) {
      EXPECT_NE(trace.faults[0].sentence.find(words), std::string::npos)
          << trace.faults[0].sentence;
    }
  }
}

TEST(ConstantArrays, WithValuesOrFilledOnesAreNot) {
  for (const bool fill : {true, false}) {
    WARPSCOPE_COMPILE(ptx, std::string(fill ? "__constant__ float table[4];\n"
                                            : "__constant__ float table[4] = {2, 3, 4, 5};\n") +
                               kReader);
    std::vector<float> y(4);
    EXPECT_EQ(faults_text(run_constant(ptx, y, fill)), "");
    EXPECT_EQ(y, (std::vector<float>{3, 4, 5, 6}));
  }
}

// The rest of an array with one value is zero.
TEST(ConstantArrays, WithSomeValuesAreZeroInTheRest) {
  WARPSCOPE_COMPILE(ptx, std::string("__constant__ float table[4] = {7};\n") + kReader);
  std::vector<float> y(4);
  EXPECT_EQ(faults_text(run_constant(ptx, y, false)), "");
  EXPECT_EQ(y, (std::vector<float>{8, 1, 1, 1}));
}

TEST(ConstantArrays, ThatTheKernelDoesNotReadAreNotNamed) {
  WARPSCOPE_COMPILE(ptx,
                    "__constant__ float other[4];\n__constant__ float table[4] = {1};\n"
                    "extern \"C\" __global__ void unused(float* y) { *y = other[1]; }\n" +
                        std::string(kReader));
  std::vector<float> y(4);
  EXPECT_EQ(faults_text(run_constant(ptx, y, false)), "");
}

}  // namespace
}  // namespace warpscope

#endif
