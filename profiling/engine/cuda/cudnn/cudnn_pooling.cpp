// profiling/engine/cuda/cudnn/cudnn_pooling.cpp: a pool of 2×2 windows by cuDNN, forward or
// backward.
#include "profiling/engine/cuda/cudnn/cudnn_pooling.h"

#if __has_include(<cudnn.h>)
#include <array>
#include <string>
#include <utility>

namespace warpscope {
namespace {

constexpr float kOne = 1.0f, kZero = 0.0f;
constexpr int kWindow = 2;  // side and stride

class PoolingPlan final : public LibraryPlan {
 public:
  PoolingPlan(const CudnnTable& t, std::shared_ptr<const CudnnHandle> handle)
      : table_(t), handle_(std::move(handle)) {}
  PoolingPlan(const PoolingPlan&) = delete;
  PoolingPlan& operator=(const PoolingPlan&) = delete;
  ~PoolingPlan() override {
    for (cudnnTensorDescriptor_t tensor : {large_, small_}) {
      if (tensor != nullptr) table_.destroy_tensor(tensor);
    }
    if (pooling_ != nullptr) table_.destroy_pooling(pooling_);
  }

  Result<void> plan(const LibraryCall& call, const BufferLookup& buffer_of, bool backward) {
    name_ = call.name;
    backward_ = backward;
    for (const auto& [operand, pointer] :
         {std::pair("x", &x_), {"y", &y_}, {"dy", &dy_}, {"dx", &dx_}}) {
      if (!backward && operand[0] == 'd') continue;
      const Result<CUdeviceptr> address = operand_address(call, buffer_of, operand);
      if (!address) return tl::unexpected(address.error());
      *pointer = reinterpret_cast<void*>(*address);
    }
    return shape(size(call, "images"), size(call, "channels"), size(call, "side"));
  }

  Result<void> prepare(CUstream) override { return {}; }

  Result<void> run(CUstream stream) override {
    return check(table_, table_.set_stream(handle_->get(), stream), "cudnnSetStream").and_then([&] {
      return check(table_, call(), name_);
    });
  }

 private:
  static int size(const LibraryCall& call, const std::string& name) {
    const auto found = call.numbers.find(name);
    return found == call.numbers.end() ? 0 : static_cast<int>(found->second);
  }

  Result<void> shape(int images, int channels, int side) {
    constexpr int kNoPadding = 0;
    const std::array<cudnnStatus_t, 6> all = {
        table_.create_tensor(&large_),
        table_.set_tensor(large_, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, images, channels, side,
                          side),
        table_.create_tensor(&small_),
        table_.set_tensor(small_, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, images, channels,
                          side / kWindow, side / kWindow),
        table_.create_pooling(&pooling_),
        table_.set_pooling(pooling_, CUDNN_POOLING_MAX_DETERMINISTIC, CUDNN_NOT_PROPAGATE_NAN,
                           kWindow, kWindow, kNoPadding, kNoPadding, kWindow, kWindow)};
    for (const cudnnStatus_t status : all) {
      if (Result<void> done = check(table_, status, "shapes of a pool"); !done) return done;
    }
    return {};
  }

  cudnnStatus_t call() const {
    if (!backward_)
      return table_.pool_forward(handle_->get(), pooling_, &kOne, large_, x_, &kZero, small_, y_);
    return table_.pool_backward(handle_->get(), pooling_, &kOne, small_, y_, small_, dy_, large_,
                                x_, &kZero, large_, dx_);
  }

  const CudnnTable& table_;
  std::shared_ptr<const CudnnHandle> handle_;
  cudnnTensorDescriptor_t large_ = nullptr, small_ = nullptr;
  cudnnPoolingDescriptor_t pooling_ = nullptr;
  void *x_ = nullptr, *y_ = nullptr, *dy_ = nullptr, *dx_ = nullptr;
  std::string name_;
  bool backward_ = false;
};

}  // namespace

Result<std::unique_ptr<LibraryPlan>> plan_cudnn_pooling(const CudnnTable& t,
                                                        const LibraryCall& call,
                                                        const BufferLookup& buffer_of) {
  const bool backward = call.name == "cudnn.pooling.backward";
  if (!backward && call.name != "cudnn.pooling.forward")
    return failure(ErrorKind::internal, "the engine knows no library call of this name", call.name);
  Result<std::shared_ptr<const CudnnHandle>> handle = shared_cudnn_handle(t);
  if (!handle) return tl::unexpected(handle.error());
  auto plan = std::make_unique<PoolingPlan>(t, std::move(*handle));
  if (Result<void> done = plan->plan(call, buffer_of, backward); !done)
    return tl::unexpected(done.error());
  return plan;
}

}  // namespace warpscope
#endif
