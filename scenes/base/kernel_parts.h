// scenes/base/kernel_parts.h: the parts that the kernel steps of every scene are put together from.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "scenes/base/device_units.h"
#include "scenes/base/scene.h"

namespace warpscope {

// The device for which sizes are chosen, since steps are made without a device. On another device
// the sizes are still correct, but not always the fastest. Constraints check them against the
// device at hand.
inline constexpr DeviceLimits kDesignDevice = {};

constexpr std::int64_t ceil_divide(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// A size as a kernel's int.
constexpr std::int32_t as_int(std::int64_t value) { return static_cast<std::int32_t>(value); }

using Defines = std::vector<std::pair<std::string, std::string>>;

inline std::pair<std::string, std::string> define(std::string name, std::int64_t value) {
  return {std::move(name), std::to_string(value)};
}

inline Step run_kernel(std::string name, KernelLaunch kernel) {
  return {std::move(name), Phase::run, std::move(kernel)};
}
inline Step prepare_kernel(std::string name, KernelLaunch kernel) {
  return {std::move(name), Phase::prepare, std::move(kernel)};
}

}  // namespace warpscope
