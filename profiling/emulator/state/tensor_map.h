// profiling/emulator/state/tensor_map.h: tensor maps as emulated kernels take them.
#pragma once

#include <array>
#include <cstdint>

#include "scenes/base/step.h"

namespace warpscope {

// What a device keeps in the 128 opaque bytes of a CUtensorMap, in a form of our own. Kernels copy
// its bytes about and give its address to bulk tensor copies, which read it.
struct alignas(64) EmulatedTensorMap {
  static constexpr std::uint64_t tensor_map_magic = 0x70616d20736f7726ull;
  std::uint64_t magic = tensor_map_magic;  // anything else is not a tensor map
  std::uint64_t address = 0;               // of element 0, as kernels see it
  std::array<std::uint64_t, 5> extents{};  // elements, innermost first
  std::array<std::uint64_t, 5> strides{};  // bytes; strides[0] is the element's size
  std::array<std::uint16_t, 5> box{};      // elements
  std::uint16_t dimensions = 0;
  std::uint32_t swizzle = 0;  // as CUtensorMapSwizzle: none, 32, 64 or 128 bytes
  std::uint32_t type = 0;     // as elemtype of tensormap.replace counts them
  std::uint32_t reserved[3] = {};
};
static_assert(sizeof(EmulatedTensorMap) == 128);

// `address`: of the buffer. error: usage, with the rule that is broken: see tensor_map_is_legal.
Result<EmulatedTensorMap> emulated_tensor_map(const TensorMapArgument& map, std::uint64_t address,
                                              std::int64_t buffer_bytes);

}  // namespace warpscope
