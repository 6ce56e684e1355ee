// profiling/emulator/sass/decode/logic_family.cpp: bits, shifts, bytes, predicates and choices.
#include "profiling/emulator/sass/decode/machine_families.h"

namespace warpscope {

namespace {

bool table_of(MachineContext& ctx, const MachineOperand& o, std::int64_t& table) {
  table = o.value;
  if (o.kind == OperandKind::integer && o.value >= 0 && o.value < 256) return true;
  return problem(ctx, "operand " + o.text);
}

}  // namespace

// LOP3.LUT [P0,] R0, R1, R2, R3, table, P1.
bool decode_logic(MachineContext& ctx) {
  takes(ctx, "LUT");
  const bool both = takes(ctx, "PAND");
  const std::vector<MachineOperand>& all = ctx.at->operands;
  const std::size_t first = !all.empty() && all[0].is_predicate() ? 1 : 0;
  std::int64_t table = 0;
  if (all.size() != first + 6) return problem(ctx, "the operands of " + ctx.at->text);
  if (!table_of(ctx, all[first + 4], table)) return false;
  const std::uint32_t d = destination(ctx, all[first]), a = source(ctx, all[first + 1]),
                      b = source(ctx, all[first + 2]), c = source(ctx, all[first + 3]);
  const std::int64_t option = table << kSubopShift;
  if (first == 1) {
    Instruction& i = emit_row(ctx, both ? "logic.test.PAND" : "logic.test", d, a, b, c);
    i.immediate = option | flip_of(all[6], 0);
    i.extra = add_slots(ctx, {predicate_destination(ctx, all[0]), predicate_source(ctx, all[6])});
    return true;
  }
  if (both) return problem(ctx, "the form of " + ctx.at->text);
  const std::string own = "logic." + std::to_string(table);
  emit_row(ctx, machine_table().find(own) != nullptr ? own : "logic", d, a, b, c).immediate =
      option;
  return true;
}

namespace {

// A predicate among the sources of PLOP3, or the sign of a register: R2.SIGN.
std::uint32_t sign_or_predicate(MachineContext& ctx, const MachineOperand& o, int number) {
  if (!o.is_register()) return predicate_source(ctx, o);
  MachineOperand plain = o;
  plain.parts.clear();
  if (o.parts.size() != 1 || o.parts[0] != "SIGN" || ctx.uniform) problem(ctx, "operand " + o.text);
  const std::uint32_t d = scratch_predicate(ctx, 5 + number);
  emit_extra(ctx, "sign", d, source(ctx, plain));
  return d;
}

}  // namespace

// PLOP3.LUT P0, P1, P2, P3, P4, table, table of P1.
bool decode_predicate_logic(MachineContext& ctx) {
  takes(ctx, "LUT");
  const std::vector<MachineOperand>& all = ctx.at->operands;
  std::int64_t first = 0, second = 0;
  if (all.size() != 7) return problem(ctx, "the operands of " + ctx.at->text);
  if (!table_of(ctx, all[5], first) || !table_of(ctx, all[6], second)) return false;
  std::int64_t flips = 0;
  std::uint32_t slots[3];
  for (std::size_t k = 0; k < 3; ++k) {
    slots[k] = sign_or_predicate(ctx, all[2 + k], static_cast<int>(k));
    flips |= flip_of(all[2 + k], static_cast<int>(k));
  }
  Instruction& i = emit_row(ctx, "logic.predicates", predicate_destination(ctx, all[0]), 0);
  i.immediate = (first | second << 8) << kSubopShift | flips;
  i.extra = add_slots(ctx, {predicate_destination(ctx, all[1]), slots[0], slots[1], slots[2]});
  return true;
}

bool decode_shift(MachineContext& ctx) {
  const SplitOperands o = split_operands(ctx);
  const int direction = takes_one(ctx, {"L", "R"});
  const int type = takes_one(ctx, {"U32", "S32", "U64", "S64"});
  constexpr const char* kTypes[] = {".U32", ".S32", ".U64", ".S64"};
  if (direction < 0 || type < 0) return problem(ctx, "the form of " + ctx.at->text);
  std::string row = direction == 0 ? "shift.L" : "shift.R";
  if (takes(ctx, "W")) row += ".W";
  row += kTypes[type];
  if (takes(ctx, "HI")) row += ".HI";
  if (!has(ctx, o, 3, 0, 0)) return false;
  emit_row(ctx, row, destination(ctx, *o.result), source(ctx, *o.sources[0]),
           source(ctx, *o.sources[1]), source(ctx, *o.sources[2]));
  return true;
}

bool decode_permute(MachineContext& ctx) {
  const SplitOperands o = split_operands(ctx);
  constexpr const char* kModes[] = {".F4E", ".B4E", ".RC8", ".ECL", ".ECR", ".RC16"};
  const int mode = takes_one(ctx, {"F4E", "B4E", "RC8", "ECL", "ECR", "RC16"});
  if (!has(ctx, o, 3, 0, 0)) return false;
  emit_row(ctx, std::string("permute") + (mode < 0 ? "" : kModes[mode]),
           destination(ctx, *o.result), source(ctx, *o.sources[0]), source(ctx, *o.sources[1]),
           source(ctx, *o.sources[2]));
  return true;
}

// SEL and FSEL: the first source where the predicate holds.
bool decode_choose(MachineContext& ctx) {
  const SplitOperands o = split_operands(ctx);
  if (!has(ctx, o, 2, 0, 1) || o.conditions.empty())
    return problem(ctx, "the operands of " + ctx.at->text);
  const bool wide = base_name(ctx) == "SEL" && takes(ctx, "64");
  if (wide) {
    const MachineOperand &first = *o.sources[0], &second = *o.sources[1];
    if (first.kind == OperandKind::number || second.kind == OperandKind::number)
      return problem(ctx, "the operands of " + ctx.at->text);
    const std::uint32_t d = destination(ctx, *o.result, 2), a = source(ctx, first, kPlain, 2),
                        b = source(ctx, second, kPlain, 2),
                        p = predicate_source(ctx, *o.conditions[0]);
    const std::int64_t flip = flip_of(*o.conditions[0], 0);
    emit_row(ctx, "choose", d, a, b, p).immediate = flip;
    emit_extra(ctx, "choose", d + kSlotBytes, a + kSlotBytes, b + kSlotBytes, p).immediate = flip;
    return true;
  }
  const unsigned allowed = base_name(ctx) == "FSEL" ? kMayNegate | kMayBeAbsolute : kPlain;
  emit_row(ctx, "choose", destination(ctx, *o.result), source(ctx, *o.sources[0], allowed),
           source(ctx, *o.sources[1], allowed), predicate_source(ctx, *o.conditions[0]))
      .immediate =
      decoration(*o.sources[0], 0) | decoration(*o.sources[1], 1) | flip_of(*o.conditions[0], 0);
  return true;
}

// POPC, BREV, FLO, SGXT, BMSK.
bool decode_bits(MachineContext& ctx) {
  const SplitOperands o = split_operands(ctx);
  const std::string name = ctx.at->name[0] == 'U' ? ctx.at->name.substr(1) : ctx.at->name;
  if (name == "SGXT" || name == "BMSK") {
    std::string row = "bit_mask";
    if (name == "SGXT") row = takes(ctx, "U32") ? "extend_sign.U32" : "extend_sign.S32";
    const bool wrap = takes(ctx, "W");
    if (name == "BMSK" && !wrap) takes(ctx, "C");
    if (wrap || name == "BMSK") row += wrap ? ".W" : ".C";
    if (!has(ctx, o, 2, 0, 0)) return false;
    emit_row(ctx, row, destination(ctx, *o.result), source(ctx, *o.sources[0]),
             source(ctx, *o.sources[1]));
    return true;
  }
  if (!has(ctx, o, 1, 0, 0)) return false;
  const MachineOperand& a = *o.sources[0];
  const std::uint32_t d = destination(ctx, *o.result);
  const std::uint32_t from = source(ctx, a, name == "BREV" ? kPlain : kMayInvert);
  std::int64_t option = 0;
  if (name == "FLO") {
    option = takes(ctx, "U32") ? 0 : 2;
    if (takes(ctx, "SH")) option |= 1;
  }
  const char* const row = name == "POPC"   ? "count_bits"
                          : name == "BREV" ? "reverse_bits"
                                           : "find_bit";
  emit_row(ctx, row, d, from).immediate = option << kSubopShift | decoration(a, 0);
  return true;
}

// P2R R0, PR, R1, mask and R2P PR, R1, mask.
bool decode_predicate_register(MachineContext& ctx) {
  const std::vector<MachineOperand>& all = ctx.at->operands;
  const bool to_register = ctx.at->name == "P2R";
  const std::size_t count = to_register ? 4 : 3;
  std::int64_t mask = 0;
  if (all.size() != count || all[to_register ? 1 : 0].text != "PR")
    return problem(ctx, "the operands of " + ctx.at->text);
  if (!table_of(ctx, all.back(), mask)) return false;
  for (std::uint32_t k = 0; k < 7; ++k) {
    const SlotRole role = to_register ? SlotRole::predicate : SlotRole::predicate_result;
    if ((mask >> k & 1) != 0) note_use(ctx, role, ctx.layout.predicates + 4 * k);
  }
  const int part = takes_one(ctx, {"B0", "B1", "B2", "B3"});
  const std::int64_t option = (mask & 127) | static_cast<std::int64_t>(part > 0 ? 8 * part : 0)
                                                 << 8;
  Instruction& i = to_register ? emit_row(ctx, "predicates_to_register", destination(ctx, all[0]),
                                          ctx.layout.predicates, source(ctx, all[2]))
                               : emit_row(ctx, "register_to_predicates", 0, ctx.layout.predicates,
                                          source(ctx, all[1]));
  i.immediate = option << kSubopShift;
  return true;
}

}  // namespace warpscope
