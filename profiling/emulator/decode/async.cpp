// profiling/emulator/decode/async.cpp: mbarriers and the copies that report to them.
#include "profiling/emulator/decode/decoder.h"
#include "profiling/emulator/instructions/warp_instructions.h"
#include "profiling/emulator/state/async_barriers.h"

namespace warpscope {

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
  const bool arrives = name.has("arrive"), drops = name.has("arrive_drop");
  const bool expecting = name.has("expect_tx");
  const Operation operation = name.has("init")        ? Operation::initialise
                              : name.has("inval")     ? Operation::invalidate
                              : name.has("test_wait") ? Operation::test
                              : name.has("try_wait")  ? Operation::wait
                              : arrives
                                  ? (expecting ? Operation::arrive_expecting : Operation::arrive)
                              : drops ? (expecting ? Operation::drop_expecting : Operation::drop)
                              : expecting               ? Operation::expect_copy
                              : name.has("complete_tx") ? Operation::end_copy
                                                        : Operation::after_copies;
  if (operation == Operation::after_copies || name.type() != "b64") {
    problem("is not known");
    return;
  }
  const std::uint32_t first = waits || arrives || drops ? 1 : 0;
  if (!address(operand(s, first), i)) return;
  if (i.space != AddressSpace::shared && i.space != AddressSpace::generic) {
    problem("names a barrier outside shared memory");
    return;
  }
  // A generic address has 64 bits; a narrower one is inside the window.
  if ((i.flags & flag_address32) != 0) i.space = AddressSpace::shared;
  if (name.has("relaxed")) i.flags |= flag_relaxed;
  if (waits) {
    const bool parity = name.has("parity");
    if (parity) i.flags |= flag_parity;
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
  if ((i.flags & flag_address32) != 0) i.space = AddressSpace::shared;
  i.run = run_async_barrier;
  i.subop = static_cast<std::uint8_t>(name.has("noinc") ? AsyncBarrierOperation::arrive_after_copies
                                                        : AsyncBarrierOperation::after_copies);
  emit(i);
}

void Decoder::bulk_copy(const PtxStatement& s, const Name& name) {
  const bool tensor = name.has("tensor");
  if (name.has("multicast::cluster")) {
    problem("copies to several blocks of a cluster, which the emulator does not have");
    return;
  }
  // cp.async.bulk[.tensor.2d].TO.FROM…
  const std::size_t to = tensor ? 5 : 3;
  const bool from_global =
      name.parts.size() > to + 1 && name.parts[1] == "async" &&
      (name.parts[to] == "shared::cluster" || name.parts[to] == "shared::cta") &&
      name.parts[to + 1] == "global";
  if (!from_global || !name.has("mbarrier::complete_tx::bytes")) {
    problem("is not emulated: bulk copies go from global to shared memory and report to a barrier");
    return;
  }
  for (const std::string_view part : name.parts) {
    if (part.starts_with("im2col") || part.starts_with("tile::") || part.starts_with("cta_group")) {
      problem("is not emulated: ." + std::string(part.substr(0, 40)));
      return;
    }
  }
  Instruction i;
  std::vector<PtxOperand> coordinates;
  PtxOperand from = operand(s, 1);
  if (tensor) {
    const std::string_view shape = name.parts[4];
    if (shape.size() != 2 || shape[0] < '1' || shape[0] > '5' || shape[1] != 'd') {
      problem("has a number of dimensions that is not known");
      return;
    }
    i.count = static_cast<std::uint8_t>(shape[0] - '0');
    const auto first = module_.operands.begin() + static_cast<std::ptrdiff_t>(from.first);
    coordinates.assign(first, first + static_cast<std::ptrdiff_t>(from.count));
    from.count = 0;
    if (coordinates.size() != i.count) {
      problem("has another number of coordinates than dimensions");
      return;
    }
  }
  Instruction source_address, barrier;
  i.space = barrier.space = AddressSpace::shared;
  source_address.space = tensor ? AddressSpace::generic : AddressSpace::global;
  if (!address(from, source_address)) return;
  if (!address(operand(s, tensor ? 2 : 3), barrier)) return;
  if (!address(operand(s, 0), i)) return;
  if (i.space != AddressSpace::shared || barrier.space != AddressSpace::shared) {
    problem("has a destination or a barrier outside shared memory");
    return;
  }
  i.b = source_address.a;
  i.c = barrier.a;
  if ((barrier.flags & flag_address32) != 0) i.subop |= flag_barrier32;
  if ((source_address.flags & flag_address32) != 0) i.subop |= flag_source32;
  // A parameter named directly: its address is one of the window.
  if (source_address.space == AddressSpace::param) {
    i.b = constant(8, param_window + find_symbol(from.name)->offset);
  }
  std::vector<std::uint32_t> slots = {static_cast<std::uint32_t>(source_address.immediate),
                                      static_cast<std::uint32_t>(barrier.immediate),
                                      tensor ? 0 : source(operand(s, 2), OperandType::b32)};
  for (const PtxOperand& c : coordinates) slots.push_back(source(c, OperandType::b32));
  i.extra = static_cast<std::uint32_t>(kernel_->slots.size());
  kernel_->slots.insert(kernel_->slots.end(), slots.begin(), slots.end());
  i.run = run_bulk_copy;
  i.width = 16;
  add_site(i, Space::global, AccessKind::bulk_copy, 16);
  emit(i);
}

}  // namespace warpscope
