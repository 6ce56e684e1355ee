// tests/engine/captures/gpu_capture_test.cpp: a program of nvcc's, captured on a GPU, replayed and
// emulated: the memory afterwards is the program's, byte for byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
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

// The first kernel waits for a flag that the second one sets, which the same thread launches later.
// Both are loaded before: loading may wait for the device.
constexpr const char* kWaiting = R"(
#include <cstdio>
__global__ void wait_for_flag(volatile int* flag, int* out) {
  while (*flag == 0) {}
  *out = 42;
}
__global__ void set_flag(volatile int* flag) { *flag = 1; }
int main(int count, char**) {
  int* flag;
  cudaMalloc(&flag, 256);
  cudaMemset(flag, 0, 256);
  cudaStream_t first, second;
  const unsigned kind = count > 1 ? cudaStreamDefault : cudaStreamNonBlocking;
  cudaStreamCreateWithFlags(&first, kind);
  cudaStreamCreateWithFlags(&second, kind);
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, wait_for_flag);
  cudaFuncGetAttributes(&attributes, set_flag);
  cudaDeviceSynchronize();
  wait_for_flag<<<1, 1, 0, first>>>(flag, flag + 1);
  set_flag<<<1, 1, 0, second>>>(flag);
  cudaDeviceSynchronize();
  int result = 0;
  cudaMemcpy(&result, flag + 1, 4, cudaMemcpyDeviceToHost);
  printf("result %d, %s\n", result, cudaGetErrorString(cudaGetLastError()));
}
)";

// Boxes of 32 × 16 floats of a tensor of 40 × 24; the first one begins at element (−8, −4).
constexpr const char* kBoxes = R"(
#include <cuda.h>
#include <cstdio>
__global__ void boxes(const __grid_constant__ CUtensorMap map, float* to) {
  __shared__ alignas(128) float box[512];
  __shared__ alignas(8) unsigned long long full;
  const unsigned barrier = unsigned(__cvta_generic_to_shared(&full));
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared::cta.b64 s, [%0], 2048; }" ::"r"(barrier) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
      ::"r"(unsigned(__cvta_generic_to_shared(box))), "l"(&map), "r"(-8 + 32 * int(blockIdx.x)), "r"(-4 + 16 * int(blockIdx.y)), "r"(barrier) : "memory");
  }
  unsigned over = 0;
  while (over == 0)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(over) : "r"(barrier) : "memory");
  for (int k = threadIdx.x; k < 512; k += 128) to[(blockIdx.y * 2 + blockIdx.x) * 512 + k] = box[k];
}
int main() {
  float h[1024], *from, *to;
  for (int i = 0; i < 960; ++i) h[i] = float(i + 1);
  cudaMalloc(&from, 8192);
  cudaMalloc(&to, 8192);
  cudaMemcpy(from + 64, h, 3840, cudaMemcpyHostToDevice);
  decltype(&cuTensorMapEncodeTiled) encode = nullptr;
  cudaDriverEntryPointQueryResult found;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void**)&encode, 12000, cudaEnableDefault, &found);
  CUtensorMap map;
  const cuuint64_t extents[] = {40, 24}, strides[] = {160};
  const cuuint32_t box[] = {32, 16}, steps[] = {1, 1};
  if (encode == nullptr || encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, from + 64, extents, strides, box, steps,
      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS) return 1;
  boxes<<<dim3(2, 2), 128>>>(map, to);
  cudaMemcpy(h, to, 4096, cudaMemcpyDeviceToHost);
  printf("boxes %.0f %.0f, %s\n", h[4 * 32 + 8], h[4 * 32 + 7], cudaGetErrorString(cudaGetLastError()));
}
)";

class GpuCaptureTest : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    const auto nvcc = find_nvcc();
    if (!nvcc) GTEST_SKIP() << sentence(nvcc.error());
  }

  void build(const std::string& name, const char* text) {
    folder_.write(name + ".cu", text);
    ASSERT_EQ(ran("nvcc -arch=sm_" + std::to_string(device_->description().compute_capability) +
                  " -lineinfo -std=c++17 " + name + ".cu -o " + name),
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
  build("sums", kProgram);
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
  build("sums", kProgram);
  ASSERT_EQ(warpscope("capture -- ./sums"), 0) << output();
  EXPECT_THAT(output(), HasSubstr("       2  void row_sums<double, 128>(Span, double*)"));
}

// With streams that wait for the default stream, and with others; the first kernel, whose end does
// not come, and the second one, before which the device is not idle.
TEST_F(GpuCaptureTest, AKernelThatWaitsForAnotherStreamIsPassedOverAndTheProgramGoesOn) {
  build("waits", kWaiting);
  for (const char* program : {"./waits", "./waits blocking"}) {
    ASSERT_EQ(ran(std::string("timeout 60 ") + program), 0) << output();
    const std::string alone = output();
    EXPECT_EQ(alone, "result 42, no error\n");
    for (const char* kernel : {"wait_for_flag", "set_flag"}) {
      SCOPED_TRACE(std::string(kernel) + " in " + program);
      const auto start = std::chrono::steady_clock::now();
      EXPECT_EQ(warpscope(std::string("capture --hold 2 --out a.wcap --kernel ") + kernel +
                          " -- timeout 60 " + program),
                1);
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      EXPECT_THAT(output(), HasSubstr(alone));
      EXPECT_THAT(output(), HasSubstr(std::string("launch 1 of ") + kernel));
      EXPECT_THAT(output(), HasSubstr("was not captured: the device was not idle within 2 s: the "
                                      "kernel may wait for another stream, process or GPU"));
      EXPECT_GE(took.count(), 2);
      EXPECT_LT(took.count(), 20);
    }
  }
}

TEST_F(GpuCaptureTest, ATensorMapIsReplayedAndEmulated) {
  if (device_->description().compute_capability < 90)
    GTEST_SKIP() << "bulk tensor copies need compute capability 9.0";
  build("boxes", kBoxes);
  for (const char* options : {"", "--no-cupti "}) {
    SCOPED_TRACE(options);
    ASSERT_EQ(
        warpscope(std::string("capture ") + options + "--kernel boxes --out a.wcap -- ./boxes"), 0)
        << output();
    EXPECT_THAT(output(), HasSubstr("boxes 1 0, no error"));
    EXPECT_EQ(warpscope("verify a.wcap"), 0) << output();
    EXPECT_THAT(output(), HasSubstr("every bit of"));
    EXPECT_EQ(ran("CUDA_VISIBLE_DEVICES= '" + built_program("warpscope") + "' verify a.wcap"), 0)
        << output();
    EXPECT_THAT(output(), HasSubstr("every bit of"));
    ASSERT_EQ(ran("rm a.wcap"), 0);
  }
}

}  // namespace
}  // namespace warpscope
