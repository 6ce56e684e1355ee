// profiling/engine/run/emulated_steps.cpp: steps of an emulated stage that are not kernels, and
// what its outputs are compared with.
#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "profiling/engine/run/emulated_stage.h"
#include "profiling/engine/run/reference_parts.h"
#include "scenes/base/step_buffers.h"

namespace warpscope {

std::set<std::string> EmulatedStage::stood_in(const Step& step) {
  std::set<std::string> names;
  for (const StandIn& stand_in : step.stand_ins) names.insert(stand_in.buffer);
  return names;
}

Result<void> EmulatedStage::run_function(const Step& step, const HostFunction& function,
                                         bool in_mirrors) {
  HostBuffers buffers;
  for (const std::vector<std::string>* names : {&function.reads, &function.writes}) {
    for (const std::string& name : *names) {
      Result<Held*> held = find(step, name);
      if (!held) return tl::unexpected(held.error());
      if (Result<void> room = admit_bytes(**held, in_mirrors ? 0 : (*held)->array->size_bytes());
          !room)
        return room;
      buffers[name] = in_mirrors ? std::span<std::byte>((*held)->mirror) : (*held)->bytes();
    }
  }
  if (Result<void> done = function.compute(buffers); !done) return done;
  for (const std::string& name : function.writes) {
    if (!in_mirrors) memory_.set_initialised((*find(step, name))->address, true);
  }
  return {};
}

std::string text_of(const std::vector<KernelSource>& sources,
                    const std::vector<std::pair<std::string, std::string>>& defines) {
  std::string text;
  for (const auto& [name, value] : defines) text += "#define " + name + " " + value + "\n";
  for (const KernelSource& source : sources) text += source.text + "\n";
  return text;
}

Result<void> EmulatedStage::fill_constants(const Step& step, const ConstantCopy& copy) {
  Result<Held*> from = find(step, copy.from);
  if (!from) return tl::unexpected(from.error());
  const Result<ByteRange> range = range_of(copy.part, (*from)->array->size_bytes(), copy.from);
  if (!range) return tl::unexpected(range.error());
  if (Result<void> room = admit_bytes(**from, range->bytes); !room) return room;
  const Result<Compiled> compiled = program_of(request_for(copy, kArchitecture));
  if (!compiled) return tl::unexpected(compiled.error());
  return memory_.fill_constant(compiled->program, copy.symbol,
                               (*from)->array->part(range->offset, range->bytes));
}

Result<void> EmulatedStage::run_other(const Step& step) {
  const auto part = [](std::span<std::byte> bytes, const ByteRange& range) {
    return bytes.subspan(static_cast<std::size_t>(range.offset),
                         static_cast<std::size_t>(range.bytes));
  };
  const auto size = [](const Held& held) { return held.array->size_bytes(); };
  const auto device_part = [](const Held& held, const ByteRange& range) {
    return held.array->part(range.offset, range.bytes);
  };
  if (const auto* memset = std::get_if<Memset>(&step.action)) {
    Result<Held*> held = find(step, memset->buffer);
    if (!held) return tl::unexpected(held.error());
    const Result<ByteRange> range = range_of(memset->part, size(**held), memset->buffer);
    if (!range) return tl::unexpected(range.error());
    if (range->bytes == size(**held)) {
      (*held)->array->fill(std::byte{memset->value});
      memory_.set_initialised((*held)->address, true);
      return {};
    }
    if (Result<void> room = admit_bytes(**held, range->bytes); !room) return room;
    const std::span<std::byte> bytes = device_part(**held, *range);
    std::fill(bytes.begin(), bytes.end(), std::byte{memset->value});
    memory_.mark_initialised((*held)->address, range->offset, range->bytes);
    return {};
  }
  if (const auto* copy = std::get_if<DeviceCopy>(&step.action)) {
    Result<Held*> from = find(step, copy->from), to = find(step, copy->to);
    if (!from) return tl::unexpected(from.error());
    if (!to) return tl::unexpected(to.error());
    const Result<CopyRanges> ranges = ranges_of(*copy, size(**from), size(**to));
    if (!ranges) return tl::unexpected(ranges.error());
    for (const auto& [held, range] : {std::pair(*from, ranges->from), std::pair(*to, ranges->to)}) {
      if (Result<void> room = admit_bytes(*held, range.bytes); !room) return room;
    }
    const std::span<std::byte> bytes = device_part(**from, ranges->from);
    std::copy(bytes.begin(), bytes.end(), device_part(**to, ranges->to).begin());
    memory_.mark_initialised((*to)->address, ranges->to.offset, ranges->to.bytes);
    return {};
  }
  if (const auto* copy = std::get_if<HostCopy>(&step.action)) {
    Result<Held*> held = find(step, copy->buffer);
    if (!held) return tl::unexpected(held.error());
    const Result<ByteRange> range = range_of(copy->part, size(**held), copy->buffer);
    if (!range) return tl::unexpected(range.error());
    const bool to_host = copy->direction == HostCopy::Direction::to_host;
    const std::span<std::byte> device = device_part(**held, *range),
                               host = part((*held)->mirror, *range);
    std::copy_n((to_host ? device : host).begin(), device.size(),
                (to_host ? host : device).begin());
    if (!to_host) memory_.mark_initialised((*held)->address, range->offset, range->bytes);
    return {};
  }
  if (const auto* constants = std::get_if<ConstantCopy>(&step.action))
    return fill_constants(step, *constants);
  if (const auto* host = std::get_if<HostStep>(&step.action))
    return run_function(step, host->function, true);
  return run_function(step, *std::get<LibraryCall>(step.action).on_host, false);
}

Result<void> EmulatedStage::stand_in(const Step& step, const std::set<std::string>& buffers,
                                     std::vector<std::string>& sentences) {
  for (const StandIn& stand_in : step.stand_ins) {
    if (buffers.count(stand_in.buffer) == 0) continue;
    Result<Held*> held = find(step, stand_in.buffer);
    if (!held) return tl::unexpected(held.error());
    if ((*held)->spec.role == BufferRole::input) {
      return failure(ErrorKind::internal, "a stand-in cannot replace the input " + stand_in.buffer,
                     step.name);
    }
    if (Result<void> room = admit_bytes(**held, (*held)->array->size_bytes()); !room) return room;
    stand_in.fill((*held)->bytes());
    memory_.set_initialised((*held)->address, true);
    sentences.push_back(stand_in.sentence);
  }
  return {};
}

// Nothing says what outputs must be; what nobody wrote is not an output.
Verdict EmulatedStage::unchecked() const {
  Verdict verdict = without_reference();
  for (const auto& [name, held] : held_) {
    if (held.spec.role != BufferRole::output) continue;
    const auto [count, first] = memory_.unwritten(held.address, element_bytes(held.spec.type));
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
    const Reference& reference, const Held& held,
    const std::optional<std::vector<std::int64_t>>& elements) {
  if (!reference.host) return emulated_values(reference, held.spec.name, elements);
  std::vector<std::int64_t> wanted =
      elements ? *elements : std::vector<std::int64_t>(static_cast<std::size_t>(held.spec.count));
  if (!elements) std::iota(wanted.begin(), wanted.end(), 0);
  std::vector<ReferenceValue> values(wanted.size());
  reference.host(workload_, inputs_, held.spec.name, wanted, values);
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
  for (auto& [name, held] : held_) {
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

Result<void> EmulatedStage::pass_over(const Variant& variant, const LibraryCall& call,
                                      const std::set<std::string>& touched, const View& view,
                                      Unknown& unknown) const {
  if (!view.sums) {
    return failure(ErrorKind::usage,
                   "it calls " + call.name + ", and library calls cannot be emulated", variant.name,
                   "verify it on a machine with a GPU");
  }
  for (const std::string& name : touched) {
    if (holds_buffer(name) && !is_input(name)) unknown.buffers.insert(name);
  }
  unknown.library = call.name;
  return {};
}

Result<std::vector<std::string>> EmulatedStage::replace_unknown(
    const Variant& variant, const Step& step, const std::set<std::string>& touched, bool traced,
    bool stands_in, Unknown& unknown) {
  std::set<std::string> lacking;
  std::set_intersection(touched.begin(), touched.end(), unknown.buffers.begin(),
                        unknown.buffers.end(), std::inserter(lacking, lacking.end()));
  std::vector<std::string> sentences;
  if (traced && (stands_in || !lacking.empty())) {
    const std::set<std::string> replaced = stands_in ? stood_in(step) : lacking;
    if (const Result<void> filled = stand_in(step, replaced, sentences); !filled)
      return tl::unexpected(filled.error());
    for (const std::string& name : stood_in(step)) {
      if (replaced.count(name) == 0) continue;
      lacking.erase(name);
      unknown.buffers.erase(name);
    }
  }
  if (lacking.empty()) return sentences;
  return failure(ErrorKind::usage,
                 "step " + step.name + " uses " + *lacking.begin() + ", which " + unknown.library +
                     " writes, and library calls cannot be emulated",
                 variant.name, "add a host function for the call, or a stand-in for the step");
}

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
      return failure(ErrorKind::input, "the reference has a fault: " + run.faults.front().sentence,
                     step.name, "correct it: nothing can be compared with it");
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
