// profiling/emulator/decode/context.h: what the functions that decode a kernel share.
//
// decode_kernel (decode.h) makes one DecodeContext for a kernel. functions.h takes a function's
// statements one by one; statement.h finds the family of each opcode; a function of families.h
// looks its operands up (operands.h) and adds instructions (emit.h), or reports a problem.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "profiling/emulator/ptx/module.h"
#include "profiling/emulator/state/kernel_code.h"

namespace warpscope {

struct RegisterSlot {
  std::uint32_t slot = 0;
  std::uint8_t bytes = 0;  // 0: predicate, 4 or 8
};

struct RegisterRange {  // %r<20>
  std::uint8_t bytes = 0;
  std::vector<std::uint32_t> slots;  // 0: not used yet
};

struct SymbolPlace {
  AddressSpace space = AddressSpace::generic;
  std::int64_t offset = 0, bytes = 0;
  std::int32_t variable = -1;  // in memory: index in PtxModule::variables
  bool dynamic = false;        // extern shared
  bool parameter = false;      // of a call: local memory that is not traced
};

// What stands between { and }.
struct BlockScope {
  std::uint32_t number = 0;  // in the frame
  std::unordered_map<std::string_view, RegisterSlot> single;
  std::unordered_map<std::string_view, RegisterRange> ranges;
  std::unordered_map<std::string_view, SymbolPlace> symbols;
};

// One function being decoded: the entry, or a call inside it.
struct CallFrame {
  const PtxFunction* function = nullptr;
  std::vector<BlockScope> scopes{1};
  std::vector<std::uint32_t> outer_scopes{0};  // of each scope by number, also of closed ones
  // Labels belong to the scope they stand in: text that was inlined twice has them twice.
  std::map<std::pair<std::uint32_t, std::string_view>, std::uint32_t> labels;
  std::unordered_map<std::string_view, const PtxStatement*> tables;
  struct Jump {
    std::uint32_t pc = 0;
    std::string_view label;
    std::uint32_t scope = 0;
  };
  std::vector<Jump> jumps;
  std::vector<Jump> table_jumps;       // pc: index in KernelCode::targets
  std::vector<std::uint32_t> returns;  // branches to the end of the frame
  int depth = 0;
  const CallFrame* outer = nullptr;                // that it is called from
  std::vector<SourcePosition> called_from;         // innermost first
  std::map<std::uint32_t, std::uint32_t> sources;  // position → index in DecodeContext::places
};

struct StatementPlace {
  SourcePosition position;
  std::vector<SourcePosition> inlined_at;
  int line_index = -1;
};

// The statement at hand. `problem` is why it becomes a trap; empty: it does not.
struct CurrentStatement {
  std::string problem;
  std::uint32_t guard = 0, guard_flip = 0;  // as Instruction's
  std::uint32_t source = 0;                 // index in KernelCode::sources
  std::uint32_t position = 0;               // index in PtxModule::positions
  bool counted = false;                     // an instruction of it counts
};

// Slots that one use made and others share.
struct SharedSlots {
  std::map<std::pair<int, std::uint64_t>, std::uint32_t> constants;  // by bytes and value
  std::map<std::pair<int, int>, std::uint32_t> specials;             // by register and bytes
  // By offset, width, bytes of the slot and whether the sign is extended.
  std::map<std::array<std::uint32_t, 4>, std::uint32_t> parameters;
  std::uint32_t carry = 0;  // of add.cc and its like; 0: not used yet
};

struct ModuleSymbols {
  std::unordered_map<std::string_view, std::int32_t> names;  // to PtxModule::variables
  std::map<std::int32_t, SymbolPlace> known;                 // those that the kernel has named
  std::map<std::uint32_t, std::string_view> of_sources;      // shared arrays; "": dynamic
  struct DynamicSlot {
    std::uint32_t slot = 0;
    int bytes = 8;
    std::int64_t addend = 0;
  };
  std::vector<DynamicSlot> dynamic_slots;  // addresses of dynamic shared memory
  std::int64_t dynamic_alignment = 16;
};

// What a function's text says of its registers, each found where it is first asked for
// (function_facts.h).
struct FunctionFacts {
  // How often its instructions name a register.
  std::optional<std::unordered_map<std::string_view, int>> mentions;
  std::optional<std::unordered_set<std::string_view>> lane_dependent, guarded;
  std::optional<std::unordered_map<std::string_view, std::string_view>> provenance;
  std::optional<double> recursive_calls;  // of a function that calls itself: how many
};

struct DecodeContext {
  const PtxModule& module;
  KernelCode& kernel;
  const std::string& main_file;
  std::string folder = {};     // of the main file, as .file names it; empty: not known
  CallFrame* frame = nullptr;  // the innermost
  CurrentStatement current = {};
  SharedSlots slots = {};
  ModuleSymbols symbols = {};
  std::unordered_map<std::string_view, const PtxFunction*> functions = {};  // that are defined
  std::map<const PtxFunction*, FunctionFacts> facts = {};
  // Functions whose addresses the module takes; empty: not looked for yet.
  std::optional<std::unordered_set<std::string_view>> addresses_taken = {};
  std::vector<StatementPlace> places = {};
  std::map<std::pair<std::string, int>, int> line_indices = {};  // in KernelCode::lines
  std::int64_t declared_registers = 0;                           // of all frames
  std::size_t text_bytes = 0;                                    // of opcodes and positions
  bool has_products = false;                                     // the module has wgmma.mma_async
};

}  // namespace warpscope
