// profiling/emulator/sass/decode/warp_family.cpp: special registers, exchanges between lanes, small
// matrix products.
#include <optional>

#include "profiling/emulator/instructions/warp_instructions.h"
#include "profiling/emulator/sass/decode/machine_families.h"
#include "profiling/emulator/sass/lanes/machine_runs.h"
#include "profiling/emulator/sass/live/register_uses.h"

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
    {"SR_CgaCtaId", SpecialRegister::cluster_ctarank, false},
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

// Whether what is read of SR_CgaSize is only multiplied by −0xa0, by which ptxas finds words of the
// launch: see is_by_cluster_size. Its value itself is not known.
bool only_finds_words(const MachineContext& ctx) {
  const MachineOperand& to = ctx.at->operands[0];
  if (to.kind != OperandKind::general || to.number == kZeroRegister) return false;
  const auto place = static_cast<std::size_t>(to.number);
  const std::vector<MachineInstruction>& code = ctx.function.code;
  bool multiplied = false;
  for (std::size_t k = ctx.at->offset / kMachineInstructionBytes + 1; k < code.size(); ++k) {
    const MachineInstruction& i = code[k];
    const RegisterUses uses = register_uses(i);
    if (uses.reads[place]) {
      const std::vector<MachineOperand>& all = i.operands;
      if (i.name != "IMAD" || !i.modifiers.empty() || all.size() != 4 ||
          all[2].kind != OperandKind::integer || all[2].value != -0xa0 || all[3].text != "RZ")
        return false;
      multiplied = true;
    }
    if (uses.writes[place] && !uses.conditional) break;
  }
  return multiplied;
}

}  // namespace

