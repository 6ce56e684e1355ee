// profiling/engine/cuda/cudnn/cudnn_convolution.cpp: a convolution by the algorithm of cuDNN that a
// search, or its heuristic, puts first.
#include "profiling/engine/cuda/cudnn/cudnn_convolution.h"

#if __has_include(<cudnn.h>)
#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiling/engine/cuda/cudnn/cudnn_directions.h"

namespace warpscope {
namespace {

// What one convolution may take beside its arrays; algorithms that ask for more are left out.
constexpr std::size_t kMostWorkspaceBytes = std::size_t{1} << 30;

// What every plan holds.
class ConvolutionBase : public LibraryPlan {
 public:
  ConvolutionBase(const CudnnTable& t, const CudaDriver& driver,
                  std::shared_ptr<const CudnnHandle> handle)
      : table_(t), handle_(std::move(handle)), shapes_(t), workspace_(driver) {}

  Result<void> plan(const LibraryCall& call, const BufferLookup& buffer_of, bool tf32) {
    for (const auto& [operand, pointer] :
         {std::pair("x", &arrays_.x), {"w", &arrays_.w}, {"y", &arrays_.y}, {"b", &arrays_.b}}) {
      if (call.buffers.count(operand) == 0) continue;
      const Result<CUdeviceptr> address = operand_address(call, buffer_of, operand);
      if (!address) return tl::unexpected(address.error());
      const std::int64_t first = number(call, std::string(operand) + "_first");
      *pointer =
          reinterpret_cast<void*>(*address + static_cast<CUdeviceptr>(first) * sizeof(float));
    }
    searches_ = number(call, "search") != 0;
    relu_ = number(call, "relu") != 0;
    direct_ = number(call, "direct") != 0;
    math_ = tf32 ? CUDNN_TENSOR_OP_MATH : CUDNN_FMA_MATH;
    name_ = call.name;
    return shapes_.create(
        static_cast<int>(number(call, "images")), static_cast<int>(number(call, "in")),
        static_cast<int>(number(call, "out")), static_cast<int>(number(call, "side")), math_,
        number(call, "channels_innermost") != 0 ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW);
  }

 protected:
  static std::int64_t number(const LibraryCall& call, const std::string& name) {
    const auto found = call.numbers.find(name);
    return found == call.numbers.end() ? 0 : static_cast<std::int64_t>(found->second);
  }
  CudnnPlace place() const { return {table_, handle_->get(), shapes_, arrays_, workspace_}; }
  Result<void> use(CUstream stream) const {
    return check(table_, table_.set_stream(handle_->get(), stream), "cudnnSetStream");
  }

  const CudnnTable& table_;
  std::shared_ptr<const CudnnHandle> handle_;
  CudnnShapes shapes_;
  CudnnArrays arrays_;
  CudnnWorkspace workspace_;
  cudnnMathType_t math_ = CUDNN_FMA_MATH;
  std::string name_;
  bool searches_ = true, relu_ = true, direct_ = false;
};

template <typename Direction>
class ConvolutionPlan final : public ConvolutionBase {
 public:
  using ConvolutionBase::ConvolutionBase;
  using Found = typename Direction::Found;

  // Times the library's algorithms, or asks its heuristic, and takes the first that runs.
  Result<void> prepare(CUstream stream) override {
    choice_.clear();
    if (Result<void> ready = use(stream); !ready) return ready;
    const Result<std::vector<Found>> found = ranked();
    if (!found) return tl::unexpected(found.error());
    if (!Direction::kHasRelu) return take_first(*found, "");
    // The one call is known to refuse the policy that keeps NaN.
    if (set_relu(CUDNN_PROPAGATE_NAN)) {
      if (take_first(*found, ", asked for a ReLU that keeps NaN")) return {};
    }
    return set_relu(CUDNN_NOT_PROPAGATE_NAN).and_then([&] {
      return take_first(*found, ", a ReLU that keeps NaN is not supported");
    });
  }

  Result<void> run(CUstream stream) override {
    if (choice_.empty())
      return failure(ErrorKind::internal, "a convolution runs before its algorithm is chosen",
                     name_);
    return use(stream).and_then(
        [&] { return check(table_, Direction::run(place(), chosen_.algo), name_); });
  }

  std::string choice() const override { return choice_; }

