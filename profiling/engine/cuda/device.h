// profiling/engine/cuda/device.h: one GPU with its context and stream, and memory on it.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <string>

#include "profiling/engine/cuda/cuda_driver.h"
#include "profiling/messages/protocol.h"
#include "scenes/base/scene.h"

namespace warpscope {

// The UUID of a device, without making a context on it. error: environment.
Result<std::string> device_uuid(int ordinal);
// The number of the device with this UUID, or whose UUID alone begins so. error: environment,
// naming the devices that there are.
Result<int> device_of_uuid(const std::string& wanted);

// The primary context of one device, current on the calling thread, and the stream of all work.
class Device {
 public:
  // error: environment.
  static Result<std::unique_ptr<Device>> open(int ordinal);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device();

  const CudaDriver& driver() const { return *driver_; }
  CUcontext context() const { return context_; }
  CUstream stream() const { return stream_; }
  int ordinal() const { return ordinal_; }
  const DeviceDescription& description() const { return description_; }
  const std::string& driver_version() const { return driver_version_; }
  // What constraints are asked with; free_bytes is read anew.
  DeviceLimits limits() const;
  // Succeeds if `bytes` fit the free memory. error: resource, with both numbers.
  Result<void> fits(std::int64_t bytes, const std::string& what) const;
  Result<void> check(CUresult result, std::string_view where) const {
    return warpscope::check(*driver_, result, where);
  }
  Result<void> synchronise(std::string_view where) const {
    return check(driver_->cuStreamSynchronize(stream_), where);
  }

 private:
  Device() = default;
  const CudaDriver* driver_ = nullptr;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
  int ordinal_ = 0;
  DeviceDescription description_;
  std::string driver_version_;
};

// Device memory with guard bytes before and after, freed with the object.
class DeviceBuffer {
 public:
  static constexpr std::int64_t kGuardBytes = 256;
  static constexpr std::uint8_t kGuardValue = 0xA5;

  DeviceBuffer() = default;
  // error: resource.
  static Result<DeviceBuffer> allocate(const Device& device, std::int64_t bytes);
  DeviceBuffer(DeviceBuffer&& other) noexcept { *this = std::move(other); }
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;
  ~DeviceBuffer();

  CUdeviceptr address() const { return base_ + kGuardBytes; }
  std::int64_t bytes() const { return bytes_; }
  // Bytes of both guards that no longer have their value. error: fault.
  Result<std::int64_t> damaged_guard_bytes() const;
  Result<void> restore_guard_bytes() const;

 private:
  const Device* device_ = nullptr;
  CUdeviceptr base_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace warpscope
