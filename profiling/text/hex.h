// profiling/text/hex.h: bytes as two hexadecimal digits each.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace warpscope {

inline constexpr std::string_view kHexDigits = "0123456789abcdef";

inline std::string hex_text(std::string_view bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char c : bytes) {
    text += kHexDigits[static_cast<unsigned char>(c) >> 4];
    text += kHexDigits[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

// No value: something is not a digit, or the last byte has one digit alone.
inline std::optional<std::string> bytes_of_hex_text(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const std::size_t high = kHexDigits.find(text[i]), low = kHexDigits.find(text[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    bytes += static_cast<char>(high << 4 | low);
  }
  return bytes;
}

}  // namespace warpscope
