// profiling/capture/layout.cpp: the checksum of capture files.
#include "profiling/capture/layout.h"

#include <array>

namespace warpscope {
namespace {

constexpr std::array<std::array<std::uint32_t, 256>, 8> tables() {
  std::array<std::array<std::uint32_t, 256>, 8> made{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? 0xEDB88320u : 0);
    made[0][i] = value;
  }
  for (std::uint32_t i = 0; i < 256; ++i) {
    for (std::size_t t = 1; t < 8; ++t)
      made[t][i] = (made[t - 1][i] >> 8) ^ made[0][made[t - 1][i] & 255];
  }
  return made;
}
constexpr auto kTables = tables();

}  // namespace

std::uint32_t crc32_of(std::string_view bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  std::uint32_t crc = 0xFFFFFFFFu;
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {  // eight bytes per turn
    crc ^= static_cast<std::uint32_t>(byte(i)) | static_cast<std::uint32_t>(byte(i + 1)) << 8 |
           static_cast<std::uint32_t>(byte(i + 2)) << 16 |
           static_cast<std::uint32_t>(byte(i + 3)) << 24;
    crc = kTables[7][crc & 255] ^ kTables[6][(crc >> 8) & 255] ^ kTables[5][(crc >> 16) & 255] ^
          kTables[4][crc >> 24] ^ kTables[3][byte(i + 4)] ^ kTables[2][byte(i + 5)] ^
          kTables[1][byte(i + 6)] ^ kTables[0][byte(i + 7)];
  }
  for (; i < bytes.size(); ++i) crc = (crc >> 8) ^ kTables[0][(crc ^ byte(i)) & 255];
  return ~crc;
}

}  // namespace warpscope
