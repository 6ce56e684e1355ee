// profiling/engine/run/emulated/programs.h: kernels compiled for the emulator, kept by their texts.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "profiling/emulator/emulator.h"
#include "profiling/engine/compile/compiler.h"

namespace warpscope {

// The texts of a kernel one after the other, after a line for each define.
std::string text_of(const std::vector<KernelSource>& sources,
                    const std::vector<std::pair<std::string, std::string>>& defines);

inline constexpr int kEmulatedArchitecture = 90;  // that kernels are compiled for

class EmulatedPrograms {
 public:
  struct Compiled {
    Program program;
    std::string hash;
    double milliseconds = 0;
    std::string compiler;              // as of CompiledPtx
    std::vector<std::string> kernels;  // C++ names
  };

  // From now on kernels are compiled of these texts; until then of this machine's files.
  void use(SourceLookup sources) { sources_ = std::move(sources); }
  const SourceLookup& sources() const { return sources_; }
  // error: input (it does not compile), what the texts' lookup says.
  Result<Compiled> of(const CompileRequest& request);

 private:
  SourceLookup sources_ = sources_on_disk();
  // By hash of texts and options; of a text that is edited again and again the newest stays.
  std::map<std::string, Compiled> programs_;
  std::map<CompileRequest, std::string> requests_;
  std::set<CompileRequest> whole_;  // those whose device part alone does not compile
};

}  // namespace warpscope
