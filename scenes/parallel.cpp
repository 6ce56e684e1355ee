// scenes/parallel.cpp: one loop over several threads, for making inputs.
#include "scenes/parallel.h"

#include <sched.h>

#include <algorithm>
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
  std::vector<std::jthread> threads;
  for (std::int64_t piece = 0; piece < pieces; ++piece) {
    threads.emplace_back([&body, piece, pieces, count] {
      body(piece * count / pieces, (piece + 1) * count / pieces);
    });
  }
}

}  // namespace warpscope
