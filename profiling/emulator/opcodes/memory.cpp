// profiling/emulator/opcodes/memory.cpp: loads, stores and atomics.
#include <algorithm>
#include <bit>
#include <optional>

#include "profiling/emulator/decode/emit.h"
#include "profiling/emulator/decode/families.h"
#include "profiling/emulator/decode/function_facts.h"
#include "profiling/emulator/decode/operands.h"
#include "profiling/emulator/instructions/warp_instructions.h"
#include "profiling/emulator/memory/access_path.h"

namespace warpscope {
namespace {

// The type of the registers that hold a value of such a type.
OperandType slot_type_of(std::string_view type, bool wide) {
  return wide            ? (type == "f64" ? OperandType::f64 : OperandType::b64)
         : type == "f32" ? OperandType::f32
                         : OperandType::b32;
}

// Space and flags of a load or store.
Instruction load_store_of(DecodeContext& ctx, const OpcodeName& name) {
  Instruction i;
  for (const std::string_view part : name.parts) {
    if (const auto space = named_space(part)) i.space = *space;
    if (part == "shared::cluster") i.space = AddressSpace::shared;
    if (part == "volatile" || part == "relaxed" || part == "acquire" || part == "release" ||
        part == "mmio") {
      i.flags |= kFlagStrong;
    }
    if (part == "volatile") i.flags |= kFlagVolatile;
  }
  if (name.base() != "st" && (name.has("nc") || name.base() == "ldu")) {
    i.flags |= kFlagReadOnly;
    ctx.kernel.has_read_only_loads = true;
  }
  return i;
}

// A bit for each element of a loaded vector that no instruction uses: compilers load one word too
// many where the vector is one instruction.
std::uint8_t unused_elements(DecodeContext& ctx, const std::vector<PtxOperand>& values) {
  unsigned unused = 0;
  for (std::size_t k = 0; values.size() > 1 && k < values.size(); ++k) {
    if (!is_read(ctx, values[k].name)) unused |= 1u << k;
  }
  return static_cast<std::uint8_t>(unused);
}

// The first instruction of a statement is the one that counts: a fence before it does not.
void emit_fenced(DecodeContext& ctx, const Instruction& i, const OpcodeName& name, bool before,
                 bool after) {
  Instruction fence;
  fence.run = run_fence;
  fence.subop = name.has("cta") ? 0 : 1;
  if (before) {
    emit(ctx, fence).counted = 0;
    ctx.current.counted = false;
  }
  emit(ctx, i);
  if (after) emit(ctx, fence);
}

void decode_parameter_load(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name,
                           const SymbolPlace& symbol) {
  const std::string_view type = name.type();
  const int width = ptx_type_bytes(type);
  const std::vector<PtxOperand> values = operand_parts(ctx, operand_at(ctx, s, 0));
  std::int64_t offset = symbol.offset + operand_at(ctx, s, 1).value;
  for (const PtxOperand& v : values) {
    RegisterSlot found;
    const RegisterSlot* r = find_register(ctx, v.name, found);
    if (v.name != "_" && (r == nullptr || r->bytes == 0)) {
      problem(ctx, "has a result that is not a register");
      return;
    }
    if (offset < 0 || offset + width > ctx.kernel.parameter_bytes) {
      problem(ctx, "reads outside the kernel's parameters");
      return;
    }
    if (v.name != "_") {
      const std::uint32_t d = r->slot;
      const std::uint8_t slot_bytes = r->bytes;
      const bool extend = type[0] == 's';
      const auto [entry, added] = ctx.slots.parameters.try_emplace(
          {static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(width),
           static_cast<std::uint32_t>(slot_bytes), static_cast<std::uint32_t>(extend)},
          0u);
      if (added) {
        entry->second = new_slot(ctx, slot_bytes);
        ctx.kernel.parameter_slots.push_back({entry->second, static_cast<std::uint32_t>(offset),
                                              static_cast<std::uint8_t>(width), slot_bytes,
                                              extend});
      }
      emit_row(ctx, slot_bytes == 8 ? "mov.b64" : "mov.b32", d, entry->second);
    }
    offset += width;
  }
}

// Where all lanes have one address, ptxas adds a warp's lanes up first and has one of them go to
// memory: reductions of 32-bit integers by REDUX, additions whose old value is wanted by a scan
// over whole warps, or by counting lanes where all add the same. Not so floats, 64 bits, exchanges,
// inc and dec. source: machine code of ptxas 13.0 for sm_90, a kernel for each case; an H200 counts
// one sector a warp of both kinds.
void merge_lanes(DecodeContext& ctx, const PtxOperand& where, const std::vector<PtxOperand>& values,
                 std::string_view type, Instruction& i) {
  const auto operation = static_cast<AtomicOperation>(i.subop);
  const bool exchanges =
      operation == AtomicOperation::exchange || operation == AtomicOperation::compare_and_swap ||
      operation == AtomicOperation::increment || operation == AtomicOperation::decrement;
  const bool integer = type == "u32" || type == "s32" || type == "b32";
  if (exchanges || !integer || values.size() != 1 || differs_by_lane(ctx, where)) return;
  const bool returns = (i.flags & kFlagHasOld) != 0;
  if (returns && operation != AtomicOperation::add) return;
  i.flags |= kFlagMerged;
  i.b = static_cast<std::uint32_t>(returns && differs_by_lane(ctx, values.front())
                                       ? WarpMerge::whole_warps
                                       : WarpMerge::any_lanes);
  ctx.kernel.sites[i.site].merged = true;
}

}  // namespace

void decode_load_store(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name) {
  const bool load = name.base() != "st";
  Instruction i = load_store_of(ctx, name);
  const std::string_view type = name.type();
  const int width = ptx_type_bytes(type);
  if (width == 0 || width > 8 || type == "pred") {
    problem(ctx, "has a type that is not known");
    return;
  }
  const PtxOperand& where = operand_at(ctx, s, load ? 1 : 0);
  const std::vector<PtxOperand> values = operand_parts(ctx, operand_at(ctx, s, load ? 0 : 1));
  if (values.empty() || values.size() > 8 || width * static_cast<int>(values.size()) > 32) {
    problem(ctx, "has a vector of a size that is not known");
    return;
  }
  bool traced = i.space != AddressSpace::param;
  if (i.space == AddressSpace::param) {
    const SymbolPlace* symbol = find_symbol(ctx, where.name);
    if (symbol != nullptr && symbol->space == AddressSpace::param && load) {
      decode_parameter_load(ctx, s, name, *symbol);
      return;
    }
    // Parameters of calls live in local memory; so do those of inlined functions by address.
    if (symbol != nullptr || ctx.frame->depth > 0) i.space = AddressSpace::local;
  }
  if (!take_address(ctx, where, i)) return;
  i.width = static_cast<std::uint8_t>(width);
  i.count = static_cast<std::uint8_t>(values.size());
  i.extra = static_cast<std::uint32_t>(ctx.kernel.slots.size());
  bool wide = width == 8;
  for (const PtxOperand& v : values) {
    RegisterSlot found;
    if (v.kind != PtxOperand::Kind::name) continue;
    if (const RegisterSlot* r = find_register(ctx, v.name, found)) wide = r->bytes == 8;
  }
  const OperandType slot_type = slot_type_of(type, wide);
  std::vector<std::uint32_t> slots;
  slots.reserve(values.size());
  for (const PtxOperand& v : values) {
    slots.push_back(load ? destination_slot(ctx, v, slot_type) : source_slot(ctx, v, slot_type));
  }
  ctx.kernel.slots.insert(ctx.kernel.slots.end(), slots.begin(), slots.end());
  const bool is_signed = type[0] == 's';
  i.d = slots.front();
  const int log_width = std::countr_zero(static_cast<unsigned>(width));
  const OpcodeTable& table = opcode_table();
  i.run = load ? table.loads[log_width][wide][is_signed] : table.stores[log_width][wide];
  if (load) i.subop = unused_elements(ctx, values);
  if (width == 8 && !wide) problem(ctx, "has registers of another size");
  std::vector<std::uint32_t>& list = load ? ctx.kernel.loaded_pointers : ctx.kernel.store_addresses;
  if (!load && i.space != AddressSpace::shared && i.space != AddressSpace::local)
    list.push_back(i.a);
  if (load && width == 8) list.insert(list.end(), slots.begin(), slots.end());
  if (traced) {
    add_site(ctx, i, i.space, load ? AccessKind::load : AccessKind::store,
             width * static_cast<int>(values.size()));
  }
  emit_fenced(ctx, i, name, name.has("release"), name.has("acquire"));
}

void decode_atomic(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name) {
  Instruction i;
  const bool returns = name.base() == "atom";
  std::optional<AtomicOperation> operation;
  for (std::size_t k = 1; k < name.parts.size(); ++k) {
    if (const auto space = named_space(name.parts[k])) i.space = *space;
    if (name.parts[k] == "shared::cluster") i.space = AddressSpace::shared;
    if (const auto found = atomic_operation_of(name.parts[k])) operation = found;
  }
  const std::optional<AtomicType> type = atomic_type_of(name.type());
  if (!operation || !type) {
    problem(ctx, "is not known");
    return;
  }
  const int width = ptx_type_bytes(name.type());
  const std::uint32_t first = returns ? 1 : 0;
  if (!take_address(ctx, operand_at(ctx, s, first), i)) return;
  const std::vector<PtxOperand> values = operand_parts(ctx, operand_at(ctx, s, first + 1));
  const OperandType slot_type = slot_type_of(name.type(), width == 8);
  std::vector<std::uint32_t> slots;
  if (returns) {
    const std::vector<PtxOperand> results = operand_parts(ctx, operand_at(ctx, s, 0));
    if (results.size() != values.size()) problem(ctx, "has vectors of different sizes");
    for (const PtxOperand& r : results) slots.push_back(destination_slot(ctx, r, slot_type));
    // ptxas makes reductions of atomics whose result nothing reads; there is none that exchanges.
    const bool exchanges =
        *operation == AtomicOperation::exchange || *operation == AtomicOperation::compare_and_swap;
    const bool read = std::any_of(results.begin(), results.end(),
                                  [&](const PtxOperand& r) { return is_read(ctx, r.name); });
    if (exchanges || read) i.flags |= kFlagHasOld;
  } else {
    slots.assign(values.size(), 0);
  }
  for (const PtxOperand& v : values) slots.push_back(source_slot(ctx, v, slot_type));
  if (*operation == AtomicOperation::compare_and_swap) {
    slots.push_back(source_slot(ctx, s, first + 2, slot_type));
  }
  if (i.space != AddressSpace::shared) ctx.kernel.store_addresses.push_back(i.a);
  if (returns && width == 8) {
    const auto results = static_cast<std::ptrdiff_t>(values.size());
    ctx.kernel.loaded_pointers.insert(ctx.kernel.loaded_pointers.end(), slots.begin(),
                                      slots.begin() + results);
  }
  i.run = run_of_atomic(*type);
  i.subop = static_cast<std::uint8_t>(*operation);
  i.width = static_cast<std::uint8_t>(width);
  i.count = static_cast<std::uint8_t>(values.size());
  i.extra = static_cast<std::uint32_t>(ctx.kernel.slots.size());
  ctx.kernel.slots.insert(ctx.kernel.slots.end(), slots.begin(), slots.end());
  if (i.count == 0 || i.count > 8) problem(ctx, "has a vector of a size that is not known");
  add_site(ctx, i, i.space,
           (i.flags & kFlagHasOld) != 0 ? AccessKind::atomic : AccessKind::reduction,
           width * i.count);
  merge_lanes(ctx, operand_at(ctx, s, first), values, name.type(), i);
  const bool fences = name.has("acquire") || name.has("release") || name.has("acq_rel");
  emit_fenced(ctx, i, name, fences, fences);
}

}  // namespace warpscope
