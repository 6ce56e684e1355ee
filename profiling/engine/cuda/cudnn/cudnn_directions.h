// profiling/engine/cuda/cudnn/cudnn_directions.h: a 3×3 convolution as cuDNN takes it, in each
// direction.
#pragma once

#if __has_include(<cudnn.h>)
#include <cuda.h>

#include <array>
#include <cstddef>

#include "profiling/engine/cuda/cuda_driver.h"
#include "profiling/engine/cuda/cudnn/cudnn_library.h"

// Forward, BackwardData and BackwardFilter name the same five calls of the library, so that one
// plan searches and runs any of them.

namespace warpscope {

// x [images, in, side, side], w [out, in, 3, 3], y [images, out, side, side], b [out], or all with
// their channels innermost; of a gradient the same names stand for its gradients.
struct CudnnArrays {
  void *x = nullptr, *w = nullptr, *y = nullptr, *b = nullptr;
};

// The shapes of a 3×3 convolution with padding 1, as the library describes them.
class CudnnShapes {
 public:
  explicit CudnnShapes(const CudnnTable& t) : table_(t) {}
  CudnnShapes(const CudnnShapes&) = delete;
  CudnnShapes& operator=(const CudnnShapes&) = delete;
  ~CudnnShapes() {
    for (cudnnTensorDescriptor_t tensor : {x, y, b}) {
      if (tensor != nullptr) table_.destroy_tensor(tensor);
    }
    if (w != nullptr) table_.destroy_filter(w);
    if (convolution != nullptr) table_.destroy_convolution(convolution);
    if (relu != nullptr) table_.destroy_activation(relu);
  }

  // `layout`: CUDNN_TENSOR_NCHW or CUDNN_TENSOR_NHWC.
  Result<void> create(int images, int in, int out, int side, cudnnMathType_t math,
                      cudnnTensorFormat_t layout) {
    constexpr int kSide = 3, kOne = 1;
    const std::array<cudnnStatus_t, 12> all = {
        table_.create_tensor(&x),
        table_.set_tensor(x, layout, CUDNN_DATA_FLOAT, images, in, side, side),
        table_.create_tensor(&y),
        table_.set_tensor(y, layout, CUDNN_DATA_FLOAT, images, out, side, side),
        table_.create_tensor(&b),
        table_.set_tensor(b, layout, CUDNN_DATA_FLOAT, kOne, out, kOne, kOne),
        table_.create_filter(&w),
        table_.set_filter(w, CUDNN_DATA_FLOAT, layout, out, in, kSide, kSide),
        table_.create_convolution(&convolution),
        table_.set_convolution(convolution, kOne, kOne, kOne, kOne, kOne, kOne,
                               CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT),
        table_.set_math(convolution, math),
        table_.create_activation(&relu)};
    for (const cudnnStatus_t status : all) {
      if (Result<void> done = check(table_, status, "shapes of a convolution"); !done) return done;
    }
    return {};
  }

  cudnnTensorDescriptor_t x = nullptr, y = nullptr, b = nullptr;
  cudnnFilterDescriptor_t w = nullptr;
  cudnnConvolutionDescriptor_t convolution = nullptr;
  cudnnActivationDescriptor_t relu = nullptr;

 private:
  const CudnnTable& table_;
};

class CudnnWorkspace {
 public:
  explicit CudnnWorkspace(const CudaDriver& driver) : driver_(driver) {}
  CudnnWorkspace(const CudnnWorkspace&) = delete;
  CudnnWorkspace& operator=(const CudnnWorkspace&) = delete;
  ~CudnnWorkspace() { release(); }
  // In place of what it has.
  Result<void> reserve(std::size_t bytes) {
    release();
    if (bytes == 0) return {};
    Result<void> done = check(driver_, driver_.cuMemAlloc(&address_, bytes), "cuDNN workspace");
    if (!done) address_ = 0;
    bytes_ = done ? bytes : 0;
    return done;
  }
  void* get() const { return reinterpret_cast<void*>(address_); }
  std::size_t bytes() const { return bytes_; }

