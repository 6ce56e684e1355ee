// profiling/emulator/state/tensor_map.cpp: tensor maps as emulated kernels take them.
#include "profiling/emulator/state/tensor_map.h"

namespace warpscope {
namespace {

// source: PTX ISA, "tensormap.replace", elemtype.
std::uint32_t element_type_number(ElementType type) {
  switch (type) {
    case ElementType::u8:
    case ElementType::i8:
      return 0;
    case ElementType::u16:
      return 1;
    case ElementType::u32:
      return 2;
    case ElementType::i32:
      return 3;
    case ElementType::i64:
      return 5;
    case ElementType::f16:
      return 6;
    case ElementType::f32:
      return 7;
    case ElementType::f64:
      return 9;
    case ElementType::bf16:
      return 10;
  }
  return 0;
}

}  // namespace

Result<EmulatedTensorMap> emulated_tensor_map(const TensorMapArgument& map, std::uint64_t address,
                                              std::int64_t buffer_bytes) {
  if (Result<void> legal = tensor_map_is_legal(map, buffer_bytes); !legal) {
    return tl::unexpected(legal.error());
  }
  EmulatedTensorMap encoded;
  encoded.type = element_type_number(map.type);
  encoded.swizzle = static_cast<std::uint32_t>(map.swizzle);
  encoded.address = address + static_cast<std::uint64_t>(map.offset_bytes);
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
