// scenes/host/paths.cpp: where kernels/ and assets/ lie at run time, and a user's own files.
#include "scenes/host/paths.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "scenes/host/build_stamp.h"
#include "scenes/host/input_file.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

bool is_home(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_directory(folder / "kernels", ignored) &&
         fs::is_directory(folder / "assets", ignored);
}

// Above the program there may be a folder in which everyone writes, such as /tmp: what another user
// put there is not ours. What belongs to the program's owner is as good as the program.
bool is_trusted_home(const fs::path& folder) {
  struct stat program {};
  if (!is_home(folder) || ::stat("/proc/self/exe", &program) != 0) return false;
  for (const fs::path& part : {folder / "kernels", folder / "assets"}) {
    struct stat owned {};
    if (::stat(part.c_str(), &owned) != 0) return false;
    if (owned.st_uid != 0 && owned.st_uid != ::geteuid() && owned.st_uid != program.st_uid)
      return false;
  }
  return true;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Result<fs::path> home_folder() {
  if (const std::string home = environment("WARPSCOPE_HOME"); !home.empty()) {
    if (is_home(home)) return fs::path(home);
    return failure(ErrorKind::environment, "the folder does not contain kernels/ and assets/",
                   "WARPSCOPE_HOME=" + home, "unset it or point it at Warpscope's folder");
  }
  std::error_code failed;
  fs::path folder = fs::read_symlink("/proc/self/exe", failed).parent_path();
  for (int level = 0; !failed && level < 6 && !folder.empty(); ++level) {
    for (const fs::path& place : {folder, folder / "share" / product_name()}) {
      if (is_trusted_home(place)) return place;
    }
    folder = folder.parent_path();
  }
  return failure(ErrorKind::environment,
                 "the folders kernels/ and assets/ were not found at or above the program", "",
                 "copy them beside it, or set WARPSCOPE_HOME to the folder with them");
}

Result<std::string> read_kernel_source(const std::string& path_below_kernels) {
  Result<fs::path> home = home_folder();
  if (!home) return tl::unexpected(home.error());
  const fs::path path = *home / "kernels" / path_below_kernels;
  Result<std::string> text = read_input(path, kMostTextFileBytes);
  if (text) return text;
  return failure(ErrorKind::environment, "the kernel's source cannot be read: " + text.error().what,
                 path.string(), "check that the file exists and is readable");
}

namespace {

std::optional<fs::path> absolute_folder(const char* variable) {
  const char* const value = std::getenv(variable);
  if (value == nullptr || !fs::path(value).is_absolute()) return std::nullopt;
  return fs::path(value);
}

}  // namespace

std::optional<fs::path> user_folder(const char* variable, const fs::path& below_home) {
  if (auto named = absolute_folder(variable)) return named;
  if (auto home = absolute_folder("HOME")) return *home / below_home;
  return std::nullopt;
}

std::optional<fs::path> fetched_toolkit() {
  const auto data = user_folder("XDG_DATA_HOME", fs::path(".local") / "share");
  return data ? std::optional(*data / product_name() / "cuda") : std::nullopt;
}

std::vector<fs::path> brought_toolkits() {
  std::vector<fs::path> folders;
  if (const Result<fs::path> home = home_folder()) {
    folders.push_back(*home / "build" / "cuda");
    folders.push_back(*home / "build" / "nvdisasm");
  }
  if (const auto fetched = fetched_toolkit()) folders.push_back(*fetched);
  return folders;
}

}  // namespace warpscope
