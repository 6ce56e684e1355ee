// profiling/engine/run/files/user_code.h: a person's file compiled, and the kernels that launches
// name.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "profiling/capture/machine_code_text.h"
#include "profiling/emulator/emulator.h"
#include "profiling/engine/compile/compiler.h"
#include "profiling/engine/compile/disassembly.h"
#include "profiling/engine/run/emulated/machine_programs.h"
#include "profiling/messages/protocol.h"

namespace warpscope {

// A file as PTX.
struct UserCode {
  CompiledPtx ptx;
  std::string main_file;  // that positions are walked outward to
  std::vector<ListedKernel> kernels;
  std::shared_ptr<const Program> program;  // when a kernel of it was chosen
  std::string note;  // what was left out of the text to compile it; empty: nothing
};

// A kernel that a launch names.
struct UserEntry {
  std::shared_ptr<const UserCode> code;
  std::string symbol;
  ListedKernel kernel;
  std::string note;  // how it was chosen, where that is a guess; empty: by its name
};

// Compiles a file as often as its launches need: once where their kernels are all in it, once more
// for an instance of a template that the file does not use itself.
class UserCompiler {
 public:
  UserCompiler(const UserKernel& user, const std::vector<KernelSource>& sources, double limit_s);
  // error: as compile_to_ptx; usage and input: no or several kernels of this name, registers that
  // do not fit the launch.
  Result<UserEntry> entry(const std::string& name, const Launch& launch);
  // The file with the instance that `name` is, or as it is. error: as above.
  Result<std::shared_ptr<UserCode>> code(const std::string& name);
  // The same kernel as machine code. error: as MachinePrograms::of.
  Result<MachinePrograms::Made> machine_code(const std::string& name, const UserEntry& entry,
                                             bool live);
  // Adds a kernel's machine code for an architecture to a listing of the file. error: as above.
  Result<void> add_machine_code(const std::string& name, int compute_capability,
                                const Interrupted& interrupted, Listing& listing);
  // Whether the file is machine code, so that there is no PTX of it.
  bool is_machine_code_alone() const { return is_machine_code(sources_.front()); }

 private:
  Result<CompiledPtx> compiled(const std::string& name, std::string& note);
  Result<UserEntry> chosen(const std::shared_ptr<UserCode>& code, const std::string& name);
  Result<UserEntry> find(const std::string& name);
  Result<void> check_registers(const UserEntry& entry, const std::string& name,
                               const Launch& launch) const;

  const UserKernel& user_;
  std::vector<KernelSource> sources_;  // their device parts, once the whole does not compile
  std::string left_out_;               // why
  CompileRequest request_;
  std::map<std::string, std::shared_ptr<UserCode>> made_;
  MachinePrograms machine_programs_;
};

}  // namespace warpscope
