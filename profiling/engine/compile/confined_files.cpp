// profiling/engine/compile/confined_files.cpp: which files the compiler may open: the toolkit's.
#include "profiling/engine/compile/confined_files.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>

// No <fcntl.h> and no <dirent.h>: they may define functions of these names in place.

namespace warpscope {
namespace {

namespace fs = std::filesystem;

struct Confined {
  const void* library = nullptr;  // where it was loaded
  std::vector<fs::path> folders;
};
// Set once, never freed: a thread may compile while the process ends.
std::atomic<const Confined*> confined{nullptr};

const void* library_of(const void* address) {
  Dl_info found{};
  return ::dladdr(address, &found) != 0 ? found.dli_fbase : nullptr;
}

// Whether the call from `caller` may open `path`; if not, errno says that it is not there.
bool may_open(const void* caller, const char* path) {
  const Confined* const rules = confined.load();
  if (rules == nullptr || path == nullptr || library_of(caller) != rules->library) return true;
  std::error_code failed;
  const fs::path whole = fs::canonical(path, failed);
  const bool inside =
      !failed && std::any_of(rules->folders.begin(), rules->folders.end(), [&](const fs::path& f) {
        return std::mismatch(f.begin(), f.end(), whole.begin(), whole.end()).first == f.end();
      });
  if (!inside) errno = ENOENT;
  return inside;
}

// The C library's function of a name.
template <typename Function>
Function* next(const char* name) {
  void* const found = ::dlsym(RTLD_NEXT, name);
  Function* function = nullptr;
  static_assert(sizeof function == sizeof found);
  std::memcpy(&function, &found, sizeof function);
  return function;
}

}  // namespace
}  // namespace warpscope

using warpscope::may_open;
using warpscope::next;

extern "C" {

struct __dirstream;

std::FILE* fopen(const char* path, const char* mode) {
  if (!may_open(__builtin_return_address(0), path)) return nullptr;
  static auto* const real = next<std::FILE*(const char*, const char*)>("fopen");
  return real(path, mode);
}

std::FILE* fopen64(const char* path, const char* mode) {
  if (!may_open(__builtin_return_address(0), path)) return nullptr;
  static auto* const real = next<std::FILE*(const char*, const char*)>("fopen64");
  return real(path, mode);
}

// The third argument is read whether it is there or not, as the C library does where it may be.
int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const auto mode = va_arg(rest, unsigned);
  va_end(rest);
  if (!may_open(__builtin_return_address(0), path)) return -1;
  static auto* const real = next<int(const char*, int, ...)>("open");
  return real(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const auto mode = va_arg(rest, unsigned);
  va_end(rest);
  if (!may_open(__builtin_return_address(0), path)) return -1;
  static auto* const real = next<int(const char*, int, ...)>("open64");
  return real(path, flags, mode);
}

__dirstream* opendir(const char* path) {
  if (!may_open(__builtin_return_address(0), path)) return nullptr;
  static auto* const real = next<__dirstream*(const char*)>("opendir");
  return real(path);
}

int access(const char* path, int mode) {
  if (!may_open(__builtin_return_address(0), path)) return -1;
  static auto* const real = next<int(const char*, int)>("access");
  return real(path, mode);
}
}

namespace warpscope {

Result<void> confine_files(const void* function, const std::vector<fs::path>& folders) {
  const auto is_ours = [](const char* name, auto* ours) {
    void* const bound = ::dlsym(RTLD_DEFAULT, name);
    return std::memcmp(&bound, &ours, sizeof bound) == 0;
  };
  if (!is_ours("fopen", &::fopen) || !is_ours("fopen64", &::fopen64) || !is_ours("open", &::open) ||
      !is_ours("open64", &::open64) || !is_ours("opendir", &::opendir) ||
      !is_ours("access", &::access)) {
    return failure(ErrorKind::internal,
                   "NVRTC could open any file that a kernel includes, so it is not used",
                   "warpscope-engine", "build it with the link options of profiling/engine");
  }
  auto* const rules = new Confined{library_of(function), {}};
  for (const fs::path& folder : folders) {
    std::error_code failed;
    fs::path whole = fs::canonical(folder, failed);
    if (!failed) rules->folders.push_back(std::move(whole));
  }
  confined.store(rules);
  return {};
}

}  // namespace warpscope
