// scenes/host/paths.cpp: where kernels/ and assets/ lie at run time.
#include "scenes/host/paths.h"

#include <cstdlib>

#include "scenes/host/input_file.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

bool is_home(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_directory(folder / "kernels", ignored) &&
         fs::is_directory(folder / "assets", ignored);
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Result<fs::path> home_folder() {
  if (const std::string home = environment("WARPSCOPE_HOME"); !home.empty()) {
    if (is_home(home)) return fs::path(home);
    return failure(ErrorKind::environment, "the folder has no kernels/ and assets/ in it",
                   "WARPSCOPE_HOME=" + home, "unset it or point it at Warpscope's folder");
  }
  std::error_code failed;
  fs::path folder = fs::read_symlink("/proc/self/exe", failed).parent_path();
  for (int level = 0; !failed && level < 6 && !folder.empty(); ++level) {
    if (is_home(folder)) return folder;
    folder = folder.parent_path();
  }
  if (is_home(WARPSCOPE_SOURCE_FOLDER)) return fs::path(WARPSCOPE_SOURCE_FOLDER);
  return failure(ErrorKind::environment, "the folders kernels/ and assets/ were not found", "",
                 "set WARPSCOPE_HOME to the folder that holds them");
}

Result<std::string> read_kernel_source(const std::string& path_below_kernels) {
  Result<fs::path> home = home_folder();
  if (!home) return tl::unexpected(home.error());
  const fs::path path = *home / "kernels" / path_below_kernels;
  Result<std::string> text = read_input(path, kMostTextFileBytes);
  if (text) return text;
  return failure(ErrorKind::environment, "the kernel's text cannot be read: " + text.error().what,
                 path.string(), "check that the file is there and readable");
}

}  // namespace warpscope
