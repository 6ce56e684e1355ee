// profiling/binaries/unpack.cpp: compressed parts of a fat binary, unpacked.
#include "profiling/binaries/unpack.h"

#include <zstd.h>

#include <algorithm>

namespace warpscope {
namespace {

tl::unexpected<Error> damaged(const std::string& where) {
  return failure(ErrorKind::input, "a compressed part of the fat binary is damaged", where,
                 "compile or copy it again");
}

Result<void> check_size(std::uint64_t bytes, const std::string& where) {
  if (bytes <= kMostUnpackedBytes) return {};
  return failure(ErrorKind::resource,
                 "a compressed part of the fat binary would take more than 256 MB", where,
                 "name a file with smaller kernels");
}

class Lz4Block {
 public:
  Lz4Block(std::string_view packed, std::uint64_t bytes) : packed_(packed), most_(bytes) {
    // No form of a block gives more than 255 bytes per byte.
    text_.reserve(std::min<std::uint64_t>(bytes, 255 * packed.size()));
  }
  bool unpack() {
    while (at_ < packed_.size()) {
      const auto token = static_cast<std::uint8_t>(packed_[at_++]);
      std::size_t literals = token >> 4, match = token & 0xF;
      if (!lengthen(literals) || !copy_literals(literals)) return false;
      if (at_ == packed_.size()) break;  // the last sequence has literals alone
      constexpr std::size_t kShortestMatch = 4;
      std::size_t distance = 0;
      if (!read_distance(distance) || !lengthen(match)) return false;
      if (!copy_match(distance, match + kShortestMatch)) return false;
    }
    return text_.size() == most_;
  }
  std::string take() { return std::move(text_); }

 private:
  // 15 goes on in bytes that are added, until one is below 255.
  bool lengthen(std::size_t& length) {
    if (length != 15) return true;
    std::uint8_t more = 255;
    while (more == 255) {
      if (at_ >= packed_.size() || length > most_) return false;
      more = static_cast<std::uint8_t>(packed_[at_++]);
      length += more;
    }
    return true;
  }
  bool copy_literals(std::size_t count) {
    if (count > packed_.size() - at_ || count > most_ - text_.size()) return false;
    text_.append(packed_.substr(at_, count));
    at_ += count;
    return true;
  }
  bool read_distance(std::size_t& distance) {
    if (packed_.size() - at_ < 2) return false;
    distance = static_cast<std::uint8_t>(packed_[at_]) |
               static_cast<std::size_t>(static_cast<std::uint8_t>(packed_[at_ + 1])) << 8;
    at_ += 2;
    return true;
  }
  // The match may overlap what it writes: it then repeats.
  bool copy_match(std::size_t distance, std::size_t count) {
    if (distance == 0 || distance > text_.size() || count > most_ - text_.size()) return false;
    for (std::size_t i = 0; i < count; ++i) text_ += text_[text_.size() - distance];
    return true;
  }

  std::string_view packed_;
  std::uint64_t most_;
  std::size_t at_ = 0;
  std::string text_;
};

}  // namespace

Result<std::string> unpack_lz4(std::string_view packed, std::uint64_t bytes,
                               const std::string& where) {
  if (Result<void> fits = check_size(bytes, where); !fits) return tl::unexpected(fits.error());
  Lz4Block block(packed, bytes);
  if (!block.unpack()) return damaged(where);
  return block.take();
}

Result<std::string> unpack_zstd(std::string_view packed, std::uint64_t bytes,
                                const std::string& where) {
  if (Result<void> fits = check_size(bytes, where); !fits) return tl::unexpected(fits.error());
  // The frame says the size as well: a wrong one is refused before memory is taken.
  if (ZSTD_getFrameContentSize(packed.data(), packed.size()) != bytes) return damaged(where);
  std::string text(bytes, '\0');
  const std::size_t written =
      ZSTD_decompress(text.data(), text.size(), packed.data(), packed.size());
  if (ZSTD_isError(written) != 0 || written != bytes) return damaged(where);
  return text;
}

}  // namespace warpscope
