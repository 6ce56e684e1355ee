// profiling/engine/run/plan.cpp: a variant's steps bound to device memory, kernels and library
// plans.
#include "profiling/engine/run/plan.h"

#include <array>
#include <cstring>
#include <utility>

#include "profiling/engine/cuda/tensor_map.h"
#include "profiling/session/overload.h"
#include "profiling/steps/planned_steps.h"
#include "scenes/base/step_buffers.h"

namespace warpscope {
namespace {

// source: CUDA C++ Programming Guide, technical specifications per compute capability.
constexpr std::int64_t kMaximumGridX = 2147483647, kMaximumGridYz = 65535, kMaximumThreads = 1024;
constexpr std::size_t kMaximumArguments = 64;  // ours, so that a launch allocates nothing

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

using Attributes = std::array<CUlaunchAttribute, 2>;

// How many attributes a launch has beside its shape.
unsigned fill(Attributes& attributes, const Launch& l) {
  unsigned count = 0;
  if (l.cluster != Dim3{}) {
    CUlaunchAttribute& cluster = attributes[count++];
    cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    cluster.value.clusterDim.x = static_cast<unsigned>(l.cluster.x);
    cluster.value.clusterDim.y = static_cast<unsigned>(l.cluster.y);
    cluster.value.clusterDim.z = static_cast<unsigned>(l.cluster.z);
  }
  if (l.cooperative) {
    CUlaunchAttribute& cooperative = attributes[count++];
    cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    cooperative.value.cooperative = 1;
  }
  return count;
}

}  // namespace

Result<const DeviceBuffer*> BoundStep::buffer(const Surroundings& in,
                                              const std::string& name) const {
  if (const DeviceBuffer* found = in.find(name)) return found;
  return failure(ErrorKind::internal, "the step uses an undeclared buffer: " + name, step_.name);
}

Result<std::span<std::byte>> BoundStep::mirror(const Surroundings& in,
                                               const std::string& name) const {
  if (in.mirrors != nullptr) {
    if (const auto found = in.mirrors->find(name); found != in.mirrors->end())
      return found->second.bytes();
  }
  return failure(ErrorKind::usage, "the host has too little memory for " + name + " here",
                 step_.name, "a step on the host belongs to a variant");
}

Result<CUtensorMap> BoundStep::encoded(const Surroundings& in, const TensorMapArgument& map) const {
  const Result<const DeviceBuffer*> found = buffer(in, map.buffer);
  if (!found) return tl::unexpected(found.error());
  return encode_tensor_map(in.device.driver(), map, (*found)->address(), (*found)->bytes());
}

Result<std::size_t> BoundStep::add_value(const Surroundings& in, const Argument& argument) {
  Value value;
  const auto add = [&](std::size_t bytes) {
    values_.push_back(value);
    return bytes;
  };
  return std::visit(
      Overload{[&](const BufferArgument& part) -> Result<std::size_t> {
                 return buffer(in, part.buffer).map([&](const DeviceBuffer* found) {
                   value.bits = found->address() + static_cast<CUdeviceptr>(part.offset_bytes);
                   return add(sizeof(CUdeviceptr));
                 });
               },
               [&](const TensorMapArgument& tensor) -> Result<std::size_t> {
                 const Result<CUtensorMap> map = encoded(in, tensor);
                 if (!map) return tl::unexpected(map.error());
                 value = {maps_.size(), Value::Kind::map};
                 maps_.push_back(*map);
                 return add(sizeof(CUtensorMap));
               },
               [&](const RecordArgument& record) -> Result<std::size_t> {
                 std::vector<std::byte> bytes = record.bytes;
                 for (const auto& [at, part] : record.addresses) {
                   const Result<const DeviceBuffer*> found = buffer(in, part.buffer);
                   if (!found) return tl::unexpected(found.error());
                   const CUdeviceptr address =
                       (*found)->address() + static_cast<CUdeviceptr>(part.offset_bytes);
                   std::memcpy(bytes.data() + at, &address, sizeof address);
                 }
                 for (const auto& [at, tensor] : record.maps) {
                   const Result<CUtensorMap> map = encoded(in, tensor);
                   if (!map) return tl::unexpected(map.error());
                   std::memcpy(bytes.data() + at, &*map, sizeof *map);
                 }
                 value = {records_.size(), Value::Kind::record};
                 records_.push_back(std::move(bytes));
                 return add(record.bytes.size());
               },
               [&](const auto& scalar) -> Result<std::size_t> {
                 std::memcpy(&value.bits, &scalar, sizeof scalar);
                 return add(sizeof scalar);
               }},
      argument);
}

Result<void> BoundStep::bind_to(const Surroundings& in, const KernelLaunch& launch) {
  if (Result<void> legal = launch_is_legal(step_, launch.launch); !legal) return legal;
  Result<Kernel> kernel = in.kernels.load(launch);
  if (!kernel) return tl::unexpected(kernel.error());
  kernel_ = std::move(*kernel);
  const std::vector<std::size_t>& expected = kernel_.parameter_bytes;
  if (expected.size() != launch.arguments.size()) {
    return failure(ErrorKind::internal,
                   launch.entry + " takes " + std::to_string(expected.size()) +
                       " arguments, the step gives " + std::to_string(launch.arguments.size()),
                   step_.name);
  }
  if (expected.size() > kMaximumArguments) {
    return failure(
        ErrorKind::internal,
        launch.entry + " takes more than " + std::to_string(kMaximumArguments) + " arguments",
        step_.name, "pass a structure in a buffer");
  }
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const Result<std::size_t> size = add_value(in, launch.arguments[i]);
    if (!size) return tl::unexpected(size.error());
    if (*size == expected[i]) continue;
    return failure(ErrorKind::internal,
                   "argument " + std::to_string(i) + " of " + launch.entry + " has " +
                       std::to_string(*size) + " bytes, the kernel expects " +
                       std::to_string(expected[i]),
                   step_.name);
  }
  return {};
}

