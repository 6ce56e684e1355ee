// tests/scenes/program/parts_of_programs_test.cpp: files that are a part of a program, and programs
// whose constants stand in headers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenes/program/program.h"
#include "tests/scenes/program/shown_program.h"

namespace warpscope {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

TEST(PartsOfPrograms, ConstantsMacrosAndFunctionsOfAHeaderAreKnown) {
  const char* const text = R"(#include "sizes.h"
__global__ void twice(Value* x, int n) {
  int i = blockIdx.x * TILE + threadIdx.x;
  if (i < n) x[i] *= 2;
}
int main() {
  Value* d;
  cudaMalloc(&d, kCount * sizeof(Value));
  twice<<<blocks_for(kCount), TILE>>>(d, kCount);
}
)";
  const HeaderTexts headers = {{"sizes.h", R"(#pragma once
#include "deeper.h"
#define DIV(a, b) (((a) + (b) - 1) / (b))
constexpr int kCount = 1000;
inline int blocks_for(int n) { return DIV(n, TILE); }
__global__ void of_the_header(int* x) { *x = 1; }
)"},
                               {"deeper.h", "#define TILE 64\ntypedef double Value;\n"}};
  const HostProgram program = read_program(text, headers);
  ASSERT_THAT(program.kernels, SizeIs(1)) << "the header's kernel is not the file's own";
  ASSERT_THAT(program.launches, SizeIs(1));
  const ProposedLaunch& launch = program.launches[0];
  EXPECT_EQ(launch.grid[0].value, 16);  // of ceil(1000 / 64)
  EXPECT_EQ(launch.block[0].value, 64);
  EXPECT_EQ(launch.line, 9);
  ASSERT_THAT(program.buffers, SizeIs(1));
  EXPECT_EQ(program.buffers[0].type, "f64");
  EXPECT_EQ(program.buffers[0].count.value, 1000);
  EXPECT_TRUE(read_program(text).launches[0].grid[0].asked) << "without the header";
}

// A large library is not read to its end: its namespace does not go on in the text.
TEST(PartsOfPrograms, AHeaderThatIsCutOffLeavesNoNamespaceOpen) {
  std::string library = "namespace lib {\nstruct S {\n";
  for (int i = 0; i < 20'000; ++i) library += "int f" + std::to_string(i) + "(int a);\n";
  library += "};\n}\n";
  const HostProgram program = read_program(
      "#include \"lib.h\"\n__global__ void k(float* x) { x[threadIdx.x] = 1; }\n"
      "int main() { float* x; cudaMalloc(&x, 128); k<<<1, 32>>>(x); }\n",
      {{"lib.h", library}});
  ASSERT_THAT(program.kernels, SizeIs(1));
  EXPECT_EQ(program.kernels[0].qualified, "k");
  ASSERT_THAT(program.launches, SizeIs(1));
  EXPECT_EQ(program.buffers.at(0).count.value, 32);
}

TEST(PartsOfPrograms, AKernelOfAHeaderThatTheTextLaunchesIsItsOwnToo) {
  const HostProgram program = read_program(
      "#include \"k.h\"\n__global__ void own(int* x) { *x = 2; }\nint main() {\n  int* x;\n"
      "  cudaMalloc(&x, 4);\n  run(x);\n  own<<<1, 1>>>(x);\n}\n",
      {{"k.h",
        "__global__ void fetched(int* x) { *x = 1; }\n"
        "inline void run(int* x) { fetched<<<2, 32>>>(x); }\n"}});
  ASSERT_THAT(program.launches, SizeIs(2));
  EXPECT_EQ(program.launches[0].kernel, "fetched");
  EXPECT_EQ(program.launches[0].line, 6) << "the line of the text that calls it";
  EXPECT_EQ(program.launches[0].block[0].value, 32);
}

const char* const kBlur = R"(__constant__ float weights[9];
__constant__ float given[2] = {1, 2};
__global__ void blur(const float* in, float* out, int w, int h) {
  const int x = blockIdx.x * 128 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  for (int k = 0; k < 128; k += 16) out[y * w + x + k] = weights[k % 9] * given[k % 2] * in[y * w + x + k];
}
void set_weights(const float* host) { cudaMemcpyToSymbol(weights, host, sizeof(weights)); }
void run_blur(const float* in, float* out, int w, int h) {
  dim3 threads(16, 4);
  blur<<<dim3(w / 128, h / 4), threads>>>(in, out, w, h);
}
)";

