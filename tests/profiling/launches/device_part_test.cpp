// tests/profiling/launches/device_part_test.cpp: what of a text a GPU needs, on its own lines.
#include "profiling/launches/device_part.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace warpscope {
namespace {

const std::string kText = R"(#include <torch/extension.h>
#include "own.h"
#define CHECK(x) if (!(x)) { std::abort(); }
cublasHandle_t handle;
const int kTile = 16;
constexpr int twice(int v) { return 2 * v; }
struct Point { float x, y; Point() {} };
namespace net {
template <typename T>
__device__ T square(T v) { return v * v; }
template <typename T> __global__ void scale(T* x, int n) {
  __shared__ T s[kTile];  // } {
  if (threadIdx.x < n) x[threadIdx.x] = square(x[threadIdx.x]) * T('}' == '{' ? 2 : 1);
}
template <typename T>
void launch(torch::Tensor x) {
  scale<T><<<1, 32>>>(x.data_ptr<T>(), 5);
#ifdef DEBUG
  std::puts("a } brace");
#endif
}
}
extern "C" __global__ void plain(float* x) { x[0] = R"x(})x"[0]; }
torch::Tensor forward(torch::Tensor x);
static int counts[4] = {1, 2, 3, 4};
__constant__ float table[4] = {1, 2, 3, 4};
int main(int argc, char** argv) { return forward({}).size(0); }
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward); }
)";

TEST(DevicePart, KeepsKernelsTypesAndConstantsAndLeavesTheHostPartOut) {
  const std::string part = device_part(kText, {"torch/extension.h"});
  for (const char* kept : {"#include \"own.h\"", "#define CHECK", "const int kTile = 16;",
                           "constexpr int twice", "struct Point", "namespace net {",
                           "__device__ T square", "scale(T* x, int n)", "square(x[threadIdx.x])",
                           "#ifdef DEBUG", "void plain(float* x)", "__constant__ float table"})
    EXPECT_NE(part.find(kept), std::string::npos) << kept << "\n" << part;
  for (const char* gone : {"extension.h", "cublasHandle_t", "torch::", "<<<", "puts", "counts[4]",
                           "main", "PYBIND11_MODULE", "template <typename T>\nvoid"})
    EXPECT_EQ(part.find(gone), std::string::npos) << gone << "\n" << part;
}

TEST(DevicePart, EveryLineStaysWhereItIs) {
  const std::string part = device_part(kText, {"torch/extension.h"});
  EXPECT_EQ(part.size(), kText.size());
  for (std::size_t at = 0; at < kText.size(); ++at) {
    ASSERT_EQ(part[at] == '\n', kText[at] == '\n') << at;
    ASSERT_TRUE(part[at] == kText[at] || part[at] == ' ') << at;
  }
}

TEST(DevicePart, BrokenTextsEnd) {
  for (const std::string text :
       {"{", "(", "\"", "/*", "R\"(", "'", "#", "#include \"x\" \\", "namespace {", "} } }",
        "template <", "void f(", "=", "f() { \\"}) {
    EXPECT_EQ(device_part(text, {"x"}).size(), text.size()) << text;
  }
  EXPECT_EQ(device_part(std::string(100000, '{'), {}).size(), 100000u);
}

TEST(DevicePart, ACompilersLogNamesTheIncludeThatIsMissing) {
  EXPECT_EQ(missing_include("a.cu:33:10: fatal error: helper_cuda.h: No such file or directory\n"),
            "helper_cuda.h");
  EXPECT_EQ(missing_include("a.cu(3): catastrophic error: cannot open source file \"torch/a.h\"\n"),
            "torch/a.h");
  EXPECT_EQ(missing_include("a.cu(3): error: identifier \"x\" is undefined"), "");
}

}  // namespace
}  // namespace warpscope
