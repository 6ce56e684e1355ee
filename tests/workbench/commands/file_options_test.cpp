// tests/workbench/commands/file_options_test.cpp: arguments, limits, spills and folders of a file
// of the person's own, by the command.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/folders.h"
#include "tests/workbench/commands/run_warpscope.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class FileOptions : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(built_program("warpscope-engine"))) GTEST_SKIP() << "the engine is not built";
    folder_ = fs::temp_directory_path() / ("warpscope-file-options-" + std::to_string(::getpid()));
    fs::create_directories(folder_ / "own");
    fs::create_directories(folder_ / "other");
    fs::create_directories(folder_ / "config");
    const std::string file = write("own/empty.cu", "#include <vector>\n__global__ void k() {}\n");
    if (run_warpscope("kernels " + file).status == 3) GTEST_SKIP() << "there is no nvcc here";
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return path(name);
  }
  // With a configuration folder of its own.
  WarpscopeRun run(const std::string& arguments) const {
    return run_warpscope(arguments, "XDG_CONFIG_HOME=" + path("config") + " ");
  }
  fs::path folder_;
};

const char* const kProduct =
    R"(extern "C" __global__ void spmv(const int* begins, const int* columns,
    const float* values, const float* x, float* y, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int e = begins[row]; e < begins[row + 1]; ++e) sum += values[e] * x[columns[e]];
  y[row] = sum - sum + (begins[row + 1] - begins[row]);
}
)";

// Every element of a matrix of density 1 is there: each row has as many as there are columns.
TEST_F(FileOptions, ASparseMatrixIsThreeFills) {
  const std::string kernel = write("own/spmv.cu", kProduct);
  const std::string numbers = " rows=5 columns=7 density=1'";
  const WarpscopeRun by_words =
      run("trace --source " + kernel + " --block 32 --arg begins='i32[]:csr indptr" + numbers +
          " --arg columns='i32[35]:csr indices" + numbers + " --arg values='f32[]:csr values" +
          numbers + " --arg x=f32[7]:one --arg y=f32[5]:unset --arg rows=i32:5 --print y[0:5]");
  EXPECT_EQ(by_words.status, 0) << by_words.said;
  EXPECT_THAT(by_words.said, HasSubstr("y[0:5] = 7 7 7 7 7\n"));
  const std::string launch = write("own/launch.toml", R"toml(source = "spmv.cu"
kernel = "spmv"
grid = ["ceil_div(m, 32)"]
block = [32]
[let]
m = 40
k = 9
[[argument]]
name = "begins"
type = "i32"
fill = "csr indptr rows=m columns=k density=1/4 seed=3"
[[argument]]
name = "columns"
type = "i32"
fill = "csr indices rows=m columns=k density=1/4 seed=3"
[[argument]]
name = "values"
fill = "csr values rows=m columns=k density=1/4 seed=3"
[[argument]]
name = "x"
count = "k"
fill = "one"
[[argument]]
name = "y"
count = "m"
fill = "unset"
[[argument]]
name = "rows"
value = "i32:m"
)toml");
  const WarpscopeRun by_file = run("trace --launch " + launch);
  EXPECT_EQ(by_file.status, 0) << by_file.said;
}

TEST_F(FileOptions, AnArgumentHasAll64BitsAndABufferGigabytes) {
  const std::string kernel =
      write("own/wide.cu",
            "extern \"C\" __global__ void wide(float* x, unsigned long long n,\n"
            "    unsigned long long* seen) {\n"
            "  x[threadIdx.x * (1ull << 24)] = 1;\n"
            "  if (threadIdx.x == 0) seen[0] = n >> 32, seen[1] = n & 0xffffffff;\n}\n");
  const WarpscopeRun ran =
      run("trace --source " + kernel +
          " --block 64 --arg x=f32[1073741824]:zero --arg n=u64:18446744073709551614 "
          "--arg seen=u64[2]:unset --print seen[0:2] --print x[16777216]");
  EXPECT_EQ(ran.status, 0) << ran.said;
  EXPECT_THAT(ran.said, AllOf(HasSubstr("seen[0:2] = 4294967295 4294967294\n"),
                              HasSubstr("x[16777216:16777217] = 1\n")));
}

TEST_F(FileOptions, WholeNumbersOf64BitsHaveTheirSignAndAllDigits) {
  const std::string kernel =
      write("own/digits.cu",
            "__global__ void digits(unsigned long long* u, long long* s) {\n"
            "  u[threadIdx.x] = 0xffffffffffffffffull - threadIdx.x;\n"
            "  s[threadIdx.x] = -9007199254740993ll - threadIdx.x;\n}\n"
            "int main() {\n  unsigned long long* u;\n  long long* s;\n"
            "  cudaMalloc(&u, 2 * sizeof(*u));\n  cudaMalloc(&s, 2 * sizeof(*s));\n"
            "  digits<<<1, 2>>>(u, s);\n}\n");
  const auto told = AllOf(HasSubstr("u[0:2] = 18446744073709551615 18446744073709551614\n"),
                          HasSubstr("s[0:2] = -9007199254740993 -9007199254740994\n"));
  const WarpscopeRun read = run("trace " + kernel + " --print u[0:2] --print s[0:2]");
  EXPECT_EQ(read.status, 0) << read.said;
  EXPECT_THAT(read.said, told);
  const std::string reference = write("own/u.raw", std::string("\xff\xff\xff\xff\xff\xff\xff\xff"
                                                               "\xff\xff\xff\xff\xff\xff\xff\xff",
                                                               16));
  const std::string call =
      "trace --source " + kernel +
      " --block 2 --arg u=u64[2]:unset --arg s=i64[2]:unset --print u[0:2] --print s[0:2] "
      "--expect u=" +
      reference;
  const WarpscopeRun given = run(call);
  EXPECT_EQ(given.status, 1) << given.said;
  EXPECT_THAT(given.said, told);
  EXPECT_THAT(given.said, HasSubstr("u[1] is 18446744073709551614, expected 18446744073709551615, "
                                    "off by 1"));
  // 1e-15 of 2^64 - 1 is 18447.
  const WarpscopeRun near = run(call + " --rtol 1e-15");
  EXPECT_EQ(near.status, 0) << near.said;
  EXPECT_THAT(near.said, HasSubstr("all 2 elements of u are as expected; 50 % are bit-equal"));
}

