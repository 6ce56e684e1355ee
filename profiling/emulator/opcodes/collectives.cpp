// profiling/emulator/opcodes/collectives.cpp: barriers of a block, and what the lanes of a warp do
// together.
#include "profiling/emulator/async/cluster_barrier.h"
#include "profiling/emulator/decode/emit.h"
#include "profiling/emulator/decode/families.h"
#include "profiling/emulator/decode/operands.h"
#include "profiling/emulator/instructions/warp_instructions.h"
#include "profiling/emulator/state/async_barriers.h"

namespace warpscope {
namespace {

void decode_cluster_barrier(DecodeContext& ctx, const OpcodeName& name) {
  Instruction i;
  if (name.has("relaxed")) i.flags |= kFlagRelaxed;
  if (name.has("arrive")) {
    i.run = run_cluster_arrive;
    i.subop = name.has("aligned") ? 1 : 0;
  } else {
    i.kind = InstructionKind::cluster_wait;
  }
  emit(ctx, i);
}

// The slot of the predicate after the first result: %r1|%p1.
std::uint32_t second_result(DecodeContext& ctx, const PtxOperand& result) {
  return result.second.empty() || result.second == "_"
             ? 0
             : destination_slot(ctx, result.second, OperandType::predicate);
}

void take_shuffle(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name,
                  Instruction& i) {
  const PtxOperand& result = operand_at(ctx, s, 0);
  i.run = run_shuffle;
  i.subop = static_cast<std::uint8_t>(name.has("up")     ? ShuffleMode::up
                                      : name.has("down") ? ShuffleMode::down
                                      : name.has("bfly") ? ShuffleMode::butterfly
                                                         : ShuffleMode::index);
  i.d = destination_slot(ctx, result, OperandType::b32);
  i.a = source_slot(ctx, s, 1, OperandType::b32);
  i.b = source_slot(ctx, s, 2, OperandType::b32);
  const std::uint32_t clamp = source_slot(ctx, s, 3, OperandType::b32);
  i.c = source_slot(ctx, s, 4, OperandType::b32);
  ctx.kernel.slots.insert(ctx.kernel.slots.end(), {clamp, second_result(ctx, result)});
}

void take_vote(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name, Instruction& i) {
  i.run = run_vote;
  const bool ballot = name.has("ballot");
  i.subop = static_cast<std::uint8_t>(ballot            ? VoteMode::ballot
                                      : name.has("all") ? VoteMode::all
                                      : name.has("any") ? VoteMode::any
                                                        : VoteMode::uniform);
  i.d = destination_slot(ctx, s, 0, ballot ? OperandType::b32 : OperandType::predicate);
  bool negated = false;
  i.a = predicate_slot(ctx, operand_at(ctx, s, 1), &negated);
  if (negated) i.flags |= kFlagNegated;
  i.c = source_slot(ctx, s, 2, OperandType::b32);
}

void take_match(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name, Instruction& i) {
  i.run = run_match;
  i.subop = name.has("all") ? 1 : 0;
  const bool wide = name.type() == "b64";
  i.width = wide ? 8 : 4;
  i.d = destination_slot(ctx, s, 0, OperandType::b32);
  i.a = source_slot(ctx, s, 1, wide ? OperandType::b64 : OperandType::b32);
  i.c = source_slot(ctx, s, 2, OperandType::b32);
  ctx.kernel.slots.push_back(second_result(ctx, operand_at(ctx, s, 0)));
}

void take_reduce(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name,
                 Instruction& i) {
  i.run = run_reduce;
  i.subop = static_cast<std::uint8_t>(name.has("add")   ? ReduceMode::add
                                      : name.has("min") ? ReduceMode::minimum
                                      : name.has("max") ? ReduceMode::maximum
                                      : name.has("and") ? ReduceMode::bit_and
                                      : name.has("or")  ? ReduceMode::bit_or
                                                        : ReduceMode::bit_xor);
  if (name.type() == "s32") i.flags |= kFlagSignExtend;
  i.d = destination_slot(ctx, s, 0, OperandType::b32);
  i.a = source_slot(ctx, s, 1, OperandType::b32);
  i.c = source_slot(ctx, s, 2, OperandType::b32);
}

}  // namespace

void decode_barrier(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name) {
  Instruction i;
  if (name.has("warp")) {
    i.kind = InstructionKind::collective;
    i.run = run_warp_barrier;
    i.c = source_slot(ctx, s, 0, OperandType::b32);
    if (operand_at(ctx, s, 0).kind == PtxOperand::Kind::integer) i.flags |= kFlagOneMask;
    emit(ctx, i);
    return;
  }
  if (name.has("cluster")) {
    decode_cluster_barrier(ctx, name);
    return;
  }
  i.kind = InstructionKind::barrier;
  // bar.sync is barrier.sync.aligned.
  if (name.base() == "barrier" && !name.has("aligned")) i.flags |= kFlagOfLanes;
  if (name.has("red")) {
    const bool count = name.has("popc");
    i.subop = static_cast<std::uint8_t>(count             ? BarrierAction::reduce_popc
                                        : name.has("and") ? BarrierAction::reduce_and
                                                          : BarrierAction::reduce_or);
    i.d = destination_slot(ctx, s, 0, count ? OperandType::b32 : OperandType::predicate);
    i.a = source_slot(ctx, s, 1, OperandType::b32);
    if (s.count > 3) i.b = source_slot(ctx, s, 2, OperandType::b32);
    bool negated = false;
    i.c = predicate_slot(ctx, operand_at(ctx, s, s.count - 1), &negated);
    if (negated) i.flags |= kFlagNegated;
  } else {
    i.subop =
        static_cast<std::uint8_t>(name.has("arrive") ? BarrierAction::arrive : BarrierAction::sync);
    i.a = s.count > 0 ? source_slot(ctx, s, 0, OperandType::b32) : constant_slot(ctx, 4, 0);
    if (s.count > 1) i.b = source_slot(ctx, s, 1, OperandType::b32);
  }
  emit(ctx, i);
}

void decode_collective(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name) {
  Instruction i;
  const std::string_view base = name.base();
  if (base == "activemask") {
    i.run = run_active_mask;
    i.d = destination_slot(ctx, s, 0, OperandType::b32);
    emit(ctx, i);
    return;
  }
  if (!name.has("sync")) {
    problem(ctx, "without .sync is of devices before compute capability 7.0");
    return;
  }
  i.kind = InstructionKind::collective;
  i.width = 4;
  i.extra = static_cast<std::uint32_t>(ctx.kernel.slots.size());
  if (base == "shfl") {
    take_shuffle(ctx, s, name, i);
  } else if (base == "vote") {
    take_vote(ctx, s, name, i);
  } else if (base == "match") {
    take_match(ctx, s, name, i);
  } else if (base == "redux") {
    if (name.type() == "f32") {
      problem(ctx, "of f32 is of later devices");
      return;
    }
    take_reduce(ctx, s, name, i);
  } else {
    i.run = run_elect;
    i.d = destination_slot(ctx, s, 0, OperandType::b32);
    i.c = source_slot(ctx, s, 1, OperandType::b32);
    ctx.kernel.slots.push_back(second_result(ctx, operand_at(ctx, s, 0)));
  }
  const std::uint32_t last = s.count - 1;  // the mask comes last
  if (s.count > 0 && operand_at(ctx, s, last).kind == PtxOperand::Kind::integer)
    i.flags |= kFlagOneMask;
  emit(ctx, i);
}

}  // namespace warpscope
