// profiling/emulator/opcodes/async.cpp: copies that run beside the lanes, and mbarriers.
#include "profiling/emulator/decode/emit.h"
#include "profiling/emulator/decode/families.h"
#include "profiling/emulator/decode/operands.h"
#include "profiling/emulator/instructions/warp_instructions.h"
#include "profiling/emulator/state/async_barriers.h"

namespace warpscope {
namespace {

// The slot of how many bytes a cp.async reads; 0: as many as it writes. A fourth operand is that
// number, or with a cache hint after it, or the hint alone.
std::uint32_t source_bytes_slot(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name,
                                std::int64_t width) {
  const bool hint = name.has("L2::cache_hint");
  if (s.count <= (hint ? 4u : 3u)) return 0;
  RegisterSlot found;
  const PtxOperand& o = operand_at(ctx, s, 3);
  const RegisterSlot* r = find_register(ctx, o.name, found);
  if (r == nullptr || r->bytes != 0) return source_slot(ctx, o, OperandType::b32);
  // ignore-src: a predicate; lanes where it is true read nothing.
  const std::uint32_t size = new_slot(ctx, 4);
  emit_row(ctx, "selp.b32", size, constant_slot(ctx, 4, 0),
           constant_slot(ctx, 4, static_cast<std::uint64_t>(width)),
           predicate_slot(ctx, o, nullptr))
      .counted = 0;
  ctx.current.counted = false;
  return size;
}

// after_copies stands for what mbarrier does not do.
AsyncBarrierOperation barrier_operation_of(const OpcodeName& name) {
  using Operation = AsyncBarrierOperation;
  const bool expecting = name.has("expect_tx");
  if (name.has("init")) return Operation::initialise;
  if (name.has("inval")) return Operation::invalidate;
  if (name.has("test_wait")) return Operation::test;
  if (name.has("try_wait")) return Operation::wait;
  if (name.has("arrive")) return expecting ? Operation::arrive_expecting : Operation::arrive;
  if (name.has("arrive_drop")) return expecting ? Operation::drop_expecting : Operation::drop;
  if (expecting) return Operation::expect_copy;
  return name.has("complete_tx") ? Operation::end_copy : Operation::after_copies;
}

}  // namespace

void decode_async_copy(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name) {
  Instruction i;
  if (!name.has("async")) {
    problem(ctx, "is not emulated");
    return;
  }
  if (name.has("commit_group")) {
    i.run = run_async_commit;
    emit(ctx, i);
    return;
  }
  if (name.has("wait_group") || name.has("wait_all")) {
    i.kind = InstructionKind::async_wait;
    i.immediate = name.has("wait_all") ? -1 : operand_at(ctx, s, 0).value;
    emit(ctx, i);
    return;
  }
  i.space = AddressSpace::shared;
  Instruction from;
  from.space = AddressSpace::global;
  if (!take_address(ctx, operand_at(ctx, s, 1), from)) return;
  if (!take_address(ctx, operand_at(ctx, s, 0), i)) return;
  const std::int64_t width = operand_at(ctx, s, 2).value;
  if (width != 4 && width != 8 && width != 16) {
    problem(ctx, "copies another number of bytes than 4, 8 or 16");
    return;
  }
  if ((from.flags & kFlagAddress32) != 0) problem(ctx, "has a 32-bit global address");
  if ((i.flags & kFlagAddress32) != 0) widen_address(ctx, i);
  i.b = from.a;
  const std::uint32_t size = source_bytes_slot(ctx, s, name, width);
  i.width = static_cast<std::uint8_t>(width);
  i.count = 1;
  i.extra = static_cast<std::uint32_t>(ctx.kernel.slots.size());
  const std::uint32_t past_l1 = name.has("cg") ? 1 : 0;
  ctx.kernel.slots.insert(ctx.kernel.slots.end(),
                          {size, static_cast<std::uint32_t>(from.immediate), past_l1});
  i.run = run_async_copy;
  add_site(ctx, i, AddressSpace::global, AccessKind::async_copy, static_cast<int>(width));
  add_site(ctx, i, AddressSpace::shared, AccessKind::async_copy, static_cast<int>(width));
  emit(ctx, i);
}

void decode_async_barrier(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name) {
  using Operation = AsyncBarrierOperation;
  Instruction i;
  if (name.has("pending_count")) {
    i.run = run_pending_count;
    i.d = destination_slot(ctx, s, 0, OperandType::b32);
    i.a = source_slot(ctx, s, 1, OperandType::b64);
    emit(ctx, i);
    return;
  }
  if (name.has("noComplete")) {
    problem(ctx, "is not emulated: .noComplete is of devices before compute capability 9.0");
    return;
  }
  for (const std::string_view part : name.parts) {
    if (named_space(part) == AddressSpace::shared || part == "shared::cluster") {
      i.space = AddressSpace::shared;
    }
  }
  const bool waits = name.has("test_wait") || name.has("try_wait");
  const bool arrives = name.has("arrive") || name.has("arrive_drop");
  const Operation operation = barrier_operation_of(name);
  if (operation == Operation::after_copies || name.type() != "b64") {
    problem(ctx, "is not known");
    return;
  }
  const std::uint32_t first = waits || arrives ? 1 : 0;
  if (!take_address(ctx, operand_at(ctx, s, first), i)) return;
  if (i.space != AddressSpace::shared && i.space != AddressSpace::generic) {
    problem(ctx, "names a barrier outside shared memory");
    return;
  }
  // A generic address has 64 bits; a narrower one is inside the window.
  if ((i.flags & kFlagAddress32) != 0) i.space = AddressSpace::shared;
  if (name.has("relaxed")) i.flags |= kFlagRelaxed;
  if (waits) {
    const bool parity = name.has("parity");
    if (parity) i.flags |= kFlagParity;
    i.kind = InstructionKind::async_barrier_wait;
    i.d = destination_slot(ctx, s, 0, OperandType::predicate);
    i.b = source_slot(ctx, s, 2, parity ? OperandType::b32 : OperandType::b64);
  } else {
    i.run = run_async_barrier;
    if (first == 1) i.d = destination_slot(ctx, s, 0, OperandType::b64);
    if (s.count > first + 1) i.b = source_slot(ctx, s, first + 1, OperandType::b32);
    const bool needs_number = operation != Operation::invalidate &&
                              operation != Operation::arrive && operation != Operation::drop;
    if (needs_number && i.b == 0) problem(ctx, "has too few operands");
  }
  i.subop = static_cast<std::uint8_t>(operation);
  emit(ctx, i);
}

// cp.async.mbarrier.arrive: an arrival once the lane's cp.async copies so far are over.
void decode_arrive_after_copies(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name) {
  Instruction i;
  for (const std::string_view part : name.parts) {
    if (named_space(part) == AddressSpace::shared) i.space = AddressSpace::shared;
  }
  if (!name.has("arrive") || name.type() != "b64") {
    problem(ctx, "is not known");
    return;
  }
  if (!take_address(ctx, operand_at(ctx, s, 0), i)) return;
  if ((i.flags & kFlagAddress32) != 0) i.space = AddressSpace::shared;
  i.run = run_async_barrier;
  i.subop = static_cast<std::uint8_t>(name.has("noinc") ? AsyncBarrierOperation::arrive_after_copies
                                                        : AsyncBarrierOperation::after_copies);
  emit(ctx, i);
}

}  // namespace warpscope
