// profiling/emulator/opcodes/conversions.cpp: conversions, moves, and addresses from one space to
// another.
#include "profiling/emulator/instructions/conversions.h"

#include <optional>

#include "profiling/emulator/decode/emit.h"
#include "profiling/emulator/decode/families.h"
#include "profiling/emulator/decode/operands.h"
#include "profiling/emulator/instructions/warp_instructions.h"
#include "profiling/emulator/state/memory.h"
#include "scenes/host/enumerators.h"

namespace warpscope {
namespace {

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
  static_assert(std::size(kNames) == kEnumeratorCount<Number>);
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

// What stands between cvt and its two types.
struct ConversionModifiers {
  Rounding rounding = Rounding::nearest;
  IntegerRounding whole = IntegerRounding::none;
  std::uint8_t flags = 0;
  bool away = false;  // .rna
  bool plain = true;  // as conversions are whose opcode has no modifier
};
// No value if one is not known.
std::optional<ConversionModifiers> modifiers_of(const std::vector<std::string_view>& parts) {
  ConversionModifiers m;
  for (std::size_t k = 1; k + 2 < parts.size(); ++k) {
    const std::string_view part = parts[k];
    if (const auto r = rounding_of(part)) {
      m.rounding = *r;
      m.plain = m.plain && *r == Rounding::nearest;
      continue;
    }
    if (part == "noftz") continue;
    if (const auto r = integer_rounding_of(part)) {
      m.whole = *r;
    } else if (part == "ftz") {
      m.flags |= kConvertFtz;
    } else if (part == "sat") {
      m.flags |= kConvertSat;
    } else if (part == "relu") {
      m.flags |= kConvertRelu;
    } else if (part == "rna") {
      m.away = true;
    } else {
      return std::nullopt;
    }
    m.plain = false;
  }
  return m;
}

// Pairs of numbers of eight bits, from f32 or f16x2 and to f16x2.
void decode_narrow_conversion(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name) {
  const std::string_view to = name.parts[name.parts.size() - 2], from = name.type();
  const bool narrows = to != "f16x2";
  Instruction i;
  i.subop = !narrows ? 2 : from == "f16x2" ? 1 : 0;
  for (std::size_t k = 1; k + 2 < name.parts.size(); ++k) {
    if (name.parts[k] == "relu") {
      i.flags |= kConvertRelu;
    } else if (name.parts[k] != "rn" && name.parts[k] != "satfinite") {
      problem(ctx, "has a modifier that is not known");
    }
  }
  if (narrows && (!name.has("satfinite") || (from != "f16x2" && from != "f32"))) {
    problem(ctx, "is not known");
  }
  i.run = convert_narrow;
  i.count = (narrows ? to : from) == "e5m2x2" ? 1 : 0;
  const OperandType type = i.subop == 0   ? OperandType::f32
                           : i.subop == 1 ? OperandType::b32
                                          : OperandType::b16;
  i.a = source_slot(ctx, s, 1, type);
  if (i.subop == 0) i.b = source_slot(ctx, s, 2, type);
  i.d = destination_slot(ctx, s, 0, narrows ? OperandType::b16 : OperandType::b32);
  emit(ctx, i);
}

// Pairs and tf32 are rows of the table.
void decode_conversion_by_row(DecodeContext& ctx, const PtxStatement& s, const std::string& key,
                              Rounding rounding) {
  const Opcode* row = opcode_table().find(key);
  if (row == nullptr || row->run[static_cast<int>(rounding)][0][0] == nullptr) {
    problem(ctx, "is not known");
    return;
  }
  Instruction i;
  i.run = row->run[static_cast<int>(rounding)][0][0];
  i.a = source_slot(ctx, s, 1, row->sources[0]);
  if (row->source_count > 1) i.b = source_slot(ctx, s, 2, row->sources[1]);
  i.d = destination_slot(ctx, s, 0, row->result);
  emit(ctx, i);
}

// A result narrower than its register widens with its sign (PTX ISA, "Operand Size Exceeding").
void emit_widened(DecodeContext& ctx, Instruction i, std::uint32_t wide, Number to,
                  bool is_signed) {
  i.d = new_slot(ctx, 4);
  const std::uint32_t narrow = i.d;
  emit(ctx, i);
  Instruction widen;
  widen.run =
      opcode_table().conversions[static_cast<std::size_t>(is_signed ? Number::s64 : Number::u64)]
                                [static_cast<std::size_t>(to)];
  if (widen.run == nullptr) problem(ctx, "has a result of another size");
  widen.d = wide;
  widen.a = narrow;
  emit(ctx, widen);
}

// mov.b64 %rd1, {%r1, %r2}: parts to one register of `bytes` bytes.
void pack_parts(DecodeContext& ctx, const PtxOperand& to, const std::vector<PtxOperand>& parts,
                int bytes) {
  const std::size_t count = parts.size();
  if (count != 2 && count != 4) {
    problem(ctx, "packs another number of parts than 2 or 4");
    return;
  }
  const OperandType whole = bytes == 8 ? OperandType::b64 : OperandType::b32;
  if (count == 4 && (bytes == 8 || bytes == 4)) {
    const std::string halves = bytes == 8 ? "pack.b32" : "pack.b16";
    const std::uint32_t low = new_slot(ctx, 4), high = new_slot(ctx, 4);
    emit_row(ctx, halves, low, source_slot(ctx, parts[0], OperandType::b16),
             source_slot(ctx, parts[1], OperandType::b16));
    emit_row(ctx, halves, high, source_slot(ctx, parts[2], OperandType::b16),
             source_slot(ctx, parts[3], OperandType::b16));
    emit_row(ctx, bytes == 8 ? "pack.b64" : "pack.b32", destination_slot(ctx, to, whole), low,
             high);
  } else if (count == 2 && (bytes == 8 || bytes == 4 || bytes == 2)) {
    const OperandType part = bytes == 8 ? OperandType::b32 : OperandType::b16;
    emit_row(ctx,
             bytes == 8   ? "pack.b64"
             : bytes == 4 ? "pack.b32"
                          : "pack.b16",
             destination_slot(ctx, to, whole), source_slot(ctx, parts[0], part),
             source_slot(ctx, parts[1], part));
  } else {
    problem(ctx, "packs parts of a size that is not known");
  }
}

// mov.b64 {%r1, %r2}, %rd1: the other way round.
void unpack_parts(DecodeContext& ctx, const std::vector<PtxOperand>& parts, const PtxOperand& from,
                  int bytes) {
  const std::size_t count = parts.size();
  if ((count != 2 && count != 4) || (bytes != 8 && bytes != 4)) {
    problem(ctx, "unpacks parts of a size that is not known");
    return;
  }
  // The source may be one of the results.
  const OperandType whole = bytes == 8 ? OperandType::b64 : OperandType::b32;
  const std::uint32_t copy = new_slot(ctx, bytes);
  emit_row(ctx, bytes == 8 ? "mov.b64" : "mov.b32", copy, source_slot(ctx, from, whole));
  const int part_bits = bytes * 8 / static_cast<int>(count);
  const std::string tail = ".b" + std::to_string(part_bits) + (bytes == 8 ? ".b64" : ".b32");
  for (std::size_t k = 0; k < count; ++k) {
    if (parts[k].name == "_") continue;
    emit_row(ctx, "unpack." + std::to_string(k) + tail,
             destination_slot(ctx, parts[k], part_bits == 32 ? OperandType::b32 : OperandType::b16),
             copy);
  }
}

}  // namespace

void decode_conversion(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name) {
  if (name.parts.size() < 3) {
    problem(ctx, "is not known");
    return;
  }
  if (name.parts[1] == "pack") return decode_saturated_pack(ctx, s, name);
  const std::string_view to_text = name.parts[name.parts.size() - 2], from_text = name.type();
  const auto narrow = [](std::string_view type) { return type == "e4m3x2" || type == "e5m2x2"; };
  if (narrow(to_text) || narrow(from_text)) return decode_narrow_conversion(ctx, s, name);
  const std::optional<ConversionModifiers> modifiers = modifiers_of(name.parts);
  if (!modifiers) {
    problem(ctx, "has a modifier that is not known");
    return;
  }
  const std::optional<Number> to = number_of(to_text), from = number_of(from_text);
  if (!to || !from) {
    const std::string key = std::string("cvt.") + (modifiers->away ? "rna." : "") +
                            ((modifiers->flags & kConvertRelu) != 0 ? "relu." : "") +
                            std::string(to_text) + "." + std::string(from_text);
    return decode_conversion_by_row(ctx, s, key, modifiers->rounding);
  }
  Instruction i;
  if (modifiers->plain) {
    i.run =
        opcode_table().conversions[static_cast<std::size_t>(*to)][static_cast<std::size_t>(*from)];
  }
  if (i.run == nullptr) {
    i.run = convert_any;
    i.width = static_cast<std::uint8_t>(*from);
    i.count = static_cast<std::uint8_t>(*to);
    i.subop = static_cast<std::uint8_t>(static_cast<int>(modifiers->rounding) |
                                        static_cast<int>(modifiers->whole) << 2);
    i.flags = modifiers->flags;
  }
  i.a = source_slot(ctx, s, 1, operand_type_of(*from));
  const OperandType type = operand_type_of(*to);
  RegisterSlot found;
  const PtxOperand& result = operand_at(ctx, s, 0);
  const RegisterSlot* r = find_register(ctx, result.name, found);
  if (r != nullptr && r->bytes == 8 && type != OperandType::b64 && type != OperandType::f64) {
    return emit_widened(ctx, i, r->slot, *to, to_text[0] == 's');
  }
  i.d = destination_slot(ctx, result, type);
  emit(ctx, i);
}

void decode_move(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name) {
  const PtxOperand &to = operand_at(ctx, s, 0), &from = operand_at(ctx, s, 1);
  const std::string_view type = name.type();
  const int bytes = ptx_type_bytes(type);
  if (from.kind == PtxOperand::Kind::vector)
    return pack_parts(ctx, to, operand_parts(ctx, from), bytes);
  if (to.kind == PtxOperand::Kind::vector)
    return unpack_parts(ctx, operand_parts(ctx, to), from, bytes);
  if (from.kind == PtxOperand::Kind::name &&
      (from.name.starts_with("%clock") || from.name.starts_with("%globaltimer"))) {
    Instruction i;
    i.run = run_clock;
    i.width = static_cast<std::uint8_t>(bytes);
    i.d = destination_slot(ctx, to, bytes == 8 ? OperandType::b64 : OperandType::b32);
    emit(ctx, i);
    return;
  }
  const OperandType operand_kind = type == "pred"  ? OperandType::predicate
                                   : type == "f32" ? OperandType::f32
                                   : type == "f64" ? OperandType::f64
                                   : bytes == 8    ? OperandType::b64
                                   : bytes == 2    ? OperandType::b16
                                                   : OperandType::b32;
  if (bytes == 0 || bytes > 8) {
    problem(ctx, "is not known");
    return;
  }
  const std::uint32_t a = source_slot(ctx, from, operand_kind);
  emit_row(ctx,
           type == "pred" ? "mov.pred"
           : bytes == 8   ? "mov.b64"
           : bytes == 2   ? "mov.b16"
                          : "mov.b32",
           destination_slot(ctx, to, operand_kind), a);
}

// mapa{.shared::cluster}.u32/.u64 d, a, rank; getctarank the other way round.
void decode_cluster_address(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name) {
  Instruction i;
  i.space = name.has("shared::cluster") ? AddressSpace::shared : AddressSpace::generic;
  i.width = name.type() == "u64" ? 8 : 4;
  const OperandType type = i.width == 8 ? OperandType::b64 : OperandType::b32;
  if (i.width == 4 && (name.type() != "u32" || i.space == AddressSpace::generic)) {
    problem(ctx, "is not known");
    return;
  }
  PtxOperand where = operand_at(ctx, s, 1);
  if (where.kind == PtxOperand::Kind::address) where.kind = PtxOperand::Kind::name;
  i.a = source_slot(ctx, where, type);
  const bool maps = name.base() == "mapa";
  i.run = maps ? run_map_address : run_rank_of_address;
  if (maps) i.b = source_slot(ctx, s, 2, OperandType::b32);
  i.d = destination_slot(ctx, s, 0, maps ? type : OperandType::b32);
  emit(ctx, i);
}

void decode_address_conversion(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name) {
  AddressSpace space = AddressSpace::global;
  std::uint64_t window = 0;
  if (name.has("shared") || name.has("shared::cta") || name.has("shared::cluster")) {
    space = AddressSpace::shared;
    window = kSharedWindow;
  } else if (name.has("local")) {
    space = AddressSpace::local;
    window = kLocalWindow;
  } else if (name.has("param") || name.has("param::entry")) {
    space = AddressSpace::param;
    window = kParamWindow;
  } else if (name.has("const")) {
    space = AddressSpace::constant;
  }
  Instruction i;
  i.space = space;
  if (name.base() == "isspacep") {
    i.run = run_is_space;
    i.subop = name.has("shared::cluster") ? 1 : 0;
    i.a = source_slot(ctx, s, 1, OperandType::b64);
    i.d = destination_slot(ctx, s, 0, OperandType::predicate);
    emit(ctx, i);
    return;
  }
  if (name.type() != "u64") {
    problem(ctx, "converts 32-bit addresses");
    return;
  }
  i.a = source_slot(ctx, s, 1, OperandType::b64);
  i.d = destination_slot(ctx, s, 0, OperandType::b64);
  if (window == 0) {
    emit_row(ctx, "mov.b64", i.d, i.a);
    return;
  }
  i.run = run_to_window;
  i.width = 8;
  i.immediate = static_cast<std::int64_t>(name.has("to") ? 0 - window : window);
  emit(ctx, i);
}

}  // namespace warpscope
