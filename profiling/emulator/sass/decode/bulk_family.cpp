// profiling/emulator/sass/decode/bulk_family.cpp: bulk copies and reductions of bytes and of boxes
// of tensors, and what blocks of a cluster tell each other.
#include <optional>

#include "profiling/emulator/async/bulk_copy.h"
#include "profiling/emulator/async/bulk_reduction.h"
#include "profiling/emulator/async/cluster_barrier.h"
#include "profiling/emulator/async/cluster_stores.h"
#include "profiling/emulator/sass/decode/machine_families.h"
#include "profiling/emulator/sass/lanes/machine_runs.h"

namespace warpscope {
namespace {

constexpr std::int32_t kShared = -static_cast<std::int32_t>(kSystemShared);

// The registers from the first of a bracket on: where to, the barrier that is told, coordinates.
bool take_first(MachineContext& ctx, const MachineOperand& o, int& first) {
  if (o.kind != OperandKind::memory || o.terms.size() != 1 || !o.terms[0].uniform || o.value != 0)
    return problem(ctx, "address " + o.text);
  first = o.terms[0].number;
  return true;
}

// An address of 8 bytes in a pair of uniform registers.
std::uint32_t joined(MachineContext& ctx, int first) {
  const std::uint32_t slot = new_slots(ctx, 2);
  const bool was = std::exchange(ctx.uniform, false);
  emit_joined(ctx, slot, uniform_slot(ctx, first));
  ctx.uniform = was;
  return slot;
}

// The operand holds the bytes in units of 16, and above them a mask of blocks.
std::uint32_t bytes_of(MachineContext& ctx, const MachineOperand& o) {
  Instruction i;
  i.run = run_bulk_bytes;
  i.a = source(ctx, o);
  i.d = new_slots(ctx, 1);
  emit(ctx, i).counted = 0;
  return i.d;
}
std::uint32_t mask_of(MachineContext& ctx, const MachineOperand& o) {
  constexpr std::uint64_t kBelowMask = 16;
  const std::uint32_t slot = new_slots(ctx, 1);
  emit_extra(ctx, "shift.R.U32.HI", slot, ctx.layout.zero, constant_slot(ctx, kBelowMask),
             source(ctx, o));
  return slot;
}

void add_coordinates(MachineContext& ctx, Instruction& i, int dimensions, int first) {
  i.count = static_cast<std::uint8_t>(dimensions);
  for (int k = 0; k < dimensions; ++k) add_slots(ctx, {uniform_slot(ctx, first + k)});
}

int take_dimensions(MachineContext& ctx) {
  return takes_one(ctx, {"1D", "2D", "3D", "4D", "5D"}) + 1;
}

struct BulkLoad {
  int to = 0;                         // registers of the place and of the barrier
  std::uint32_t from = 0;             // slot of the address in global memory, or of the map's
  std::uint32_t bytes = 0, mask = 0;  // slots
  int dimensions = 0, first_coordinate = 0;
};
void emit_load(MachineContext& ctx, const BulkLoad& load) {
  Instruction i;
  i.run = run_bulk_load_once;
  i.a = mapped_slot(ctx, uniform_slot(ctx, load.to), true);
  i.c = mapped_slot(ctx, uniform_slot(ctx, load.to + 1), true);
  i.b = load.from;
  i.space = AddressSpace::shared;
  i.flags = kFlagAddress32;
  i.immediate = kShared;
  i.subop = kFlagBarrier32;
  i.width = 16;
  i.extra = add_slots(ctx, {0, static_cast<std::uint32_t>(kShared), load.bytes, load.mask});
  add_coordinates(ctx, i, load.dimensions, load.first_coordinate);
  Instruction& added = emit(ctx, i);
  add_site(ctx, added, Space::global, AccessKind::bulk_copy, 16);
}

struct BulkStore {
  int from = 0;          // register of the place in shared memory
  std::uint32_t to = 0;  // slot of the address in global memory, or of the map's
  std::uint32_t bytes = 0;
  std::uint32_t reduction = 0;  // packed; 0: it copies
  int dimensions = 0, first_coordinate = 0;
};
void emit_store(MachineContext& ctx, const BulkStore& store) {
  Instruction i;
  i.run = run_bulk_store_once;
  i.a = mapped_slot(ctx, uniform_slot(ctx, store.from), false);
  i.b = store.to;
  i.space = AddressSpace::shared;
  i.flags = kFlagAddress32;
  i.immediate = kShared;
  i.width = 16;
  i.target = store.reduction;
  i.extra = add_slots(ctx, {0, 0, store.bytes, 0});
  add_coordinates(ctx, i, store.dimensions, store.first_coordinate);
  Instruction& added = emit(ctx, i);
  add_site(ctx, added, Space::global,
           store.reduction == 0 ? AccessKind::bulk_store : AccessKind::bulk_reduction, 16);
}

// No value: there is a problem. 0: it copies.
std::optional<std::uint32_t> take_reduction(MachineContext& ctx, bool reduces, bool typed) {
  if (!reduces) return 0;
  BulkReduction r;
  const std::optional<AtomicOperation> operation = take_operation(ctx);
  std::optional<AtomicShape> type = AtomicShape{};
  if (typed && takes(ctx, "F16")) {
    type = AtomicShape{AtomicType::f16, 2, 1};
  } else if (typed && takes(ctx, "BF16")) {
    type = AtomicShape{AtomicType::bf16, 2, 1};
  } else if (typed) {
    type = take_atomic_type(ctx);
  }
  ignores(ctx, {"RN"});
  if (!operation || !type || type->count != 1) {
    problem(ctx, "the form of " + ctx.at->text);
    return std::nullopt;
  }
  r.operation = *operation;
  r.type = type->type;
  return pack(r);
}

}  // namespace

// UTMALDG.3D [UR8], [UR4]: UR8 the place in shared memory, UR9 the barrier, UR10 … the coordinates;
// UR4 and UR5 the address of the map. With .MULTICAST a third operand has the mask of blocks.
bool decode_tensor_load(MachineContext& ctx) {
  const std::vector<MachineOperand>& all = ctx.at->operands;
  BulkLoad load;
  load.dimensions = take_dimensions(ctx);
  const bool spreads = takes(ctx, "MULTICAST");
  int map = 0;
  if (load.dimensions == 0 || all.size() != (spreads ? 3u : 2u))
    return problem(ctx, "the form of " + ctx.at->text);
  if (!take_first(ctx, all[0], load.to) || !take_first(ctx, all[1], map)) return false;
  load.first_coordinate = load.to + 2;
  load.from = joined(ctx, map);
  if (spreads) load.mask = mask_of(ctx, all[2]);
  emit_load(ctx, load);
  return true;
}

// UTMASTG.2D [UR8], [UR4]: UR8 the place in shared memory, UR9 … the coordinates; UR4 and UR5 the
// address of the map. UTMAREDG.2D.ADD: the map says of what type.
bool decode_tensor_store(MachineContext& ctx) {
  const std::vector<MachineOperand>& all = ctx.at->operands;
  BulkStore store;
  store.dimensions = take_dimensions(ctx);
  int map = 0;
  if (store.dimensions == 0 || all.size() != 2) return problem(ctx, "the form of " + ctx.at->text);
  if (!take_first(ctx, all[0], store.from) || !take_first(ctx, all[1], map)) return false;
  const auto reduction = take_reduction(ctx, ctx.at->name == "UTMAREDG", false);
  if (!reduction) return false;
  store.reduction = *reduction;
  store.first_coordinate = store.from + 1;
  store.to = joined(ctx, map);
  emit_store(ctx, store);
  return true;
}

// UBLKCP.S.G [UR8], [UR6], UR4: to UR8, with the barrier in UR9, from the address in UR6 and UR7,
// as many units of 16 bytes as UR4 says. UBLKCP.S.S: to another block's memory, from that at UR6.
// UBLKCP.G.S and UBLKRED.G.S.ADD: to the address in UR8 and UR9 from the memory at UR6.
bool decode_bulk_copy(MachineContext& ctx) {
  const std::vector<MachineOperand>& all = ctx.at->operands;
  if (ctx.left.size() < 2 || all.size() != 3) return problem(ctx, "the form of " + ctx.at->text);
  const std::string way = ctx.left[0] + "." + ctx.left[1];
  ctx.left.erase(ctx.left.begin(), ctx.left.begin() + 2);
  const bool spreads = takes(ctx, "MULTICAST");
  int to = 0, from = 0;
  if (!take_first(ctx, all[0], to) || !take_first(ctx, all[1], from)) return false;
  const std::uint32_t bytes = bytes_of(ctx, all[2]);
  if (way == "S.G" && ctx.at->name == "UBLKCP") {
    const std::uint32_t mask = spreads ? mask_of(ctx, all[2]) : 0;
    emit_load(ctx, {to, joined(ctx, from), bytes, mask, 0, 0});
    return true;
  }
  if (spreads) return problem(ctx, "the form of " + ctx.at->text);
  if (way == "G.S") {
    const auto reduction = take_reduction(ctx, ctx.at->name == "UBLKRED", true);
    if (!reduction) return false;
    emit_store(ctx, {from, joined(ctx, to), bytes, *reduction, 0, 0});
    return true;
  }
  if (way != "S.S" || ctx.at->name != "UBLKCP") return problem(ctx, "the form of " + ctx.at->text);
  Instruction i;
  i.run = run_bulk_pass_once;
  i.a = mapped_slot(ctx, uniform_slot(ctx, from), false);
  i.b = mapped_slot(ctx, uniform_slot(ctx, to), true);
  i.c = mapped_slot(ctx, uniform_slot(ctx, to + 1), true);
  i.space = AddressSpace::shared;
  i.flags = kFlagAddress32;
  i.immediate = kShared;
  i.subop = kFlagBarrier32 | kFlagSource32;
  i.width = 16;
  constexpr auto kBefore = static_cast<std::uint32_t>(kShared);
  i.extra = add_slots(ctx, {kBefore, kBefore, bytes, 0});
  emit(ctx, i);
  return true;
}

// UTMACMDFLUSH ends a group of copies to global memory; DEPBAR waits for it.
bool decode_bulk_commit(MachineContext& ctx) {
  Instruction i;
  i.run = run_bulk_commit;
  emit(ctx, i);
  return true;
}

// STAS [R4.64], R2: R4 the place in a block of the cluster, R5 a barrier there; REDAS.ADD.
bool decode_store_async(MachineContext& ctx) {
  const std::vector<MachineOperand>& all = ctx.at->operands;
  if (all.size() != 2 || all[0].kind != OperandKind::memory || all[0].terms.size() != 1 ||
      all[0].terms[0].part != "64" || all[0].terms[0].uniform || all[0].value != 0)
    return problem(ctx, "the operands of " + ctx.at->text);
  const bool reduces = ctx.at->name == "REDAS";
  const int number = all[0].terms[0].number;
  const int count = reduces ? 1 : takes(ctx, "128") ? 4 : takes(ctx, "64") ? 2 : 1;
  const auto reduction = take_reduction(ctx, reduces, true);
  if (!reduction) return false;
  const std::uint32_t to = general_slot(ctx, number);
  note_use(ctx, SlotRole::address, to, 2);
  Instruction i;
  i.run = run_store_async;
  i.a = mapped_slot(ctx, to, true);
  i.c = mapped_slot(ctx, to + kSlotBytes, true);
  i.space = AddressSpace::shared;
  i.flags = kFlagAddress32;
  i.immediate = kShared;
  i.subop = kFlagBarrier32;
  i.target = *reduction;
  i.width = 4;
  i.count = static_cast<std::uint8_t>(count);
  const std::uint32_t from = source(ctx, all[1], kPlain, count);
  i.extra = add_slots(ctx, {0, static_cast<std::uint32_t>(kShared)});
  for (int k = 0; k < count; ++k)
    add_slots(ctx, {from + static_cast<std::uint32_t>(k) * kSlotBytes});
  emit(ctx, i);
  return true;
}

// UCGABAR_ARV and UCGABAR_WAIT: barrier.cluster. Fences before it are instructions of their own.
bool decode_cluster_barrier(MachineContext& ctx) {
  if (!ctx.at->operands.empty()) return problem(ctx, "the operands of " + ctx.at->text);
  Instruction i;
  if (ctx.at->name == "UCGABAR_ARV") {
    i.run = run_cluster_arrive;
    i.subop = 1;
  } else {
    i.kind = InstructionKind::cluster_wait;
  }
  emit(ctx, i);
  return true;
}

}  // namespace warpscope
