// profiling/engine/compile/toolkit_program.cpp: where the programs of the CUDA toolkit are.
#include "profiling/engine/compile/toolkit_program.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "scenes/host/paths.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

void add_folders_of_toolkit(const fs::path& root, std::vector<fs::path>& folders) {
  folders.push_back(root / "bin");
  folders.push_back(root / "nvidia" / "cu13" / "bin");  // NVIDIA's wheels
}

}  // namespace

std::vector<fs::path> toolkit_program_folders() {
  std::vector<fs::path> folders;
  for (const char* variable : {"WARPSCOPE_CUDA_ROOT", "CUDA_HOME"}) {
    if (const char* root = std::getenv(variable); root != nullptr && *root != '\0')
      add_folders_of_toolkit(root, folders);
  }
#ifdef WARPSCOPE_TOOLKIT_FOLDER
  add_folders_of_toolkit(WARPSCOPE_TOOLKIT_FOLDER, folders);
#endif
  for (const fs::path& root : brought_toolkits()) add_folders_of_toolkit(root, folders);
  add_folders_of_toolkit("/usr/local/cuda", folders);
  return folders;
}

std::vector<fs::path> folders_of_path() {
  std::vector<fs::path> folders;
  const char* path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "";
  while (!rest.empty()) {
    const std::size_t end = rest.find(':');
    if (const std::string_view folder = rest.substr(0, end); !folder.empty())
      folders.emplace_back(folder);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  }
  return folders;
}

std::optional<std::string> find_program(const std::string& name,
                                        const std::vector<fs::path>& folders) {
  for (const fs::path& folder : folders) {
    const std::string path = (folder / name).string();
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0) return path;
  }
  return std::nullopt;
}

}  // namespace warpscope
