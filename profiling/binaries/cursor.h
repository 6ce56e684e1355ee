// profiling/binaries/cursor.h: a place in a text of bytes that stops at its end.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace warpscope {

// What is read after the end is 0, and the cursor is `torn` from then on.
struct Cursor {
  std::string_view text;
  std::size_t at = 0;
  bool torn = false;

  template <typename T>
  T fixed() {
    T value{};
    if (at > text.size() || text.size() - at < sizeof value) {
      torn = true;
      return value;
    }
    std::memcpy(&value, text.data() + at, sizeof value);  // both sides are little-endian
    at += sizeof value;
    return value;
  }
  // Seven bits a byte, the lowest first; signed ones continue bit 6 of the last byte.
  std::uint64_t bits(bool is_signed) {
    std::uint64_t value = 0;
    unsigned shift = 0;
    std::uint8_t byte = 0;
    do {
      byte = fixed<std::uint8_t>();
      if (shift < 64) value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      shift += 7;
    } while ((byte & 0x80) != 0 && !torn);
    if (is_signed && shift < 64 && (byte & 0x40) != 0) value |= ~std::uint64_t{0} << shift;
    return value;
  }
  std::uint64_t number() { return bits(false); }
  std::int64_t signed_number() { return static_cast<std::int64_t>(bits(true)); }
  std::string string() {
    const std::size_t end = at > text.size() ? std::string_view::npos : text.find('\0', at);
    if (end == std::string_view::npos) {
      torn = true;
      return {};
    }
    std::string words(text.substr(at, end - at));
    at = end + 1;
    return words;
  }
};

}  // namespace warpscope
