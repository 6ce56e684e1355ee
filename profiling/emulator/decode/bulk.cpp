// profiling/emulator/decode/bulk.cpp: bulk copies in all directions, their groups, and what edits
// tensor maps.
#include <algorithm>

#include "profiling/emulator/async/bulk_copy.h"
#include "profiling/emulator/async/bulk_reduction.h"
#include "profiling/emulator/async/cluster_stores.h"
#include "profiling/emulator/async/tensor_edits.h"
#include "profiling/emulator/decode/decoder.h"
#include "profiling/emulator/instructions/warp_instructions.h"

namespace warpscope {
namespace {

bool is_shared(std::string_view part) {
  return part == "shared::cta" || part == "shared::cluster" || part == "shared";
}

}  // namespace

// Takes the coordinates of a tensor's box out of the operand; false: a problem.
bool Decoder::take_coordinates(std::string_view shape, PtxOperand& from,
                               std::vector<PtxOperand>& coordinates) {
  if (shape.size() != 2 || shape[0] < '1' || shape[0] > '5' || shape[1] != 'd') {
    return problem("has a number of dimensions that is not known");
  }
  const auto first = module_.operands.begin() + static_cast<std::ptrdiff_t>(from.first);
  coordinates.assign(first, first + static_cast<std::ptrdiff_t>(from.count));
  from.count = 0;
  return coordinates.size() == static_cast<std::size_t>(shape[0] - '0') ||
         problem("has another number of coordinates than dimensions");
}

bool Decoder::is_known_bulk(const Name& name) {
  for (const std::string_view part : name.parts) {
    if (part.starts_with("im2col") || part.starts_with("tile::") || part.starts_with("cta_group") ||
        part == "cp_mask") {
      return problem("is not emulated: ." + std::string(part.substr(0, 40)));
    }
  }
  return true;
}

bool Decoder::take_global(PtxOperand where, bool tensor, Instruction& at,
                          std::vector<PtxOperand>& coordinates, std::string_view shape) {
  if (tensor && !take_coordinates(shape, where, coordinates)) return false;
  at.space = tensor ? AddressSpace::generic : AddressSpace::global;
  if (!address(where, at)) return false;
  // A parameter named directly: its address is one of the window.
  if (at.space == AddressSpace::param) {
    at.a = constant(8, kParamWindow + static_cast<std::uint64_t>(find_symbol(where.name)->offset));
  }
  return true;
}

void Decoder::emit_bulk(Instruction i, const std::array<std::uint32_t, 4>& slots,
                        const std::vector<PtxOperand>& coordinates) {
  std::vector<std::uint32_t> all(slots.begin(), slots.end());
  for (const PtxOperand& c : coordinates) all.push_back(source(c, OperandType::b32));
  i.count = static_cast<std::uint8_t>(coordinates.size());
  i.extra = static_cast<std::uint32_t>(kernel_->slots.size());
  kernel_->slots.insert(kernel_->slots.end(), all.begin(), all.end());
  i.width = 16;
  emit(i);
}

// cp.reduce.async.bulk….OP[.noftz].TYPE; of tensors the map says the type.
bool Decoder::take_reduction(const Name& name, Instruction& i) {
  if (!name.has("reduce")) return true;
  BulkReduction r;
  bool found = false;
  for (const std::string_view part : name.parts) {
    if (const auto operation = atomic_operation_of(part)) {
      r.operation = *operation;
      found = true;
    }
  }
  if (!found) return problem("is not known");
  if (!name.has("tensor")) {
    const auto type = atomic_type_of(name.type());
    if (!type) return problem("has a type that is not known");
    r.type = *type;
  }
  i.target = pack(r);
  return true;
}

void Decoder::bulk_group(const PtxStatement& s, const Name& name) {
  Instruction i;
  i.run = name.has("commit_group") ? run_bulk_commit : run_bulk_wait;
  if (name.has("wait_group")) i.immediate = operand(s, 0).value;
  emit(i);
}

// cp.async.bulk.prefetch[.tensor.2d].L2.global …
void Decoder::bulk_prefetch(const PtxStatement& s, const Name& name) {
  const bool tensor = name.has("tensor");
  const auto shape = std::find(name.parts.begin(), name.parts.end(), "tensor");
  Instruction at, i;
  std::vector<PtxOperand> coordinates;
  if (tensor && shape + 1 == name.parts.end()) {
    problem("is not known");
    return;
  }
  if (!take_global(operand(s, 0), tensor, at, coordinates, tensor ? shape[1] : "")) return;
  i.b = at.a;
  if ((at.flags & kFlagAddress32) != 0) i.subop |= kFlagSource32;
  i.run = run_bulk_prefetch;
  const std::uint32_t bytes = tensor ? 0 : source(operand(s, 1), OperandType::b32);
  emit_bulk(i, {static_cast<std::uint32_t>(at.immediate), 0, bytes, 0}, coordinates);
}

// cp[.reduce].async.bulk[.tensor.2d].TO.FROM[.tile].COMPLETION[.multicast::cluster][.OP.TYPE].
void Decoder::bulk_copy(const PtxStatement& s, const Name& name) {
  if (name.has("commit_group") || name.has("wait_group")) return bulk_group(s, name);
  if (!is_known_bulk(name)) return;
  if (name.has("prefetch")) return bulk_prefetch(s, name);
  const std::size_t to = (name.has("reduce") ? 4 : 3) + (name.has("tensor") ? 2 : 0);
  if (name.parts.size() <= to + 1 || (name.has("tensor") && name.parts[to - 2] != "tensor")) {
    problem("is not known");
    return;
  }
  const bool to_shared = is_shared(name.parts[to]), from_shared = is_shared(name.parts[to + 1]);
  const bool reports = name.has("mbarrier::complete_tx::bytes");
  if ((!to_shared && name.parts[to] != "global") ||
      (!from_shared && name.parts[to + 1] != "global") || (!to_shared && !from_shared) ||
      reports != to_shared || name.has("bulk_group") == to_shared ||
      (name.has("reduce") && !from_shared) || (name.has("tensor") && to_shared && from_shared)) {
    problem(
        "is not known: a bulk copy to shared memory signals a barrier, one to global memory uses a "
        "bulk_group");
    return;
  }
  Instruction i;
  if (!take_reduction(name, i)) return;
  take_bulk_operands(s, name, to_shared, from_shared, i);
}

bool Decoder::take_bulk_operands(const PtxStatement& s, const Name& name, bool to_shared,
                                 bool from_shared, Instruction& i) {
  const bool tensor = name.has("tensor");
  const auto shape = std::find(name.parts.begin(), name.parts.end(), "tensor");
  std::vector<PtxOperand> coordinates;
  Instruction global, barrier;
  i.space = barrier.space = AddressSpace::shared;
  // Operands: destination, source, bytes (none of tensors), barrier (none of stores), mask.
  const PtxOperand &first = operand(s, 0), &second = operand(s, 1);
  const std::uint32_t after = tensor ? 2 : 3;
  if (to_shared && from_shared) {
    global.space = AddressSpace::shared;
    if (!address(first, global) || !address(second, i)) return false;
  } else {
    const std::string_view dimensions = tensor ? shape[1] : std::string_view{};
    if (!take_global(to_shared ? second : first, tensor, global, coordinates, dimensions) ||
        !address(to_shared ? first : second, i)) {
      return false;
    }
  }
  if (to_shared && !address(operand(s, after), barrier)) return false;
  if (i.space != AddressSpace::shared || barrier.space != AddressSpace::shared) {
    return problem("has shared memory or a barrier outside shared memory");
  }
  i.b = global.a;
  i.c = to_shared ? barrier.a : 0;
  if ((barrier.flags & kFlagAddress32) != 0) i.subop |= kFlagBarrier32;
  if ((global.flags & kFlagAddress32) != 0) i.subop |= kFlagSource32;
  const std::uint32_t bytes = tensor ? 0 : source(operand(s, 2), OperandType::b32);
  const std::uint32_t mask =
      name.has("multicast::cluster") ? source(operand(s, after + 1), OperandType::b32) : 0;
  i.run = !to_shared ? run_bulk_store : from_shared ? run_bulk_pass : run_bulk_load;
  if (!to_shared && !tensor) kernel_->store_addresses.push_back(i.b);
  if (!to_shared && tensor) kernel_->store_addresses.push_back(0);  // anywhere
  if (!to_shared || !from_shared) {
    const AccessKind kind = to_shared            ? AccessKind::bulk_copy
                            : name.has("reduce") ? AccessKind::bulk_reduction
                                                 : AccessKind::bulk_store;
    add_site(i, Space::global, kind, 16);
  }
  emit_bulk(i,
            {static_cast<std::uint32_t>(global.immediate),
             static_cast<std::uint32_t>(barrier.immediate), bytes, mask},
            coordinates);
  return true;
}

// st.async{.weak}{.shared::cluster}.mbarrier::complete_tx::bytes{.v2}.TYPE [a], b, [barrier], and
// red.async….OP.TYPE.
void Decoder::store_async(const PtxStatement& s, const Name& name) {
  Instruction i, barrier;
  i.space = barrier.space = AddressSpace::shared;
  const int width = ptx_type_bytes(name.type());
  if (!name.has("mbarrier::complete_tx::bytes") || (width != 4 && width != 8) || name.has("mmio")) {
    problem("is not emulated: only stores of 4 or 8 bytes that signal a barrier are");
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
      problem("is not known");
      return;
    }
    r.type = *type;
    i.target = pack(r);
  }
  if (!address(operand(s, 0), i) || !address(operand(s, 2), barrier)) return;
  const std::vector<PtxOperand> values = parts_of(operand(s, 1));
  if (values.size() != 1 && values.size() != 2 && values.size() != 4) {
    problem("has a vector of a size that is not known");
    return;
  }
  const OperandType type = width == 8 ? (name.type() == "f64" ? OperandType::f64 : OperandType::b64)
                           : name.type() == "f32" ? OperandType::f32
                                                  : OperandType::b32;
  std::vector<std::uint32_t> slots = {0, static_cast<std::uint32_t>(barrier.immediate)};
  for (const PtxOperand& v : values) slots.push_back(source(v, type));
  i.c = barrier.a;
  if ((barrier.flags & kFlagAddress32) != 0) i.subop |= kFlagBarrier32;
  i.width = static_cast<std::uint8_t>(width);
  i.count = static_cast<std::uint8_t>(values.size());
  i.extra = static_cast<std::uint32_t>(kernel_->slots.size());
  kernel_->slots.insert(kernel_->slots.end(), slots.begin(), slots.end());
  i.run = run_store_async;
  emit(i);
}

