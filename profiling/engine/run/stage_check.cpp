// profiling/engine/run/stage_check.cpp: references of a stage, and outputs compared with them.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "profiling/engine/run/reference_parts.h"
#include "profiling/engine/run/stage.h"
#include "profiling/points/compare_output.h"
#include "scenes/base/element_inputs.h"
#include "scenes/base/step_buffers.h"
#include "scenes/base/texts/code_id.h"

namespace warpscope {
namespace {

// Buffers of a check. Those of a scene have names without a slash, “result” and “sums” among them.
constexpr const char *kResult = "engine/result", *kSums = "engine/sums";

// Name and code of a reference, as they are now. error: as of reading its kernels.
Result<std::string> identity_of(const Reference& reference, const Workload& workload,
                                const SourceLookup& sources) {
  const auto code = code_id(reference.steps(workload), sources, library_version);
  if (!code) return tl::unexpected(code.error());
  return reference.name + " " + code->value_or("");
}

// Allocates the parts of a reference: the buffers that all variants share, or its own.
Result<void> allocate_parts(const Device& device, const std::vector<BufferSpec>& specs,
                            const Workload& workload, const Reference& reference, Buffers& parts) {
  for (const BufferSpec& spec : specs) {
    if (!covers(reference, workload, spec)) continue;
    for (const char* part : kReferenceParts) {
      const std::string name = spec.name + part;
      const std::int64_t bytes = spec.count * element_bytes(ElementType::f64);
      if (const auto held = parts.find(name); held != parts.end()) {
        if (held->second.bytes() == bytes) continue;
        parts.erase(held);
      }
      Result<DeviceBuffer> buffer = DeviceBuffer::allocate(device, bytes);
      if (!buffer) return tl::unexpected(buffer.error());
      parts.emplace(name, std::move(*buffer));
    }
  }
  return {};
}

// What its steps keep while it is made.
Result<Buffers> scratch_of(const Device& device, const Workload& workload,
                           const Reference& reference) {
  Buffers scratch;
  if (!reference.scratch) return scratch;
  for (const BufferSpec& spec : reference.scratch(workload)) {
    Result<DeviceBuffer> buffer =
        DeviceBuffer::allocate(device, spec.count * element_bytes(spec.type));
    if (!buffer) return tl::unexpected(buffer.error());
    scratch.emplace(spec.name, std::move(*buffer));
  }
  return scratch;
}

// The device's reference against the CPU's in 64 random elements.
Result<void> spot_check(const Device& device, const Scene& scene, const Workload& workload,
                        Inputs& inputs, const Reference& reference, const BufferSpec& output,
                        const Buffers& parts) {
  constexpr double kAgreement = 1e-9;  // both are double sums: only the order of adding differs
  const std::vector<std::int64_t> elements = spot_elements(output.count);
  make_element_inputs(scene, workload, inputs);
  std::vector<ReferenceValue> expected(elements.size());
  reference.host(workload, inputs, output.name, elements, expected);
  const DeviceBuffer& values = parts.at(output.name + kReferenceParts[0]);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    double value = 0;
    const CUdeviceptr at = values.address() + static_cast<CUdeviceptr>(elements[i] * 8);
    if (Result<void> read = device.check(device.driver().cuMemcpyDtoH(&value, at, 8), "reference");
        !read) {
      return read;
    }
    const bool both_nan = std::isnan(value) && std::isnan(expected[i].value);
    if (both_nan || value == expected[i].value) continue;
    if (!(std::abs(value - expected[i].value) <= kAgreement * expected[i].magnitude)) {
      return failure(
          ErrorKind::internal,
          "the device reference disagrees with the CPU at " + element_name(output, elements[i]),
          reference.name, "report it with this session");
    }
  }
  return {};
}

// What stands in an element, and its reference; no value: neither was read.
std::optional<OutputComparison::Pair> pair_at(const Device& device, const BufferSpec& output,
                                              std::int64_t element, const DeviceBuffer& out,
                                              const DeviceBuffer& reference) {
  if (element < 0 || element >= output.count) return std::nullopt;
  std::array<std::byte, 8> bytes{};
  double expected = 0;
  const auto at = static_cast<CUdeviceptr>(element);
  const auto size = static_cast<std::size_t>(element_bytes(output.type));
  const CudaDriver& d = device.driver();
  if (d.cuMemcpyDtoH(bytes.data(), out.address() + at * size, size) != CUDA_SUCCESS ||
      d.cuMemcpyDtoH(&expected, reference.address() + at * 8, 8) != CUDA_SUCCESS)
    return std::nullopt;
  return OutputComparison::Pair{element_at(output.type, bytes.data()).value, expected};
}

// What compares an output with its reference, into kResult.
std::array<Step, 3> steps_of_comparison(const BufferSpec& output, const Tolerance& t) {
  const KernelLaunch launch{
      "engine/compare.cu",
      "compare",
      {{"TYPE", std::to_string(comparison_type(output.type))}},
      {{std::clamp<std::int64_t>((output.count + 255) / 256, 1, 2048), 1, 1}, {256, 1, 1}, 0, {}},
      {BufferArgument{output.name}, BufferArgument{output.name + kReferenceParts[0]},
       BufferArgument{output.name + kReferenceParts[1]},
       BufferArgument{output.name + kReferenceParts[2]}, output.count, t.accumulation, t.magnitude,
       t.reference, t.absolute, std::int32_t{t.bit_exact}, BufferArgument{kResult}}};
  KernelLaunch locate = launch;
  locate.entry = "locate";
  return {Step{"clear", Phase::run, Memset{kResult, 0}}, Step{"compare", Phase::run, launch},
          Step{"locate", Phase::run, locate}};
}

}  // namespace

