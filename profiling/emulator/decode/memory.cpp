// profiling/emulator/decode/memory.cpp: loads, stores, atomics, collectives, copies.
#include <algorithm>
#include <bit>
#include <optional>

#include "profiling/emulator/decode/decoder.h"
#include "profiling/emulator/instructions/warp_instructions.h"
#include "profiling/emulator/memory/access_path.h"

namespace warpscope {

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
  if (i.site == no_site) i.site = static_cast<std::uint32_t>(kernel_->sites.size());
  kernel_->sites.push_back(std::move(site));
}

void Decoder::load_store(const PtxStatement& s, const Name& name) {
  const bool load = name.base() != "st";
  Instruction i;
  for (const std::string_view part : name.parts) {
    if (const auto space = space_of(part)) i.space = *space;
    if (part == "shared::cluster") i.space = AddressSpace::shared;
    if (part == "volatile" || part == "relaxed" || part == "acquire" || part == "release" ||
        part == "mmio") {
      i.flags |= flag_strong;
    }
  }
  if (load && (name.has("nc") || name.base() == "ldu")) {
    i.flags |= flag_read_only;
    kernel_->has_read_only_loads = true;
  }
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
  const OperandType slot_type = wide ? (type == "f64" ? OperandType::f64 : OperandType::b64)
                                : type == "f32" ? OperandType::f32
                                                : OperandType::b32;
  std::vector<std::uint32_t> slots;
  for (const PtxOperand& v : values) {
    slots.push_back(load ? destination(v, slot_type) : source(v, slot_type));
  }
  kernel_->slots.insert(kernel_->slots.end(), slots.begin(), slots.end());
  const bool is_signed = type[0] == 's';
  i.d = slots.front();
  const int log_width = std::countr_zero(static_cast<unsigned>(width));
  const OpcodeTable& table = opcode_table();
  i.run = load ? table.loads[log_width][wide][is_signed] : table.stores[log_width][wide];
  if (width == 8 && !wide) problem("has registers of another size");
  std::vector<std::uint32_t>& list = load ? kernel_->loaded_pointers : kernel_->store_addresses;
  if (!load && i.space != AddressSpace::shared && i.space != AddressSpace::local)
    list.push_back(i.a);
  if (load && width == 8) list.insert(list.end(), slots.begin(), slots.end());
  if (traced) {
    add_site(i, traced_space(i.space), load ? AccessKind::load : AccessKind::store,
             width * static_cast<int>(values.size()));
  }
  Instruction fence;
  fence.run = run_fence;
  fence.subop = name.has("cta") ? 0 : 1;
  // The first instruction of a statement is the one that counts: a release's fence does not.
  if (name.has("release")) {
    emit(fence).counted = 0;
    counted_ = false;
  }
  emit(i);
  if (name.has("acquire")) emit(fence);
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
      problem("has a result that is no register");
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
  const bool returns = (i.flags & flag_has_old) != 0;
  if (returns && operation != AtomicOperation::add) return;
  i.flags |= flag_merged;
  i.b = static_cast<std::uint32_t>(
      returns && differs_by_lane(values.front()) ? WarpMerge::whole_warps : WarpMerge::any_lanes);
  kernel_->sites[i.site].merged = true;
}

