// profiling/emulator/decode/async.cpp: copies that run beside the lanes, and mbarriers.
#include "profiling/emulator/decode/decoder.h"
#include "profiling/emulator/instructions/warp_instructions.h"
#include "profiling/emulator/state/async_barriers.h"

namespace warpscope {

// An address of 32 bits becomes one of 64.
void Decoder::widen_address(Instruction& i) {
  const std::uint32_t wide = new_slot(8);
  Instruction widen;
  widen.run = opcode_table().conversions[static_cast<std::size_t>(Number::u64)]
                                        [static_cast<std::size_t>(Number::u32)];
  widen.a = i.a;
  widen.d = wide;
  emit(widen).counted = 0;
  counted_ = false;
  i.a = wide;
  i.flags &= static_cast<std::uint8_t>(~kFlagAddress32);
}

// The slot of how many bytes a cp.async reads; 0: as many as it writes. A fourth operand is that
// number, or with a cache hint after it, or the hint alone.
std::uint32_t Decoder::source_bytes(const PtxStatement& s, const Name& name, std::int64_t width) {
  const bool hint = name.has("L2::cache_hint");
  if (s.count <= (hint ? 4u : 3u)) return 0;
  Register found;
  const PtxOperand& o = operand(s, 3);
  const Register* r = find_register(o.name, found);
  if (r == nullptr || r->bytes != 0) return source(o, OperandType::b32);
  // ignore-src: a predicate; lanes where it is true read nothing.
  const std::uint32_t size = new_slot(4);
  emit_row("selp.b32", size, constant(4, 0), constant(4, static_cast<std::uint64_t>(width)),
           source_predicate(o, nullptr))
      .counted = 0;
  counted_ = false;
  return size;
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
  if ((from.flags & kFlagAddress32) != 0) problem("has a 32-bit global address");
  if ((i.flags & kFlagAddress32) != 0) widen_address(i);
  i.b = from.a;
  const std::uint32_t size = source_bytes(s, name, width);
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

// after_copies stands for what mbarrier does not do.
AsyncBarrierOperation Decoder::barrier_operation_of(const Name& name) {
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

void Decoder::async_barrier(const PtxStatement& s, const Name& name) {
  using Operation = AsyncBarrierOperation;
  Instruction i;
  if (name.has("pending_count")) {
    i.run = run_pending_count;
    i.d = destination(operand(s, 0), OperandType::b32);
    i.a = source(operand(s, 1), OperandType::b64);
    emit(i);
    return;
  }
  if (name.has("noComplete")) {
    problem("is not emulated: .noComplete is of devices before compute capability 9.0");
    return;
  }
  for (const std::string_view part : name.parts) {
    if (space_of(part) == AddressSpace::shared || part == "shared::cluster") {
      i.space = AddressSpace::shared;
    }
  }
  const bool waits = name.has("test_wait") || name.has("try_wait");
  const bool arrives = name.has("arrive") || name.has("arrive_drop");
  const Operation operation = barrier_operation_of(name);
  if (operation == Operation::after_copies || name.type() != "b64") {
    problem("is not known");
    return;
  }
  const std::uint32_t first = waits || arrives ? 1 : 0;
  if (!address(operand(s, first), i)) return;
  if (i.space != AddressSpace::shared && i.space != AddressSpace::generic) {
    problem("names a barrier outside shared memory");
    return;
  }
  // A generic address has 64 bits; a narrower one is inside the window.
  if ((i.flags & kFlagAddress32) != 0) i.space = AddressSpace::shared;
  if (name.has("relaxed")) i.flags |= kFlagRelaxed;
  if (waits) {
    const bool parity = name.has("parity");
    if (parity) i.flags |= kFlagParity;
    i.kind = InstructionKind::async_barrier_wait;
    i.d = destination(operand(s, 0), OperandType::predicate);
    i.b = source(operand(s, 2), parity ? OperandType::b32 : OperandType::b64);
  } else {
    i.run = run_async_barrier;
    if (first == 1) i.d = destination(operand(s, 0), OperandType::b64);
    if (s.count > first + 1) i.b = source(operand(s, first + 1), OperandType::b32);
    const bool needs_number = operation != Operation::invalidate &&
                              operation != Operation::arrive && operation != Operation::drop;
    if (needs_number && i.b == 0) problem("has too few operands");
  }
  i.subop = static_cast<std::uint8_t>(operation);
  emit(i);
}

// cp.async.mbarrier.arrive: an arrival once the lane's cp.async copies so far are over.
void Decoder::arrive_after_copies(const PtxStatement& s, const Name& name) {
  Instruction i;
  for (const std::string_view part : name.parts) {
    if (space_of(part) == AddressSpace::shared) i.space = AddressSpace::shared;
  }
  if (!name.has("arrive") || name.type() != "b64") {
    problem("is not known");
    return;
  }
  if (!address(operand(s, 0), i)) return;
  if ((i.flags & kFlagAddress32) != 0) i.space = AddressSpace::shared;
  i.run = run_async_barrier;
  i.subop = static_cast<std::uint8_t>(name.has("noinc") ? AsyncBarrierOperation::arrive_after_copies
                                                        : AsyncBarrierOperation::after_copies);
  emit(i);
}

}  // namespace warpscope
