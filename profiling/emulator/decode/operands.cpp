// profiling/emulator/decode/operands.cpp: registers, constants, symbols and addresses to slots.
#include "profiling/emulator/decode/operands.h"

#include <algorithm>
#include <bit>
#include <charconv>

#include "profiling/emulator/decode/emit.h"
#include "profiling/emulator/decode/function_facts.h"
#include "profiling/emulator/decode/functions.h"
#include "profiling/emulator/memory/access_path.h"
#include "profiling/emulator/state/memory.h"

namespace warpscope {
namespace {

int bytes_of(OperandType type) {
  return type == OperandType::b64 || type == OperandType::f64 ? 8
         : type == OperandType::predicate                     ? 0
                                                              : 4;
}

struct SpecialName {
  std::string_view name;
  SpecialRegister which;
};
constexpr SpecialName kSpecials[] = {
    {"%tid.x", SpecialRegister::tid_x},
    {"%tid.y", SpecialRegister::tid_y},
    {"%tid.z", SpecialRegister::tid_z},
    {"%ntid.x", SpecialRegister::ntid_x},
    {"%ntid.y", SpecialRegister::ntid_y},
    {"%ntid.z", SpecialRegister::ntid_z},
    {"%ctaid.x", SpecialRegister::ctaid_x},
    {"%ctaid.y", SpecialRegister::ctaid_y},
    {"%ctaid.z", SpecialRegister::ctaid_z},
    {"%nctaid.x", SpecialRegister::nctaid_x},
    {"%nctaid.y", SpecialRegister::nctaid_y},
    {"%nctaid.z", SpecialRegister::nctaid_z},
    {"%laneid", SpecialRegister::laneid},
    {"%warpid", SpecialRegister::warpid},
    {"%nwarpid", SpecialRegister::nwarpid},
    {"%smid", SpecialRegister::smid},
    {"%nsmid", SpecialRegister::nsmid},
    {"%gridid", SpecialRegister::gridid},
    {"%lanemask_eq", SpecialRegister::lanemask_eq},
    {"%lanemask_le", SpecialRegister::lanemask_le},
    {"%lanemask_lt", SpecialRegister::lanemask_lt},
    {"%lanemask_ge", SpecialRegister::lanemask_ge},
    {"%lanemask_gt", SpecialRegister::lanemask_gt},
    {"%dynamic_smem_size", SpecialRegister::dynamic_shared_bytes},
    {"%total_smem_size", SpecialRegister::total_shared_bytes},
    {"%cluster_ctaid.x", SpecialRegister::cluster_ctaid_x},
    {"%cluster_ctaid.y", SpecialRegister::cluster_ctaid_y},
    {"%cluster_ctaid.z", SpecialRegister::cluster_ctaid_z},
    {"%cluster_ctarank", SpecialRegister::cluster_ctarank},
    {"%cluster_nctaid.x", SpecialRegister::cluster_nctaid_x},
    {"%cluster_nctaid.y", SpecialRegister::cluster_nctaid_y},
    {"%cluster_nctaid.z", SpecialRegister::cluster_nctaid_z},
    {"%cluster_nctarank", SpecialRegister::cluster_nctarank},
    {"%clusterid.x", SpecialRegister::clusterid_x},
    {"%clusterid.y", SpecialRegister::clusterid_y},
    {"%clusterid.z", SpecialRegister::clusterid_z},
    {"%nclusterid.x", SpecialRegister::nclusterid_x},
    {"%nclusterid.y", SpecialRegister::nclusterid_y},
    {"%nclusterid.z", SpecialRegister::nclusterid_z},
    // The driver's: cooperative groups find the grid's workspace there. The others are 0 here.
    {"%envreg1", SpecialRegister::workspace_high},
    {"%envreg2", SpecialRegister::workspace_low},
};

std::uint32_t special_slot(DecodeContext& ctx, SpecialRegister which, int bytes) {
  const auto [entry, added] = ctx.slots.specials.try_emplace({static_cast<int>(which), bytes}, 0);
  if (added) {
    entry->second = new_slot(ctx, bytes);
    ctx.kernel.specials.push_back({entry->second, which, static_cast<std::uint8_t>(bytes)});
  }
  return entry->second;
}

// Where the shared memory begins that cooperative groups use for tiles of several warps: an array
// of the kernel's.
std::uint32_t reserved_shared_slot(DecodeContext& ctx, int bytes) {
  // source: cooperative_groups/details/memory.h of CUDA 13.0 expects 288 bytes at least.
  constexpr std::int64_t kReservedBytes = 1024;
  std::vector<KernelCode::SharedVariable>& arrays = ctx.kernel.shared_variables;
  auto array = std::find_if(arrays.begin(), arrays.end(),
                            [](const auto& known) { return known.name == kReservedShared; });
  if (array == arrays.end()) {
    const std::int64_t offset = (ctx.kernel.static_shared_bytes + 15) / 16 * 16;
    ctx.kernel.static_shared_bytes = offset + kReservedBytes;
    array = arrays.insert(arrays.end(), {kReservedShared, offset, kReservedBytes, 1, {}});
  }
  return constant_slot(ctx, bytes, static_cast<std::uint64_t>(array->offset));
}

bool special_register(DecodeContext& ctx, std::string_view name, int bytes, std::uint32_t& slot) {
  if (name == "%reserved_smem_offset_1") {
    slot = reserved_shared_slot(ctx, bytes == 8 ? 8 : 4);
    return true;
  }
  for (const SpecialName& s : kSpecials) {
    if (s.name == name) {
      slot = special_slot(ctx, s.which, bytes == 8 ? 8 : 4);
      return true;
    }
  }
  // What the driver tells a kernel from outside of PTX; of an ordinary launch, nothing.
  if (name.starts_with("%envreg")) {
    int number = -1;
    const auto read = std::from_chars(name.data() + 7, name.data() + name.size(), number);
    if (read.ptr == name.data() + name.size() && number >= 0 && number < 32) {
      slot = special_slot(ctx, SpecialRegister::zero, bytes == 8 ? 8 : 4);
      return true;
    }
  }
  return false;
}

// What stands for a name may be what could not be read.
bool not_known(DecodeContext& ctx, std::string what, const PtxOperand& o) {
  what += o.name.substr(0, 40);
  return problem(ctx,
                 ctx.module.problems.empty() ? what : what + "; " + ctx.module.problems.front());
}

// Notes the shared array that the address of the statement at hand was made from.
void note_shared_array(DecodeContext& ctx, const PtxOperand& o) {
  const auto& arrays = provenance_at_hand(ctx);
  RegisterSlot found;
  std::string_view name = o.name;
  if (find_register(ctx, o.name, found) != nullptr) {
    const auto known = arrays.find(o.name);
    if (known == arrays.end()) return;
    name = known->second;
  }
  const SymbolPlace* symbol = find_symbol(ctx, name);
  if (symbol == nullptr || symbol->space != AddressSpace::shared) return;
  ctx.symbols.of_sources[ctx.current.source] = symbol->dynamic ? std::string_view{} : name;
}

std::uint32_t symbol_address(DecodeContext& ctx, const SymbolPlace& symbol, std::int64_t addend,
                             int bytes) {
  if (symbol.dynamic) {
    const std::uint32_t slot = new_slot(ctx, bytes);
    ctx.symbols.dynamic_slots.push_back({slot, bytes == 8 ? 8 : 4, addend});
    return slot;
  }
  if (symbol.variable >= 0) {
    const std::uint32_t slot = new_slot(ctx, 8);
    ctx.kernel.addresses.push_back({slot, static_cast<std::uint32_t>(symbol.variable), addend});
    if (bytes != 8) problem(ctx, "takes half of an address");
    return slot;
  }
  return constant_slot(ctx, bytes, static_cast<std::uint64_t>(symbol.offset + addend));
}

}  // namespace

const PtxOperand& operand_at(DecodeContext& ctx, const PtxStatement& s, std::uint32_t k) {
  static const PtxOperand none{.kind = PtxOperand::Kind::other};
  if (k >= s.count) {
    problem(ctx, "has too few operands");
    return none;
  }
  return ctx.module.operands[s.first + k];
}

std::uint32_t new_slot(DecodeContext& ctx, int bytes) {
  const std::uint32_t slot = ctx.kernel.register_bytes;
  ctx.kernel.register_bytes += bytes == 8 ? 256 : 128;
  return slot;
}

std::uint32_t constant_slot(DecodeContext& ctx, int bytes, std::uint64_t value) {
  if (bytes != 8) value &= 0xffffffffull;
  const auto [entry, added] = ctx.slots.constants.try_emplace({bytes == 8 ? 8 : 4, value}, 0);
  if (added) {
    entry->second = new_slot(ctx, bytes);
    ctx.kernel.constants.push_back(
        {entry->second, static_cast<std::uint8_t>(bytes == 8 ? 8 : 4), value});
  }
  return entry->second;
}

const RegisterSlot* find_register(DecodeContext& ctx, std::string_view name, RegisterSlot& found) {
  std::string_view prefix = name;
  while (!prefix.empty() && prefix.back() >= '0' && prefix.back() <= '9') prefix.remove_suffix(1);
  std::uint64_t index = ~0ull;
  const std::string_view digits = name.substr(prefix.size());
  if (!digits.empty() && digits.size() < 9 && (digits.size() == 1 || digits[0] != '0')) {
    std::from_chars(digits.data(), digits.data() + digits.size(), index);
  }
  for (auto scope = ctx.frame->scopes.rbegin(); scope != ctx.frame->scopes.rend(); ++scope) {
    if (const auto one = scope->single.find(name); one != scope->single.end()) {
      if (one->second.slot == 0) one->second.slot = new_slot(ctx, one->second.bytes);
      return &one->second;
    }
    if (const auto range = scope->ranges.find(prefix);
        range != scope->ranges.end() && index < range->second.slots.size()) {
      std::uint32_t& slot = range->second.slots[index];
      if (slot == 0) slot = new_slot(ctx, range->second.bytes);
      found = {slot, range->second.bytes};
      return &found;
    }
  }
  return nullptr;
}

const SymbolPlace* find_symbol(DecodeContext& ctx, std::string_view name) {
  for (auto scope = ctx.frame->scopes.rbegin(); scope != ctx.frame->scopes.rend(); ++scope) {
    if (const auto s = scope->symbols.find(name); s != scope->symbols.end()) return &s->second;
  }
  const auto global = ctx.symbols.names.find(name);
  if (global == ctx.symbols.names.end()) return nullptr;
  const auto known = ctx.symbols.known.find(global->second);
  if (known != ctx.symbols.known.end()) return &known->second;
  // Shared variables of the module get their place where the kernel first names them.
  CallFrame scratch;
  const PtxVariable& v = ctx.module.variables[static_cast<std::size_t>(global->second)];
  declare_variable(ctx, scratch, v, global->second);
  const auto made = scratch.scopes.back().symbols.find(v.name);
  if (made == scratch.scopes.back().symbols.end()) return nullptr;
  return &ctx.symbols.known.emplace(global->second, made->second).first->second;
}

std::uint32_t source_slot(DecodeContext& ctx, const PtxOperand& o, OperandType type) {
  if (type == OperandType::predicate) return predicate_slot(ctx, o, nullptr);
  if (!o.second.empty() || (o.negated && o.kind == PtxOperand::Kind::name)) {
    problem(ctx, "negates an operand or takes a part of it");
    return 0;
  }
  const int bytes = bytes_of(type);
  switch (o.kind) {
    case PtxOperand::Kind::name: {
      RegisterSlot found;
      if (const RegisterSlot* r = find_register(ctx, o.name, found)) {
        if (r->bytes == bytes) return r->slot;
        if (r->bytes == 8) {  // the lower half
          const std::uint32_t half = new_slot(ctx, 4);
          const bool counted = ctx.current.counted;
          const std::uint32_t slot = r->slot;
          emit_row(ctx, "unpack.0.b32.b64", half, slot).counted = 0;
          ctx.current.counted = counted;
          return half;
        }
        problem(ctx, "has an operand of another size: " + std::string(o.name.substr(0, 40)));
        return 0;
      }
      if (o.name == "WARP_SZ") return constant_slot(ctx, bytes, 32);
      std::uint32_t slot = 0;
      if (special_register(ctx, o.name, bytes, slot)) return slot;
      if (const SymbolPlace* symbol = find_symbol(ctx, o.name)) {
        return symbol_address(ctx, *symbol, o.value, bytes);
      }
      if (const std::uint64_t function = function_address(ctx.module, o.name); function != 0) {
        return constant_slot(ctx, bytes, function);
      }
      break;
    }
    case PtxOperand::Kind::integer: {
      auto bits = static_cast<std::uint64_t>(o.value);
      if (type == OperandType::f32)
        bits = std::bit_cast<std::uint32_t>(static_cast<float>(o.value));
      if (type == OperandType::f64)
        bits = std::bit_cast<std::uint64_t>(static_cast<double>(o.value));
      if (type == OperandType::b16) bits &= 0xffff;
      return constant_slot(ctx, bytes, bits);
    }
    case PtxOperand::Kind::real: {
      auto bits = static_cast<std::uint64_t>(o.value);
      if (o.width == 4 && bytes == 8) {
        bits = std::bit_cast<std::uint64_t>(
            static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
      } else if (o.width != 4 && bytes == 4) {
        bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
      }
      return constant_slot(ctx, bytes, bits);
    }
    default:
      break;
  }
  not_known(ctx, "has an operand that is not known: ", o);
  return 0;
}

std::uint32_t predicate_slot(DecodeContext& ctx, const PtxOperand& o, bool* negated) {
  std::uint32_t slot = 0;
  RegisterSlot found;
  const RegisterSlot* r =
      o.kind == PtxOperand::Kind::name ? find_register(ctx, o.name, found) : nullptr;
  if (r != nullptr && r->bytes == 0) {
    slot = r->slot;
  } else if (o.name == "%is_explicit_cluster") {
    slot = special_slot(ctx, SpecialRegister::is_explicit_cluster, 4);
  } else if (o.kind == PtxOperand::Kind::integer) {
    slot = new_slot(ctx, 4);
    ctx.kernel.constants.push_back({slot, 4, o.value != 0 ? 0xffffffffull : 0});
  } else {
    problem(ctx, "has an operand that is not a predicate: " + std::string(o.name.substr(0, 40)));
    return 0;
  }
  if (negated != nullptr) {
    *negated = o.negated;
  } else if (o.negated) {
    const std::uint32_t opposite = new_slot(ctx, 4);
    const bool counted = ctx.current.counted;
    emit_row(ctx, "not.pred", opposite, slot).counted = 0;
    ctx.current.counted = counted;
    return opposite;
  }
  return slot;
}

std::uint32_t destination_slot(DecodeContext& ctx, const PtxOperand& o, OperandType type) {
  if (o.kind != PtxOperand::Kind::name) {
    problem(ctx, "has a result that is not a register");
    return 0;
  }
  return destination_slot(ctx, o.name, type);
}

std::uint32_t destination_slot(DecodeContext& ctx, std::string_view name, OperandType type) {
  if (name == "_") return 0;
  RegisterSlot found;
  const RegisterSlot* r = find_register(ctx, name, found);
  if (r == nullptr || r->bytes != bytes_of(type)) {
    problem(ctx, "has a result of another size: " + std::string(name.substr(0, 40)));
    return 0;
  }
  return r->slot;
}

bool take_address(DecodeContext& ctx, const PtxOperand& o, Instruction& i) {
  if (o.kind != PtxOperand::Kind::address) return problem(ctx, "has no address");
  if (o.count != 0) return problem(ctx, "has coordinates");
  i.immediate = o.value;
  if (o.name.empty()) {
    i.a = constant_slot(ctx, 8, 0);
    return true;
  }
  if (i.space == AddressSpace::generic || i.space == AddressSpace::shared)
    note_shared_array(ctx, o);
  RegisterSlot found;
  if (const RegisterSlot* r = find_register(ctx, o.name, found)) {
    if (r->bytes == 0) return problem(ctx, "has a predicate for an address");
    i.a = r->slot;
    if (r->bytes == 4) i.flags |= kFlagAddress32;
    return true;
  }
  const SymbolPlace* symbol = find_symbol(ctx, o.name);
  if (symbol == nullptr) {
    return not_known(ctx, "has an address that is not known: ", o);
  }
  i.a = symbol_address(ctx, *symbol, 0, 8);
  if (i.space == AddressSpace::generic || i.space == AddressSpace::param) i.space = symbol->space;
  return true;
}

void widen_address(DecodeContext& ctx, Instruction& i) {
  const std::uint32_t wide = new_slot(ctx, 8);
  Instruction widen;
  widen.run = opcode_table().conversions[static_cast<std::size_t>(Number::u64)]
                                        [static_cast<std::size_t>(Number::u32)];
  widen.a = i.a;
  widen.d = wide;
  emit(ctx, widen).counted = 0;
  ctx.current.counted = false;
  i.a = wide;
  i.flags &= static_cast<std::uint8_t>(~kFlagAddress32);
}

std::vector<PtxOperand> operand_parts(const DecodeContext& ctx, const PtxOperand& o) {
  if (o.kind != PtxOperand::Kind::vector) return {o};
  const auto first = ctx.module.operands.begin() + static_cast<std::ptrdiff_t>(o.first);
  return {first, first + static_cast<std::ptrdiff_t>(o.count)};
}

std::uint32_t source_slot(DecodeContext& ctx, const PtxStatement& s, std::uint32_t k,
                          OperandType type) {
  return source_slot(ctx, operand_at(ctx, s, k), type);
}

std::uint32_t destination_slot(DecodeContext& ctx, const PtxStatement& s, std::uint32_t k,
                               OperandType type) {
  return destination_slot(ctx, operand_at(ctx, s, k), type);
}

}  // namespace warpscope
