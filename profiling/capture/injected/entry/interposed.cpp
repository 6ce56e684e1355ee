// profiling/capture/injected/entry/interposed.cpp: the driver's entry points, taken by a program in
// place of its own (LD_PRELOAD), so that launches are seen without CUPTI.
#include <cuda.h>
#include <dlfcn.h>

#include <cstring>
#include <string>
#include <string_view>

#include "profiling/capture/injected/entry/program.h"

// A program that is linked with libcuda finds these functions before the driver's. The runtime and
// other libraries ask dlsym and cuGetProcAddress for them, which are answered here too. Each calls
// the driver's own function, with what the program passed. Nothing else happens as long as CUPTI
// sees the launches.

namespace warpscope {
namespace {

using Find = void* (*)(void*, const char*);

Find real_find() {
  static const Find find = [] {
    void* found = ::dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
    if (found == nullptr) found = ::dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
    return reinterpret_cast<Find>(found);
  }();
  return find;
}

// The driver's own function.
void* of_driver(const char* name) {
  static void* const library = [] {
    void* loaded = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    return loaded != nullptr ? loaded : ::dlopen("libcuda.so.1", RTLD_NOW);
  }();
  return library == nullptr ? nullptr : real_find()(library, name);
}

template <typename Function>
Function* driver_function(const char* name) {
  return reinterpret_cast<Function*>(of_driver(name));
}

// A launch between the watcher's two calls.
template <typename Launching>
CUresult watched(const SeenLaunch& launch, Launching&& real) {
  if (!seen_at_entries.load(std::memory_order_relaxed)) return real();
  const Inside inside;
  if (watcher == nullptr || !inside.first()) return real();
  const char* symbol = nullptr;
  try {
    SeenLaunch named = launch;
    symbol = watcher->symbol_of(launch.function);
    named.symbol = symbol;
    watcher->before(named, current_range());
  } catch (...) {  // the launch is made, uncounted
  }
  const CUresult result = real();
  try {
    watcher->after(result == CUDA_SUCCESS);
  } catch (...) {
  }
  return result;
}

SeenLaunch plain(CUfunction f, const Dim3& grid, const Dim3& block, unsigned shared,
                 CUstream stream, void** parameters, void** extra, bool cooperative) {
  return {nullptr, f, {grid, block, shared, {}, cooperative}, stream, parameters, extra};
}

template <typename Handle>
CUresult loaded(CUresult result, const Handle* handle, const void* image) {
  if (!seen_at_entries.load(std::memory_order_relaxed)) return result;
  const Inside inside;
  if (watcher == nullptr || !inside.first() || result != CUDA_SUCCESS || handle == nullptr)
    return result;
  try {
    watcher->given(*handle, image);
  } catch (...) {
  }
  return result;
}

void unloads(const void* handle) {
  if (!seen_at_entries.load(std::memory_order_relaxed)) return;
  const Inside inside;
  if (watcher != nullptr && inside.first()) watcher->dropped(handle);
}

// A tensor map that the program has the driver make.
template <typename Make, typename Keep>
CUresult made_map(const CUtensorMap* map, Make&& make, Keep&& keep) {
  const CUresult result = make();
  if (!seen_at_entries.load(std::memory_order_relaxed)) return result;
  const Inside inside;
  if (watcher == nullptr || !inside.first() || result != CUDA_SUCCESS || map == nullptr ||
      !watcher->takes_any())
    return result;
  try {
    keep(watcher->maps());
  } catch (...) {
  }
  return result;
}

CUresult graph_launched(CUresult result) {
  if (!seen_at_entries.load(std::memory_order_relaxed)) return result;
  const Inside inside;
  if (watcher != nullptr && inside.first()) watcher->graph_launched();
  return result;
}

}  // namespace

void* real_symbol(void* library, const char* name) { return real_find()(library, name); }

bool has_entries() {
  // What the program itself finds: a library that was loaded later is not among that.
  void* const program = ::dlopen(nullptr, RTLD_NOW);
  void* const found = program == nullptr ? nullptr : real_symbol(program, "cuModuleLoadFatBinary");
  Dl_info own{}, first{};
  return found != nullptr && ::dladdr(found, &first) != 0 &&
         ::dladdr(reinterpret_cast<void*>(&has_entries), &own) != 0 &&
         own.dli_fbase == first.dli_fbase;
}

}  // namespace warpscope

using warpscope::driver_function;

#define WARPSCOPE_SEEN extern "C" __attribute__((visibility("default")))
#undef cuGetProcAddress
#undef cuLaunchKernel
#undef cuLaunchKernelEx
#undef cuLaunchCooperativeKernel
#undef cuGraphLaunch

