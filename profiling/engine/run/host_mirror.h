// profiling/engine/run/host_mirror.h: page-locked memory of the host beside a device buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "profiling/engine/cuda/device.h"

namespace warpscope {

// Page-locked, so that copies run beside the host; freed with the object.
class HostMirror {
 public:
  // error: resource.
  static Result<HostMirror> allocate(const Device& device, std::int64_t bytes);
  HostMirror(HostMirror&& other) noexcept;
  HostMirror& operator=(HostMirror&& other) noexcept;
  ~HostMirror();

  std::span<std::byte> bytes() const { return bytes_; }

 private:
  explicit HostMirror(const Device& device) : device_(&device) {}
  const Device* device_ = nullptr;
  std::span<std::byte> bytes_;
};

using HostMirrors = std::map<std::string, HostMirror>;  // by buffer

}  // namespace warpscope
