// profiling/engine/run/plan.cpp: a variant's steps bound to device memory, kernels and library
// plans.
#include "profiling/engine/run/plan.h"

#include <array>
#include <cstring>
#include <utility>

#include "profiling/engine/cuda/tensor_map.h"
#include "scenes/base/step_buffers.h"

namespace warpscope {
namespace {

// source: CUDA C++ Programming Guide, technical specifications per compute capability.
constexpr std::int64_t kMaximumGridX = 2147483647, kMaximumGridYz = 65535, kMaximumThreads = 1024;
constexpr std::size_t kMaximumArguments = 64;  // ours, so that a launch allocates nothing

template <class... Ts>
struct Overload : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overload(Ts...) -> Overload<Ts...>;

tl::unexpected<Error> refuse(const Step& step, std::string what) {
  return failure(ErrorKind::usage, std::move(what), "step " + step.name, "choose other sizes");
}

Result<void> launch_is_legal(const Step& step, const Launch& l) {
  const auto text = [](std::int64_t v) { return std::to_string(v); };
  if (l.grid.x < 1 || l.grid.y < 1 || l.grid.z < 1) return refuse(step, "the grid is empty");
  if (l.grid.x > kMaximumGridX)
    return refuse(step, "grid.x is " + text(l.grid.x) + ", the limit is 2147483647");
  if (l.grid.y > kMaximumGridYz)
    return refuse(step, "grid.y is " + text(l.grid.y) + ", the limit is 65535");
  if (l.grid.z > kMaximumGridYz)
    return refuse(step, "grid.z is " + text(l.grid.z) + ", the limit is 65535");
  const std::int64_t threads = l.block.x * l.block.y * l.block.z;
  if (threads < 1 || threads > kMaximumThreads) {
    return refuse(step, "a block of " + text(threads) + " threads; the limit is 1024");
  }
  return {};
}

}  // namespace

Result<BoundStep> BoundStep::bind(const Device& device, KernelStore& kernels, const Step& step,
                                  const BufferFinder& find, const HostMirrors* mirrors) {
  BoundStep bound;
  bound.device_ = &device;
  bound.step_ = step;
  const auto address = [&](const std::string& name) -> Result<CUdeviceptr> {
    if (const DeviceBuffer* buffer = find(name)) return buffer->address();
    return failure(ErrorKind::internal, "the step names a buffer that nobody declares: " + name,
                   step.name);
  };
  const auto bind_kernel = [&](const KernelLaunch& launch) -> Result<void> {
    if (Result<void> legal = launch_is_legal(step, launch.launch); !legal) return legal;
    Result<Kernel> kernel = kernels.load(launch);
    if (!kernel) return tl::unexpected(kernel.error());
    bound.kernel_ = std::move(*kernel);
    const std::vector<std::size_t>& expected = bound.kernel_.parameter_bytes;
    if (expected.size() != launch.arguments.size()) {
      return failure(ErrorKind::internal,
                     launch.entry + " takes " + std::to_string(expected.size()) +
                         " arguments, the step gives " + std::to_string(launch.arguments.size()),
                     step.name);
    }
    if (expected.size() > kMaximumArguments) {
      return failure(
          ErrorKind::internal,
          launch.entry + " takes more than " + std::to_string(kMaximumArguments) + " arguments",
          step.name, "pass a structure in a buffer");
    }
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
      Value value;
      std::size_t size = 0;
      Result<void> packed = std::visit(
          Overload{[&](const BufferArgument& argument) -> Result<void> {
                     Result<CUdeviceptr> found = address(argument.buffer);
                     if (!found) return tl::unexpected(found.error());
                     value.bits = *found + static_cast<CUdeviceptr>(argument.offset_bytes);
                     size = sizeof(CUdeviceptr);
                     return {};
                   },
                   [&](const TensorMapArgument& argument) -> Result<void> {
                     const DeviceBuffer* buffer = find(argument.buffer);
                     if (buffer == nullptr) return tl::unexpected(address(argument.buffer).error());
                     Result<CUtensorMap> map = encode_tensor_map(
                         device.driver(), argument, buffer->address(), buffer->bytes());
                     if (!map) return tl::unexpected(map.error());
                     value = {bound.maps_.size(), true};
                     bound.maps_.push_back(*map);
                     size = sizeof(CUtensorMap);
                     return {};
                   },
                   [&](const auto& scalar) -> Result<void> {
                     std::memcpy(&value.bits, &scalar, sizeof scalar);
                     size = sizeof scalar;
                     return {};
                   }},
          launch.arguments[i]);
      if (!packed) return packed;
      if (size != expected[i]) {
        return failure(ErrorKind::internal,
                       "argument " + std::to_string(i) + " of " + launch.entry + " has " +
                           std::to_string(size) + " bytes, the kernel expects " +
                           std::to_string(expected[i]),
                       step.name);
      }
      bound.values_.push_back(value);
    }
    return {};
  };
  const auto bind_memset = [&](const Memset& memset) -> Result<void> {
    const DeviceBuffer* buffer = find(memset.buffer);
    if (buffer == nullptr) return tl::unexpected(address(memset.buffer).error());
    const Result<ByteRange> range = range_of(memset.part, buffer->bytes(), memset.buffer);
    if (!range) return refuse(step, range.error().what);
    bound.to_ = buffer->address() + static_cast<CUdeviceptr>(range->offset);
    bound.bytes_ = static_cast<std::size_t>(range->bytes);
    return {};
  };
  const auto bind_copy = [&](const DeviceCopy& copy) -> Result<void> {
    const DeviceBuffer *from = find(copy.from), *to = find(copy.to);
    if (from == nullptr) return tl::unexpected(address(copy.from).error());
    if (to == nullptr) return tl::unexpected(address(copy.to).error());
    const Result<CopyRanges> ranges = ranges_of(copy, from->bytes(), to->bytes());
    if (!ranges) return refuse(step, ranges.error().what);
    bound.from_ = from->address() + static_cast<CUdeviceptr>(ranges->from.offset);
    bound.to_ = to->address() + static_cast<CUdeviceptr>(ranges->to.offset);
    bound.bytes_ = static_cast<std::size_t>(ranges->to.bytes);
    return {};
  };
  const auto mirror = [&](const std::string& name) -> Result<std::span<std::byte>> {
    const auto found = mirrors == nullptr ? HostMirrors::const_iterator{} : mirrors->find(name);
    if (mirrors != nullptr && found != mirrors->end()) return found->second.bytes();
    return failure(ErrorKind::usage, "the host has no memory for " + name + " here", step.name,
                   "a step on the host belongs to a variant");
  };
  const auto bind_host_copy = [&](const HostCopy& copy) -> Result<void> {
    const DeviceBuffer* buffer = find(copy.buffer);
    if (buffer == nullptr) return tl::unexpected(address(copy.buffer).error());
    const Result<std::span<std::byte>> host = mirror(copy.buffer);
    if (!host) return tl::unexpected(host.error());
    const Result<ByteRange> range = range_of(copy.part, buffer->bytes(), copy.buffer);
    if (!range) return refuse(step, range.error().what);
    bound.to_ = buffer->address() + static_cast<CUdeviceptr>(range->offset);
    bound.host_ = host->data() + range->offset;
    bound.bytes_ = static_cast<std::size_t>(range->bytes);
    return {};
  };
  const auto bind_host = [&](const HostStep& host) -> Result<void> {
    for (const std::vector<std::string>* names : {&host.function.reads, &host.function.writes}) {
      for (const std::string& name : *names) {
        const Result<std::span<std::byte>> bytes = mirror(name);
        if (!bytes) return tl::unexpected(bytes.error());
        bound.host_buffers_[name] = *bytes;
      }
    }
    return {};
  };
  const auto bind_library = [&](const LibraryCall& call) -> Result<void> {
    Result<std::unique_ptr<LibraryPlan>> plan = plan_library_call(device.driver(), call, address);
    if (!plan) return tl::unexpected(plan.error());
    bound.library_ = std::move(*plan);
    return {};
  };
  Result<void> done = std::visit(
      Overload{bind_kernel, bind_memset, bind_copy, bind_library, bind_host_copy, bind_host},
      step.action);
  if (!done) return tl::unexpected(done.error());
  return bound;
}