// A function of the driver and its form for streams of each thread's own.
// clang-format off
#define WARPSCOPE_LAUNCH_KERNEL(name)                                                              \
  WARPSCOPE_SEEN CUresult name(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,   \
                               unsigned by, unsigned bz, unsigned shared, CUstream stream,         \
                               void** parameters, void** extra) {                                  \
    static auto* const real = driver_function<decltype(name)>(#name);                              \
    if (real == nullptr) return CUDA_ERROR_NOT_FOUND;                                              \
    return warpscope::watched(                                                                     \
        warpscope::plain(f, {gx, gy, gz}, {bx, by, bz}, shared, stream, parameters, extra, false), \
        [&] { return real(f, gx, gy, gz, bx, by, bz, shared, stream, parameters, extra); });       \
  }
#define WARPSCOPE_LAUNCH_COOPERATIVE(name)                                                         \
  WARPSCOPE_SEEN CUresult name(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,   \
                               unsigned by, unsigned bz, unsigned shared, CUstream stream,         \
                               void** parameters) {                                                \
    static auto* const real = driver_function<decltype(name)>(#name);                              \
    if (real == nullptr) return CUDA_ERROR_NOT_FOUND;                                              \
    return warpscope::watched(                                                                     \
        warpscope::plain(f, {gx, gy, gz}, {bx, by, bz}, shared, stream, parameters, nullptr, true),\
        [&] { return real(f, gx, gy, gz, bx, by, bz, shared, stream, parameters); });              \
  }
#define WARPSCOPE_LAUNCH_EX(name)                                                                  \
  WARPSCOPE_SEEN CUresult name(const CUlaunchConfig* config, CUfunction f, void** parameters,      \
                               void** extra) {                                                     \
    static auto* const real = driver_function<decltype(name)>(#name);                              \
    if (real == nullptr) return CUDA_ERROR_NOT_FOUND;                                              \
    if (config == nullptr) return real(config, f, parameters, extra);                              \
    return warpscope::watched(                                                                     \
        {nullptr, f, warpscope::launch_of(*config), config->hStream, parameters, extra},           \
        [&] { return real(config, f, parameters, extra); });                                       \
  }
#define WARPSCOPE_GRAPH_LAUNCH(name)                                                               \
  WARPSCOPE_SEEN CUresult name(CUgraphExec graph, CUstream stream) {                               \
    static auto* const real = driver_function<decltype(name)>(#name);                              \
    if (real == nullptr) return CUDA_ERROR_NOT_FOUND;                                              \
    return warpscope::graph_launched(real(graph, stream));                                         \
  }
// clang-format on

extern "C" {
CUresult cuLaunchKernel_ptsz(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                             unsigned, CUstream, void**, void**);
CUresult cuLaunchCooperativeKernel_ptsz(CUfunction, unsigned, unsigned, unsigned, unsigned,
                                        unsigned, unsigned, unsigned, CUstream, void**);
CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig*, CUfunction, void**, void**);
CUresult cuGraphLaunch_ptsz(CUgraphExec, CUstream);
}

WARPSCOPE_LAUNCH_KERNEL(cuLaunchKernel)
WARPSCOPE_LAUNCH_KERNEL(cuLaunchKernel_ptsz)
WARPSCOPE_LAUNCH_COOPERATIVE(cuLaunchCooperativeKernel)
WARPSCOPE_LAUNCH_COOPERATIVE(cuLaunchCooperativeKernel_ptsz)
WARPSCOPE_LAUNCH_EX(cuLaunchKernelEx)
WARPSCOPE_LAUNCH_EX(cuLaunchKernelEx_ptsz)
WARPSCOPE_GRAPH_LAUNCH(cuGraphLaunch)
WARPSCOPE_GRAPH_LAUNCH(cuGraphLaunch_ptsz)

WARPSCOPE_SEEN CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  static auto* const real = driver_function<decltype(cuModuleLoadData)>("cuModuleLoadData");
  if (real == nullptr) return CUDA_ERROR_NOT_FOUND;
  return warpscope::loaded(real(module, image), module, image);
}
WARPSCOPE_SEEN CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count,
                                           CUjit_option* options, void** values) {
  static auto* const real = driver_function<decltype(cuModuleLoadDataEx)>("cuModuleLoadDataEx");
  if (real == nullptr) return CUDA_ERROR_NOT_FOUND;
  return warpscope::loaded(real(module, image, count, options, values), module, image);
}
WARPSCOPE_SEEN CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) {
  static auto* const real =
      driver_function<decltype(cuModuleLoadFatBinary)>("cuModuleLoadFatBinary");
  if (real == nullptr) return CUDA_ERROR_NOT_FOUND;
  return warpscope::loaded(real(module, image), module, image);
}
WARPSCOPE_SEEN CUresult cuModuleUnload(CUmodule module) {
  static auto* const real = driver_function<decltype(cuModuleUnload)>("cuModuleUnload");
  if (real == nullptr) return CUDA_ERROR_NOT_FOUND;
  warpscope::unloads(module);
  return real(module);
}
WARPSCOPE_SEEN CUresult cuLibraryUnload(CUlibrary library) {
  static auto* const real = driver_function<decltype(cuLibraryUnload)>("cuLibraryUnload");
  if (real == nullptr) return CUDA_ERROR_NOT_FOUND;
  warpscope::unloads(library);
  return real(library);
}
WARPSCOPE_SEEN CUresult cuLibraryLoadData(CUlibrary* library, const void* code,
                                          CUjit_option* jit_options, void** jit_values,
                                          unsigned jit_count, CUlibraryOption* options,
                                          void** values, unsigned count) {
  static auto* const real = driver_function<decltype(cuLibraryLoadData)>("cuLibraryLoadData");
  if (real == nullptr) return CUDA_ERROR_NOT_FOUND;
  return warpscope::loaded(
      real(library, code, jit_options, jit_values, jit_count, options, values, count), library,
      code);
}

