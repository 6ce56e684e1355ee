// profiling/engine/cuda/device.cpp: one GPU with its context and stream, and memory on it.
#include "profiling/engine/cuda/device.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <utility>

#include "profiling/figures/metric.h"

namespace warpscope {
namespace {

std::string uuid_text(const CUuuid& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    char pair[4];
    std::snprintf(pair, sizeof pair, "%02x", static_cast<unsigned char>(uuid.bytes[i]));
    text += pair;
    if (i == 3 || i == 5 || i == 7 || i == 9) text += '-';
  }
  return text;
}

// "580.159.04" from the kernel module's own words; empty where they are not readable.
std::string kernel_module_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string word;
  while (file >> word) {
    if (word.find('.') != std::string::npos &&
        word.find_first_not_of("0123456789.") == std::string::npos) {
      return word;
    }
  }
  return {};
}

Result<void> device_exists(const CudaDriver& d, int ordinal) {
  int count = 0;
  if (Result<void> counted = warpscope::check(d, d.cuDeviceGetCount(&count), "cuDeviceGetCount");
      !counted) {
    return counted;
  }
  if (ordinal >= 0 && ordinal < count) return {};
  return failure(ErrorKind::environment,
                 "there is no device " + std::to_string(ordinal) + ": the driver sees " +
                     std::to_string(count),
                 "device", "choose another with --device");
}

}  // namespace

Result<std::string> device_uuid(int ordinal) {
  Result<const CudaDriver*> driver = load_cuda_driver();
  if (!driver) return tl::unexpected(driver.error());
  const CudaDriver& d = **driver;
  CUdevice device = 0;
  CUuuid uuid{};
  return device_exists(d, ordinal)
      .and_then([&] { return warpscope::check(d, d.cuDeviceGet(&device, ordinal), "cuDeviceGet"); })
      .and_then(
          [&] { return warpscope::check(d, d.cuDeviceGetUuid(&uuid, device), "cuDeviceGetUuid"); })
      .map([&] { return uuid_text(uuid); });
}

Result<int> device_of_uuid(const std::string& wanted) {
  Result<const CudaDriver*> driver = load_cuda_driver();
  if (!driver) return tl::unexpected(driver.error());
  int count = 0;
  if (Result<void> counted =
          warpscope::check(**driver, (*driver)->cuDeviceGetCount(&count), "cuDeviceGetCount");
      !counted)
    return tl::unexpected(counted.error());
  std::vector<int> found;
  std::string names;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    const Result<std::string> uuid = device_uuid(ordinal);
    if (!uuid) return tl::unexpected(uuid.error());
    names += (names.empty() ? "" : ", ") + *uuid;
    if (uuid->starts_with(wanted) || uuid->starts_with("GPU-" + wanted)) found.push_back(ordinal);
  }
  if (found.size() == 1) return found.front();
  return failure(ErrorKind::environment,
                 (found.empty() ? "there is no device " : "several devices are called ") + wanted +
                     ": the driver sees " + (names.empty() ? "none" : names),
                 "device", "choose another with --device-uuid");
}

Result<std::unique_ptr<Device>> Device::open(int ordinal) {
  Result<const CudaDriver*> driver = load_cuda_driver();
  if (!driver) return tl::unexpected(driver.error());
  const CudaDriver& d = **driver;
  if (Result<void> exists = device_exists(d, ordinal); !exists)
    return tl::unexpected(exists.error());
  std::unique_ptr<Device> device(new Device);
  device->driver_ = &d;
  device->ordinal_ = ordinal;
  const Result<void> opened =
      device->check(d.cuDeviceGet(&device->device_, ordinal), "cuDeviceGet")
          .and_then([&] {
            return device->check(d.cuDevicePrimaryCtxRetain(&device->context_, device->device_),
                                 "cuDevicePrimaryCtxRetain");
          })
          .and_then(
              [&] { return device->check(d.cuCtxSetCurrent(device->context_), "cuCtxSetCurrent"); })
          .and_then([&] {
            return device->check(d.cuStreamCreate(&device->stream_, CU_STREAM_NON_BLOCKING),
                                 "cuStreamCreate");
          });
  if (!opened) return tl::unexpected(opened.error());
  const auto attribute = [&](CUdevice_attribute which) {
    int value = 0;
    d.cuDeviceGetAttribute(&value, which, device->device_);
    return value;
  };
  DeviceDescription& about = device->description_;
  char name[128] = {};
  d.cuDeviceGetName(name, sizeof name, device->device_);
  about.name = name;
  CUuuid uuid{};
  d.cuDeviceGetUuid(&uuid, device->device_);
  about.uuid = uuid_text(uuid);
  about.compute_capability = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10 +
                             attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  about.multiprocessors = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  about.l2_bytes = attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  about.shared_bytes_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  about.shared_bytes_per_multiprocessor =
      attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  about.registers_per_multiprocessor =
      attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  about.sm_clock_mhz = attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE) / 1e3;
  about.memory_clock_mhz = attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) / 1e3;
  std::size_t free_bytes = 0, total_bytes = 0;
  d.cuMemGetInfo(&free_bytes, &total_bytes);
  about.memory_bytes = static_cast<std::int64_t>(total_bytes);
  about.free_bytes = static_cast<std::int64_t>(free_bytes);
  device->driver_version_ = kernel_module_version();
  return device;
}

