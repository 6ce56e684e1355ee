// profiling/capture/injected/limited_calls.cpp: calls of the driver that may wait, with a limit of
// time.
#include "profiling/capture/injected/limited_calls.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <mutex>
#include <thread>
#include <utility>

namespace warpscope {

namespace {

thread_local bool is_own = false;

}  // namespace

bool on_own_thread() { return is_own; }

// What the two threads share. It lives as long as a call that never returns.
struct LimitedCalls::Shared {
  CaptureDriver driver;
  CUcontext context = nullptr;
  CUstream stream = nullptr;  // of the calling thread alone
  std::string piece;          // that a copy goes to, however late it ends

  std::mutex mutex;
  std::condition_variable changed;
  std::function<CUresult(Shared&)> work;  // null: there is none
  CUresult result = CUDA_SUCCESS;
  bool is_done = false, ends = false;
  std::thread thread;

  void run();
};

namespace {

// Signals are for the program's own threads. False: the system has no thread left.
template <typename Run>
bool start(std::thread& thread, Run run) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread = std::thread(std::move(run));
  } catch (...) {
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread.joinable();
}

}  // namespace

void LimitedCalls::Shared::run() {
  is_own = true;
  const RelaxedRecording relaxed(driver);
  const CUresult entered = driver.cuCtxSetCurrent(context);
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [this] { return ends || work; });
    if (!work) break;
    const auto own = std::exchange(work, {});
    lock.unlock();
    CUresult made = entered;
    try {
      if (entered == CUDA_SUCCESS) made = own(*this);
    } catch (...) {
      made = CUDA_ERROR_OUT_OF_MEMORY;
    }
    lock.lock();
    result = made;
    is_done = true;
    changed.notify_all();
  }
  lock.unlock();
  if (stream != nullptr) driver.cuStreamDestroy(stream);
}

LimitedCalls::LimitedCalls(const CaptureDriver& driver, double limit_s)
    : shared_(std::make_shared<Shared>()), limit_s_(limit_s) {
  shared_->driver = driver;
  shared_->is_done = true;
  driver.cuCtxGetCurrent(&shared_->context);
}

LimitedCalls::LimitedCalls(LimitedCalls&&) noexcept = default;
LimitedCalls& LimitedCalls::operator=(LimitedCalls&&) noexcept = default;

LimitedCalls::~LimitedCalls() {
  if (!shared_ || !shared_->thread.joinable()) return;
  bool returns = false;
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->ends = true;
    returns = shared_->is_done;
    shared_->changed.notify_all();
  }
  if (returns) {
    shared_->thread.join();
  } else {
    shared_->thread.detach();
  }
}

Result<CUresult> LimitedCalls::call(const std::function<CUresult(Shared&)>& work,
                                    const char* in_vain, const GoesOn& goes_on) {
  const std::shared_ptr<Shared> shared = shared_;
  std::unique_lock lock(shared->mutex);
  if (shared->is_done) {
    if (!shared->thread.joinable() && !start(shared->thread, [shared] { shared->run(); }))
      return failure(ErrorKind::environment, "the system has no thread left for it");
    shared->is_done = false;
    shared->work = work;
    shared->changed.notify_all();
  }
  const auto start = std::chrono::steady_clock::now();
  const auto rest_s = [&] {
    return limit_s_ -
           std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  constexpr double kLookS = 0.05;
  while (!shared->is_done && rest_s() > 0) {
    const std::chrono::duration<double> look(std::min(kLookS, rest_s()));
    shared->changed.wait_for(lock, look, [&] { return shared->is_done; });
    if (!shared->is_done && goes_on && !goes_on())
      return failure(ErrorKind::usage, "it was cancelled before it was saved");
  }
  if (shared->is_done) return shared->result;
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%g", limit_s_);
  return failure(ErrorKind::resource,
                 std::string(in_vain) + " within " + seconds +
                     " s: the kernel may wait for another stream, process or GPU",
                 "", "raise --hold, or choose another launch");
}

Result<void> LimitedCalls::wait_for_device(const GoesOn& goes_on) {
  const Result<CUresult> idle =
      call([](Shared& shared) { return shared.driver.cuCtxSynchronize(); },
           "the device was not idle", goes_on);
  if (!idle) return tl::unexpected(idle.error());
  if (*idle == CUDA_SUCCESS) return {};
  return failure(ErrorKind::fault,
                 "the program's work on the device failed: " + words_of(shared_->driver, *idle));
}

// A copy on the default stream would wait for the program's other streams, and they for it: a
// kernel that is launched later would not begin before the copy has ended.
Result<void> LimitedCalls::read(CUdeviceptr from, std::string& to, const GoesOn& goes_on) {
  const Result<CUresult> copied = call(
      [from, bytes = to.size()](Shared& shared) {
        const CaptureDriver& driver = shared.driver;
        CUresult result = CUDA_SUCCESS;
        if (shared.stream == nullptr)
          result = driver.cuStreamCreate(&shared.stream, CU_STREAM_NON_BLOCKING);
        shared.piece.resize(bytes);
        if (result == CUDA_SUCCESS)
          result = driver.cuMemcpyDtoHAsync(shared.piece.data(), from, bytes, shared.stream);
        return result == CUDA_SUCCESS ? driver.cuStreamSynchronize(shared.stream) : result;
      },
      "its memory was not read", goes_on);
  if (!copied) return tl::unexpected(copied.error());
  if (*copied != CUDA_SUCCESS)
    return failure(ErrorKind::environment,
                   "its memory cannot be read: " + words_of(shared_->driver, *copied));
  to.swap(shared_->piece);
  return {};
}

}  // namespace warpscope
