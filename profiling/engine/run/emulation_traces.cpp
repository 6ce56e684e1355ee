// profiling/engine/run/emulation_traces.cpp: trace jobs of variants: the block first, then the
// sample; PTX first, then machine code.
#include <algorithm>
#include <utility>

#include "profiling/engine/compile/disassembly.h"
#include "profiling/engine/run/emulated/both_codes.h"
#include "profiling/engine/run/emulated/host_functions.h"
#include "profiling/engine/run/emulation.h"
#include "scenes/base/texts/code_id.h"

namespace warpscope {
namespace {

// In a run of many kernels (a whole training step), the kernel with the most arithmetic. It stands
// for the run while somebody watches, since all kernels together take minutes. Empty: there are
// only a few kernels.
std::string standing_step(const std::vector<Step>& steps) {
  constexpr int kMany = 8;
  int kernels = 0;
  double most = -1;
  std::string name;
  for (const Step& step : steps) {
    if (step.phase != Phase::run || !std::holds_alternative<KernelLaunch>(step.action)) continue;
    ++kernels;
    const auto flops = step.work.find("model.flops");
    const double here = flops == step.work.end() ? 0 : flops->second;
    if (here <= most) continue;
    most = here;
    name = step.name;
  }
  return kernels > kMany ? name : "";
}

bool all_of_machine_code(const std::vector<Trace>& traces) {
  return std::all_of(traces.begin(), traces.end(),
                     [](const Trace& trace) { return trace.machine_code.has_value(); });
}

}  // namespace

std::vector<TracedOutput> Emulation::hashed_outputs(const Scene& scene,
                                                    const std::vector<Step>& steps,
                                                    const EmulatedStage::Run& run) const {
  std::string no_hash;
  if (!run.host_function.empty()) no_hash = no_hash_because(run.host_function);
  for (const Step& step : steps) {
    const auto* call = std::get_if<LibraryCall>(&step.action);
    if (call != nullptr && !call->on_host)
      no_hash = "the run calls " + call->name + ", and library calls cannot be emulated";
  }
  std::vector<TracedOutput> outputs;
  for (const BufferSpec& spec : scene.buffers(stage_.workload())) {
    if (spec.role != BufferRole::output && spec.role != BufferRole::state) continue;
    TracedOutput& output = outputs.emplace_back();
    output.name = spec.name;
    output.no_hash = no_hash;
    if (!no_hash.empty()) continue;
    const std::span<const std::byte> bytes = stage_.bytes_of(spec.name);
    output.hash = hash_of({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  return outputs;
}

EmulatedStage::View Emulation::view_of(const Traced& t) const {
  const TraceJob& asked = t.asked;
  EmulatedStage::View view;
  view.block = asked.block;
  view.warp = asked.warp;
  view.grid = asked.grid;
  view.sample_instructions = asked.sample_instructions;
  view.live_registers = asked.live_registers;
  view.dependencies = asked.dependencies;
  view.threads = asked.threads;
  view.step = asked.step.empty() && asked.live ? standing_step(t.steps) : asked.step;
  view.cancelled = t.channel.interrupted;
  view.compiles = [&t] { t.channel.host_work(kHostWorkLimitS); };
  view.progress = [&t](double ratio, const std::string& text) {
    t.channel.send(Progress{t.job.job, ratio, text});
  };
  return view;
}

Result<EmulatedStage::Run> Emulation::traced_run(const Traced& t, const EmulatedStage::View& view,
                                                 bool findings) {
  Result<EmulatedStage::Run> run = stage_.run(t.variant, view);
  if (!run || run->cancelled) return run;
  if (view.whole_run && !run->traces.empty())
    run->traces.back().outputs = hashed_outputs(t.scene, t.steps, *run);
  if (findings) {
    const std::vector<std::string> guessed = guessed_sizes_of(t.job);
    mark_guessed_sizes(run->faults, guessed);
    for (Trace& trace : run->traces) mark_guessed_sizes(trace.faults, guessed);
    if (const auto marked = mark_contents(t.job, t.scene, t.variant, view, *run); !marked)
      return tl::unexpected(marked.error());
  }
  // Which version of a library is here only an engine that measures knows.
  const auto code =
      code_id(t.steps, stage_.sources(), [](std::string_view) { return std::nullopt; });
  for (Trace& trace : run->traces) {
    trace.job = t.job.job;
    if (code && *code) trace.source_hash = **code;
    trace.scene = t.job.scene;
    trace.variant = t.job.variant;
    trace.key = t.key;
    if (t.asked.step.empty() && !view.step.empty()) {
      trace.stand_ins.insert(
          trace.stand_ins.begin(),
          "“" + view.step +
              "” alone represents all kernels of a run: no other has more arithmetic");
    }
  }
  return run;
}

// Nothing is sent if a newer job waits.
Result<std::string> Emulation::add_machine_code(const Traced& t, EmulatedStage::View view,
                                                std::vector<Trace> ptx) {
  if (t.channel.interrupted && t.channel.interrupted()) return std::string();
  view.code = TracedCode::best;
  view.whole_run = false;
  Result<EmulatedStage::Run> run = traced_run(t, view, false);
  if (run && run->cancelled) return std::string();
  std::string why = run ? "" : sentence(run.error());
  const bool pairs = run && run->traces.size() == ptx.size();
  for (std::size_t i = 0; i < ptx.size(); ++i) {
    ptx[i].no_machine_code = why;
    if (pairs) ptx[i] = figures_with_findings(std::move(ptx[i]), std::move(run->traces[i]));
    if (why.empty()) why = ptx[i].no_machine_code;
    t.channel.send(ptx[i]);
  }
  return why;
}

// `why` says why machine code cannot answer; it is set where that is found out.
Result<bool> Emulation::trace_once(const Traced& t, const EmulatedStage::View& view, bool first,
                                   std::string& why) {
  const bool best = t.asked.code == TracedCode::best;
  std::vector<Trace> traces;
  if (auto waiting = std::exchange(unfinished_, std::nullopt);
      waiting && waiting->job == t.job.job) {
    traces = std::move(waiting->ptx);
  } else {
    Result<EmulatedStage::Run> run = traced_run(t, view, true);
    if (!run) return tl::unexpected(run.error());
    if (run->cancelled) return false;
    traces = std::move(run->traces);
    const std::string stopped = why_ptx_alone(traces);
    if (!best || !why.empty() || !stopped.empty() || all_of_machine_code(traces)) {
      for (Trace& trace : traces) {
        if (best && !trace.machine_code) trace.no_machine_code = why.empty() ? stopped : why;
        t.channel.send(std::move(trace));
      }
      return true;
    }
    // Machine code takes as long again, and longer if it must be made first.
    const bool shown = first && !run->machine_code_at_hand;
    for (std::size_t i = 0; shown && i < traces.size(); ++i) t.channel.send(traces[i]);
    if (shown && t.channel.others_wait()) {
      unfinished_ = {t.job.job, std::move(traces)};
      return false;
    }
  }
  Result<std::string> added = add_machine_code(t, view, std::move(traces));
  if (!added) return tl::unexpected(added.error());
  why = std::move(*added);
  return true;
}

Result<void> Emulation::trace(const Traced& t) {
  const bool best = t.asked.code == TracedCode::best;
  EmulatedStage::View view = view_of(t);
  view.code = best ? TracedCode::ptx : t.asked.code;
  view.whole_run = t.asked.hashes && t.asked.grid && t.asked.step.empty();
  std::string why;
  if (const auto program = find_disassembler(); !program) why = sentence(program.error());
  // A person who watches gets the block first, and then what stands for the grid.
  const bool block_first = t.asked.live && !view.grid && view.sample_instructions > 0;
  if (block_first) view.sample_instructions = 0;
  const Result<bool> whole = trace_once(t, view, t.asked.live, why);
  if (!whole) return tl::unexpected(whole.error());
  const bool newer = t.channel.interrupted && t.channel.interrupted();
  if (!*whole || !block_first || newer) return {};
  view.sample_instructions = t.asked.sample_instructions;
  // Nobody asked for the sample after a block: where it takes too much the block stands alone.
  static_cast<void>(trace_once(t, view, false, why));
  return {};
}

}  // namespace warpscope
