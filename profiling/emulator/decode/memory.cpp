// profiling/emulator/decode/memory.cpp: loads, stores and atomics.
#include <algorithm>
#include <bit>
#include <optional>

#include "profiling/emulator/decode/decoder.h"
#include "profiling/emulator/instructions/warp_instructions.h"
#include "profiling/emulator/memory/access_path.h"

namespace warpscope {
namespace {

// Of the registers of a value of that type.
OperandType slot_type_of(std::string_view type, bool wide) {
  return wide            ? (type == "f64" ? OperandType::f64 : OperandType::b64)
         : type == "f32" ? OperandType::f32
                         : OperandType::b32;
}

}  // namespace

std::optional<AtomicOperation> Decoder::atomic_operation_of(std::string_view part) {
  constexpr std::pair<std::string_view, AtomicOperation> operations[] = {
      {"add", AtomicOperation::add},
      {"min", AtomicOperation::minimum},
      {"max", AtomicOperation::maximum},
      {"inc", AtomicOperation::increment},
      {"dec", AtomicOperation::decrement},
      {"exch", AtomicOperation::exchange},
      {"cas", AtomicOperation::compare_and_swap},
      {"and", AtomicOperation::bit_and},
      {"or", AtomicOperation::bit_or},
      {"xor", AtomicOperation::bit_xor}};
  for (const auto& [text, operation] : operations) {
    if (part == text) return operation;
  }
  return std::nullopt;
}

std::optional<AtomicType> Decoder::atomic_type_of(std::string_view type) {
  constexpr std::pair<std::string_view, AtomicType> types[] = {
      {"b16", AtomicType::u16},      {"u32", AtomicType::u32},   {"b32", AtomicType::u32},
      {"s32", AtomicType::s32},      {"u64", AtomicType::u64},   {"b64", AtomicType::u64},
      {"s64", AtomicType::s64},      {"f32", AtomicType::f32},   {"f64", AtomicType::f64},
      {"f16", AtomicType::f16},      {"bf16", AtomicType::bf16}, {"f16x2", AtomicType::f16x2},
      {"bf16x2", AtomicType::bf16x2}};
  for (const auto& [text, atomic] : types) {
    if (type == text) return atomic;
  }
  return std::nullopt;
}

std::optional<AddressSpace> Decoder::space_of(std::string_view part) {
  if (part == "global") return AddressSpace::global;
  if (part == "shared" || part == "shared::cta") return AddressSpace::shared;
  if (part == "local") return AddressSpace::local;
  if (part == "const") return AddressSpace::constant;
  if (part == "param" || part == "param::entry" || part == "param::func") {
    return AddressSpace::param;
  }
  return std::nullopt;
}

Space Decoder::traced_space(AddressSpace space) {
  switch (space) {
    case AddressSpace::shared:
      return Space::shared;
    case AddressSpace::local:
      return Space::local;
    case AddressSpace::constant:
      return Space::constant;
    default:
      return Space::global;  // of generic accesses: what is met when they run
  }
}
void Decoder::add_site(Instruction& i, Space space, AccessKind kind, int width) {
  AccessSite site;
  const InstructionSource& from = kernel_->sources[source_];
  site.instruction = source_;
  site.space = space;
  site.kind = kind;
  site.width_bytes = width;
  site.position = from.position;
  site.inlined_at = from.inlined_at;
  site.text = from.opcode;
  if (i.site == kNoSite) i.site = static_cast<std::uint32_t>(kernel_->sites.size());
  kernel_->sites.push_back(std::move(site));
}

// Space and flags of a load or store.
Instruction Decoder::load_store_of(const Name& name) {
  Instruction i;
  for (const std::string_view part : name.parts) {
    if (const auto space = space_of(part)) i.space = *space;
    if (part == "shared::cluster") i.space = AddressSpace::shared;
    if (part == "volatile" || part == "relaxed" || part == "acquire" || part == "release" ||
        part == "mmio") {
      i.flags |= kFlagStrong;
    }
    if (part == "volatile") i.flags |= kFlagVolatile;
  }
  if (name.base() != "st" && (name.has("nc") || name.base() == "ldu")) {
    i.flags |= kFlagReadOnly;
    kernel_->has_read_only_loads = true;
  }
  return i;
}

// Compilers load one word too many where the vector is one instruction.
std::uint8_t Decoder::unused_elements(const std::vector<PtxOperand>& values) {
  unsigned unused = 0;
  for (std::size_t k = 0; values.size() > 1 && k < values.size(); ++k) {
    if (!is_read(values[k].name)) unused |= 1u << k;
  }
  return static_cast<std::uint8_t>(unused);
}

void Decoder::load_store(const PtxStatement& s, const Name& name) {
  const bool load = name.base() != "st";
  Instruction i = load_store_of(name);
  const std::string_view type = name.type();
  const int width = ptx_type_bytes(type);
  if (width == 0 || width > 8 || type == "pred") {
    problem("has a type that is not known");
    return;
  }
  const PtxOperand& where = operand(s, load ? 1 : 0);
  const std::vector<PtxOperand> values = parts_of(operand(s, load ? 0 : 1));
  if (values.empty() || values.size() > 8 || width * static_cast<int>(values.size()) > 32) {
    problem("has a vector of a size that is not known");
    return;
  }
  bool traced = i.space != AddressSpace::param;
  if (i.space == AddressSpace::param) {
    const Symbol* symbol = find_symbol(where.name);
    if (symbol != nullptr && symbol->space == AddressSpace::param && load) {
      load_parameter(s, name, *symbol);
      return;
    }
    // Parameters of calls live in local memory; so do those of inlined functions by address.
    if (symbol != nullptr || frame_->depth > 0) i.space = AddressSpace::local;
  }
  if (!address(where, i)) return;
  i.width = static_cast<std::uint8_t>(width);
  i.count = static_cast<std::uint8_t>(values.size());
  i.extra = static_cast<std::uint32_t>(kernel_->slots.size());
  bool wide = width == 8;
  for (const PtxOperand& v : values) {
    Register found;
    if (v.kind != PtxOperand::Kind::name) continue;
    if (const Register* r = find_register(v.name, found)) wide = r->bytes == 8;
  }
  const OperandType slot_type = slot_type_of(type, wide);
  std::vector<std::uint32_t> slots;
  slots.reserve(values.size());
  for (const PtxOperand& v : values) {
    slots.push_back(load ? destination(v, slot_type) : source(v, slot_type));
  }
  kernel_->slots.insert(kernel_->slots.end(), slots.begin(), slots.end());
  const bool is_signed = type[0] == 's';
  i.d = slots.front();
  const int log_width = std::countr_zero(static_cast<unsigned>(width));
  const OpcodeTable& table = opcode_table();
  i.run = load ? table.loads[log_width][wide][is_signed] : table.stores[log_width][wide];
  if (load) i.subop = unused_elements(values);
  if (width == 8 && !wide) problem("has registers of another size");
  std::vector<std::uint32_t>& list = load ? kernel_->loaded_pointers : kernel_->store_addresses;
  if (!load && i.space != AddressSpace::shared && i.space != AddressSpace::local)
    list.push_back(i.a);
  if (load && width == 8) list.insert(list.end(), slots.begin(), slots.end());
  if (traced) {
    add_site(i, traced_space(i.space), load ? AccessKind::load : AccessKind::store,
             width * static_cast<int>(values.size()));
  }
  emit_fenced(i, name, name.has("release"), name.has("acquire"));
}

// The first instruction of a statement is the one that counts: a fence before it does not.
void Decoder::emit_fenced(const Instruction& i, const Name& name, bool before, bool after) {
  Instruction fence;
  fence.run = run_fence;
  fence.subop = name.has("cta") ? 0 : 1;
  if (before) {
    emit(fence).counted = 0;
    counted_ = false;
  }
  emit(i);
  if (after) emit(fence);
}

void Decoder::load_parameter(const PtxStatement& s, const Name& name, const Symbol& symbol) {
  const std::string_view type = name.type();
  const int width = ptx_type_bytes(type);
  const std::vector<PtxOperand> values = parts_of(operand(s, 0));
  std::int64_t offset = symbol.offset + operand(s, 1).value;
  for (const PtxOperand& v : values) {
    Register found;
    const Register* r = find_register(v.name, found);
    if (v.name != "_" && (r == nullptr || r->bytes == 0)) {
      problem("has a result that is not a register");
      return;
    }
    if (offset < 0 || offset + width > kernel_->parameter_bytes) {
      problem("reads outside the kernel's parameters");
      return;
    }
    if (v.name != "_") {
      const std::uint32_t d = r->slot;
      const std::uint8_t slot_bytes = r->bytes;
      const bool extend = type[0] == 's';
      const auto [entry, added] = parameter_slots_.try_emplace(
          {static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(width),
           static_cast<std::uint32_t>(slot_bytes), static_cast<std::uint32_t>(extend)},
          0u);
      if (added) {
        entry->second = new_slot(slot_bytes);
        kernel_->parameter_slots.push_back({entry->second, static_cast<std::uint32_t>(offset),
                                            static_cast<std::uint8_t>(width), slot_bytes, extend});
      }
      emit_row(slot_bytes == 8 ? "mov.b64" : "mov.b32", d, entry->second);
    }
    offset += width;
  }
}

// Where all lanes have one address, ptxas adds a warp's lanes up first and has one of them go to
// memory: reductions of 32-bit integers by REDUX, additions whose old value is wanted by a scan
// over whole warps, or by counting lanes where all add the same. Not so floats, 64 bits, exchanges,
// inc and dec. source: machine code of ptxas 13.0 for sm_90, a kernel for each case; an H200 counts
// one sector a warp of both kinds.
void Decoder::merge_lanes(const PtxOperand& where, const std::vector<PtxOperand>& values,
                          std::string_view type, Instruction& i) {
  const auto operation = static_cast<AtomicOperation>(i.subop);
  const bool exchanges =
      operation == AtomicOperation::exchange || operation == AtomicOperation::compare_and_swap ||
      operation == AtomicOperation::increment || operation == AtomicOperation::decrement;
  const bool integer = type == "u32" || type == "s32" || type == "b32";
  if (exchanges || !integer || values.size() != 1 || differs_by_lane(where)) return;
  const bool returns = (i.flags & kFlagHasOld) != 0;
  if (returns && operation != AtomicOperation::add) return;
  i.flags |= kFlagMerged;
  i.b = static_cast<std::uint32_t>(
      returns && differs_by_lane(values.front()) ? WarpMerge::whole_warps : WarpMerge::any_lanes);
  kernel_->sites[i.site].merged = true;
}

void Decoder::atomic(const PtxStatement& s, const Name& name) {
  Instruction i;
  const bool returns = name.base() == "atom";
  std::optional<AtomicOperation> operation;
  for (std::size_t k = 1; k < name.parts.size(); ++k) {
    if (const auto space = space_of(name.parts[k])) i.space = *space;
    if (name.parts[k] == "shared::cluster") i.space = AddressSpace::shared;
    if (const auto found = atomic_operation_of(name.parts[k])) operation = found;
  }
  const std::optional<AtomicType> type = atomic_type_of(name.type());
  if (!operation || !type) {
    problem("is not known");
    return;
  }
  const int width = ptx_type_bytes(name.type());
  const std::uint32_t first = returns ? 1 : 0;
  if (!address(operand(s, first), i)) return;
  const std::vector<PtxOperand> values = parts_of(operand(s, first + 1));
  const OperandType slot_type = slot_type_of(name.type(), width == 8);
  std::vector<std::uint32_t> slots;
  if (returns) {
    const std::vector<PtxOperand> results = parts_of(operand(s, 0));
    if (results.size() != values.size()) problem("has vectors of different sizes");
    for (const PtxOperand& r : results) slots.push_back(destination(r, slot_type));
    // ptxas makes reductions of atomics whose result nothing reads; there is none that exchanges.
    const bool exchanges =
        *operation == AtomicOperation::exchange || *operation == AtomicOperation::compare_and_swap;
    const bool read = std::any_of(results.begin(), results.end(),
                                  [&](const PtxOperand& r) { return is_read(r.name); });
    if (exchanges || read) i.flags |= kFlagHasOld;
  } else {
    slots.assign(values.size(), 0);
  }
  for (const PtxOperand& v : values) slots.push_back(source(v, slot_type));
  if (*operation == AtomicOperation::compare_and_swap) {
    slots.push_back(source(operand(s, first + 2), slot_type));
  }
  if (i.space != AddressSpace::shared) kernel_->store_addresses.push_back(i.a);
  if (returns && width == 8) {
    const auto results = static_cast<std::ptrdiff_t>(values.size());
    kernel_->loaded_pointers.insert(kernel_->loaded_pointers.end(), slots.begin(),
                                    slots.begin() + results);
  }
  i.run = run_of_atomic(*type);
  i.subop = static_cast<std::uint8_t>(*operation);
  i.width = static_cast<std::uint8_t>(width);
  i.count = static_cast<std::uint8_t>(values.size());
  i.extra = static_cast<std::uint32_t>(kernel_->slots.size());
  kernel_->slots.insert(kernel_->slots.end(), slots.begin(), slots.end());
  if (i.count == 0 || i.count > 8) problem("has a vector of a size that is not known");
  add_site(i, traced_space(i.space),
           (i.flags & kFlagHasOld) != 0 ? AccessKind::atomic : AccessKind::reduction,
           width * i.count);
  merge_lanes(operand(s, first), values, name.type(), i);
  const bool fences = name.has("acquire") || name.has("release") || name.has("acq_rel");
  emit_fenced(i, name, fences, fences);
}

}  // namespace warpscope
