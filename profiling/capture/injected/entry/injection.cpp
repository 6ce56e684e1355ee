// profiling/capture/injected/entry/injection.cpp: where the driver enters the library that watches
// a program's launches.
#include <cupti.h>
#include <dlfcn.h>
#include <pthread.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "profiling/capture/injected/entry/program.h"

// The driver loads the library that $CUDA_INJECTION64_PATH names when the program initialises CUDA,
// and calls InitializeInjection. CUPTI then calls back on every launch.

namespace warpscope {

Watcher* watcher = nullptr;
std::atomic<bool> seen_by_cupti = false, seen_at_entries = false;

Launch launch_of(const CUlaunchConfig& config) {
  Launch launch{{config.gridDimX, config.gridDimY, config.gridDimZ},
                {config.blockDimX, config.blockDimY, config.blockDimZ},
                config.sharedMemBytes,
                {},
                false};
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const CUlaunchAttribute& attribute = config.attrs[i];
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      const auto& cluster = attribute.value.clusterDim;
      launch.cluster = {cluster.x, cluster.y, cluster.z};
    }
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
      launch.cooperative = attribute.value.cooperative != 0;
  }
  return launch;
}

namespace {

struct Cupti {
  decltype(&::cuptiSubscribe) subscribe = nullptr;
  decltype(&::cuptiUnsubscribe) unsubscribe = nullptr;
  decltype(&::cuptiEnableCallback) enable = nullptr;
  decltype(&::cuptiGetResultString) words = nullptr;
};

// This library's own subscription.
Cupti cupti;
CUpti_SubscriberHandle subscriber = nullptr;
std::atomic<bool> taken_by_program = false;
bool names_kernels = false;  // the driver tells the name of a function

void* open_cupti(const std::string& path) {
  // The one that the program has loaded comes first: two of them do not know of each other.
  for (const char* name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so"}) {
    if (void* library = ::dlopen(name, RTLD_NOW | RTLD_NOLOAD)) return library;
  }
  if (void* library = path.empty() ? nullptr : ::dlopen(path.c_str(), RTLD_NOW)) return library;
  for (const char* name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so"}) {
    if (void* library = ::dlopen(name, RTLD_NOW)) return library;
  }
  return nullptr;
}

// Parameters of cuLaunchKernel and cuLaunchCooperativeKernel, which share their first names.
template <typename Parameters>
SeenLaunch plain_launch(const CUpti_CallbackData& data, const Parameters& p) {
  SeenLaunch launch;
  launch.symbol = data.symbolName;
  launch.function = p.f;
  launch.launch = {{p.gridDimX, p.gridDimY, p.gridDimZ},
                   {p.blockDimX, p.blockDimY, p.blockDimZ},
                   p.sharedMemBytes,
                   {},
                   false};
  launch.stream = p.hStream;
  launch.parameters = p.kernelParams;
  return launch;
}

template <typename Parameters>
const Parameters& parameters_as(const CUpti_CallbackData& data) {
  return *static_cast<const Parameters*>(data.functionParams);
}

void on_launch(const CUpti_CallbackData& data, CUpti_CallbackId id) {
  if (data.callbackSite == CUPTI_API_EXIT) {
    const auto* result = static_cast<const CUresult*>(data.functionReturnValue);
    return watcher->after(result == nullptr || *result == CUDA_SUCCESS);
  }
  SeenLaunch launch;
  if (id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx ||
      id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz) {
    const auto& p = parameters_as<cuLaunchKernelEx_params>(data);
    if (p.config == nullptr) return;
    launch = {data.symbolName, p.f,    launch_of(*p.config), p.config->hStream,
              p.kernelParams,  p.extra};
  } else if (id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel ||
             id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz) {
    launch = plain_launch(data, parameters_as<cuLaunchCooperativeKernel_params>(data));
    launch.launch.cooperative = true;
  } else {
    const auto& p = parameters_as<cuLaunchKernel_params>(data);
    launch = plain_launch(data, p);
    launch.extra = p.extra;
  }
  watcher->before(launch, current_range());
}

// The modules that this thread's load has made so far, as CUPTI counts them.
thread_local std::vector<std::uint32_t> made_modules;

void on_load(const CUpti_CallbackData& data, CUpti_CallbackId id) {
  if (data.callbackSite != CUPTI_API_EXIT) return made_modules.clear();
  const void* image = nullptr;
  const void* handle = nullptr;
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData: {
      const auto& p = parameters_as<cuModuleLoadData_params>(data);
      image = p.image;
      handle = p.module == nullptr ? nullptr : *p.module;
      break;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx: {
      const auto& p = parameters_as<cuModuleLoadDataEx_params>(data);
      image = p.image;
      handle = p.module == nullptr ? nullptr : *p.module;
      break;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadFatBinary: {
      const auto& p = parameters_as<cuModuleLoadFatBinary_params>(data);
      image = p.fatCubin;
      handle = p.module == nullptr ? nullptr : *p.module;
      break;
    }
    default: {
      const auto& p = parameters_as<cuLibraryLoadData_params>(data);
      image = p.code;
      handle = p.library == nullptr ? nullptr : *p.library;
    }
  }
  if (image != nullptr && handle != nullptr)
    watcher->given(handle, image, std::exchange(made_modules, {}));
}

void on_unload(const CUpti_CallbackData& data, CUpti_CallbackId id) {
  if (data.callbackSite == CUPTI_API_EXIT) return;
  if (id == CUPTI_DRIVER_TRACE_CBID_cuModuleUnload)
    return watcher->dropped(parameters_as<cuModuleUnload_params>(data).hmod);
  watcher->dropped(parameters_as<cuLibraryUnload_params>(data).library);
}

void on_map(const CUpti_CallbackData& data, CUpti_CallbackId id) {
  thread_local unsigned char before[kTensorMapBytes];  // the one whose address is replaced
  const bool ends = data.callbackSite == CUPTI_API_EXIT;
  if (id == CUPTI_DRIVER_TRACE_CBID_cuTensorMapReplaceAddress) {
    const auto& p = parameters_as<cuTensorMapReplaceAddress_params>(data);
    if (p.tensorMap == nullptr) return;
    if (ends)
      watcher->maps().moved(before, p.tensorMap, reinterpret_cast<std::uint64_t>(p.globalAddress));
    std::memcpy(before, p.tensorMap, sizeof before);
    return;
  }
  if (!ends) return;
  if (id == CUPTI_DRIVER_TRACE_CBID_cuTensorMapEncodeIm2col) {
    const auto& p = parameters_as<cuTensorMapEncodeIm2col_params>(data);
    if (p.tensorMap == nullptr) return;
    return watcher->maps().keep(
        p.tensorMap, im2col_map(p.tensorDataType, p.tensorRank, p.globalAddress, p.globalDim,
                                p.globalStrides, p.pixelBoxLowerCorner, p.pixelBoxUpperCorner,
                                p.channelsPerPixel, p.pixelsPerColumn, p.elementStrides,
                                p.interleave, p.swizzle, p.l2Promotion, p.oobFill));
  }
  const auto& p = parameters_as<cuTensorMapEncodeTiled_params>(data);
  if (p.tensorMap == nullptr) return;
  watcher->maps().keep(
      p.tensorMap,
      tiled_map(p.tensorDataType, p.tensorRank, p.globalAddress, p.globalDim, p.globalStrides,
                p.boxDim, p.elementStrides, p.interleave, p.swizzle, p.l2Promotion, p.oobFill));
}

void on_resource(CUpti_CallbackId id, const CUpti_ResourceData& data) {
  const auto* module = static_cast<const CUpti_ModuleResourceData*>(data.resourceDescriptor);
  if (module == nullptr) return;
  if (id == CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING) return watcher->unloaded(module->moduleId);
  if (module->pCubin == nullptr) return;
  made_modules.push_back(module->moduleId);
  watcher->loaded(module->moduleId, {module->pCubin, module->cubinSize});
}

constexpr CUpti_CallbackId kLaunches[] = {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
                                          CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
                                          CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
                                          CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
                                          CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
                                          CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz};
constexpr CUpti_CallbackId kLoads[] = {
    CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData, CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx,
    CUPTI_DRIVER_TRACE_CBID_cuModuleLoadFatBinary, CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData};
constexpr CUpti_CallbackId kUnloads[] = {CUPTI_DRIVER_TRACE_CBID_cuModuleUnload,
                                         CUPTI_DRIVER_TRACE_CBID_cuLibraryUnload};
constexpr CUpti_CallbackId kMaps[] = {CUPTI_DRIVER_TRACE_CBID_cuTensorMapEncodeTiled,
                                      CUPTI_DRIVER_TRACE_CBID_cuTensorMapEncodeIm2col,
                                      CUPTI_DRIVER_TRACE_CBID_cuTensorMapReplaceAddress};
constexpr CUpti_CallbackId kGraphs[] = {CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,
                                        CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz};

bool is_among(CUpti_CallbackId id, const CUpti_CallbackId* begin, const CUpti_CallbackId* end) {
  for (; begin != end; ++begin) {
    if (*begin == id) return true;
  }
  return false;
}

void CUPTIAPI called(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* raw) {
  if (!seen_by_cupti.load(std::memory_order_relaxed)) return;
  const Inside inside;
  // What this library asks may have the driver load the program's code.
  const bool is_seen = inside.first() || (domain == CUPTI_CB_DOMAIN_RESOURCE && !on_own_thread());
  if (!is_seen || raw == nullptr) return;
  try {
    if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
      on_resource(id, *static_cast<const CUpti_ResourceData*>(raw));
    } else {
      const auto& data = *static_cast<const CUpti_CallbackData*>(raw);
      if (is_among(id, std::begin(kLaunches), std::end(kLaunches))) {
        on_launch(data, id);
      } else if (is_among(id, std::begin(kLoads), std::end(kLoads))) {
        on_load(data, id);
      } else if (is_among(id, std::begin(kUnloads), std::end(kUnloads))) {
        on_unload(data, id);
      } else if (is_among(id, std::begin(kMaps), std::end(kMaps))) {
        on_map(data, id);
      } else if (data.callbackSite == CUPTI_API_EXIT) {
        watcher->graph_launched();
      }
    }
  } catch (...) {  // an exception must not go through the driver: the launch passes uncounted
  }
}

void subscribe(const std::string& path) {
  if (void* library = open_cupti(path)) {
    const auto find = [library](auto& function, const char* name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(real_symbol(library, name));
    };
    find(cupti.subscribe, "cuptiSubscribe");
    find(cupti.unsubscribe, "cuptiUnsubscribe");
    find(cupti.enable, "cuptiEnableCallback");
    find(cupti.words, "cuptiGetResultString");
  }
  if (cupti.subscribe == nullptr || cupti.unsubscribe == nullptr || cupti.enable == nullptr ||
      cupti.words == nullptr)
    return see_at_entries("libcupti was not found");
  CUptiResult result = cupti.subscribe(&subscriber, &called, nullptr);
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED ||
      result == CUPTI_ERROR_MAX_LIMIT_REACHED)
    return see_at_entries("another tool uses CUPTI in this program");
  seen_by_cupti = true;
  const auto enable = [&](CUpti_CallbackDomain domain, CUpti_CallbackId id) {
    if (result == CUPTI_SUCCESS) result = cupti.enable(1, subscriber, domain, id);
  };
  for (const CUpti_CallbackId id : kLaunches) enable(CUPTI_CB_DOMAIN_DRIVER_API, id);
  for (const CUpti_CallbackId id : kGraphs) enable(CUPTI_CB_DOMAIN_DRIVER_API, id);
  if (watcher->takes_any()) {
    for (const CUpti_CallbackId id : kLoads) enable(CUPTI_CB_DOMAIN_DRIVER_API, id);
    for (const CUpti_CallbackId id : kUnloads) enable(CUPTI_CB_DOMAIN_DRIVER_API, id);
    for (const CUpti_CallbackId id : kMaps) enable(CUPTI_CB_DOMAIN_DRIVER_API, id);
    enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED);
    enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING);
  }
  if (result == CUPTI_SUCCESS) return;
  const char* words = "unknown error";
  cupti.words(result, &words);
  give_cupti_back();
  see_at_entries(std::string("CUPTI refuses to watch the program's launches: ") + words);
}

