// tests/profiling/capture/made_capture.h: captures written by tests, with memory of a known form.
#pragma once

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "profiling/capture/reader.h"
#include "profiling/capture/writer.h"
#include "tests/scenes/folder_parts.h"

namespace warpscope {

// A file in a folder of this test, which is empty when the test begins.
class CaptureFolder : public OwnFolder {
 public:
  CaptureFolder() : OwnFolder("capture") {}
  std::string operator()(const std::string& name) const { return (path() / name).string(); }
};

inline std::string bytes_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

template <typename T>
std::string raw_bytes(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// The 32-bit words first, first + 1, …: no two pages are alike.
inline std::string counted_words(std::uint32_t first, std::size_t bytes) {
  std::string text(bytes, '\0');
  for (std::size_t at = 0; at + 4 <= bytes; at += 4, ++first)
    std::memcpy(text.data() + at, &first, sizeof first);
  return text;
}

// scale(float* x, float factor, int n): x in the first memory at byte 256, a variable of 64 bytes.
inline Capture made_capture(std::uint64_t memory = 10'000) {
  Capture c;
  c.program = {"./scale", "10"};
  c.device = "a device";
  c.compute_capability = 90;
  c.symbol = "_Z5scalePffi";
  c.name = "scale(float*, float, int)";
  c.number = 3;
  c.launch = {{4, 1, 1}, {128, 1, 1}, 512, {}, false};
  c.parameters = {{0, raw_bytes<std::uint64_t>(0x7f0000000100)},
                  {8, raw_bytes(2.0f)},
                  {12, raw_bytes(std::int32_t{500})}};
  c.memory = {{CapturedMemory::Kind::argument, 0x7f0000000000, memory, ""},
              {CapturedMemory::Kind::variable, 0x7f1000000000, 64, "table"}};
  c.pointers = {{false, 0, 0, 0, 256}};
  return c;
}

}  // namespace warpscope
