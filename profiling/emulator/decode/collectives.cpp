// profiling/emulator/decode/collectives.cpp: barriers of a block, and what the lanes of a warp do
// together.
#include "profiling/emulator/async/cluster_barrier.h"
#include "profiling/emulator/decode/decoder.h"
#include "profiling/emulator/instructions/warp_instructions.h"
#include "profiling/emulator/state/async_barriers.h"

namespace warpscope {

void Decoder::barrier(const PtxStatement& s, const Name& name) {
  Instruction i;
  if (name.has("warp")) {
    i.kind = InstructionKind::collective;
    i.run = run_warp_barrier;
    i.c = source(operand(s, 0), OperandType::b32);
    if (operand(s, 0).kind == PtxOperand::Kind::integer) i.flags |= kFlagOneMask;
    emit(i);
    return;
  }
  if (name.has("cluster")) {
    cluster_barrier(name);
    return;
  }
  i.kind = InstructionKind::barrier;
  if (name.has("red")) {
    const bool count = name.has("popc");
    i.subop = static_cast<std::uint8_t>(count             ? BarrierAction::reduce_popc
                                        : name.has("and") ? BarrierAction::reduce_and
                                                          : BarrierAction::reduce_or);
    i.d = destination(operand(s, 0), count ? OperandType::b32 : OperandType::predicate);
    i.a = source(operand(s, 1), OperandType::b32);
    if (s.count > 3) i.b = source(operand(s, 2), OperandType::b32);
    bool negated = false;
    i.c = source_predicate(operand(s, s.count - 1), &negated);
    if (negated) i.flags |= kFlagNegated;
  } else {
    i.subop =
        static_cast<std::uint8_t>(name.has("arrive") ? BarrierAction::arrive : BarrierAction::sync);
    i.a = s.count > 0 ? source(operand(s, 0), OperandType::b32) : constant(4, 0);
    if (s.count > 1) i.b = source(operand(s, 1), OperandType::b32);
  }
  emit(i);
}

void Decoder::cluster_barrier(const Name& name) {
  Instruction i;
  if (name.has("relaxed")) i.flags |= kFlagRelaxed;
  if (name.has("arrive")) {
    i.run = run_cluster_arrive;
    i.subop = name.has("aligned") ? 1 : 0;
  } else {
    i.kind = InstructionKind::cluster_wait;
  }
  emit(i);
}

// The slot of the predicate after the first result: %r1|%p1.
std::uint32_t Decoder::second_result(const PtxOperand& result) {
  return result.second.empty() || result.second == "_"
             ? 0
             : destination_named(result.second, OperandType::predicate);
}

void Decoder::shuffle(const PtxStatement& s, const Name& name, Instruction& i) {
  const PtxOperand& result = operand(s, 0);
  i.run = run_shuffle;
  i.subop = static_cast<std::uint8_t>(name.has("up")     ? ShuffleMode::up
                                      : name.has("down") ? ShuffleMode::down
                                      : name.has("bfly") ? ShuffleMode::butterfly
                                                         : ShuffleMode::index);
  i.d = destination(result, OperandType::b32);
  i.a = source(operand(s, 1), OperandType::b32);
  i.b = source(operand(s, 2), OperandType::b32);
  const std::uint32_t clamp = source(operand(s, 3), OperandType::b32);
  i.c = source(operand(s, 4), OperandType::b32);
  kernel_->slots.insert(kernel_->slots.end(), {clamp, second_result(result)});
}

void Decoder::vote(const PtxStatement& s, const Name& name, Instruction& i) {
  i.run = run_vote;
  const bool ballot = name.has("ballot");
  i.subop = static_cast<std::uint8_t>(ballot            ? VoteMode::ballot
                                      : name.has("all") ? VoteMode::all
                                      : name.has("any") ? VoteMode::any
                                                        : VoteMode::uniform);
  i.d = destination(operand(s, 0), ballot ? OperandType::b32 : OperandType::predicate);
  bool negated = false;
  i.a = source_predicate(operand(s, 1), &negated);
  if (negated) i.flags |= kFlagNegated;
  i.c = source(operand(s, 2), OperandType::b32);
}

void Decoder::match(const PtxStatement& s, const Name& name, Instruction& i) {
  i.run = run_match;
  i.subop = name.has("all") ? 1 : 0;
  const bool wide = name.type() == "b64";
  i.width = wide ? 8 : 4;
  i.d = destination(operand(s, 0), OperandType::b32);
  i.a = source(operand(s, 1), wide ? OperandType::b64 : OperandType::b32);
  i.c = source(operand(s, 2), OperandType::b32);
  kernel_->slots.push_back(second_result(operand(s, 0)));
}

void Decoder::reduce(const PtxStatement& s, const Name& name, Instruction& i) {
  i.run = run_reduce;
  i.subop = static_cast<std::uint8_t>(name.has("add")   ? ReduceMode::add
                                      : name.has("min") ? ReduceMode::minimum
                                      : name.has("max") ? ReduceMode::maximum
                                      : name.has("and") ? ReduceMode::bit_and
                                      : name.has("or")  ? ReduceMode::bit_or
                                                        : ReduceMode::bit_xor);
  if (name.type() == "s32") i.flags |= kFlagSignExtend;
  i.d = destination(operand(s, 0), OperandType::b32);
  i.a = source(operand(s, 1), OperandType::b32);
  i.c = source(operand(s, 2), OperandType::b32);
}

void Decoder::collective(const PtxStatement& s, const Name& name) {
  Instruction i;
  const std::string_view base = name.base();
  if (base == "activemask") {
    i.run = run_active_mask;
    i.d = destination(operand(s, 0), OperandType::b32);
    emit(i);
    return;
  }
  if (!name.has("sync")) {
    problem("without .sync is of devices before compute capability 7.0");
    return;
  }
  i.kind = InstructionKind::collective;
  i.width = 4;
  i.extra = static_cast<std::uint32_t>(kernel_->slots.size());
  if (base == "shfl") {
    shuffle(s, name, i);
  } else if (base == "vote") {
    vote(s, name, i);
  } else if (base == "match") {
    match(s, name, i);
  } else if (base == "redux") {
    if (name.type() == "f32") {
      problem("of f32 is of later devices");
      return;
    }
    reduce(s, name, i);
  } else {
    i.run = run_elect;
    i.d = destination(operand(s, 0), OperandType::b32);
    i.c = source(operand(s, 1), OperandType::b32);
    kernel_->slots.push_back(second_result(operand(s, 0)));
  }
  const std::uint32_t last = s.count - 1;  // the mask comes last
  if (s.count > 0 && operand(s, last).kind == PtxOperand::Kind::integer) i.flags |= kFlagOneMask;
  emit(i);
}

}  // namespace warpscope
