// profiling/engine/compile/compile_ahead.cpp: kernels of jobs that wait, compiled while another
// runs.
#include "profiling/engine/compile/compile_ahead.h"

#include <algorithm>
#include <utility>

#include "profiling/engine/compile/compiler.h"
#include "scenes/host/cache.h"

namespace warpscope {
namespace {

constexpr unsigned kMostThreads = 8;

std::string hash_of_wanted(const CompileAhead::Wanted& kernel) {
  return (kernel.ptx ? "ptx " : "") + compile_hash(kernel.request, kernel.sources);
}

}  // namespace

int spare_processors() {
  const unsigned all = std::thread::hardware_concurrency();
  return all <= 2 ? 0 : static_cast<int>(std::min(kMostThreads, all / 2));
}

int emulating_processors() {
  const unsigned all = std::thread::hardware_concurrency();
  return all < 2 ? 0 : static_cast<int>(std::min(kMostThreads, all));
}

CompileAhead::~CompileAhead() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    waiting_.clear();
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void CompileAhead::want(std::vector<Wanted> kernels) {
  if (most_threads_ == 0 || !Cache::open()) return;
  const std::lock_guard lock(mutex_);
  waiting_.clear();
  std::set<std::string> among;
  for (Wanted& kernel : kernels) {
    const std::string hash = hash_of_wanted(kernel);
    if (begun_.count(hash) == 0 && among.insert(hash).second) waiting_.push_back(std::move(kernel));
  }
  // A process forked by one of several threads may inherit a lock that another one holds, such as
  // that of local time, and then waits forever: the processes are made before the threads.
  start_compilers();
  const auto most = static_cast<std::size_t>(most_threads_);
  while (threads_.size() < std::min(most, waiting_.size()))
    threads_.emplace_back([this] { work(); });
  changed_.notify_all();
}

void CompileAhead::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.empty() && running_ == 0; });
}

void CompileAhead::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ends_ || !waiting_.empty(); });
    if (ends_) return;
    const Wanted kernel = std::move(waiting_.front());
    waiting_.pop_front();
    begun_.insert(hash_of_wanted(kernel));
    ++running_;
    lock.unlock();
    if (kernel.ptx) {
      static_cast<void>(compile_to_ptx(kernel.request, kernel.sources));
    } else {
      static_cast<void>(compile(kernel.request, kernel.sources));
    }
    lock.lock();
    --running_;
    changed_.notify_all();
  }
}

}  // namespace warpscope