Device::~Device() {
  if (stream_ != nullptr) driver_->cuStreamDestroy(stream_);
  if (context_ != nullptr) driver_->cuDevicePrimaryCtxRelease(device_);
}

DeviceLimits Device::limits() const {
  std::size_t free_bytes = 0, total_bytes = 0;
  driver_->cuMemGetInfo(&free_bytes, &total_bytes);
  return {description_.compute_capability,
          description_.multiprocessors,
          description_.shared_bytes_per_block,
          description_.registers_per_multiprocessor,
          description_.l2_bytes,
          static_cast<std::int64_t>(free_bytes)};
}

Result<void> Device::fits(std::int64_t bytes, const std::string& what) const {
  std::size_t free = 0, total = 0;
  if (Result<void> asked = check(driver_->cuMemGetInfo(&free, &total), "cuMemGetInfo"); !asked)
    return asked;
  const auto free_bytes = static_cast<std::int64_t>(free);
  // The driver and the libraries need room of their own.
  constexpr std::int64_t kReserve = 256 << 20;
  if (bytes + kReserve <= free_bytes) return {};
  return failure(ErrorKind::resource,
                 what + " needs " + format_value(static_cast<double>(bytes), "B") + ", " +
                     format_value(static_cast<double>(free_bytes), "B") + " are free on the device",
                 description_.name, "choose smaller sizes");
}

Result<DeviceBuffer> DeviceBuffer::allocate(const Device& device, std::int64_t bytes) {
  const CudaDriver& d = device.driver();
  DeviceBuffer buffer;
  buffer.device_ = &device;
  buffer.bytes_ = bytes;
  const auto whole = static_cast<std::size_t>(bytes + 2 * kGuardBytes);
  return device.check(d.cuMemAlloc(&buffer.base_, whole), "cuMemAlloc")
      .and_then([&] {
        return device.check(d.cuMemsetD8Async(buffer.base_, kGuardValue, whole, device.stream()),
                            "cuMemsetD8");
      })
      // Uploads go through another stream: the fill must be over before the first of them.
      .and_then([&] { return device.synchronise("fill of a new buffer"); })
      .map([&] { return std::move(buffer); });
}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(base_, other.base_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

DeviceBuffer::~DeviceBuffer() {
  if (base_ != 0) device_->driver().cuMemFree(base_);
}

Result<std::int64_t> DeviceBuffer::damaged_guard_bytes() const {
  std::array<std::uint8_t, 2 * kGuardBytes> guards{};
  const CudaDriver& d = device_->driver();
  const auto after = base_ + static_cast<CUdeviceptr>(kGuardBytes + bytes_);
  return device_->check(d.cuMemcpyDtoH(guards.data(), base_, kGuardBytes), "guard")
      .and_then([&] {
        return device_->check(d.cuMemcpyDtoH(guards.data() + kGuardBytes, after, kGuardBytes),
                              "guard");
      })
      .map([&] {
        return static_cast<std::int64_t>(guards.size()) -
               std::count(guards.begin(), guards.end(), kGuardValue);
      });
}

Result<void> DeviceBuffer::restore_guard_bytes() const {
  const CudaDriver& d = device_->driver();
  const auto after = base_ + static_cast<CUdeviceptr>(kGuardBytes + bytes_);
  return device_
      ->check(d.cuMemsetD8Async(base_, kGuardValue, kGuardBytes, device_->stream()), "guard")
      .and_then([&] {
        return device_->check(d.cuMemsetD8Async(after, kGuardValue, kGuardBytes, device_->stream()),
                              "guard");
      })
      .and_then([&] { return device_->synchronise("guard"); });
}

}  // namespace warpscope