TEST(PartsOfPrograms, AConstantThatAnotherFileFillsHasValues) {
  const HostProgram part = read_program(kBlur);
  ASSERT_THAT(part.launches, SizeIs(1));
  ASSERT_THAT(part.launches[0].constants, SizeIs(1)) << "the other one has its values in the text";
  EXPECT_EQ(part.launches[0].constants[0].symbol, "weights");
  const ProposedBuffer* const weights = part.buffer(part.launches[0].constants[0].buffer);
  ASSERT_NE(weights, nullptr);
  EXPECT_EQ(weights->count.value, 9);
  EXPECT_EQ(weights->fill.value, ProposedFill::random);
  // A whole program that forgets to fill it has a mistake, which is shown.
  const HostProgram whole = read_program(
      "__constant__ float weights[9];\n"
      "__global__ void k(float* x) { x[0] = weights[0]; }\n"
      "int main() { float* x; cudaMalloc(&x, 4); k<<<1, 1>>>(x); }\n");
  EXPECT_THAT(whole.launches.at(0).constants, IsEmpty());
}

TEST(PartsOfPrograms, ABufferOfUnknownSizeHoldsWhatTheGridCovers) {
  const HostProgram part = read_program(kBlur);
  double w = 0, h = 0;
  for (const ProposedSize& size : part.sizes) {
    if (size.name == "w") w = size.value;
    if (size.name == "h") h = size.value;
  }
  ASSERT_GE(w, 128);
  // Eight elements per thread: not one.
  EXPECT_EQ(part.buffer("in")->count.value, w * h);
  EXPECT_TRUE(part.buffer("in")->count.asked);
}

const char* const kSort = R"(static unsigned* ranks;
__global__ void pass(unsigned* d, const unsigned* r, unsigned stride, unsigned n) { d[0] = r[0] + stride + n; }
static void one_pass(unsigned* d, unsigned stride, unsigned n) {
  pass<<<n / (2 * stride), 128>>>(d, ranks, stride, n);
}
void begin_sort() { cudaMalloc(&ranks, 32768 * sizeof(unsigned)); }
void sort(unsigned* d, unsigned n) {
  for (unsigned stride = 1024; stride < n; stride *= 2) one_pass(d, stride, n);
}
)";

TEST(PartsOfPrograms, AreFollowedFromTheFunctionsThatNothingCalls) {
  const HostProgram part = read_program(kSort);
  ASSERT_THAT(part.launches, SizeIs(1));
  const ProposedLaunch& launch = part.launches[0];
  EXPECT_EQ(launch.arguments[2].value.value, 1024) << "the loop's, not a guess of its own";
  // The unknown n is so large that the loop is entered.
  EXPECT_GT(launch.arguments[3].value.value, 1024);
  EXPECT_EQ(launch.grid[0].value, launch.arguments[3].value.value / 2048);
  EXPECT_GE(launch.grid[0].value, 1);
}

