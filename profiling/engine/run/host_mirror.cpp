// profiling/engine/run/host_mirror.cpp: page-locked memory of the host beside a device buffer.
#include "profiling/engine/run/host_mirror.h"

#include <utility>

namespace warpscope {

Result<HostMirror> HostMirror::allocate(const Device& device, std::int64_t bytes) {
  HostMirror mirror(device);
  if (bytes == 0) return mirror;
  void* memory = nullptr;
  const auto size = static_cast<std::size_t>(bytes);
  if (Result<void> made = device.check(device.driver().cuMemHostAlloc(&memory, size, 0),
                                       "page-locked memory of the host");
      !made) {
    return tl::unexpected(made.error());
  }
  mirror.bytes_ = {static_cast<std::byte*>(memory), size};
  return mirror;
}

HostMirror::HostMirror(HostMirror&& other) noexcept
    : device_(other.device_), bytes_(std::exchange(other.bytes_, {})) {}

HostMirror& HostMirror::operator=(HostMirror&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

HostMirror::~HostMirror() {
  if (!bytes_.empty()) device_->driver().cuMemFreeHost(bytes_.data());
}

}  // namespace warpscope
