// profiling/emulator/decode/arithmetic.cpp: lane-wise instructions, moves, conversions, carries.
#include <algorithm>
#include <optional>

#include "profiling/emulator/decode/decoder.h"
#include "profiling/emulator/instructions/conversions.h"
#include "profiling/emulator/instructions/warp_instructions.h"
#include "profiling/emulator/state/memory.h"
#include "scenes/host/enumerators.h"

namespace warpscope {
namespace {

std::optional<Rounding> rounding_of(std::string_view part) {
  if (part == "rn") return Rounding::nearest;
  if (part == "rz") return Rounding::zero;
  if (part == "rm") return Rounding::down;
  if (part == "rp") return Rounding::up;
  return std::nullopt;
}
std::optional<IntegerRounding> integer_rounding_of(std::string_view part) {
  if (part == "rni") return IntegerRounding::nearest;
  if (part == "rzi") return IntegerRounding::zero;
  if (part == "rmi") return IntegerRounding::down;
  if (part == "rpi") return IntegerRounding::up;
  return std::nullopt;
}
std::optional<Number> number_of(std::string_view type) {
  static constexpr std::string_view kNames[] = {"u8",  "s8",  "u16", "s16",  "u32", "s32",
                                                "u64", "s64", "f16", "bf16", "f32", "f64"};
  static_assert(std::size(kNames) == enumerator_count<Number>);
  for (std::size_t k = 0; k < std::size(kNames); ++k) {
    if (kNames[k] == type) return static_cast<Number>(k);
  }
  return std::nullopt;
}
OperandType operand_type_of(Number number) {
  switch (number) {
    case Number::u64:
    case Number::s64:
      return OperandType::b64;
    case Number::f64:
      return OperandType::f64;
    case Number::f32:
      return OperandType::f32;
    case Number::u32:
    case Number::s32:
      return OperandType::b32;
    default:
      return OperandType::b16;
  }
}

}  // namespace

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
  // Packed halves: the lower ones to the first predicate, the upper ones to the second.
  if (type == "f16x2" || type == "bf16x2") {
    if (!combine.empty()) {
      problem("combines packed halves");
      return;
    }
    const std::uint32_t a = source(operand(s, 1), OperandType::b32);
    const std::uint32_t b = source(operand(s, 2), OperandType::b32);
    const std::string tail = std::string(name.parts[1]) + "." + std::string(type);
    emit_row("setp.lower." + tail, destination(result, OperandType::predicate), a, b);
    if (!result.second.empty()) {
      emit_row("setp.upper." + tail, destination_named(result.second, OperandType::predicate), a,
               b);
    }
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
  // p = (a ∘ b) op c and q = !(a ∘ b) op c.
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

void Decoder::conversion(const PtxStatement& s, const Name& name) {
  if (name.parts.size() < 3) {
    problem("is not known");
    return;
  }
  const std::string_view to_text = name.parts[name.parts.size() - 2], from_text = name.type();
  Rounding rounding = Rounding::nearest;
  IntegerRounding whole = IntegerRounding::none;
  std::uint8_t modifiers = 0;
  bool away = false, plain = true;
  for (std::size_t k = 1; k + 2 < name.parts.size(); ++k) {
    const std::string_view part = name.parts[k];
    if (const auto r = rounding_of(part)) {
      rounding = *r;
      plain = plain && *r == Rounding::nearest;
      continue;
    }
    if (part == "noftz") continue;
    if (const auto r = integer_rounding_of(part)) {
      whole = *r;
    } else if (part == "ftz") {
      modifiers |= convert_ftz;
    } else if (part == "sat") {
      modifiers |= convert_sat;
    } else if (part == "relu") {
      modifiers |= convert_relu;
    } else if (part == "rna") {
      away = true;
    } else {
      problem("has a modifier that is not known");
      return;
    }
    plain = false;
  }
  const std::optional<Number> to = number_of(to_text), from = number_of(from_text);
  Instruction i;
  if (!to || !from) {
    // Pairs and tf32 are rows of the table.
    const std::string key = std::string("cvt.") + (away ? "rna." : "") +
                            ((modifiers & convert_relu) != 0 ? "relu." : "") +
                            std::string(to_text) + "." + std::string(from_text);
    const Opcode* row = opcode_table().find(key);
    if (row == nullptr || row->run[static_cast<int>(rounding)][0][0] == nullptr) {
      problem("is not known");
      return;
    }
    i.run = row->run[static_cast<int>(rounding)][0][0];
    i.a = source(operand(s, 1), row->sources[0]);
    if (row->source_count > 1) i.b = source(operand(s, 2), row->sources[1]);
    i.d = destination(operand(s, 0), row->result);
    emit(i);
    return;
  }
  i.run = plain ? opcode_table()
                      .conversions[static_cast<std::size_t>(*to)][static_cast<std::size_t>(*from)]
                : nullptr;
  if (i.run == nullptr) {
    i.run = convert_any;
    i.width = static_cast<std::uint8_t>(*from);
    i.count = static_cast<std::uint8_t>(*to);
    i.subop = static_cast<std::uint8_t>(static_cast<int>(rounding) | static_cast<int>(whole) << 2);
    i.flags = modifiers;
  }
  i.a = source(operand(s, 1), operand_type_of(*from));
  // A result narrower than its register widens with its sign (PTX ISA, "Operand Size Exceeding").
  const OperandType type = operand_type_of(*to);
  Register found;
  const PtxOperand& result = operand(s, 0);
  const Register* r = find_register(result.name, found);
  if (r != nullptr && r->bytes == 8 && type != OperandType::b64 && type != OperandType::f64) {
    const std::uint32_t wide = r->slot;
    i.d = new_slot(4);
    const std::uint32_t narrow = i.d;
    emit(i);
    const bool is_signed = to_text[0] == 's';
    Instruction widen;
    widen.run =
        opcode_table().conversions[static_cast<std::size_t>(is_signed ? Number::s64 : Number::u64)]
                                  [static_cast<std::size_t>(*to)];
    if (widen.run == nullptr) problem("has a result of another size");
    widen.d = wide;
    widen.a = narrow;
    emit(widen);
    return;
  }
  i.d = destination(result, type);
  emit(i);
}

void Decoder::move(const PtxStatement& s, const Name& name) {
  const PtxOperand &to = operand(s, 0), &from = operand(s, 1);
  const std::string_view type = name.type();
  const int bytes = ptx_type_bytes(type);
  if (from.kind == PtxOperand::Kind::vector) {
    std::vector<PtxOperand> parts = parts_of(from);
    const std::size_t count = parts.size();
    if (count != 2 && count != 4) {
      problem("packs another number of parts than 2 or 4");
      return;
    }
    if (bytes == 8 && count == 4) {
      const std::uint32_t low = new_slot(4), high = new_slot(4);
      emit_row("pack.b32", low, source(parts[0], OperandType::b16),
               source(parts[1], OperandType::b16));
      emit_row("pack.b32", high, source(parts[2], OperandType::b16),
               source(parts[3], OperandType::b16));
      emit_row("pack.b64", destination(to, OperandType::b64), low, high);
    } else if (bytes == 4 && count == 4) {
      const std::uint32_t low = new_slot(4), high = new_slot(4);
      emit_row("pack.b16", low, source(parts[0], OperandType::b16),
               source(parts[1], OperandType::b16));
      emit_row("pack.b16", high, source(parts[2], OperandType::b16),
               source(parts[3], OperandType::b16));
      emit_row("pack.b32", destination(to, OperandType::b32), low, high);
    } else if (count == 2 && (bytes == 8 || bytes == 4 || bytes == 2)) {
      const OperandType part = bytes == 8 ? OperandType::b32 : OperandType::b16;
      emit_row(bytes == 8   ? "pack.b64"
               : bytes == 4 ? "pack.b32"
                            : "pack.b16",
               destination(to, bytes == 8 ? OperandType::b64 : OperandType::b32),
               source(parts[0], part), source(parts[1], part));
    } else {
      problem("packs parts of a size that is not known");
    }
    return;
  }
  if (to.kind == PtxOperand::Kind::vector) {
    std::vector<PtxOperand> parts = parts_of(to);
    const std::size_t count = parts.size();
    const bool known =
        (count == 2 && (bytes == 8 || bytes == 4)) || (count == 4 && (bytes == 8 || bytes == 4));
    if (!known) {
      problem("unpacks parts of a size that is not known");
      return;
    }
    // The source may be one of the results.
    const OperandType whole = bytes == 8 ? OperandType::b64 : OperandType::b32;
    const std::uint32_t copy = new_slot(bytes);
    emit_row(bytes == 8 ? "mov.b64" : "mov.b32", copy, source(from, whole));
    const int part_bits = bytes * 8 / static_cast<int>(count);
    const std::string tail = ".b" + std::to_string(part_bits) + (bytes == 8 ? ".b64" : ".b32");
    for (std::size_t k = 0; k < count; ++k) {
      if (parts[k].name == "_") continue;
      emit_row("unpack." + std::to_string(k) + tail,
               destination(parts[k], part_bits == 32 ? OperandType::b32 : OperandType::b16), copy);
    }
    return;
  }
  if (from.kind == PtxOperand::Kind::name &&
      (from.name.starts_with("%clock") || from.name.starts_with("%globaltimer"))) {
    Instruction i;
    i.run = run_clock;
    i.width = static_cast<std::uint8_t>(bytes);
    i.d = destination(to, bytes == 8 ? OperandType::b64 : OperandType::b32);
    emit(i);
    return;
  }
  const OperandType operand_kind = type == "pred"  ? OperandType::predicate
                                   : type == "f32" ? OperandType::f32
                                   : type == "f64" ? OperandType::f64
                                   : bytes == 8    ? OperandType::b64
                                   : bytes == 2    ? OperandType::b16
                                                   : OperandType::b32;
  if (bytes == 0 || bytes > 8) {
    problem("is not known");
    return;
  }
  const std::uint32_t a = source(from, operand_kind);
  emit_row(type == "pred" ? "mov.pred"
           : bytes == 8   ? "mov.b64"
           : bytes == 2   ? "mov.b16"
                          : "mov.b32",
           destination(to, operand_kind), a);
}

void Decoder::address_conversion(const PtxStatement& s, const Name& name) {
  AddressSpace space = AddressSpace::global;
  std::uint64_t window = 0;
  if (name.has("shared") || name.has("shared::cta") || name.has("shared::cluster")) {
    space = AddressSpace::shared;
    window = shared_window;
  } else if (name.has("local")) {
    space = AddressSpace::local;
    window = local_window;
  } else if (name.has("param") || name.has("param::entry")) {
    space = AddressSpace::param;
    window = param_window;
  } else if (name.has("const")) {
    space = AddressSpace::constant;
  }
  Instruction i;
  i.space = space;
  if (name.base() == "isspacep") {
    i.run = run_is_space;
    i.a = source(operand(s, 1), OperandType::b64);
    i.d = destination(operand(s, 0), OperandType::predicate);
    emit(i);
    return;
  }
  if (name.type() != "u64") {
    problem("converts 32-bit addresses");
    return;
  }
  i.a = source(operand(s, 1), OperandType::b64);
  i.d = destination(operand(s, 0), OperandType::b64);
  if (window == 0) {
    emit_row("mov.b64", i.d, i.a);
    return;
  }
  i.run = run_to_window;
  i.width = 8;
  i.immediate = static_cast<std::int64_t>(name.has("to") ? 0 - window : window);
  emit(i);
}

// Sums with a carry that the next instruction takes: add.cc, addc, sub.cc, subc, mad.cc, madc.
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
    emit_row("selp.b" + bits, one, constant(bytes, 1), constant(bytes, 0), carry_slot_);
    emit_row(op + bits, result, sum, one);
    emit_row((subtracts ? "setp.lt.u" : "setp.gt.u") + bits, second, sum, subtracts ? one : result);
    emit_row("or.pred", first, first, second);
  }
  if (gives) emit_row("mov.pred", carry_slot_, first);
  emit_row("mov.b" + bits, destination(operand(s, 0), type), result);
}

}  // namespace warpscope
