// profiling/emulator/sass/decode/control_family.cpp: branches, calls, convergence barriers and
// barriers of the block.
#include <utility>

#include "profiling/emulator/async/bulk_copy.h"
#include "profiling/emulator/instructions/warp_instructions.h"
#include "profiling/emulator/sass/decode/machine_families.h"
#include "profiling/emulator/sass/lanes/machine_runs.h"
#include "scenes/base/texts/machine_code.h"

namespace warpscope {
namespace {

void narrow_guard(MachineContext& ctx, const MachineOperand& o) {
  narrow_guard(ctx, predicate_source(ctx, o), o.complement ? kAllLanes : 0);
}

bool jump_to(MachineContext& ctx, const MachineOperand& o) {
  Instruction i;
  i.kind = InstructionKind::branch;
  std::uint32_t target = 0;
  if (o.kind == OperandKind::integer) {
    target = static_cast<std::uint32_t>(o.value);
  } else {
    const auto label = ctx.function.labels.find(o.text);
    if (o.kind != OperandKind::label || label == ctx.function.labels.end())
      return problem(ctx, "target " + o.text);
    target = label->second;
  }
  ctx.jumps.push_back({static_cast<std::uint32_t>(ctx.kernel.code.size()), target});
  emit(ctx, i);
  return true;
}

// CALL.REL.NOINC R8 `(kernel): to the function whose address a pair of registers holds, among those
// that the kernel's section has. What it returns to is in other registers.
bool call_by_register(MachineContext& ctx, const MachineOperand& address,
                      const MachineOperand& base) {
  const auto label = ctx.function.labels.find(base.text);
  if (base.kind != OperandKind::label || label == ctx.function.labels.end())
    return problem(ctx, "operand " + base.text);
  const std::vector<CalledFunction> functions = called_functions(ctx.function);
  Instruction index;
  index.run = run_function_index;
  index.a = source(ctx, address, kPlain, 2);
  index.b = static_cast<std::uint32_t>(ctx.image.variables.size());
  index.d = ctx.layout.index;
  index.immediate = label->second;
  index.target = static_cast<std::uint32_t>(functions.size());
  index.extra = static_cast<std::uint32_t>(ctx.kernel.slots.size());
  for (const CalledFunction& f : functions) ctx.kernel.slots.push_back(f.offset);
  emit(ctx, index).counted = 0;
  Instruction i;
  i.kind = InstructionKind::branch_table;
  i.a = ctx.layout.index;
  ctx.tables.push_back(static_cast<std::uint32_t>(ctx.kernel.code.size()));
  emit(ctx, i);
  return true;
}

}  // namespace

// BRA, BRA.DIV, BRA.U.ANY, CALL.REL.
bool decode_branch(MachineContext& ctx) {
  std::vector<const MachineOperand*> conditions;
  for (const MachineOperand& o : ctx.at->operands) conditions.push_back(&o);
  if (conditions.empty()) return problem(ctx, "the operands of " + ctx.at->text);
  const MachineOperand& target = *conditions.back();
  conditions.pop_back();
  if (ctx.at->name == "CALL") {
    ignores(ctx, {"REL", "NOINC"});
    if (conditions.size() == 1 && conditions[0]->kind == OperandKind::general)
      return call_by_register(ctx, *conditions[0], target);
    if (!conditions.empty()) return problem(ctx, "the operands of " + ctx.at->text);
    if (takes(ctx, "ABS")) return call_system_function(ctx, target);
    return jump_to(ctx, target);
  }
  if (takes(ctx, "DIV")) {
    // Taken where lanes of the mask are not here. With a guard, only lanes that it holds in go.
    // Without a mask, or with ~URZ, all lanes are meant.
    if (conditions.size() > 1) return problem(ctx, "the operands of " + ctx.at->text);
    const bool all = conditions.empty() || conditions[0]->text == "~URZ";
    Instruction apart;
    apart.run = run_is_apart;
    apart.a = all ? constant_slot(ctx, kAllLanes, 1) : source(ctx, *conditions[0]);
    apart.d = scratch_predicate(ctx, 1);
    const std::uint32_t guard = std::exchange(ctx.guard, 0),
                        flip = std::exchange(ctx.guard_flip, 0);
    emit(ctx, apart).counted = 0;
    ctx.guard = guard;
    ctx.guard_flip = flip;
    narrow_guard(ctx, scratch_predicate(ctx, 1), 0);
    return jump_to(ctx, target);
  }
  for (const MachineOperand* o : conditions) {
    if (!o->is_predicate()) return problem(ctx, "operand " + o->text);
    narrow_guard(ctx, *o);
  }
  if (takes(ctx, "U")) {
    // All lanes go where one of them does.
    if (takes(ctx, "ANY") && ctx.guard != 0) {
      Instruction any;
      any.run = run_any_lane;
      any.a = ctx.guard;
      any.flags = ctx.guard_flip != 0 ? kFlagNegated : 0;
      any.d = scratch_predicate(ctx, 1);
      ctx.guard = ctx.guard_flip = 0;
      emit(ctx, any).counted = 0;
      ctx.guard = scratch_predicate(ctx, 1);
    }
  }
  return jump_to(ctx, target);
}

// RET.REL R4 `(function), BRX R4 -0x20 and BRXU UR4 -0x20: to where a register says.
bool decode_branch_by_register(MachineContext& ctx) {
  const std::vector<MachineOperand>& all = ctx.at->operands;
  const OperandKind kind = ctx.at->name == "BRXU" ? OperandKind::uniform : OperandKind::general;
  if (all.size() != 2 || all[0].kind != kind)
    return problem(ctx, "the operands of " + ctx.at->text);
  Instruction index;
  index.run = run_code_index;
  index.a = source(ctx, all[0]);
  index.d = ctx.layout.index;
  if (ctx.at->name == "RET") {
    ignores(ctx, {"REL", "NODEC"});
    const auto label = ctx.function.labels.find(all[1].text);
    if (label == ctx.function.labels.end()) return problem(ctx, "operand " + all[1].text);
    index.immediate = label->second;
  } else {
    if (all[1].kind != OperandKind::integer) return problem(ctx, "operand " + all[1].text);
    index.immediate =
        static_cast<std::int64_t>(ctx.at->offset) + kMachineInstructionBytes + all[1].value;
  }
  emit(ctx, index).counted = 0;
  Instruction i;
  i.kind = InstructionKind::branch_table;
  i.a = ctx.layout.index;
  ctx.tables.push_back(static_cast<std::uint32_t>(ctx.kernel.code.size()));
  emit(ctx, i);
  return true;
}

bool decode_exit(MachineContext& ctx) {
  for (const MachineOperand& o : ctx.at->operands) {
    if (!o.is_predicate()) return problem(ctx, "operand " + o.text);
    narrow_guard(ctx, o);
  }
  Instruction i;
  i.kind = InstructionKind::exit;
  emit(ctx, i);
  return true;
}

// BSSY, BSYNC, BREAK, WARPSYNC.
bool decode_convergence(MachineContext& ctx) {
  const std::string& name = ctx.at->name;
  const std::vector<MachineOperand>& all = ctx.at->operands;
  Instruction i;
  if (name == "WARPSYNC") {
    i.kind = InstructionKind::collective;
    i.run = run_join_warp;
    // COLLECTIVE names where the joined lanes go on: right after ENDCOLLECTIVE.
    const std::size_t labels = takes(ctx, "COLLECTIVE") ? 1 : 0;
    if (takes(ctx, "ALL")) {
      if (all.size() != labels) return problem(ctx, "the operands of " + ctx.at->text);
      i.c = constant_slot(ctx, kAllLanes);
    } else {
      if (all.empty() || all.size() > 2) return problem(ctx, "the operands of " + ctx.at->text);
      i.c = source(ctx, all[0]);
    }
    emit(ctx, i);
    return true;
  }
  // Since compute capability 10.0 a region is marked by what ptxas knows of it: that all of its
  // lanes come together (RECONVERGENT), or that some leave by BREAK (RELIABLE). Both do what they
  // did before without a mark.
  if (ctx.image.compute_capability >= kFirstBlackwell) takes_one(ctx, {"RECONVERGENT", "RELIABLE"});
  const MachineOperand* barrier = nullptr;
  for (const MachineOperand& o : all) {
    if (o.kind == OperandKind::barrier) barrier = &o;
  }
  if (barrier == nullptr) return problem(ctx, "the operands of " + ctx.at->text);
  const std::uint32_t slot =
      ctx.layout.barriers + static_cast<std::uint32_t>(barrier->number) * kSlotBytes;
  if (name == "BSYNC") {
    i.kind = InstructionKind::collective;
    i.run = run_reconverge;
    i.c = slot;
    i.width = static_cast<std::uint8_t>(16 + barrier->number);  // tells barriers apart
    if (all.size() != 1) return problem(ctx, "the operands of " + ctx.at->text);
  } else {
    i.run = name == "BSSY" ? run_note_convergence : run_break_convergence;
    i.d = slot;
    for (const MachineOperand& o : all) {
      if (o.is_predicate()) narrow_guard(ctx, o);
    }
  }
  emit(ctx, i);
  return true;
}

// BMOV.32.CLEAR R16, B6 and BMOV.32 B6, R16: functions that call themselves keep a barrier's lanes.
bool decode_barrier_move(MachineContext& ctx) {
  const std::vector<MachineOperand>& all = ctx.at->operands;
  const bool clears = takes(ctx, "CLEAR");
  if (!takes(ctx, "32") || all.size() != 2) return problem(ctx, "the form of " + ctx.at->text);
  const bool to_barrier = all[0].kind == OperandKind::barrier;
  const MachineOperand &barrier = all[to_barrier ? 0 : 1], &other = all[to_barrier ? 1 : 0];
  if (barrier.kind != OperandKind::barrier || (to_barrier && clears))
    return problem(ctx, "the operands of " + ctx.at->text);
  const std::uint32_t slot =
      ctx.layout.barriers + static_cast<std::uint32_t>(barrier.number) * kSlotBytes;
  if (to_barrier) {
    emit_row(ctx, "move", slot, source(ctx, other));
    return true;
  }
  emit_row(ctx, "move", destination(ctx, other), slot);
  if (clears) emit_extra(ctx, "move", slot, ctx.layout.zero);
  return true;
}

// Whether the lanes of a warp were collected for what follows: ptxas makes so of a barrier that
// lanes may come to one by one.
bool follows_collection(const MachineContext& ctx) {
  const std::vector<MachineInstruction>& code = ctx.function.code;
  for (std::size_t k = ctx.at->offset / kMachineInstructionBytes; k-- > 0;) {
    const MachineInstruction& i = code[k];
    if (i.name == "WARPSYNC") return i.text.find("COLLECTIVE") != std::string::npos;
    if (i.name == "ENDCOLLECTIVE" || i.name == "BRA") return false;
  }
  return false;
}

// BAR.SYNC, BAR.ARV, BAR.RED; B2R.RESULT takes what the latter found.
bool decode_barrier(MachineContext& ctx) {
  const std::vector<MachineOperand>& all = ctx.at->operands;
  if (ctx.at->name == "B2R") {
    if (!takes(ctx, "RESULT") || all.empty() || all.size() > 2)
      return problem(ctx, "the form of " + ctx.at->text);
    emit_row(ctx, "move", destination(ctx, all[0]), ctx.layout.votes);
    if (all.size() == 2) {
      Instruction& i = emit_extra(ctx, "logic.predicates", predicate_destination(ctx, all[1]), 0);
      i.immediate = std::int64_t{0xf0} << kSubopShift;
      i.extra = add_slots(ctx, {ctx.layout.no_predicate, scratch_predicate(ctx, 4),
                                ctx.layout.always, ctx.layout.always});
    }
    return true;
  }
  takes(ctx, "DEFER_BLOCKING");
  Instruction i;
  i.kind = InstructionKind::barrier;
  if (follows_collection(ctx)) i.flags |= kFlagOfLanes;
  BarrierAction action = BarrierAction::sync;
  const int kind = takes_one(ctx, {"SYNC", "ARV", "RED"});
  if (kind < 0 || all.empty()) return problem(ctx, "the form of " + ctx.at->text);
  if (kind == 1) action = BarrierAction::arrive;
  std::size_t values = all.size();
  if (kind == 2) {
    const int how = takes_one(ctx, {"POPC", "AND", "OR"});
    if (how < 0 || !all.back().is_predicate()) return problem(ctx, "the form of " + ctx.at->text);
    action = how == 0   ? BarrierAction::reduce_popc
             : how == 1 ? BarrierAction::reduce_and
                        : BarrierAction::reduce_or;
    i.c = predicate_source(ctx, all.back());
    if (all.back().complement) i.flags |= kFlagNegated;
    i.d = how == 0 ? ctx.layout.votes : scratch_predicate(ctx, 4);
    --values;
  }
  if (values > 2) return problem(ctx, "the operands of " + ctx.at->text);
  i.a = source(ctx, all[0]);
  if (values == 2) i.b = source(ctx, all[1]);
  // One register holds both: the barrier in four bits, and the threads from bit 16 on.
  if (values == 2 && all[0].kind == OperandKind::general && all[1].kind == OperandKind::general) {
    if (i.a != i.b) return problem(ctx, "the operands of " + ctx.at->text);
    constexpr std::uint64_t kBarrier = 15, kBelowThreads = 16;
    const std::uint32_t both = i.a;
    i.a = new_slots(ctx, 1);
    i.b = new_slots(ctx, 1);
    emit_extra(ctx, "logic.192", i.a, both, constant_slot(ctx, kBarrier), ctx.layout.zero);
    emit_extra(ctx, "shift.R.U32.HI", i.b, ctx.layout.zero, constant_slot(ctx, kBelowThreads),
               both);
  }
  i.subop = static_cast<std::uint8_t>(action);
  emit(ctx, i);
  return true;
}

// BPT.TRAP: trap, and __trap().
bool decode_trap(MachineContext& ctx) {
  if (!takes(ctx, "TRAP")) return problem(ctx, "the form of " + ctx.at->text);
  Instruction i;
  i.kind = InstructionKind::trap;
  emit(ctx, i);
  return true;
}

// What changes nothing that is emulated, and the waits of copies to shared memory.
bool decode_nothing(MachineContext& ctx) {
  const std::string& name = ctx.at->name;
  Instruction i;
  i.run = run_nothing;
  if (name == "LDGDEPBAR") i.run = run_async_commit;
  if (name == "DEPBAR" && takes(ctx, "LE") && ctx.at->operands.size() >= 2 &&
      ctx.at->operands[0].text == "SB0") {
    i.kind = InstructionKind::async_wait;
    i.immediate = ctx.at->operands[1].value;
    if (ctx.ends_bulk_groups) {
      Instruction bulk;
      bulk.run = run_bulk_wait;
      bulk.immediate = i.immediate;
      emit(ctx, bulk).counted = 0;
    }
  }
  if (name == "UTMACCTL") ignores(ctx, {"IV", "PF"});
  if (name == "CCTL") ignores(ctx, {"IVALL", "E", "PF1", "PF2", "IV"});
  if (name == "NANOSLEEP" || name == "NOP") ctx.left.clear();
  emit(ctx, i);
  return true;
}

bool decode_fence(MachineContext& ctx) {
  Instruction i;
  i.run = run_fence;
  if (ctx.at->name == "FENCE") {
    if (!takes(ctx, "VIEW") || !takes(ctx, "ASYNC"))
      return problem(ctx, "the form of " + ctx.at->text);
    ignores(ctx, {"S", "G", "T"});
    i.run = run_proxy_fence;
  } else {
    ignores(ctx, {"SC", "ALL"});
    const int scope = takes_one(ctx, {"CTA", "GPU", "SYS", "VC"});
    i.subop = scope == 0 ? 0 : 1;
  }
  emit(ctx, i);
  return true;
}

}  // namespace warpscope
