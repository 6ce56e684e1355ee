// profiling/emulator/sass/decode/machine_families.h: the families of opcodes of machine code.
#pragma once

#include <optional>

#include "profiling/emulator/instructions/warp_instructions.h"
#include "profiling/emulator/sass/decode/machine_context.h"

namespace warpscope {

// Decodes the instruction at hand: emits what it does, or reports a problem. False: a problem.
using MachineFamily = bool (*)(MachineContext&);
// Null: the opcode is not known. Of "UIADD3" that of "IADD3", with MachineContext::uniform set.
MachineFamily machine_family(MachineContext& ctx, const std::string& name);

// integer_family.cpp
bool decode_move(MachineContext& ctx);
bool decode_add3(MachineContext& ctx);
bool decode_add(MachineContext& ctx);
bool decode_multiply_add(MachineContext& ctx);
bool decode_shift_add(MachineContext& ctx);
bool decode_integer_compare(MachineContext& ctx);
bool decode_integer_extreme(MachineContext& ctx);
bool decode_absolute(MachineContext& ctx);
bool decode_difference(MachineContext& ctx);
bool decode_dot4(MachineContext& ctx);
// logic_family.cpp
bool decode_logic(MachineContext& ctx);
bool decode_predicate_logic(MachineContext& ctx);
bool decode_shift(MachineContext& ctx);
bool decode_permute(MachineContext& ctx);
bool decode_choose(MachineContext& ctx);
bool decode_bits(MachineContext& ctx);
bool decode_predicate_register(MachineContext& ctx);
// float_family.cpp
bool decode_float(MachineContext& ctx);
bool decode_float_pair(MachineContext& ctx);
bool decode_float_compare(MachineContext& ctx);
bool decode_float_extreme(MachineContext& ctx);
bool decode_function(MachineContext& ctx);
bool decode_check_division(MachineContext& ctx);
bool decode_double(MachineContext& ctx);
bool decode_double_compare(MachineContext& ctx);
bool decode_halves(MachineContext& ctx);
bool decode_half_compare(MachineContext& ctx);
// conversion_family.cpp
bool decode_conversion(MachineContext& ctx);
bool decode_pack(MachineContext& ctx);
bool decode_integer_pack(MachineContext& ctx);
// memory_family.cpp
bool decode_load(MachineContext& ctx);
bool decode_store(MachineContext& ctx);
bool decode_constant_load(MachineContext& ctx);
bool decode_atomic(MachineContext& ctx);
bool decode_copy_to_shared(MachineContext& ctx);
bool decode_matrix_load(MachineContext& ctx);
// The operation and the type of an atomic or a reduction; no value: none that is known.
struct AtomicShape {
  AtomicType type = AtomicType::u32;
  int bytes = 4, count = 1;
};
std::optional<AtomicOperation> take_operation(MachineContext& ctx);
std::optional<AtomicShape> take_atomic_type(MachineContext& ctx);
// bulk_family.cpp
bool decode_tensor_load(MachineContext& ctx);
bool decode_tensor_store(MachineContext& ctx);
bool decode_bulk_copy(MachineContext& ctx);
bool decode_bulk_commit(MachineContext& ctx);
bool decode_store_async(MachineContext& ctx);
bool decode_cluster_barrier(MachineContext& ctx);
// async_family.cpp
bool decode_barrier_in_memory(MachineContext& ctx);
bool decode_arrival_after_copies(MachineContext& ctx);
bool decode_register_change(MachineContext& ctx);
bool decode_warpgroup_order(MachineContext& ctx);
bool decode_warpgroup_product(MachineContext& ctx);
// control_family.cpp
bool decode_branch(MachineContext& ctx);
bool decode_branch_by_register(MachineContext& ctx);
bool decode_exit(MachineContext& ctx);
bool decode_convergence(MachineContext& ctx);
bool decode_barrier(MachineContext& ctx);
bool decode_barrier_move(MachineContext& ctx);
bool decode_nothing(MachineContext& ctx);
bool decode_trap(MachineContext& ctx);
bool decode_fence(MachineContext& ctx);
// warp_family.cpp
bool decode_special(MachineContext& ctx);
bool decode_shuffle(MachineContext& ctx);
bool decode_vote(MachineContext& ctx);
bool decode_match(MachineContext& ctx);
bool decode_reduce(MachineContext& ctx);
bool decode_to_uniform(MachineContext& ctx);
bool decode_elect(MachineContext& ctx);
bool decode_matrix_product(MachineContext& ctx);
bool decode_bit_product(MachineContext& ctx);
bool decode_matrix_transpose(MachineContext& ctx);
bool decode_is_space(MachineContext& ctx);
// call_family.cpp
bool decode_return_address(MachineContext& ctx);
// For the families that have these opcodes.
bool load_address(MachineContext& ctx, std::uint32_t to, std::uint32_t index, std::int64_t offset,
                  int words);
bool call_system_function(MachineContext& ctx, const MachineOperand& target);

}  // namespace warpscope
