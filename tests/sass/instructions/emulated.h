// tests/sass/instructions/emulated.h: instruction cases by the emulator, from PTX and from machine
// code.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "profiling/emulator/emulator.h"
#include "tests/sass/instructions/cases.h"

namespace warpscope::instructions {

// The programs that machine code is made and printed with.
struct Tools {
  std::string ptxas, nvdisasm;
  std::string missing;  // a sentence if one of them was not found
};
// $PTXAS and $NVDISASM, $PATH, the toolkits of this machine, and what ./start brought into a tree.
Tools find_tools(const std::string& tree);

struct Emulated {
  std::vector<std::uint32_t> words;
  std::string problem;  // faults and what is not known; empty: none
};

// Some cases in one module, compiled and disassembled once.
class EmulatedCases {
 public:
  // For sm_90, or for another architecture.
  EmulatedCases(const std::set<std::string>& names, const Tools& tools, int architecture = 90);
  const std::string& problem() const { return problem_; }  // of the whole module
  Emulated from_machine_code(const Case& c) const;
  Emulated from_ptx(const Case& c);
  // The disassembly of a case.
  const std::string& text(const Case& c) const;

 private:
  std::string problem_, ptx_, cubin_;
  std::map<std::string, std::string> sections_;
  std::optional<Program> program_;
};

// Opcodes with their modifiers that a disassembly has.
std::set<std::string> forms_of(const std::string& disassembly);

}  // namespace warpscope::instructions
