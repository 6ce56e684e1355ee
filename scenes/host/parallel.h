// scenes/host/parallel.h: one loop over several threads, for making inputs.
#pragma once

#include <cstdint>
#include <functional>

namespace warpscope {

// Calls body(begin, end) over disjoint pieces that cover [0, count), on as many threads as the
// caller may use cores. Threads because inputs of tens of millions of elements would cost a dragged
// slider its latency on one. The pieces must not depend on each other.
void parallel_for(std::int64_t count, std::int64_t smallest_piece,
                  const std::function<void(std::int64_t begin, std::int64_t end)>& body);

}  // namespace warpscope
