// profiling/agreement/atomic_order.cpp: figures that no two runs have in common, since they depend
// on the order in which warps come to an atomic.
#include "profiling/agreement/atomic_order.h"

#include <algorithm>

namespace warpscope {
namespace {

bool is_load(const AccessSite& site) {
  return site.kind == AccessKind::load || site.kind == AccessKind::async_copy;
}

// An atomic that gives lanes of a warp places of their own: several lanes ask, and use what it
// returns. Where one lane asks for its warp, as for the next row of a queue, the order decides
// which warp does what, and the sums are the same. SASS says what is used: "ATOMG.E.ADD PT, RZ,
// [R2], R4" drops the old value.
bool gives_places(const Trace& trace, const AccessSite& site) {
  if (site.kind != AccessKind::atomic || site.totals.lanes <= site.totals.requests) return false;
  if (!trace.machine_code || site.instruction >= trace.machine_code->rows.size()) return true;
  return trace.machine_code->rows[site.instruction].text.find(" RZ, ") == std::string::npos;
}

bool takes_places(const Trace& trace) {
  return std::any_of(trace.sites.begin(), trace.sites.end(),
                     [&](const AccessSite& site) { return gives_places(trace, site); });
}

std::string loaded_buffer(const Trace& trace, const std::set<std::string>& buffers) {
  for (const AccessSite& site : trace.sites) {
    if (is_load(site) && site.totals.requests > 0 && buffers.contains(site.buffer))
      return site.buffer;
  }
  return {};
}

}  // namespace

std::set<std::string> buffers_in_atomic_order(const std::vector<const Trace*>& steps) {
  std::set<std::string> buffers;
  for (std::size_t known = 1; known > 0;) {
    known = 0;
    for (const Trace* const trace : steps) {
      if (!takes_places(*trace) && loaded_buffer(*trace, buffers).empty()) continue;
      for (const AccessSite& site : trace->sites) {
        const bool stores = site.kind == AccessKind::store && site.space == Space::global;
        if (stores && !site.buffer.empty() && buffers.insert(site.buffer).second) ++known;
      }
    }
  }
  return buffers;
}

std::string atomic_order_of(const Trace& trace, const std::set<std::string>& buffers) {
  const std::string varies =
      ", and so do the addresses that are made of them: a device has other figures in each run";
  if (takes_places(trace))
    return "what its atomics return depends on which warp comes first" + varies;
  const std::string buffer = loaded_buffer(trace, buffers);
  if (buffer.empty()) return {};
  return "the places of elements in " + buffer +
         " depend on which warp's atomic came first in the step that filled it" + varies;
}

}  // namespace warpscope
