// profiling/engine/compile/cubin.h: the sections of a cubin, and what its kernels say of
// themselves.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpscope {

// A place in a text that stops at its end: what is read after it is 0 and `torn`.
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

// source: System V ABI, "Object Files": the fields of a 64-bit ELF file that are read here.
struct CubinSection {
  std::string name;
  std::uint32_t type = 0, link = 0, info = 0;
  std::string_view bytes;
};

// No value if the bytes are not a 64-bit ELF file.
std::optional<std::vector<CubinSection>> cubin_sections(std::string_view file);

// Symbols of its kernels and of its __constant__ and __device__ variables. Empty if the bytes are
// not a cubin.
std::vector<std::string> kernel_symbols(std::string_view cubin);
std::vector<std::string> variable_symbols(std::string_view cubin);

// How many parameters the kernel `entry` takes; no value if the cubin does not say. The driver is
// asked for the sizes of just so many, as tools that watch its calls report one that fails.
std::optional<std::size_t> parameter_count(std::string_view cubin, const std::string& entry);

// The threads of a block that the kernel `entry` was compiled for, by __launch_bounds__ or a
// required block; 0: it names none; no value if the cubin does not say.
std::optional<std::int64_t> declared_threads(std::string_view cubin, const std::string& entry);
// Registers of a thread, as the module names them; no value if it does not.
std::optional<int> code_registers(std::string_view cubin, const std::string& entry);

}  // namespace warpscope
