// profiling/engine/process/engine_loop.cpp: the engine of either role: its hello, and what answers
// its jobs.
#include "profiling/engine/process/engine_loop.h"

#include <unistd.h>

#include <cstdlib>
#include <string>

#include "profiling/engine/cuda/nvtx.h"
#include "profiling/engine/measure/measurer.h"
#include "profiling/engine/run/emulation.h"
#include "profiling/engine/training/device_place.h"
#include "profiling/engine/training/emulated_place.h"
#include "profiling/engine/training/training_runner.h"
#include "profiling/plans/visible_devices.h"
#include "scenes/host/build_stamp.h"
#include "scenes/host/clock.h"

namespace warpscope {
namespace {

constexpr double kStartLimitS = 60;  // drivers of many devices take long to load

Capability from(std::string name, const Result<std::string>& version) {
  Capability c{std::move(name), version.has_value()};
  if (version) {
    c.version = *version;
  } else {
    c.reason = version.error().what;
    c.remedy = version.error().remedy;
  }
  return c;
}

Hello hello_of(const Result<std::unique_ptr<Measurer>>& measurer, bool samples) {
  Hello hello;
  hello.role = samples ? "sample" : "measure";
  hello.build = build_stamp();
  hello.process = ::getpid();
  hello.date = now_utc();
  const Result<std::string> nvrtc = nvrtc_version();
  hello.toolkit = nvrtc.value_or("");
  Capability cuda{"cuda", measurer.has_value()};
  if (measurer) {
    hello.device = (*measurer)->device().description();
    hello.driver = (*measurer)->driver_version();
    cuda.version = hello.driver;
  } else {
    cuda.reason = measurer.error().where + ": " + measurer.error().what;
    cuda.remedy = measurer.error().remedy;
  }
  hello.capabilities = {cuda, from("nvrtc", nvrtc)};
  for (Capability& c : library_capabilities()) hello.capabilities.push_back(std::move(c));
  if (measurer) {
    for (Capability& c : (*measurer)->capabilities()) hello.capabilities.push_back(std::move(c));
  } else {
    for (const char* name : {"counters", "sass_metrics", "samples", "timeline", "nvtx", "nvml"}) {
      hello.capabilities.push_back(
          {name, false, "", "no GPU was found to measure on", cuda.remedy});
    }
  }
  return hello;
}

ProfilerUse profilers_of(const EngineOptions& options) {
  if (options.hands_off) return ProfilerUse::none;
  return options.samples ? ProfilerUse::samples : ProfilerUse::counters;
}

// Lets the driver start this device alone; returns the number that it then has.
int show_alone(int device) {
  const auto alone = device_alone(static_cast<std::size_t>(device), driver_files("/dev"),
                                  std::getenv("CUDA_VISIBLE_DEVICES"));
  if (!alone) return device;
  ::setenv("CUDA_VISIBLE_DEVICES", alone->c_str(), 1);
  return 0;
}

}  // namespace

void run_engine(const EngineOptions& options) {
  start_compilers();  // before there are threads
  const bool by_number = options.role == EngineRole::measure && options.device_uuid.empty();
  const int device = by_number ? show_alone(options.device) : options.device;
  const auto catalogue = std::make_shared<Catalogue>();
  Conversation conversation(catalogue, options.terms);
  conversation.say_start("starting", kStartLimitS);
  if (options.role == EngineRole::emulate) {
    Emulation emulation(*catalogue);
    TrainingRunner runner(emulation, open_emulated_place, *catalogue);
    conversation.say_hello(emulation_hello());
    conversation.answer(&runner, std::nullopt);
  }
  if (!options.hands_off && !options.samples) inject_nvtx();
  // Before the context is made and known kernels are counted: another engine may be timing.
  const Result<int> ordinal =
      options.device_uuid.empty() ? Result<int>(device) : device_of_uuid(options.device_uuid);
  if (const Result<std::string> uuid = ordinal.and_then(device_uuid))
    conversation.hold_device(*uuid);
  conversation.say_start("opening the device", kStartLimitS);
  const Result<std::unique_ptr<Measurer>> measurer = ordinal.and_then(
      [&](int number) { return Measurer::create(number, profilers_of(options), *catalogue); });
  conversation.say_hello(hello_of(measurer, options.samples));
  if (measurer) {
    TrainingRunner runner(
        **measurer,
        [&](const Job& job, const Scene& scene, const Variant& variant, const Configuration& axes) {
          return open_device_place((*measurer)->device(), (*measurer)->kernels(), job, scene,
                                   variant, axes);
        },
        *catalogue);
    conversation.answer(&runner, std::nullopt);
  }
  conversation.answer(nullptr, measurer.error());
}

}  // namespace warpscope
