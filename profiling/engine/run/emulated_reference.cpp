// profiling/engine/run/emulated_reference.cpp: what a reference of kernels expects, by the
// emulator.
#include <algorithm>
#include <utility>

#include "profiling/engine/run/emulated_stage.h"
#include "profiling/engine/run/reference_parts.h"
#include "scenes/base/step_buffers.h"

namespace warpscope {

// Its steps see inputs, states as they began, and the parts: never what the variant left.
Result<void> EmulatedStage::run_reference(const Reference& reference,
                                          const std::vector<BufferSpec>& covered) {
  for (const BufferSpec& spec : scene_->buffers(workload_)) {
    if (spec.role != BufferRole::input && spec.role != BufferRole::state) continue;
    if (Result<void> held = hold(spec, false); !held) return held;
  }
  for (const BufferSpec& spec : covered) {
    for (const char* part : kReferenceParts) {
      BufferSpec doubles = spec;
      doubles.name += part;
      doubles.type = ElementType::f64;
      doubles.role = BufferRole::scratch;
      if (Result<void> held = hold(doubles, false); !held) return held;
    }
  }
  View view;
  view.sums = false;
  view.cancelled = cancelled_;
  Run run;
  for (const Step& step : reference.steps(workload_)) {
    const auto* kernel = std::get_if<KernelLaunch>(&step.action);
    const Result<void> ran =
        kernel != nullptr ? run_kernel(step, *kernel, view, false, true, run) : run_other(step);
    if (!ran) return ran;
    if (run.cancelled)
      return failure(ErrorKind::resource, "the reference was cancelled", step.name);
    if (!run.faults.empty()) {
      return failure(ErrorKind::input, "the reference goes wrong: " + run.faults.front().sentence,
                     step.name, "correct it: nothing can be held to it");
    }
  }
  return {};
}

Result<void> EmulatedStage::emulate_reference(const Reference& reference) {
  std::vector<BufferSpec> covered;
  bool known = true;
  for (const auto& [name, held] : held_) {
    if (!covers(reference, workload_, held.spec)) continue;
    covered.push_back(held.spec);
    known = known && expected_.count(reference.name + "/" + name) != 0;
  }
  if (known) return {};
  // The variant's buffers stand aside: its outputs are still to be compared.
  std::map<std::string, Held> of_variant = std::exchange(held_, {});
  EmulatedMemory memory = std::exchange(memory_, EmulatedMemory());
  const Result<void> ran = run_reference(reference, covered);
  for (const BufferSpec& spec : covered) {
    if (!ran) break;
    std::vector<ReferenceValue>& expected = expected_[reference.name + "/" + spec.name];
    expected.assign(static_cast<std::size_t>(spec.count), {});
    const auto part = [&](std::size_t which) {
      const std::span<const std::byte> bytes = bytes_of(spec.name + kReferenceParts[which]);
      return std::span(reinterpret_cast<const double*>(bytes.data()),
                       bytes.size() / sizeof(double));
    };
    const auto values = part(0), accumulation = part(1), magnitude = part(2);
    for (std::size_t i = 0; i < expected.size(); ++i)
      expected[i] = {values[i], accumulation[i], magnitude[i]};
  }
  held_ = std::move(of_variant);
  memory_ = std::move(memory);
  return ran;
}

std::vector<ReferenceValue> EmulatedStage::emulated_values(
    const Reference& reference, const std::string& output,
    const std::optional<std::vector<std::int64_t>>& elements) const {
  const std::vector<ReferenceValue>& all = expected_.at(reference.name + "/" + output);
  if (!elements) return all;
  std::vector<ReferenceValue> values;
  for (const std::int64_t element : *elements)
    values.push_back(all.at(static_cast<std::size_t>(element)));
  return values;
}

}  // namespace warpscope