 private:
  void release() {
    if (address_ != 0) driver_.cuMemFree(address_);
    address_ = 0;
    bytes_ = 0;
  }
  const CudaDriver& driver_;
  CUdeviceptr address_ = 0;
  std::size_t bytes_ = 0;
};

// Everything a call takes.
struct CudnnPlace {
  const CudnnTable& t;
  cudnnHandle_t handle;
  const CudnnShapes& shapes;
  const CudnnArrays& arrays;
  const CudnnWorkspace& workspace;
};

inline constexpr float kCudnnOne = 1.0f, kCudnnZero = 0.0f;

struct CudnnForward {
  static constexpr bool kHasRelu = false;
  using Algorithm = cudnnConvolutionFwdAlgo_t;
  using Found = cudnnConvolutionFwdAlgoPerf_t;
  static constexpr std::array<const char*, CUDNN_CONVOLUTION_FWD_ALGO_COUNT> kNames = {
      "IMPLICIT_GEMM", "IMPLICIT_PRECOMP_GEMM", "GEMM", "DIRECT", "FFT", "FFT_TILING",
      "WINOGRAD",      "WINOGRAD_NONFUSED"};
  static cudnnStatus_t most(const CudnnPlace& p, int* count) {
    return p.t.count_forward(p.handle, count);
  }
  static cudnnStatus_t bytes(const CudnnPlace& p, Algorithm algorithm, std::size_t* bytes) {
    return p.t.bytes_forward(p.handle, p.shapes.x, p.shapes.w, p.shapes.convolution, p.shapes.y,
                             algorithm, bytes);
  }
  static cudnnStatus_t guess(const CudnnPlace& p, int room, int* count, Found* found) {
    return p.t.guess_forward(p.handle, p.shapes.x, p.shapes.w, p.shapes.convolution, p.shapes.y,
                             room, count, found);
  }
  static cudnnStatus_t search(const CudnnPlace& p, int room, int* count, Found* found) {
    return p.t.find_forward(p.handle, p.shapes.x, p.arrays.x, p.shapes.w, p.arrays.w,
                            p.shapes.convolution, p.shapes.y, p.arrays.y, room, count, found,
                            p.workspace.get(), p.workspace.bytes());
  }
  static cudnnStatus_t run(const CudnnPlace& p, Algorithm algorithm) {
    return p.t.forward(p.handle, &kCudnnOne, p.shapes.x, p.arrays.x, p.shapes.w, p.arrays.w,
                       p.shapes.convolution, algorithm, p.workspace.get(), p.workspace.bytes(),
                       &kCudnnZero, p.shapes.y, p.arrays.y);
  }
};

// The same with bias and ReLU in one call.
struct CudnnForwardBiasRelu : CudnnForward {
  static constexpr bool kHasRelu = true;
  static cudnnStatus_t run(const CudnnPlace& p, Algorithm algorithm) {
    return p.t.forward_bias_relu(p.handle, &kCudnnOne, p.shapes.x, p.arrays.x, p.shapes.w,
                                 p.arrays.w, p.shapes.convolution, algorithm, p.workspace.get(),
                                 p.workspace.bytes(), &kCudnnZero, p.shapes.y, p.arrays.y,
                                 p.shapes.b, p.arrays.b, p.shapes.relu, p.shapes.y, p.arrays.y);
  }
};

struct CudnnBackwardData {
  static constexpr bool kHasRelu = false;
  using Algorithm = cudnnConvolutionBwdDataAlgo_t;
  using Found = cudnnConvolutionBwdDataAlgoPerf_t;
  static constexpr std::array<const char*, CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT> kNames = {
      "ALGO_0", "ALGO_1", "FFT", "FFT_TILING", "WINOGRAD", "WINOGRAD_NONFUSED"};
  static cudnnStatus_t most(const CudnnPlace& p, int* count) {
    return p.t.count_data(p.handle, count);
  }
  static cudnnStatus_t bytes(const CudnnPlace& p, Algorithm algorithm, std::size_t* bytes) {
    return p.t.bytes_data(p.handle, p.shapes.w, p.shapes.y, p.shapes.convolution, p.shapes.x,
                          algorithm, bytes);
  }
  static cudnnStatus_t guess(const CudnnPlace& p, int room, int* count, Found* found) {
    return p.t.guess_data(p.handle, p.shapes.w, p.shapes.y, p.shapes.convolution, p.shapes.x, room,
                          count, found);
  }
  static cudnnStatus_t search(const CudnnPlace& p, int room, int* count, Found* found) {
    return p.t.find_data(p.handle, p.shapes.w, p.arrays.w, p.shapes.y, p.arrays.y,
                         p.shapes.convolution, p.shapes.x, p.arrays.x, room, count, found,
                         p.workspace.get(), p.workspace.bytes());
  }
  static cudnnStatus_t run(const CudnnPlace& p, Algorithm algorithm) {
    return p.t.backward_data(p.handle, &kCudnnOne, p.shapes.w, p.arrays.w, p.shapes.y, p.arrays.y,
                             p.shapes.convolution, algorithm, p.workspace.get(),
                             p.workspace.bytes(), &kCudnnZero, p.shapes.x, p.arrays.x);
  }
};

struct CudnnBackwardFilter {
  static constexpr bool kHasRelu = false;
  using Algorithm = cudnnConvolutionBwdFilterAlgo_t;
  using Found = cudnnConvolutionBwdFilterAlgoPerf_t;
  static constexpr std::array<const char*, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT> kNames = {
      "ALGO_0", "ALGO_1", "FFT", "ALGO_3", "WINOGRAD", "WINOGRAD_NONFUSED", "FFT_TILING"};
  static cudnnStatus_t most(const CudnnPlace& p, int* count) {
    return p.t.count_filter(p.handle, count);
  }
  static cudnnStatus_t bytes(const CudnnPlace& p, Algorithm algorithm, std::size_t* bytes) {
    return p.t.bytes_filter(p.handle, p.shapes.x, p.shapes.y, p.shapes.convolution, p.shapes.w,
                            algorithm, bytes);
  }
  static cudnnStatus_t guess(const CudnnPlace& p, int room, int* count, Found* found) {
    return p.t.guess_filter(p.handle, p.shapes.x, p.shapes.y, p.shapes.convolution, p.shapes.w,
                            room, count, found);
  }
  static cudnnStatus_t search(const CudnnPlace& p, int room, int* count, Found* found) {
    return p.t.find_filter(p.handle, p.shapes.x, p.arrays.x, p.shapes.y, p.arrays.y,
                           p.shapes.convolution, p.shapes.w, p.arrays.w, room, count, found,
                           p.workspace.get(), p.workspace.bytes());
  }
  static cudnnStatus_t run(const CudnnPlace& p, Algorithm algorithm) {
    return p.t.backward_filter(p.handle, &kCudnnOne, p.shapes.x, p.arrays.x, p.shapes.y, p.arrays.y,
                               p.shapes.convolution, algorithm, p.workspace.get(),
                               p.workspace.bytes(), &kCudnnZero, p.shapes.w, p.arrays.w);
  }
};

}  // namespace warpscope
#endif
