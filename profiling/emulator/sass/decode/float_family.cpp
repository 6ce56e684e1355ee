// profiling/emulator/sass/decode/float_family.cpp: floating-point arithmetic of 16, 32 and 64 bits.
#include "profiling/emulator/instructions/opcode_table.h"
#include "profiling/emulator/sass/decode/machine_families.h"

namespace warpscope {
namespace {

constexpr unsigned kSigned = kMayNegate | kMayBeAbsolute;

// ".FTZ.SAT.RM", in the order that the table has them.
std::string refinements(MachineContext& ctx) {
  std::string text;
  if (takes(ctx, "FTZ")) text += ".FTZ";
  if (takes(ctx, "SAT")) text += ".SAT";
  constexpr const char* kRoundings[] = {".RM", ".RP", ".RZ"};
  const int rounding = takes_one(ctx, {"RM", "RP", "RZ"});
  if (rounding >= 0) text += kRoundings[rounding];
  takes(ctx, "RN");
  return text;
}

constexpr const char* kComparisons[] = {"EQ",  "NE",  "LT",  "LE",  "GT",  "GE",  "EQU",
                                        "NEU", "LTU", "LEU", "GTU", "GEU", "NUM", "NAN"};
int comparison(MachineContext& ctx) {
  return takes_one(ctx, {"EQ", "NE", "LT", "LE", "GT", "GE", "EQU", "NEU", "LTU", "LEU", "GTU",
                         "GEU", "NUM", "NAN"});
}

}  // namespace

// FFMA, FADD, FMUL.
bool decode_float(MachineContext& ctx) {
  const SplitOperands o = split_operands(ctx);
  const std::string name = base_name(ctx);
  const bool fma = name == "FFMA";
  const std::string row = (fma ? "fma" : name == "FADD" ? "sum" : "product") + refinements(ctx);
  if (!has(ctx, o, fma ? 3 : 2, 0, 0)) return false;
  std::uint32_t slots[3] = {};
  std::int64_t immediate = 0;
  for (std::size_t k = 0; k < o.sources.size(); ++k) {
    slots[k] = source(ctx, *o.sources[k], kSigned);
    immediate |= decoration(*o.sources[k], static_cast<int>(k));
  }
  emit_row(ctx, row, destination(ctx, *o.result), slots[0], slots[1], slots[2]).immediate =
      immediate;
  return true;
}

// FADD2 R0, R2.F32x2.HI_LO, R4.F32x2.HI_LO; FMUL2, FFMA2: two floats in a pair of registers.
bool decode_float_pair(MachineContext& ctx) {
  const SplitOperands o = split_operands(ctx);
  const std::string& name = ctx.at->name;
  const bool fma = name == "FFMA2";
  const std::string row = (fma ? "fma" : name == "FADD2" ? "sum" : "product") + refinements(ctx);
  if (!has(ctx, o, fma ? 3 : 2, 0, 0)) return false;
  std::uint32_t slots[3] = {};
  std::int64_t immediate = 0;
  for (std::size_t k = 0; k < o.sources.size(); ++k) {
    const MachineOperand& s = *o.sources[k];
    if (!s.is_register() || s.absolute || s.parts != std::vector<std::string>{"F32x2", "HI_LO"})
      return problem(ctx, "operand " + s.text);
    slots[k] = source(ctx, s, kMayNegate | kMayBeHalves, 2);
    immediate |= decoration(s, static_cast<int>(k));
  }
  // The lower result may lie where a source is: both are computed before either is stored.
  const std::uint32_t d = destination(ctx, *o.result, 2), low = ctx.layout.scratch;
  emit_row(ctx, row, low, slots[0], slots[1], slots[2]).immediate = immediate;
  emit_extra(ctx, row, low + kSlotBytes, slots[0] + kSlotBytes, slots[1] + kSlotBytes,
             slots[2] + kSlotBytes)
      .immediate = immediate;
  emit_extra(ctx, "move.pair", d, low);
  return true;
}

// FSETP P0, P1, R0, R1, P2 and FSET.BF R0, R1, R2, P0.
bool decode_float_compare(MachineContext& ctx) {
  const std::vector<MachineOperand>& all = ctx.at->operands;
  const bool set = base_name(ctx) == "FSET";
  const int how = comparison(ctx), joined = takes_one(ctx, {"AND", "OR", "XOR"});
  if (how < 0 || joined < 0 || all.size() != (set ? 4u : 5u))
    return problem(ctx, "the form of " + ctx.at->text);
  std::string row = std::string(set ? "set.F32." : "compare.F32.") + kComparisons[how];
  if (takes(ctx, "FTZ")) row += ".FTZ";
  if (set) {
    const std::int64_t option = joined | (takes(ctx, "BF") ? 4 : 0);
    emit_row(ctx, row, destination(ctx, all[0]), source(ctx, all[1], kSigned),
             source(ctx, all[2], kSigned), predicate_source(ctx, all[3]))
        .immediate =
        option << kSubopShift | decoration(all[1], 0) | decoration(all[2], 1) | flip_of(all[3], 0);
    return true;
  }
  Instruction& i =
      emit_row(ctx, row, predicate_destination(ctx, all[0]), source(ctx, all[2], kSigned),
               source(ctx, all[3], kSigned), predicate_source(ctx, all[4]));
  i.immediate = static_cast<std::int64_t>(joined) << kSubopShift | decoration(all[2], 0) |
                decoration(all[3], 1) | flip_of(all[4], 0);
  i.extra = add_slots(ctx, {predicate_destination(ctx, all[1]), ctx.layout.zero});
  return true;
}

namespace {

// .XORSIGN is of magnitudes: the signs that it takes are those in the registers.
bool takes_signs(MachineContext& ctx, const SplitOperands& o) {
  if (!takes(ctx, "XORSIGN")) return false;
  for (const MachineOperand* s : o.sources) {
    if (!s->absolute || s->negated) problem(ctx, "operand " + s->text);
  }
  return true;
}

}  // namespace

bool decode_float_extreme(MachineContext& ctx) {
  const SplitOperands o = split_operands(ctx);
  std::string row = "extreme.F32";
  if (takes_signs(ctx, o)) row += ".XORSIGN";
  if (takes(ctx, "FTZ")) row += ".FTZ";
  if (takes(ctx, "NAN")) row += ".NAN";
  const bool three = ctx.at->name == "FMNMX3";
  if (!has(ctx, o, three ? 3 : 2, 0, 1) || o.conditions.empty())
    return problem(ctx, "the operands of " + ctx.at->text);
  const std::uint32_t d = destination(ctx, *o.result), a = source(ctx, *o.sources[0], kSigned),
                      b = source(ctx, *o.sources[1], kSigned),
                      least = predicate_source(ctx, *o.conditions[0]);
  const std::int64_t flip = flip_of(*o.conditions[0], 0);
  emit_row(ctx, row, three ? ctx.layout.scratch : d, a, b, least).immediate =
      decoration(*o.sources[0], 0) | decoration(*o.sources[1], 1) | flip;
  if (three) {
    const MachineOperand& c = *o.sources[2];
    emit_extra(ctx, row, d, ctx.layout.scratch, source(ctx, c, kSigned), least).immediate =
        decoration(c, 1) | flip;
  }
  return true;
}

namespace {

// Reads halves from a place in the operands on: an immediate is two texts, the upper half first.
bool half_source(MachineContext& ctx, const std::vector<const MachineOperand*>& all,
                 std::size_t& at, int number, std::uint32_t& slot, std::int64_t& immediate) {
  if (at >= all.size()) return problem(ctx, "the operands of " + ctx.at->text);
  const MachineOperand& o = *all[at++];
  if (o.kind == OperandKind::number || o.kind == OperandKind::integer) {
    if (at >= all.size() ||
        (all[at]->kind != OperandKind::number && all[at]->kind != OperandKind::integer))
      return problem(ctx, "the operands of " + ctx.at->text);
    ++at;
    slot = constant_slot(ctx, ctx.at->immediate());
    return true;
  }
  slot = source(ctx, o, kSigned | kMayBeHalves);
  std::int64_t select = 0;
  for (const std::string& part : o.parts) {
    const int which = part == "H0_H0" || part == "H0" ? 1 : part == "H1_H1" || part == "H1" ? 2 : 0;
    if (which == 0) return problem(ctx, "operand " + o.text);
    select = which;
  }
  immediate |= decoration(o, number) | select << (kSubopShift + 2 * number);
  return ctx.problem.empty();
}

}  // namespace

bool decode_function(MachineContext& ctx) {
  const SplitOperands o = split_operands(ctx);
  const int which = takes_one(
      ctx, {"RCP", "RSQ", "SQRT", "EX2", "LG2", "SIN", "COS", "TANH", "RCP64H", "RSQ64H"});
  constexpr const char* kNames[] = {"RCP", "RSQ", "SQRT", "EX2",    "LG2",
                                    "SIN", "COS", "TANH", "RCP64H", "RSQ64H"};
  if (which < 0) return problem(ctx, "the form of " + ctx.at->text);
  if (!has(ctx, o, 1, 0, 0)) return false;
  if (const int format = takes_one(ctx, {"F16", "BF16"}); format >= 0) {
    // It takes the lower half, or with H1 the upper one; the result is a lower half.
    std::size_t at = 0;
    std::uint32_t slot = 0;
    std::int64_t immediate = 0;
    if (!half_source(ctx, o.sources, at, 0, slot, immediate)) return false;
    emit_row(ctx, std::string("halves.") + kNames[which] + (format == 1 ? ".BF16_V2" : ""),
             destination(ctx, *o.result), slot)
        .immediate = immediate;
    return true;
  }
  emit_row(ctx, std::string("function.") + kNames[which], destination(ctx, *o.result),
           source(ctx, *o.sources[0], kSigned))
      .immediate = decoration(*o.sources[0], 0);
  return true;
}

bool decode_check_division(MachineContext& ctx) {
  const std::vector<MachineOperand>& all = ctx.at->operands;
  if (all.size() != 3) return problem(ctx, "the operands of " + ctx.at->text);
  emit_row(ctx, "check_division", predicate_destination(ctx, all[0]), source(ctx, all[1], kSigned),
           source(ctx, all[2], kSigned))
      .immediate = decoration(all[1], 0) | decoration(all[2], 1);
  return true;
}

namespace {

// Puts a source of 64 bits into a slot of 8 bytes, with its sign as it is written.
bool join_source(MachineContext& ctx, const MachineOperand& s, std::uint32_t wide) {
  if (s.kind == OperandKind::number) {
    // Immediates are the upper half.
    const std::uint64_t value = std::uint64_t{ctx.at->immediate()} << 32;
    emit_joined(ctx, wide, constant_slot(ctx, value, 2));
    return true;
  }
  if (!s.is_register() && s.kind != OperandKind::constant) return problem(ctx, "operand " + s.text);
  emit_joined(ctx, wide, source(ctx, s, kSigned, 2));
  if (s.absolute) emit_extra(ctx, "sign.absolute", wide, wide);
  if (s.negated) emit_extra(ctx, "sign.negate", wide, wide);
  return true;
}

}  // namespace

// DSETP P0, P1, R0, R2, P2; DSETP.MIN.AND.
bool decode_double_compare(MachineContext& ctx) {
  const std::vector<MachineOperand>& all = ctx.at->operands;
  const int extreme = takes_one(ctx, {"MIN", "MAX"});
  const int how = extreme >= 0 ? 0 : comparison(ctx), joined = takes_one(ctx, {"AND", "OR", "XOR"});
  if (how < 0 || joined < 0 || all.size() != 5 || (extreme >= 0 && joined != 0))
    return problem(ctx, "the form of " + ctx.at->text);
  const std::uint32_t a = ctx.layout.scratch, b = a + 2 * kSlotBytes;
  if (!join_source(ctx, all[2], a) || !join_source(ctx, all[3], b)) return false;
  const char* const row = extreme == 0 ? "MIN" : extreme == 1 ? "MAX" : kComparisons[how];
  Instruction& i =
      emit_row(ctx, std::string("compare.F64.") + row, predicate_destination(ctx, all[0]), a, b,
               predicate_source(ctx, all[4]));
  i.immediate = static_cast<std::int64_t>(joined) << kSubopShift | flip_of(all[4], 0);
  i.extra = add_slots(ctx, {predicate_destination(ctx, all[1]), ctx.layout.zero});
  return true;
}

// DADD, DMUL, DFMA by the rows that PTX has for them, on slots of 8 bytes.
bool decode_double(MachineContext& ctx) {
  const SplitOperands o = split_operands(ctx);
  const bool fma = ctx.at->name == "DFMA";
  const char* const name = fma ? "fma.f64" : ctx.at->name == "DADD" ? "add.f64" : "mul.f64";
  const int rounding = takes_one(ctx, {"RN", "RZ", "RM", "RP"});
  if (!has(ctx, o, fma ? 3 : 2, 0, 0)) return false;
  const Opcode* const row = opcode_table().find(name);
  std::uint32_t wide[3] = {};
  for (std::size_t k = 0; k < o.sources.size(); ++k) {
    wide[k] = ctx.layout.scratch + 2 * static_cast<std::uint32_t>(k) * kSlotBytes;
    if (!join_source(ctx, *o.sources[k], wide[k])) return false;
  }
  Instruction i;
  i.run = row == nullptr ? nullptr : row->run[rounding < 0 ? 0 : rounding][0][0];
  if (i.run == nullptr) return problem(ctx, "the form of " + ctx.at->text);
  i.d = ctx.layout.scratch + 6 * kSlotBytes;
  i.a = wide[0];
  i.b = wide[1];
  i.c = wide[2];
  emit(ctx, i);
  emit_parted(ctx, destination(ctx, *o.result, 2), ctx.layout.scratch + 6 * kSlotBytes);
  return true;
}

// HFMA2, HADD2, HMUL2, HMNMX2 of halves and, with .BF16_V2, of bfloats.
bool decode_halves(MachineContext& ctx) {
  const SplitOperands o = split_operands(ctx);
  const std::string& name = ctx.at->name;
  takes(ctx, "MMA");
  const bool widened = name == "HADD2" && takes(ctx, "F32");
  std::string row = name == "HFMA2"    ? "halves.fma"
                    : name == "HMNMX2" ? "halves.extreme"
                    : widened          ? "halves.widened"
                    : name == "HADD2"  ? "halves.sum"
                                       : "halves.product";
  if (takes(ctx, "BF16_V2")) row += ".BF16_V2";
  const bool extreme = name == "HMNMX2";
  if (extreme && takes_signs(ctx, o)) row += ".XORSIGN";
  if (!widened && takes(ctx, "FTZ")) row += ".FTZ";
  if (extreme && takes(ctx, "NAN")) row += ".NAN";
  if (!widened && !extreme) {
    constexpr const char* kLimits[] = {".SAT", ".RELU"};
    const int limit = takes_one(ctx, {"SAT", "RELU"});
    if (limit >= 0) row += kLimits[limit];
  }
  const int count = name == "HFMA2" ? 3 : 2;
  std::uint32_t slots[3] = {};
  std::int64_t immediate = 0;
  std::size_t at = 0;
  for (int k = 0; k < count; ++k) {
    if (!half_source(ctx, o.sources, at, k, slots[k], immediate)) return false;
  }
  if (at != o.sources.size() || !o.results.empty() || o.conditions.size() != (extreme ? 1u : 0u))
    return problem(ctx, "the operands of " + ctx.at->text);
  if (extreme) {
    slots[2] = predicate_source(ctx, *o.conditions[0]);
    immediate |= flip_of(*o.conditions[0], 3);
  }
  emit_row(ctx, row, destination(ctx, *o.result), slots[0], slots[1], slots[2]).immediate =
      immediate;
  return true;
}

// HSET2 R0, R1, R2, P0 and HSETP2 P0, P1, R0, R1, P2.
bool decode_half_compare(MachineContext& ctx) {
  const SplitOperands o = split_operands(ctx);
  const bool set = ctx.at->name == "HSET2";
  const int how = comparison(ctx), joined = takes_one(ctx, {"AND", "OR", "XOR"});
  if (how < 0 || joined < 0) return problem(ctx, "the form of " + ctx.at->text);
  std::string row = std::string(set ? "halves.set." : "halves.compare.") + kComparisons[how];
  if (takes(ctx, "BF16_V2")) row += ".BF16_V2";
  const bool numbers = set && takes(ctx, "BF");
  std::uint32_t slots[2] = {};
  std::int64_t immediate = (static_cast<std::int64_t>(joined) << 8 | (numbers ? 1 << 10 : 0))
                           << kSubopShift;
  std::size_t at = 0;
  for (int k = 0; k < 2; ++k) {
    if (!half_source(ctx, o.sources, at, k, slots[k], immediate)) return false;
  }
  if (at != o.sources.size() || o.conditions.size() != 1 || o.results.size() != (set ? 0u : 1u))
    return problem(ctx, "the operands of " + ctx.at->text);
  const std::uint32_t d = set ? destination(ctx, *o.result) : predicate_destination(ctx, *o.result);
  const std::uint32_t second =
      set ? ctx.layout.no_predicate : predicate_destination(ctx, *o.results[0]);
  Instruction& i =
      emit_row(ctx, row, d, slots[0], slots[1], predicate_source(ctx, *o.conditions[0]));
  i.immediate = immediate | flip_of(*o.conditions[0], 3);
  i.extra = add_slots(ctx, {second, ctx.layout.zero});
  return true;
}

}  // namespace warpscope
