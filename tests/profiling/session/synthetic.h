// tests/profiling/session/synthetic.h: a measurement of no device, and files that go with their
// test.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "profiling/session/session.h"

namespace warpscope {

// A point of a device that does not exist.
inline Measurement synthetic(const std::string& variant, double warm_ns) {
  Measurement m;
  m.job = 3;
  m.scene = "csrmm";
  m.variant = variant;
  m.axes.set("n", std::int64_t{128});
  m.axes.set("p", 0.02);
  m.axes.set("op", std::string("NT"));
  m.key = "p=0.02,n=128,op=NT";
  m.facts = {{"nnz", 2e6}};
  m.verdict = {Outcome::correct, "largest error 0.1 of the bound", "", 0.1, 0, 100};
  m.warm = Timing{CacheState::warm, {warm_ns, warm_ns + 10, warm_ns - 10}};
  summarise(*m.warm);
  m.metrics = {{"time.warm", warm_ns, Origin::measured, "", ""},
               {"dram.bytes_read", std::nullopt, Origin::measured, "no permission",
                "run as \"root\", or ask"}};
  m.conditions.device = "synthetic device";
  m.conditions.toolkit = "13.0";
  m.conditions.source_hash = "abc";
  return m;
}

// A file that is gone when the test is.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              ("warpscope-test-" + std::to_string(::getpid()) + "-" + std::to_string(++made_) +
               ".wsj")) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  inline static int made_ = 0;
  std::filesystem::path path_;
};

}  // namespace warpscope
