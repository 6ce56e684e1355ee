// scenes/training.cpp: how the steps of a scene learn: from what, which weights, what to look
// at.
#include "scenes/training.h"

namespace warpscope {

std::int64_t weight_count(const Training& training, const Configuration& axes) {
  std::int64_t count = 0;
  for (const TrainingTensor& tensor : training.tensors(axes)) count += tensor.count;
  return count;
}

std::optional<std::string> cannot_learn(const Training& training, const Variant& variant,
                                        const Workload& workload, const DeviceLimits& device) {
  if (std::optional<std::string> reason = training.refusal(variant, workload)) return reason;
  if (variant.expected_fault) {
    if (const auto fault = variant.expected_fault(workload))
      return "it is wrong on purpose: " + *fault;
  }
  for (const Constraint& constraint : variant.constraints) {
    if (constraint.of_patience) continue;
    if (std::optional<std::string> reason = constraint.violated(workload, device)) return reason;
  }
  return std::nullopt;
}

}  // namespace warpscope