// S2R, S2UR, CS2R.
bool decode_special(MachineContext& ctx) {
  const std::vector<MachineOperand>& all = ctx.at->operands;
  if (all.size() != 2) return problem(ctx, "the operands of " + ctx.at->text);
  const bool pair = ctx.at->name == "CS2R" && !takes(ctx, "32");
  const std::string& name = all[1].text;
  if (name == "SR_CLOCKLO" || name == "SR_GLOBALTIMERLO") {
    Instruction i;
    i.run = run_clock;
    i.width = pair ? 8 : 4;
    const std::uint32_t d = destination(ctx, all[0], pair ? 2 : 1);
    i.d = pair ? ctx.layout.scratch : d;
    emit(ctx, i);
    if (pair) emit_parted(ctx, d, i.d);
    return true;
  }
  if (name == "SR_CgaSize" && !pair && only_finds_words(ctx)) {
    emit_row(ctx, "move", destination(ctx, all[0]), ctx.layout.zero);
    return true;
  }
  if (name == "SR_SWINHI") {
    // The upper word of generic addresses of shared memory.
    emit_row(ctx, "move", destination(ctx, all[0]), constant_slot(ctx, kSharedWindow >> 32));
    return true;
  }
  for (Named special : kSpecials) {
    if (name != special.name) continue;
    // Addresses of shared memory are made of it.
    if (special.which == SpecialRegister::cluster_ctarank && !in_clusters(ctx))
      special.which = SpecialRegister::zero;
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
  const bool wide = takes(ctx, "U64");
  i.width = wide ? 8 : 4;
  const std::size_t k = predicate ? 1 : 0;
  i.d = destination(ctx, all[k]);
  i.a = source(ctx, all[k + 1], kPlain, wide ? 2 : 1);
  if (wide) {
    emit_joined(ctx, ctx.layout.scratch, i.a);
    i.a = ctx.layout.scratch;
  }
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
  // Without a name it is the bits that all lanes have.
  i.subop = static_cast<std::uint8_t>(mode < 0 ? ReduceMode::bit_and : kModes[mode]);
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
  takes(ctx, "BROADCAST");  // of the one lane that was elected: the same here
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
  if (all.size() != 3 || all[1].kind != OperandKind::uniform || all[2].text != "PT")
    return problem(ctx, "the operands of " + ctx.at->text);
  Instruction i;
  i.run = run_machine_elect;
  i.a = destination(ctx, all[1]);
  i.d = predicate_destination(ctx, all[0]);
  emit(ctx, i);
  return true;
}

namespace {

struct ProductSize {
  const char* name;
  int m, n, k;
};
constexpr ProductSize kProductSizes[] = {
    {"1688", 16, 8, 8},   {"16816", 16, 8, 16}, {"1684", 16, 8, 4},
    {"16832", 16, 8, 32}, {"8816", 8, 8, 16},   {"8x8x4", 8, 8, 4},
    {"16x8x4", 16, 8, 4}, {"16x8x8", 16, 8, 8}, {"16x8x16", 16, 8, 16}};

// The types of the elements; false: a problem.
bool take_product_types(MachineContext& ctx, MatrixShape& shape) {
  if (ctx.at->name == "DMMA") {
    shape.a = shape.b = shape.c = shape.d = MatrixType::f64;
    return true;
  }
  if (ctx.at->name == "IMMA") {
    shape.c = shape.d = MatrixType::s32;
    for (MatrixType* const type : {&shape.a, &shape.b}) {
      if (ctx.left.empty() || (ctx.left[0] != "S8" && ctx.left[0] != "U8"))
        return problem(ctx, "the form of " + ctx.at->text);
      *type = ctx.left[0] == "S8" ? MatrixType::s8 : MatrixType::u8;
      ctx.left.erase(ctx.left.begin());
    }
    shape.saturate = takes(ctx, "SAT");
    return true;
  }
  const bool wide = takes(ctx, "F32");
  shape.c = shape.d = wide ? MatrixType::f32 : MatrixType::f16;
  if (takes(ctx, "BF16")) shape.a = shape.b = MatrixType::bf16;
  if (takes(ctx, "TF32")) shape.a = shape.b = MatrixType::tf32;
  if (!wide) takes(ctx, "F16");
  return true;
}

// The registers of a matrix as the product reads them: of doubles, pairs that were joined.
void add_matrix(MachineContext& ctx, std::vector<std::uint32_t>& slots, const MachineOperand& o,
                const MatrixShape& shape, int which) {
  const int registers = shape.registers(which);
  const bool wide = shape.d == MatrixType::f64;
  const char* const part = which == 1 ? "ROW" : which == 2 ? "COL" : "";
  MachineOperand plain = o;
  if (plain.parts.size() == 1 && plain.parts[0] == part) plain.parts.clear();
  const std::uint32_t first = source(ctx, plain, kPlain, wide ? 2 * registers : registers);
  const bool zero = first == ctx.layout.zero;
  for (int k = 0; k < registers; ++k) {
    const std::uint32_t at =
        zero ? first : first + static_cast<std::uint32_t>(wide ? 2 * k : k) * kSlotBytes;
    if (!wide) {
      slots.push_back(at);
      continue;
    }
    slots.push_back(new_slots(ctx, 2));
    emit_joined(ctx, slots.back(), at);
  }
}

}  // namespace

// HMMA.16816.F32.BF16 R0, R4, R8, R0; IMMA.16832.S8.S8 R0, R4.ROW, R8.COL, R0; DMMA.16x8x4.
bool decode_matrix_product(MachineContext& ctx) {
  const SplitOperands o = split_operands(ctx);
  MatrixShape shape;
  for (const ProductSize& size : kProductSizes) {
    if (!takes(ctx, size.name)) continue;
    shape.m = size.m;
    shape.n = size.n;
    shape.k = size.k;
  }
  if (shape.m == 0) return problem(ctx, "the form of " + ctx.at->text);
  if (!take_product_types(ctx, shape) || !has(ctx, o, 3, 0, 0)) return false;
  const bool wide = shape.d == MatrixType::f64;
  const int results = shape.registers(0);
  if (wide && 2 * results > 8) return problem(ctx, "the form of " + ctx.at->text);
  const std::uint32_t d = destination(ctx, *o.result, wide ? 2 * results : results);
  std::vector<std::uint32_t> slots;
  for (int k = 0; k < results; ++k) {
    slots.push_back(wide ? new_slots(ctx, 2) : d + static_cast<std::uint32_t>(k) * kSlotBytes);
  }
  for (int k = 0; k < 3; ++k)
    add_matrix(ctx, slots, *o.sources[static_cast<std::size_t>(k)], shape, k + 1);
  Instruction i;
  i.run = run_multiply_matrices;
  i.immediate = pack(shape);
  i.extra = static_cast<std::uint32_t>(ctx.kernel.slots.size());
  ctx.kernel.slots.insert(ctx.kernel.slots.end(), slots.begin(), slots.end());
  emit(ctx, i);
  for (int k = 0; wide && k < results; ++k)
    emit_parted(ctx, d + static_cast<std::uint32_t>(2 * k) * kSlotBytes,
                slots[static_cast<std::size_t>(k)]);
  return true;
}

// MOVM.16.MT88 R0, R1.
bool decode_matrix_transpose(MachineContext& ctx) {
  const SplitOperands o = split_operands(ctx);
  if (!takes(ctx, "16") || !takes(ctx, "MT88")) return problem(ctx, "the form of " + ctx.at->text);
  if (!has(ctx, o, 1, 0, 0)) return false;
  Instruction i;
  i.run = run_transpose_matrix;
  i.a = source(ctx, *o.sources[0]);
  i.d = destination(ctx, *o.result);
  emit(ctx, i);
  return true;
}

// BMMA.168256.AND.POPC R0, R4.ROW, R8.COL, R0: how many bits a row and a column both have.
bool decode_bit_product(MachineContext& ctx) {
  const SplitOperands o = split_operands(ctx);
  if (!takes(ctx, "168256") || !takes(ctx, "AND") || !takes(ctx, "POPC"))
    return problem(ctx, "the form of " + ctx.at->text);
  if (!has(ctx, o, 3, 0, 0)) return false;
  constexpr int kRegisters[] = {4, 2, 4};
  constexpr const char* kParts[] = {"ROW", "COL", ""};
  std::uint32_t slots[3];
  for (std::size_t k = 0; k < 3; ++k) {
    MachineOperand plain = *o.sources[k];
    if (plain.parts.size() == 1 && plain.parts[0] == kParts[k]) plain.parts.clear();
    slots[k] = source(ctx, plain, kPlain, kRegisters[k]);
  }
  Instruction i;
  i.run = run_bit_product;
  i.d = destination(ctx, *o.result, 4);
  i.a = slots[0];
  i.b = slots[1];
  i.c = slots[2];
  emit(ctx, i);
  return true;
}

// QSPC.E.S P0, RZ, [R10]: whether a generic address is one of shared memory (S), of the cluster's
// shared memory (D), of local (L) or of global memory (G).
bool decode_is_space(MachineContext& ctx) {
  const std::vector<MachineOperand>& all = ctx.at->operands;
  takes(ctx, "E");
  const int space = takes_one(ctx, {"S", "D", "L", "G"});
  constexpr AddressSpace kSpaces[] = {AddressSpace::shared, AddressSpace::shared,
                                      AddressSpace::local, AddressSpace::global};
  if (space < 0 || all.size() != 3 || all[1].text != "RZ" || all[2].kind != OperandKind::memory ||
      all[2].value != 0)
    return problem(ctx, "the form of " + ctx.at->text);
  Instruction i;
  MachineOperand where = all[2];
  // A register alone stands for a pair too.
  if (where.terms.size() == 1 && where.terms[0].part.empty()) where.terms[0].part = "64";
  const MachineAddress address = address_of(ctx, where, AddressSpace::generic, ctx.layout.address);
  Instruction fix;
  fix.run = run_fix_generic;
  fix.a = fix.d = address.slot;
  fix.subop = in_clusters(ctx) ? 1 : 0;
  fix.extra = static_cast<std::uint32_t>(ctx.image.system_shared);
  emit(ctx, fix).counted = 0;
  i.run = run_is_space;
  i.a = address.slot;
  i.d = predicate_destination(ctx, all[0]);
  i.space = kSpaces[space];
  i.subop = space == 1 ? 1 : 0;
  emit(ctx, i);
  return true;
}

}  // namespace warpscope
