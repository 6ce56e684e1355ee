// profiling/emulator/sass/decode/machine_context.h: what the functions share that decode machine
// code.
//
// decode_machine_code (machine_code.h) makes one MachineContext for a function and takes its
// instructions one by one. A function of machine_families.h checks all modifiers and operands of
// its opcodes, and emits instructions on register slots, the same as those that PTX becomes. What
// it does not know is a problem: the instruction becomes a trap that names it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiling/emulator/sass/lanes/machine_slots.h"
#include "profiling/emulator/sass/lanes/machine_table.h"
#include "profiling/emulator/sass/read/machine_image.h"
#include "profiling/emulator/sass/read/machine_text.h"
#include "profiling/emulator/state/kernel_code.h"

namespace warpscope {

// Where a function's registers lie in the register file of a warp.
struct MachineLayout {
  std::uint32_t zero = 0;     // four slots of zeros: RZ, also as a vector
  std::uint32_t nowhere = 0;  // eight slots that results to RZ go to
  std::uint32_t general = 0, uniform = 0, barriers = 0;
  std::uint32_t predicates = 0;    // P0 … P6, UP0 … UP6: a word each, in one slot
  std::uint32_t always = 0;        // a predicate that is true
  std::uint32_t no_predicate = 0;  // where results to PT go
  std::uint32_t address = 0;       // of 8 bytes per lane, for the instruction at hand
  std::uint32_t second_address = 0;
  std::uint32_t scratch = 0;  // sixteen slots, for the instruction at hand
  std::uint32_t votes = 0;    // what BAR.RED leaves for B2R
  std::uint32_t index = 0;    // of the instruction that a register branches to
};

// Which decorations a source may have.
enum : unsigned {
  kPlain = 0,
  kMayNegate = 1,
  kMayInvert = 2,
  kMayBeAbsolute = 4,
  kMayBeHalves = 8,  // parts are looked at by who asks
};

// What an instruction does with a slot that it names.
enum class SlotRole : std::uint8_t { source, address, predicate, result, predicate_result };

struct MachineContext {
  const MachineFunction& function;
  const MachineImage& image;
  KernelCode& kernel;
  Dim3 cluster = {};              // of the launch
  bool ends_bulk_groups = false;  // the function has UTMACMDFLUSH
  MachineLayout layout = {};
  const MachineInstruction* at = nullptr;
  std::string problem;   // of the instruction at hand; empty: it is known
  bool uniform = false;  // it is of the uniform datapath
  bool by_rank = false;  // its addresses of shared memory may name other blocks of the cluster
  std::uint32_t guard = 0, guard_flip = 0;
  std::vector<std::string> left;  // its modifiers that no one has taken yet
  std::map<std::pair<std::uint64_t, int>, std::uint32_t> constants;
  std::map<std::pair<std::uint64_t, int>, std::uint32_t> bank_words;
  std::map<int, std::uint32_t> specials;
  std::uint32_t next_slot = 0;
  struct Jump {
    std::uint32_t pc = 0;      // in KernelCode::code
    std::uint32_t offset = 0;  // of the target, in the section
  };
  std::vector<Jump> jumps;
  std::vector<std::uint32_t> tables;  // pcs of branches by a register
  struct Use {
    std::uint32_t slot = 0;
    SlotRole role = {};
  };
  std::vector<Use> uses;  // of the instruction at hand, one per word
};

// The opcode at hand, without the "U" of the uniform datapath.
inline std::string base_name(const MachineContext& ctx) {
  return ctx.uniform ? ctx.at->name.substr(1) : ctx.at->name;
}

inline bool in_clusters(const MachineContext& ctx) { return ctx.cluster != Dim3{}; }

// Notes that the instruction uses `words` registers or predicates, for add_flow.
void note_use(MachineContext& ctx, SlotRole role, std::uint32_t slot, int words = 1);
// Adds RegisterFlow of the instruction at hand, with the guard that was written before it.
void add_flow(MachineContext& ctx, std::uint32_t guard);

// Always false; the first problem is kept.
bool problem(MachineContext& ctx, std::string what);

// Whether the instruction has the modifier; it counts as looked at.
bool takes(MachineContext& ctx, std::string_view modifier);
// The first of these that it has, by position; −1: none.
int takes_one(MachineContext& ctx, std::initializer_list<std::string_view> modifiers);
// These change nothing that is emulated.
void ignores(MachineContext& ctx, std::initializer_list<std::string_view> modifiers);

std::uint32_t new_slots(MachineContext& ctx, int count);
std::uint32_t constant_slot(MachineContext& ctx, std::uint64_t value, int words = 1);
std::uint32_t general_slot(const MachineContext& ctx, int number);
std::uint32_t uniform_slot(const MachineContext& ctx, int number);

// The slot of a source of `words` words. A decoration that is not allowed is a problem.
std::uint32_t source(MachineContext& ctx, const MachineOperand& o, unsigned allowed = kPlain,
                     int words = 1);
// The word c[0x0][R0+at] of a launch, where R0 was made of SR_CgaSize.
std::uint32_t word_by_cluster_size(MachineContext& ctx, std::int64_t at);
// The bits of Instruction::immediate that say how source `number` is decorated.
std::int64_t decoration(const MachineOperand& o, int number);
// The slot of a result.
std::uint32_t destination(MachineContext& ctx, const MachineOperand& o, int words = 1);
// The slot of a predicate that is read or written; decoration() says whether it is to be flipped.
std::uint32_t predicate_source(MachineContext& ctx, const MachineOperand& o);
std::int64_t flip_of(const MachineOperand& o, int number);
// One of 16 predicates for the instruction at hand, after P0 … P6 and UP0 … UP6.
inline std::uint32_t scratch_predicate(const MachineContext& ctx, int number) {
  return ctx.layout.predicates + 4 * static_cast<std::uint32_t>(16 + number);
}
std::uint32_t predicate_destination(MachineContext& ctx, const MachineOperand& o);
// Its address in slots of 8 bytes; or, `narrow`, of 4. Emits what adds it up.
struct MachineAddress {
  std::uint32_t slot = 0;
  std::int64_t offset = 0;
  bool narrow = false;
};
MachineAddress address_of(MachineContext& ctx, const MachineOperand& o, AddressSpace space,
                          std::uint32_t scratch);

// The slot of an address of shared memory, as state/cluster.h has them, in place of the one in
// `slot`, whose upper byte is a rank; `by_rank` false: the block's own, whatever rank it has.
std::uint32_t mapped_slot(MachineContext& ctx, std::uint32_t slot, bool by_rank);

// Makes a further predicate part of the guard: lanes go that both hold for.
void narrow_guard(MachineContext& ctx, std::uint32_t predicate, std::uint32_t flip);

// Adds an instruction with the guard of the one at hand, which counts.
Instruction& emit(MachineContext& ctx, Instruction i);
// The handler of a row of the machine's table.
Instruction& emit_row(MachineContext& ctx, const std::string& row, std::uint32_t d, std::uint32_t a,
                      std::uint32_t b = 0, std::uint32_t c = 0);
// The same beside the one that counts.
Instruction& emit_extra(MachineContext& ctx, const std::string& row, std::uint32_t d,
                        std::uint32_t a, std::uint32_t b = 0, std::uint32_t c = 0);
// Puts 64 bits from two registers into a slot of 8 bytes, and back. Such instructions do not count.
void emit_joined(MachineContext& ctx, std::uint32_t wide, std::uint32_t low);
void emit_parted(MachineContext& ctx, std::uint32_t low, std::uint32_t wide);
// Gives each lane of `words` slots the value that the lowest active lane has in those at `from`: a
// uniform result that lanes computed. Does not count.
void emit_spread(MachineContext& ctx, std::uint32_t d, std::uint32_t from, int words = 1);
// Loads a word of bank 3 by its place there, which may be beyond all variables: a fault then. Does
// not count.
void load_constant_word(MachineContext& ctx, std::uint32_t slot, std::uint32_t at);
// An access that is traced.
void add_site(MachineContext& ctx, Instruction& i, Space space, AccessKind kind, int width);
// Slots beyond a, b, c and d.
std::uint32_t add_slots(MachineContext& ctx, std::initializer_list<std::uint32_t> slots);

// A destination, predicates after it, sources, predicates at the end.
struct SplitOperands {
  const MachineOperand* result = nullptr;
  std::vector<const MachineOperand*> results;  // predicates
  std::vector<const MachineOperand*> sources;
  std::vector<const MachineOperand*> conditions;  // predicates
};
SplitOperands split_operands(const MachineContext& ctx);
// Whether there are so many; a problem if not.
bool has(MachineContext& ctx, const SplitOperands& o, std::size_t sources, std::size_t most_results,
         std::size_t most_conditions);

}  // namespace warpscope