// sort() passes its second buffer to a function that calls its own parameter like the third one.
TEST(PartsOfPrograms, ABufferHasItsNameInTheFunctionThatBegins) {
  EXPECT_THAT(shown(read_program(R"__(
__global__ void first(unsigned* to, const unsigned* from) { to[threadIdx.x] = from[threadIdx.x]; }
__global__ void second(unsigned* ranks, const unsigned* from) { ranks[threadIdx.x] = from[0]; }
static void ranked(unsigned* ranks, const unsigned* src) { second<<<1, 32>>>(ranks, src); }
static void sorted(unsigned* dst, const unsigned* src) { first<<<1, 32>>>(dst, src); }
extern "C" void sort(unsigned* ranks, unsigned* dst, unsigned* src, int odd) {
  unsigned* key;
  if (odd == 0) { key = dst; } else { key = dst; }
  sorted(dst, src);
  ranked(ranks, key);
})__")),
              testing::IsSupersetOf(
                  {"first<<<[1], [32]>>>(dst, src)", "second<<<[1], [32]>>>(ranks, dst)"}));
}

// The device function calls the library's function of the same name.
TEST(PartsOfPrograms, ADeviceFunctionCallsNoFunctionThatLaunches) {
  EXPECT_THAT(shown(read_program(R"__(
template <class T, int block> __global__ void sum(T* out) { out[threadIdx.x] = block; }
template <class T> __device__ T sum_of(T value) { return cg::reduce(value, cg::plus<T>()); }
template <class T> void reduce(int blocks, T* out) { sum<T, 64><<<blocks, 64>>>(out); }
)__")),
              testing::Contains(testing::StartsWith("sum<float, 64><<<")));
}

TEST(PartsOfPrograms, AnUnknownSizeIsSoLargeThatTheGridHasBlocks) {
  const HostProgram program = read_program(
      "__global__ void k(float* x) { x[blockIdx.x * 256 + threadIdx.x] += 1; }\n"
      "int main(int argc, char** argv) {\n  int length = atoi(argv[1]), size = 1024;\n"
      "  int threads = length / size;\n  float* x;\n  cudaMalloc(&x, threads * sizeof(float));\n"
      "  k<<<threads / 256, 256>>>(x);\n}\n");
  ASSERT_EQ(program.launches.size(), 1u);
  EXPECT_GE(program.launches[0].grid[0].value, 1);
  EXPECT_EQ(program.buffers.at(0).count.value, 256 * program.launches[0].grid[0].value);
}

// The small kernel keeps the whole array in shared memory: a larger size would leave it.
TEST(PartsOfPrograms, ASizeStaysWithinTheConditionOfItsLaunch) {
  for (const char* guard : {"if (batch > 0 && (length <= MOST)) ", "assert(length < MOST + 1); "}) {
    const HostProgram program = read_program(
        std::string("#define MOST 1024\n"
                    "__global__ void small(int* x, unsigned n) { __shared__ int s[MOST]; s[0] = n; "
                    "x[blockIdx.x] = s[0]; }\n"
                    "__global__ void large(int* x, unsigned n) { x[n] = 1; }\n"
                    "void sort(int* x, unsigned batch, unsigned length) {\n  ") +
        guard +
        "{ small<<<batch * length / MOST, MOST / 2>>>(x, length); }\n"
        "  for (unsigned size = 2 * MOST; size <= length; size *= 2)\n"
        "    large<<<batch * length / 512, 256>>>(x, size);\n}\n");
    ASSERT_FALSE(program.launches.empty());
    EXPECT_EQ(program.launches[0].kernel, "small");
    EXPECT_LE(program.launches[0].arguments.at(1).value.value, 1024) << guard;
  }
}

TEST(PartsOfPrograms, AConstantThatADeviceFunctionReadsIsOfTheKernelThatCallsIt) {
  const HostProgram program = read_program(
      "__constant__ float table[4];\n"
      "__device__ float weight(int i) { return table[i]; }\n"
      "__device__ float twice(int i) { return 2 * weight(i); }\n"
      "__global__ void k(float* x) { x[threadIdx.x] = twice(threadIdx.x % 4); }\n"
      "__global__ void other(float* x) { x[threadIdx.x] = 1; }\n"
      "void run(float* x) { k<<<1, 32>>>(x); other<<<1, 32>>>(x); }\n");
  ASSERT_THAT(program.launches, SizeIs(2));
  ASSERT_THAT(program.launches[0].constants, SizeIs(1));
  EXPECT_EQ(program.launches[0].constants[0].symbol, "table");
  EXPECT_THAT(program.launches[1].constants, IsEmpty());
}

// Each step writes what was the oldest field: the kernel writes to all three.
TEST(PartsOfPrograms, PointersThatChangePlacesAreWrittenAlike) {
  const HostProgram program = read_program(
      "__global__ void steps(float* a, float* b, float* c, const float* w, int n) {\n"
      "  for (int s = 0; s < n; ++s) {\n    c[threadIdx.x] = w[s] * (b[threadIdx.x] - "
      "a[threadIdx.x]);\n"
      "    float* oldest = a; a = b; b = c; c = oldest;\n  }\n}\n");
  ASSERT_THAT(program.kernels, SizeIs(1));
  for (const std::size_t p : {0U, 1U, 2U}) {
    EXPECT_TRUE(program.kernels[0].parameters.at(p).written) << p;
    EXPECT_TRUE(program.kernels[0].parameters.at(p).read) << p;
  }
  EXPECT_FALSE(program.kernels[0].parameters.at(3).written);
}

TEST(PartsOfPrograms, SizesThatDivideEachOtherAreNotMultipliedForABuffer) {
  const HostProgram program = read_program(
      "__global__ void merge(int* limits, int stride, int n) { limits[blockIdx.x] = stride; }\n"
      "void merge_all(int* limits, int stride, int n) {\n"
      "  int rest = n % (2 * stride);\n"
      "  merge<<<(n - rest) / 128, 128>>>(limits, stride, n);\n}\n");
  ASSERT_THAT(program.launches, SizeIs(1));
  const double threads = program.launches[0].grid[0].value * 128;
  ASSERT_NE(program.buffer("limits"), nullptr);
  EXPECT_LE(program.buffer("limits")->count.value, 64 * threads);
}

TEST(PartsOfPrograms, HaveTheBuffersThatAFunctionOfTheirsAllocates) {
  const HostProgram part = read_program(kSort);
  ASSERT_NE(part.buffer("ranks"), nullptr);
  EXPECT_EQ(part.buffer("ranks")->count.value, 32768);
  EXPECT_FALSE(part.buffer("ranks")->count.asked);
}

}  // namespace
}  // namespace warpscope