 private:
  // A layer without a ReLU has bias alone.
  Result<void> set_relu(cudnnNanPropagation_t policy) {
    constexpr double kNoCeiling = 0;
    return check(table_,
                 table_.set_activation(shapes_.relu,
                                       relu_ ? CUDNN_ACTIVATION_RELU : CUDNN_ACTIVATION_IDENTITY,
                                       policy, kNoCeiling),
                 "cudnnSetActivationDescriptor");
  }

  // error: what the last of them said.
  Result<void> take_first(const std::vector<Found>& found, const std::string& more) {
    Result<void> ran =
        failure(ErrorKind::usage, "cuDNN has no algorithm for it", name_, "choose other sizes");
    for (const Found& candidate : found) {
      if (!allowed(candidate)) continue;
      if (Result<void> room = workspace_.reserve(candidate.memory); !room) return room;
      ran = set_math(candidate).and_then(
          [&] { return check(table_, Direction::run(place(), candidate.algo), name_); });
      if (!ran) continue;
      chosen_ = candidate;
      choice_ = words(found) + more;
      return {};
    }
    return ran;
  }

  // By time where it searches, else as the heuristic puts them.
  Result<std::vector<Found>> ranked() {
    int count = 0;
    Result<void> most =
        check(table_, table_.set_math(shapes_.convolution, math_), "cudnnSetConvolutionMathType")
            .and_then([&] { return check(table_, Direction::most(place(), &count), name_); });
    if (!most) return tl::unexpected(most.error());
    std::vector<Found> found(static_cast<std::size_t>(count));
    const int room = count;
    Result<void> made = reserve_for_search().and_then([&] {
      return check(table_,
                   searches_ ? Direction::search(place(), room, &count, found.data())
                             : Direction::guess(place(), room, &count, found.data()),
                   name_);
    });
    if (!made) return tl::unexpected(made.error());
    found.resize(static_cast<std::size_t>(std::clamp(count, 0, room)));
    return found;
  }

  // As much as the greediest algorithm asks for, of those that are not left out.
  Result<void> reserve_for_search() {
    std::size_t most = 0;
    for (std::size_t a = 0; searches_ && a < Direction::kNames.size(); ++a) {
      std::size_t bytes = 0;
      const auto algorithm = static_cast<typename Direction::Algorithm>(a);
      const bool knows = Direction::bytes(place(), algorithm, &bytes) == CUDNN_STATUS_SUCCESS;
      if (knows && bytes <= kMostWorkspaceBytes) most = std::max(most, bytes);
    }
    return workspace_.reserve(most);
  }

  // Winograd and FFT multiply mixtures of neighbours: a sum whose every product is zero is then not
  // exactly zero.
  static bool transforms(const Found& candidate) {
    const auto algorithm = static_cast<std::size_t>(candidate.algo);
    const std::string_view name =
        algorithm < Direction::kNames.size() ? Direction::kNames[algorithm] : "";
    return name.find("WINOGRAD") != name.npos || name.find("FFT") != name.npos;
  }

  // Whether it ran, in the precision that was asked for: no fp16, and TF32 only where it is named.
  bool allowed(const Found& candidate) const {
    if (candidate.status != CUDNN_STATUS_SUCCESS || candidate.memory > kMostWorkspaceBytes)
      return false;
    if (candidate.mathType == CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION) return false;
    if (direct_ && transforms(candidate)) return false;
    return math_ == CUDNN_TENSOR_OP_MATH || candidate.mathType != CUDNN_TENSOR_OP_MATH;
  }
  // A search also times FMAs where TF32 is allowed. The default, which may take TF32, is never set.
  Result<void> set_math(const Found& candidate) {
    const bool fma = candidate.mathType == CUDNN_FMA_MATH;
    math_used_ = fma ? CUDNN_FMA_MATH : math_;
    return check(table_, table_.set_math(shapes_.convolution, math_used_),
                 "cudnnSetConvolutionMathType");
  }

  // "IMPLICIT_PRECOMP_GEMM with FMAs, the first of 5 that ran and were timed, workspace 12 KiB".
  std::string words(const std::vector<Found>& found) const {
    const auto ran = std::count_if(found.begin(), found.end(),
                                   [this](const Found& one) { return allowed(one); });
    const auto algorithm = static_cast<std::size_t>(chosen_.algo);
    std::string text = algorithm < Direction::kNames.size() ? Direction::kNames[algorithm]
                                                            : "an unnamed algorithm";
    text += math_used_ == CUDNN_FMA_MATH ? " with FMAs" : " with TF32 allowed";
    text += searches_ ? ", fastest of " + std::to_string(ran) + " that were timed"
                      : ", first choice of the library's heuristic";
    constexpr std::size_t kKib = 1024;
    text += ", workspace " + std::to_string((workspace_.bytes() + kKib - 1) / kKib) + " KiB";
    if (direct_) text += ", Winograd and FFT left out";
    if (chosen_.determinism == CUDNN_NON_DETERMINISTIC) text += ", results may differ between runs";
    return text;
  }

