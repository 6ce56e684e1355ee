// profiling/capture/injected/launch_clock.h: the time that launches take on the device, between two
// events each.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "profiling/capture/injected/driver.h"
#include "profiling/capture/tally.h"

//   clock.start(launch, place);   // on the launching thread
//   clock.stop();                 // on the same thread, once the launch was made
//   clock.collect(tally);         // some times per second: what has finished by then

namespace warpscope {

class LaunchClock {
 public:
  explicit LaunchClock(const CaptureDriver& driver) : driver_(driver) {}
  LaunchClock(const LaunchClock&) = delete;
  LaunchClock& operator=(const LaunchClock&) = delete;

  // A launch that is recorded into a graph is not timed, nor one too many that waits.
  void start(const SeenLaunch& launch, const Tally::Place& place);
  void stop();           // does nothing if this thread has started none
  static void forget();  // what this thread has started

  void collect(Tally& tally);

 private:
  using Events = std::pair<CUevent, CUevent>;
  struct Timed {
    Events events;
    CUcontext context = nullptr;
    Tally::Place place;
    std::int64_t stream = 0;
  };
  // An event of a context, and when the host recorded it: about when it happened, if the device
  // was idle.
  struct Base {
    CUevent event = nullptr;
    double host_ms = 0;
  };
  void begin_base(CUcontext context, CUstream stream);
  // When a launch began, on the host's clock; 0: it is not known.
  double start_of(CUcontext context, CUevent start);

  const CaptureDriver& driver_;
  std::mutex mutex_;
  std::deque<Timed> timed_;
  std::map<CUcontext, std::vector<Events>> spare_;  // events belong to a context
  std::map<CUcontext, Base> bases_;
};

}  // namespace warpscope
