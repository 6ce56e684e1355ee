// profiling/emulator/opcodes/warpgroup.cpp: wgmma and setmaxnreg.
#include <charconv>
#include <optional>

#include "profiling/emulator/decode/emit.h"
#include "profiling/emulator/decode/families.h"
#include "profiling/emulator/decode/operands.h"
#include "profiling/emulator/warpgroups/products.h"
#include "scenes/host/enumerators.h"

namespace warpscope {
namespace {

std::optional<ProductType> product_type_of(std::string_view type) {
  static constexpr std::string_view kNames[] = {"f16", "bf16", "tf32", "e4m3", "e5m2",
                                                "s8",  "u8",   "f32",  "s32"};
  static_assert(std::size(kNames) == kEnumeratorCount<ProductType>);
  for (std::size_t k = 0; k < std::size(kNames); ++k) {
    if (kNames[k] == type) return static_cast<ProductType>(k);
  }
  return std::nullopt;
}

bool is_integer(ProductType type) { return type == ProductType::s8 || type == ProductType::u8; }
bool is_narrow(ProductType type) { return type == ProductType::e4m3 || type == ProductType::e5m2; }
bool is_half(ProductType type) { return type == ProductType::f16 || type == ProductType::bf16; }

// "m64n128k16"
bool read_shape(std::string_view text, WarpgroupProduct& p) {
  if (!text.starts_with("m64n")) return false;
  const char* const end = text.data() + text.size();
  const auto n = std::from_chars(text.data() + 4, end, p.n);
  if (n.ec != std::errc() || n.ptr == end || *n.ptr != 'k') return false;
  const auto k = std::from_chars(n.ptr + 1, end, p.k);
  return k.ec == std::errc() && k.ptr == end;
}

// source: PTX ISA, "wgmma.mma_async": shapes and types.
bool is_shape(const WarpgroupProduct& p) {
  if (p.n < 8 || p.n > 256 || p.n % 8 != 0 || p.k * bytes_of(p.a) != kProductBytes) return false;
  return !is_integer(p.a) || p.n <= 24 || (p.n % 16 == 0 && p.n >= 32);
}
bool are_types(const WarpgroupProduct& p) {
  if (is_integer(p.a)) return is_integer(p.b) && p.d == ProductType::s32;
  if (is_narrow(p.a)) {
    return is_narrow(p.b) && (p.d == ProductType::f32 || p.d == ProductType::f16);
  }
  if (p.a != p.b) return false;
  if (p.a == ProductType::f16) return p.d == ProductType::f32 || p.d == ProductType::f16;
  return (p.a == ProductType::bf16 || p.a == ProductType::tf32) && p.d == ProductType::f32;
}

// Shape and types of wgmma.mma_async.sync.aligned.m64n8k16[.satfinite].f32.f16.f16.
bool take_product(DecodeContext& ctx, const OpcodeName& name, WarpgroupProduct& p) {
  const std::size_t parts = name.parts.size();
  if (name.has("sp")) return problem(ctx, "is not emulated: products of sparse matrices");
  const std::optional<ProductType> d = parts < 8 ? std::nullopt
                                                 : product_type_of(name.parts[parts - 3]),
                                   a = product_type_of(name.parts[parts < 8 ? 0 : parts - 2]),
                                   b = product_type_of(name.type());
  if (!d || !a || !b || !read_shape(name.parts[4], p)) {
    return problem(ctx, "has a shape or a type that is not known");
  }
  p.d = *d;
  p.a = *a;
  p.b = *b;
  p.saturate = name.has("satfinite");
  return (are_types(p) && is_shape(p)) || problem(ctx, "has a shape that no device takes");
}

// d, a, b, scale-d and of floating-point numbers the signs of a and b; of 2-byte ones also whether
// matrices in shared memory lie the other way round.
void decode_product(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name) {
  WarpgroupProduct p;
  if (!take_product(ctx, name, p)) return;
  for (const PtxOperand& o : operand_parts(ctx, operand_at(ctx, s, 0))) {
    p.accumulators.push_back(
        destination_slot(ctx, o, p.d == ProductType::f32 ? OperandType::f32 : OperandType::b32));
  }
  if (std::ssize(p.accumulators) != (p.d == ProductType::f16 ? p.n / 4 : p.n / 2)) {
    problem(ctx, "has another number of registers than its shape");
    return;
  }
  const PtxOperand& a = operand_at(ctx, s, 1);
  p.a_in_registers = a.kind == PtxOperand::Kind::vector;
  if (p.a_in_registers) {
    const std::vector<PtxOperand> registers = operand_parts(ctx, a);
    if (registers.size() != p.a_registers.size()) {
      problem(ctx, "has another number of registers than its shape");
      return;
    }
    for (std::size_t k = 0; k < registers.size(); ++k) {
      p.a_registers[k] = source_slot(ctx, registers[k], OperandType::b32);
    }
  } else {
    p.a_descriptor = source_slot(ctx, a, OperandType::b64);
  }
  p.b_descriptor = source_slot(ctx, s, 2, OperandType::b64);
  p.scale_d = predicate_slot(ctx, operand_at(ctx, s, 3), nullptr);
  const auto constant_at = [&](std::uint32_t k, std::int64_t low, std::int64_t high) {
    const PtxOperand& o = operand_at(ctx, s, k);
    if (o.kind != PtxOperand::Kind::integer || (o.value != low && o.value != high)) {
      problem(ctx, "has a scale or a transposition that is not known");
    }
    return o.value;
  };
  if (!is_integer(p.a)) {
    p.scale_a = static_cast<double>(constant_at(4, -1, 1));
    p.scale_b = static_cast<double>(constant_at(5, -1, 1));
  }
  if (is_half(p.a)) {
    if (!p.a_in_registers) p.a_by_columns = constant_at(6, 0, 1) == 1;
    p.b_by_rows = constant_at(p.a_in_registers ? 6 : 7, 0, 1) == 1;
  }
  Instruction i;
  i.kind = InstructionKind::warpgroup_product;
  i.space = AddressSpace::shared;
  if (!p.a_in_registers) {
    p.a_site = static_cast<std::uint32_t>(ctx.kernel.sites.size());
    add_site(ctx, i, AddressSpace::shared, AccessKind::product_read, 16);
  }
  p.b_site = static_cast<std::uint32_t>(ctx.kernel.sites.size());
  add_site(ctx, i, AddressSpace::shared, AccessKind::product_read, 16);
  i.immediate = std::ssize(ctx.kernel.products);
  ctx.kernel.products.push_back(std::move(p));
  emit(ctx, i);
}

}  // namespace

void decode_warpgroup(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name) {
  Instruction i;
  ctx.kernel.has_warpgroups = true;
  if (name.has("mma_async")) return decode_product(ctx, s, name);
  if (name.has("fence")) {
    i.run = run_product_fence;
  } else if (name.has("commit_group")) {
    i.run = run_product_commit;
  } else if (name.has("wait_group")) {
    i.kind = InstructionKind::warpgroup_wait;
    i.immediate = operand_at(ctx, s, 0).value;
    if (operand_at(ctx, s, 0).kind != PtxOperand::Kind::integer || i.immediate < 0) {
      problem(ctx, "waits for a number of groups that is not a constant");
    }
  } else {
    problem(ctx, "is not known");
  }
  emit(ctx, i);
}

// setmaxnreg.inc.sync.aligned.u32 240
void decode_register_change(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name) {
  const PtxOperand& count = operand_at(ctx, s, 0);
  if (count.kind != PtxOperand::Kind::integer || name.has("inc") == name.has("dec")) {
    problem(ctx, "is not known");
    return;
  }
  ctx.kernel.has_warpgroups = true;
  Instruction i;
  i.run = run_set_registers;
  i.immediate = name.has("dec") ? -count.value : count.value;
  emit(ctx, i);
}

void note_registers(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name) {
  RegisterUse use;
  use.first = static_cast<std::uint32_t>(ctx.kernel.used_registers.size());
  RegisterSlot found;
  const auto add = [&](const PtxOperand& o) {
    const RegisterSlot* r = o.name.empty() ? nullptr : find_register(ctx, o.name, found);
    if (r != nullptr && r->bytes != 0) ctx.kernel.used_registers.push_back(r->slot);
  };
  for (std::uint32_t k = 0; k < s.count; ++k) {
    const PtxOperand& o = ctx.module.operands[s.first + k];
    const bool result = k == 0 && o.kind != PtxOperand::Kind::address;
    for (const PtxOperand& part : operand_parts(ctx, o)) add(part);
    for (std::uint32_t c = 0; o.kind == PtxOperand::Kind::address && c < o.count; ++c) {
      add(ctx.module.operands[o.first + c]);
    }
    if (result) {
      use.written = static_cast<std::uint16_t>(ctx.kernel.used_registers.size() - use.first);
    }
  }
  use.count = static_cast<std::uint16_t>(ctx.kernel.used_registers.size() - use.first);
  const bool move = name.base() == "mov";
  use.copies = move && use.count == 2 && s.count == 2 && use.written == 1;
  if (move || name.base() == "wgmma" || name.base() == "bar" || name.base() == "nanosleep") {
    use.written = 0;
  }
  ctx.kernel.register_uses.resize(ctx.current.source);
  ctx.kernel.register_uses.push_back(use);
}

}  // namespace warpscope
