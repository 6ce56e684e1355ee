// profiling/engine/measure/roofs.h: the ceilings of the device at hand, measured.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "profiling/engine/compile/kernel_store.h"
#include "profiling/engine/cuda/device.h"
#include "profiling/engine/measure/counters.h"
#include "profiling/engine/measure/timer.h"
#include "profiling/points/roof.h"

namespace warpscope {

// Told the share done and what is next; false ends the measuring.
using RoofProgress = std::function<bool(double done_ratio, const std::string& text)>;

// Each roof is the best of several launch shapes, a median, and is checked against its own counters
// where `counters` is not null: a kernel that moved other bytes than it claims is not trusted. The
// roofs of `scenes` follow those of the device; the libraries' rates stand beside them.
// error: fault, resource, usage "cancelled". Conditions are left to the caller.
Result<RoofSet> measure_roofs(const Device& device, KernelStore& kernels, Timer& timer,
                              Counters* counters, std::span<const Scene> scenes,
                              const RoofProgress& progress);

}  // namespace warpscope