Result<void> BoundStep::bind_to(const Surroundings& in, const Memset& memset) {
  const Result<const DeviceBuffer*> to = buffer(in, memset.buffer);
  if (!to) return tl::unexpected(to.error());
  const Result<ByteRange> range = range_of(memset.part, (*to)->bytes(), memset.buffer);
  if (!range) return refuse(step_, range.error().what);
  to_ = (*to)->address() + static_cast<CUdeviceptr>(range->offset);
  bytes_ = static_cast<std::size_t>(range->bytes);
  return {};
}

Result<void> BoundStep::bind_to(const Surroundings& in, const DeviceCopy& copy) {
  const Result<const DeviceBuffer*> from = buffer(in, copy.from);
  if (!from) return tl::unexpected(from.error());
  const Result<const DeviceBuffer*> to = buffer(in, copy.to);
  if (!to) return tl::unexpected(to.error());
  const Result<CopyRanges> ranges = ranges_of(copy, (*from)->bytes(), (*to)->bytes());
  if (!ranges) return refuse(step_, ranges.error().what);
  from_ = (*from)->address() + static_cast<CUdeviceptr>(ranges->from.offset);
  to_ = (*to)->address() + static_cast<CUdeviceptr>(ranges->to.offset);
  bytes_ = static_cast<std::size_t>(ranges->to.bytes);
  return {};
}

Result<void> BoundStep::bind_to(const Surroundings& in, const HostCopy& copy) {
  const Result<const DeviceBuffer*> device = buffer(in, copy.buffer);
  if (!device) return tl::unexpected(device.error());
  const Result<std::span<std::byte>> host = mirror(in, copy.buffer);
  if (!host) return tl::unexpected(host.error());
  const Result<ByteRange> range = range_of(copy.part, (*device)->bytes(), copy.buffer);
  if (!range) return refuse(step_, range.error().what);
  to_ = (*device)->address() + static_cast<CUdeviceptr>(range->offset);
  host_ = host->data() + range->offset;
  bytes_ = static_cast<std::size_t>(range->bytes);
  return {};
}

