// profiling/agreement/atomic_order.h: figures that no two runs have in common, since they depend on
// the order in which warps come to an atomic.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "profiling/access/trace.h"

// A kernel that takes a place by atomicAdd and stores there fills a buffer in an order that differs
// from run to run, and so do the sectors of that store, and of loads at addresses that come from
// the buffer. The emulator's order is that of its blocks and warps.

namespace warpscope {

// Buffers that kernels fill so: what a launch with such atomics stores to, and what launches store
// that load from such a buffer. `steps`: the traces of one configuration.
std::set<std::string> buffers_in_atomic_order(const std::vector<const Trace*>& steps);

// Why the accesses of a launch depend on that order; empty: they do not, as far as is known.
std::string atomic_order_of(const Trace& trace, const std::set<std::string>& buffers);

}  // namespace warpscope
