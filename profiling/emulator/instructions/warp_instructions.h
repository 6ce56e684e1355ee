// profiling/emulator/instructions/warp_instructions.h: atomics, exchanges between lanes, copies,
// matrices.
#pragma once

#include "profiling/emulator/state/worker.h"

namespace warpscope {

enum class AtomicOperation : std::uint8_t {
  add,
  minimum,
  maximum,
  increment,
  decrement,
  exchange,
  compare_and_swap,
  bit_and,
  bit_or,
  bit_xor,
};
enum class AtomicType : std::uint8_t {
  u16,
  u32,
  s32,
  u64,
  s64,
  f32,
  f64,
  f16,
  bf16,
  f16x2,
  bf16x2
};

// slots[extra …]: `count` destinations, then `count` operands, then the second of cas.
RunInstruction run_of_atomic(AtomicType type);
// Combines elements side by side in memory: to[k] = op(to[k], from[k]). Not `alone`: other threads
// of the host may reach them too.
void reduce_bytes(AtomicType type, AtomicOperation op, std::byte* to, const std::byte* from,
                  std::size_t bytes, bool alone);

enum class ShuffleMode : std::uint8_t { up, down, butterfly, index };
enum class VoteMode : std::uint8_t { all, any, uniform, ballot };
enum class ReduceMode : std::uint8_t { add, minimum, maximum, bit_and, bit_or, bit_xor };

// Collectives publish what their lanes bring, then read what all brought: lanes may come from
// several divergent paths. Instruction::c is the slot of the lane mask. Between the two calls
// Warp::mask is the path's and Warp::exchange_mask the lanes of all paths.
//
// d result, a value; shuffles: b lane or distance, extra the clamp, slots[extra] … see decode.
void publish(Warp& warp, const Instruction& i);
void run_shuffle(Warp& warp, const Instruction& i);  // slots[extra]: clamp; [extra+1]: predicate
void run_vote(Warp& warp, const Instruction& i);
void run_match(Warp& warp, const Instruction& i);   // subop 0 any, 1 all; width 4 or 8
void run_reduce(Warp& warp, const Instruction& i);  // flags: kFlagSignExtend for s32
void run_warp_barrier(Warp& warp, const Instruction& i);
void run_active_mask(Warp& warp, const Instruction& i);
void run_elect(Warp& warp, const Instruction& i);  // slots[extra]: predicate

void run_nothing(Warp& warp, const Instruction& i);
void run_fence(Warp& warp, const Instruction& i);
void run_proxy_fence(Warp& warp, const Instruction& i);  // fence.proxy.async
void run_clock(Warp& warp, const Instruction& i);        // width 4 or 8
void run_sleep(Warp& warp, const Instruction& i);        // a nanoseconds
void run_to_window(Warp& warp, const Instruction& i);    // cvta and cvta.to of windows
void run_is_space(Warp& warp, const Instruction& i);     // isspacep; subop 1: shared::cluster
// mapa and getctarank: a address, b rank; width 4 or 8, space generic or shared.
void run_map_address(Warp& warp, const Instruction& i);
void run_rank_of_address(Warp& warp, const Instruction& i);
void run_negate_lanes(Warp& warp, const Instruction& i);

// cp.async: a address in shared memory, b in global, slots[extra]: source bytes or 0; width bytes.
void run_async_copy(Warp& warp, const Instruction& i);
void run_async_commit(Warp& warp, const Instruction& i);

// ldmatrix, stmatrix: a address, slots[extra …] registers, count 1, 2 or 4, subop 1: transposed.
void run_load_matrix(Warp& warp, const Instruction& i);
void run_store_matrix(Warp& warp, const Instruction& i);
// movmatrix: a and d the rows of a matrix in the registers of the warp's lanes.
void run_transpose_matrix(Warp& warp, const Instruction& i);

// mma: slots[extra …]: D, A, B, C as many as MatrixShape says; see matrix_products.cpp.
enum class MatrixType : std::uint8_t { f16, bf16, tf32, f32, f64, s8, u8, s32 };
struct MatrixShape {
  int m = 0, n = 0, k = 0;
  MatrixType a = MatrixType::f16, b = MatrixType::f16, c = MatrixType::f32, d = MatrixType::f32;
  bool a_rows = true, b_columns = true;  // layouts: row.col
  bool saturate = false;
  int registers(int which) const;  // of D, A, B, C in a lane
};
// The shape packed in Instruction::immediate.
std::int64_t pack(const MatrixShape& shape);
MatrixShape unpack(std::int64_t packed);
void run_multiply_matrices(Warp& warp, const Instruction& i);

// wmma: PTX leaves open which lane holds which element. Here a fragment of r × c elements lies in
// the order of its layout (accumulators: row by row), r·c/32 to a lane; registers beyond those
// repeat them. slots[extra …]: registers of the fragment, then the stride (0: none).
struct Fragment {
  int rows = 0, columns = 0;
  MatrixType type = MatrixType::f16;
  bool by_rows = true;  // in memory
  bool accumulator = false;
};
std::int64_t pack(const Fragment& fragment);
Fragment unpack_fragment(std::int64_t packed);
void run_load_fragment(Warp& warp, const Instruction& i);
void run_store_fragment(Warp& warp, const Instruction& i);
// slots[extra …]: counts of D, A, B, C, then their registers.
void run_multiply_fragments(Warp& warp, const Instruction& i);

}  // namespace warpscope
