// tests/engine/cudnn_pooling_test.cpp: what a pool asks of cuDNN, with a library that only notes
// what it is asked.
#include "profiling/engine/cuda/cudnn/cudnn_pooling.h"

#if __has_include(<cudnn.h>)
#include <gtest/gtest.h>

#include <vector>

namespace warpscope {
namespace {

using Pointers = std::vector<const void*>;

// What the library was asked, since a test began.
struct Asked {
  std::vector<std::vector<int>> tensors;
  cudnnPoolingMode_t mode = CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING;
  cudnnNanPropagation_t policy = CUDNN_PROPAGATE_NAN;
  std::vector<int> window;
  Pointers forward, backward;
  int destroyed = 0;
};
Asked asked;

template <typename T>
cudnnStatus_t makes(T* made) {
  *made = reinterpret_cast<T>(1);
  return CUDNN_STATUS_SUCCESS;
}

CudnnTable noting_library() {
  CudnnTable t;
  t.create = makes<cudnnHandle_t>;
  t.destroy = [](cudnnHandle_t) { return CUDNN_STATUS_SUCCESS; };
  t.set_stream = [](cudnnHandle_t, cudaStream_t) { return CUDNN_STATUS_SUCCESS; };
  t.error_string = [](cudnnStatus_t) { return "an error"; };
  t.last_error = [](char*, std::size_t) {};
  t.create_tensor = makes<cudnnTensorDescriptor_t>;
  t.set_tensor = [](cudnnTensorDescriptor_t, cudnnTensorFormat_t, cudnnDataType_t, int n, int c,
                    int h, int w) {
    asked.tensors.push_back({n, c, h, w});
    return h > 0 ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
  };
  t.destroy_tensor = [](auto...) {
    ++asked.destroyed;
    return CUDNN_STATUS_SUCCESS;
  };
  t.create_pooling = makes<cudnnPoolingDescriptor_t>;
  t.set_pooling = [](cudnnPoolingDescriptor_t, cudnnPoolingMode_t mode,
                     cudnnNanPropagation_t policy, int height, int width, int above, int left,
                     int down, int right) {
    asked.mode = mode;
    asked.policy = policy;
    asked.window = {height, width, above, left, down, right};
    return CUDNN_STATUS_SUCCESS;
  };
  t.destroy_pooling = [](auto...) {
    ++asked.destroyed;
    return CUDNN_STATUS_SUCCESS;
  };
  t.pool_forward = [](auto, auto, const void*, auto, const void* x, const void*, auto, void* y) {
    asked.forward = {x, y};
    return CUDNN_STATUS_SUCCESS;
  };
  t.pool_backward = [](auto, auto, const void*, auto, const void* y, auto, const void* dy, auto,
                       const void* x, const void*, auto, void* dx) {
    asked.backward = {y, dy, x, dx};
    return CUDNN_STATUS_SUCCESS;
  };
  return t;
}

class CudnnPooling : public testing::Test {
 protected:
  void SetUp() override { asked = {}; }

  Result<std::unique_ptr<LibraryPlan>> plan(const std::string& name, double side = 8) {
    const LibraryCall call{name,
                           {{"x", "1"}, {"y", "2"}, {"dy", "3"}, {"dx", "4"}},
                           {{"images", 2}, {"channels", 5}, {"side", side}}};
    return plan_cudnn_pooling(table_, call, [](const std::string& buffer) -> Result<CUdeviceptr> {
      return static_cast<CUdeviceptr>(std::stoi(buffer)) * 0x100;
    });
  }
  static const void* at(std::uintptr_t address) { return reinterpret_cast<const void*>(address); }

  CudnnTable table_ = noting_library();
};

TEST_F(CudnnPooling, WindowsAreTwoByTwoAndNanNeverWins) {
  {
    const auto made = plan("cudnn.pooling.forward");
    ASSERT_TRUE(made) << sentence(made.error());
    ASSERT_TRUE((*made)->prepare(nullptr).and_then([&] { return (*made)->run(nullptr); }));
    EXPECT_TRUE((*made)->choice().empty());
  }
  EXPECT_EQ(asked.mode, CUDNN_POOLING_MAX_DETERMINISTIC);
  EXPECT_EQ(asked.policy, CUDNN_NOT_PROPAGATE_NAN);
  EXPECT_EQ(asked.window, (std::vector<int>{2, 2, 0, 0, 2, 2}));
  EXPECT_EQ(asked.tensors, (std::vector<std::vector<int>>{{2, 5, 8, 8}, {2, 5, 4, 4}}));
  EXPECT_EQ(asked.forward, (Pointers{at(0x100), at(0x200)}));
  EXPECT_TRUE(asked.backward.empty());
  EXPECT_EQ(asked.destroyed, 3);
}

TEST_F(CudnnPooling, BackwardTakesBothMapsAndTheGradient) {
  const auto made = plan("cudnn.pooling.backward");
  ASSERT_TRUE(made) << sentence(made.error());
  ASSERT_TRUE((*made)->run(nullptr));
  EXPECT_EQ(asked.backward, (Pointers{at(0x200), at(0x300), at(0x100), at(0x400)}));
  EXPECT_TRUE(asked.forward.empty());
}

TEST_F(CudnnPooling, WhatTheLibraryRefusesIsSaidInItsWords) {
  const auto made = plan("cudnn.pooling.forward", 0);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().what, "cuDNN says: an error");
  EXPECT_EQ(asked.destroyed, 3) << "what was made";
}

TEST_F(CudnnPooling, AnUnknownCallIsOursToMend) {
  const auto made = plan("cudnn.pooling.sideways");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, ErrorKind::internal);
}

}  // namespace
}  // namespace warpscope
#endif