// tensormap.replace.tile.FIELD[.SPACE].b1024.TYPE [map], [dimension,] value, and
// tensormap.cp_fenceproxy.global.shared::cta… [to], [from], 128.
void Decoder::tensor_map_edit(const PtxStatement& s, const Name& name) {
  Instruction i;
  if (name.has("cp_fenceproxy")) {
    Instruction from;
    i.space = AddressSpace::global;
    from.space = AddressSpace::shared;
    if (!address(operand(s, 0), i) || !address(operand(s, 1), from)) return;
    if ((from.flags & kFlagAddress32) != 0) widen_address(from);
    i.b = from.a;
    i.extra = static_cast<std::uint32_t>(kernel_->slots.size());
    kernel_->slots.push_back(static_cast<std::uint32_t>(from.immediate));
    kernel_->store_addresses.push_back(i.a);
    i.run = run_tensor_map_copy;
    emit(i);
    return;
  }
  constexpr std::string_view fields[] = {
      "global_address", "rank",     "box_dim",           "global_dim",   "global_stride",
      "element_stride", "elemtype", "interleave_layout", "swizzle_mode", "fill_mode"};
  const auto field = std::find_if(std::begin(fields), std::end(fields),
                                  [&](std::string_view f) { return name.has(f); });
  if (!name.has("replace") || field == std::end(fields)) {
    problem("is not known");
    return;
  }
  for (const std::string_view part : name.parts) {
    if (const auto space = space_of(part)) i.space = *space;
  }
  if (!address(operand(s, 0), i)) return;
  const bool wide = name.type() == "b64";
  const bool by_dimension = s.count > 2;
  if (by_dimension) {
    const std::int64_t at = operand(s, 1).value;
    if (operand(s, 1).kind != PtxOperand::Kind::integer || at < 0 || at > 4) {
      problem("has a dimension that is not known");
      return;
    }
    i.count = static_cast<std::uint8_t>(at);
  }
  i.b = source(operand(s, by_dimension ? 2 : 1), wide ? OperandType::b64 : OperandType::b32);
  i.width = wide ? 8 : 4;
  i.subop = static_cast<std::uint8_t>(field - std::begin(fields));
  if (i.space != AddressSpace::shared) kernel_->store_addresses.push_back(i.a);
  i.run = run_tensor_map_replace;
  emit(i);
}

}  // namespace warpscope
