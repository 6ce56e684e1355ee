// profiling/stalls/machine_opcode.h: what kind of instruction a row of machine code is, by its
// text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warpscope {

// What the instruction's result, or the room for it, is waited for.
enum class MachineWork : std::uint8_t {
  global_load,
  global_store,
  global_atomic,  // with and without use of the old value
  local_memory,
  shared_load,  // ldmatrix too
  shared_store,
  shared_atomic,
  constant_load,  // by an index: those in operands have no instruction of their own
  copy,           // cp.async
  bulk_copy,      // cp.async.bulk, with and without a tensor map
  mbarrier,
  block_barrier,
  matrix_product,     // mma
  warpgroup_product,  // wgmma
  special_function,   // MUFU, conversions and the like, of unknown latency
  special_register,   // S2R: a thread's or block's index and the like
  shuffle,
  branch,  // call and return too
  end,     // EXIT
  arithmetic,
  other
};

// "LDG.E.128" of "@!P0 LDG.E.128 R4, desc[UR4][R2.64]".
std::string_view opcode_in(std::string_view text);
MachineWork work_of(std::string_view text);
// Whether the opcode has that modifier: "E" of "LDG.E.128".
bool has_modifier(std::string_view text, std::string_view modifier);
// Whether a scoreboard of this instruction is counted as a long one: memory outside the
// multiprocessor. source: Nsight Compute documentation, "Warp Stall Reasons".
bool is_long_latency(MachineWork work);
// Whether the compiler put a division here: a call of its routine, or a reciprocal.
bool calls_division(std::string_view text);
bool is_reciprocal(std::string_view text);

}  // namespace warpscope
