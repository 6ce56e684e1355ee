// scenes/array.h: typed host arrays, the inputs of a scene before they reach a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace warpscope {

enum class ElementType { u8, i8, u16, i32, u32, i64, f16, bf16, f32, f64 };

std::int64_t element_bytes(ElementType type);
const char* to_text(ElementType type);  // "f32"

template <typename T>
constexpr ElementType element_type_of() {
  if constexpr (std::is_same_v<T, std::uint8_t>) return ElementType::u8;
  if constexpr (std::is_same_v<T, std::int8_t>) return ElementType::i8;
  if constexpr (std::is_same_v<T, std::uint16_t>) return ElementType::u16;
  if constexpr (std::is_same_v<T, std::int32_t>) return ElementType::i32;
  if constexpr (std::is_same_v<T, std::uint32_t>) return ElementType::u32;
  if constexpr (std::is_same_v<T, std::int64_t>) return ElementType::i64;
  if constexpr (std::is_same_v<T, float>) return ElementType::f32;
  if constexpr (std::is_same_v<T, double>) return ElementType::f64;
}

// A contiguous array of one element type. f16 and bf16 are stored as their 16 bits.
class HostArray {
 public:
  HostArray() = default;
  HostArray(ElementType type, std::int64_t count)
      : type_(type), bytes_(static_cast<std::size_t>(count * element_bytes(type))) {}
  template <typename T>
  static HostArray of(std::span<const T> values) {
    HostArray array(element_type_of<T>(), static_cast<std::int64_t>(values.size()));
    if (!values.empty()) std::memcpy(array.bytes_.data(), values.data(), values.size_bytes());
    return array;
  }
  ElementType type() const { return type_; }
  std::int64_t count() const {
    return static_cast<std::int64_t>(bytes_.size()) / element_bytes(type_);
  }
  std::span<std::byte> bytes() { return bytes_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  // The elements as T, which must have the array's element size (u16 for f16 and bf16).
  template <typename T>
  std::span<T> as() {
    return {reinterpret_cast<T*>(bytes_.data()), bytes_.size() / sizeof(T)};
  }
  template <typename T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(bytes_.data()), bytes_.size() / sizeof(T)};
  }

 private:
  ElementType type_ = ElementType::f32;
  std::vector<std::byte> bytes_;
};

using Inputs = std::map<std::string, HostArray>;  // by buffer name

}  // namespace warpscope
