// profiling/engine/run/emulated/emulated_check.cpp: what the outputs of an emulated stage are
// compared with.
#include <numeric>
#include <utility>

#include "profiling/engine/run/emulated/emulated_stage.h"
#include "profiling/engine/run/emulated/other_steps.h"
#include "profiling/engine/run/reference_parts.h"
#include "scenes/base/step_buffers.h"

namespace warpscope {

// Nothing says what outputs must be; what nobody wrote is not an output.
Verdict EmulatedStage::unchecked() const {
  Verdict verdict = without_reference();
  for (const auto& [name, held] : buffers_.all()) {
    if (held.spec.role != BufferRole::output) continue;
    const auto [count, first] =
        buffers_.memory().unwritten(held.address, element_bytes(held.spec.type));
    if (count == 0) continue;
    verdict.sentence += "; " + element_name(held.spec, first);
    if (count > 1)
      verdict.sentence += " and " + std::to_string(count - 1) + " more of its elements";
    verdict.sentence += count > 1 ? " were never written" : " was never written";
  }
  return verdict;
}

Result<Verdict> EmulatedStage::check(const Variant& variant,
                                     const std::optional<std::vector<std::int64_t>>& elements) {
  if (variant.reference.empty()) return unchecked();
  const Result<const Reference*> reference = judging_reference(*scene_, variant);
  if (!reference) return tl::unexpected(reference.error());
  return compare_all(variant, **reference, elements);
}

Result<std::vector<ReportedError>> EmulatedStage::report(const Variant& variant) {
  std::vector<ReportedError> errors;
  for (const std::string& name : variant.reported_references) {
    const Result<const Reference*> reference = named_reference(*scene_, variant, name);
    if (!reference) return tl::unexpected(reference.error());
    if (!applies(**reference, workload_.axes)) continue;
    const Result<Verdict> whole = compare_all(variant, **reference, {});
    if (!whole) return tl::unexpected(whole.error());
    errors.push_back(reported_error(name, *whole));
  }
  return errors;
}

std::vector<ReferenceValue> EmulatedStage::expected_of(
    const Reference& reference, const EmulatedBuffers::Held& held,
    const std::optional<std::vector<std::int64_t>>& elements) {
  if (!reference.host) return emulated_values(reference, held.spec.name, elements);
  std::vector<std::int64_t> wanted =
      elements ? *elements : std::vector<std::int64_t>(static_cast<std::size_t>(held.spec.count));
  if (!elements) std::iota(wanted.begin(), wanted.end(), 0);
  std::vector<ReferenceValue> values(wanted.size());
  reference.host(workload_, buffers_.inputs(), held.spec.name, wanted, values);
  return values;
}

Result<Verdict> EmulatedStage::compare_all(
    const Variant& variant, const Reference& reference,
    const std::optional<std::vector<std::int64_t>>& elements) {
  Verdict whole;
  whole.outcome = Outcome::correct;
  first_wrong_.reset();
  if (!reference.host) {
    if (Result<void> made = emulate_reference(reference); !made)
      return tl::unexpected(made.error());
  } else if (reference.host_reaches && !reference.host_reaches(workload_)) {
    return failure(ErrorKind::resource, "the reference would take minutes on the host here",
                   reference.name, "choose smaller sizes");
  }
  for (auto& [name, held] : buffers_.all()) {
    if (!covers(reference, workload_, held.spec)) continue;
    const Tolerance tolerance = for_output(tolerance_of(variant, workload_.axes), held.spec.type);
    OutputComparison comparison;
    if (elements) {
      const std::vector<ReferenceValue> expected = expected_of(reference, held, elements);
      const std::int64_t size = element_bytes(held.spec.type);
      for (std::size_t e = 0; e < elements->size(); ++e) {
        const std::span<const std::byte> at = held.array->part((*elements)[e] * size, size);
        compare_elements(held.spec.type, at, {&expected[e], 1}, tolerance, (*elements)[e],
                         comparison);
        if (comparison.mismatches > 0 && !first_wrong_)
          first_wrong_ = wrong_element(held.spec, (*elements)[e], at, expected[e]);
      }
    } else {
      std::vector<ReferenceValue>& expected = expected_[reference.name + "/" + name];
      if (expected.size() != static_cast<std::size_t>(held.spec.count))
        expected = expected_of(reference, held, {});
      compare_elements(held.spec.type, held.bytes(), expected, tolerance, 0, comparison);
      if (comparison.mismatches > 0 && !first_wrong_)
        first_wrong_ = find_first_wrong(held.spec, held.bytes(), expected, tolerance);
      if (comparison.mismatches == 0 && accepts_zeros(held.spec.type, expected, tolerance))
        return judges_nothing(held.spec.name);
    }
    add_output(whole, verdict_of(comparison, held.spec));
  }
  return whole;
}

// Its steps see inputs, states as they began, and the parts: never what the variant left.
Result<void> EmulatedStage::run_reference(const Reference& reference,
                                          const std::vector<BufferSpec>& covered) {
  for (const BufferSpec& spec : scene_->buffers(workload_)) {
    if (spec.role != BufferRole::input && spec.role != BufferRole::state) continue;
    if (Result<void> held = buffers_.hold(spec, false); !held) return held;
  }
  for (const BufferSpec& spec : covered) {
    for (const char* part : kReferenceParts) {
      BufferSpec doubles = spec;
      doubles.name += part;
      doubles.type = ElementType::f64;
      doubles.role = BufferRole::scratch;
      if (Result<void> held = buffers_.hold(doubles, false); !held) return held;
    }
  }
  View view;
  view.sums = false;
  view.cancelled = cancelled_;
  Run run;
  for (const Step& step : reference.steps(workload_)) {
    const auto* kernel = std::get_if<KernelLaunch>(&step.action);
    const Result<void> ran = kernel != nullptr ? run_kernel(step, *kernel, view, false, true, run)
                                               : run_without_kernel(buffers_, programs_, step);
    if (!ran) return ran;
    if (run.cancelled)
      return failure(ErrorKind::resource, "the reference was cancelled", step.name);
    if (!run.faults.empty()) {
      return failure(ErrorKind::input, "the reference has a fault: " + run.faults.front().sentence,
                     step.name, "correct it: nothing can be compared with it");
    }
  }
  return {};
}

Result<void> EmulatedStage::emulate_reference(const Reference& reference) {
  std::vector<BufferSpec> covered;
  bool known = true;
  for (const auto& [name, held] : buffers_.all()) {
    if (!covers(reference, workload_, held.spec)) continue;
    covered.push_back(held.spec);
    known = known && expected_.count(reference.name + "/" + name) != 0;
  }
  if (known) return {};
  // The variant's buffers stand aside: its outputs are still to be compared.
  EmulatedBuffers::Laid of_variant = buffers_.put_aside();
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
  buffers_.put_back(std::move(of_variant));
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
