// profiling/engine/measure/warps/probed_kernel.cpp: a kernel with probes in its PTX, loaded by the
// driver beside the kernel itself.
#include "profiling/engine/measure/warps/probed_kernel.h"

#include <array>
#include <cstdint>
#include <span>

#include "profiling/binaries/cubin.h"

namespace warpscope {
namespace {

// What the driver's compiler said, without the zeros that follow.
std::string said(const std::vector<char>& log) { return std::string(log.data()); }

}  // namespace

Result<std::unique_ptr<ProbedKernel>> ProbedKernel::load(const Device& device,
                                                         const BoundStep& step,
                                                         const std::string& ptx,
                                                         const std::string& entry, ProbeSetup setup,
                                                         int warps_per_block) {
  std::unique_ptr<ProbedKernel> made(new ProbedKernel(device, step));
  made->setup_ = setup;
  made->warps_per_block_ = warps_per_block;
  const CudaDriver& d = device.driver();
  if (d.cuModuleLoadDataEx == nullptr) {
    return failure(ErrorKind::environment, "the driver cannot compile PTX", "probes",
                   "install a driver of the 580 series or newer");
  }
  std::vector<char> log(16384, '\0');
  std::array<CUjit_option, 2> options = {CU_JIT_ERROR_LOG_BUFFER,
                                         CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  // The driver takes numbers in the place of pointers.
  std::array<void*, 2> values = {
      log.data(), reinterpret_cast<void*>(static_cast<std::uintptr_t>(log.size() - 1))};
  const CUresult loaded =
      d.cuModuleLoadDataEx(&made->module_, ptx.c_str(), static_cast<unsigned>(options.size()),
                           options.data(), values.data());
  if (loaded != CUDA_SUCCESS) {
    const Result<void> failed = device.check(loaded, "probes");
    Error error = failed.error();
    if (const std::string words = said(log); !words.empty()) error.what += ": " + words;
    if (error.kind == ErrorKind::environment)
      error.remedy = "choose other places for probes, or look at another kernel";
    return tl::unexpected(error);
  }
  const Result<void> found = device.check(
      d.cuModuleGetFunction(&made->function_, made->module_, entry.c_str()), "the probed kernel");
  if (!found) return tl::unexpected(found.error());
  if (Result<void> ready = made->prepare(); !ready) return tl::unexpected(ready.error());
  made->find_variables();
  return made;
}

ProbedKernel::~ProbedKernel() {
  if (module_ != nullptr) device_.driver().cuModuleUnload(module_);
}

Result<void> ProbedKernel::prepare() {
  const CudaDriver& d = device_.driver();
  const Launch& launch = std::get<KernelLaunch>(step_.step().action).launch;
  d.cuFuncGetAttribute(&registers_, CU_FUNC_ATTRIBUTE_NUM_REGS, function_);
  if (launch.dynamic_shared_bytes > 0) {
    const Result<void> raised = device_.check(
        d.cuFuncSetAttribute(function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                             static_cast<int>(launch.dynamic_shared_bytes)),
        "dynamic shared memory");
    if (!raised) return raised;
  }
  const Dim3& cluster = launch.cluster;
  constexpr std::int64_t kMostPortableClusterBlocks = 8;
  if (cluster.x * cluster.y * cluster.z > kMostPortableClusterBlocks) {
    const Result<void> allowed = device_.check(
        d.cuFuncSetAttribute(function_, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
        "a cluster of more than 8 blocks");
    if (!allowed) return allowed;
  }
  Result<DeviceBuffer> records =
      DeviceBuffer::allocate(device_, record_bytes(setup_, warps_per_block_));
  if (!records) return tl::unexpected(records.error());
  records_ = std::move(*records);
  Result<DeviceBuffer> headers =
      DeviceBuffer::allocate(device_, header_bytes(setup_, warps_per_block_));
  if (!headers) return tl::unexpected(headers.error());
  headers_ = std::move(*headers);
  const auto step = static_cast<std::uint64_t>(aligned_to(setup_));
  setup_.records = (records_.address() + step - 1) / step * step;
  setup_.headers = headers_.address();
  std::size_t bytes = 0;
  return device_
      .check(d.cuModuleGetGlobal(&setup_variable_, &bytes, module_, kProbeSetupName),
             kProbeSetupName)
      .and_then([&] { return set_recording(true); });
}

Result<void> ProbedKernel::set_recording(bool on) const {
  const CudaDriver& d = device_.driver();
  const ProbeSetup setup = on ? setup_ : ProbeSetup{};
  return device_.check(d.cuMemcpyHtoD(setup_variable_, &setup, sizeof setup), kProbeSetupName)
      .and_then([&] { return device_.check(d.cuCtxSynchronize(), kProbeSetupName); });
}

void ProbedKernel::find_variables() {
  const CudaDriver& d = device_.driver();
  const CUmodule own = step_.kernel().loaded();
  for (const std::string& name : variable_symbols(*step_.kernel().cubin)) {
    Twin twin;
    std::size_t bytes = 0;
    // One that only the other module has is of no kernel that has probes.
    if (d.cuModuleGetGlobal(&twin.from, &twin.bytes, own, name.c_str()) == CUDA_SUCCESS &&
        d.cuModuleGetGlobal(&twin.to, &bytes, module_, name.c_str()) == CUDA_SUCCESS &&
        bytes == twin.bytes)
      variables_.push_back(twin);
  }
}

Result<void> ProbedKernel::copy_variables(CUstream stream) const {
  for (const Twin& twin : variables_) {
    const Result<void> copied = device_.check(
        device_.driver().cuMemcpyDtoDAsync(twin.to, twin.from, twin.bytes, stream), "variables");
    if (!copied) return copied;
  }
  return {};
}

Result<void> ProbedKernel::clear(CUstream stream) const {
  for (const DeviceBuffer* buffer : {&records_, &headers_}) {
    const Result<void> done =
        device_.check(device_.driver().cuMemsetD8Async(
                          buffer->address(), 0, static_cast<std::size_t>(buffer->bytes()), stream),
                      "probes");
    if (!done) return done;
  }
  return {};
}

Result<ReadWarps> ProbedKernel::read() const {
  std::vector<std::byte> records(static_cast<std::size_t>(records_.bytes()));
  std::vector<std::byte> headers(static_cast<std::size_t>(headers_.bytes()));
  const CudaDriver& d = device_.driver();
  const Result<void> copied =
      device_.check(d.cuMemcpyDtoH(records.data(), records_.address(), records.size()), "probes")
          .and_then([&] {
            return device_.check(d.cuMemcpyDtoH(headers.data(), headers_.address(), headers.size()),
                                 "probes");
          });
  if (!copied) return tl::unexpected(copied.error());
  const std::size_t skipped = setup_.records - records_.address();
  return read_warp_rows(std::span<const std::byte>(records).subspan(skipped), headers, setup_,
                        warps_per_block_);
}

}  // namespace warpscope
