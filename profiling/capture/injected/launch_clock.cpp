// profiling/capture/injected/launch_clock.cpp: the time that launches take on the device.
#include "profiling/capture/injected/launch_clock.h"

#include <chrono>

namespace warpscope {
namespace {

constexpr std::size_t kMostTimed = 4096;

// What this thread has started.
struct Started {
  CUevent start = nullptr, stop = nullptr;
  CUstream stream = nullptr;
  CUcontext context = nullptr;
  Tally::Place place;
};

double host_ms() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(now).count();
}

thread_local Started started;

}  // namespace

void LaunchClock::forget() { started = {}; }

void LaunchClock::start(const SeenLaunch& launch, const Tally::Place& place) {
  CUstreamCaptureStatus recording = CU_STREAM_CAPTURE_STATUS_NONE;
  if (driver_.cuStreamIsCapturing(launch.stream, &recording) != CUDA_SUCCESS ||
      recording != CU_STREAM_CAPTURE_STATUS_NONE)
    return;
  const std::lock_guard lock(mutex_);
  CUcontext context = nullptr;
  if (timed_.size() >= kMostTimed || driver_.cuCtxGetCurrent(&context) != CUDA_SUCCESS) return;
  Events events{};
  std::vector<Events>& spare = spare_[context];
  if (!spare.empty()) {
    events = spare.back();
    spare.pop_back();
  } else if (driver_.cuEventCreate(&events.first, CU_EVENT_DEFAULT) != CUDA_SUCCESS ||
             driver_.cuEventCreate(&events.second, CU_EVENT_DEFAULT) != CUDA_SUCCESS) {
    return;
  }
  begin_base(context, launch.stream);
  // A stream of another context refuses them, and the launch is not timed.
  if (driver_.cuEventRecord(events.first, launch.stream) == CUDA_SUCCESS) {
    started = {events.first, events.second, launch.stream, context, place};
  } else {
    spare.push_back(events);
  }
}

// An event that was not recorded yet counts as finished: only now is the pair looked at.
void LaunchClock::stop() {
  if (started.stop == nullptr) return;
  const Started own = started;
  started = {};
  const bool recorded = driver_.cuEventRecord(own.stop, own.stream) == CUDA_SUCCESS;
  const std::lock_guard lock(mutex_);
  if (recorded) {
    timed_.push_back({{own.start, own.stop},
                      own.context,
                      own.place,
                      static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(own.stream))});
  } else {
    spare_[own.context].emplace_back(own.start, own.stop);
  }
}

void LaunchClock::begin_base(CUcontext context, CUstream stream) {
  Base& base = bases_[context];
  if (base.event != nullptr || driver_.cuEventCreate(&base.event, CU_EVENT_DEFAULT) != CUDA_SUCCESS)
    return;
  base.host_ms = driver_.cuEventRecord(base.event, stream) == CUDA_SUCCESS ? host_ms() : 0;
}

double LaunchClock::start_of(CUcontext context, CUevent start) {
  const auto base = bases_.find(context);
  float ms = 0;
  if (base == bases_.end() || base->second.host_ms == 0 ||
      driver_.cuEventElapsedTime(&ms, base->second.event, start) != CUDA_SUCCESS)
    return 0;
  return base->second.host_ms + static_cast<double>(ms);
}

void LaunchClock::collect(Tally& tally) {
  const std::lock_guard lock(mutex_);
  if (timed_.empty()) return;
  const RelaxedRecording relaxed(driver_);
  while (!timed_.empty()) {
    const Timed& first = timed_.front();
    if (driver_.cuEventQuery(first.events.second) != CUDA_SUCCESS) break;
    float ms = 0;
    if (driver_.cuEventElapsedTime(&ms, first.events.first, first.events.second) == CUDA_SUCCESS)
      tally.timed(first.place, ms, start_of(first.context, first.events.first), first.stream);
    spare_[first.context].push_back(first.events);
    timed_.pop_front();
  }
}

}  // namespace warpscope
