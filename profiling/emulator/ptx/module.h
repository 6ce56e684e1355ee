// profiling/emulator/ptx/module.h: what a PTX text says: functions, variables, source positions.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/emulator/ptx/source_arrays.h"
#include "scenes/host/result.h"

// All string_views point into the text that was parsed, which must outlive the module, or into
// PtxModule::composed.

namespace warpscope {

enum class PtxSpace : std::uint8_t { none, reg, param, global, shared, local, constant };

struct PtxOperand {
  enum class Kind : std::uint8_t {
    name,     // register, symbol, label or special register; value: an offset added to a symbol
    integer,  // value
    real,     // value: bits of an f32 (width 4) or f64 (width 8); 0: a decimal text
    address,  // [name + value], or [value] when the name is empty; with coordinates as a vector
    vector,   // {a, b, …}, also the lists of a call: `count` operands from `first` on
    other,    // what no decoded instruction takes; `name` holds the text
  };
  Kind kind = Kind::name;
  bool negated = false;     // !%p1, and the -%r1 of vmad
  std::uint8_t width = 0;   // of real
  std::string_view name;    // %r1
  std::string_view second;  // the %p1 of %r1|%p1, or the h0 of %r1.h0
  std::int64_t value = 0;
  std::uint32_t first = 0, count = 0;
};

struct PtxStatement {
  enum class Kind : std::uint8_t {
    instruction,
    label,       // name
    registers,   // name is the type; one operand a name, value its <count> (0: none)
    variable,    // index in PtxModule::variables
    open,        // {
    close,       // }
    targets,     // name: .branchtargets, the operands
    unreadable,  // faults where it is reached; index in PtxModule::problems
  };
  Kind kind = Kind::instruction;
  bool guard_negated = false;
  std::string_view name;               // opcode, label or type
  std::string_view guard;              // the %p1 of @%p1; empty: none
  std::uint32_t first = 0, count = 0;  // operands
  std::uint32_t position = 0;          // index in PtxModule::positions
  std::uint32_t index = 0;             // of a variable or a problem
  int line = 0;                        // of the PTX
};

struct PtxVariable {
  PtxSpace space = PtxSpace::none;
  std::string_view name;
  std::int64_t alignment = 1, bytes = 0, element_bytes = 1;
  bool external = false;  // extern __shared__ x[]: takes what the launch gives
  bool pointer = false;   // of a parameter: it is said to hold an address
  std::string_view type;  // of a parameter, as it is written: "u64"
  std::vector<std::byte> initial;
  // Addresses of other variables to be written at `offset`, 8 bytes each.
  struct Address {
    std::int64_t offset = 0, addend = 0;
    std::string_view name;
  };
  std::vector<Address> addresses;
};

struct PtxFunction {
  std::string_view name;
  bool entry = false;
  bool defined = false;
  std::vector<PtxVariable> parameters, results;
  std::vector<PtxStatement> body;
  std::int64_t most_threads = 0;  // product of .maxntid or .reqntid; 0: not said
  std::string problem;            // why its parameters could not be read; empty: they were
  // Extents of .reqntid and .reqnctapercluster; zeros: not said.
  std::array<std::int64_t, 3> required_block{}, required_cluster{};
};

// A .loc: `outer` is the position it was inlined at, −1: none.
struct PtxPosition {
  int file = 0, line = 0, column = 0, outer = -1;
};

struct PtxModule {
  int version = 0;          // major·10 + minor of .version; 0: not said
  std::string_view target;  // "sm_90a"; empty: not said
  std::vector<PtxFunction> functions;
  std::vector<PtxVariable> variables;  // of the module and of functions
  std::vector<std::uint32_t> globals;  // those of the module
  std::vector<PtxOperand> operands;
  std::vector<PtxPosition> positions{PtxPosition{}};
  std::map<int, std::string> files;
  std::vector<std::string> problems;  // "PTX line 57 cannot be read (…)"
  std::deque<std::string> composed;   // opcodes that were written with white space in them
  std::map<std::string, SourceArray, std::less<>> arrays;  // of the CUDA text, where it is known
};

// What a function's address is: a number of its own, at which no memory lies. 0: there is no such
// function.
inline constexpr std::uint64_t kFunctionWindow = 4ull << 40;
std::uint64_t function_address(const PtxModule& module, std::string_view name);

// What cannot be read refuses nothing else: see PtxStatement::Kind::unreadable.
// error: input, with the first PTX line that could not be read, where no function was.
Result<PtxModule> parse_ptx(std::string_view text, const std::string& name);

// Bytes of a PTX type ("f32" → 4, "f16x2" → 4, "pred" → 1); 0: not a type.
int ptx_type_bytes(std::string_view type);

}  // namespace warpscope