Result<void> BoundStep::run(CUstream stream) const {
  const CudaDriver& d = device_->driver();
  if (library_ != nullptr) return library_->run(stream);
  if (const auto* host = std::get_if<HostStep>(&step_.action)) {
    if (Result<void> idle = device_->check(d.cuStreamSynchronize(stream), step_.name); !idle)
      return idle;
    HostBuffers buffers = host_buffers_;
    return host->function.compute(buffers);
  }
  if (const auto* copy = std::get_if<HostCopy>(&step_.action)) {
    if (bytes_ == 0) return {};
    return device_->check(copy->direction == HostCopy::Direction::to_host
                              ? d.cuMemcpyDtoHAsync(host_, to_, bytes_, stream)
                              : d.cuMemcpyHtoDAsync(to_, host_, bytes_, stream),
                          step_.name);
  }
  if (std::holds_alternative<Memset>(step_.action)) {
    if (bytes_ == 0) return {};
    return device_->check(
        d.cuMemsetD8Async(to_, std::get<Memset>(step_.action).value, bytes_, stream), step_.name);
  }
  if (std::holds_alternative<DeviceCopy>(step_.action)) {
    if (bytes_ == 0) return {};
    return device_->check(d.cuMemcpyDtoDAsync(to_, from_, bytes_, stream), step_.name);
  }
  const Launch& l = std::get<KernelLaunch>(step_.action).launch;
  CUlaunchConfig config{};
  config.gridDimX = static_cast<unsigned>(l.grid.x);
  config.gridDimY = static_cast<unsigned>(l.grid.y);
  config.gridDimZ = static_cast<unsigned>(l.grid.z);
  config.blockDimX = static_cast<unsigned>(l.block.x);
  config.blockDimY = static_cast<unsigned>(l.block.y);
  config.blockDimZ = static_cast<unsigned>(l.block.z);
  config.sharedMemBytes = static_cast<unsigned>(l.dynamic_shared_bytes);
  config.hStream = stream;
  CUlaunchAttribute cluster{};
  if (l.cluster != Dim3{}) {
    cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    cluster.value.clusterDim.x = static_cast<unsigned>(l.cluster.x);
    cluster.value.clusterDim.y = static_cast<unsigned>(l.cluster.y);
    cluster.value.clusterDim.z = static_cast<unsigned>(l.cluster.z);
    config.attrs = &cluster;
    config.numAttrs = 1;
  }
  std::array<void*, kMaximumArguments> pointers{};
  for (std::size_t i = 0; i < values_.size(); ++i) {
    // The driver only reads them.
    pointers[i] = values_[i].is_map ? static_cast<void*>(const_cast<CUtensorMap*>(
                                          &maps_[static_cast<std::size_t>(values_[i].bits)]))
                                    : const_cast<std::uint64_t*>(&values_[i].bits);
  }
  return device_->check(d.cuLaunchKernelEx(&config, kernel_.function, pointers.data(), nullptr),
                        step_.name);
}

