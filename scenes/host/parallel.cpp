// scenes/host/parallel.cpp: one loop over several threads, for making inputs.
#include "scenes/host/parallel.h"

#include <sched.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace warpscope {
namespace {

// The cores this thread may run on, which can be fewer than the machine has.
std::int64_t usable_cores() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
  return std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace

void parallel_for(std::int64_t count, std::int64_t smallest_piece,
                  const std::function<void(std::int64_t begin, std::int64_t end)>& body) {
  const std::int64_t pieces = std::clamp<std::int64_t>(
      count / std::max<std::int64_t>(1, smallest_piece), 1, usable_cores());
  if (pieces == 1) return body(0, count);
  std::exception_ptr thrown;  // by one of them: there is no memory left
  std::mutex throwing;
  {
    std::vector<std::jthread> threads;
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      threads.emplace_back([&, piece] {
        try {
          body(piece * count / pieces, (piece + 1) * count / pieces);
        } catch (...) {
          const std::lock_guard lock(throwing);
          thrown = std::current_exception();
        }
      });
    }
  }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace warpscope
