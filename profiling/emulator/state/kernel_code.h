// profiling/emulator/state/kernel_code.h: a kernel decoded to compact instructions on register
// slots.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "profiling/access/access.h"
#include "profiling/emulator/emulator.h"
#include "profiling/emulator/ptx/source_arrays.h"
#include "profiling/emulator/state/warpgroup_product.h"

// The registers of a warp are one aligned array of bytes. A slot is 32 values, one a lane, of 4
// bytes (1-, 2- and 4-byte types, upper bits zero) or 8 bytes; a predicate is one 32-bit mask at
// the start of its slot. Constants, parameters and special registers are slots like any other, so
// instructions have no kinds of operands.

namespace warpscope {

struct Warp;
struct Instruction;
using RunInstruction = void (*)(Warp&, const Instruction&);

enum class InstructionKind : std::uint8_t {
  ordinary,      // run(warp, instruction) for the lanes of warp.mask
  branch,        // to `target`; divergent: the paths reconverge at `join`
  branch_table,  // to targets[extra + a], `count` of them; reconverges at `join`
  leave,         // a branch straight to an exit: noted, as warps that left never come to a barrier
  exit,
  join,                // the start of a block where paths may reconverge; costs no warp instruction
  barrier,             // of the block: a the id, b the threads (0: all), subop BarrierAction
  collective,          // of the lanes of the masks in slot c: see collectives.h
  async_barrier_wait,  // mbarrier.try_wait and test_wait: answers d; see async_barriers.h
  cluster_wait,        // barrier.cluster.wait
  async_wait,          // cp.async.wait_group and wait_all: immediate is how many groups may be left
  warpgroup_product,   // wgmma.mma_async: immediate is the index in KernelCode::products
  warpgroup_wait,      // wgmma.wait_group: immediate is how many groups may be left
  assertion,           // __assertfail: slots in extra
  print,               // vprintf
  allocation,          // malloc: slots in extra
  trap,                // trap; or an instruction that is not known: flags says which
};

enum class BarrierAction : std::uint8_t { sync, arrive, reduce_popc, reduce_and, reduce_or };

enum class AddressSpace : std::uint8_t { generic, global, shared, local, constant, param };

enum class SpecialRegister : std::uint8_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  smid,
  nsmid,
  gridid,
  lanemask_eq,
  lanemask_le,
  lanemask_lt,
  lanemask_ge,
  lanemask_gt,
  dynamic_shared_bytes,
  total_shared_bytes,
  cluster_ctaid_x,
  cluster_ctaid_y,
  cluster_ctaid_z,
  cluster_nctaid_x,
  cluster_nctaid_y,
  cluster_nctaid_z,
  cluster_ctarank,
  cluster_nctarank,
  clusterid_x,
  clusterid_y,
  clusterid_z,
  nclusterid_x,
  nclusterid_y,
  nclusterid_z,
  is_explicit_cluster,  // all ones or 0, as predicates are
  workspace_low,        // of the grid, where its blocks meet: see grid_workspace.h
  workspace_high,
  zero,
};

// Instruction::flags of memory accesses and traps.
inline constexpr std::uint8_t kFlagSignExtend = 1;  // a load of a signed type
inline constexpr std::uint8_t kFlagWideSlots = 2;   // the register slots have 8 bytes
inline constexpr std::uint8_t kFlagAddress32 = 4;   // the address slot has 4 bytes
inline constexpr std::uint8_t kFlagStrong = 8;      // volatile, relaxed, acquire or release
inline constexpr std::uint8_t kFlagHasOld = 16;     // an atomic whose old value is wanted
inline constexpr std::uint8_t kFlagUnknown = 32;    // a trap: the opcode is not known
inline constexpr std::uint8_t kFlagVolatile = 32;  // a load or store: .volatile, beside kFlagStrong
inline constexpr std::uint8_t kFlagNegated = 64;   // the predicate operand is negated
inline constexpr std::uint8_t kFlagMerged = 128;   // an atomic: see WarpMerge
inline constexpr std::uint8_t kFlagOneMask = 2;    // a collective: all lanes name one mask
inline constexpr std::uint8_t kFlagOfLanes = 2;    // a barrier: lanes come one by one
inline constexpr std::uint8_t kFlagReadOnly = 16;  // a load: ld.global.nc or ldu

inline constexpr std::uint8_t kFlagAtEnd = 1;  // a join: nothing but the kernel's end follows

// How the lanes of a warp become one before an atomic with kFlagMerged goes to memory; its `b`.
enum class WarpMerge : std::uint32_t { any_lanes, whole_warps };

inline constexpr std::uint32_t kNoSite = 0xffffffffu;
inline constexpr std::uint32_t kNoJoin = 0xffffffffu;

// What an instruction does with a value that nobody wrote, where registers may hold one; see
// undefined_values.h. `mark`: a load of machine code, see unwritten_registers.h.
enum class UndefinedUse : std::uint8_t {
  none,
  load,
  compare,
  choose,
  both,
  either,
  opposite,
  mark
};