void Decoder::atomic(const PtxStatement& s, const Name& name) {
  Instruction i;
  const bool returns = name.base() == "atom";
  std::optional<AtomicOperation> operation;
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
  for (std::size_t k = 1; k < name.parts.size(); ++k) {
    if (const auto space = space_of(name.parts[k])) i.space = *space;
    if (name.parts[k] == "shared::cluster") i.space = AddressSpace::shared;
    for (const auto& [text, op] : operations) {
      if (name.parts[k] == text) operation = op;
    }
  }
  constexpr std::pair<std::string_view, AtomicType> types[] = {
      {"b16", AtomicType::u16},      {"u32", AtomicType::u32},   {"b32", AtomicType::u32},
      {"s32", AtomicType::s32},      {"u64", AtomicType::u64},   {"b64", AtomicType::u64},
      {"s64", AtomicType::s64},      {"f32", AtomicType::f32},   {"f64", AtomicType::f64},
      {"f16", AtomicType::f16},      {"bf16", AtomicType::bf16}, {"f16x2", AtomicType::f16x2},
      {"bf16x2", AtomicType::bf16x2}};
  std::optional<AtomicType> type;
  for (const auto& [text, t] : types) {
    if (name.type() == text) type = t;
  }
  if (!operation || !type) {
    problem("is not known");
    return;
  }
  const int width = ptx_type_bytes(name.type());
  const std::uint32_t first = returns ? 1 : 0;
  if (!address(operand(s, first), i)) return;
  const std::vector<PtxOperand> values = parts_of(operand(s, first + 1));
  const OperandType slot_type = name.type() == "f64"   ? OperandType::f64
                                : width == 8           ? OperandType::b64
                                : name.type() == "f32" ? OperandType::f32
                                                       : OperandType::b32;
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
    if (exchanges || read) i.flags |= flag_has_old;
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
           (i.flags & flag_has_old) != 0 ? AccessKind::atomic : AccessKind::reduction,
           width * i.count);
  merge_lanes(operand(s, first), values, name.type(), i);
  const bool fences = name.has("acquire") || name.has("release") || name.has("acq_rel");
  Instruction fence;
  fence.run = run_fence;
  fence.subop = name.has("cta") ? 0 : 1;
  if (fences) {
    emit(fence).counted = 0;
    counted_ = false;
  }
  emit(i);
  if (fences) emit(fence);
}

void Decoder::collective(const PtxStatement& s, const Name& name) {
  Instruction i;
  const std::string_view base = name.base();
  if (base == "activemask") {
    i.run = run_active_mask;
    i.d = destination(operand(s, 0), OperandType::b32);
    emit(i);
    return;
  }
  if (!name.has("sync")) {
    problem("without .sync is of devices before compute capability 7.0");
    return;
  }
  i.kind = InstructionKind::collective;
  i.width = 4;
  const PtxOperand& result = operand(s, 0);
  i.extra = static_cast<std::uint32_t>(kernel_->slots.size());
  const auto second = [&] {
    return result.second.empty() || result.second == "_"
               ? 0
               : destination_named(result.second, OperandType::predicate);
  };
  if (base == "shfl") {
    i.run = run_shuffle;
    i.subop = static_cast<std::uint8_t>(name.has("up")     ? ShuffleMode::up
                                        : name.has("down") ? ShuffleMode::down
                                        : name.has("bfly") ? ShuffleMode::butterfly
                                                           : ShuffleMode::index);
    i.d = destination(result, OperandType::b32);
    i.a = source(operand(s, 1), OperandType::b32);
    i.b = source(operand(s, 2), OperandType::b32);
    const std::uint32_t clamp = source(operand(s, 3), OperandType::b32);
    i.c = source(operand(s, 4), OperandType::b32);
    kernel_->slots.insert(kernel_->slots.end(), {clamp, second()});
  } else if (base == "vote") {
    i.run = run_vote;
    const bool ballot = name.has("ballot");
    i.subop = static_cast<std::uint8_t>(ballot            ? VoteMode::ballot
                                        : name.has("all") ? VoteMode::all
                                        : name.has("any") ? VoteMode::any
                                                          : VoteMode::uniform);
    i.d = destination(result, ballot ? OperandType::b32 : OperandType::predicate);
    bool negated = false;
    i.a = source_predicate(operand(s, 1), &negated);
    if (negated) i.flags |= flag_negated;
    i.c = source(operand(s, 2), OperandType::b32);
  } else if (base == "match") {
    i.run = run_match;
    i.subop = name.has("all") ? 1 : 0;
    const bool wide = name.type() == "b64";
    i.width = wide ? 8 : 4;
    i.d = destination(result, OperandType::b32);
    i.a = source(operand(s, 1), wide ? OperandType::b64 : OperandType::b32);
    i.c = source(operand(s, 2), OperandType::b32);
    kernel_->slots.push_back(second());
  } else if (base == "redux") {
    i.run = run_reduce;
    if (name.type() == "f32") {
      problem("of f32 is of later devices");
      return;
    }
    i.subop = static_cast<std::uint8_t>(name.has("add")   ? ReduceMode::add
                                        : name.has("min") ? ReduceMode::minimum
                                        : name.has("max") ? ReduceMode::maximum
                                        : name.has("and") ? ReduceMode::bit_and
                                        : name.has("or")  ? ReduceMode::bit_or
                                                          : ReduceMode::bit_xor);
    if (name.type() == "s32") i.flags |= flag_sign_extend;
    i.d = destination(result, OperandType::b32);
    i.a = source(operand(s, 1), OperandType::b32);
    i.c = source(operand(s, 2), OperandType::b32);
  } else {
    i.run = run_elect;
    i.d = destination(result, OperandType::b32);
    i.c = source(operand(s, 1), OperandType::b32);
    kernel_->slots.push_back(second());
  }
  const std::uint32_t last = s.count - 1;  // the mask comes last
  if (s.count > 0 && operand(s, last).kind == PtxOperand::Kind::integer) i.flags |= flag_one_mask;
  emit(i);
}

