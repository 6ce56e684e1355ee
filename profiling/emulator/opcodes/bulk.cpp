// profiling/emulator/opcodes/bulk.cpp: bulk copies in all directions, their groups, and what edits
// tensor maps.
#include <algorithm>

#include "profiling/emulator/async/bulk_copy.h"
#include "profiling/emulator/async/bulk_reduction.h"
#include "profiling/emulator/async/cluster_stores.h"
#include "profiling/emulator/async/tensor_edits.h"
#include "profiling/emulator/decode/emit.h"
#include "profiling/emulator/decode/families.h"
#include "profiling/emulator/decode/operands.h"
#include "profiling/emulator/instructions/warp_instructions.h"

namespace warpscope {
namespace {

bool is_shared(std::string_view part) {
  return part == "shared::cta" || part == "shared::cluster" || part == "shared";
}

// Takes the coordinates of a tensor's box out of the operand; false: a problem.
bool take_coordinates(DecodeContext& ctx, std::string_view shape, PtxOperand& from,
                      std::vector<PtxOperand>& coordinates) {
  if (shape.size() != 2 || shape[0] < '1' || shape[0] > '5' || shape[1] != 'd') {
    return problem(ctx, "has a number of dimensions that is not known");
  }
  const auto first = ctx.module.operands.begin() + static_cast<std::ptrdiff_t>(from.first);
  coordinates.assign(first, first + static_cast<std::ptrdiff_t>(from.count));
  from.count = 0;
  return coordinates.size() == static_cast<std::size_t>(shape[0] - '0') ||
         problem(ctx, "has another number of coordinates than dimensions");
}

bool is_known_bulk(DecodeContext& ctx, const OpcodeName& name) {
  for (const std::string_view part : name.parts) {
    if (part.starts_with("im2col") || part.starts_with("tile::") || part.starts_with("cta_group") ||
        part == "cp_mask") {
      return problem(ctx, "is not emulated: ." + std::string(part.substr(0, 40)));
    }
  }
  return true;
}

// The slot of an address that names global memory or a tensor map; false: a problem.
bool take_global(DecodeContext& ctx, PtxOperand where, bool tensor, Instruction& at,
                 std::vector<PtxOperand>& coordinates, std::string_view shape) {
  if (tensor && !take_coordinates(ctx, shape, where, coordinates)) return false;
  at.space = tensor ? AddressSpace::generic : AddressSpace::global;
  if (!take_address(ctx, where, at)) return false;
  // A parameter named directly: its address is one of the window.
  if (at.space == AddressSpace::param) {
    at.a = constant_slot(
        ctx, 8, kParamWindow + static_cast<std::uint64_t>(find_symbol(ctx, where.name)->offset));
  }
  return true;
}

void emit_bulk(DecodeContext& ctx, Instruction i, const std::array<std::uint32_t, 4>& slots,
               const std::vector<PtxOperand>& coordinates) {
  std::vector<std::uint32_t> all(slots.begin(), slots.end());
  for (const PtxOperand& c : coordinates) all.push_back(source_slot(ctx, c, OperandType::b32));
  i.count = static_cast<std::uint8_t>(coordinates.size());
  i.extra = static_cast<std::uint32_t>(ctx.kernel.slots.size());
  ctx.kernel.slots.insert(ctx.kernel.slots.end(), all.begin(), all.end());
  i.width = 16;
  emit(ctx, i);
}

// cp.reduce.async.bulk….OP[.noftz].TYPE; of tensors the map says the type.
bool take_reduction(DecodeContext& ctx, const OpcodeName& name, Instruction& i) {
  if (!name.has("reduce")) return true;
  BulkReduction r;
  bool found = false;
  for (const std::string_view part : name.parts) {
    if (const auto operation = atomic_operation_of(part)) {
      r.operation = *operation;
      found = true;
    }
  }
  if (!found) return problem(ctx, "is not known");
  if (!name.has("tensor")) {
    const auto type = atomic_type_of(name.type());
    if (!type) return problem(ctx, "has a type that is not known");
    r.type = *type;
  }
  i.target = pack(r);
  return true;
}

void decode_bulk_group(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name) {
  Instruction i;
  i.run = name.has("commit_group") ? run_bulk_commit : run_bulk_wait;
  if (name.has("wait_group")) i.immediate = operand_at(ctx, s, 0).value;
  emit(ctx, i);
}

// cp.async.bulk.prefetch[.tensor.2d].L2.global …
void decode_bulk_prefetch(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name) {
  const bool tensor = name.has("tensor");
  const auto shape = std::find(name.parts.begin(), name.parts.end(), "tensor");
  Instruction at, i;
  std::vector<PtxOperand> coordinates;
  if (tensor && shape + 1 == name.parts.end()) {
    problem(ctx, "is not known");
    return;
  }
  if (!take_global(ctx, operand_at(ctx, s, 0), tensor, at, coordinates, tensor ? shape[1] : ""))
    return;
  i.b = at.a;
  if ((at.flags & kFlagAddress32) != 0) i.subop |= kFlagSource32;
  i.run = run_bulk_prefetch;
  const std::uint32_t bytes = tensor ? 0 : source_slot(ctx, s, 1, OperandType::b32);
  emit_bulk(ctx, i, {static_cast<std::uint32_t>(at.immediate), 0, bytes, 0}, coordinates);
}

bool take_bulk_operands(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name,
                        bool to_shared, bool from_shared, Instruction& i) {
  const bool tensor = name.has("tensor");
  const auto shape = std::find(name.parts.begin(), name.parts.end(), "tensor");
  std::vector<PtxOperand> coordinates;
  Instruction global, barrier;
  i.space = barrier.space = AddressSpace::shared;
  // Operands: destination, source, bytes (none of tensors), barrier (none of stores), mask.
  const PtxOperand &first = operand_at(ctx, s, 0), &second = operand_at(ctx, s, 1);
  const std::uint32_t after = tensor ? 2 : 3;
  if (to_shared && from_shared) {
    global.space = AddressSpace::shared;
    if (!take_address(ctx, first, global) || !take_address(ctx, second, i)) return false;
  } else {
    const std::string_view dimensions = tensor ? shape[1] : std::string_view{};
    if (!take_global(ctx, to_shared ? second : first, tensor, global, coordinates, dimensions) ||
        !take_address(ctx, to_shared ? first : second, i)) {
      return false;
    }
  }
  if (to_shared && !take_address(ctx, operand_at(ctx, s, after), barrier)) return false;
  if (i.space != AddressSpace::shared || barrier.space != AddressSpace::shared) {
    return problem(ctx, "has shared memory or a barrier outside shared memory");
  }
  i.b = global.a;
  i.c = to_shared ? barrier.a : 0;
  if ((barrier.flags & kFlagAddress32) != 0) i.subop |= kFlagBarrier32;
  if ((global.flags & kFlagAddress32) != 0) i.subop |= kFlagSource32;
  const std::uint32_t bytes = tensor ? 0 : source_slot(ctx, s, 2, OperandType::b32);
  const std::uint32_t mask =
      name.has("multicast::cluster") ? source_slot(ctx, s, after + 1, OperandType::b32) : 0;
  i.run = !to_shared ? run_bulk_store : from_shared ? run_bulk_pass : run_bulk_load;
  if (!to_shared && !tensor) ctx.kernel.store_addresses.push_back(i.b);
  if (!to_shared && tensor) ctx.kernel.store_addresses.push_back(0);  // anywhere
  if (!to_shared || !from_shared) {
    const AccessKind kind = to_shared            ? AccessKind::bulk_copy
                            : name.has("reduce") ? AccessKind::bulk_reduction
                                                 : AccessKind::bulk_store;
    add_site(ctx, i, AddressSpace::global, kind, 16);
  }
  emit_bulk(ctx, i,
            {static_cast<std::uint32_t>(global.immediate),
             static_cast<std::uint32_t>(barrier.immediate), bytes, mask},
            coordinates);
  return true;
}

}  // namespace

// cp[.reduce].async.bulk[.tensor.2d].TO.FROM[.tile].COMPLETION[.multicast::cluster][.OP.TYPE].
void decode_bulk_copy(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name) {
  if (name.has("commit_group") || name.has("wait_group")) return decode_bulk_group(ctx, s, name);
  if (!is_known_bulk(ctx, name)) return;
  if (name.has("prefetch")) return decode_bulk_prefetch(ctx, s, name);
  const std::size_t to = (name.has("reduce") ? 4 : 3) + (name.has("tensor") ? 2 : 0);
  if (name.parts.size() <= to + 1 || (name.has("tensor") && name.parts[to - 2] != "tensor")) {
    problem(ctx, "is not known");
    return;
  }
  const bool to_shared = is_shared(name.parts[to]), from_shared = is_shared(name.parts[to + 1]);
  const bool reports = name.has("mbarrier::complete_tx::bytes");
  if ((!to_shared && name.parts[to] != "global") ||
      (!from_shared && name.parts[to + 1] != "global") || (!to_shared && !from_shared) ||
      reports != to_shared || name.has("bulk_group") == to_shared ||
      (name.has("reduce") && !from_shared) || (name.has("tensor") && to_shared && from_shared)) {
    problem(ctx,
            "is not known: a bulk copy tells a barrier of what comes to shared memory, and puts "
            "what leaves for global memory into a bulk_group");
    return;
  }
  Instruction i;
  if (!take_reduction(ctx, name, i)) return;
  take_bulk_operands(ctx, s, name, to_shared, from_shared, i);
}

// st.async{.weak}{.shared::cluster}.mbarrier::complete_tx::bytes{.v2}.TYPE [a], b, [barrier], and
// red.async….OP.TYPE.
void decode_async_store(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name) {
  Instruction i, barrier;
  i.space = barrier.space = AddressSpace::shared;
  const int width = ptx_type_bytes(name.type());
  if (!name.has("mbarrier::complete_tx::bytes") || (width != 4 && width != 8) || name.has("mmio")) {
    problem(ctx, "is not emulated: it stores 4 or 8 bytes and tells a barrier");
    return;
  }
  if (name.base() == "red") {
    const auto type = atomic_type_of(name.type());
    BulkReduction r;
    bool found = false;
    for (const std::string_view part : name.parts) {
      if (const auto operation = atomic_operation_of(part)) {
        r.operation = *operation;
        found = true;
      }
    }
    if (!found || !type) {
      problem(ctx, "is not known");
      return;
    }
    r.type = *type;
    i.target = pack(r);
  }
  if (!take_address(ctx, operand_at(ctx, s, 0), i) ||
      !take_address(ctx, operand_at(ctx, s, 2), barrier))
    return;
  const std::vector<PtxOperand> values = operand_parts(ctx, operand_at(ctx, s, 1));
  if (values.size() != 1 && values.size() != 2 && values.size() != 4) {
    problem(ctx, "has a vector of a size that is not known");
    return;
  }
  const OperandType type = width == 8 ? (name.type() == "f64" ? OperandType::f64 : OperandType::b64)
                           : name.type() == "f32" ? OperandType::f32
                                                  : OperandType::b32;
  std::vector<std::uint32_t> slots = {0, static_cast<std::uint32_t>(barrier.immediate)};
  for (const PtxOperand& v : values) slots.push_back(source_slot(ctx, v, type));
  i.c = barrier.a;
  if ((barrier.flags & kFlagAddress32) != 0) i.subop |= kFlagBarrier32;
  i.width = static_cast<std::uint8_t>(width);
  i.count = static_cast<std::uint8_t>(values.size());
  i.extra = static_cast<std::uint32_t>(ctx.kernel.slots.size());
  ctx.kernel.slots.insert(ctx.kernel.slots.end(), slots.begin(), slots.end());
  i.run = run_store_async;
  emit(ctx, i);
}

// tensormap.replace.tile.FIELD[.SPACE].b1024.TYPE [map], [dimension,] value, and
// tensormap.cp_fenceproxy.global.shared::cta… [to], [from], 128.
void decode_tensor_map_edit(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name) {
  Instruction i;
  if (name.has("cp_fenceproxy")) {
    Instruction from;
    i.space = AddressSpace::global;
    from.space = AddressSpace::shared;
    if (!take_address(ctx, operand_at(ctx, s, 0), i) ||
        !take_address(ctx, operand_at(ctx, s, 1), from))
      return;
    if ((from.flags & kFlagAddress32) != 0) widen_address(ctx, from);
    i.b = from.a;
    i.extra = static_cast<std::uint32_t>(ctx.kernel.slots.size());
    ctx.kernel.slots.push_back(static_cast<std::uint32_t>(from.immediate));
    ctx.kernel.store_addresses.push_back(i.a);
    i.run = run_tensor_map_copy;
    emit(ctx, i);
    return;
  }
  constexpr std::string_view fields[] = {
      "global_address", "rank",     "box_dim",           "global_dim",   "global_stride",
      "element_stride", "elemtype", "interleave_layout", "swizzle_mode", "fill_mode"};
  const auto field = std::find_if(std::begin(fields), std::end(fields),
                                  [&](std::string_view f) { return name.has(f); });
  if (!name.has("replace") || field == std::end(fields)) {
    problem(ctx, "is not known");
    return;
  }
  for (const std::string_view part : name.parts) {
    if (const auto space = named_space(part)) i.space = *space;
  }
  if (!take_address(ctx, operand_at(ctx, s, 0), i)) return;
  const bool wide = name.type() == "b64";
  const bool by_dimension = s.count > 2;
  if (by_dimension) {
    const std::int64_t at = operand_at(ctx, s, 1).value;
    if (operand_at(ctx, s, 1).kind != PtxOperand::Kind::integer || at < 0 || at > 4) {
      problem(ctx, "has a dimension that is not known");
      return;
    }
    i.count = static_cast<std::uint8_t>(at);
  }
  i.b = source_slot(ctx, s, by_dimension ? 2 : 1, wide ? OperandType::b64 : OperandType::b32);
  i.width = wide ? 8 : 4;
  i.subop = static_cast<std::uint8_t>(field - std::begin(fields));
  if (i.space != AddressSpace::shared) ctx.kernel.store_addresses.push_back(i.a);
  i.run = run_tensor_map_replace;
  emit(ctx, i);
}

}  // namespace warpscope
