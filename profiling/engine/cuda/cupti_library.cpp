// profiling/engine/cuda/cupti_library.cpp: CUPTI's functions, found at run time, and why they may
// refuse.
#include "profiling/engine/cuda/cupti_library.h"

#include <cstdint>
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
#define WARPSCOPE_FIND(name) \
  if (!table.library.find(#name, table.name)) table.lacking_sass = #name;
  WARPSCOPE_CUPTI_SASS_FUNCTIONS(WARPSCOPE_FIND)
#undef WARPSCOPE_FIND
#define WARPSCOPE_FIND(name) \
  if (!table.library.find(#name, table.name)) table.lacking_sampling = #name;
  WARPSCOPE_CUPTI_SAMPLING_FUNCTIONS(WARPSCOPE_FIND)
#undef WARPSCOPE_FIND
  // Counters by instruction tell modules apart by this function too.
  if (table.cuptiGetCubinCrc == nullptr && table.lacking_sass.empty())
    table.lacking_sass = table.lacking_sampling;
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

// The remedy for "not permitted".
std::string permission_remedy(const Permissions& p) {
  const bool admin_only = p.driver_params.find("RmProfilingAdminOnly: 1") != std::string::npos;
  const std::size_t effective = p.process_status.find("CapEff:");
  unsigned long long capabilities = 0;
  if (effective != std::string::npos) {
    capabilities = std::strtoull(p.process_status.c_str() + effective + 7, nullptr, 16);
  }
  constexpr unsigned long long kSysAdmin = 1ull << 21, kPerfmon = 1ull << 38;  // capabilities(7)
  if (admin_only && (capabilities & (kSysAdmin | kPerfmon)) == 0) {
    return p.in_container
               ? "start the container with --cap-add=SYS_ADMIN, or load the driver with "
                 "NVreg_RestrictProfilingToAdminUsers=0 on the host"
               : "run as root, or load the driver with NVreg_RestrictProfilingToAdminUsers=0";
  }
  return "the driver refuses counters here although the process may ask: on a virtual GPU, ask its "
         "administrator to enable profiling";
}

Permissions permissions_here() {
  std::error_code ignored;
  return {text_of("/proc/driver/nvidia/params"), text_of("/proc/self/status"),
          std::filesystem::exists("/.dockerenv", ignored) ||
              std::filesystem::exists("/run/.containerenv", ignored)};
}

}  // namespace

Result<const CuptiLibrary*> load_cupti() {
  // Loaded once for the life of the process.
  static const Result<CuptiLibrary> table = load_table();
  if (!table) return tl::unexpected(table.error());
  return &*table;
}

std::string cupti_version(const CuptiLibrary& cupti) {
  std::uint32_t version = 0;
  return cupti.cuptiGetVersion(&version) == CUPTI_SUCCESS ? std::to_string(version) : "";
}

Result<void> load_nvperf_host() {
  static const Result<SharedLibrary> library =
      open_toolkit_library("nvperf_host", {"libnvperf_host.so"});
  if (library) return {};
  return failure(ErrorKind::environment, "CUPTI counts only with libnvperf_host.so beside it",
                 "counters", "install the whole CUPTI of CUDA Toolkit 13");
}

std::string cupti_remedy(CUptiResult result, const Permissions& permissions) {
  switch (result) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
      return permission_remedy(permissions);
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
    case CUPTI_ERROR_HARDWARE_BUSY:
      return "another profiler holds the counters: end ncu, nsys or DCGM, or start with "
             "--hands-off";
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      return "the GPU is virtual: ask its administrator to enable profiling for this machine";
    case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
    case CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED:
      return "this kind of device has no counters: use a whole GPU without MIG, SLI, WSL or "
             "confidential computing";
    case CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED:
    case CUPTI_ERROR_NOT_SUPPORTED:
      return "the device or driver is older than these counters need";
    default:
      return "timing and the model still work; see `warpscope doctor`";
  }
}

Result<void> check(const CuptiLibrary& cupti, CUptiResult result, std::string_view where) {
  if (result == CUPTI_SUCCESS) return {};
  const char* words = nullptr;
  cupti.cuptiGetResultString(result, &words);
  const std::string what = words != nullptr ? words : "CUPTI error " + std::to_string(result);
  return failure(ErrorKind::environment, what, std::string(where),
                 cupti_remedy(result, permissions_here()));
}

}  // namespace warpscope
