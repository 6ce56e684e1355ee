// profiling/emulator/opcodes/arithmetic.cpp: lane-wise instructions, comparisons, carries.
#include <algorithm>
#include <optional>

#include "profiling/emulator/decode/emit.h"
#include "profiling/emulator/decode/families.h"
#include "profiling/emulator/decode/operands.h"
#include "profiling/emulator/instructions/conversions.h"
#include "profiling/emulator/instructions/warp_instructions.h"
#include "profiling/emulator/state/memory.h"

namespace warpscope {
namespace {

// The lower halves to the first predicate, the upper ones to the second.
void decode_packed_comparison(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name) {
  const PtxOperand& result = operand_at(ctx, s, 0);
  const std::uint32_t a = source_slot(ctx, s, 1, OperandType::b32);
  const std::uint32_t b = source_slot(ctx, s, 2, OperandType::b32);
  const std::string tail = std::string(name.parts[1]) + "." + std::string(name.type());
  emit_row(ctx, "setp.lower." + tail, destination_slot(ctx, result, OperandType::predicate), a, b);
  if (!result.second.empty()) {
    emit_row(ctx, "setp.upper." + tail,
             destination_slot(ctx, result.second, OperandType::predicate), a, b);
  }
}

// p = (a ∘ b) op c and q = !(a ∘ b) op c: `i` compares a and b, `first` is the slot of p.
void emit_combined_comparison(DecodeContext& ctx, const PtxStatement& s, const std::string& combine,
                              Instruction i, std::uint32_t first) {
  const PtxOperand& result = operand_at(ctx, s, 0);
  const std::uint32_t compared = new_slot(ctx, 4);
  i.d = compared;
  const std::uint32_t with =
      combine.empty() ? 0 : predicate_slot(ctx, operand_at(ctx, s, 3), nullptr);
  emit(ctx, i);
  std::uint32_t opposite = 0;
  if (!result.second.empty()) {
    opposite = new_slot(ctx, 4);
    emit_row(ctx, "not.pred", opposite, compared);
  }
  if (combine.empty()) {
    emit_row(ctx, "mov.pred", first, compared);
    emit_row(ctx, "mov.pred", destination_slot(ctx, result.second, OperandType::predicate),
             opposite);
    return;
  }
  // `with` may be one of the results.
  std::uint32_t kept = with;
  if (opposite != 0) {
    kept = new_slot(ctx, 4);
    emit_row(ctx, "mov.pred", kept, with);
  }
  emit_row(ctx, combine + ".pred", first, compared, kept);
  if (opposite != 0) {
    emit_row(ctx, combine + ".pred", destination_slot(ctx, result.second, OperandType::predicate),
             opposite, kept);
  }
}

void decode_comparison(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name) {
  const std::string_view type = name.type();
  if (name.parts.size() < 3) {
    problem(ctx, "is not known");
    return;
  }
  std::string combine;
  for (const char* op : {"and", "or", "xor"}) {
    if (name.has(op)) combine = op;
  }
  const bool ftz = name.has("ftz");
  const PtxOperand& result = operand_at(ctx, s, 0);
  if (type == "f16x2" || type == "bf16x2") {
    if (combine.empty()) return decode_packed_comparison(ctx, s, name);
    problem(ctx, "combines packed halves");
    return;
  }
  const std::string key = "setp." + std::string(name.parts[1]) + "." + std::string(type);
  const Opcode* row = opcode_table().find(key);
  if (row == nullptr) {
    problem(ctx, "is not known");
    return;
  }
  Instruction i;
  i.run = row->run[0][ftz ? 1 : 0][0];
  if (i.run == nullptr) i.run = row->run[0][0][0];
  i.a = source_slot(ctx, s, 1, row->sources[0]);
  i.b = source_slot(ctx, s, 2, row->sources[1]);
  const std::uint32_t first = destination_slot(ctx, result, OperandType::predicate);
  if (combine.empty() && result.second.empty()) {
    i.d = first;
    emit(ctx, i);
    return;
  }
  emit_combined_comparison(ctx, s, combine, i, first);
}

// Sums with a carry that the next instruction takes: add.cc, addc, sub.cc, subc, mad.cc, madc. The
// hardware subtracts by adding the complement, so the carry of a difference is 1 where nothing was
// borrowed: NVRTC's division of 128-bit integers takes it by addc after subc.cc.
void decode_carry(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name) {
  const int bytes = ptx_type_bytes(name.type());
  if (bytes != 4 && bytes != 8) {
    problem(ctx, "is not known");
    return;
  }
  const std::string_view base = name.base();
  const OperandType type = bytes == 8 ? OperandType::b64 : OperandType::b32;
  const std::string bits = bytes == 8 ? "64" : "32";
  if (ctx.slots.carry == 0) ctx.slots.carry = new_slot(ctx, 4);
  const bool takes = base.back() == 'c';
  const bool gives = name.has("cc");
  const bool subtracts = base.starts_with("sub");
  std::uint32_t a = source_slot(ctx, s, 1, type), b = source_slot(ctx, s, 2, type);
  if (base.starts_with("mad")) {
    const std::uint32_t product = new_slot(ctx, bytes);
    emit_row(ctx, std::string(name.has("hi") ? "mul.hi." : "mul.lo.") + std::string(name.type()),
             product, a, b);
    a = product;
    b = source_slot(ctx, s, 3, type);
  }
  // sum = a ± b, and ± the carry; each step may carry, never both.
  const std::string op = subtracts ? "sub.u" : "add.u";
  const std::uint32_t sum = new_slot(ctx, bytes), first = new_slot(ctx, 4);
  emit_row(ctx, op + bits, sum, a, b);
  emit_row(ctx, (subtracts ? "setp.lt.u" : "setp.gt.u") + bits, first, a, subtracts ? b : sum);
  std::uint32_t result = sum;
  if (takes) {
    const std::uint32_t one = new_slot(ctx, bytes), second = new_slot(ctx, 4);
    result = new_slot(ctx, bytes);
    const std::uint32_t set = constant_slot(ctx, bytes, subtracts ? 0 : 1);
    emit_row(ctx, "selp.b" + bits, one, set, constant_slot(ctx, bytes, subtracts ? 1 : 0),
             ctx.slots.carry);
    emit_row(ctx, op + bits, result, sum, one);
    emit_row(ctx, (subtracts ? "setp.lt.u" : "setp.gt.u") + bits, second, sum,
             subtracts ? one : result);
    emit_row(ctx, "or.pred", first, first, second);
  }
  if (gives) emit_row(ctx, subtracts ? "not.pred" : "mov.pred", ctx.slots.carry, first);
  emit_row(ctx, "mov.b" + bits, destination_slot(ctx, s, 0, type), result);
}

}  // namespace

void decode_arithmetic(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name) {
  const std::string_view base = name.base();
  if (base == "cvt") return decode_conversion(ctx, s, name);
  if (base == "cvta" || base == "isspacep") return decode_address_conversion(ctx, s, name);
  if (base == "mov") return decode_move(ctx, s, name);
  if (base == "setp") return decode_comparison(ctx, s, name);
  if (name.has("cc") || base == "addc" || base == "subc" || base == "madc")
    return decode_carry(ctx, s, name);
  std::string key;
  Rounding rounding = Rounding::nearest;
  bool ftz = false, sat = false;
  for (const std::string_view part : name.parts) {
    if (const std::optional<Rounding> r = rounding_of(part)) {
      rounding = *r;
    } else if (part == "ftz") {
      ftz = true;
    } else if (part == "sat") {
      sat = true;
    } else if (part != "approx" && part != "full" && part != "noftz") {
      if (!key.empty()) key += '.';
      key += part;
    }
  }
  const Opcode* row = opcode_table().find(key);
  if (row == nullptr) {
    problem(ctx, "is not known");
    return;
  }
  if (ftz && row->result == OperandType::f64) ftz = false;  // f64 keeps subnormals
  Instruction i;
  i.run = row->run[static_cast<int>(rounding)][ftz ? 1 : 0][sat ? 1 : 0];
  if (i.run == nullptr) {
    problem(ctx, "has a modifier that is not known");
    return;
  }
  std::uint32_t slots[4] = {};
  for (int k = 0; k < row->source_count; ++k) {
    slots[k] = source_slot(ctx, operand_at(ctx, s, static_cast<std::uint32_t>(k) + 1),
                           row->sources[static_cast<std::size_t>(k)]);
  }
  i.a = slots[0];
  i.b = slots[1];
  i.c = slots[2];
  i.extra = slots[3];  // bfi's length
  if (base == "lop3") i.immediate = operand_at(ctx, s, 4).value;
  const PtxOperand& result = operand_at(ctx, s, 0);
  if (!result.second.empty()) problem(ctx, "has a second result");
  i.d = destination_slot(ctx, result, row->result);
  emit(ctx, i);
}

}  // namespace warpscope
