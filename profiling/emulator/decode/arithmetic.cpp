// profiling/emulator/decode/arithmetic.cpp: lane-wise instructions, moves, conversions, carries.
#include <algorithm>
#include <optional>

#include "profiling/emulator/decode/decoder.h"
#include "profiling/emulator/instructions/conversions.h"
#include "profiling/emulator/instructions/warp_instructions.h"
#include "profiling/emulator/state/memory.h"

namespace warpscope {
void Decoder::arithmetic(const PtxStatement& s, const Name& name) {
  const std::string_view base = name.base();
  if (base == "cvt") return conversion(s, name);
  if (base == "cvta" || base == "isspacep") return address_conversion(s, name);
  if (base == "mov") return move(s, name);
  if (base == "setp") return comparison(s, name);
  if (name.has("cc") || base == "addc" || base == "subc" || base == "madc") return carry(s, name);
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
    problem("is not known");
    return;
  }
  if (ftz && row->result == OperandType::f64) ftz = false;  // f64 keeps subnormals
  Instruction i;
  i.run = row->run[static_cast<int>(rounding)][ftz ? 1 : 0][sat ? 1 : 0];
  if (i.run == nullptr) {
    problem("has a modifier that is not known");
    return;
  }
  std::uint32_t slots[4] = {};
  for (int k = 0; k < row->source_count; ++k) {
    slots[k] = source(operand(s, static_cast<std::uint32_t>(k) + 1),
                      row->sources[static_cast<std::size_t>(k)]);
  }
  i.a = slots[0];
  i.b = slots[1];
  i.c = slots[2];
  i.extra = slots[3];  // bfi's length
  if (base == "lop3") i.immediate = operand(s, 4).value;
  const PtxOperand& result = operand(s, 0);
  if (!result.second.empty()) problem("has a second result");
  i.d = destination(result, row->result);
  emit(i);
}

void Decoder::comparison(const PtxStatement& s, const Name& name) {
  const std::string_view type = name.type();
  if (name.parts.size() < 3) {
    problem("is not known");
    return;
  }
  std::string combine;
  for (const char* op : {"and", "or", "xor"}) {
    if (name.has(op)) combine = op;
  }
  const bool ftz = name.has("ftz");
  const PtxOperand& result = operand(s, 0);
  if (type == "f16x2" || type == "bf16x2") {
    if (combine.empty()) return packed_comparison(s, name);
    problem("combines packed halves");
    return;
  }
  const std::string key = "setp." + std::string(name.parts[1]) + "." + std::string(type);
  const Opcode* row = opcode_table().find(key);
  if (row == nullptr) {
    problem("is not known");
    return;
  }
  Instruction i;
  i.run = row->run[0][ftz ? 1 : 0][0];
  if (i.run == nullptr) i.run = row->run[0][0][0];
  i.a = source(operand(s, 1), row->sources[0]);
  i.b = source(operand(s, 2), row->sources[1]);
  const std::uint32_t first = destination(result, OperandType::predicate);
  if (combine.empty() && result.second.empty()) {
    i.d = first;
    emit(i);
    return;
  }
  combined_comparison(s, combine, i, first);
}

// The lower halves to the first predicate, the upper ones to the second.
void Decoder::packed_comparison(const PtxStatement& s, const Name& name) {
  const PtxOperand& result = operand(s, 0);
  const std::uint32_t a = source(operand(s, 1), OperandType::b32);
  const std::uint32_t b = source(operand(s, 2), OperandType::b32);
  const std::string tail = std::string(name.parts[1]) + "." + std::string(name.type());
  emit_row("setp.lower." + tail, destination(result, OperandType::predicate), a, b);
  if (!result.second.empty()) {
    emit_row("setp.upper." + tail, destination_named(result.second, OperandType::predicate), a, b);
  }
}

// p = (a ∘ b) op c and q = !(a ∘ b) op c: `i` compares a and b, `first` is the slot of p.
void Decoder::combined_comparison(const PtxStatement& s, const std::string& combine, Instruction i,
                                  std::uint32_t first) {
  const PtxOperand& result = operand(s, 0);
  const std::uint32_t compared = new_slot(4);
  i.d = compared;
  const std::uint32_t with = combine.empty() ? 0 : source_predicate(operand(s, 3), nullptr);
  emit(i);
  std::uint32_t opposite = 0;
  if (!result.second.empty()) {
    opposite = new_slot(4);
    emit_row("not.pred", opposite, compared);
  }
  if (combine.empty()) {
    emit_row("mov.pred", first, compared);
    emit_row("mov.pred", destination_named(result.second, OperandType::predicate), opposite);
    return;
  }
  // `with` may be one of the results.
  std::uint32_t kept = with;
  if (opposite != 0) {
    kept = new_slot(4);
    emit_row("mov.pred", kept, with);
  }
  emit_row(combine + ".pred", first, compared, kept);
  if (opposite != 0) {
    emit_row(combine + ".pred", destination_named(result.second, OperandType::predicate), opposite,
             kept);
  }
}

// Sums with a carry that the next instruction takes: add.cc, addc, sub.cc, subc, mad.cc, madc. The
// hardware subtracts by adding the complement, so the carry of a difference is 1 where nothing was
// borrowed: NVRTC's division of 128-bit integers takes it by addc after subc.cc.
void Decoder::carry(const PtxStatement& s, const Name& name) {
  const int bytes = ptx_type_bytes(name.type());
  if (bytes != 4 && bytes != 8) {
    problem("is not known");
    return;
  }
  const std::string_view base = name.base();
  const OperandType type = bytes == 8 ? OperandType::b64 : OperandType::b32;
  const std::string bits = bytes == 8 ? "64" : "32";
  if (carry_slot_ == 0) carry_slot_ = new_slot(4);
  const bool takes = base.back() == 'c';
  const bool gives = name.has("cc");
  const bool subtracts = base.starts_with("sub");
  std::uint32_t a = source(operand(s, 1), type), b = source(operand(s, 2), type);
  if (base.starts_with("mad")) {
    const std::uint32_t product = new_slot(bytes);
    emit_row(std::string(name.has("hi") ? "mul.hi." : "mul.lo.") + std::string(name.type()),
             product, a, b);
    a = product;
    b = source(operand(s, 3), type);
  }
  // sum = a ± b, and ± the carry; each step may carry, never both.
  const std::string op = subtracts ? "sub.u" : "add.u";
  const std::uint32_t sum = new_slot(bytes), first = new_slot(4);
  emit_row(op + bits, sum, a, b);
  emit_row((subtracts ? "setp.lt.u" : "setp.gt.u") + bits, first, a, subtracts ? b : sum);
  std::uint32_t result = sum;
  if (takes) {
    const std::uint32_t one = new_slot(bytes), second = new_slot(4);
    result = new_slot(bytes);
    const std::uint32_t set = constant(bytes, subtracts ? 0 : 1);
    emit_row("selp.b" + bits, one, set, constant(bytes, subtracts ? 1 : 0), carry_slot_);
    emit_row(op + bits, result, sum, one);
    emit_row((subtracts ? "setp.lt.u" : "setp.gt.u") + bits, second, sum, subtracts ? one : result);
    emit_row("or.pred", first, first, second);
  }
  if (gives) emit_row(subtracts ? "not.pred" : "mov.pred", carry_slot_, first);
  emit_row("mov.b" + bits, destination(operand(s, 0), type), result);
}

}  // namespace warpscope
