// profiling/engine/cupti_library.cpp: CUPTI's functions, found at run time, and why they may
// refuse.
#include "profiling/engine/cupti_library.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace warpscope {
namespace {

Result<CuptiLibrary> load_table() {
  Result<SharedLibrary> library = open_toolkit_library("cupti", {"libcupti.so.13"});
  if (!library) return tl::unexpected(library.error());
  CuptiLibrary table{std::move(*library)};
  std::string lacking;
#define WARPSCOPE_FIND(name) \
  if (!table.library.find(#name, table.name)) lacking = #name;
  WARPSCOPE_CUPTI_FUNCTIONS(WARPSCOPE_FIND)
#undef WARPSCOPE_FIND
  if (!lacking.empty()) {
    return failure(ErrorKind::environment, "libcupti lacks " + lacking, "cupti",
                   "install the CUPTI of CUDA Toolkit 13");
  }
  return table;
}

std::string text_of(const char* path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

Result<const CuptiLibrary*> load_cupti() {
  // Loaded once for the life of the process.
  static const Result<CuptiLibrary> table = load_table();
  if (!table) return tl::unexpected(table.error());
  return &*table;
}

std::string permission_remedy(std::string_view driver_params, std::string_view process_status,
                              bool in_container) {
  const bool admin_only = driver_params.find("RmProfilingAdminOnly: 1") != std::string_view::npos;
  const std::size_t effective = process_status.find("CapEff:");
  unsigned long long capabilities = 0;
  if (effective != std::string_view::npos) {
    capabilities =
        std::strtoull(std::string(process_status.substr(effective + 7, 20)).c_str(), nullptr, 16);
  }
  constexpr unsigned long long kSysAdmin = 1ull << 21, kPerfmon = 1ull << 38;  // capabilities(7)
  const bool privileged = (capabilities & (kSysAdmin | kPerfmon)) != 0;
  if (admin_only && !privileged) {
    return in_container
               ? "start the container with --cap-add=SYS_ADMIN, or load the driver with "
                 "NVreg_RestrictProfilingToAdminUsers=0 on the host"
               : "run as root, or load the driver with NVreg_RestrictProfilingToAdminUsers=0";
  }
  return "the driver refuses counters here although the process may ask: on a virtual GPU, ask its "
         "administrator to enable profiling";
}

Result<void> check(const CuptiLibrary& cupti, CUptiResult result, std::string_view where) {
  if (result == CUPTI_SUCCESS) return {};
  const char* words = nullptr;
  cupti.cuptiGetResultString(result, &words);
  const std::string what = words != nullptr ? words : "CUPTI error " + std::to_string(result);
  std::string remedy;
  switch (result) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES: {
      std::error_code ignored;
      const bool container = std::filesystem::exists("/.dockerenv", ignored) ||
                             std::filesystem::exists("/run/.containerenv", ignored);
      remedy = permission_remedy(text_of("/proc/driver/nvidia/params"),
                                 text_of("/proc/self/status"), container);
      break;
    }
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
    case CUPTI_ERROR_HARDWARE_BUSY:
      remedy =
          "another profiler holds the counters: end ncu, nsys or DCGM, or start with --hands-off";
      break;
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      remedy = "the GPU is virtual: ask its administrator to enable profiling for this machine";
      break;
    case CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED:
    case CUPTI_ERROR_NOT_SUPPORTED:
      remedy = "the device or driver is older than these counters need";
      break;
    default:
      remedy = "timing and the model go on working; see `warpscope doctor`";
  }
  return failure(ErrorKind::environment, what, std::string(where), remedy);
}

}  // namespace warpscope
