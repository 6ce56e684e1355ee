// profiling/engine/run/emulated/machine_programs.h: machine code of kernels for the emulator, kept
// by its bytes.
#pragma once

#include <functional>
#include <future>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "profiling/emulator/sass/machine_code.h"
#include "profiling/engine/compile/compiler.h"
#include "profiling/messages/protocol.h"

namespace warpscope {

class MachinePrograms {
 public:
  struct Made {
    MachineProgram program;
    std::vector<LiveRegisters> live;  // at each instruction; empty: not asked for
    // By instruction: what it waits for and what follows it, and nothing else.
    std::shared_ptr<const std::vector<MachineRow>> dependencies;
    std::string hash;
    double milliseconds = 0;  // of compilation and disassembly
  };
  // Returns true if a newer job waits: what is being made is left then.
  using Interrupted = std::function<bool()>;
  // Machine code of these texts for the request's architecture. error: as compile; as below.
  Result<Made> of(const CompileRequest& request, const std::vector<KernelSource>& sources,
                  const std::string& symbol, bool live, const Interrupted& interrupted = {});
  // Whether it was made before, so that it is at hand.
  bool has(const CompileRequest& request, const std::vector<KernelSource>& sources,
           const std::string& symbol) const;
  // `main_file` and `files` as of MachineProgram::read. error: environment (no nvdisasm), usage
  // (code of a closed library), input.
  Result<Made> of(const std::string& cubin, const std::string& symbol, const std::string& main_file,
                  bool live, const Interrupted& interrupted = {},
                  std::span<const std::string> files = {});

 private:
  Result<warpscope::Compiled> compiled(const CompileRequest& request,
                                       const std::vector<KernelSource>& sources,
                                       const Interrupted& interrupted);
  std::map<std::string, Made> made_;
  std::set<std::string> requests_;  // hashes of what was made
  // Compilations that nobody waits for any more; the cache gets what they make.
  std::vector<std::future<Result<warpscope::Compiled>>> left_;
};

// One launch, as PTX or as machine code.
struct CodeLaunch {
  const Program& module;  // its PTX; or declarations, where there is only machine code
  const std::string& symbol;
  const Launch& launch;
  std::span<const ArgumentBytes> arguments;
  EmulatedMemory& memory;
  const EmulateOptions& options;
  bool dependencies = false;  // of machine code
};
// `machine` is asked only if `code` needs it. The trace says what it is of, and where the best code
// is PTX, why. error: as emulate; what `machine` says, where nothing else is asked for.
Result<EmulatedRun> emulate_as(TracedCode code,
                               const std::function<Result<MachinePrograms::Made>()>& machine,
                               const CodeLaunch& launch);

}  // namespace warpscope
