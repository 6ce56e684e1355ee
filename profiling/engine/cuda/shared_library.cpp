// profiling/engine/cuda/shared_library.cpp: libraries of the CUDA toolkit and driver, opened at run
// time.
#include "profiling/engine/cuda/shared_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "scenes/host/paths.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

// Folders of `root` that may hold libraries: a toolkit's own and those of NVIDIA's wheels
// (nvidia/<package>/lib); cuDNN's wheel stands beside the folder that is a toolkit.
void add_library_folders(const fs::path& root, std::vector<fs::path>& folders) {
  for (const char* below : {"lib64", "lib", "extras/CUPTI/lib64", "../cudnn/lib"}) {
    std::error_code ignored;
    if (fs::is_directory(root / below, ignored)) folders.push_back(root / below);
  }
  std::error_code ignored;
  for (fs::directory_iterator entry(root / "nvidia", ignored), end; entry != end;
       entry.increment(ignored)) {
    if (fs::is_directory(entry->path() / "lib", ignored)) folders.push_back(entry->path() / "lib");
  }
}

std::vector<fs::path> library_folders() {
  std::vector<fs::path> folders;
  for (const char* variable : {"WARPSCOPE_CUDA_ROOT", "CUDA_HOME"}) {
    if (const char* root = std::getenv(variable); root != nullptr && *root != '\0') {
      add_library_folders(root, folders);
    }
  }
#ifdef WARPSCOPE_TOOLKIT_FOLDER
  add_library_folders(WARPSCOPE_TOOLKIT_FOLDER, folders);
#endif
  for (const fs::path& root : brought_toolkits()) add_library_folders(root, folders);
  add_library_folders("/usr/local/cuda", folders);
  return folders;
}

// Opens the files of `folders` whose names begin so, the first folder first, for the life of the
// process. A later search by name alone then finds them.
void open_companions(const std::vector<fs::path>& folders,
                     std::initializer_list<const char*> beginnings) {
  for (const char* beginning : beginnings) {
    for (const fs::path& folder : folders) {
      std::error_code ignored;
      bool opened = false;
      for (fs::directory_iterator entry(folder, ignored), end; entry != end;
           entry.increment(ignored)) {
        if (entry->path().filename().string().starts_with(beginning))
          opened |= dlopen(entry->path().c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr;
      }
      if (opened) break;
    }
  }
}

}  // namespace

void* SharedLibrary::address(const char* symbol) const {
  return handle_ == nullptr ? nullptr : dlsym(handle_, symbol);
}

Result<SharedLibrary> open_toolkit_library(std::string_view name,
                                           std::initializer_list<const char*> files,
                                           std::initializer_list<const char*> companions) {
  const std::vector<fs::path> folders = library_folders();
  open_companions(folders, companions);
  for (const fs::path& folder : folders) {
    for (const char* file : files) {
      const std::string path = (folder / file).string();
      if (void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL)) {
        return SharedLibrary(handle, path);
      }
    }
  }
  std::string last;
  for (const char* file : files) {
    if (void* handle = dlopen(file, RTLD_NOW | RTLD_GLOBAL)) return SharedLibrary(handle, file);
    if (const char* text = dlerror()) last = text;
  }
  return failure(
      ErrorKind::environment, "the library cannot be loaded (" + last + ")", std::string(name),
      name == "nvrtc" ? "run `warpscope doctor --fetch`, which installs it for you, install the "
                        "CUDA Toolkit 13, or point WARPSCOPE_CUDA_ROOT at a folder that has it"
                      : "install the CUDA Toolkit 13 or point WARPSCOPE_CUDA_ROOT at a folder that "
                        "has it");
}

Result<SharedLibrary> open_driver_library(std::string_view name,
                                          std::initializer_list<const char*> files) {
  for (const char* file : files) {
    if (void* handle = dlopen(file, RTLD_NOW | RTLD_GLOBAL)) return SharedLibrary(handle, file);
  }
  return failure(ErrorKind::environment, "this machine has no NVIDIA driver library for it",
                 std::string(name), "install the NVIDIA driver, or open a recorded session");
}

}  // namespace warpscope
