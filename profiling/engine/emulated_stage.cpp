// profiling/engine/emulated_stage.cpp: a workload in host memory, its kernels run by the emulator.
#include "profiling/engine/emulated_stage.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>
#include <thread>
#include <utility>

#include "profiling/emulator/tensor_map.h"
#include "profiling/protocol.h"
#include "scenes/half.h"

namespace warpscope {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

int worker_threads() {
  return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 8u));
}

}  // namespace

Result<void> EmulatedStage::set(const Scene& scene, const Configuration& axes) {
  if (scene_ != &scene) {
    scene_ = &scene;
    axes_.reset();
    inputs_.clear();
  }
  if (holds(scene, axes)) return {};
  if (Result<void> admitted = scene.admit(axes); !admitted) return admitted;
  // Half of what a laptop has; the reference buffers of a device are not needed here.
  constexpr std::int64_t kMostBytes = 8LL << 30;
  if (const std::int64_t bytes = scene.estimate_bytes(axes); bytes > kMostBytes) {
    return failure(ErrorKind::resource,
                   "this configuration needs " + format_value(static_cast<double>(bytes), "B") +
                       ", the emulator takes at most " +
                       format_value(static_cast<double>(kMostBytes), "B"),
                   "emulator", "choose smaller sizes");
  }
  const std::optional<Configuration> before = std::exchange(axes_, std::nullopt);
  Facts facts = before ? workload_.facts : Facts{};
  Result<std::vector<std::string>> made =
      regenerate_inputs(scene, before ? &*before : nullptr, axes, inputs_, facts);
  if (!made) return tl::unexpected(made.error());
  workload_ = {axes, std::move(facts)};
  // A variant's own axes change no reference.
  const bool same_problem =
      before && problem_key(scene.axes, *before) == problem_key(scene.axes, axes);
  if (!same_problem || !made->empty()) expected_.clear();
  axes_ = axes;
  return {};
}

Result<EmulatedStage::Compiled> EmulatedStage::program_of(const KernelLaunch& kernel) {
  const CompileRequest request{kernel.source, kernel.defines, 90};
  const Result<std::vector<KernelSource>> sources = sources_(kernel.source);
  if (!sources) return tl::unexpected(sources.error());
  const std::string hash = compile_hash(request, *sources);
  if (const auto found = programs_.find(hash); found != programs_.end()) return found->second;
  const auto start = Clock::now();
  const Result<CompiledPtx> ptx = compile_to_ptx(request, *sources);
  if (!ptx) return tl::unexpected(ptx.error());
  Result<Program> program = Program::parse(ptx->ptx, kernel.source);
  if (!program) return tl::unexpected(program.error());
  Compiled compiled{std::move(*program), ptx->hash, milliseconds_since(start)};
  std::string& last = requests_[request];
  programs_.erase(last);
  last = hash;
  return programs_.emplace(hash, std::move(compiled)).first->second;
}

Result<EmulatedStage::Held*> EmulatedStage::find(const Step& step, const std::string& buffer) {
  const auto found = held_.find(buffer);
  if (found != held_.end()) return &found->second;
  return failure(ErrorKind::internal, "the step names a buffer that nobody declares: " + buffer,
                 step.name);
}

Result<std::vector<ArgumentBytes>> EmulatedStage::arguments_of(const Step& step,
                                                               const KernelLaunch& kernel) {
  std::vector<ArgumentBytes> arguments;
  for (const Argument& argument : kernel.arguments) {
    if (const auto* buffer = std::get_if<BufferArgument>(&argument)) {
      Result<Held*> held = find(step, buffer->buffer);
      if (!held) return tl::unexpected(held.error());
      arguments.push_back(
          argument_of((*held)->address + static_cast<std::uint64_t>(buffer->offset_bytes)));
      continue;
    }
    if (const auto* map = std::get_if<TensorMapArgument>(&argument)) {
      Result<Held*> held = find(step, map->buffer);
      if (!held) return tl::unexpected(held.error());
      const Result<EmulatedTensorMap> encoded = emulated_tensor_map(
          *map, (*held)->address, static_cast<std::int64_t>((*held)->bytes.size()));
      if (!encoded) return tl::unexpected(encoded.error());
      arguments.push_back(argument_of(*encoded));
      continue;
    }
    std::visit(
        [&](const auto& value) {
          if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>)
            arguments.push_back(argument_of(value));
        },
        argument);
  }
  return arguments;
}

