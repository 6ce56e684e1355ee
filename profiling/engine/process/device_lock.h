// profiling/engine/process/device_lock.h: one engine a device, so that two never time beside each
// other.
#pragma once

#include <functional>
#include <string>

#include "scenes/host/result.h"

// The lock is a listening Unix socket in Linux's abstract name space, named by the device's UUID.
// No file can be planted or left over, the lock is the same for all users, and it goes with the
// process that has it, whatever ended that process. The kernel says who listens. Two containers see
// each other's lock only where they share the network's name space (docker run --network host).
//
//   DeviceLock lock(uuid);
//   lock.take(30, [](const std::string& holder, double waited_s) { …; return true; });
//   …            // work on the device
//   lock.release();

namespace warpscope {

class DeviceLock {
 public:
  explicit DeviceLock(std::string uuid);
  DeviceLock(const DeviceLock&) = delete;
  DeviceLock& operator=(const DeviceLock&) = delete;
  ~DeviceLock() { release(); }

  // Is told who holds the device and for how long it has been waited for; false: wait no longer.
  using Waiting = std::function<bool(const std::string& holder, double waited_s)>;
  // Waits while another process has the lock, until `wait_s` are over, `waited_s` of them before
  // this call; calls `waiting` at once and then every half a second. error: resource (`waiting`
  // said so), environment (it was not to be had in time: who holds it; no socket can be made).
  Result<void> take(double wait_s, const Waiting& waiting, double waited_s = 0);
  void release();
  bool held() const { return descriptor_ >= 0; }

 private:
  std::string name_;
  int descriptor_ = -1;
};

}  // namespace warpscope