void Decoder::async_copy(const PtxStatement& s, const Name& name) {
  Instruction i;
  if (!name.has("async")) {
    problem("is not emulated");
    return;
  }
  if (name.has("commit_group")) {
    i.run = run_async_commit;
    emit(i);
    return;
  }
  if (name.has("wait_group") || name.has("wait_all")) {
    i.kind = InstructionKind::async_wait;
    i.immediate = name.has("wait_all") ? -1 : operand(s, 0).value;
    emit(i);
    return;
  }
  i.space = AddressSpace::shared;
  Instruction from;
  from.space = AddressSpace::global;
  if (!address(operand(s, 1), from)) return;
  if (!address(operand(s, 0), i)) return;
  const std::int64_t width = operand(s, 2).value;
  if (width != 4 && width != 8 && width != 16) {
    problem("copies another number of bytes than 4, 8 or 16");
    return;
  }
  if ((from.flags & flag_address32) != 0) problem("has a 32-bit global address");
  if ((i.flags & flag_address32) != 0) {
    const std::uint32_t wide = new_slot(8);
    Instruction widen;
    widen.run = opcode_table().conversions[static_cast<std::size_t>(Number::u64)]
                                          [static_cast<std::size_t>(Number::u32)];
    widen.a = i.a;
    widen.d = wide;
    emit(widen).counted = 0;
    counted_ = false;
    i.a = wide;
    i.flags &= static_cast<std::uint8_t>(~flag_address32);
  }
  i.b = from.a;
  std::uint32_t size = 0;
  // A fourth operand is the source's size, or with a cache hint after it, or the hint alone.
  const bool hint = name.has("L2::cache_hint");
  if (s.count > (hint ? 4u : 3u)) {
    Register found;
    const PtxOperand& o = operand(s, 3);
    const Register* r = find_register(o.name, found);
    if (r != nullptr && r->bytes == 0) {
      // ignore-src: a predicate; lanes where it is true read nothing.
      size = new_slot(4);
      emit_row("selp.b32", size, constant(4, 0), constant(4, static_cast<std::uint64_t>(width)),
               source_predicate(o, nullptr))
          .counted = 0;
      counted_ = false;
    } else {
      size = source(o, OperandType::b32);
    }
  }
  i.width = static_cast<std::uint8_t>(width);
  i.count = 1;
  i.extra = static_cast<std::uint32_t>(kernel_->slots.size());
  const std::uint32_t past_l1 = name.has("cg") ? 1 : 0;
  kernel_->slots.insert(kernel_->slots.end(),
                        {size, static_cast<std::uint32_t>(from.immediate), past_l1});
  i.run = run_async_copy;
  add_site(i, Space::global, AccessKind::async_copy, static_cast<int>(width));
  add_site(i, Space::shared, AccessKind::async_copy, static_cast<int>(width));
  emit(i);
}

}  // namespace warpscope