struct Instruction {
  RunInstruction run = nullptr;
  std::uint32_t d = 0, a = 0, b = 0, c = 0;  // byte offsets of slots
  std::uint32_t guard = 0;                   // slot of the predicate; 0: none
  std::uint32_t guard_flip = 0;              // all ones: lanes where it is false
  std::int64_t immediate = 0;
  std::uint32_t target = 0;  // of a branch
  std::uint32_t join = kNoJoin;
  std::uint32_t extra = 0;       // first of this instruction's slots in KernelCode::slots
  std::uint32_t site = kNoSite;  // of a memory access that is traced
  std::uint32_t source = 0;      // index in KernelCode::sources
  InstructionKind kind = InstructionKind::ordinary;
  std::uint8_t width = 0;  // bytes of an element of a memory access
  std::uint8_t count = 0;  // elements of a vector, targets of a table
  std::uint8_t subop = 0;
  AddressSpace space = AddressSpace::generic;
  std::uint8_t flags = 0;
  UndefinedUse undefined = UndefinedUse::none;
  std::uint8_t counted = 1;  // 0: made by the decoder beside the one that counts
  bool begins = false;       // the first of an instruction of machine code
};

// What an instruction of machine code does with the registers that it names; see
// unwritten_registers.h.
struct RegisterFlow {
  enum class How : std::uint8_t {
    passes_on,  // results are made of the sources
    chooses,    // the first source where `gate` holds, else the second
    joins_and,  // a comparison, whose result matters where `gate` holds
    joins_or,   // one whose result matters where it does not
    uses_up,    // sources go to memory or to other lanes, or decide where lanes go
    uses_first  // the same of the lowest lane alone
  };
  std::uint64_t filter = 0;  // filter_bit of all that it names
  std::uint32_t first = 0;   // in KernelCode::flow_slots: the slots of each kind, one after another
  std::uint8_t sources = 0, addresses = 0, predicates = 0, results = 0, predicate_results = 0;
  How how = How::passes_on;
  bool of_warp = false;  // of the uniform datapath: results are of all lanes
  bool gate_flip = false;
  std::uint32_t guard = 0, gate = 0;
  // Registers lie 128 bytes apart, predicates 4.
  static std::uint64_t filter_bit(std::uint32_t slot) {
    return std::uint64_t{1} << ((slot >> 2 ^ slot >> 7) & 63);
  }
};

// Where an instruction comes from.
struct InstructionSource {
  std::string opcode;       // "ld.global.nc.v4.f32"
  SourcePosition position;  // the first line of the person's own text, walking outward
  std::vector<SourcePosition> inlined_at;
  int line_index = -1;  // in KernelCode::lines; −1: none
  // In KernelCode::shared_variables: the array that its address was made from; −1: not known.
  int shared_variable = -1;
};

struct KernelCode {
  std::string entry;
  std::vector<Instruction> code;
  std::vector<InstructionSource> sources;  // the kernel's instruction list
  std::vector<std::uint32_t> slots;        // operands beyond a, b, c, d
  std::vector<std::uint32_t> targets;      // of branch tables
  std::vector<AccessSite> sites;           // with empty totals
  std::vector<SourcePosition> lines;       // distinct positions

  // How slots begin. A constant has `bytes` 4 or 8.
  struct Constant {
    std::uint32_t slot = 0;
    std::uint8_t bytes = 4;
    std::uint64_t value = 0;
  };
  std::vector<Constant> constants;
  struct ParameterSlot {
    std::uint32_t slot = 0, offset = 0;
    std::uint8_t bytes = 4, slot_bytes = 4;
    bool sign_extend = false;
  };
  std::vector<ParameterSlot> parameter_slots;
  struct SpecialSlot {
    std::uint32_t slot = 0;
    SpecialRegister which = {};
    std::uint8_t bytes = 4;
  };
  std::vector<SpecialSlot> specials;
  // A constant that is the address of a module variable, known once memory exists.
  struct AddressSlot {
    std::uint32_t slot = 0, variable = 0;
    std::int64_t addend = 0;
  };
  std::vector<AddressSlot> addresses;
  // In machine code: a word of a module variable that cannot change while the kernel runs, or half
  // of a variable's address.
  struct BankSlot {
    std::uint32_t slot = 0, variable = 0, offset = 0;
    enum class Word : std::uint8_t { value, address_low, address_high } word = Word::value;
  };
  std::vector<BankSlot> bank_slots;
  std::vector<std::uint32_t> literals;  // of machine code: the words of its bank of literals
  bool of_machine_code = false;         // sums are kept by instruction too

  std::vector<ParameterInfo> parameters;
  std::int64_t parameter_bytes = 0;
  std::uint32_t register_bytes = 0;
  std::int64_t static_shared_bytes = 0;
  std::int64_t local_bytes = 0;  // of a lane
  std::int64_t most_threads = 0;
  bool allocates = false;  // it calls malloc
  struct SharedVariable {
    std::string name;
    std::int64_t offset = 0, bytes = 0, element_bytes = 1;  // 1: not said
    SourceArray source;                                     // no extents: not known
  };
  std::vector<SharedVariable> shared_variables;
  // Slots of addresses that are stored to, and of 8-byte values that came from memory; from them,
  // through which pointers global memory may be written: offsets of parameters, module variables.
  std::vector<std::uint32_t> store_addresses, loaded_pointers;
  struct Written {
    std::vector<std::uint32_t> parameters, variables;
    bool anywhere = false;  // or through others
  };
  Written written;
  // For kernels with wgmma; register_uses are by source.
  bool has_warpgroups = false;  // wgmma or setmaxnreg
  std::vector<WarpgroupProduct> products;
  std::vector<RegisterUse> register_uses;
  std::vector<std::uint32_t> used_registers;
  std::vector<std::string> unknown;  // opcodes that were not decoded
  bool has_read_only_loads = false;
  bool marks_loads = false;         // UndefinedUse::load or mark
  std::vector<RegisterFlow> flows;  // of machine code: by source
  std::vector<std::uint32_t> flow_slots;
};

}  // namespace warpscope