Result<void> Stage::make_reference(const Reference& reference, Buffers& parts) {
  if (Result<void> room = allocate_parts(device_, specs_, workload_, reference, parts); !room)
    return room;
  const Result<Buffers> scratch = scratch_of(device_, workload_, reference);
  if (!scratch) return tl::unexpected(scratch.error());
  // A reference sees states as they began: the run that it judges has changed them.
  const auto finder = [&](const std::string& name) -> const DeviceBuffer* {
    if (const auto state = kept_.find(name); state != kept_.end()) return &state->second;
    if (const auto part = parts.find(name); part != parts.end()) return &part->second;
    return find(name, &*scratch);
  };
  for (const Step& step : reference.steps(workload_)) {
    Result<BoundStep> bound = BoundStep::bind(device_, kernels_, step, finder);
    if (!bound) return tl::unexpected(bound.error());
    if (Result<void> ran = bound->run(device_.stream()); !ran) return ran;
  }
  if (Result<void> idle = device_.synchronise("reference"); !idle) return idle;
  if (!reference.host) return {};  // of a person's own there is no second one
  if (reference.host_reaches && !reference.host_reaches(workload_)) return {};
  for (const BufferSpec& spec : specs_) {
    if (!covers(reference, workload_, spec)) continue;
    if (Result<void> agreed =
            spot_check(device_, *scene_, workload_, inputs_.arrays(), reference, spec, parts);
        !agreed)
      return agreed;
  }
  return {};
}

Result<void> Stage::make_reference_of(const Variant& variant) {
  if (variant.reference.empty()) return {};
  const Result<const Reference*> reference = judging_reference(*scene_, variant);
  if (!reference) return tl::unexpected(reference.error());
  const Result<std::string> identity = identity_of(**reference, workload_, kernels_.sources());
  if (!identity) return tl::unexpected(identity.error());
  if (reference_ == *identity) return {};
  reference_.clear();
  if (Result<void> made = make_reference(**reference, buffers_); !made) return made;
  reference_ = *identity;
  return {};
}

