// profiling/emulator/sass/decode/integer_family.cpp: sums, products and comparisons of integers.
#include "profiling/emulator/sass/decode/machine_families.h"

namespace warpscope {
namespace {

// The predicates of carries out and in, as slots beyond a, b, c and d.
std::uint32_t carry_slots(MachineContext& ctx, const SplitOperands& o, Instruction& i) {
  std::uint32_t slots[4] = {ctx.layout.no_predicate, ctx.layout.no_predicate, ctx.layout.zero,
                            ctx.layout.zero};
  for (std::size_t k = 0; k < o.results.size() && k < 2; ++k) {
    slots[k] = predicate_destination(ctx, *o.results[k]);
  }
  for (std::size_t k = 0; k < o.conditions.size() && k < 2; ++k) {
    slots[2 + k] = predicate_source(ctx, *o.conditions[k]);
    i.immediate |= flip_of(*o.conditions[k], static_cast<int>(k));
  }
  return add_slots(ctx, {slots[0], slots[1], slots[2], slots[3]});
}

// "~R2" is taken by what adds carries only.
bool carries(const SplitOperands& o) {
  bool any = !o.results.empty() || !o.conditions.empty();
  for (const MachineOperand* s : o.sources) any = any || s->inverted;
  return any;
}

void emit_sum(MachineContext& ctx, const SplitOperands& o, const std::string& row, std::uint32_t d,
              std::initializer_list<const MachineOperand*> sources, std::int64_t immediate) {
  std::uint32_t slots[3] = {ctx.layout.zero, ctx.layout.zero, ctx.layout.zero};
  int k = 0;
  for (const MachineOperand* s : sources) {
    slots[k] = source(ctx, *s, kMayNegate | kMayInvert);
    immediate |= decoration(*s, k);
    ++k;
  }
  const bool carry = carries(o);
  Instruction& i = emit_row(ctx, carry ? row + ".carry" : row, d, slots[0], slots[1], slots[2]);
  i.immediate = immediate;
  if (carry) i.extra = carry_slots(ctx, o, i);
}

bool is_zero(const MachineOperand& o) {
  return (o.kind == OperandKind::general && o.number == kZeroRegister) ||
         (o.kind == OperandKind::uniform && o.number == kZeroUniform);
}

// Since compute capability 10.0 an integer has 64 bits in an instruction with .64, .S64 or .U64. An
// immediate is printed with its sign, as it is meant.
std::uint32_t pair_source(MachineContext& ctx, const MachineOperand& o, unsigned allowed = kPlain) {
  if (o.kind == OperandKind::number) problem(ctx, "operand " + o.text);
  return source(ctx, o, allowed, 2);
}

// Drops results to PT, which say nothing: "IADD3 R0, PT, PT, R1, R2, RZ".
SplitOperands without_true_results(MachineContext& ctx) {
  SplitOperands o = split_operands(ctx);
  while (!o.results.empty() && o.results.back()->number == kTruePredicate &&
         !o.results.back()->complement)
    o.results.pop_back();
  return o;
}

bool add_pairs(MachineContext& ctx, const SplitOperands& o) {
  std::uint32_t slots[3] = {ctx.layout.zero, ctx.layout.zero, ctx.layout.zero};
  std::int64_t immediate = 0;
  for (std::size_t k = 0; k < o.sources.size(); ++k) {
    slots[k] = pair_source(ctx, *o.sources[k], kMayNegate);
    immediate |= decoration(*o.sources[k], static_cast<int>(k));
  }
  emit_row(ctx, "add3.pair", destination(ctx, *o.result, 2), slots[0], slots[1], slots[2])
      .immediate = immediate;
  return true;
}

}  // namespace

bool decode_move(MachineContext& ctx) {
  const SplitOperands o = split_operands(ctx);
  if (takes(ctx, "64")) {
    if (!has(ctx, o, 1, 0, 0)) return false;
    emit_row(ctx, "move.pair", destination(ctx, *o.result, 2), pair_source(ctx, *o.sources[0]));
    return true;
  }
  if (!has(ctx, o, 1, 0, 0)) {
    // MOV R2, R3, 0xf: the mask of bytes, all of them.
    if (o.sources.size() != 2 || o.sources[1]->value != 15) return false;
    ctx.problem.clear();
  }
  emit_row(ctx, "move", destination(ctx, *o.result), source(ctx, *o.sources[0]));
  return true;
}

// VIADD; IADD.64.
bool decode_add(MachineContext& ctx) {
  const SplitOperands o = split_operands(ctx);
  const bool halves = takes(ctx, "16x2"), bytes = !halves && takes(ctx, "U8x4");
  if (!has(ctx, o, 2, 0, 0)) return false;
  if (base_name(ctx) == "IADD")
    return takes(ctx, "64") ? add_pairs(ctx, o) : problem(ctx, "the form of " + ctx.at->text);
  if (takes(ctx, "S32")) {
    if (!takes(ctx, "ISAT")) return problem(ctx, "the form of " + ctx.at->text);
    const MachineOperand &first = *o.sources[0], &second = *o.sources[1];
    emit_row(ctx, "add.S32.ISAT", destination(ctx, *o.result), source(ctx, first, kMayNegate),
             source(ctx, second, kMayNegate))
        .immediate = decoration(first, 0) | decoration(second, 1);
    return true;
  }
  if (halves || bytes) {
    const MachineOperand &first = *o.sources[0], &second = *o.sources[1];
    emit_row(ctx, halves ? "add.16x2" : "add.8x4", destination(ctx, *o.result),
             source(ctx, first, kMayNegate), source(ctx, second, kMayNegate))
        .immediate = std::int64_t{(first.negated ? 1 : 0) + (second.negated ? 2 : 0)}
                     << kSubopShift;
    return true;
  }
  emit_sum(ctx, o, "add", destination(ctx, *o.result), {o.sources[0], o.sources[1]}, 0);
  return true;
}

bool decode_add3(MachineContext& ctx) {
  const SplitOperands o = without_true_results(ctx);
  if (takes(ctx, "64")) return has(ctx, o, 3, 0, 0) && add_pairs(ctx, o);
  takes(ctx, "X");
  if (!has(ctx, o, 3, 2, 2)) return false;
  const bool two = is_zero(*o.sources[2]) && !o.sources[2]->inverted && !carries(o);
  if (two) {
    emit_sum(ctx, o, "add", destination(ctx, *o.result), {o.sources[0], o.sources[1]}, 0);
  } else {
    emit_sum(ctx, o, "add3", destination(ctx, *o.result),
             {o.sources[0], o.sources[1], o.sources[2]}, 0);
  }
  return true;
}

namespace {

// IMAD.WIDE and IMAD.HI: the third source is a pair of registers, also where the text names one.
bool decode_wide(MachineContext& ctx, const SplitOperands& o, bool wide) {
  const bool is_signed = !takes(ctx, "U32");
  takes(ctx, "X");
  if (!has(ctx, o, 3, 1, 1)) return false;
  std::string row = wide ? "wide" : "upper";
  row += is_signed ? ".S32" : ".U32";
  const bool carry = !o.results.empty() || !o.conditions.empty();
  const unsigned allowed = carry ? kPlain : kMayNegate;
  Instruction& i = emit_row(ctx, carry ? row + ".carry" : row,
                            destination(ctx, *o.result, wide ? 2 : 1), source(ctx, *o.sources[0]),
                            source(ctx, *o.sources[1]), source(ctx, *o.sources[2], allowed, 2));
  i.immediate = decoration(*o.sources[2], 2);
  if (carry) i.extra = carry_slots(ctx, o, i);
  return true;
}

}  // namespace

bool decode_multiply_add(MachineContext& ctx) {
  const SplitOperands o = split_operands(ctx);
  if (takes(ctx, "WIDE")) return decode_wide(ctx, o, true);
  if (takes(ctx, "HI")) return decode_wide(ctx, o, false);
  // The lower 32 bits are the same with and without signs; the rest says what it stands for.
  ignores(ctx, {"MOV", "SHL", "IADD", "U32", "X"});
  if (!has(ctx, o, 3, 1, 1)) return false;
  const MachineOperand &a = *o.sources[0], &b = *o.sources[1], &c = *o.sources[2];
  const std::uint32_t d = destination(ctx, *o.result);
  if (!carries(o) && is_zero(a) && is_zero(b) && !c.negated) {
    emit_row(ctx, "move", d, source(ctx, c));
  } else if (!carries(o) && b.kind == OperandKind::integer && b.value == 1) {
    emit_sum(ctx, o, "add", d, {&a, &c}, 0);
  } else {
    if (a.inverted || b.inverted) return problem(ctx, "the operands of " + ctx.at->text);
    emit_sum(ctx, o, "multiply_add", d, {&a, &b, &c}, 0);
  }
  return true;
}

bool decode_shift_add(MachineContext& ctx) {
  const SplitOperands o = split_operands(ctx);
  const bool upper = takes(ctx, "HI");
  const bool extended = takes(ctx, "SX32");
  takes(ctx, "X");
  if (extended && !upper) return problem(ctx, "the modifiers of " + ctx.at->text);
  const std::size_t count = upper && !extended ? 4 : 3;
  if (!has(ctx, o, count, 1, 1)) return false;
  const MachineOperand& shift = *o.sources.back();
  if (shift.kind != OperandKind::integer || shift.value < 0 || shift.value > 31)
    return problem(ctx, "operand " + shift.text);
  const std::int64_t option = shift.value << kSubopShift;
  const MachineOperand &a = *o.sources[0], &b = *o.sources[1];
  if (a.inverted) return problem(ctx, "operand " + a.text);
  const std::uint32_t d = destination(ctx, *o.result);
  if (!upper) {
    emit_sum(ctx, o, "shift_add", d, {&a, &b}, option);
    return true;
  }
  const std::uint32_t c = extended ? ctx.layout.zero : source(ctx, *o.sources[2]);
  Instruction& i = emit_row(ctx, extended ? "shift_add.upper.extended" : "shift_add.upper", d,
                            source(ctx, a, kMayNegate), source(ctx, b, kMayNegate | kMayInvert), c);
  i.immediate = option | decoration(a, 0) | decoration(b, 1);
  i.extra = carry_slots(ctx, o, i);
  return true;
}

bool decode_integer_compare(MachineContext& ctx) {
  const int how = takes_one(ctx, {"LT", "LE", "GT", "GE", "EQ", "NE"});
  constexpr const char* kNames[] = {"LT", "LE", "GT", "GE", "EQ", "NE"};
  const int joined = takes_one(ctx, {"AND", "OR", "XOR"});
  const int wide = takes_one(ctx, {"S64", "U64"});
  const bool is_unsigned = takes(ctx, "U32"), extended = wide < 0 && takes(ctx, "EX");
  const std::vector<MachineOperand>& all = ctx.at->operands;
  if (how < 0 || joined < 0 || all.size() != (extended ? 6u : 5u))
    return problem(ctx, "the form of " + ctx.at->text);
  std::string row = std::string("compare.") + kNames[how];
  row += wide == 0 ? ".S64" : wide == 1 ? ".U64" : is_unsigned ? ".U32" : ".S32";
  if (extended) row += ".EX";
  const std::uint32_t a = wide < 0 ? source(ctx, all[2]) : pair_source(ctx, all[2]),
                      b = wide < 0 ? source(ctx, all[3]) : pair_source(ctx, all[3]);
  Instruction& i =
      emit_row(ctx, row, predicate_destination(ctx, all[0]), a, b, predicate_source(ctx, all[4]));
  i.immediate = static_cast<std::int64_t>(joined) << kSubopShift | flip_of(all[4], 0);
  const std::uint32_t second = predicate_destination(ctx, all[1]);
  std::uint32_t lower = ctx.layout.zero;
  if (extended) {
    lower = predicate_source(ctx, all[5]);
    i.immediate |= flip_of(all[5], 1);
  }
  i.extra = add_slots(ctx, {second, lower});
  return true;
}

namespace {

// IMNMX.S64 PT, PT, R0, R2, R4, PT, !PT: the least where the first predicate at the end holds.
bool decode_pair_extreme(MachineContext& ctx, bool is_signed) {
  std::vector<MachineOperand> all = ctx.at->operands;
  if (all.size() != 7 || all[0].text != all[1].text || !all[0].is_predicate() ||
      all[0].number != kTruePredicate || !all[5].is_predicate() || !all[6].is_predicate() ||
      all[6].number != kTruePredicate || !all[6].complement)
    return problem(ctx, "the operands of " + ctx.at->text);
  Instruction& i =
      emit_row(ctx, is_signed ? "extreme.S64" : "extreme.U64", destination(ctx, all[2], 2),
               pair_source(ctx, all[3]), pair_source(ctx, all[4]));
  i.immediate = flip_of(all[5], 0);
  i.extra = add_slots(ctx, {predicate_source(ctx, all[5])});
  return true;
}

}  // namespace

// VIMNMX, VIMNMX3, VIADDMNMX, IMNMX: the least where the predicate holds.
bool decode_integer_extreme(MachineContext& ctx) {
  if (const int wide = takes_one(ctx, {"S64", "U64"}); wide >= 0)
    return decode_pair_extreme(ctx, wide == 0);
  const int bytes = takes_one(ctx, {"U8x4", "S8x4"});
  const int halves = takes_one(ctx, {"U16x2", "S16x2"});
  const bool is_unsigned = takes(ctx, "U32"), relu = takes(ctx, "RELU");
  const bool sum = ctx.at->name.ends_with("VIADDMNMX"), three = ctx.at->name.ends_with("VIMNMX3");
  takes(ctx, "S32");
  const SplitOperands o = without_true_results(ctx);
  if (!has(ctx, o, sum || three ? 3 : 2, 0, 1) || o.conditions.empty())
    return problem(ctx, "the operands of " + ctx.at->text);
  if (bytes >= 0 && (relu || three || sum)) return problem(ctx, "the form of " + ctx.at->text);
  std::string row = three ? "extreme3" : sum ? "extreme.sum" : "extreme";
  row += bytes == 0    ? ".U8x4"
         : bytes == 1  ? ".S8x4"
         : halves == 0 ? ".U16x2"
         : halves == 1 ? ".S16x2"
         : is_unsigned ? ".U32"
                       : ".S32";
  if (halves >= 0 && relu && (three || sum)) return problem(ctx, "the form of " + ctx.at->text);
  const unsigned allowed = three || halves >= 0 || bytes >= 0 ? kPlain : kMayNegate;
  const std::uint32_t c = sum || three ? source(ctx, *o.sources[2]) : ctx.layout.zero;
  Instruction& i =
      emit_row(ctx, row, destination(ctx, *o.result), source(ctx, *o.sources[0], allowed),
               source(ctx, *o.sources[1], allowed), c);
  i.immediate = (relu ? std::int64_t{1} << kSubopShift : 0) | decoration(*o.sources[0], 0) |
                decoration(*o.sources[1], 1) | flip_of(*o.conditions[0], 0);
  i.extra = add_slots(ctx, {predicate_source(ctx, *o.conditions[0])});
  return true;
}

// VABSDIFF.U32 R0, R1, R2, R3 and VABSDIFF4.U8.ACC.
bool decode_difference(MachineContext& ctx) {
  const SplitOperands o = split_operands(ctx);
  std::string row;
  if (ctx.at->name == "VABSDIFF4") {
    const int type = takes_one(ctx, {"U8", "S8"});
    if (type < 0) return problem(ctx, "the form of " + ctx.at->text);
    row = type == 0 ? "difference4.U8" : "difference4.S8";
    if (takes(ctx, "ACC")) row += ".ACC";
  } else {
    row = takes(ctx, "U32") ? "difference.U32" : "difference.S32";
    takes(ctx, "S32");
  }
  if (!has(ctx, o, 3, 0, 0)) return false;
  emit_row(ctx, row, destination(ctx, *o.result), source(ctx, *o.sources[0]),
           source(ctx, *o.sources[1]), source(ctx, *o.sources[2]));
  return true;
}

bool decode_absolute(MachineContext& ctx) {
  const SplitOperands o = split_operands(ctx);
  if (!has(ctx, o, 1, 0, 0)) return false;
  emit_row(ctx, "absolute", destination(ctx, *o.result), source(ctx, *o.sources[0], kMayNegate))
      .immediate = decoration(*o.sources[0], 0);
  return true;
}

// IDP.4A.S8.U8: the types of the first and the second source.
bool decode_dot4(MachineContext& ctx) {
  // 2A: two halves by two bytes, the lower or the upper ones.
  const bool two = takes(ctx, "2A");
  const int half = two ? takes_one(ctx, {"LO", "HI"}) : 0;
  if ((!two && !takes(ctx, "4A")) || half < 0) return problem(ctx, "the form of " + ctx.at->text);
  std::string row = two ? half == 0 ? "dot2.LO" : "dot2.HI" : "dot4";
  for (int k = 0; k < 2; ++k) {
    const std::string bits = two && k == 0 ? "16" : "8";
    if (ctx.left.empty() || (ctx.left.front() != "S" + bits && ctx.left.front() != "U" + bits))
      return problem(ctx, "the form of " + ctx.at->text);
    row += "." + ctx.left.front();
    ctx.left.erase(ctx.left.begin());
  }
  const SplitOperands o = split_operands(ctx);
  if (!has(ctx, o, 3, 0, 0)) return false;
  emit_row(ctx, row, destination(ctx, *o.result), source(ctx, *o.sources[0]),
           source(ctx, *o.sources[1]), source(ctx, *o.sources[2], kMayNegate))
      .immediate = decoration(*o.sources[2], 2);
  return true;
}

}  // namespace warpscope
