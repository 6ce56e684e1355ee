// profiling/capture/injected/entry/cupti_given_back.cpp: CUPTI's subscription, left to a program
// that wants it for itself.
#include <cupti.h>
#include <dlfcn.h>
#include <link.h>

#include <cstring>
#include <string>

#include "profiling/capture/injected/entry/program.h"

// A profiler in the program (torch.profiler) subscribes to CUPTI after this library has. CUPTI of
// drivers before r610 would refuse it. So this library's subscription ends first, and launches are
// seen at the driver's entry points.

namespace warpscope {
namespace {

constexpr const char* kNames[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};

// The path of a loaded libcupti; empty: there is none.
std::string loaded_cupti() {
  std::string path;
  ::dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* found) {
        const char* const name = object->dlpi_name == nullptr ? "" : object->dlpi_name;
        const char* const last = std::strrchr(name, '/');
        if (std::strncmp(last == nullptr ? name : last + 1, "libcupti", 8) != 0) return 0;
        *static_cast<std::string*>(found) = name;
        return 1;
      },
      &path);
  return path;
}

void* cupti_function(const char* name) {
  if (void* found = real_symbol(RTLD_NEXT, name)) return found;
  const std::string path = loaded_cupti();
  void* library = path.empty() ? nullptr : ::dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
  for (const char* soname : kNames) {
    if (library == nullptr) library = ::dlopen(soname, RTLD_NOW | RTLD_NOLOAD);
  }
  return library == nullptr ? nullptr : real_symbol(library, name);
}

// `call`: the program's own subscription, by CUPTI's function.
template <typename Function, typename Call>
CUptiResult after_ours(const char* name, Call&& call) {
  auto* const real = reinterpret_cast<Function*>(cupti_function(name));
  if (real == nullptr) return CUPTI_ERROR_NOT_INITIALIZED;
  bool was_ours = false;
  try {
    was_ours = seen_by_cupti;
    give_cupti_back();
  } catch (...) {  // the program's call is made whatever happens here
  }
  const CUptiResult result = call(real);
  try {
    if (was_ours) see_at_entries("the program uses CUPTI itself");
  } catch (...) {
  }
  return result;
}

}  // namespace
}  // namespace warpscope

#define WARPSCOPE_SEEN extern "C" __attribute__((visibility("default")))

WARPSCOPE_SEEN CUptiResult CUPTIAPI cuptiSubscribe(CUpti_SubscriberHandle* subscriber,
                                                   CUpti_CallbackFunc callback, void* userdata) {
  return warpscope::after_ours<decltype(cuptiSubscribe)>(
      "cuptiSubscribe", [&](auto* real) { return real(subscriber, callback, userdata); });
}

WARPSCOPE_SEEN CUptiResult CUPTIAPI cuptiSubscribe_v2(CUpti_SubscriberHandle* subscriber,
                                                      CUpti_CallbackFunc callback, void* userdata,
                                                      CUpti_SubscriberParams* parameters) {
  return warpscope::after_ours<decltype(cuptiSubscribe_v2)>("cuptiSubscribe_v2", [&](auto* real) {
    return real(subscriber, callback, userdata, parameters);
  });
}

namespace warpscope {

void* in_place_of_cupti(const char* name) {
  if (std::strncmp(name, "cuptiSubscribe", 14) != 0) return nullptr;
  if (std::strcmp(name, "cuptiSubscribe") == 0) return reinterpret_cast<void*>(&cuptiSubscribe);
  if (std::strcmp(name, "cuptiSubscribe_v2") == 0)
    return reinterpret_cast<void*>(&cuptiSubscribe_v2);
  return nullptr;
}

}  // namespace warpscope
