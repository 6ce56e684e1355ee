// profiling/emulator/sass/lanes/machine_runs.h: what instructions of machine code do that need
// more than a function of one lane.
#pragma once

#include "profiling/emulator/state/worker.h"

namespace warpscope {

// Memory. d = the address in a, where it is one of shared memory without what the system keeps;
// subop 1: its bits from 24 on are a rank in the cluster.
void run_fix_generic(Warp& w, const Instruction& i);
// d = the addresses of a + immediate in the bank of __constant__ variables; the instruction's
// `width` slots from `extra` on are triples of a variable's index, its offset and its bytes.
void run_find_constant(Warp& w, const Instruction& i);
// d = elements at a + immediate of the parameters (subop 0) or the literals (subop 2). b: for the
// whole warp. `target` slots from `extra` on are offsets of functions, which an address that PTX
// has for one stands for: they are in the run's addresses from place c on.
void run_indexed_constant(Warp& w, const Instruction& i);
// d = the address of shared memory in a, of 4 bytes, whose bits from 24 on are a rank in the
// cluster; subop 0: the block's own, whatever the rank is.
void run_map_shared(Warp& w, const Instruction& i);
// d = 1 where a is b, else 0; of `width` bytes each, and where they are 8, so is d.
void run_equal(Warp& w, const Instruction& i);
// LDGSTS.ZFILL: the lower bits of a place in global memory are how many bytes of `width` are not
// read. Clears them in a, adds the immediate, and sets how many are read in d where it is not 0.
void run_fill_size(Warp& w, const Instruction& i);
// d = a predicate: whether the unit beside memory does an atomic at the generic address a. Nothing
// is done in local memory and, with subop 1, in shared memory: other instructions follow then.
void run_is_performed(Warp& w, const Instruction& i);

// ATOM.EXCH.128 and ATOM.CAS.128: slots[extra]: four of the element before, four of the value and,
// for subop compare_and_swap, four of what it is swapped for.
void run_atomic_quad(Warp& w, const Instruction& i);

// d = `count` words of the address at a + immediate in the bank of addresses. `target` pairs of
// slots from `extra` on are an offset, and a variable's index or the number of a function of the
// driver.
void run_bank_address(Warp& w, const Instruction& i);
// d = a predicate: whether the pair a is the address of one of `target` such functions, from the
// one in `immediate` on.
void run_is_function(Warp& w, const Instruction& i);
// `count` words from a on into the lanes' local memory, and d = `count` words from byte `immediate`
// of it.
void run_pass_arguments(Warp& w, const Instruction& i);
void run_take_result(Warp& w, const Instruction& i);

// Lanes. b the lane or distance; slots[extra]: clamp, then the predicate of lanes inside.
void run_machine_shuffle(Warp& w, const Instruction& i);
// a a predicate; d the ballot, slots[extra]: the predicate; subop 0 any, 1 all, 2 equal; flags bit
// 0: its result is of the warp.
void run_machine_vote(Warp& w, const Instruction& i);
void run_machine_match(Warp& w, const Instruction& i);   // slots[extra]: predicate; subop 1: all
void run_machine_reduce(Warp& w, const Instruction& i);  // subop ReduceMode; d of the warp
// d = a of the lowest lane, of the warp; slots[extra]: the predicate of lanes with another value.
void run_to_uniform(Warp& w, const Instruction& i);
void run_machine_elect(Warp& w, const Instruction& i);  // d a predicate, a: the lane, of the warp
void run_broadcast(Warp& w, const Instruction& i);      // d = a of the lowest lane, of the warp

// d = c + the bits that rows of a and columns of b both have, 256 of each. Which lane holds which
// of them: PTX ISA, "Matrix Fragments for mma.m16n8k256".
void run_bit_product(Warp& w, const Instruction& i);

// Asynchronous copies. Those of the uniform datapath are asked for once, whatever lanes come.
void run_async_barrier_once(Warp& w, const Instruction& i);
void run_bulk_load_once(Warp& w, const Instruction& i);
void run_bulk_store_once(Warp& w, const Instruction& i);
void run_bulk_pass_once(Warp& w, const Instruction& i);
void run_arrivals_of(Warp& w, const Instruction& i);  // d = arrivals that the value in a stands for
// d = the two words that a barrier with the state in a (async_barriers.h) has on a device.
void run_barrier_state(Warp& w, const Instruction& i);
void run_bulk_bytes(Warp& w, const Instruction& i);  // d = bytes of the units of 16 in a
// d = the description of a matrix in a, whose address is `immediate` units lower.
void run_descriptor(Warp& w, const Instruction& i);

// Control. d = the lanes that meet at a barrier: those that run this.
void run_note_convergence(Warp& w, const Instruction& i);
void run_break_convergence(Warp& w, const Instruction& i);
void run_reconverge(Warp& w, const Instruction& i);  // BSYNC
void run_join_warp(Warp& w, const Instruction& i);   // WARPSYNC: lanes that joined issue it again
// d = a predicate: whether lanes of the mask in a are not here.
void run_is_apart(Warp& w, const Instruction& i);
void run_any_lane(Warp& w, const Instruction& i);  // d = a predicate: whether it holds in any lane
// d = (a + immediate) / 16: the index of an instruction.
void run_code_index(Warp& w, const Instruction& i);
// d = the index of the function at the address in the pair a: the one that PTX has for it, from
// place `b` of the run's addresses on, or `immediate` bytes before its offset. The offsets are
// `target` slots from `extra` on. Another address has no index.
void run_function_index(Warp& w, const Instruction& i);

}  // namespace warpscope