TEST_F(FileOptions, SpilledRegistersAreAFindingWithALine) {
  const std::string kernel = write("own/heavy.cu", R"(#include <cstdio>
__global__ void __launch_bounds__(1024) heavy(const float* x, float* y, int n) {
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
)");
  const WarpscopeRun ran = run("trace --source " + kernel +
                               " --kernel heavy --block 1024 --arg f32[65536]:random "
                               "--arg f32[65536]:unset --arg i32:2");
  EXPECT_EQ(ran.status, 0) << ran.said;
  EXPECT_THAT(ran.said, HasSubstr("spilled registers, at heavy.cu:"));
  EXPECT_THAT(ran.said, AllOf(HasSubstr("more than the 64 registers"),
                              HasSubstr(" B per thread, where each"), HasSubstr("by line: ")));
}

TEST_F(FileOptions, AFolderIsAllowedOnceAndRemembered) {
  write("other/factor.h", "#define FACTOR 3\n");
  const std::string kernel =
      write("own/scaled.cu",
            "#include \"../other/factor.h\"\n"
            "extern \"C\" __global__ void scaled(float* x) { x[threadIdx.x] *= FACTOR; }\n");
  const std::string call = "trace --source " + kernel + " --block 8 --arg f32[8]:one";
  const WarpscopeRun refused = run(call);
  EXPECT_EQ(refused.status, 2) << refused.said;
  EXPECT_THAT(refused.said,
              AllOf(HasSubstr("outside the kernel's folder"), HasSubstr("--allow-include")));
  const WarpscopeRun once = run(call + " -I " + path("other"));
  EXPECT_EQ(once.status, 0) << once.said;
  EXPECT_EQ(run(call).status, 2) << "-I is for one run";
  const WarpscopeRun allowed = run(call + " --allow-include " + path("other"));
  EXPECT_EQ(allowed.status, 0) << allowed.said;
  const WarpscopeRun later = run(call);
  EXPECT_EQ(later.status, 0) << later.said;
  EXPECT_EQ(run(call + " --allow-include " + path("absent")).status, 2);
}

// A launch file may come from anybody: it grants itself nothing.
TEST_F(FileOptions, ALaunchFileNamesNothingOutsideOfItsFolderWithoutAGrant) {
  write("own/twice.cu", "extern \"C\" __global__ void twice(float* x) { x[threadIdx.x] *= 2; }\n");
  write("other/factor.h", "\n");
  write("other/x.raw", std::string(32, '\0'));
  const std::string head = "source = \"twice.cu\"\nblock = [8]\n",
                    buffer = "[[argument]]\nname = \"x\"\ntype = \"f32\"\n";
  const std::string texts[] = {
      head + "include = [\"../other\"]\n" + buffer + "count = 8\n",
      head + buffer + "file = \"../other/x.raw\"\n",
      head + buffer + "count = 8\nout = \"../other/y.npy\"\n",
      head + buffer + "count = 8\nexpect = \"" + path("other/x.raw") + "\"\n",
      "source = \"../other/factor.h\"\nblock = [8]\n" + buffer + "count = 8\n"};
  for (const std::string& text : texts) {
    const std::string launch = write("own/launch.toml", text);
    const WarpscopeRun refused = run("trace --launch " + launch);
    EXPECT_EQ(refused.status, 2) << text << refused.said;
    EXPECT_THAT(refused.said,
                AllOf(HasSubstr("which is outside its folder"), HasSubstr("--allow-include")))
        << text;
    EXPECT_FALSE(fs::exists(path("other/y.npy")));
  }
  const std::string launch = write("own/launch.toml", texts[0]);
  const WarpscopeRun allowed = run("trace --launch " + launch + " -I " + path("other"));
  EXPECT_EQ(allowed.status, 0) << allowed.said;
}

TEST_F(FileOptions, KernelsRunWithoutTheHeadersOfTheirHostCode) {
  const std::string kernel = write("own/extension.cu", R"(#include <torch/extension.h>
#include "helper_nowhere.h"
template <typename T>
__global__ void doubled(const T* x, T* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  doubled<float><<<4, 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), 250);
  return y;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward); }
)");
  const WarpscopeRun ran = run("trace " + kernel);
  EXPECT_EQ(ran.status, 0) << ran.said;
  EXPECT_THAT(ran.said, AllOf(HasSubstr("doubled<float>"), HasSubstr("4.00 sectors per request"),
                              HasSubstr("only the device part was compiled")));
  const std::string wrong = write("own/wrong.cu",
                                  "#include \"helper_nowhere.h\"\n"
                                  "__global__ void k(int* x) { x[0] = not_there; }\n");
  const WarpscopeRun refused = run("trace " + wrong);
  EXPECT_EQ(refused.status, 2) << refused.said;
  EXPECT_THAT(refused.said, AllOf(HasSubstr("identifier \"not_there\" is undefined"),
                                  HasSubstr("helper_nowhere.h is not here")));
}

}  // namespace
}  // namespace warpscope
