// tests/fuzz/png_of.h: PNG files of one colour, of any size they claim.
#pragma once

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace warpscope {

// A whole PNG of 8 bits a channel, all zero, packed as well as zlib can; `unpacked` bytes of pixels
// where that is not what its size says. source: PNG specification, sections 5 and 11.
inline std::string png_of(std::uint32_t columns, std::uint32_t rows, int channels,
                          std::uint64_t unpacked = 0) {
  const auto big_endian = [](std::uint32_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
    return bytes;
  };
  const auto chunk = [&](const std::string& type, const std::string& content) {
    const std::string sealed = type + content;
    const auto seal =
        ::crc32(0, reinterpret_cast<const Bytef*>(sealed.data()), static_cast<uInt>(sealed.size()));
    return big_endian(static_cast<std::uint32_t>(content.size())) + sealed +
           big_endian(static_cast<std::uint32_t>(seal));
  };
  if (unpacked == 0)
    unpacked = std::uint64_t{rows} * (1 + std::uint64_t{columns} * static_cast<unsigned>(channels));
  std::string packed;
  z_stream stream{};
  ::deflateInit(&stream, Z_BEST_COMPRESSION);
  std::string zeros(1 << 20, '\0'), out(1 << 16, '\0');
  int code = Z_OK;
  while (code != Z_STREAM_END) {
    const std::uint64_t part = std::min<std::uint64_t>(unpacked, zeros.size());
    unpacked -= part;
    stream.next_in = reinterpret_cast<Bytef*>(zeros.data());
    stream.avail_in = static_cast<uInt>(part);
    do {
      stream.next_out = reinterpret_cast<Bytef*>(out.data());
      stream.avail_out = static_cast<uInt>(out.size());
      code = ::deflate(&stream, unpacked == 0 ? Z_FINISH : Z_NO_FLUSH);
      packed.append(out.data(), out.size() - stream.avail_out);
    } while (stream.avail_out == 0);
  }
  ::deflateEnd(&stream);
  std::string header = big_endian(columns) + big_endian(rows);
  header += '\x08';
  header += channels == 4 ? '\x06' : channels == 3 ? '\x02' : '\0';
  header += std::string(3, '\0');
  return std::string("\x89PNG\r\n\x1a\n") + chunk("IHDR", header) + chunk("IDAT", packed) +
         chunk("IEND", "");
}

}  // namespace warpscope