WARPSCOPE_SEEN CUresult cuTensorMapEncodeTiled(
    CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
    const cuuint64_t* extents, const cuuint64_t* strides, const cuuint32_t* box,
    const cuuint32_t* steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
    CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  static auto* const real =
      driver_function<decltype(cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");
  if (real == nullptr) return CUDA_ERROR_NOT_FOUND;
  return warpscope::made_map(
      map,
      [&] {
        return real(map, type, rank, address, extents, strides, box, steps, interleave, swizzle,
                    promotion, fill);
      },
      [&](warpscope::EncodedMaps& maps) {
        maps.keep(map, warpscope::tiled_map(type, rank, address, extents, strides, box, steps,
                                            interleave, swizzle, promotion, fill));
      });
}
WARPSCOPE_SEEN CUresult cuTensorMapEncodeIm2col(
    CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
    const cuuint64_t* extents, const cuuint64_t* strides, const int* lower, const int* upper,
    cuuint32_t channels, cuuint32_t pixels, const cuuint32_t* steps,
    CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
    CUtensorMapFloatOOBfill fill) {
  static auto* const real =
      driver_function<decltype(cuTensorMapEncodeIm2col)>("cuTensorMapEncodeIm2col");
  if (real == nullptr) return CUDA_ERROR_NOT_FOUND;
  return warpscope::made_map(
      map,
      [&] {
        return real(map, type, rank, address, extents, strides, lower, upper, channels, pixels,
                    steps, interleave, swizzle, promotion, fill);
      },
      [&](warpscope::EncodedMaps& maps) {
        maps.keep(map, warpscope::im2col_map(type, rank, address, extents, strides, lower, upper,
                                             channels, pixels, steps, interleave, swizzle,
                                             promotion, fill));
      });
}
WARPSCOPE_SEEN CUresult cuTensorMapReplaceAddress(CUtensorMap* map, void* address) {
  static auto* const real =
      driver_function<decltype(cuTensorMapReplaceAddress)>("cuTensorMapReplaceAddress");
  if (real == nullptr) return CUDA_ERROR_NOT_FOUND;
  unsigned char before[sizeof(CUtensorMap)] = {};
  if (map != nullptr) std::memcpy(before, map, sizeof before);
  return warpscope::made_map(
      map, [&] { return real(map, address); },
      [&](warpscope::EncodedMaps& maps) {
        maps.moved(before, map, reinterpret_cast<std::uint64_t>(address));
      });
}

namespace warpscope {
namespace {

struct Entry {
  const char* name;
  void* plain;
  void* of_thread;  // for streams of each thread's own; null: there is one form alone
};

#define WARPSCOPE_ENTRY(name) reinterpret_cast<void*>(&name)

// What is found under this name is ours in its place; null: the driver's stays.
void* in_place_of(const char* name, bool of_thread) {
  static const Entry entries[] = {
      {"cuLaunchKernel", WARPSCOPE_ENTRY(cuLaunchKernel), WARPSCOPE_ENTRY(cuLaunchKernel_ptsz)},
      {"cuLaunchKernelEx", WARPSCOPE_ENTRY(cuLaunchKernelEx),
       WARPSCOPE_ENTRY(cuLaunchKernelEx_ptsz)},
      {"cuLaunchCooperativeKernel", WARPSCOPE_ENTRY(cuLaunchCooperativeKernel),
       WARPSCOPE_ENTRY(cuLaunchCooperativeKernel_ptsz)},
      {"cuGraphLaunch", WARPSCOPE_ENTRY(cuGraphLaunch), WARPSCOPE_ENTRY(cuGraphLaunch_ptsz)},
      {"cuModuleLoadData", WARPSCOPE_ENTRY(cuModuleLoadData), nullptr},
      {"cuModuleLoadDataEx", WARPSCOPE_ENTRY(cuModuleLoadDataEx), nullptr},
      {"cuModuleLoadFatBinary", WARPSCOPE_ENTRY(cuModuleLoadFatBinary), nullptr},
      {"cuLibraryLoadData", WARPSCOPE_ENTRY(cuLibraryLoadData), nullptr},
      {"cuModuleUnload", WARPSCOPE_ENTRY(cuModuleUnload), nullptr},
      {"cuTensorMapEncodeTiled", WARPSCOPE_ENTRY(cuTensorMapEncodeTiled), nullptr},
      {"cuTensorMapEncodeIm2col", WARPSCOPE_ENTRY(cuTensorMapEncodeIm2col), nullptr},
      {"cuTensorMapReplaceAddress", WARPSCOPE_ENTRY(cuTensorMapReplaceAddress), nullptr},
      {"cuLibraryUnload", WARPSCOPE_ENTRY(cuLibraryUnload), nullptr}};
  if (name == nullptr || std::strncmp(name, "cu", 2) != 0) return nullptr;
  for (const Entry& entry : entries) {
    const std::string_view asked = name;
    if (asked == entry.name)
      return of_thread && entry.of_thread != nullptr ? entry.of_thread : entry.plain;
    if (entry.of_thread != nullptr && asked == std::string(entry.name) + "_ptsz")
      return entry.of_thread;
  }
  return nullptr;
}

using GetAddressV1 = CUresult(const char*, void**, int, cuuint64_t);
using GetAddressV2 = CUresult(const char*, void**, int, cuuint64_t,
                              CUdriverProcAddressQueryResult*);

CUresult replaced(CUresult result, const char* symbol, void** function, cuuint64_t flags);

}  // namespace
}  // namespace warpscope

extern "C" __attribute__((visibility("default"))) CUresult warpscope_get_address(const char* symbol,
                                                                                 void** function,
                                                                                 int version,
                                                                                 cuuint64_t flags) {
  static auto* const real = driver_function<warpscope::GetAddressV1>("cuGetProcAddress");
  if (real == nullptr) return CUDA_ERROR_NOT_FOUND;
  return warpscope::replaced(real(symbol, function, version, flags), symbol, function, flags);
}
WARPSCOPE_SEEN CUresult cuGetProcAddress_v2(const char* symbol, void** function, int version,
                                            cuuint64_t flags,
                                            CUdriverProcAddressQueryResult* status) {
  static auto* const real = driver_function<warpscope::GetAddressV2>("cuGetProcAddress_v2");
  if (real == nullptr) return CUDA_ERROR_NOT_FOUND;
  return warpscope::replaced(real(symbol, function, version, flags, status), symbol, function,
                             flags);
}

namespace warpscope {
namespace {

CUresult replaced(CUresult result, const char* symbol, void** function, cuuint64_t flags) {
  if (result != CUDA_SUCCESS || symbol == nullptr || function == nullptr || *function == nullptr)
    return result;
  if (std::strcmp(symbol, "cuGetProcAddress") == 0) {
    // The form that the driver gives depends on the version that was asked for.
    static void* const second = of_driver("cuGetProcAddress_v2");
    *function = *function == second ? reinterpret_cast<void*>(&cuGetProcAddress_v2)
                                    : reinterpret_cast<void*>(&warpscope_get_address);
    return result;
  }
  const bool of_thread = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
  if (void* ours = in_place_of(symbol, of_thread)) *function = ours;
  return result;
}

}  // namespace
}  // namespace warpscope

// A library may ask for "the next one after me", which only its own address tells: such calls go
// on to the C library with their return address as it is, so this must end in a jump.
extern "C" __attribute__((visibility("default"))) void* dlsym(void* handle,
                                                              const char* name) noexcept {
  const warpscope::Find real = warpscope::real_find();
  if (handle == RTLD_NEXT || name[0] != 'c' || name[1] != 'u') return real(handle, name);
  void* found = real(handle, name);
  if (found == nullptr) return found;
  if (std::strcmp(name, "cuGetProcAddress_v2") == 0)
    return found == warpscope::of_driver(name) ? reinterpret_cast<void*>(&cuGetProcAddress_v2)
                                               : found;
  if (std::strcmp(name, "cuGetProcAddress") == 0)
    return found == warpscope::of_driver(name) ? reinterpret_cast<void*>(&warpscope_get_address)
                                               : found;
  if (void* ours = warpscope::in_place_of_cupti(name); ours != nullptr) return ours;
  void* ours = warpscope::in_place_of(name, false);
  return ours != nullptr && found == warpscope::of_driver(name) ? ours : found;
}
