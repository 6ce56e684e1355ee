// profiling/engine/run/emulated/machine_programs.cpp: machine code of kernels for the emulator,
// kept by its bytes.
#include "profiling/engine/run/emulated/machine_programs.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "profiling/capture/machine_code_text.h"
#include "profiling/emulator/sass/live/dependencies.h"
#include "profiling/emulator/sass/live/live_registers.h"
#include "profiling/engine/compile/disassembly.h"
#include "scenes/host/clock.h"

namespace warpscope {
namespace {

// More kernels than that are not looked at in turn; then all are made again.
constexpr std::size_t kMostKept = 64, kMostRequests = 4096;

// The first form that is not known, without the whole instruction.
std::string first_unknown(const MachineProgram& program) {
  return program.unknown().empty() ? std::string() : program.unknown().front();
}

Result<EmulatedRun> run_machine_code(const MachinePrograms::Made& made, const CodeLaunch& launch) {
  Result<EmulatedRun> run = emulate(made.program, launch.module, launch.launch, launch.arguments,
                                    launch.memory, launch.options);
  if (!run || !run->trace.machine_code) return run;
  std::vector<MachineRow>& rows = run->trace.machine_code->rows;
  for (std::size_t k = 0; k < rows.size() && k < made.live.size(); ++k) rows[k].live = made.live[k];
  for (std::size_t k = 0; launch.dependencies && k < rows.size(); ++k) {
    const MachineRow& from = made.dependencies->at(k);
    rows[k].issue_cycles = from.issue_cycles;
    rows[k].needs = from.needs;
    rows[k].next = from.next;
  }
  return run;
}

}  // namespace

namespace {

// A text that is machine code is emulated for the architecture that it is for.
Result<CompileRequest> for_its_code(CompileRequest request,
                                    const std::vector<KernelSource>& sources) {
  if (!is_machine_code(sources.front())) return request;
  return machine_code_of(sources.front().text, sources.front().path)
      .map([&](const MachineCode& code) {
        request.compute_capability = code.compute_capability;
        return request;
      });
}

}  // namespace

Result<MachinePrograms::Made> MachinePrograms::of(const CompileRequest& request,
                                                  const std::vector<KernelSource>& sources,
                                                  const std::string& symbol, bool live,
                                                  const Interrupted& interrupted) {
  const auto start = std::chrono::steady_clock::now();
  const Result<CompileRequest> wanted = for_its_code(request, sources);
  if (!wanted) return tl::unexpected(wanted.error());
  const Result<warpscope::Compiled> code = compiled(*wanted, sources, interrupted);
  if (!code) return tl::unexpected(code.error());
  std::vector<std::string> files;
  for (const KernelSource& text : sources) files.push_back(text.path);
  Result<Made> made = of(code->cubin, symbol, request.source, live, interrupted, files);
  if (!made) return made;
  made->milliseconds = milliseconds_since(start);
  if (requests_.size() >= kMostRequests) requests_.clear();
  requests_.insert(compile_hash(request, sources) + symbol);
  return made;
}

bool MachinePrograms::has(const CompileRequest& request, const std::vector<KernelSource>& sources,
                          const std::string& symbol) const {
  return requests_.count(compile_hash(request, sources) + symbol) > 0;
}

// The compiler cannot be interrupted, so it runs beside a loop that asks.
Result<warpscope::Compiled> MachinePrograms::compiled(const CompileRequest& request,
                                                      const std::vector<KernelSource>& sources,
                                                      const Interrupted& interrupted) {
  if (!interrupted) return compile(request, sources);
  constexpr std::chrono::milliseconds kPause(2);
  const auto cancelled = [] {
    return tl::unexpected(Error{ErrorKind::usage, "cancelled", "machine code", ""});
  };
  // One at a time: a slider leaves one at every move, and a newer text is compiled beside it.
  for (const auto& one : left_) {
    while (one.wait_for(kPause) != std::future_status::ready)
      if (interrupted()) return cancelled();
  }
  left_.clear();
  auto made =
      std::async(std::launch::async, [request, sources] { return compile(request, sources); });
  while (made.wait_for(kPause) != std::future_status::ready) {
    if (!interrupted()) continue;
    left_.push_back(std::move(made));
    return cancelled();
  }
  return made.get();
}

Result<MachinePrograms::Made> MachinePrograms::of(const std::string& cubin,
                                                  const std::string& symbol,
                                                  const std::string& main_file, bool live,
                                                  const Interrupted& interrupted,
                                                  std::span<const std::string> files) {
  const std::string hash = hash_of(cubin);
  const std::string key = hash + symbol + (live ? " live" : "");
  if (const auto known = made_.find(key); known != made_.end()) return known->second;
  const Result<std::string> text =
      disassemble_function(cubin, symbol, Disassembly::code, interrupted);
  if (!text) return tl::unexpected(text.error());
  Result<MachineProgram> program = MachineProgram::read(cubin, *text, symbol, main_file, files);
  if (!program) return tl::unexpected(program.error());
  Made made{std::move(*program), {}, nullptr, hash, 0};
  std::vector<MachineRow> rows(made.program.function().code.size());
  add_dependencies(made.program.function(), rows);
  made.dependencies = std::make_shared<const std::vector<MachineRow>>(std::move(rows));
  if (live) made.live = live_registers(made.program.function()).rows;
  if (made_.size() >= kMostKept) made_.clear();
  return made_.emplace(key, std::move(made)).first->second;
}

Result<EmulatedRun> emulate_as(TracedCode code,
                               const std::function<Result<MachinePrograms::Made>()>& machine,
                               const CodeLaunch& launch) {
  const auto as_ptx = [&](std::string why) {
    Result<EmulatedRun> run = emulate(launch.module, launch.symbol, launch.launch, launch.arguments,
                                      launch.memory, launch.options);
    if (run) run->trace.no_machine_code = std::move(why);
    return run;
  };
  if (code == TracedCode::ptx) return as_ptx("");
  const Result<MachinePrograms::Made> made = machine();
  if (code == TracedCode::machine_code) {
    if (!made) return tl::unexpected(made.error());
    return run_machine_code(*made, launch);
  }
  if (!made) return as_ptx(sentence(made.error()));
  if (const std::string unknown = first_unknown(made->program); !unknown.empty())
    return as_ptx("its machine code has a form that is not emulated yet: " + unknown);
  Result<EmulatedRun> run = run_machine_code(*made, launch);
  return run ? std::move(run) : as_ptx(sentence(run.error()));
}

}  // namespace warpscope
