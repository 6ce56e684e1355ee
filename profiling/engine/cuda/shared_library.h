// profiling/engine/cuda/shared_library.h: libraries of the CUDA toolkit and driver, opened at run
// time.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "scenes/host/result.h"

// The engine links no CUDA library, so it starts on any machine and says what is missing.
//
//   Result<SharedLibrary> nvrtc = open_toolkit_library("nvrtc", {"libnvrtc.so.13"});
//   decltype(&::nvrtcVersion) version = nullptr;
//   if (nvrtc && nvrtc->find("nvrtcVersion", version)) …

namespace warpscope {

// An opened library. It stays open for the life of the process: vendor libraries keep threads and
// atexit hooks that closing would pull the code from under.
class SharedLibrary {
 public:
  SharedLibrary() = default;
  SharedLibrary(void* handle, std::string path) : handle_(handle), path_(std::move(path)) {}
  // Sets `function` to the symbol; false (and null) when the library does not have it.
  template <typename Function>
  bool find(const char* symbol, Function& function) const {
    function = reinterpret_cast<Function>(address(symbol));
    return function != nullptr;
  }
  void* address(const char* symbol) const;
  const std::string& path() const { return path_; }

 private:
  void* handle_ = nullptr;
  std::string path_;
};

// Opens the first of `files` that loads: from $WARPSCOPE_CUDA_ROOT, $CUDA_HOME, the toolkit this
// build was configured with, brought_toolkits(), /usr/local/cuda, NVIDIA's wheels below those
// roots, and the system's search path, in this order. Files of those folders whose names begin with
// one of `companions` are opened before: NVIDIA's wheels do not say where the library finds them.
// error: environment, with what to install.
Result<SharedLibrary> open_toolkit_library(std::string_view name,
                                           std::initializer_list<const char*> files,
                                           std::initializer_list<const char*> companions = {});

// Opens a library of the driver (libcuda, libnvidia-ml) from the system's search path only.
// error: environment.
Result<SharedLibrary> open_driver_library(std::string_view name,
                                          std::initializer_list<const char*> files);

}  // namespace warpscope
