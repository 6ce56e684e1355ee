// workbench/reports/unused_path.cpp: a name for a file that overwrites none.
#include "workbench/reports/unused_path.h"

namespace warpscope {

std::filesystem::path unused_path(const std::filesystem::path& path) {
  std::error_code unknown;
  std::filesystem::path free = path;
  constexpr int kMostNames = 100000;  // beyond: the last one is written over
  for (int n = 2; std::filesystem::exists(free, unknown) && n < kMostNames; ++n) {
    free = path.parent_path() /
           (path.stem().string() + "-" + std::to_string(n) + path.extension().string());
  }
  return free;
}

std::string wrote_words(const std::filesystem::path& path) {
  std::error_code unknown;
  const std::filesystem::path whole = std::filesystem::absolute(path, unknown);
  return "wrote " + path.filename().string() + " to " + whole.parent_path().string();
}

}  // namespace warpscope
