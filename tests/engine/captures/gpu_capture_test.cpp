// tests/engine/captures/gpu_capture_test.cpp: a program of nvcc's, captured on a GPU, replayed and
// emulated: the memory afterwards is the program's, byte for byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "profiling/engine/compile/nvcc.h"
#include "tests/engine/gpu_fixture.h"
#include "tests/folders.h"
#include "tests/scenes/folder_parts.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

// A template with dynamic shared memory, a structure by value and a __constant__ array.
constexpr const char* kProgram = R"(
#include <cstdio>
__constant__ float scale[4];
struct Span { const float* data; int rows, columns; };
template <typename T, int kThreads>
__global__ void row_sums(Span in, T* out) {
  extern __shared__ unsigned char raw[];
  T* part = reinterpret_cast<T*>(raw);
  T sum = 0;
  for (int i = threadIdx.x; i < in.columns; i += kThreads)
    sum += T(in.data[size_t(blockIdx.x) * in.columns + i]) * T(scale[i & 3]);
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int s = kThreads / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
int main() {
  const int rows = 300, columns = 1000;
  const float s[4] = {1, 2, 3, 4};
  cudaMemcpyToSymbol(scale, s, sizeof s);
  float* h = new float[rows * columns];
  for (int i = 0; i < rows * columns; ++i) h[i] = float(i % 97) / 8;
  float* in;
  double* out;
  cudaMalloc(&in, 4 * rows * columns);
  cudaMalloc(&out, 8 * rows);
  cudaMemcpy(in, h, 4 * rows * columns, cudaMemcpyHostToDevice);
  for (int i = 0; i < 2; ++i) row_sums<double, 128><<<rows, 128, 128 * 8>>>(Span{in, rows, columns}, out);
  double r[2];
  cudaMemcpy(r, out, sizeof r, cudaMemcpyDeviceToHost);
  printf("%.3f\n", r[1]);
}
)";

class GpuCaptureTest : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    const auto nvcc = find_nvcc();
    if (!nvcc) GTEST_SKIP() << sentence(nvcc.error());
    folder_.write("sums.cu", kProgram);
    ASSERT_EQ(ran("nvcc -arch=sm_" + std::to_string(device_->description().compute_capability) +
                  " -lineinfo -std=c++17 sums.cu -o sums"),
              0)
        << output();
  }

  int ran(const std::string& command) const {
    const int status =
        std::system(("cd '" + folder_.path().string() + "' && PATH=$PATH:/usr/local/cuda/bin && (" +
                     command + ") >out 2>&1 </dev/null")
                        .c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  }
  int warpscope(const std::string& words) const {
    return ran("'" + built_program("warpscope") + "' " + words);
  }
  std::string output() const { return folder_.text("out"); }

  OwnFolder folder_{"gpu_capture"};
};

TEST_F(GpuCaptureTest, AReplayEqualsTheProgramByteForByte) {
  ASSERT_EQ(ran("./sums"), 0);
  const std::string alone = output();
  ASSERT_EQ(warpscope("capture --kernel row_sums --launch 1 --out a.wcap -- ./sums"), 0)
      << output();
  EXPECT_THAT(output(), HasSubstr(alone));
  EXPECT_THAT(output(), HasSubstr("PTX in the program's own code"));
  EXPECT_EQ(warpscope("verify a.wcap"), 0) << output();
  EXPECT_THAT(output(), HasSubstr("every bit of"));
  EXPECT_EQ(warpscope("measure a.wcap"), 0) << output();
  EXPECT_THAT(output(), HasSubstr("correct"));
}

TEST_F(GpuCaptureTest, AListCountsEveryLaunch) {
  ASSERT_EQ(warpscope("capture -- ./sums"), 0) << output();
  EXPECT_THAT(output(), HasSubstr("       2  void row_sums<double, 128>(Span, double*)"));
}

}  // namespace
}  // namespace warpscope
