// profiling/emulator/sass/decode/conversion_family.cpp: numbers of one type to another.
#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "profiling/emulator/instructions/conversions.h"
#include "profiling/emulator/sass/decode/machine_families.h"
#include "scenes/base/texts/machine_code.h"

namespace warpscope {
namespace {

std::optional<Number> number_of(const std::string& part) {
  constexpr std::pair<const char*, Number> kNumbers[] = {
      {"U8", Number::u8},   {"S8", Number::s8},     {"U16", Number::u16}, {"S16", Number::s16},
      {"U32", Number::u32}, {"S32", Number::s32},   {"U64", Number::u64}, {"S64", Number::s64},
      {"F16", Number::f16}, {"BF16", Number::bf16}, {"F32", Number::f32}, {"F64", Number::f64}};
  for (const auto& [name, number] : kNumbers) {
    if (part == name) return number;
  }
  return std::nullopt;
}
bool is_wide(Number n) { return n == Number::u64 || n == Number::s64 || n == Number::f64; }
bool is_real(Number n) { return n >= Number::f16; }

// The types that an opcode names, in order.
std::vector<Number> take_numbers(MachineContext& ctx) {
  std::vector<Number> found;
  for (auto at = ctx.left.begin(); at != ctx.left.end();) {
    const std::optional<Number> number = number_of(*at);
    if (number) {
      found.push_back(*number);
      at = ctx.left.erase(at);
    } else {
      ++at;
    }
  }
  return found;
}

// What PRMT takes out of a register for "R2.H1" and, of bytes, "R2.B3"; 0: nothing.
std::uint32_t selected_part(MachineContext& ctx, const MachineOperand& o, Number from) {
  constexpr const char* kBytes[] = {"B0", "B1", "B2", "B3"};
  const bool bytes = from == Number::u8 || from == Number::s8;
  std::uint32_t select = 0;
  for (const std::string& part : o.parts) {
    const auto byte = std::find(std::begin(kBytes), std::end(kBytes), part);
    if (bytes && byte != std::end(kBytes)) {
      select = 0x4440 + static_cast<std::uint32_t>(byte - std::begin(kBytes));
    } else if (part == "H1" || part == "H1_H1") {
      select = 0x4432;
    } else if (part != "H0" && part != "H0_H0") {
      problem(ctx, "operand " + o.text);
    }
  }
  return select;
}

// The lower half of `a` without its sign, or with the other one.
std::uint32_t signed_half(MachineContext& ctx, const MachineOperand& o, std::uint32_t a) {
  constexpr std::uint64_t kSign = 0x8000;
  constexpr std::int64_t kAnd = 0xc0, kExclusiveOr = 0x3c;
  const std::uint32_t scratch = ctx.layout.scratch;
  const auto combine = [&](std::int64_t table, std::uint64_t mask) {
    emit_extra(ctx, "logic", scratch, a, constant_slot(ctx, mask), ctx.layout.zero).immediate =
        table << kSubopShift;
    a = scratch;
  };
  if (o.absolute) combine(kAnd, kSign - 1);
  if (o.negated) combine(kExclusiveOr, kSign);
  return a;
}

void convert(MachineContext& ctx, const SplitOperands& o, Number to, Number from, Rounding rounding,
             IntegerRounding whole, std::uint8_t flags) {
  const MachineOperand& s = *o.sources[0];
  std::uint32_t a =
      source(ctx, s, kMayNegate | kMayBeAbsolute | kMayBeHalves, is_wide(from) ? 2 : 1);
  const std::uint32_t scratch = ctx.layout.scratch;
  const std::uint32_t part = selected_part(ctx, s, from);
  if (is_wide(from)) {
    emit_joined(ctx, scratch, a);
    a = scratch;
    if (s.absolute) emit_extra(ctx, "sign.absolute", a, a);
    if (s.negated) emit_extra(ctx, "sign.negate", a, a);
  } else {
    if (part != 0) {
      emit_extra(ctx, "permute", scratch, a, constant_slot(ctx, part), ctx.layout.zero);
      a = scratch;
    }
    if (s.negated || s.absolute) {
      if (!is_real(from)) problem(ctx, "operand " + s.text);
      if (from == Number::f16 || from == Number::bf16) {
        a = signed_half(ctx, s, a);
      } else {
        // By the choice of one of one.
        emit_extra(ctx, "choose", scratch, a, a, ctx.layout.always).immediate = decoration(s, 0);
        a = scratch;
      }
    }
  }
  Instruction i;
  i.run = convert_any;
  i.width = static_cast<std::uint8_t>(from);
  i.count = static_cast<std::uint8_t>(to);
  i.subop = static_cast<std::uint8_t>(static_cast<int>(rounding) + 4 * static_cast<int>(whole));
  i.flags = flags;
  i.a = a;
  const std::uint32_t d = destination(ctx, *o.result, is_wide(to) ? 2 : 1);
  const bool uniform = std::exchange(ctx.uniform, false);
  i.d = uniform || is_wide(to) ? scratch + 2 * kSlotBytes : d;
  // The rows of the table are vectorised.
  const RunInstruction plain =
      opcode_table().conversions[static_cast<std::size_t>(to)][static_cast<std::size_t>(from)];
  const bool exact = rounding == Rounding::nearest && whole == IntegerRounding::none && flags == 0;
  if (exact && plain != nullptr) i.run = plain;
  emit(ctx, i);
  std::uint32_t result = i.d;
  if (is_wide(to)) {
    result = uniform ? scratch + 4 * kSlotBytes : d;
    emit_parted(ctx, result, i.d);
  }
  if (uniform) emit_spread(ctx, d, result, is_wide(to) ? 2 : 1);
}

}  // namespace

// F2I, I2F, I2FP, F2F, FRND, I2I.
bool decode_conversion(MachineContext& ctx) {
  const SplitOperands o = split_operands(ctx);
  const std::string name = base_name(ctx);
  if (!has(ctx, o, 1, 0, 0)) return false;
  const std::vector<Number> types = take_numbers(ctx);
  std::uint8_t flags = takes(ctx, "FTZ") ? kConvertFtz : 0;
  const bool no_nan = takes(ctx, "NTZ");
  const int whole = takes_one(ctx, {"TRUNC", "FLOOR", "CEIL"});
  const int rounded = takes_one(ctx, {"RN", "RZ", "RM", "RP"});
  const auto rounding = static_cast<Rounding>(rounded < 0 ? 0 : rounded);
  constexpr IntegerRounding kWhole[] = {IntegerRounding::zero, IntegerRounding::down,
                                        IntegerRounding::up};
  const IntegerRounding to_whole = whole < 0 ? IntegerRounding::nearest : kWhole[whole];
  if (name == "F2I") {
    Number to = Number::s32, from = Number::f32;
    for (const Number n : types) (is_real(n) ? from : to) = n;
    // Without NTZ a NaN becomes the highest bit alone, which is what 64 bits always become.
    if (!no_nan && !is_wide(to) && from != Number::f64)
      return problem(ctx, "F2I of 32 bits without NTZ");
    convert(ctx, o, to, from, Rounding::nearest, to_whole, flags);
    return true;
  }
  if (name == "I2F" || name == "I2FP") {
    Number to = Number::f32, from = Number::s32;
    for (const Number n : types) (is_real(n) ? to : from) = n;
    convert(ctx, o, to, from, rounding, IntegerRounding::none, flags);
    return true;
  }
  if (name == "FRND") {
    const Number type = types.empty() ? Number::f32 : types.front();
    if (types.size() > 1 || !is_real(type)) return problem(ctx, "the form of " + ctx.at->text);
    convert(ctx, o, type, type, Rounding::nearest, to_whole, flags);
    return true;
  }
  if (name == "F2F" && types.size() == 2 && whole < 0) {
    convert(ctx, o, types[0], types[1], rounding, IntegerRounding::none, flags);
    return true;
  }
  return problem(ctx, "the form of " + ctx.at->text);
}

namespace {

bool is_zero_register(const MachineOperand& o) {
  return o.kind == OperandKind::general && o.number == kZeroRegister;
}
// What is merged with the result: zeros, or it is a problem.
bool merges_nothing(MachineContext& ctx, const MachineOperand& o) {
  return is_zero_register(o) || problem(ctx, "operand " + o.text + ", which is merged");
}

// Two floats or halves to two bytes, or two bytes to two halves.
bool pack_bytes(MachineContext& ctx, const SplitOperands& o, bool e4m3) {
  Instruction i;
  i.run = convert_narrow;
  i.count = e4m3 ? 0 : 1;
  if (takes(ctx, "RELU")) i.flags = kConvertRelu;
  if (takes(ctx, "UNPACK_B")) {
    takes(ctx, "F16");
    if (!has(ctx, o, 1, 0, 0)) return false;
    i.subop = 2;
    i.a = source(ctx, *o.sources[0], kMayBeHalves);
    for (const std::string& part : o.sources[0]->parts) {
      if (part != "H1" && part != "H0") return problem(ctx, "operand " + o.sources[0]->text);
      if (part == "H0") continue;
      emit_extra(ctx, "permute", ctx.layout.scratch, i.a, constant_slot(ctx, 0x4432), 0);
      i.a = ctx.layout.scratch;
    }
  } else if (takes(ctx, "UNPACK_B_MERGE_C") && takes(ctx, "SATFINITE") && takes(ctx, "F16")) {
    if (!has(ctx, o, 2, 0, 0) || !merges_nothing(ctx, *o.sources[1])) return false;
    i.subop = 1;
    i.a = source(ctx, *o.sources[0]);
  } else if (takes(ctx, "PACK_AB_MERGE_C") && takes(ctx, "SATFINITE") && takes(ctx, "F32")) {
    if (!has(ctx, o, 3, 0, 0)) return false;
    i.a = source(ctx, *o.sources[0]);
    i.b = source(ctx, *o.sources[1]);
    if (!is_zero_register(*o.sources[2])) {
      // The other two bytes are the lower half of what is merged.
      constexpr std::uint64_t kLowerHalves = 0x5410;
      i.d = ctx.layout.scratch;
      emit(ctx, i);
      emit_extra(ctx, "permute", destination(ctx, *o.result), ctx.layout.scratch,
                 constant_slot(ctx, kLowerHalves), source(ctx, *o.sources[2]));
      return true;
    }
  } else {
    return problem(ctx, "the form of " + ctx.at->text);
  }
  i.d = destination(ctx, *o.result);
  emit(ctx, i);
  return true;
}

bool pack_tf32(MachineContext& ctx, const SplitOperands& o) {
  const bool zero = takes(ctx, "RZ");
  const Opcode* const row =
      opcode_table().find(takes(ctx, "RELU") ? "cvt.relu.tf32.f32" : "cvt.tf32.f32");
  if (!has(ctx, o, 1, 0, 0)) return false;
  Instruction i;
  i.run = row == nullptr ? nullptr : row->run[zero ? 1 : 0][0][0];
  if (i.run == nullptr) return problem(ctx, "the form of " + ctx.at->text);
  i.d = destination(ctx, *o.result);
  i.a = source(ctx, *o.sources[0]);
  emit(ctx, i);
  return true;
}

}  // namespace

// F2FP: two numbers into the halves of one word (MERGE_C: one into the lower half), or two bytes to
// two halves.
bool decode_pack(MachineContext& ctx) {
  const SplitOperands o = split_operands(ctx);
  const bool e4m3 = takes(ctx, "E4M3"), e5m2 = !e4m3 && takes(ctx, "E5M2");
  if (e4m3 || e5m2) return pack_bytes(ctx, o, e4m3);
  if (takes(ctx, "TF32") && takes(ctx, "PACK_B") && takes(ctx, "F32")) return pack_tf32(ctx, o);
  std::vector<Number> types = take_numbers(ctx);
  if (ctx.image.compute_capability < kCheckedMachineCode) {  // leaves out .F16 and .F32
    if (types.empty()) types.push_back(Number::f16);
    if (types.size() == 1) types.push_back(Number::f32);
  }
  const bool two = takes(ctx, "PACK_AB");
  if ((!two && !takes(ctx, "MERGE_C")) || types.size() != 2 || types[1] != Number::f32 ||
      (types[0] != Number::f16 && types[0] != Number::bf16))
    return problem(ctx, "the form of " + ctx.at->text);
  const bool zero = takes(ctx, "RZ");
  std::string row = takes(ctx, "RELU") ? "cvt.relu." : "cvt.";
  row += types[0] == Number::f16 ? "f16x2.f32" : "bf16x2.f32";
  const Opcode* const found = opcode_table().find(row);
  if (!has(ctx, o, 2, 0, 0)) return false;
  Instruction i;
  i.run = found == nullptr ? nullptr : found->run[zero ? 1 : 0][0][0];
  if (i.run == nullptr) return problem(ctx, "the form of " + ctx.at->text);
  if (!two && !merges_nothing(ctx, *o.sources[1])) return false;
  i.d = destination(ctx, *o.result);
  i.a = two ? source(ctx, *o.sources[0]) : ctx.layout.zero;
  i.b = source(ctx, *o.sources[two ? 1 : 0]);
  emit(ctx, i);
  return true;
}

namespace {

// The option of the rows "narrow" and "pack"; no value: there is no such type.
std::optional<std::int64_t> take_narrow(MachineContext& ctx) {
  constexpr std::int64_t kSigned = 32;
  constexpr std::int64_t kOptions[] = {16,           8,           4,           2,
                                       16 | kSigned, 8 | kSigned, 4 | kSigned, 2 | kSigned};
  const int type = takes_one(ctx, {"U16", "U8", "U4", "U2", "S16", "S8", "S4", "S2"});
  if (type < 0) return std::nullopt;
  return kOptions[type];
}

// A float as a whole number in a slot that nothing else uses.
std::uint32_t whole_number(MachineContext& ctx, const MachineOperand& o, bool is_signed,
                           IntegerRounding rounding) {
  Instruction i;
  i.run = convert_any;
  i.width = static_cast<std::uint8_t>(Number::f32);
  i.count = static_cast<std::uint8_t>(is_signed ? Number::s8 : Number::u8);
  i.subop = static_cast<std::uint8_t>(4 * static_cast<int>(rounding));
  i.a = source(ctx, o);
  i.d = new_slots(ctx, 1);
  emit(ctx, i).counted = 0;
  return i.d;
}

}  // namespace

// I2I.U8.S32.SAT R0, R1; I2IP.S4.S32.SAT R0, R1, R2, R3.24: two numbers below the lower 24 bits of
// R3; F2IP.U8.F32.NTZ R0, R1, R2, R3.
bool decode_integer_pack(MachineContext& ctx) {
  const SplitOperands o = split_operands(ctx);
  const bool floats = ctx.at->name == "F2IP", one = ctx.at->name == "I2I";
  const std::optional<std::int64_t> type = take_narrow(ctx);
  if (!type || !takes(ctx, floats ? "F32" : "S32") || !takes(ctx, floats ? "NTZ" : "SAT"))
    return problem(ctx, "the form of " + ctx.at->text);
  if (!has(ctx, o, one ? 1 : 3, 0, 0)) return false;
  const std::int64_t option = *type << kSubopShift;
  if (one) {
    emit_row(ctx, "narrow", destination(ctx, *o.result), source(ctx, *o.sources[0])).immediate =
        option;
    return true;
  }
  const int bits = static_cast<int>(*type & 31);
  MachineOperand above = *o.sources[2];
  if (bits < 8 && above.parts.size() == 1 && above.parts[0] == std::to_string(32 - 2 * bits))
    above.parts.clear();
  std::uint32_t slots[2];
  if (floats) {
    if (bits != 8) return problem(ctx, "the form of " + ctx.at->text);
    const IntegerRounding rounding =
        takes(ctx, "TRUNC") ? IntegerRounding::zero : IntegerRounding::nearest;
    for (std::size_t k = 0; k < 2; ++k)
      slots[k] = whole_number(ctx, *o.sources[k], *type != bits, rounding);
  } else {
    for (std::size_t k = 0; k < 2; ++k) slots[k] = source(ctx, *o.sources[k]);
  }
  const std::uint32_t c = source(ctx, above);
  emit_row(ctx, "pack", destination(ctx, *o.result), slots[0], slots[1], c).immediate = option;
  return true;
}

}  // namespace warpscope
