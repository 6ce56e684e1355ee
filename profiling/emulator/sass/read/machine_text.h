// profiling/emulator/sass/read/machine_text.h: what nvdisasm prints of a function, instruction by
// instruction.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/access/access.h"
#include "scenes/host/result.h"

// The text is that of `nvdisasm -c -gi -hex`: instructions with their offsets, labels, the lines
// that they come from, and their 16 bytes. Nothing is decoded from those bytes but the 32 bits of
// an immediate, since "+QNAN" does not say its payload.
//
//   const Result<MachineFunction> f = read_machine_text(text, "saxpy", files);
//   for (const MachineInstruction& i : f->code) show(i.offset, i.text);

namespace warpscope {

inline constexpr std::uint32_t kMachineInstructionBytes = 16;

enum class OperandKind : std::uint8_t {
  none,
  general,            // R0 … R254, RZ
  uniform,            // UR0 … UR62 (more since compute capability 10.0), URZ
  predicate,          // P0 … P6, PT
  uniform_predicate,  // UP0 … UP6, UPT
  barrier,            // B0 … B15
  integer,            // 0x1f, -0x4
  number,             // 1.5, +INF, -QNAN: its bits are in the encoding
  constant,           // c[bank][…]
  memory,             // […], desc[…][…], gdesc[…]
  label,              // `(.L_x_3)
  name,               // SR_TID.X, gsb0, PR
};

// A register inside brackets: "R6.64", "UR4", "R2.X4".
struct AddressTerm {
  bool uniform = false;
  int number = 0;
  std::string part;  // "64", "U32", "X4"; empty: none
};

struct MachineOperand {
  OperandKind kind = OperandKind::none;
  int number = 0;           // of a register; RZ, URZ, PT and UPT have the highest of their kind
  bool negated = false;     // "-R2"
  bool inverted = false;    // "~R2"
  bool complement = false;  // "!P0"
  bool absolute = false;    // "|R2|"
  std::vector<std::string> parts;  // "H0_H0", "B1", "F32"; without "reuse"
  std::int64_t value = 0;          // of an integer, or the fixed part of an address
  int bank = 0;                    // of a constant
  std::vector<AddressTerm> terms;  // of constants and memory
  int descriptor = -1;             // "desc[UR4][…]": 4; "gdesc[UR8]": 8
  std::string text;                // as it is printed

  bool is_register() const { return kind == OperandKind::general || kind == OperandKind::uniform; }
  bool is_predicate() const {
    return kind == OperandKind::predicate || kind == OperandKind::uniform_predicate;
  }
};
inline constexpr int kZeroRegister = 255, kZeroUniform = 255, kTruePredicate = 7;

struct MachineInstruction {
  std::uint32_t offset = 0;            // in its section
  MachineOperand guard;                // kind none: there is none
  std::string opcode;                  // "LDG.E.128.CONSTANT"
  std::string name;                    // "LDG"
  std::vector<std::string> modifiers;  // "E", "128", "CONSTANT"
  std::vector<MachineOperand> operands;
  std::vector<std::string> branch_targets;  // labels of a branch by a register; empty: not said
  std::string text;                         // "@!P0 LDG.E R2, desc[UR4][R2.64]"
  bool spill = false;                       // nvdisasm marks it as a spill or its refill
  std::uint64_t low = 0, high = 0;          // its encoding
  std::vector<SourcePosition> positions;    // the innermost first
  std::uint32_t immediate() const { return static_cast<std::uint32_t>(low >> 32); }
};

struct MachineFunction {
  std::string name;
  std::vector<MachineInstruction> code;         // one every 16 bytes
  std::map<std::string, std::uint32_t> labels;  // to offsets
};

// A function that a kernel calls and whose code is in the kernel's section: its label is
// "$kernel$name".
struct CalledFunction {
  std::string name;
  std::uint32_t offset = 0;
};
// In the order of their labels.
std::vector<CalledFunction> called_functions(const MachineFunction& kernel);

// error: input: there is no such function in the text, or a line of it cannot be read.
Result<MachineFunction> read_machine_text(std::string_view text, const std::string& function);

// General registers in use at each instruction, in the order of the code, of what `nvdisasm -c -plr
// -lrm count` prints; empty if it says nothing of the function.
std::vector<int> live_registers(std::string_view text, const std::string& function);

// One operand as it is printed, without blanks around it.
MachineOperand read_operand(std::string_view text);

}  // namespace warpscope