Result<void> BoundStep::bind_to(const Surroundings& in, const HostStep& host) {
  for (const std::vector<std::string>* names : {&host.function.reads, &host.function.writes}) {
    for (const std::string& name : *names) {
      const Result<std::span<std::byte>> bytes = mirror(in, name);
      if (!bytes) return tl::unexpected(bytes.error());
      host_buffers_[name] = *bytes;
    }
  }
  return {};
}

Result<void> BoundStep::bind_to(const Surroundings& in, const ConstantCopy& copy) {
  const Result<const DeviceBuffer*> from = buffer(in, copy.from);
  if (!from) return tl::unexpected(from.error());
  const Result<ByteRange> range = range_of(copy.part, (*from)->bytes(), copy.from);
  if (!range) return refuse(step_, range.error().what);
  const Result<ConstantPlace> place = in.kernels.find_constant(copy);
  if (!place) return tl::unexpected(place.error());
  const Result<void> fits =
      fits_constant(copy.symbol, static_cast<std::int64_t>(place->bytes), range->bytes);
  if (!fits) return refuse(step_, fits.error().what);
  from_ = (*from)->address() + static_cast<CUdeviceptr>(range->offset);
  to_ = place->address;
  kernel_.module = place->module;
  bytes_ = static_cast<std::size_t>(range->bytes);
  return {};
}

Result<void> BoundStep::bind_to(const Surroundings& in, const LibraryCall& call) {
  const auto address = [&](const std::string& name) {
    return buffer(in, name).map([](const DeviceBuffer* found) { return found->address(); });
  };
  Result<std::unique_ptr<LibraryPlan>> plan = plan_library_call(in.device.driver(), call, address);
  if (!plan) return tl::unexpected(plan.error());
  library_ = std::move(*plan);
  return {};
}

Result<BoundStep> BoundStep::bind(const Device& device, KernelStore& kernels, const Step& step,
                                  const BufferFinder& find, const HostMirrors* mirrors) {
  BoundStep bound;
  bound.device_ = &device;
  bound.step_ = step;
  const Surroundings in{device, kernels, find, mirrors};
  const Result<void> done =
      std::visit([&](const auto& action) { return bound.bind_to(in, action); }, bound.step_.action);
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
  if (std::holds_alternative<DeviceCopy>(step_.action) ||
      std::holds_alternative<ConstantCopy>(step_.action)) {
    if (bytes_ == 0) return {};
    return device_->check(d.cuMemcpyDtoDAsync(to_, from_, bytes_, stream), step_.name);
  }
  return launch(kernel_.function, stream);
}

Result<void> BoundStep::launch(CUfunction function, CUstream stream) const {
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
  Attributes attributes{};
  config.attrs = attributes.data();
  config.numAttrs = fill(attributes, l);
  std::array<void*, kMaximumArguments> pointers{};
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const auto place = static_cast<std::size_t>(values_[i].bits);
    const void* value = &values_[i].bits;
    if (values_[i].kind == Value::Kind::map) value = &maps_[place];
    if (values_[i].kind == Value::Kind::record) value = records_[place].data();
    pointers[i] = const_cast<void*>(value);  // the driver only reads it
  }
  return device_->check(
      device_->driver().cuLaunchKernelEx(&config, function, pointers.data(), nullptr), step_.name);
}

Result<void> BoundStep::prepare_library(CUstream stream) const {
  return library_ == nullptr ? Result<void>{} : library_->prepare(stream);
}

std::string BoundStep::library_choice() const {
  return library_ == nullptr ? std::string() : library_->choice();
}

StepRecord record_of(const BoundStep& bound) {
  StepRecord record = planned_record(bound.step());
  if (!std::holds_alternative<KernelLaunch>(bound.step().action)) return record;
  record.text_hash = bound.kernel().text_hash;
  record.resources = bound.kernel().resources;
  record.compile_log = bound.kernel().log;
  return record;
}

}  // namespace warpscope
