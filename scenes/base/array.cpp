// scenes/base/array.cpp: typed host arrays, the inputs of a scene before they reach a device.
#include "scenes/base/array.h"

#include <algorithm>
#include <utility>

#include "scenes/host/enumerators.h"
#include "scenes/host/parallel.h"

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
  return named(type, {"u8", "i8", "u16", "i32", "u32", "i64", "f16", "bf16", "f32", "f64"});
}

HostArray HostArray::whole(ElementType type, std::int64_t count, const MakeElements& make) {
  constexpr std::int64_t kSmallestPiece = 16384;
  const std::int64_t size = element_bytes(type);
  HostArray array;
  array.type_ = type;
  array.bytes_ = UnsetBytes(static_cast<std::size_t>(count * size));
  parallel_for(count, kSmallestPiece, [&](std::int64_t begin, std::int64_t end) {
    make(begin, array.bytes().subspan(static_cast<std::size_t>(begin * size),
                                      static_cast<std::size_t>((end - begin) * size)));
  });
  return array;
}

HostArray HostArray::by_page(ElementType type, std::int64_t count, MakeElements make) {
  const std::int64_t size = element_bytes(type);
  HostArray array;
  array.type_ = type;
  array.is_by_page_ = true;
  array.pages_ = PagedBytes(
      count * size, [make = std::move(make), size](std::int64_t first, std::span<std::byte> page) {
        make(first / size, page);
      });
  return array;
}

void HostArray::fill(std::byte value) {
  const auto all = [value](std::int64_t, std::span<std::byte> page) {
    std::fill(page.begin(), page.end(), value);
  };
  if (is_by_page_) {
    pages_.refill(all);
  } else {
    all(0, {bytes_.data(), bytes_.size()});
  }
}

}  // namespace warpscope
