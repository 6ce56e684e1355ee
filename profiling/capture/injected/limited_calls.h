// profiling/capture/injected/limited_calls.h: calls of the driver that may wait, with a limit of
// time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "profiling/capture/injected/driver.h"

// A kernel may wait for what the program does next: another stream, another thread, another GPU. So
// the program's thread never makes a call that waits for the device. A thread of this library's own
// makes it. If the call does not return in time, that thread is left to it, and the program goes
// on.
//
//   LimitedCalls calls(driver, 10);
//   Result<void> idle = calls.wait_for_device(goes_on);
//   Result<void> read = calls.read(address, piece, goes_on);

namespace warpscope {

// Whether this is such a thread: what it asks of the driver is not the program's.
bool on_own_thread();

class LimitedCalls {
 public:
  // Asked some times per second while a call is waited for. False: it is not wanted any more.
  using GoesOn = std::function<bool()>;

  // Calls are made in the context of the thread that makes this object.
  LimitedCalls(const CaptureDriver& driver, double limit_s);
  LimitedCalls(LimitedCalls&&) noexcept;
  LimitedCalls& operator=(LimitedCalls&&) noexcept;
  ~LimitedCalls();

  // Until the context has nothing more to do. error: resource: it takes longer than the limit;
  // fault: an earlier launch failed; usage: it is not wanted any more.
  Result<void> wait_for_device(const GoesOn& goes_on);
  // As many bytes as `to` has, on a stream that waits for no other one. error: as above;
  // environment: the driver refuses.
  Result<void> read(CUdeviceptr from, std::string& to, const GoesOn& goes_on);

 private:
  struct Shared;
  // The driver's answer. error: resource, with these words; usage.
  Result<CUresult> call(const std::function<CUresult(Shared&)>& work, const char* in_vain,
                        const GoesOn& goes_on);

  std::shared_ptr<Shared> shared_;
  double limit_s_ = 0;
};

}  // namespace warpscope
