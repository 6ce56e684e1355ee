// scenes/base/array.h: typed host arrays, and the buffers that a scene has on a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "scenes/host/paged_bytes.h"

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

// Writes the elements from `first` on that fill `bytes`, from any thread.
using MakeElements = std::function<void(std::int64_t first, std::span<std::byte> bytes)>;

// Bytes as elements of T, which begin at a multiple of its size.
template <typename T>
std::span<T> elements_in(std::span<std::byte> bytes) {
  return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}

// Elements of an array one at a time: of one that is made by page, only what is read gets made.
template <typename T>
class ElementsOf {
 public:
  ElementsOf() = default;
  ElementsOf(const T* first, std::int64_t count, const PagedBytes* pages)
      : first_(first), count_(count), pages_(pages) {}
  std::int64_t count() const { return count_; }
  T operator[](std::int64_t i) const {
    if (pages_ != nullptr) pages_->make(i * kBytes, kBytes);
    return first_[i];
  }

 private:
  static constexpr std::int64_t kBytes = sizeof(T);
  const T* first_ = nullptr;
  std::int64_t count_ = 0;
  const PagedBytes* pages_ = nullptr;
};

// Bytes that are not set yet: threads that fill them touch their own parts first.
class UnsetBytes {
 public:
  UnsetBytes() = default;
  explicit UnsetBytes(std::size_t size)
      : bytes_(std::make_unique_for_overwrite<std::byte[]>(size)), size_(size) {}
  UnsetBytes(const UnsetBytes& other) : UnsetBytes(other.size_) {
    if (size_ != 0) std::memcpy(data(), other.data(), size_);
  }
  UnsetBytes(UnsetBytes&& other) noexcept
      : bytes_(std::move(other.bytes_)), size_(std::exchange(other.size_, 0)) {}
  UnsetBytes& operator=(UnsetBytes other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~UnsetBytes() = default;
  std::byte* data() { return bytes_.get(); }
  const std::byte* data() const { return bytes_.get(); }
  std::size_t size() const { return size_; }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_ = 0;
};

// A contiguous array of one element type. f16 and bf16 are stored as their 16 bits. An array that
// is made page by page looks the same when all of it is read, and otherwise costs only the pages
// that were read.
class HostArray {
 public:
  HostArray() = default;
  // Zeros.
  HostArray(ElementType type, std::int64_t count)
      : type_(type), bytes_(static_cast<std::size_t>(count * element_bytes(type))) {
    fill(std::byte{0});
  }
  template <typename T>
  static HostArray of(std::span<const T> values) {
    HostArray array(element_type_of<T>(), static_cast<std::int64_t>(values.size()));
    if (!values.empty()) std::memcpy(array.bytes_.data(), values.data(), values.size_bytes());
    return array;
  }
  // All elements at once, on several threads; `make` sets each of those it is given.
  static HostArray whole(ElementType type, std::int64_t count, const MakeElements& make);
  // Each page of elements when one of it is first asked for.
  static HostArray by_page(ElementType type, std::int64_t count, MakeElements make);
  ElementType type() const { return type_; }
  std::int64_t count() const { return size_bytes() / element_bytes(type_); }
  std::int64_t size_bytes() const {
    return is_by_page_ ? pages_.size() : static_cast<std::int64_t>(bytes_.size());
  }
  std::span<std::byte> bytes() {
    make_all();
    return {data(), static_cast<std::size_t>(size_bytes())};
  }
  std::span<const std::byte> bytes() const {
    make_all();
    return {data(), static_cast<std::size_t>(size_bytes())};
  }
  // The elements as T, which must have the array's element size (u16 for f16 and bf16).
  template <typename T>
  std::span<T> as() {
    const std::span<std::byte> all = bytes();
    return {reinterpret_cast<T*>(all.data()), all.size() / sizeof(T)};
  }
  template <typename T>
  std::span<const T> as() const {
    const std::span<const std::byte> all = bytes();
    return {reinterpret_cast<const T*>(all.data()), all.size() / sizeof(T)};
  }
  template <typename T>
  ElementsOf<T> elements() const {
    return {reinterpret_cast<const T*>(data()), size_bytes() / static_cast<std::int64_t>(sizeof(T)),
            pages()};
  }
  // Some of its bytes, which get made.
  std::span<std::byte> part(std::int64_t offset, std::int64_t bytes) {
    if (is_by_page_) pages_.make(offset, bytes);
    return {data() + offset, static_cast<std::size_t>(bytes)};
  }
  // Every byte becomes `value`.
  void fill(std::byte value);
  // Where its bytes are, and what makes them before they are touched; null: they are there.
  std::byte* data() { return is_by_page_ ? pages_.data() : bytes_.data(); }
  const std::byte* data() const { return is_by_page_ ? pages_.data() : bytes_.data(); }
  const PagedBytes* pages() const { return is_by_page_ ? &pages_ : nullptr; }

 private:
  void make_all() const {
    if (is_by_page_) pages_.make_all();
  }
  ElementType type_ = ElementType::f32;
  bool is_by_page_ = false;
  UnsetBytes bytes_;
  PagedBytes pages_;
};

using Inputs = std::map<std::string, HostArray>;  // by buffer name

// `state` is what a run reads and leaves changed (weights): restored before every checked run and
// every sample, outside the timed region; runs inside one batched sample continue from each other.
// It begins as the array that an input group makes of its name, or as zeros. A reference whose
// steps write its ".reference" covers it: then it is compared like an output.
enum class BufferRole { input, output, scratch, state };

struct BufferSpec {
  std::string name;  // "b"
  ElementType type = ElementType::f32;
  std::int64_t count = 0;  // elements
  BufferRole role = BufferRole::input;
  std::vector<std::int64_t> shape;  // row-major extents for diagrams: {k, n}; product = count
  std::string symbol;               // "B[k, n]" as drawn
};

// A curve that a run leaves in a buffer of f32: a value a step.
struct CurveSpec {
  std::string name, label;  // "loss", "training loss"
  std::string along, unit;  // of x: "step"; of y: "1"
  std::string buffer;
};

// 8-bit RGB, row by row from the top.
struct Raster {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;  // 3 · width · height bytes
};

// A scene whose kernels read pictures says where they lie in the array, and what another array says
// about places in them; diagrams then draw what a warp reads as pixels of the pictures.
struct PixelMap {
  std::string name;
  std::int64_t first = 0;  // element of the array, within an image
  std::int64_t columns = 0, rows = 0;
};

// A place in a map, in pixels: (0, 0) is the centre of its first pixel.
struct PixelPlace {
  std::size_t map = 0;
  double x = 0, y = 0;
};

struct PixelMaps {
  std::string array;
  std::int64_t pixel = 1;  // elements of a pixel
  std::int64_t image = 0;  // elements after which the maps come again
  std::vector<PixelMap> maps;
  std::string places;  // the array that says where is looked; empty: none
  // For each element of that array, the position it refers to. No value if that does not matter.
  std::function<std::vector<std::optional<PixelPlace>>(std::span<const std::int64_t>)> places_of;
};

}  // namespace warpscope
