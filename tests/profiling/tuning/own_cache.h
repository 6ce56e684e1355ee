// tests/profiling/tuning/own_cache.h: a test with a cache folder of its own.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace warpscope {

class OwnCache : public testing::Test {
 protected:
  void SetUp() override {
    namespace fs = std::filesystem;
    top_ = fs::path(testing::TempDir()) / ("warpscope_choices_" + std::to_string(::getpid()));
    fs::remove_all(top_);
    fs::create_directories(top_);
    if (const char* value = std::getenv("XDG_CACHE_HOME")) before_ = value;
    ::setenv("XDG_CACHE_HOME", top_.c_str(), 1);
  }
  void TearDown() override {
    before_ ? ::setenv("XDG_CACHE_HOME", before_->c_str(), 1) : ::unsetenv("XDG_CACHE_HOME");
    std::filesystem::remove_all(top_);
  }
  // The cache's files, without that of its locks.
  std::vector<std::string> files_in(const std::string& shelf) const {
    std::vector<std::string> files;
    std::error_code none;
    for (const auto& entry :
         std::filesystem::directory_iterator(top_ / "warpscope" / shelf, none)) {
      if (entry.path().filename() != "turns") files.push_back(entry.path().string());
    }
    std::sort(files.begin(), files.end());
    return files;
  }
  // Another user may write to its folder: it is not used.
  void forbid() const {
    std::filesystem::create_directories(top_ / "warpscope");
    std::filesystem::permissions(top_ / "warpscope", std::filesystem::perms::all);
  }

 private:
  std::filesystem::path top_;
  std::optional<std::string> before_;
};

}  // namespace warpscope
