// tests/engine/cudnn_convolution_test.cpp: which algorithm of cuDNN a convolution takes, with a
// library and a driver that only note what they are asked.
#include "profiling/engine/cuda/cudnn/cudnn_convolution.h"

#if __has_include(<cudnn.h>)
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace warpscope {
namespace {

// What the library was asked, since a test began.
struct Asked {
  std::vector<cudnnMathType_t> math;
  std::vector<int> algorithms;  // that ran, or refused
  cudnnMathType_t math_of_run = CUDNN_DEFAULT_MATH;
  cudnnNanPropagation_t policy = CUDNN_NOT_PROPAGATE_NAN;
  cudnnActivationMode_t mode = CUDNN_ACTIVATION_SIGMOID;
  std::size_t reserved_bytes = 0, bytes_of_search = 0, bytes_of_run = 0;
  const void* y = nullptr;
  int searches = 0, guesses = 0;
};
Asked asked;

using Status = cudnnStatus_t;
constexpr std::size_t kKib = 1024, kGib = kKib * kKib * kKib;

template <typename T>
Status makes(T* made) {
  *made = reinterpret_cast<T>(1);
  return CUDNN_STATUS_SUCCESS;
}

// Fastest first: one that asks for too much memory, TF32, one that converts to fp16, one that
// refuses to run, and one with the library's default.
int rank(cudnnConvolutionFwdAlgoPerf_t* found) {
  const auto row = [](cudnnConvolutionFwdAlgo_t algo, std::size_t bytes, cudnnMathType_t math) {
    return cudnnConvolutionFwdAlgoPerf_t{
        algo, CUDNN_STATUS_SUCCESS, 1, bytes, CUDNN_DETERMINISTIC, math, {}};
  };
  found[0] = row(CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD, 5 * kGib, CUDNN_FMA_MATH);
  found[1] = row(CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, 4 * kKib, CUDNN_TENSOR_OP_MATH);
  found[2] = row(CUDNN_CONVOLUTION_FWD_ALGO_GEMM, 0, CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION);
  found[3] = row(CUDNN_CONVOLUTION_FWD_ALGO_FFT, 2 * kKib, CUDNN_FMA_MATH);
  found[4] = row(CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, 1000, CUDNN_DEFAULT_MATH);
  return 5;
}

Status noted_run(cudnnConvolutionFwdAlgo_t algorithm, std::size_t bytes, void* y) {
  asked.algorithms.push_back(algorithm);
  asked.math_of_run = asked.math.back();
  asked.bytes_of_run = bytes;
  asked.y = y;
  return algorithm == CUDNN_CONVOLUTION_FWD_ALGO_FFT ? CUDNN_STATUS_NOT_SUPPORTED
                                                     : CUDNN_STATUS_SUCCESS;
}

CudnnTable noting_library() {
  CudnnTable t;
  t.create = makes<cudnnHandle_t>;
  t.destroy = [](cudnnHandle_t) { return CUDNN_STATUS_SUCCESS; };
  t.set_stream = [](cudnnHandle_t, cudaStream_t) { return CUDNN_STATUS_SUCCESS; };
  t.error_string = [](Status) { return "an error"; };
  t.last_error = [](char*, std::size_t) {};
  t.create_tensor = makes<cudnnTensorDescriptor_t>;
  t.set_tensor = [](auto...) { return CUDNN_STATUS_SUCCESS; };
  t.destroy_tensor = [](auto...) { return CUDNN_STATUS_SUCCESS; };
  t.create_filter = makes<cudnnFilterDescriptor_t>;
  t.set_filter = [](auto...) { return CUDNN_STATUS_SUCCESS; };
  t.destroy_filter = [](auto...) { return CUDNN_STATUS_SUCCESS; };
  t.create_convolution = makes<cudnnConvolutionDescriptor_t>;
  t.set_convolution = [](auto...) { return CUDNN_STATUS_SUCCESS; };
  t.destroy_convolution = [](auto...) { return CUDNN_STATUS_SUCCESS; };
  t.set_math = [](cudnnConvolutionDescriptor_t, cudnnMathType_t math) {
    asked.math.push_back(math);
    return CUDNN_STATUS_SUCCESS;
  };
  t.create_activation = makes<cudnnActivationDescriptor_t>;
  t.set_activation = [](cudnnActivationDescriptor_t, cudnnActivationMode_t mode,
                        cudnnNanPropagation_t policy, double) {
    asked.mode = mode;
    asked.policy = policy;
    return CUDNN_STATUS_SUCCESS;
  };
  t.destroy_activation = [](auto...) { return CUDNN_STATUS_SUCCESS; };
  t.count_forward = [](cudnnHandle_t, int* count) {
    *count = 8;
    return CUDNN_STATUS_SUCCESS;
  };
  t.bytes_forward = [](auto, auto, auto, auto, auto, cudnnConvolutionFwdAlgo_t algorithm,
                       std::size_t* bytes) {
    *bytes = algorithm == CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD ? 5 * kGib
                                                              : kKib * static_cast<int>(algorithm);
    return CUDNN_STATUS_SUCCESS;
  };
  t.find_forward = [](auto, auto, auto, auto, auto, auto, auto, auto, auto, int* count,
                      cudnnConvolutionFwdAlgoPerf_t* found, void*, std::size_t bytes) {
    ++asked.searches;
    asked.bytes_of_search = bytes;
    *count = rank(found);
    return CUDNN_STATUS_SUCCESS;
  };
  t.guess_forward = [](auto, auto, auto, auto, auto, auto, int* count,
                       cudnnConvolutionFwdAlgoPerf_t* found) {
    ++asked.guesses;
    *count = rank(found);
    return CUDNN_STATUS_SUCCESS;
  };
  t.forward = [](auto, auto, auto, auto, auto, auto, auto, cudnnConvolutionFwdAlgo_t algorithm,
                 void*, std::size_t bytes, auto, auto,
                 void* y) { return noted_run(algorithm, bytes, y); };
  t.forward_bias_relu = [](auto, auto, auto, auto, auto, auto, auto,
                           cudnnConvolutionFwdAlgo_t algorithm, void*, std::size_t bytes, auto,
                           auto, auto, auto, auto, auto, auto, void* y) {
    if (asked.policy == CUDNN_PROPAGATE_NAN) return CUDNN_STATUS_NOT_SUPPORTED;
    return noted_run(algorithm, bytes, y);
  };
  t.activation_forward = [](auto...) { return CUDNN_STATUS_SUCCESS; };
  return t;
}

CudaDriver noting_driver() {
  CudaDriver driver;
  driver.cuMemAlloc = [](CUdeviceptr* address, std::size_t bytes) {
    *address = 0x1000;
    asked.reserved_bytes += bytes;
    return CUDA_SUCCESS;
  };
  driver.cuMemFree = [](CUdeviceptr) { return CUDA_SUCCESS; };
  return driver;
}

class CudnnConvolution : public testing::Test {
 protected:
  void SetUp() override { asked = {}; }

  // error: none is expected.
  std::unique_ptr<LibraryPlan> plan(const std::string& name, bool searches = true,
                                    bool relu = true) {
    const LibraryCall call{name,
                           {{"x", "x"}, {"w", "w"}, {"y", "y"}, {"b", "b"}},
                           {{"images", 2},
                            {"in", 3},
                            {"out", 4},
                            {"side", 8},
                            {"search", searches ? 1 : 0},
                            {"relu", relu ? 1 : 0},
                            {"y_first", 5}}};
    auto made = plan_cudnn_convolution(
        table_, driver_, call, [](const std::string&) -> Result<CUdeviceptr> { return 0x100; });
    EXPECT_TRUE(made) << sentence(made.error());
    return made ? std::move(*made) : nullptr;
  }
  std::string choice_of(const std::string& name, bool searches = true, bool relu = true) {
    const auto made = plan(name, searches, relu);
    const Result<void> ran = made->prepare(nullptr).and_then([&] { return made->run(nullptr); });
    EXPECT_TRUE(ran) << sentence(ran.error());
    return made->choice();
  }
  static void expect_explicit_math() {
    for (const cudnnMathType_t math : asked.math)
      EXPECT_TRUE(math == CUDNN_FMA_MATH || math == CUDNN_TENSOR_OP_MATH) << math;
  }

  CudnnTable table_ = noting_library();
  CudaDriver driver_ = noting_driver();
};

TEST_F(CudnnConvolution, Fp32TakesTheFirstThatRunsWithFmas) {
  EXPECT_EQ(choice_of("cudnn.conv.forward.fp32"),
            "IMPLICIT_GEMM with FMAs, fastest of 2 that were timed, workspace 1 KiB");
  EXPECT_EQ(asked.math_of_run, CUDNN_FMA_MATH) << "the library's default is never taken";
  EXPECT_EQ(asked.algorithms, (std::vector<int>{CUDNN_CONVOLUTION_FWD_ALGO_FFT,
                                                CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM,
                                                CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM}))
      << "one refused, one was tried and ran";
  EXPECT_EQ(asked.bytes_of_run, 1000u);
  expect_explicit_math();
}

TEST_F(CudnnConvolution, Tf32TakesTensorCoresButNoHalves) {
  EXPECT_EQ(
      choice_of("cudnn.conv.forward.tf32"),
      "IMPLICIT_PRECOMP_GEMM with TF32 allowed, fastest of 3 that were timed, workspace 4 KiB");
  EXPECT_EQ(asked.math_of_run, CUDNN_TENSOR_OP_MATH);
  expect_explicit_math();
}

TEST_F(CudnnConvolution, TheHeuristicIsAskedWhereNothingIsSearched) {
  EXPECT_EQ(choice_of("cudnn.conv.forward.tf32", false),
            "IMPLICIT_PRECOMP_GEMM with TF32 allowed, first choice of the library's heuristic, "
            "workspace 4 KiB");
  EXPECT_EQ(asked.searches, 0);
  EXPECT_EQ(asked.guesses, 1);
}

// The greediest of those that are not left out.
TEST_F(CudnnConvolution, ASearchHasRoomForAllButTheGreediest) {
  choice_of("cudnn.conv.forward.fp32");
  EXPECT_EQ(asked.searches, 1);
  EXPECT_EQ(asked.bytes_of_search, 7 * kKib);
  EXPECT_LT(asked.reserved_bytes, kGib);
}

TEST_F(CudnnConvolution, OperandsBeginWhereTheCallSays) {
  choice_of("cudnn.conv.forward.fp32");
  EXPECT_EQ(asked.y, reinterpret_cast<const void*>(0x100 + 5 * 4));
}

TEST_F(CudnnConvolution, TheOneCallSaysThatItRefusedToKeepNan) {
  EXPECT_EQ(choice_of("cudnn.conv_bias_relu.fp32"),
            "IMPLICIT_GEMM with FMAs, fastest of 2 that were timed, workspace 1 KiB, a ReLU that "
            "keeps NaN is not supported");
  EXPECT_EQ(asked.mode, CUDNN_ACTIVATION_RELU);
  choice_of("cudnn.conv_bias_relu.fp32", true, false);
  EXPECT_EQ(asked.mode, CUDNN_ACTIVATION_IDENTITY) << "a layer without a ReLU";
}

TEST_F(CudnnConvolution, TheReluOfItsOwnKeepsNan) {
  const auto relu = plan("cudnn.relu");
  ASSERT_TRUE(relu->prepare(nullptr));
  EXPECT_EQ(asked.mode, CUDNN_ACTIVATION_RELU);
  EXPECT_EQ(asked.policy, CUDNN_PROPAGATE_NAN);
  EXPECT_TRUE(relu->run(nullptr));
  EXPECT_TRUE(relu->choice().empty());
}

TEST_F(CudnnConvolution, NothingRunsBeforeItsAlgorithmIsChosen) {
  const Result<void> early = plan("cudnn.conv.forward.fp32")->run(nullptr);
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().kind, ErrorKind::internal);
}

TEST_F(CudnnConvolution, AnUnknownCallIsOursToMend) {
  const auto made =
      plan_cudnn_convolution(table_, driver_, {"cudnn.conv.sideways.fp32", {}, {}},
                             [](const std::string&) -> Result<CUdeviceptr> { return 0x100; });
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, ErrorKind::internal);
}

}  // namespace
}  // namespace warpscope
#endif