Result<std::map<std::string, std::uint64_t>> Stage::sums_of_inputs() const {
  std::vector<const BufferSpec*> inputs;
  for (const BufferSpec& spec : specs_) {
    if (spec.role == BufferRole::input && spec.count > 0) inputs.push_back(&spec);
  }
  std::vector<std::uint64_t> sums(inputs.size());
  if (sums.empty()) return std::map<std::string, std::uint64_t>{};
  const auto bytes = static_cast<std::int64_t>(sums.size() * sizeof sums[0]);
  Result<DeviceBuffer> result = DeviceBuffer::allocate(device_, bytes);
  if (!result) return tl::unexpected(result.error());
  Buffers own;
  own.emplace(kSums, std::move(*result));
  std::vector<Step> steps = {{"clear", Phase::run, Memset{kSums, 0}}};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::int64_t size = inputs[i]->count * element_bytes(inputs[i]->type);
    const std::int64_t blocks = std::clamp<std::int64_t>((size + 4095) / 4096, 1, 2048);
    steps.push_back({"sum", Phase::run,
                     KernelLaunch{"engine/sum_bytes.cu",
                                  "sum_bytes",
                                  {},
                                  {{blocks, 1, 1}, {256, 1, 1}, 0, {}},
                                  {BufferArgument{inputs[i]->name}, size, BufferArgument{kSums},
                                   static_cast<std::int32_t>(i)}}});
  }
  for (const Step& step : steps) {
    Result<BoundStep> bound = BoundStep::bind(
        device_, kernels_, step, [&](const std::string& name) { return find(name, &own); });
    if (!bound) return tl::unexpected(bound.error());
    if (Result<void> ran = bound->run(device_.stream()); !ran) return tl::unexpected(ran.error());
  }
  Result<void> read = device_.synchronise("inputs").and_then([&] {
    return device_.check(device_.driver().cuMemcpyDtoH(sums.data(), own.at(kSums).address(),
                                                       static_cast<std::size_t>(bytes)),
                         "inputs");
  });
  if (!read) return tl::unexpected(read.error());
  std::map<std::string, std::uint64_t> by_name;
  for (std::size_t i = 0; i < inputs.size(); ++i) by_name[inputs[i]->name] = sums[i];
  return by_name;
}

Result<void> Stage::note_inputs() {
  if (!noted_inputs_.empty()) return {};
  return sums_of_inputs().map(
      [this](std::map<std::string, std::uint64_t> sums) { noted_inputs_ = std::move(sums); });
}

Result<std::string> Stage::changed_input() const {
  if (noted_inputs_.empty()) return "";
  const Result<std::map<std::string, std::uint64_t>> now = sums_of_inputs();
  if (!now) return tl::unexpected(now.error());
  for (const auto& [name, sum] : noted_inputs_) {
    if (const auto found = now->find(name); found != now->end() && found->second != sum)
      return name;
  }
  return "";
}

Result<Verdict> Stage::check(const Variant& variant, const Bound& bound) {
  if (Result<void> idle = device_.synchronise("run"); !idle) return tl::unexpected(idle.error());
  const Result<std::string> changed = changed_input();
  if (!changed) return tl::unexpected(changed.error());
  if (!changed->empty()) {
    suspect_ = true;  // all inputs are made anew before anything else runs
    return written_into(*changed);
  }
  for (const std::string& name : bound.left_on_host) {
    const DeviceBuffer* buffer = find(name, bound.scratch.get());
    const std::span<std::byte> bytes = bound.mirrors->at(name).bytes();
    if (buffer == nullptr || bytes.empty()) continue;
    const Result<void> copied = device_.check(
        device_.driver().cuMemcpyHtoD(buffer->address(), bytes.data(), bytes.size()), name);
    if (!copied) return tl::unexpected(copied.error());
  }
  if (variant.reference.empty()) return without_reference();
  if (Result<void> made = make_reference_of(variant); !made) return tl::unexpected(made.error());
  const Result<const Reference*> reference = judging_reference(*scene_, variant);
  if (!reference) return tl::unexpected(reference.error());
  return compare_all(variant, **reference, buffers_);
}

Result<std::vector<ReportedError>> Stage::report(const Variant& variant) {
  std::vector<ReportedError> errors;
  for (const std::string& name : variant.reported_references) {
    const Result<const Reference*> reference = named_reference(*scene_, variant, name);
    if (!reference) return tl::unexpected(reference.error());
    if (!applies(**reference, workload_.axes)) continue;
    const Result<std::string> identity = identity_of(**reference, workload_, kernels_.sources());
    if (!identity) return tl::unexpected(identity.error());
    const auto [parts, missing] = reported_.try_emplace(*identity);
    const Result<void> made = missing ? make_reference(**reference, parts->second) : Result<void>{};
    if (!made) {
      reported_.erase(parts);
      if (made.error().kind == ErrorKind::fault) return tl::unexpected(made.error());
      errors.push_back(
          {name, 0, 0, 0, "not compared with " + name + ": " + sentence(made.error())});
      continue;
    }
    const bool suspect = suspect_;
    const Result<Verdict> whole = compare_all(variant, **reference, parts->second);
    suspect_ = suspect;  // an error that judges nothing accuses nobody
    if (!whole) return tl::unexpected(whole.error());
    errors.push_back(reported_error(name, *whole));
  }
  return errors;
}

