// profiling/engine/compile/nvcc.h: a whole .cu file, host code and all, to PTX or machine code by
// nvcc.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiling/engine/compile/nvrtc.h"

// nvcc knows what a file means that NVRTC refuses: standard headers, host functions, main, <<<>>>.
// It preprocesses with this machine's gcc and compiles the device part; nothing of the text is run.
//
//   NvccTask task{Target::ptx, "compute_90"};
//   task.source = "norm.cu";
//   task.texts = {text};
//   Result<CompilerAnswer> answer = run_nvcc(task, 60);
//
// nvcc hands its arguments to a shell, and its second compiler opens files by itself. So no word of
// a text or of a person stands on its command line but those of compiler_options.h, texts lie in a
// folder of their own under names of ours, and the compilers may read that folder, the toolkit's
// and the system's headers alone (fenced_program.h). What they read is checked again afterwards,
// before anything they say is shown.

namespace warpscope {

struct NvccTask {
  Target target = Target::ptx;
  std::string architecture;  // "compute_90", "sm_80"
  std::string source;        // its name in messages and source lines
  std::vector<std::string> options;
  std::vector<std::pair<std::string, std::string>> defines;
  std::vector<std::string> undefined;
  std::vector<std::string> texts, names;  // as of CompilerTask
  std::string appended;                   // lines after the text
};

struct Nvcc {
  std::string path;
  std::string version;   // "13.0"
  std::string identity;  // of it and of the host's compiler: what it makes changes with it
};
// error: environment: there is none here, or no gcc.
const Result<Nvcc>& find_nvcc();
// The same among these folders alone.
Result<Nvcc> find_nvcc_in(const std::vector<std::filesystem::path>& folders);

// A text that does not compile has an answer too. error: environment, resource, input (a file that
// it may not read; more than `limit_s` or 3 GiB).
Result<CompilerAnswer> run_nvcc(const NvccTask& task, double limit_s);
// What ptxas makes of PTX, and in the log what its option -v says of registers and spills. `words`:
// options of ours. PTX that does not compile has an answer too. error: environment (no ptxas),
// input (the limits).
Result<CompilerAnswer> run_ptxas(const std::string& ptx, const std::string& architecture,
                                 const std::vector<std::string>& words, double limit_s);
// For tests: as on a kernel that cannot keep programs to folders.
Result<CompilerAnswer> run_nvcc_unfenced(const NvccTask& task, double limit_s);

}  // namespace warpscope
