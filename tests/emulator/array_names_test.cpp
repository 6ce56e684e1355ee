// tests/emulator/array_names_test.cpp: findings name arrays as the source does.
#include <map>
#include <tuple>

#include "profiling/emulator/ptx/source_arrays.h"
#include "profiling/emulator/ptx/symbol_name.h"
#include "tests/emulator/fixture.h"

namespace warpscope {
namespace {

TEST(ArrayNames, AreThoseOfTheSource) {
  const std::pair<const char*, const char*> rows[] = {
      {"tile", "tile"},
      {"_ZZ1kE1s", "s"},
      {"_ZZ9transposeIfEvPKfPfE4tile", "tile"},
      {"_ZZN7filters6smoothILi3EEEvPfE4edge", "edge"},
      {"_ZZN12_GLOBAL__N_14sumsEPfE4part", "part"},
      {"_ZN7filters5tableE", "filters::table"},
      {"_ZN31_INTERNAL_00000000_4_t_cu_zeros7filters5tableE", "filters::table"},
      {"_ZN4rows4partE_$_2_$_3", "rows::part_$_2_$_3"},
      {"_Znothing", "_Znothing"}};
  for (const auto& [symbol, name] : rows) EXPECT_EQ(shown_name(symbol), name);
}

TEST(ArrayNames, ExtentsAndValuesAreReadFromTheSource) {
  const auto arrays = source_arrays(R"(
#define TILE 32
// __shared__ int commented[4][4];
constexpr int kRows = TILE / 2, kPad = 1;
enum { kColumns = 3 };
const char* text = "__shared__ int quoted[2][2];";
namespace filters {
__constant__ float weights[4] = {0};
static __constant__ int empty[2 * kPad + 1];
__device__ int counts[kColumns][kRows + kPad][(2)];
}
template <int T> __global__ void k(float* x) {
  __shared__ float tile[TILE][TILE + 1], other[T][T + 1];
  extern __shared__ int dynamic[];
  int local[3][3];
  tile[1][0] = 2;
})");
  const std::map<std::string, SourceArray, std::less<>> expected = {
      {"weights", {{4}, true}},    {"empty", {{3}, false}},    {"counts", {{3, 17, 2}, false}},
      {"tile", {{32, 33}, false}}, {"other", {{0, 0}, false}}, {"dynamic", {{0}, false}}};
  EXPECT_EQ(arrays, expected);
  EXPECT_EQ(index_text(arrays.at("tile"), 33), "[1][0]");
  EXPECT_EQ(index_text(arrays.at("counts"), 36), "[1][1][0]");
  EXPECT_EQ(index_text(arrays.at("other"), 36), "[36]");
  EXPECT_EQ(index_text(arrays.at("tile"), -2), "[-2]");
  EXPECT_EQ(element_bytes(arrays.at("tile"), 32 * 33 * 8), 8);
}

TEST(ArrayNames, ArraysOfOneNameThatDifferAreNotGuessed) {
  const auto arrays = source_arrays(
      "__global__ void a() { __shared__ int s[4][5]; }\n__global__ void b() { __shared__ int "
      "s[5][4]; }");
  EXPECT_EQ(arrays.count("s"), 0u);
}

#ifdef WARPSCOPE_WITH_COMPILER

TEST(ArrayNames, FindingsHaveThem) {
  const std::tuple<const char*, const char*, const char*> rows[] = {
      {"template <typename T> __device__ void turn(const T* x, T* y) {\n"
       "  __shared__ T tile[32][33];\n  int t = threadIdx.x;\n  tile[0][t & 31] = x[t & 31];\n"
       "  if (t == 7) tile[1][0] = 1;\n  if (t == 40) y[0] = tile[1][0];\n}\n",
       "turn(x, y)", "reads tile[1][0], which thread (7, 0, 0) also accesses"},
      {"namespace rows { __shared__ double part[4][16]; }\n",
       "if (threadIdx.x == 7) rows::part[blockDim.x / 32][3] = x[7]; if (threadIdx.x == 40) y[0] = "
       "rows::part[2][3]",
       "reads rows::part[2][3], which thread (7, 0, 0) also accesses"},
      {"",
       "__shared__ float flat[64]; if (threadIdx.x == 7) flat[blockDim.x / 7] = x[7];"
       "if (threadIdx.x == 40) y[0] = flat[blockDim.x / 7]",
       "reads flat[9], which thread (7, 0, 0) also accesses"}};
  for (const auto& [before, body, words] : rows) {
    SCOPED_TRACE(words);
    const std::string source = std::string(before) +
                               "extern \"C\" __global__ void k(const float* x, float* y) {\n  " +
                               body + ";\n}";
    WARPSCOPE_COMPILE(ptx, source);
    std::vector<float> x(64), y(64);
    Bench bench;
    bench.add("x", x);
    bench.add("y", y);
    const Trace trace = bench.run(ptx, launch_of(1, 64), "k", "test.cu", source);
    ASSERT_FALSE(trace.faults.empty());
    EXPECT_NE(faults_text(trace).find(words), std::string::npos) << faults_text(trace);
  }
}

// The text says what PTX does not: that zeros are meant.
TEST(ArrayNames, ConstantsWithValuesOfZeroAreKnownByTheSource) {
  const std::string source =
      "__constant__ float zeros[4] = {0};\n"
      "extern \"C\" __global__ void k(float* y) { y[threadIdx.x] = zeros[threadIdx.x]; }";
  WARPSCOPE_COMPILE(ptx, source);
  for (const bool known : {true, false}) {
    std::vector<float> y(4);
    Bench bench;
    bench.add("y", y);
    const Trace trace =
        bench.run(ptx, launch_of(1, 4), "k", "test.cu", known ? source : std::string());
    EXPECT_EQ(trace.faults.empty(), known) << faults_text(trace);
  }
}

#endif

}  // namespace
}  // namespace warpscope
