// profiling/emulator/decode/families.h: a function for each family of opcodes, by the file of
// opcodes/ it stands in. Each adds the instructions of one statement, or reports a problem
// (emit.h).
#pragma once

#include "profiling/emulator/decode/context.h"
#include "profiling/emulator/decode/opcode_name.h"

namespace warpscope {

// arithmetic.cpp: setp, sums with a carry, and all that has a row in the opcode table.
void decode_arithmetic(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name);

// conversions.cpp: cvt; mov; cvta and isspacep; mapa and getctarank.
void decode_conversion(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name);
void decode_move(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name);
void decode_address_conversion(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name);
void decode_cluster_address(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name);

// branches_and_calls.cpp: bra, brx, ret, exit, trap; call, whose function takes its place.
void decode_branch(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name);
void decode_call(DecodeContext& ctx, const PtxStatement& s);

// memory.cpp: ld, ldu, st; atom, red.
void decode_load_store(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name);
void decode_atomic(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name);

// collectives.cpp: bar and barrier; shfl, vote, match, redux, activemask, elect.
void decode_barrier(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name);
void decode_collective(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name);

// async.cpp: cp.async; mbarrier; cp.async.mbarrier.arrive.
void decode_async_copy(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name);
void decode_async_barrier(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name);
void decode_arrive_after_copies(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name);

// bulk.cpp: cp.async.bulk and cp.reduce.async.bulk; st.async and red.async; tensormap.
void decode_bulk_copy(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name);
void decode_async_store(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name);
void decode_tensor_map_edit(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name);

// matrix.cpp: ldmatrix, stmatrix, movmatrix, mma; wmma.
void decode_matrix(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name);
void decode_wmma(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name);

// warpgroup.cpp: wgmma; setmaxnreg.
void decode_warpgroup(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name);
void decode_register_change(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name);
// The registers that any statement names, where products may be under way.
void note_registers(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name);

// video/decoding.cpp: vadd, vset2, vabsdiff4 and their like; cvt.pack.
bool is_video(const OpcodeName& name);
void decode_video(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name);
void decode_saturated_pack(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name);

}  // namespace warpscope
