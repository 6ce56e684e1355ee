// profiling/session/remedy.cpp: what change of axes lets a variant run.
#include "profiling/session/remedy.h"

#include <stdexcept>

namespace warpscope {

DeviceLimits limits_of(const DeviceDescription* device) {
  DeviceLimits limits;
  if (device == nullptr) return limits;
  const auto take = [](auto& limit, auto said) {
    if (said > 0) limit = said;
  };
  take(limits.compute_capability, device->compute_capability);
  take(limits.multiprocessors, device->multiprocessors);
  take(limits.shared_bytes_per_block, device->shared_bytes_per_block);
  take(limits.registers_per_multiprocessor, device->registers_per_multiprocessor);
  take(limits.l2_bytes, device->l2_bytes);
  take(limits.free_bytes, device->free_bytes);
  return limits;
}

std::optional<AxisChange> remedy_of(const Scene& scene, const Measurement& point,
                                    const DeviceLimits& device) {
  const Variant* variant = find_variant(scene, point.variant);
  if (variant == nullptr || point.verdict.outcome != Outcome::cannot_run) return std::nullopt;
  const Workload workload{for_variant(scene.axes, point.axes, point.variant), point.facts};
  for (const Constraint& constraint : variant->constraints) {
    try {
      if (!constraint.violated || !constraint.violated(workload, device)) continue;
      return constraint.remedy ? constraint.remedy(workload, device) : std::nullopt;
    } catch (const std::out_of_range&) {
      // A point that failed before its inputs were made lacks facts that the rule asks for.
    }
  }
  return std::nullopt;
}

}  // namespace warpscope
