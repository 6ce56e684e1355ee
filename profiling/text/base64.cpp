// profiling/text/base64.cpp: bytes as printable characters and back.
#include "profiling/text/base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace warpscope {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<std::int8_t, 256> values_of_digits() {
  std::array<std::int8_t, 256> values{};
  for (std::int8_t& value : values) value = -1;
  for (std::size_t i = 0; i < kDigits.size(); ++i)
    values[static_cast<unsigned char>(kDigits[i])] = static_cast<std::int8_t>(i);
  return values;
}
constexpr auto kValues = values_of_digits();

}  // namespace

std::string base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      text += k <= count ? kDigits[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t group = 0;
  int digits = 0, ends = 0;
  for (const char c : text) {
    if (c == '\n') continue;
    const std::int8_t value = kValues[static_cast<unsigned char>(c)];
    if ((value < 0 && c != '=') || (value >= 0 && ends > 0)) return std::nullopt;
    ends += c == '=' ? 1 : 0;
    group = group << 6 | static_cast<std::uint32_t>(std::max<int>(value, 0));
    if (++digits < 4) continue;
    if (ends > 2) return std::nullopt;
    for (int k = 0; k < 3 - ends; ++k) bytes += static_cast<char>(group >> (16 - 8 * k) & 0xFF);
    group = 0;
    digits = 0;
  }
  return digits == 0 ? std::optional(std::move(bytes)) : std::nullopt;
}

}  // namespace warpscope
