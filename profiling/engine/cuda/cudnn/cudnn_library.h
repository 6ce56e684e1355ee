// profiling/engine/cuda/cudnn/cudnn_library.h: cuDNN's functions, found at run time.
#pragma once

#if __has_include(<cudnn.h>)
#include <cudnn.h>

#include <initializer_list>
#include <memory>
#include <string>

#include "profiling/engine/cuda/shared_library.h"

// What is called stands in this table. The names of the convolutions are those that cuDNN 9 calls
// legacy: it implements them, and they alone search among algorithms.

namespace warpscope {

// clang-format off
#define WARPSCOPE_CUDNN_FUNCTIONS(X)                                                              \
  X(create, cudnnCreate) X(destroy, cudnnDestroy) X(set_stream, cudnnSetStream)                   \
  X(property, cudnnGetProperty) X(error_string, cudnnGetErrorString)                              \
  X(last_error, cudnnGetLastErrorString)                                                          \
  X(create_tensor, cudnnCreateTensorDescriptor) X(set_tensor, cudnnSetTensor4dDescriptor)         \
  X(destroy_tensor, cudnnDestroyTensorDescriptor)                                                 \
  X(create_filter, cudnnCreateFilterDescriptor) X(set_filter, cudnnSetFilter4dDescriptor)         \
  X(destroy_filter, cudnnDestroyFilterDescriptor)                                                 \
  X(create_convolution, cudnnCreateConvolutionDescriptor)                                         \
  X(set_convolution, cudnnSetConvolution2dDescriptor)                                             \
  X(set_math, cudnnSetConvolutionMathType)                                                        \
  X(destroy_convolution, cudnnDestroyConvolutionDescriptor)                                       \
  X(create_activation, cudnnCreateActivationDescriptor)                                           \
  X(set_activation, cudnnSetActivationDescriptor)                                                 \
  X(destroy_activation, cudnnDestroyActivationDescriptor)                                         \
  X(count_forward, cudnnGetConvolutionForwardAlgorithmMaxCount)                                   \
  X(find_forward, cudnnFindConvolutionForwardAlgorithmEx)                                         \
  X(guess_forward, cudnnGetConvolutionForwardAlgorithm_v7)                                        \
  X(bytes_forward, cudnnGetConvolutionForwardWorkspaceSize)                                       \
  X(forward, cudnnConvolutionForward)                                                             \
  X(forward_bias_relu, cudnnConvolutionBiasActivationForward)                                     \
  X(count_data, cudnnGetConvolutionBackwardDataAlgorithmMaxCount)                                 \
  X(find_data, cudnnFindConvolutionBackwardDataAlgorithmEx)                                       \
  X(guess_data, cudnnGetConvolutionBackwardDataAlgorithm_v7)                                      \
  X(bytes_data, cudnnGetConvolutionBackwardDataWorkspaceSize)                                     \
  X(backward_data, cudnnConvolutionBackwardData)                                                  \
  X(count_filter, cudnnGetConvolutionBackwardFilterAlgorithmMaxCount)                             \
  X(find_filter, cudnnFindConvolutionBackwardFilterAlgorithmEx)                                   \
  X(guess_filter, cudnnGetConvolutionBackwardFilterAlgorithm_v7)                                  \
  X(bytes_filter, cudnnGetConvolutionBackwardFilterWorkspaceSize)                                 \
  X(backward_filter, cudnnConvolutionBackwardFilter)                                              \
  X(backward_bias, cudnnConvolutionBackwardBias)                                                  \
  X(add_tensor, cudnnAddTensor) X(activation_forward, cudnnActivationForward)                     \
  X(create_pooling, cudnnCreatePoolingDescriptor) X(set_pooling, cudnnSetPooling2dDescriptor)     \
  X(destroy_pooling, cudnnDestroyPoolingDescriptor) X(pool_forward, cudnnPoolingForward)          \
  X(pool_backward, cudnnPoolingBackward)
// clang-format on

struct CudnnTable {
  SharedLibrary library;
// NOLINTNEXTLINE(bugprone-macro-parentheses): a member's name stands bare
#define WARPSCOPE_MEMBER(member, name) decltype(&::name) member = nullptr;
  WARPSCOPE_CUDNN_FUNCTIONS(WARPSCOPE_MEMBER)
#undef WARPSCOPE_MEMBER
};

// error: environment, with what to install.
Result<CudnnTable> load_cudnn_table(std::initializer_list<const char*> files);
// The table of libcudnn.so.9, which is loaded once for the life of the process, like the driver.
const Result<CudnnTable>& cudnn_table();

// Nothing for success, else the library's own words. error: resource, environment, fault, usage.
Result<void> check(const CudnnTable& t, cudnnStatus_t status, const std::string& where);

// A handle holds memory of the device and the library's kernels, so that plans share one while
// there are any.
class CudnnHandle {
 public:
  explicit CudnnHandle(const CudnnTable& t) : table_(t) {}
  CudnnHandle(const CudnnHandle&) = delete;
  CudnnHandle& operator=(const CudnnHandle&) = delete;
  ~CudnnHandle() {
    if (handle_ != nullptr) table_.destroy(handle_);
  }
  Result<void> create() { return check(table_, table_.create(&handle_), "cudnnCreate"); }
  cudnnHandle_t get() const { return handle_; }

 private:
  const CudnnTable& table_;
  cudnnHandle_t handle_ = nullptr;
};

Result<std::shared_ptr<const CudnnHandle>> shared_cudnn_handle(const CudnnTable& t);

}  // namespace warpscope
#endif