Result<void> EmulatedStage::run_kernel(const Step& step, const KernelLaunch& kernel,
                                       const View& view, bool traced, Run& run) {
  Result<Compiled> compiled = program_of(kernel);
  if (!compiled) return tl::unexpected(compiled.error());
  Result<std::vector<ArgumentBytes>> arguments = arguments_of(step, kernel);
  if (!arguments) return tl::unexpected(arguments.error());
  EmulateOptions options;
  options.threads = worker_threads();
  options.sums = traced && view.sums;
  options.traced_block = -1;
  options.cancelled = view.cancelled;
  options.progress = [&](double ratio) {
    if (view.progress) view.progress(ratio, "emulating " + step.name);
  };
  if (traced) {
    const Result<std::int64_t> block = parse_block(view.block, kernel.launch);
    if (!block) return tl::unexpected(block.error());
    if (Result<void> warp = check_warp(view.warp, kernel.launch); !warp) return warp;
    options.traced_block = *block;
    options.traced_warp = view.warp;
    options.writer_entries = usual_writer_entries;
    if (!view.grid) options.blocks = {*block};
  }
  const auto start = Clock::now();
  Result<EmulatedRun> done =
      emulate(compiled->program, kernel.entry, kernel.launch, *arguments, memory_, options);
  if (!done) return tl::unexpected(done.error());
  run.cancelled = done->cancelled;
  for (const Fault& fault : done->trace.faults) run.faults.push_back(fault);
  if (!traced || run.cancelled) return {};
  Trace trace = std::move(done->trace);
  trace.step = step.name;
  trace.source = kernel.source;
  trace.entry = kernel.entry;
  trace.launch = kernel.launch;
  trace.scope = {view.grid, options.traced_block, view.warp};
  trace.source_hash = compiled->hash.substr(0, 16);
  trace.compile_ms = compiled->milliseconds;
  trace.emulate_ms = milliseconds_since(start);
  run.traces.push_back(std::move(trace));
  return {};
}

Result<EmulatedStage::Run> EmulatedStage::run(const Variant& variant, const View& view) {
  held_.clear();
  memory_ = EmulatedMemory();
  std::vector<BufferSpec> specs = scene_->buffers(workload_);
  if (variant.scratch) {
    for (BufferSpec& spec : variant.scratch(workload_)) {
      spec.role = BufferRole::scratch;
      specs.push_back(std::move(spec));
    }
  }
  for (BufferSpec& spec : specs) {
    Held held;
    held.spec = spec;
    const bool input = spec.role == BufferRole::input;
    if (input) {
      held.bytes = inputs_.at(spec.name).bytes();
    } else {
      // 0xFF bytes are NaN in every floating type.
      held.own.assign(static_cast<std::size_t>(spec.count * element_bytes(spec.type)),
                      std::byte{0xFF});
      held.bytes = held.own;
    }
    held.address = memory_.add({spec.name, spec.symbol, spec.type, spec.shape}, held.bytes, input);
    held_.emplace(spec.name, std::move(held));
  }
  const std::vector<Step> steps = variant.steps(workload_);
  const auto wanted = [&](const Step& step) {
    return std::holds_alternative<KernelLaunch>(step.action) &&
           (view.step.empty() ? step.phase == Phase::run : step.name == view.step);
  };
  const auto last = std::find_if(steps.rbegin(), steps.rend(), wanted);
  if (view.sums && last == steps.rend()) {
    return failure(ErrorKind::usage,
                   view.step.empty() ? "it has no kernel of ours to trace"
                                     : "it has no kernel step “" + view.step + "”",
                   variant.name, "choose another variant or step");
  }
  const std::size_t end = view.sums ? static_cast<std::size_t>(steps.rend() - last) : steps.size();
  Run run;
  for (std::size_t i = 0; i < end && !run.cancelled; ++i) {
    const Step& step = steps[i];
    if (const auto* kernel = std::get_if<KernelLaunch>(&step.action)) {
      if (Result<void> ran = run_kernel(step, *kernel, view, view.sums && wanted(step), run); !ran)
        return tl::unexpected(ran.error());
    } else if (const auto* memset = std::get_if<Memset>(&step.action)) {
      Result<Held*> held = find(step, memset->buffer);
      if (!held) return tl::unexpected(held.error());
      std::fill((*held)->bytes.begin(), (*held)->bytes.end(), std::byte{memset->value});
      memory_.set_initialised((*held)->address, true);
    } else if (const auto* copy = std::get_if<DeviceCopy>(&step.action)) {
      Result<Held*> from = find(step, copy->from), to = find(step, copy->to);
      if (!from) return tl::unexpected(from.error());
      if (!to) return tl::unexpected(to.error());
      if ((*from)->bytes.size() != (*to)->bytes.size()) {
        return failure(ErrorKind::internal, "a copy names buffers of different sizes", step.name);
      }
      std::copy((*from)->bytes.begin(), (*from)->bytes.end(), (*to)->bytes.begin());
      memory_.set_initialised((*to)->address, true);
    } else {
      return failure(ErrorKind::usage,
                     "it calls " + std::get<LibraryCall>(step.action).name +
                         ", and library calls cannot be emulated",
                     variant.name, "verify it on a machine with a GPU");
    }
  }
  return run;
}

