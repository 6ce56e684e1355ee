// profiling/emulator/sass/live/register_uses.cpp: which registers are read and written by an
// instruction of machine code.
#include "profiling/emulator/sass/live/register_uses.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <string_view>
#include <unordered_map>

namespace warpscope {
namespace {

// Where the results stand among the operands.
enum class Results {
  unknown,
  first,   // the first one, a predicate before it, and the predicates right after it
  one,     // the first one alone
  two,     // the first two
  all,     // B2R
  none,    // stores, branches, barriers
  memory,  // what stands before the address
};

struct OpcodeRow {
  Results results;
  std::initializer_list<std::string_view> names;
};
// "UISETP" is as "ISETP".
const OpcodeRow kOpcodes[] = {
    {Results::first,
     {"BMOV",   "BMSK",    "BREV",  "CS2R",   "DADD",     "DFMA",      "DMMA",  "DMNMX",
      "DMUL",   "DSETP",   "ELECT", "F2F",    "F2FP",     "F2I",       "F2IP",  "FADD",
      "FADD2",  "FFMA",    "FFMA2", "FLO",    "FMNMX",    "FMNMX3",    "FMUL",  "FMUL2",
      "FRND",   "FSEL",    "FSET",  "FSETP",  "FSWZADD",  "HADD2",     "HFMA2", "HGMMA",
      "HMMA",   "HMNMX2",  "HMUL2", "HSET2",  "HSETP2",   "I2F",       "I2FP",  "I2I",
      "I2IP",   "IABS",    "IADD",  "IADD3",  "IDP",      "IDP4A",     "IGMMA", "IMAD",
      "IMMA",   "IMNMX",   "ISETP", "LEA",    "LEPC",     "LOP3",      "MATCH", "MOV",
      "MOVM",   "MUFU",    "P2R",   "P2UR",   "POPC",     "PRMT",      "QGMMA", "QMMA",
      "R2P",    "R2UR",    "REDUX", "CREDUX", "S2R",      "S2UR",      "SEL",   "SGXT",
      "SHF",    "SHFL",    "UP2UR", "UR2UP",  "VABSDIFF", "VABSDIFF4", "VIADD", "VIADDMNMX",
      "VIMNMX", "VIMNMX3", "VOTE",  "VOTEU"}},
    {Results::one, {"FCHK"}},
    {Results::two, {"PLOP3", "PSETP"}},
    {Results::all, {"B2R"}},
    {Results::none, {"ACQBULK",       "ARRIVES",      "BAR",         "BPT",          "BRA",
                     "BREAK",         "BRX",          "BRXU",        "BSSY",         "BSYNC",
                     "CALL",          "CCTL",         "CCTLL",       "CGAERRBAR",    "DEPBAR",
                     "ENDCOLLECTIVE", "ERRBAR",       "EXIT",        "FENCE",        "JMP",
                     "JMX",           "KILL",         "LDGDEPBAR",   "LDGSTS",       "MEMBAR",
                     "NANOSLEEP",     "NOP",          "PREEXIT",     "RED",          "REDAS",
                     "REDG",          "RET",          "SETMAXREG",   "ST",           "STAS",
                     "STG",           "STL",          "STS",         "STSM",         "UBLKCP",
                     "UBLKPF",        "UBLKRED",      "UCGABAR_ARV", "UCGABAR_WAIT", "USETMAXREG",
                     "UTMACCTL",      "UTMACMDFLUSH", "UTMALDG",     "UTMAPF",       "UTMAREDG",
                     "UTMASTG",       "WARPGROUP",    "WARPSYNC",    "YIELD"}},
    {Results::memory,
     {"ATOM", "ATOMG", "ATOMS", "LD", "LDC", "LDCU", "LDG", "LDL", "LDS", "LDSM", "QSPC", "SYNCS",
      "ULDC"}}};

Results results_of(std::string_view name) {
  static const std::unordered_map<std::string_view, Results> kKnown = [] {
    std::unordered_map<std::string_view, Results> known;
    for (const OpcodeRow& row : kOpcodes) {
      for (const std::string_view opcode : row.names) known.emplace(opcode, row.results);
    }
    return known;
  }();
  if (const auto found = kKnown.find(name); found != kKnown.end()) return found->second;
  return name.starts_with("U") && name.size() > 1 ? results_of(name.substr(1)) : Results::unknown;
}

bool has(const MachineInstruction& i, std::string_view modifier) {
  return std::find(i.modifiers.begin(), i.modifiers.end(), modifier) != i.modifiers.end();
}

bool is_address(const MachineOperand& o) {
  return o.kind == OperandKind::memory || o.kind == OperandKind::constant;
}

// How many of the operands, from the first on, are results.
std::size_t result_count(const MachineInstruction& i, Results results) {
  const std::vector<MachineOperand>& all = i.operands;
  const auto among = [&](std::size_t count) { return std::min(count, all.size()); };
  if (results == Results::none) return 0;
  if (results == Results::one) return among(1);
  if (results == Results::two) return among(2);
  if (results == Results::all) return all.size();
  if (results == Results::memory)
    return static_cast<std::size_t>(std::find_if(all.begin(), all.end(), is_address) - all.begin());
  if (all.empty()) return 0;
  std::size_t count = 1;
  if (all[0].is_predicate() && all.size() > 2) ++count;
  // The last operand is a source: P0 of "VOTE.ANY R4, PT, P0".
  while (count + 1 < all.size() && all[count].is_predicate()) ++count;
  return count;
}

int number_after(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Registers of a value that is loaded or stored, or of the state of a barrier in memory.
int registers_in_memory(const MachineInstruction& i, bool result) {
  if (i.name == "LDSM" || i.name == "STSM") return has(i, "4") ? 4 : has(i, "2") ? 2 : 1;
  if (has(i, "256")) return 8;
  if (has(i, "128")) return 4;
  if (has(i, "96")) return 3;
  return has(i, "64") || has(i, "F64") || (has(i, "TRANS64") && result) ? 2 : 1;
}

// Registers of matrices D, A, B and C of a product by a warp: "16816" is 16×8 times 8×16.
struct MatrixRegisters {
  int result = 1, a = 1, b = 1, sum = 1;
};
MatrixRegisters matrix_registers(const MachineInstruction& i) {
  MatrixRegisters count;
  const auto shape =
      std::find_if(i.modifiers.begin(), i.modifiers.end(), [](const std::string& part) {
        return part.size() >= 3 && part.find_first_not_of("0123456789") == std::string::npos;
      });
  if (shape == i.modifiers.end()) return count;
  const bool tall = shape->starts_with("16");
  const int m = tall ? 16 : 8, n = 8, k = number_after(shape->substr(tall ? 3 : 2));
  int bits = i.name == "DMMA" ? 64 : i.name == "HMMA" ? 16 : i.name == "BMMA" ? 1 : 8;
  if (has(i, "TF32")) bits = 32;
  if (has(i, "S4") || has(i, "U4")) bits = 4;
  const int sum_bits = i.name == "DMMA" ? 64 : i.name == "HMMA" && !has(i, "F32") ? 16 : 32;
  constexpr int kLaneBits = 32 * 32;  // one register of every lane
  count.a = std::max(1, m * k * bits / kLaneBits / (has(i, "SP") ? 2 : 1));
  count.b = std::max(1, k * n * bits / kLaneBits);
  count.result = count.sum = std::max(1, m * n * sum_bits / kLaneBits);
  return count;
}

// Accumulators of a product by a warpgroup: "64x128x16" has 128 columns.
int warpgroup_registers(const MachineInstruction& i) {
  if (i.modifiers.empty()) return 1;
  const std::string& shape = i.modifiers.front();
  const int columns = number_after(std::string_view(shape).substr(shape.find('x') + 1));
  const bool narrow = i.name == "HGMMA" && !has(i, "F32");
  return std::max(1, narrow ? columns / 4 : columns / 2);
}

// The place of a modifier that names a type of floating-point numbers, after the first `skip` ones.
bool is_double(const MachineInstruction& i, int skip) {
  for (const std::string& part : i.modifiers) {
    const bool type = part == "F64" || part == "F32" || part == "F16" || part == "BF16" ||
                      part == "BF16_V2" || part == "TF32";
    if (type && skip-- == 0) return part == "F64";
  }
  return false;
}

int registers_of_conversion(const MachineInstruction& i, bool result) {
  const bool integer64 = has(i, "S64") || has(i, "U64"), real64 = has(i, "F64");
  if (i.name == "F2F") return is_double(i, result ? 0 : 1) ? 2 : 1;
  if (i.name == "FRND") return real64 ? 2 : 1;
  return (i.name == "F2I") == result ? (integer64 ? 2 : 1) : (real64 ? 2 : 1);
}

// How many registers an operand stands for, `k` of all of which the first `results` are results.
int registers_of(const MachineInstruction& i, Results kind, std::size_t k, std::size_t results) {
  const std::string_view name = i.name.starts_with("U") && results_of(i.name) == kind &&
                                        i.name.size() > 4 && i.name != "UBLKCP"
                                    ? std::string_view(i.name).substr(1)
                                    : std::string_view(i.name);
  const bool result = k < results;
  const std::size_t source = k - results;  // of a source: which one
  if (kind == Results::memory || name.starts_with("ST") || name.starts_with("RED"))
    return name == "REDUX" ? 1 : registers_in_memory(i, result);
  if (name == "CS2R") return result && !has(i, "32") ? 2 : 1;
  if (name == "LEPC" || name == "CALL" || name == "RET" || name == "BRX" || name == "BRXU" ||
      name == "JMX" || name == "JMP")
    return 2;
  if (name == "IMAD") {
    if (has(i, "WIDE")) return result || source == 2 ? 2 : 1;
    return has(i, "HI") && !result && source == 2 ? 2 : 1;
  }
  if (name == "DADD" || name == "DMUL" || name == "DFMA" || name == "DSETP" || name == "DMNMX")
    return 2;
  if (name == "FADD2" || name == "FMUL2" || name == "FFMA2") return 2;
  if ((name == "ISETP" || name == "IMNMX") && (has(i, "S64") || has(i, "U64"))) return 2;
  if (name == "F2F" || name == "F2I" || name == "I2F" || name == "FRND")
    return registers_of_conversion(i, result);
  if (name == "HMMA" || name == "IMMA" || name == "DMMA" || name == "QMMA" || name == "BMMA") {
    const MatrixRegisters m = matrix_registers(i);
    return result ? m.result : source == 0 ? m.a : source == 1 ? m.b : source == 2 ? m.sum : 1;
  }
  if (name.ends_with("GMMA"))
    return i.operands[k].text == i.operands[0].text ? warpgroup_registers(i) : 4;
  return has(i, "64") ? 2 : 1;
}

void add(RegisterSet& set, std::size_t family, int first, int count, int zero) {
  for (int r = first; r < first + count && first < zero; ++r) {
    if (r < zero) set.set(family + static_cast<std::size_t>(r));
  }
}
void add_general(RegisterSet& set, int first, int count) {
  add(set, 0, first, count, kZeroRegister);
}
void add_uniform(RegisterSet& set, int first, int count) {
  add(set, kUniformPlace, first, count, kZeroUniform);
}

// Coordinates of a tensor, beside the place in shared memory and the barrier.
int registers_of_block(const MachineInstruction& i, std::size_t operand) {
  if (operand != 0 || !i.name.starts_with("UTMA")) return 2;
  for (const std::string& part : i.modifiers) {
    if (part.size() == 2 && part[1] == 'D') return 2 + (part[0] - '0');
  }
  return 2;
}

void add_address(const MachineInstruction& i, const MachineOperand& o, std::size_t k,
                 RegisterSet& set) {
  const bool block = i.name.starts_with("UTMA") || i.name.starts_with("UBLK");
  const bool global = i.name == "LDG" || i.name == "STG" || i.name == "LD" || i.name == "ST" ||
                      i.name == "ATOMG" || i.name == "ATOM" || i.name == "RED" || i.name == "REDG";
  const bool half_base = global && std::any_of(o.terms.begin(), o.terms.end(), [](const auto& t) {
                           return !t.uniform && t.part == "U32";
                         });
  for (const AddressTerm& t : o.terms) {
    if (!t.uniform) {
      // "LD.E R2, [R4]" has an address of 64 bits too.
      const bool wide = t.part == "64" || (global && t.part.empty() && has(i, "E"));
      add_general(set, t.number, wide ? 2 : 1);
    } else {
      add_uniform(set, t.number,
                  block                         ? registers_of_block(i, k)
                  : t.part == "64" || half_base ? 2
                                                : 1);
    }
  }
  if (o.descriptor < 0) return;
  const bool matrices = i.name.ends_with("GMMA");
  // The first of two matrices may lie in registers; its place among the descriptors stays free.
  const bool first_in_registers = matrices && k == 2;
  add_uniform(set, o.descriptor + (first_in_registers ? 2 : 0),
              matrices && !first_in_registers ? 4 : 2);
}

// Registers in an operand that is only kept as a text: "desc[UR6]", "cx[UR4][0x10]".
void add_named(const MachineOperand& o, RegisterSet& set) {
  const std::string_view text = o.text;
  for (std::size_t at = text.find("[UR"); at != std::string_view::npos;
       at = text.find("[UR", at + 1)) {
    if (text.substr(at + 3, 1) != "Z") add_uniform(set, number_after(text.substr(at + 3)), 2);
  }
}

void add_predicate(RegisterSet& set, const MachineOperand& o) {
  if (o.number == kTruePredicate) return;
  set.set((o.kind == OperandKind::predicate ? kPredicatePlace : kUniformPredicatePlace) +
          static_cast<std::size_t>(o.number));
}

// The predicates of P2R and R2P, which a mask chooses: the last operand.
void add_masked_predicates(const MachineInstruction& i, RegisterUses& uses) {
  const bool uniform = i.name.starts_with("U");
  const std::size_t family = uniform ? kUniformPredicatePlace : kPredicatePlace;
  const MachineOperand& last = i.operands.back();
  const std::int64_t mask = last.kind == OperandKind::integer ? last.value : 0x7f;
  const bool writes = i.name == "R2P" || i.name == "UR2UP";
  for (int p = 0; p < kTruePredicate; ++p) {
    if ((mask >> p & 1) != 0)
      (writes ? uses.writes : uses.reads).set(family + static_cast<std::size_t>(p));
  }
}

}  // namespace

RegisterUses register_uses(const MachineInstruction& i) {
  RegisterUses uses;
  Results kind = results_of(i.name);
  uses.guessed = kind == Results::unknown;
  if (uses.guessed) kind = Results::first;
  if (i.guard.is_predicate()) {
    add_predicate(uses.reads, i.guard);
    uses.conditional = i.guard.number != kTruePredicate || i.guard.complement;
  }
  const std::size_t results = result_count(i, kind);
  for (std::size_t k = 0; k < i.operands.size(); ++k) {
    const MachineOperand& o = i.operands[k];
    RegisterSet& set = k < results ? uses.writes : uses.reads;
    if (o.kind == OperandKind::general) {
      add_general(set, o.number, registers_of(i, kind, k, results));
    } else if (o.kind == OperandKind::uniform) {
      add_uniform(set, o.number, registers_of(i, kind, k, results));
    } else if (o.is_predicate()) {
      add_predicate(set, o);
    } else if (is_address(o)) {
      add_address(i, o, k, uses.reads);
    } else if (o.kind == OperandKind::name) {
      add_named(o, uses.reads);
    }
  }
  if (!i.operands.empty() &&
      (i.name == "P2R" || i.name == "R2P" || i.name == "UP2UR" || i.name == "UR2UP"))
    add_masked_predicates(i, uses);
  return uses;
}

std::string names_of(const RegisterSet& set) {
  struct Family {
    const char* name;
    std::size_t place, count;
  };
  constexpr Family kFamilies[] = {{"R", 0, kUniformPlace},
                                  {"UR", kUniformPlace, kPredicatePlace - kUniformPlace},
                                  {"P", kPredicatePlace, kTruePredicate},
                                  {"UP", kUniformPredicatePlace, kTruePredicate}};
  std::string text;
  for (const Family& family : kFamilies) {
    for (std::size_t k = 0; k < family.count; ++k) {
      if (!set[family.place + k]) continue;
      std::size_t last = k;
      while (last + 1 < family.count && set[family.place + last + 1]) ++last;
      if (!text.empty()) text += ' ';
      text += family.name + std::to_string(k);
      if (last > k) text += "-" + (family.name + std::to_string(last));
      k = last;
    }
  }
  return text;
}

}  // namespace warpscope
