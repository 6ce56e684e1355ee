// tests/scenes/own_home.h: a folder of a test's own as Warpscope's, for as long as it lasts.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace warpscope {

// kernels/ and assets/, both empty, and $WARPSCOPE_HOME that leads there.
class OwnHome {
 public:
  explicit OwnHome(const std::string& name)
      : folder_(std::filesystem::temp_directory_path() /
                ("warpscope-" + name + "-" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ / "kernels");
    std::filesystem::create_directories(folder_ / "assets");
    const char* before = std::getenv("WARPSCOPE_HOME");
    before_ = before == nullptr ? "" : before;
    ::setenv("WARPSCOPE_HOME", folder_.c_str(), 1);
  }
  ~OwnHome() {
    before_.empty() ? ::unsetenv("WARPSCOPE_HOME") : ::setenv("WARPSCOPE_HOME", before_.c_str(), 1);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  OwnHome(const OwnHome&) = delete;
  OwnHome& operator=(const OwnHome&) = delete;

  std::string path(const std::string& below) const { return (folder_ / below).string(); }
  void write_anywhere(const std::string& below, const std::string& text) const {
    const std::filesystem::path file = folder_ / below;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
  }
  // Below kernels/.
  void write(const std::string& kernel, const std::string& text) const {
    write_anywhere("kernels/" + kernel, text);
  }
  void remove(const std::string& kernel) const {
    std::filesystem::remove(folder_ / "kernels" / kernel);
  }
  // The product's kernels, to be changed.
  void copy_kernels(const std::filesystem::path& from) const {
    std::filesystem::copy(from, folder_ / "kernels",
                          std::filesystem::copy_options::recursive |
                              std::filesystem::copy_options::overwrite_existing);
  }

 private:
  std::filesystem::path folder_;
  std::string before_;
};

}  // namespace warpscope