Result<std::vector<std::byte>> Stage::bytes_of(const Bound& bound, const std::string& name) const {
  const DeviceBuffer* buffer = find(name, bound.scratch.get());
  if (buffer == nullptr)
    return failure(ErrorKind::usage, "there is no buffer of this name here", name);
  std::vector<std::byte> bytes(static_cast<std::size_t>(buffer->bytes()));
  if (bytes.empty()) return bytes;
  return device_
      .check(device_.driver().cuMemcpyDtoH(bytes.data(), buffer->address(), bytes.size()), name)
      .map([&] { return std::move(bytes); });
}

Result<void> Stage::write(const Bound& bound, const std::string& name,
                          std::span<const std::byte> bytes) const {
  const DeviceBuffer* buffer = find(name, bound.scratch.get());
  if (buffer == nullptr)
    return failure(ErrorKind::usage, "there is no buffer of this name here", name);
  if (buffer->bytes() != static_cast<std::int64_t>(bytes.size()))
    return failure(ErrorKind::usage, "it has another size than what is written to it", name);
  return device_.check(device_.driver().cuMemcpyHtoD(buffer->address(), bytes.data(), bytes.size()),
                       "writing " + name);
}

Result<Verdict> Stage::compare_all(const Variant& variant, const Reference& reference,
                                   const Buffers& parts) {
  Verdict whole;
  whole.outcome = Outcome::correct;
  for (const BufferSpec& spec : specs_) {
    if (!covers(reference, workload_, spec)) continue;
    Result<Verdict> verdict = compare(variant, spec, parts);
    if (!verdict) return verdict;
    add_output(whole, *verdict);
  }
  if (reference.host_reaches && !reference.host_reaches(workload_))
    whole.sentence +=
        "; the reference itself was not compared with the host's, which would take minutes";
  return whole;
}

Result<Verdict> Stage::compare(const Variant& variant, const BufferSpec& output,
                               const Buffers& parts) {
  const DeviceBuffer& out = buffers_.at(output.name);
  Result<std::int64_t> damaged = out.damaged_guard_bytes();
  if (!damaged) return tl::unexpected(damaged.error());
  Verdict verdict;
  verdict.checked_elements = output.count;
  if (*damaged > 0) {
    verdict.outcome = Outcome::wrong;
    verdict.sentence = "it wrote outside of " + output.name + ": " + std::to_string(*damaged) +
                       " guard bytes changed";
    verdict.remedy = "check the index arithmetic at the ends";
    suspect_ = true;
    if (Result<void> mended = out.restore_guard_bytes(); !mended)
      return tl::unexpected(mended.error());
    return verdict;
  }
  Result<DeviceBuffer> result = DeviceBuffer::allocate(device_, 24);
  if (!result) return tl::unexpected(result.error());
  Buffers own;
  own.emplace(kResult, std::move(*result));
  const Tolerance t = for_output(tolerance_of(variant, workload_.axes), output.type);
  const auto finder = [&](const std::string& name) {
    const auto part = parts.find(name);
    return part != parts.end() ? &part->second : find(name, &own);
  };
  for (const Step& step : steps_of_comparison(output, t)) {
    Result<BoundStep> bound = BoundStep::bind(device_, kernels_, step, finder);
    if (!bound) return tl::unexpected(bound.error());
    if (Result<void> ran = bound->run(device_.stream()); !ran) return tl::unexpected(ran.error());
  }
  if (Result<void> idle = device_.synchronise("compare"); !idle)
    return tl::unexpected(idle.error());
  std::array<std::uint64_t, 3> found{};
  if (Result<void> read = device_.check(
          device_.driver().cuMemcpyDtoH(found.data(), own.at(kResult).address(), sizeof found),
          "compare");
      !read) {
    return tl::unexpected(read.error());
  }
  OutputComparison comparison{output.count, static_cast<std::int64_t>(found[0]),
                              found[1] == 0 ? 0 : static_cast<std::int64_t>(~found[1]),
                              std::bit_cast<double>(found[2]), t.bit_exact};
  if (const DeviceBuffer* reference = finder(output.name + kReferenceParts[0]);
      reference != nullptr && comparison.mismatches > 0)
    comparison.at_worst = pair_at(device_, output, comparison.worst, out, *reference);
  verdict = verdict_of(comparison, output);
  if (verdict.outcome != Outcome::correct) suspect_ = true;
  return verdict;
}

}  // namespace warpscope
