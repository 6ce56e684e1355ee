// profiling/engine/emulated_stage.cpp: a workload in host memory, its kernels run by the emulator.
#include "profiling/engine/emulated_stage.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <thread>
#include <utility>

#include "profiling/emulator/tensor_map.h"
#include "profiling/protocol.h"
#include "scenes/element_inputs.h"
#include "scenes/step_buffers.h"

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
  make_element_inputs(scene, workload_, inputs_, kMostBytes);
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

Result<void> EmulatedStage::lay_out(const Variant& variant, const std::vector<Step>& steps) {
  held_.clear();
  memory_ = EmulatedMemory();
  std::vector<BufferSpec> specs = scene_->buffers(workload_);
  if (variant.scratch) {
    for (BufferSpec& spec : variant.scratch(workload_)) {
      spec.role = BufferRole::scratch;
      specs.push_back(std::move(spec));
    }
  }
  Result<HostSide> host = host_side_of(steps, specs);
  if (!host) return tl::unexpected(host.error());
  left_on_host_ = std::move(host->left_on_host);
  for (BufferSpec& spec : specs) {
    Held held;
    held.spec = spec;
    const auto array = inputs_.find(spec.name);
    const bool input = spec.role == BufferRole::input, state = spec.role == BufferRole::state;
    if (input && array == inputs_.end())
      return failure(ErrorKind::internal, "no group of inputs makes it", spec.name);
    if (input) {
      held.bytes = array->second.bytes();
    } else {
      // 0xFF bytes are NaN in every floating type; a state that nothing makes begins as zeros.
      held.own.assign(static_cast<std::size_t>(spec.count * element_bytes(spec.type)),
                      state ? std::byte{0} : std::byte{0xFF});
      if (state && array != inputs_.end()) {
        const std::span<const std::byte> begins = std::as_const(array->second).bytes();
        held.own.assign(begins.begin(), begins.end());
      }
      held.bytes = held.own;
    }
    if (host->mirrors.count(spec.name) != 0) {
      held.mirror.assign(held.bytes.size(), std::byte{0xFF});
      if (input || state) held.mirror.assign(held.bytes.begin(), held.bytes.end());
    }
    held.address =
        memory_.add({spec.name, spec.symbol, spec.type, spec.shape}, held.bytes, input || state);
    held_.emplace(spec.name, std::move(held));
  }
  return {};
}

namespace {

std::set<std::string> stood_in(const Step& step) {
  std::set<std::string> names;
  for (const StandIn& stand_in : step.stand_ins) names.insert(stand_in.buffer);
  return names;
}

// Which of the steps before the one at `at` touch what it needs besides its stand-ins.
std::set<std::size_t> needed_before(const std::vector<Step>& steps, std::size_t at,
                                    const std::function<bool(const std::string&)>& is_input) {
  const std::set<std::string> replaced = stood_in(steps[at]);
  std::set<std::string> wanted;
  const auto want = [&](const Step& step) {
    for (const std::string& name : buffers_of(step)) {
      if (!is_input(name) && replaced.count(name) == 0) wanted.insert(name);
    }
  };
  want(steps[at]);
  std::set<std::size_t> needed;
  for (std::size_t i = at; i-- > 0;) {
    const std::set<std::string> touched = buffers_of(steps[i]);
    if (std::none_of(touched.begin(), touched.end(),
                     [&](const std::string& name) { return wanted.count(name) != 0; })) {
      continue;
    }
    needed.insert(i);
    want(steps[i]);
  }
  return needed;
}

}  // namespace

Result<EmulatedStage::Run> EmulatedStage::run(const Variant& variant, const View& view) {
  const std::vector<Step> steps = variant.steps(workload_);
  if (Result<void> laid = lay_out(variant, steps); !laid) return tl::unexpected(laid.error());
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
  // A step that is traced alone takes its stand-ins rather than all that makes its inputs.
  const bool alone = view.sums && !view.step.empty() && !steps[end - 1].stand_ins.empty();
  std::optional<std::set<std::size_t>> needed;
  if (alone) {
    needed = needed_before(steps, end - 1, [&](const std::string& name) {
      const auto found = held_.find(name);
      return found != held_.end() && found->second.spec.role == BufferRole::input;
    });
  }
  Run run;
  std::set<std::string> unknown;  // what library calls without a function would have written
  std::string library;            // … the last of them
  for (std::size_t i = 0; i < end && !run.cancelled; ++i) {
    const Step& step = steps[i];
    if (needed && i + 1 < end && needed->count(i) == 0) continue;
    const bool traced = view.sums && wanted(step);
    const std::set<std::string> touched = buffers_of(step);
    if (const auto* call = std::get_if<LibraryCall>(&step.action); call && !call->on_host) {
      if (!view.sums) {
        return failure(ErrorKind::usage,
                       "it calls " + call->name + ", and library calls cannot be emulated",
                       variant.name, "verify it on a machine with a GPU");
      }
      for (const std::string& name : touched) {
        if (held_.count(name) != 0 && held_.at(name).spec.role != BufferRole::input)
          unknown.insert(name);
      }
      library = call->name;
      continue;
    }
    std::set<std::string> lacking;
    std::set_intersection(touched.begin(), touched.end(), unknown.begin(), unknown.end(),
                          std::inserter(lacking, lacking.end()));
    std::vector<std::string> sentences;
    if (traced && (alone || !lacking.empty())) {
      const std::set<std::string> replaced = alone ? stood_in(step) : lacking;
      if (const Result<void> filled = stand_in(step, replaced, sentences); !filled)
        return tl::unexpected(filled.error());
      for (const std::string& name : stood_in(step)) {
        if (replaced.count(name) == 0) continue;
        lacking.erase(name);
        unknown.erase(name);
      }
    }
    if (!lacking.empty()) {
      return failure(ErrorKind::usage,
                     "step " + step.name + " uses " + *lacking.begin() + ", which " + library +
                         " writes, and library calls cannot be emulated",
                     variant.name, "give the call a function on the host, or the step a stand-in");
    }
    if (const auto* kernel = std::get_if<KernelLaunch>(&step.action)) {
      if (Result<void> ran = run_kernel(step, *kernel, view, traced, run); !ran)
        return tl::unexpected(ran.error());
      if (traced && !run.cancelled) run.traces.back().stand_ins = std::move(sentences);
    } else if (Result<void> ran = run_other(step); !ran) {
      return tl::unexpected(ran.error());
    }
  }
  for (const std::string& name : left_on_host_) {
    if (view.sums) break;
    Held& held = held_.at(name);
    std::copy(held.mirror.begin(), held.mirror.end(), held.bytes.begin());
  }
  return run;
}

std::span<const std::byte> EmulatedStage::bytes_of(const std::string& buffer) const {
  const auto found = held_.find(buffer);
  return found == held_.end() ? std::span<const std::byte>{} : found->second.bytes;
}

}  // namespace warpscope
