// profiling/emulator/state/tensor_map.cpp: tensor maps as emulated kernels take them.
#include "profiling/emulator/state/tensor_map.h"

namespace warpscope {

Result<EmulatedTensorMap> emulated_tensor_map(const TensorMapArgument& map, std::uint64_t address,
                                              std::int64_t buffer_bytes) {
  if (Result<void> legal = tensor_map_is_legal(map, buffer_bytes); !legal) {
    return tl::unexpected(legal.error());
  }
  EmulatedTensorMap encoded;
  encoded.address = address;
  encoded.dimensions = static_cast<std::uint16_t>(map.extents.size());
  for (std::size_t d = 0; d < map.extents.size(); ++d) {
    encoded.extents[d] = static_cast<std::uint64_t>(map.extents[d]);
    encoded.strides[d] =
        static_cast<std::uint64_t>(d == 0 ? element_bytes(map.type) : map.strides_bytes[d - 1]);
    encoded.box[d] = static_cast<std::uint16_t>(map.box[d]);
  }
  return encoded;
}

}  // namespace warpscope
