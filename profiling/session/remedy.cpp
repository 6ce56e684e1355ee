// profiling/session/remedy.cpp: what change of axes lets a variant run.
#include "profiling/session/remedy.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <utility>

#include "profiling/points/occupancy.h"

namespace warpscope {
namespace {

// What is known of a kernel, by its place in the source. Another value of an axis may make it
// another text by its constants; until that is compiled the same registers are taken for granted.
using KnownKernels = std::map<std::pair<std::string, std::string>, KernelResources>;

KnownKernels known_kernels(const std::vector<StepRecord>& steps) {
  KnownKernels known;
  for (const StepRecord& step : steps) {
    if (step.resources) known[{step.source, step.entry}] = *step.resources;
  }
  return known;
}

bool all_start(const Variant& variant, const Workload& workload, const KnownKernels& known,
               const DeviceLimits& device) {
  for (const Step& step : variant.steps(workload)) {
    const auto* kernel = std::get_if<KernelLaunch>(&step.action);
    if (kernel == nullptr) continue;
    const auto found = known.find({kernel->source, kernel->entry});
    if (found == known.end()) continue;
    if (launch_failure(found->second, kernel->launch, device)) return false;
  }
  return true;
}

// Values to try: the axis's choices or marks; of integers without marks all of a short range, of a
// longer one the powers of two. Rows ask for a remedy at every frame.
std::vector<AxisValue> values_to_try(const Axis& axis) {
  std::vector<AxisValue> values;
  for (const std::string& choice : axis.choices) values.emplace_back(choice);
  for (const double stop : axis.stops) {
    values.push_back(axis.kind == AxisKind::integer ? AxisValue(static_cast<std::int64_t>(stop))
                                                    : AxisValue(stop));
  }
  if (axis.kind != AxisKind::integer || !values.empty()) return values;
  constexpr double kMostValues = 64;
  const auto least = static_cast<std::int64_t>(axis.minimum),
             most = static_cast<std::int64_t>(axis.maximum);
  if (axis.maximum - axis.minimum <= kMostValues) {
    for (std::int64_t value = least; value <= most; ++value) values.emplace_back(value);
  } else {
    for (std::int64_t value = 1; value <= most && value > 0; value *= 2) {
      if (value >= least) values.emplace_back(value);
    }
  }
  return values;
}

double distance(const AxisValue& a, const AxisValue& b) {
  const auto number = [](const AxisValue& value) {
    const auto* integer = std::get_if<std::int64_t>(&value);
    const auto* real = std::get_if<double>(&value);
    return integer != nullptr ? static_cast<double>(*integer) : real != nullptr ? *real : 0.0;
  };
  return std::abs(number(a) - number(b));
}

std::optional<AxisChange> change_of(const Scene& scene, const Variant& variant,
                                    const Workload& workload, const KnownKernels& known,
                                    const DeviceLimits& device, const Axis& axis) {
  const AxisValue& now = value_of(axis, workload.axes, variant.name);
  std::vector<AxisValue> values = values_to_try(axis);
  std::stable_sort(values.begin(), values.end(), [&](const AxisValue& a, const AxisValue& b) {
    return distance(a, now) < distance(b, now);
  });
  for (const AxisValue& value : values) {
    if (value == now) continue;
    const Result<Configuration> axes =
        with_values(scene.axes, workload.axes, {{axis.name, to_text(value)}});
    if (!axes || !applies(variant, *axes) || (scene.admit && !scene.admit(*axes))) continue;
    try {
      const Workload there{*axes, workload.facts, workload.late};
      if (unavailable(variant, there, device) || !all_start(variant, there, known, device))
        continue;
      return AxisChange{"use " + axis.name + " = " + to_text(value), {{axis.name, to_text(value)}}};
    } catch (const std::out_of_range&) {
      // It needs facts that are not known there.
    }
  }
  return std::nullopt;
}

// In which order axes are tried; no value: the axis is not tried.
std::optional<int> turn_of(const Axis& axis, const Variant& variant) {
  const bool own = !of_problem(axis);
  if (!of_variant(axis, variant.name)) return std::nullopt;
  if (axis.binds == Binding::launch_shape) return own ? 0 : 1;
  if (axis.binds == Binding::compile_time && own) return 2;
  return std::nullopt;
}

}  // namespace

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
  const Outcome outcome = point.verdict.outcome;
  if (variant == nullptr || !may_have_remedy(outcome)) return std::nullopt;
  const Workload workload{for_variant(scene.axes, point.axes, point.variant), point.facts};
  if (outcome == Outcome::launch_failed)
    return launch_remedy(scene, *variant, workload, point.steps, device);
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

std::int64_t nearest_runnable(const Scene& scene, const Variant& variant, const Configuration& axes,
                              const Axis& axis, std::int64_t value, const DeviceLimits& device) {
  const auto runs = [&](std::int64_t at) {
    Configuration tried = axes;
    tried.set(axis.name, at);
    try {
      return !unavailable(variant, {for_variant(scene.axes, tried, variant.name), {}}, device);
    } catch (const std::out_of_range&) {
      return true;  // a rule asks for what only inputs tell
    }
  };
  if (runs(value)) return value;
  constexpr std::int64_t kFarthest = 64;
  for (std::int64_t apart = 1; apart <= kFarthest; ++apart) {
    for (const std::int64_t at : {value - apart, value + apart}) {
      const auto number = static_cast<double>(at);
      if (number >= axis.typed_minimum && number <= axis.typed_maximum && runs(at)) return at;
    }
  }
  return value;
}

std::optional<AxisChange> launch_remedy(const Scene& scene, const Variant& variant,
                                        const Workload& workload,
                                        const std::vector<StepRecord>& steps,
                                        const DeviceLimits& device) {
  if (!first_failing(steps, device)) return std::nullopt;
  const KnownKernels known = known_kernels(steps);
  for (const int turn : {0, 1, 2}) {
    for (const Axis& axis : scene.axes) {
      if (turn_of(axis, variant) != turn || !applies(axis, workload.axes)) continue;
      if (auto change = change_of(scene, variant, workload, known, device, axis)) return change;
    }
  }
  return std::nullopt;
}

std::optional<Verdict> launch_verdict(const Scene& scene, const Variant& variant,
                                      const Workload& workload,
                                      const std::vector<StepRecord>& steps,
                                      const DeviceLimits& device) {
  const std::optional<FailingStep> failing = first_failing(steps, device);
  if (!failing) return std::nullopt;
  Verdict verdict;
  verdict.outcome = Outcome::launch_failed;
  const auto kernels = std::count_if(steps.begin(), steps.end(),
                                     [](const StepRecord& step) { return step.kind == "kernel"; });
  verdict.sentence =
      (kernels > 1 ? "step " + failing->step->name + ": " : "") + failing->failure.sentence;
  const auto change = launch_remedy(scene, variant, workload, steps, device);
  verdict.remedy = change ? change->sentence
                   : failing->failure.cause == LaunchFailure::Cause::shared_memory
                       ? "use less shared memory"
                       : "choose a smaller block, or cap its registers with __launch_bounds__";
  return verdict;
}

std::optional<PredictedFailure> predicted_failure(const Scene& scene,
                                                  const Compilation& compilation) {
  const Variant* variant = find_variant(scene, compilation.point.variant);
  if (variant == nullptr) return std::nullopt;
  const DeviceLimits device = limits_of_architecture(compilation.compute_capability);
  const Workload workload{for_variant(scene.axes, compilation.axes, variant->name),
                          compilation.facts};
  std::optional<Verdict> verdict =
      launch_verdict(scene, *variant, workload, compilation.steps, device);
  if (!verdict) return std::nullopt;
  return PredictedFailure{std::move(*verdict),
                          launch_remedy(scene, *variant, workload, compilation.steps, device)};
}

}  // namespace warpscope
