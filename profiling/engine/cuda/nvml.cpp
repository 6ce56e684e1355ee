// profiling/engine/cuda/nvml.cpp: clocks, power, temperature and throttle reasons.
#include "profiling/engine/cuda/nvml.h"

#include <array>
#include <cstdio>

#include "profiling/engine/cuda/shared_library.h"

namespace warpscope {
namespace {

// The toolkit's wheels carry no nvml.h: the few prototypes used. source: NVML API reference.
struct NvmlTable {
  SharedLibrary library;
  int (*init)() = nullptr;
  int (*by_uuid)(const char*, void**) = nullptr;
  int (*by_index)(unsigned, void**) = nullptr;
  int (*count)(unsigned*) = nullptr;
  int (*clock)(void*, int, unsigned*) = nullptr;
  int (*power)(void*, unsigned*) = nullptr;
  int (*temperature)(void*, int, unsigned*) = nullptr;
  int (*reasons)(void*, unsigned long long*) = nullptr;
  int (*driver)(char*, unsigned) = nullptr;
};
constexpr int kSmClock = 1, kMemoryClock = 2, kGpuSensor = 0, kSuccess = 0;

Result<NvmlTable> load_table() {
  Result<SharedLibrary> library = open_driver_library("libnvidia-ml", {"libnvidia-ml.so.1"});
  if (!library) return tl::unexpected(library.error());
  NvmlTable t{std::move(*library)};
  const bool all = t.library.find("nvmlInit_v2", t.init) &&
                   t.library.find("nvmlDeviceGetHandleByUUID", t.by_uuid) &&
                   t.library.find("nvmlDeviceGetHandleByIndex_v2", t.by_index) &&
                   t.library.find("nvmlDeviceGetCount_v2", t.count) &&
                   t.library.find("nvmlDeviceGetClockInfo", t.clock) &&
                   t.library.find("nvmlDeviceGetPowerUsage", t.power) &&
                   t.library.find("nvmlDeviceGetTemperature", t.temperature) &&
                   t.library.find("nvmlDeviceGetCurrentClocksThrottleReasons", t.reasons) &&
                   t.library.find("nvmlSystemGetDriverVersion", t.driver);
  if (!all || t.init() != kSuccess) {
    return failure(ErrorKind::environment, "NVML does not start", "libnvidia-ml",
                   "reinstall the NVIDIA driver");
  }
  return t;
}

// Loaded once for the life of the process.
const Result<NvmlTable>& table() {
  static const Result<NvmlTable> loaded = load_table();
  return loaded;
}

struct Reason {
  unsigned long long bit;
  const char* words;
};
constexpr std::array<Reason, 9> kReasons = {{{0x1, "idle"},
                                             {0x2, "set clocks"},
                                             {0x4, "power cap"},
                                             {0x8, "hardware slowdown"},
                                             {0x10, "sync boost"},
                                             {0x20, "software thermal slowdown"},
                                             {0x40, "hardware thermal slowdown"},
                                             {0x80, "power brake"},
                                             {0x100, "display clocks"}}};

}  // namespace

std::string throttle_words(unsigned long long mask) {
  std::string words;
  for (const Reason& reason : kReasons) {
    if ((mask & reason.bit) == 0) continue;
    words += (words.empty() ? "" : ", ") + std::string(reason.words);
    mask &= ~reason.bit;
  }
  if (mask != 0) {
    char unknown[48];
    std::snprintf(unknown, sizeof unknown, "unknown reason 0x%llx", mask);
    words += (words.empty() ? "" : ", ") + std::string(unknown);
  }
  return words.empty() ? "none" : words;
}

Result<Nvml> Nvml::open(const std::string& uuid) {
  const Result<NvmlTable>& t = table();
  if (!t) return tl::unexpected(t.error());
  Nvml nvml;
  // Some containers hide the id, and a single device can only be that one.
  unsigned devices = 0;
  const bool known =
      t->by_uuid(uuid.c_str(), &nvml.device_) == kSuccess ||
      (t->count(&devices) == kSuccess && devices == 1 && t->by_index(0, &nvml.device_) == kSuccess);
  if (!known) {
    return failure(ErrorKind::environment, "NVML does not know the device", uuid,
                   "see `nvidia-smi -L`");
  }
  char version[96] = {};
  if (t->driver(version, sizeof version) == kSuccess) nvml.driver_version_ = version;
  return nvml;
}

NvmlReading Nvml::read() const {
  const NvmlTable& t = *table();
  NvmlReading reading;
  unsigned value = 0;
  if (t.clock(device_, kSmClock, &value) == kSuccess) reading.sm_clock_mhz = value;
  if (t.clock(device_, kMemoryClock, &value) == kSuccess) reading.memory_clock_mhz = value;
  if (t.power(device_, &value) == kSuccess) reading.power_w = value / 1e3;
  if (t.temperature(device_, kGpuSensor, &value) == kSuccess) reading.temperature_c = value;
  unsigned long long mask = 0;
  if (t.reasons(device_, &mask) == kSuccess) reading.throttle = throttle_words(mask);
  return reading;
}

}  // namespace warpscope
