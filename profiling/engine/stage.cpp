// profiling/engine/stage.cpp: a workload on the device: inputs, outputs, references, and the check.
#include "profiling/engine/stage.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "profiling/compare_output.h"
#include "scenes/code_id.h"
#include "scenes/random.h"

namespace warpscope {
namespace {

const char* const kReferenceParts[] = {".reference", ".accumulation", ".magnitude"};

// The axes that decide how many bytes this configuration needs: "m, k or n".
std::string sizing_axes(const Scene& scene, const Configuration& axes) {
  std::vector<std::string> names;
  const std::int64_t now = scene.estimate_bytes(axes);
  for (const Axis& axis : scene.axes) {
    const Configuration defaults = default_configuration(scene.axes);
    if (!defaults.has(axis.name) || axes.at(axis.name) == defaults.at(axis.name)) continue;
    Configuration smaller = axes;
    smaller.set(axis.name, defaults.at(axis.name));
    if (scene.estimate_bytes(smaller) < now) names.push_back(axis.name);
  }
  if (names.empty()) return "the sizes";
  std::string text = names.front();
  for (std::size_t i = 1; i < names.size(); ++i)
    text += (i + 1 == names.size() ? " or " : ", ") + names[i];
  return text;
}

}  // namespace

const DeviceBuffer* Stage::find(const std::string& name, const Buffers* scratch) const {
  if (scratch != nullptr) {
    if (const auto found = scratch->find(name); found != scratch->end()) return &found->second;
  }
  const auto found = buffers_.find(name);
  return found == buffers_.end() ? nullptr : &found->second;
}

Result<void> Stage::upload(const BufferSpec& spec, const std::set<std::string>& fresh) {
  const std::int64_t bytes = spec.count * element_bytes(spec.type);
  auto found = buffers_.find(spec.name);
  bool stale = fresh.count(spec.name) != 0;
  if (found == buffers_.end() || found->second.bytes() != bytes) {
    buffers_.erase(spec.name);
    Result<DeviceBuffer> buffer = DeviceBuffer::allocate(device_, bytes);
    if (!buffer) return tl::unexpected(buffer.error());
    found = buffers_.emplace(spec.name, std::move(*buffer)).first;
    stale = true;
  }
  if (!stale || spec.role != BufferRole::input || bytes == 0) return {};
  const HostArray& array = inputs_.at(spec.name);
  return device_.check(device_.driver().cuMemcpyHtoD(found->second.address(), array.bytes().data(),
                                                     array.bytes().size()),
                       "upload of " + spec.name);
}

Result<void> Stage::set(const Scene& scene, const Configuration& axes) {
  if (scene_ != &scene) {
    scene_ = &scene;
    axes_.reset();
    inputs_.clear();
    buffers_.clear();
  }
  if (holds(scene, axes)) return {};
  if (Result<void> admitted = scene.admit(axes); !admitted) return admitted;
  const std::int64_t held = [&] {
    std::int64_t sum = 0;
    for (const auto& [name, buffer] : buffers_) sum += buffer.bytes();
    return sum;
  }();
  // What is held now is freed or reused: it counts as room.
  if (Result<void> fits = device_.fits(scene.estimate_bytes(axes) - held, "this configuration");
      !fits) {
    Error error = fits.error();
    error.remedy = "lower " + sizing_axes(scene, axes);
    return tl::unexpected(error);
  }
  const std::optional<Configuration> before = std::exchange(axes_, std::nullopt);
  Facts facts = before ? workload_.facts : Facts{};
  Result<std::vector<std::string>> made =
      regenerate_inputs(scene, before ? &*before : nullptr, axes, inputs_, facts);
  if (!made) return tl::unexpected(made.error());
  std::set<std::string> fresh;
  if (std::exchange(suspect_, false)) {
    for (const auto& [name, array] : inputs_) fresh.insert(name);
  }
  for (const InputGroup& group : scene.input_groups) {
    if (std::find(made->begin(), made->end(), group.name) != made->end())
      fresh.insert(group.arrays.begin(), group.arrays.end());
  }
  workload_ = {axes, std::move(facts)};
  specs_ = scene.buffers(workload_);
  // A variant's own axes change no reference.
  const bool same_problem =
      before && problem_key(scene.axes, *before) == problem_key(scene.axes, axes);
  if (!same_problem || !made->empty()) reference_.clear();
  if (scene.nothing_to_do(workload_)) {
    axes_ = axes;
    return {};
  }
  if (Result<void> idle = device_.synchronise("before upload"); !idle) return idle;
  for (const BufferSpec& spec : specs_) {
    if (Result<void> done = upload(spec, fresh); !done) return done;
    if (spec.role != BufferRole::output) continue;
    for (const char* part : kReferenceParts) {
      BufferSpec reference = spec;
      reference.name += part;
      reference.type = ElementType::f64;
      if (Result<void> done = upload(reference, fresh); !done) return done;
    }
  }
  axes_ = axes;
  return device_.synchronise("upload");
}

Result<Stage::Bound> Stage::bind(const Variant& variant) {
  Bound bound;
  bound.scratch = std::make_shared<Buffers>();
  std::int64_t bytes = 0;
  const std::vector<BufferSpec> scratch =
      variant.scratch ? variant.scratch(workload_) : std::vector<BufferSpec>{};
  for (const BufferSpec& spec : scratch) bytes += spec.count * element_bytes(spec.type);
  if (Result<void> fits = device_.fits(bytes, "the scratch of " + variant.label); !fits) {
    return tl::unexpected(fits.error());
  }
  for (const BufferSpec& spec : scratch) {
    Result<DeviceBuffer> buffer =
        DeviceBuffer::allocate(device_, spec.count * element_bytes(spec.type));
    if (!buffer) return tl::unexpected(buffer.error());
    bound.scratch->emplace(spec.name, std::move(*buffer));
  }
  const Buffers* own = bound.scratch.get();
  for (const Step& step : variant.steps(workload_)) {
    Result<BoundStep> made = BoundStep::bind(
        device_, kernels_, step, [this, own](const std::string& name) { return find(name, own); });
    if (!made) return tl::unexpected(made.error());
    (step.phase == Phase::prepare ? bound.prepare : bound.run).push_back(std::move(*made));
  }
  return bound;
}

std::string Stage::code_id(const Variant& variant) const {
  const auto id = warpscope::code_id(variant.steps(workload_), kernels_.sources(), library_version);
  return id ? id->value_or("") : "";
}

Result<void> Stage::poison_outputs() {
  for (const BufferSpec& spec : specs_) {
    if (spec.role != BufferRole::output) continue;
    const DeviceBuffer& buffer = buffers_.at(spec.name);
    const Result<void> done = device_.check(
        device_.driver().cuMemsetD8Async(
            buffer.address(), 0xFF, static_cast<std::size_t>(buffer.bytes()), device_.stream()),
        "poison " + spec.name);
    if (!done) return done;
  }
  return {};
}

Result<void> Stage::make_reference(const Reference& reference) {
  const std::vector<Step> steps = reference.steps(workload_);
  const auto code = warpscope::code_id(steps, kernels_.sources(), library_version);
  if (!code) return tl::unexpected(code.error());
  const std::string made = reference.name + " " + code->value_or("");
  if (reference_ == made) return {};
  for (const Step& step : steps) {
    Result<BoundStep> bound = BoundStep::bind(
        device_, kernels_, step, [this](const std::string& name) { return find(name, nullptr); });
    if (!bound) return tl::unexpected(bound.error());
    if (Result<void> ran = bound->run(device_.stream()); !ran) return ran;
  }
  if (Result<void> idle = device_.synchronise("reference"); !idle) return idle;
  for (const BufferSpec& spec : specs_) {
    if (spec.role != BufferRole::output) continue;
    if (Result<void> agreed = spot_check(reference, spec); !agreed) return agreed;
  }
  reference_ = made;
  return {};
}

// The device's reference against the CPU's in 64 random elements.
Result<void> Stage::spot_check(const Reference& reference, const BufferSpec& output) {
  constexpr std::uint64_t kElements = 64;
  constexpr double kAgreement = 1e-9;  // both are double sums: only the order of adding differs
  const RandomStream stream(0x5EED, 99);
  std::vector<std::int64_t> elements;
  for (std::uint64_t i = 0; i < kElements && output.count > 0; ++i) {
    elements.push_back(
        static_cast<std::int64_t>(stream.below(i, static_cast<std::uint64_t>(output.count))));
  }
  std::vector<ReferenceValue> expected(elements.size());
  reference.host(workload_, inputs_, output.name, elements, expected);
  const DeviceBuffer& values = buffers_.at(output.name + kReferenceParts[0]);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    double value = 0;
    const CUdeviceptr at = values.address() + static_cast<CUdeviceptr>(elements[i] * 8);
    if (Result<void> read =
            device_.check(device_.driver().cuMemcpyDtoH(&value, at, 8), "reference");
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

Result<Verdict> Stage::check(const Variant& variant) {
  if (Result<void> idle = device_.synchronise("run"); !idle) return tl::unexpected(idle.error());
  const Reference* reference = find_reference(*scene_, variant.reference);
  if (reference == nullptr) {
    return failure(ErrorKind::internal, "there is no reference " + variant.reference, variant.name);
  }
  if (Result<void> made = make_reference(*reference); !made) return tl::unexpected(made.error());
  Verdict whole;
  whole.outcome = Outcome::correct;
  for (const BufferSpec& spec : specs_) {
    if (spec.role != BufferRole::output) continue;
    Result<Verdict> verdict = compare(variant, spec);
    if (!verdict) return verdict;
    whole.checked_elements += verdict->checked_elements;
    whole.mismatches += verdict->mismatches;
    if (whole.sentence.empty() || verdict->worst_error_ratio > whole.worst_error_ratio ||
        (verdict->outcome == Outcome::wrong && whole.outcome != Outcome::wrong)) {
      whole.worst_error_ratio = std::max(whole.worst_error_ratio, verdict->worst_error_ratio);
      whole.sentence = verdict->sentence;
      whole.remedy = verdict->remedy;
    }
    if (verdict->outcome != Outcome::correct) whole.outcome = verdict->outcome;
  }
  return whole;
}

Result<Verdict> Stage::compare(const Variant& variant, const BufferSpec& output) {
  const std::map<ElementType, const char*> types = {{ElementType::f32, "0"},
                                                    {ElementType::f16, "1"},
                                                    {ElementType::bf16, "2"},
                                                    {ElementType::u32, "3"}};
  const auto type = types.find(output.type);
  if (type == types.end()) {
    return failure(ErrorKind::internal,
                   std::string("there is no check for outputs of ") + to_text(output.type),
                   output.name);
  }
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
  own.emplace("result", std::move(*result));
  const Tolerance t = for_output(tolerance_of(variant, workload_.axes), output.type);
  KernelLaunch launch{
      "engine/compare.cu",
      "compare",
      {{"TYPE", type->second}},
      {{std::clamp<std::int64_t>((output.count + 255) / 256, 1, 2048), 1, 1}, {256, 1, 1}, 0, {}},
      {BufferArgument{output.name}, BufferArgument{output.name + kReferenceParts[0]},
       BufferArgument{output.name + kReferenceParts[1]},
       BufferArgument{output.name + kReferenceParts[2]}, output.count, t.accumulation, t.magnitude,
       t.reference, t.absolute, BufferArgument{"result"}}};
  const auto finder = [&](const std::string& name) { return find(name, &own); };
  for (const Step& step :
       {Step{"clear", Phase::run, Memset{"result", 0}}, Step{"compare", Phase::run, launch}}) {
    Result<BoundStep> bound = BoundStep::bind(device_, kernels_, step, finder);
    if (!bound) return tl::unexpected(bound.error());
    if (Result<void> ran = bound->run(device_.stream()); !ran) return tl::unexpected(ran.error());
  }
  if (Result<void> idle = device_.synchronise("compare"); !idle)
    return tl::unexpected(idle.error());
  std::array<std::uint64_t, 3> found{};
  if (Result<void> read = device_.check(
          device_.driver().cuMemcpyDtoH(found.data(), own.at("result").address(), sizeof found),
          "compare");
      !read) {
    return tl::unexpected(read.error());
  }
  verdict = verdict_of({output.count, static_cast<std::int64_t>(found[0]),
                        static_cast<std::int64_t>(found[1]), std::bit_cast<double>(found[2])},
                       output);
  if (verdict.outcome != Outcome::correct) suspect_ = true;
  return verdict;
}

}  // namespace warpscope
