// scenes/array.cpp: typed host arrays, the inputs of a scene before they reach a device.
#include "scenes/array.h"

namespace warpscope {

std::int64_t element_bytes(ElementType type) {
  switch (type) {
    case ElementType::u8:
    case ElementType::i8:
      return 1;
    case ElementType::u16:
    case ElementType::f16:
    case ElementType::bf16:
      return 2;
    case ElementType::i32:
    case ElementType::u32:
    case ElementType::f32:
      return 4;
    case ElementType::i64:
    case ElementType::f64:
      break;
  }
  return 8;
}

const char* to_text(ElementType type) {
  constexpr const char* kNames[] = {"u8",  "i8",  "u16",  "i32", "u32",
                                    "i64", "f16", "bf16", "f32", "f64"};
  return kNames[static_cast<int>(type)];
}

}  // namespace warpscope
