// profiling/emulator/sass/decode/warp_family.cpp: special registers, exchanges between lanes, small
// matrix products.
#include <optional>

#include "profiling/emulator/instructions/warp_instructions.h"
#include "profiling/emulator/sass/decode/machine_families.h"
#include "profiling/emulator/sass/lanes/machine_runs.h"

namespace warpscope {
namespace {

struct Named {
  const char* name;
  SpecialRegister which;
  bool of_lane;  // lanes have different values
};
constexpr Named kSpecials[] = {
    {"SR_TID.X", SpecialRegister::tid_x, true},
    {"SR_TID.Y", SpecialRegister::tid_y, true},
    {"SR_TID.Z", SpecialRegister::tid_z, true},
    {"SR_CTAID.X", SpecialRegister::ctaid_x, false},
    {"SR_CTAID.Y", SpecialRegister::ctaid_y, false},
    {"SR_CTAID.Z", SpecialRegister::ctaid_z, false},
    {"SR_LANEID", SpecialRegister::laneid, true},
    {"SR_EQMASK", SpecialRegister::lanemask_eq, true},
    {"SR_LTMASK", SpecialRegister::lanemask_lt, true},
    {"SR_LEMASK", SpecialRegister::lanemask_le, true},
    {"SR_GTMASK", SpecialRegister::lanemask_gt, true},
    {"SR_GEMASK", SpecialRegister::lanemask_ge, true},
    {"SR_VIRTUALSMID", SpecialRegister::smid, false},
    {"SR_SMID", SpecialRegister::smid, false},
    // A block's own shared memory has no rank in its addresses here; see state/cluster.h.
    {"SR_CgaCtaId", SpecialRegister::zero, false},
    {"SRZ", SpecialRegister::zero, false},
};

std::uint32_t special_slot(MachineContext& ctx, SpecialRegister which) {
  if (which == SpecialRegister::zero) return ctx.layout.zero;
  const auto known = ctx.specials.find(static_cast<int>(which));
  if (known != ctx.specials.end()) return known->second;
  const std::uint32_t slot = new_slots(ctx, 1);
  ctx.kernel.specials.push_back({slot, which, 4});
  return ctx.specials[static_cast<int>(which)] = slot;
}

}  // namespace

// S2R, S2UR, CS2R.
bool decode_special(MachineContext& ctx) {
  const std::vector<MachineOperand>& all = ctx.at->operands;
  if (all.size() != 2) return problem(ctx, "the operands of " + ctx.at->text);
  const bool pair = ctx.at->name == "CS2R" && !takes(ctx, "32");
  const std::string& name = all[1].text;
  if (name == "SR_CLOCKLO") {
    Instruction i;
    i.run = run_clock;
    i.width = 4;
    i.d = destination(ctx, all[0], pair ? 2 : 1);
    if (pair) emit_extra(ctx, "move", i.d + kSlotBytes, ctx.layout.zero);
    emit(ctx, i);
    return true;
  }
  if (name == "SR_SWINHI") {
    // The upper word of generic addresses of shared memory.
    emit_row(ctx, "move", destination(ctx, all[0]), constant_slot(ctx, kSharedWindow >> 32));
    return true;
  }
  for (const Named& special : kSpecials) {
    if (name != special.name) continue;
    const std::uint32_t from = special_slot(ctx, special.which);
    const std::uint32_t d = destination(ctx, all[0], pair ? 2 : 1);
    if (pair && from != ctx.layout.zero) return problem(ctx, "the form of " + ctx.at->text);
    if (special.of_lane && all[0].kind == OperandKind::uniform) {
      Instruction i;
      i.run = run_broadcast;
      i.d = d;
      i.a = from;
      emit(ctx, i);
    } else {
      ctx.uniform = all[0].kind == OperandKind::uniform;
      emit_row(ctx, pair ? "move.pair" : "move", d, from);
    }
    return true;
  }
  return problem(ctx, "special register " + name);
}

// SHFL.IDX P0, R0, R1, lane, clamp.
bool decode_shuffle(MachineContext& ctx) {
  const std::vector<MachineOperand>& all = ctx.at->operands;
  constexpr ShuffleMode kModes[] = {ShuffleMode::index, ShuffleMode::up, ShuffleMode::down,
                                    ShuffleMode::butterfly};
  const int mode = takes_one(ctx, {"IDX", "UP", "DOWN", "BFLY"});
  if (mode < 0 || all.size() != 5) return problem(ctx, "the form of " + ctx.at->text);
  Instruction i;
  i.run = run_machine_shuffle;
  i.subop = static_cast<std::uint8_t>(kModes[mode]);
  i.width = 4;
  i.d = destination(ctx, all[1]);
  i.a = source(ctx, all[2]);
  i.b = source(ctx, all[3]);
  i.c = constant_slot(ctx, kAllLanes);
  const std::uint32_t inside = predicate_destination(ctx, all[0]);
  i.extra = add_slots(ctx, {source(ctx, all[4]), inside});
  emit(ctx, i);
  return true;
}

// VOTE.ANY R0, P0, P1: the ballot, and whether any is true; VOTE.ALL P0, P1. VOTEU: of the warp.
bool decode_vote(MachineContext& ctx) {
  const std::vector<MachineOperand>& all = ctx.at->operands;
  const int mode = takes_one(ctx, {"ANY", "ALL", "EQ"});
  if (mode < 0 || all.size() < 2 || all.size() > 3)
    return problem(ctx, "the form of " + ctx.at->text);
  const MachineOperand& from = all.back();
  Instruction i;
  i.run = run_machine_vote;
  i.subop = static_cast<std::uint8_t>(mode);
  i.a = predicate_source(ctx, from);
  if (from.complement) i.flags |= kFlagNegated;
  if (ctx.at->name == "VOTEU") i.flags |= kFlagOneMask;
  std::size_t k = 0;
  if (all.size() == 3) i.d = destination(ctx, all[k++]);
  i.extra = add_slots(ctx, {predicate_destination(ctx, all[k])});
  emit(ctx, i);
  return true;
}

// MATCH.ANY R0, R1; MATCH.ALL P0, R0, R1.
bool decode_match(MachineContext& ctx) {
  const std::vector<MachineOperand>& all = ctx.at->operands;
  const int mode = takes_one(ctx, {"ANY", "ALL"});
  const bool predicate = !all.empty() && all[0].is_predicate();
  if (mode < 0 || all.size() != (predicate ? 3u : 2u))
    return problem(ctx, "the form of " + ctx.at->text);
  Instruction i;
  i.run = run_machine_match;
  i.subop = static_cast<std::uint8_t>(mode);
  i.width = 4;
  const std::size_t k = predicate ? 1 : 0;
  i.d = destination(ctx, all[k]);
  i.a = source(ctx, all[k + 1]);
  i.extra = add_slots(ctx, {predicate ? predicate_destination(ctx, all[0]) : 0});
  emit(ctx, i);
  return true;
}

bool decode_reduce(MachineContext& ctx) {
  const std::vector<MachineOperand>& all = ctx.at->operands;
  constexpr ReduceMode kModes[] = {ReduceMode::add,     ReduceMode::minimum, ReduceMode::maximum,
                                   ReduceMode::bit_and, ReduceMode::bit_or,  ReduceMode::bit_xor};
  const int mode = takes_one(ctx, {"SUM", "MIN", "MAX", "AND", "OR", "XOR"});
  if (all.size() != 2) return problem(ctx, "the form of " + ctx.at->text);
  Instruction i;
  i.run = run_machine_reduce;
  // REDUX alone is of bits, all of them.
  i.subop = static_cast<std::uint8_t>(mode < 0 ? ReduceMode::bit_and : kModes[mode]);
  if (mode < 0) return problem(ctx, "the form of " + ctx.at->text);
  if (takes(ctx, "S32")) i.flags |= kFlagSignExtend;
  i.d = destination(ctx, all[0]);
  i.a = source(ctx, all[1]);
  emit(ctx, i);
  return true;
}

// R2UR [P0,] UR0, R0: of the lowest lane; P0: lanes with another value.
bool decode_to_uniform(MachineContext& ctx) {
  const std::vector<MachineOperand>& all = ctx.at->operands;
  const std::size_t k = !all.empty() && all[0].is_predicate() ? 1 : 0;
  if (all.size() != k + 2) return problem(ctx, "the operands of " + ctx.at->text);
  Instruction i;
  i.run = run_to_uniform;
  i.d = destination(ctx, all[k]);
  i.a = source(ctx, all[k + 1]);
  i.extra = add_slots(ctx, {k == 1 ? predicate_destination(ctx, all[0]) : ctx.layout.no_predicate});
  emit(ctx, i);
  return true;
}

bool decode_elect(MachineContext& ctx) {
  const std::vector<MachineOperand>& all = ctx.at->operands;
  if (all.size() != 3 || all[1].text != "URZ" || all[2].text != "PT")
    return problem(ctx, "the operands of " + ctx.at->text);
  Instruction i;
  i.run = run_machine_elect;
  i.d = predicate_destination(ctx, all[0]);
  emit(ctx, i);
  return true;
}

// HMMA.16816.F32.BF16, IMMA.16816.S8.S8, DMMA.884.
bool decode_matrix_product(MachineContext& ctx) {
  const SplitOperands o = split_operands(ctx);
  struct Size {
    const char* name;
    int m, n, k;
  };
  constexpr Size kSizes[] = {{"1688", 16, 8, 8}, {"16816", 16, 8, 16}, {"1684", 16, 8, 4}};
  MatrixShape shape;
  for (const Size& size : kSizes) {
    if (!takes(ctx, size.name)) continue;
    shape.m = size.m;
    shape.n = size.n;
    shape.k = size.k;
  }
  if (shape.m == 0 || ctx.at->name != "HMMA") return problem(ctx, "the form of " + ctx.at->text);
  const bool wide = takes(ctx, "F32");
  shape.c = shape.d = wide ? MatrixType::f32 : MatrixType::f16;
  if (takes(ctx, "BF16")) shape.a = shape.b = MatrixType::bf16;
  if (takes(ctx, "TF32")) shape.a = shape.b = MatrixType::tf32;
  if (!wide) takes(ctx, "F16");
  if (!has(ctx, o, 3, 0, 0)) return false;
  Instruction i;
  i.run = run_multiply_matrices;
  i.immediate = pack(shape);
  i.extra = static_cast<std::uint32_t>(ctx.kernel.slots.size());
  const auto add = [&](std::uint32_t first, bool zero, int count) {
    for (int k = 0; k < count; ++k) {
      ctx.kernel.slots.push_back(zero ? first : first + static_cast<std::uint32_t>(k) * kSlotBytes);
    }
  };
  add(destination(ctx, *o.result, shape.registers(0)), false, shape.registers(0));
  for (int k = 0; k < 3; ++k) {
    const MachineOperand& s = *o.sources[static_cast<std::size_t>(k)];
    const std::uint32_t slot = source(ctx, s, kPlain, shape.registers(k + 1));
    add(slot, slot == ctx.layout.zero, shape.registers(k + 1));
  }
  emit(ctx, i);
  return true;
}

}  // namespace warpscope