std::span<const std::byte> EmulatedStage::bytes_of(const std::string& buffer) const {
  const auto found = held_.find(buffer);
  return found == held_.end() ? std::span<const std::byte>{} : found->second.bytes;
}

Result<Verdict> EmulatedStage::check(const Variant& variant) {
  const Reference* reference = find_reference(*scene_, variant.reference);
  if (reference == nullptr) {
    return failure(ErrorKind::internal, "there is no reference " + variant.reference, variant.name);
  }
  Verdict whole;
  whole.outcome = Outcome::correct;
  for (const auto& [name, held] : held_) {
    if (held.spec.role != BufferRole::output) continue;
    const ElementType type = held.spec.type;
    if (type != ElementType::f32 && type != ElementType::f16 && type != ElementType::bf16 &&
        type != ElementType::u32) {
      return failure(ErrorKind::internal,
                     std::string("there is no check for outputs of ") + to_text(type), name);
    }
    std::vector<ReferenceValue>& expected = expected_[reference->name + "/" + name];
    if (expected.size() != static_cast<std::size_t>(held.spec.count)) {
      expected.resize(static_cast<std::size_t>(held.spec.count));
      std::vector<std::int64_t> elements(expected.size());
      std::iota(elements.begin(), elements.end(), 0);
      reference->host(workload_, inputs_, name, elements, expected);
    }
    OutputComparison comparison;
    const Tolerance tolerance = for_output(tolerance_of(variant, workload_.axes), type);
    HostArray written(type, held.spec.count);
    std::copy(held.bytes.begin(), held.bytes.end(), written.bytes().begin());
    if (type == ElementType::u32) {
      compare_elements(std::as_const(written).as<std::uint32_t>(), expected, tolerance, 0,
                       comparison);
    } else {
      const HostArray out = widened(written);
      compare_elements(out.as<float>(), expected, tolerance, 0, comparison);
    }
    const Verdict verdict = verdict_of(comparison, held.spec);
    whole.checked_elements += verdict.checked_elements;
    whole.mismatches += verdict.mismatches;
    if (whole.sentence.empty() || verdict.worst_error_ratio > whole.worst_error_ratio) {
      whole.worst_error_ratio = std::max(whole.worst_error_ratio, verdict.worst_error_ratio);
      whole.sentence = verdict.sentence;
      whole.remedy = verdict.remedy;
    }
    if (verdict.outcome != Outcome::correct) whole.outcome = verdict.outcome;
  }
  return whole;
}

}  // namespace warpscope
