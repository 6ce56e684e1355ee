// scenes/base/texts/kernel_files.cpp: whether the kernels of a scene are all where they were
// installed.
#include "scenes/base/texts/kernel_files.h"

#include <filesystem>
#include <string_view>
#include <vector>

#include "scenes/host/paths.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kKernelFiles[] = {
#include "kernel_files.inc"
};

}  // namespace

Result<void> check_kernel_files(const std::string& folder) {
  if (folder.empty()) return {};
  const Result<fs::path> home = home_folder();
  if (!home) return tl::unexpected(home.error());
  std::vector<fs::path> missing;
  for (const std::string_view name : kKernelFiles) {
    std::error_code ignored;
    const fs::path file = *home / "kernels" / name;
    if (name.starts_with(folder + "/") && !fs::exists(file, ignored)) missing.push_back(file);
  }
  if (missing.empty()) return {};
  const std::string what = missing.size() == 1
                               ? "a file of this scene's kernels is missing"
                               : std::to_string(missing.size()) +
                                     " files of this scene's kernels are missing, such as this";
  return failure(
      ErrorKind::environment, what, missing.front().string(),
      "install Warpscope's kernels/ again, or set WARPSCOPE_HOME to the folder with them");
}

}  // namespace warpscope
