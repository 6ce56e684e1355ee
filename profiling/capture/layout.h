// profiling/capture/layout.h: the bytes of a capture file that its writer and its reader agree on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpscope {

inline constexpr std::string_view kCaptureMagic = "\x89WCAP\r\n\x1a";
inline constexpr std::uint32_t kCaptureVersion = 1;
inline constexpr std::size_t kCaptureHeadBytes = 16;   // magic, version, zero
inline constexpr std::size_t kSectionHeadBytes = 32;   // see SectionHead
inline constexpr std::size_t kPageBytes = 4096;        // memory is kept by pages of this size
inline constexpr std::size_t kPagesPerSection = 256;   // 1 MiB
inline constexpr std::uint32_t kZeroPage = 0;          // all bytes are 0; not stored
inline constexpr std::uint32_t kNoPage = 0xFFFFFFFFu;  // was not kept
// A file that claims more is refused before anything is allocated.
inline constexpr std::uint64_t kMostCapturedBytes = std::uint64_t{8} << 30;

enum class SectionCodec : std::uint32_t { plain = 0, zstd = 1 };

// Little-endian, in this order, without gaps.
struct SectionHead {
  char kind[4] = {};
  std::uint32_t codec = 0;
  std::uint64_t stored_bytes = 0;  // that follow the head
  std::uint64_t plain_bytes = 0;   // once unpacked
  std::uint32_t stored_crc = 0;    // CRC-32 of the stored bytes
  std::uint32_t head_crc = 0;      // CRC-32 of the 28 bytes before it
};
static_assert(sizeof(SectionHead) == kSectionHeadBytes);

// CRC-32 as gzip has it. source: RFC 1952, section 8.
std::uint32_t crc32_of(std::string_view bytes);

}  // namespace warpscope
