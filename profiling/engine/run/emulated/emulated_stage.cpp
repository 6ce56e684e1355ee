// profiling/engine/run/emulated/emulated_stage.cpp: a workload in host memory, its kernels run by
// the emulator.
#include "profiling/engine/run/emulated/emulated_stage.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "profiling/capture/machine_code_text.h"
#include "profiling/emulator/ptx/module.h"
#include "profiling/engine/compile/entry_names.h"
#include "profiling/engine/run/emulated/host_functions.h"
#include "profiling/engine/run/emulated/other_steps.h"
#include "profiling/messages/protocol.h"
#include "scenes/base/element_inputs.h"
#include "scenes/base/step_buffers.h"
#include "scenes/host/clock.h"

namespace warpscope {
namespace {

using Clock = std::chrono::steady_clock;

int worker_threads() {
  return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 8u));
}

// Linear indices of a grid, those below 0 from its last block on; each once.
std::vector<std::int64_t> blocks_among(const std::vector<std::int64_t>& wanted,
                                       const Launch& launch) {
  const std::int64_t count = launch.grid.x * launch.grid.y * launch.grid.z;
  std::set<std::int64_t> blocks;
  for (const std::int64_t block : wanted)
    blocks.insert(std::clamp<std::int64_t>(block < 0 ? count + block : block, 0, count - 1));
  return {blocks.begin(), blocks.end()};
}

// What a traced kernel keeps, and which of its blocks run. error: usage (no such block or warp).
Result<void> trace_into(EmulateOptions& options, const KernelLaunch& kernel,
                        const EmulatedView& view, bool feeds_others, const Inputs& inputs) {
  const Result<std::int64_t> block = parse_block(view.block, kernel.launch);
  if (!block) return tl::unexpected(block.error());
  if (Result<void> warp = check_warp(view.warp, kernel.launch); !warp) return warp;
  options.traced_block = *block;
  options.traced_warp = view.warp;
  options.writer_entries = kUsualWriterEntries;
  const bool sampled = !view.grid && view.sample_instructions > 0;
  if (sampled && !feeds_others) {
    options.sample_instructions = view.sample_instructions;
    if (kernel.block_work)
      options.block_work = [&kernel, &inputs](const Dim3& at) {
        return kernel.block_work(inputs, at);
      };
  }
  // One that feeds others runs whole: they would read what nothing has written.
  if (!view.grid && !sampled && !feeds_others) options.blocks = {*block};
  return {};
}

}  // namespace

Result<void> EmulatedStage::set(const Scene& scene, const Configuration& axes,
                                const Change& change) {
  if (holds(scene, axes, change.name)) return {};
  // Inputs that were changed are good for nothing else.
  if (scene_ != &scene || !change_.empty() || !change.name.empty()) {
    scene_ = &scene;
    axes_.reset();
    buffers_.inputs().clear();
    change_.clear();
  }
  if (Result<void> admitted = scene.admit(axes); !admitted) return admitted;
  const std::int64_t whole = scene.estimate_whole_bytes ? scene.estimate_whole_bytes(axes) : 0;
  if (whole > kMostEmulatedBytes)
    return too_large_to_emulate(whole, "inputs that must be made completely take");
  const std::optional<Configuration> before = std::exchange(axes_, std::nullopt);
  if (!before) workload_ = {};
  const auto made = regenerate_inputs_by_page(scene, axes, before, workload_, buffers_.inputs());
  if (!made) return tl::unexpected(made.error());
  // A variant's own axes change no reference.
  const bool same_problem =
      before && problem_key(scene.axes, *before) == problem_key(scene.axes, axes);
  if (!same_problem || !made->empty()) expected_.clear();
  if (!change.name.empty()) {
    // Until they are what the name says they are not to be used.
    change_ = change.name;
    change.apply(workload_, buffers_.inputs());
  }
  axes_ = axes;
  return {};
}

Facts EmulatedStage::facts() const {
  return scene_->estimate_bytes(workload_.axes) <= kMostEmulatedBytes ? workload_.all_facts()
                                                                      : Facts{};
}

std::int64_t EmulatedStage::promised_threads(const KernelLaunch& kernel) {
  CompileRequest request = request_for(kernel, kEmulatedArchitecture);
  if (kernel_limit_s_ > 0) request.limit_s = kernel_limit_s_;
  const Result<EmulatedPrograms::Compiled> compiled = programs_.of(request);
  if (!compiled) return 0;
  const std::string symbol = symbol_of(compiled->program.entries(), kernel.entry);
  for (const PtxFunction& function : compiled->program.parsed().functions) {
    if (function.name == symbol) return function.most_threads;
  }
  return 0;
}

Result<EmulatedRun> EmulatedStage::emulate_kernel(const CompileRequest& request,
                                                  const CodeLaunch& launch, const View& view,
                                                  bool traced, Run& run) {
  const Result<std::vector<KernelSource>> sources = programs_.sources()(request.source);
  if (!sources) return tl::unexpected(sources.error());
  TracedCode code = traced ? view.code : TracedCode::ptx;
  if (is_machine_code(sources->front())) code = TracedCode::machine_code;
  run.machine_code_at_hand = run.machine_code_at_hand &&
                             (!traced || machine_programs_.has(request, *sources, launch.symbol));
  return emulate_as(
      code,
      [&] {
        return machine_programs_.of(request, *sources, launch.symbol, view.live_registers,
                                    view.cancelled);
      },
      launch);
}

