// tests/emulator/corpus/corpus_code.h: a text of kernels, run as PTX or as machine code.
#pragma once

#ifdef WARPSCOPE_WITH_COMPILER

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "profiling/emulator/sass/machine_code.h"
#include "tests/emulator/fixture.h"
#include "tests/emulator/hopper/as_machine_code.h"

namespace warpscope {

class CorpusCode {
 public:
  // error: as compile; as machine code also environment (there is no nvdisasm).
  static Result<CorpusCode> read(const std::string& name, const std::string& text, EmulatedAs as);
  // A file beside this one. One NVRTC costs a second, so each file holds many kernels, and is
  // compiled once.
  static const Result<CorpusCode>& of_file(const std::string& name, EmulatedAs as);

  const std::vector<std::string>& entries() const { return entries_; }
  EmulatedAs as() const { return as_; }
  // Emulates the kernel that `expression` names. error: as emulate; of machine code also input, with
  // the first instruction that is not known.
  Result<EmulatedRun> run(const std::string& expression, const Launch& launch, Bench& bench) const;

 private:
  CorpusCode(EmulatedAs as, Program program)
      : as_(as), module_(std::move(program)), entries_(module_.entries()) {}
  Result<const MachineProgram*> machine_program(const std::string& symbol) const;

  EmulatedAs as_;
  std::string name_, cubin_;
  Program module_;
  std::vector<std::string> entries_;
  mutable std::map<std::string, MachineProgram> programs_;  // by symbol
};

}  // namespace warpscope

#endif  // WARPSCOPE_WITH_COMPILER