void start() {
  const char* text = std::getenv(kSettingsVariable);
  const std::optional<CaptureSettings> settings =
      text == nullptr ? std::nullopt : settings_of(text);
  if (!settings) return;  // loaded by something else than `warpscope capture`
  const Result<CaptureDriver> driver = capture_driver();
  watcher = new Watcher(driver.value_or(CaptureDriver{}), *settings);
  if (!driver) return watcher->trouble(driver.error());
  names_kernels = driver->cuFuncGetName != nullptr;
  if (settings->without_cupti) {
    see_at_entries("");
  } else if (taken_by_program) {
    see_at_entries("the program uses CUPTI itself");
  } else {
    subscribe(settings->cupti);
  }
  std::atexit([] { watcher->end(); });
  ::pthread_atfork(nullptr, nullptr, [] { watcher->forked(); });
}

}  // namespace

void see_at_entries(const std::string& why) {
  const std::string because = why.empty() ? "" : why + ", ";
  if (!has_entries())
    return watcher->trouble(
        {ErrorKind::environment,
         because + "and its launches cannot be seen at the driver's entry points", "",
         "start the program itself by `warpscope capture`, not by a script "
         "that clears LD_PRELOAD"});
  if (!names_kernels)
    return watcher->trouble({ErrorKind::environment,
                             because + "and the driver does not tell the names of kernels", "",
                             "install a driver of CUDA 12.3 or newer"});
  seen_at_entries = true;
  if (!why.empty())
    watcher->trouble(
        {ErrorKind::environment,
         because + "so its launches are seen at the driver's entry points from here on", "", ""},
        false);
}

void give_cupti_back() {
  taken_by_program = true;
  if (watcher == nullptr || !seen_by_cupti) return;
  // A launch that is being taken is finished first. CUPTI is not called while others wait for us.
  bool ours = false;
  watcher->between_launches([&ours] { ours = seen_by_cupti.exchange(false); });
  if (!ours) return;
  const Inside inside;
  cupti.unsubscribe(subscriber);
}

}  // namespace warpscope

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  static const bool started = [] {
    try {
      warpscope::start();
    } catch (...) {  // the program goes on without us
    }
    return true;
  }();
  return started ? 1 : 0;
}