Result<void> EmulatedStage::run_kernel(const Step& step, const KernelLaunch& kernel,
                                       const View& view, bool traced, bool feeds_others, Run& run) {
  CompileRequest request = request_for(kernel, kEmulatedArchitecture);
  if (kernel_limit_s_ > 0) request.limit_s = kernel_limit_s_;
  if (view.compiles) view.compiles();
  Result<EmulatedPrograms::Compiled> compiled = programs_.of(request);
  if (!compiled) return tl::unexpected(compiled.error());
  const auto arguments = buffers_.arguments_of(step, kernel);
  if (!arguments) return tl::unexpected(arguments.error());
  EmulateOptions options;
  options.threads = view.threads > 0 ? view.threads : worker_threads();
  options.limit_time(kernel_limit_s_);
  options.sums = traced && view.sums;
  options.traced_block = -1;
  options.cancelled = [&] {
    return buffers_.take_too_much() || (view.cancelled && view.cancelled());
  };
  options.progress = [&](double ratio) {
    if (view.progress) view.progress(ratio, "emulating " + step.name);
  };
  if (traced) {
    if (Result<void> good = trace_into(options, kernel, view, feeds_others, buffers_.inputs());
        !good)
      return good;
  }
  if (!view.sums) options.blocks = blocks_among(view.blocks, kernel.launch);
  const auto start = Clock::now();
  const Program& program = compiled->program;
  const std::string symbol = symbol_of(program.entries(), kernel.entry);
  Result<EmulatedRun> done = emulate_kernel(
      request,
      {program, symbol, kernel.launch, *arguments, buffers_.memory(), options, view.dependencies},
      view, traced, run);
  if (!done) return tl::unexpected(done.error());
  if (buffers_.take_too_much())
    return too_large_to_emulate(buffers_.taken_bytes(), "what it accesses takes");
  run.cancelled = done->cancelled;
  if (view.whole_run && run.host_function.empty())
    run.host_function = host_function_in(program, done->trace.machine_code);
  if (!view.sums && run.approximation.empty())
    run.approximation = approximation_in(program, done->trace.machine_code);
  run.faults.insert(run.faults.end(), done->trace.faults.begin(), done->trace.faults.end());
  if (done->trace.hang && run.hang.empty()) run.hang = done->trace.hang->verdict;
  if (!traced || run.cancelled) return {};
  Trace trace = std::move(done->trace);
  trace.step = step.name;
  trace.source = kernel.source;
  trace.entry = kernel.entry;
  trace.launch = kernel.launch;
  trace.scope = {trace.scope.grid, options.traced_block, view.warp};
  trace.source_hash = compiled->hash.substr(0, 16);
  trace.compile_ms = compiled->milliseconds;
  if (request.any_text) trace.compiler = compiled->compiler;
  trace.emulate_ms = milliseconds_since(start);
  run.traces.push_back(std::move(trace));
  return {};
}

Result<void> EmulatedStage::run_step(const Variant& variant, const EmulatedCourse& course,
                                     std::size_t index, UnknownBuffers& unknown, Run& run) {
  const Step& step = course.steps[index];
  const EmulatedCourse::Part& part = course.parts[index];
  const bool traced = course.view.sums && course.is_traced(step);
  const std::set<std::string> touched = buffers_of(step);
  if (const auto* call = std::get_if<LibraryCall>(&step.action); call && !call->on_host)
    return unknown.pass_over(variant, *call, touched, course.view);
  Result<std::vector<std::string>> sentences =
      unknown.replace(variant, step, touched, traced, part.stands_in);
  if (!sentences) return tl::unexpected(sentences.error());
  const auto* kernel = std::get_if<KernelLaunch>(&step.action);
  if (kernel == nullptr) return run_without_kernel(buffers_, programs_, step);
  if (Result<void> ran = run_kernel(step, *kernel, course.view, traced, part.whole, run); !ran)
    return ran;
  if (traced && !run.cancelled) run.traces.back().stand_ins = std::move(*sentences);
  return {};
}

Result<EmulatedStage::Run> EmulatedStage::run(const Variant& variant, const View& view) {
  const std::int64_t all_bytes = scene_->estimate_bytes(workload_.axes);
  if ((view.grid || !view.sums) && !view.sparse && all_bytes > kMostEmulatedBytes)
    return too_large_to_emulate(all_bytes, "all blocks of this configuration need");
  const std::vector<Step> steps = variant.steps(workload_);
  if (Result<void> laid =
          buffers_.lay_out(*scene_, workload_, variant, steps, view.keeps_variables);
      !laid)
    return tl::unexpected(laid.error());
  return run_laid_out(variant, steps, view);
}

Result<void> EmulatedStage::begin(const Variant& variant) {
  return buffers_.lay_out(*scene_, workload_, variant, variant.steps(workload_), false);
}

Result<EmulatedStage::Run> EmulatedStage::go_on(const Variant& variant,
                                                const std::vector<Step>& steps, const View& view) {
  return run_laid_out(variant, steps, view);
}

Result<EmulatedStage::Run> EmulatedStage::run_laid_out(const Variant& variant,
                                                       const std::vector<Step>& steps,
                                                       const View& view) {
  const Result<EmulatedCourse> course = course_of(variant, steps, view, buffers_);
  if (!course) return tl::unexpected(course.error());
  Run run;
  UnknownBuffers unknown(buffers_);
  cancelled_ = view.cancelled;
  for (std::size_t i = 0; i < course->end && !run.cancelled; ++i) {
    if (!course->parts[i].runs) continue;
    // A kernel asks now and then, a step on the host never.
    run.cancelled = view.cancelled && view.cancelled();
    if (run.cancelled) break;
    if (Result<void> ran = run_step(variant, *course, i, unknown, run); !ran)
      return tl::unexpected(ran.error());
  }
  if (!view.sums || view.whole_run) buffers_.bring_back();
  return run;
}

}  // namespace warpscope