Result<void> BoundStep::prepare_library(CUstream stream) const {
  return library_ == nullptr ? Result<void>{} : library_->prepare(stream);
}

StepRecord record_of(const BoundStep& bound) {
  const Step& step = bound.step();
  StepRecord record;
  record.name = step.name;
  record.phase = step.phase;
  record.tags = step.tags;
  std::visit(Overload{[&](const KernelLaunch& kernel) {
                        record.kind = "kernel";
                        record.source = kernel.source;
                        record.text_hash = bound.kernel().text_hash;
                        record.entry = kernel.entry;
                        record.launch = kernel.launch;
                        record.resources = bound.kernel().resources;
                        record.compile_log = bound.kernel().log;
                      },
                      [&](const Memset& memset) {
                        record.kind = "memset";
                        record.source = memset.buffer;
                      },
                      [&](const DeviceCopy& copy) {
                        record.kind = "copy";
                        record.source = copy.from + " to " + copy.to;
                      },
                      [&](const LibraryCall& call) {
                        record.kind = "library";
                        record.source = call.name;
                      },
                      [&](const HostCopy& copy) {
                        record.kind = "copy";
                        record.source =
                            copy.buffer + (copy.direction == HostCopy::Direction::to_host
                                               ? " to the host"
                                               : " to the device");
                      },
                      [&](const HostStep& host) {
                        record.kind = "host";
                        record.source = host.sentence;
                      }},
             step.action);
  return record;
}

}  // namespace warpscope