  Found chosen_{};
  cudnnMathType_t math_used_ = CUDNN_FMA_MATH;
  std::string choice_;
};

// A call without algorithms.
template <cudnnStatus_t (*kCall)(const CudnnPlace&)>
class PlainPlan final : public ConvolutionBase {
 public:
  using ConvolutionBase::ConvolutionBase;
  Result<void> prepare(CUstream) override {
    constexpr double kNoCeiling = 0;
    return check(
        table_,
        table_.set_activation(shapes_.relu, CUDNN_ACTIVATION_RELU, CUDNN_PROPAGATE_NAN, kNoCeiling),
        "cudnnSetActivationDescriptor");
  }
  Result<void> run(CUstream stream) override {
    return use(stream).and_then([&] { return check(table_, kCall(place()), name_); });
  }
};

cudnnStatus_t bias_gradient(const CudnnPlace& p) {
  return p.t.backward_bias(p.handle, &kCudnnOne, p.shapes.y, p.arrays.y, &kCudnnZero, p.shapes.b,
                           p.arrays.b);
}
cudnnStatus_t add_bias(const CudnnPlace& p) {
  return p.t.add_tensor(p.handle, &kCudnnOne, p.shapes.b, p.arrays.b, &kCudnnOne, p.shapes.y,
                        p.arrays.y);
}
cudnnStatus_t relu(const CudnnPlace& p) {
  return p.t.activation_forward(p.handle, p.shapes.relu, &kCudnnOne, p.shapes.y, p.arrays.y,
                                &kCudnnZero, p.shapes.y, p.arrays.y);
}

template <typename Plan>
Result<std::unique_ptr<LibraryPlan>> planned(const CudnnTable& t, const CudaDriver& driver,
                                             const LibraryCall& call, const BufferLookup& buffer_of,
                                             bool tf32) {
  Result<std::shared_ptr<const CudnnHandle>> handle = shared_cudnn_handle(t);
  if (!handle) return tl::unexpected(handle.error());
  auto plan = std::make_unique<Plan>(t, driver, std::move(*handle));
  if (Result<void> done = plan->plan(call, buffer_of, tf32); !done)
    return tl::unexpected(done.error());
  return plan;
}

}  // namespace

Result<std::unique_ptr<LibraryPlan>> plan_cudnn_convolution(const CudnnTable& t,
                                                            const CudaDriver& driver,
                                                            const LibraryCall& call,
                                                            const BufferLookup& buffer_of) {
  struct Row {
    const char* name;
    Result<std::unique_ptr<LibraryPlan>> (*plan)(const CudnnTable&, const CudaDriver&,
                                                 const LibraryCall&, const BufferLookup&, bool);
  };
  constexpr std::array<Row, 4> kRows = {{
      {"cudnn.conv.forward", planned<ConvolutionPlan<CudnnForward>>},
      {"cudnn.conv_bias_relu", planned<ConvolutionPlan<CudnnForwardBiasRelu>>},
      {"cudnn.conv.dgrad", planned<ConvolutionPlan<CudnnBackwardData>>},
      {"cudnn.conv.wgrad", planned<ConvolutionPlan<CudnnBackwardFilter>>},
  }};
  constexpr std::array<Row, 3> kPlain = {{
      {"cudnn.conv.bias_gradient", planned<PlainPlan<bias_gradient>>},
      {"cudnn.bias", planned<PlainPlan<add_bias>>},
      {"cudnn.relu", planned<PlainPlan<relu>>},
  }};
  for (const Row& row : kPlain) {
    if (call.name == row.name) return row.plan(t, driver, call, buffer_of, false);
  }
  for (const Row& row : kRows) {
    for (const bool tf32 : {false, true}) {
      if (call.name == std::string(row.name) + (tf32 ? ".tf32" : ".fp32"))
        return row.plan(t, driver, call, buffer_of, tf32);
    }
  }
  return failure(ErrorKind::internal, "the engine knows no library call of this name", call.name);
}

}  // namespace warpscope
#endif
