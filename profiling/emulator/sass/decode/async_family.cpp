// profiling/emulator/sass/decode/async_family.cpp: barriers in shared memory, products of
// warpgroups.
#include <charconv>
#include <optional>

#include "profiling/emulator/async/bulk_copy.h"
#include "profiling/emulator/sass/decode/machine_families.h"
#include "profiling/emulator/sass/lanes/machine_runs.h"
#include "profiling/emulator/state/async_barriers.h"
#include "profiling/emulator/warpgroups/products.h"

namespace warpscope {
namespace {

void set_barrier(MachineContext& ctx, Instruction& i, const MachineOperand& o) {
  ctx.by_rank = true;
  const MachineAddress address = address_of(ctx, o, AddressSpace::shared, new_slots(ctx, 1));
  ctx.by_rank = false;
  i.a = address.slot;
  i.immediate = address.offset;
  i.space = AddressSpace::shared;
  i.flags |= kFlagAddress32;
}

}  // namespace

namespace {

using Operation = AsyncBarrierOperation;

// SYNCS.EXCH.64 URZ, [barrier], value: makes a barrier, for as many arrivals as the value says.
bool make_barrier(MachineContext& ctx) {
  const std::vector<MachineOperand>& all = ctx.at->operands;
  if (all.size() != 3 || destination(ctx, all[0]) != ctx.layout.nowhere)
    return problem(ctx, "the operands of " + ctx.at->text);
  Instruction i, count;
  count.run = run_arrivals_of;
  count.a = source(ctx, all[2], kPlain, 2);
  count.d = i.b = new_slots(ctx, 1);
  emit(ctx, count).counted = 0;
  set_barrier(ctx, i, all[1]);
  i.subop = static_cast<std::uint8_t>(Operation::initialise);
  i.run = run_async_barrier_once;
  emit(ctx, i);
  return true;
}

// SYNCS.ARRIVE.TRANS64[.OPTOUT][.A1T0] R2, [barrier], value. The kinds are those of what arrives
// and of what is expected: A1T0 one arrival, ART0 as many as the value says, A0TR that many bytes
// expected, A0TX that many come, A0T1 one unit expected, which copies end; without a kind one
// arrival and bytes expected. The result is the barrier before, as a device keeps it.
bool arrive_at_barrier(MachineContext& ctx) {
  const std::vector<MachineOperand>& all = ctx.at->operands;
  if (all.size() != 3) return problem(ctx, "the operands of " + ctx.at->text);
  Instruction i;
  set_barrier(ctx, i, all[1]);
  const bool of_another = takes(ctx, "RED"), drops = takes(ctx, "OPTOUT");
  const int kind = takes_one(ctx, {"A1T0", "ART0", "A0TR", "A0TX", "A0T1"});
  constexpr Operation kKinds[] = {Operation::arrive, Operation::arrive, Operation::expect_copy,
                                  Operation::end_copy, Operation::expect_copy};
  Operation operation = kind < 0 ? Operation::arrive_expecting : kKinds[kind];
  if (drops && operation == Operation::arrive) {
    operation = Operation::drop;
  } else if (drops && operation == Operation::arrive_expecting) {
    operation = Operation::drop_expecting;
  } else if (drops) {
    return problem(ctx, "the form of " + ctx.at->text);
  }
  const bool by_value = kind != 0 && kind != 4;
  if (!by_value && all[2].text != "RZ") return problem(ctx, "operand " + all[2].text);
  if (by_value) i.b = source(ctx, all[2]);
  if (kind == 4) i.b = constant_slot(ctx, 1);
  i.run = run_async_barrier;
  i.subop = static_cast<std::uint8_t>(operation);
  const std::uint32_t to = destination(ctx, all[0], 2);
  const bool wanted = to != ctx.layout.nowhere;
  if (wanted && of_another) return problem(ctx, "operand " + all[0].text);
  // A result that nobody wants still takes 8 bytes per lane.
  i.d = wanted ? ctx.layout.scratch : 0;
  emit(ctx, i);
  if (!wanted) return true;
  Instruction state;
  state.run = run_barrier_state;
  state.a = ctx.layout.scratch;
  state.d = to;
  emit(ctx, state).counted = 0;
  return true;
}

// SYNCS.PHASECHK.TRANS64[.TRYWAIT] P0, [barrier], parity in the highest bit.
bool look_at_phase(MachineContext& ctx) {
  const std::vector<MachineOperand>& all = ctx.at->operands;
  if (all.size() != 3) return problem(ctx, "the operands of " + ctx.at->text);
  Instruction i;
  const std::uint32_t parity = new_slots(ctx, 1);
  emit_extra(ctx, "shift.R.U32.HI", parity, ctx.layout.zero, constant_slot(ctx, 31),
             source(ctx, all[2]));
  set_barrier(ctx, i, all[1]);
  i.kind = InstructionKind::async_barrier_wait;
  i.subop = static_cast<std::uint8_t>(takes(ctx, "TRYWAIT") ? Operation::wait : Operation::test);
  i.flags |= kFlagParity;
  i.b = parity;
  i.d = predicate_destination(ctx, all[0]);
  emit(ctx, i);
  return true;
}

}  // namespace

// SYNCS: barriers in shared memory. SYNCS.CCTL.IV [barrier] ends one.
bool decode_barrier_in_memory(MachineContext& ctx) {
  if (takes(ctx, "EXCH"))
    return takes(ctx, "64") ? make_barrier(ctx) : problem(ctx, "the form of " + ctx.at->text);
  if (takes(ctx, "CCTL")) {
    if (!takes(ctx, "IV") || ctx.at->operands.size() != 1)
      return problem(ctx, "the form of " + ctx.at->text);
    Instruction i;
    set_barrier(ctx, i, ctx.at->operands[0]);
    i.run = run_async_barrier_once;
    i.subop = static_cast<std::uint8_t>(Operation::invalidate);
    emit(ctx, i);
    return true;
  }
  if (!takes(ctx, "TRANS64")) return problem(ctx, "the form of " + ctx.at->text);
  if (takes(ctx, "ARRIVE")) return arrive_at_barrier(ctx);
  if (takes(ctx, "PHASECHK")) return look_at_phase(ctx);
  return problem(ctx, "the form of " + ctx.at->text);
}

// ARRIVES.LDGSTSBAR.64 [barrier]: an arrival when the lane's copies so far are over; with TRANSCNT
// it ends the unit that SYNCS.ARRIVE.A0T1 expected. source: what ptxas makes of
// cp.async.mbarrier.arrive with and without .noinc.
bool decode_arrival_after_copies(MachineContext& ctx) {
  if (!takes(ctx, "LDGSTSBAR") || !takes(ctx, "64") || ctx.at->operands.size() != 1)
    return problem(ctx, "the form of " + ctx.at->text);
  Instruction i;
  set_barrier(ctx, i, ctx.at->operands[0]);
  const bool ends_unit = takes(ctx, "TRANSCNT");
  i.run = run_async_barrier;
  i.subop = static_cast<std::uint8_t>(ends_unit ? Operation::end_after_copies
                                                : Operation::arrive_after_copies);
  emit(ctx, i);
  return true;
}

// WARPGROUP.ARRIVE is wgmma.fence; WARPGROUP.DEPBAR.LE gsb0, 0x1 waits until so many groups are
// left.
bool decode_warpgroup_order(MachineContext& ctx) {
  ctx.kernel.has_warpgroups = true;
  Instruction i;
  if (takes(ctx, "ARRIVE")) {
    i.run = run_product_fence;
    emit(ctx, i);
    return true;
  }
  const std::vector<MachineOperand>& all = ctx.at->operands;
  if (!takes(ctx, "DEPBAR") || !takes(ctx, "LE") || all.size() != 2 || all[0].text != "gsb0" ||
      all[1].kind != OperandKind::integer)
    return problem(ctx, "the form of " + ctx.at->text);
  i.kind = InstructionKind::warpgroup_wait;
  i.immediate = all[1].value;
  emit(ctx, i);
  return true;
}

namespace {

bool take_shape(MachineContext& ctx, WarpgroupProduct& p) {
  if (ctx.left.empty()) return problem(ctx, "the form of " + ctx.at->text);
  const std::string shape = ctx.left.front();
  int m = 0;
  const char* at = shape.data();
  const char* const end = at + shape.size();
  int* const parts[] = {&m, &p.n, &p.k};
  for (int k = 0; k < 3; ++k) {
    const auto read = std::from_chars(at, end, *parts[k]);
    if (read.ec != std::errc() || (k < 2 && (read.ptr == end || *read.ptr != 'x')))
      return problem(ctx, "the form of " + ctx.at->text);
    at = read.ptr + (k < 2 ? 1 : 0);
  }
  ctx.left.erase(ctx.left.begin());
  const bool known = m == 64 && p.n >= 8 && p.n <= 256 && p.n % 8 == 0;
  return known || problem(ctx, "the form of " + ctx.at->text);
}

// The matrix in shared memory that a pair of uniform registers describes, without what the system
// keeps there: its address is in units of 16 bytes.
std::uint32_t descriptor(MachineContext& ctx, int first) {
  const std::uint32_t slot = new_slots(ctx, 2);
  Instruction i;
  i.run = run_descriptor;
  i.a = uniform_slot(ctx, first);
  i.d = slot;
  i.immediate = kSystemShared / 16;
  emit(ctx, i).counted = 0;
  return slot;
}

// The types of A and B that QGMMA and IGMMA name, in this order. False: a problem.
bool take_byte_types(MachineContext& ctx, WarpgroupProduct& p) {
  for (ProductType* const type : {&p.a, &p.b}) {
    const std::string part = ctx.left.empty() ? "" : ctx.left.front();
    if (part == "E4M3") {
      *type = ProductType::e4m3;
    } else if (part == "E5M2") {
      *type = ProductType::e5m2;
    } else if (part == "S8") {
      *type = ProductType::s8;
    } else if (part == "U8") {
      *type = ProductType::u8;
    } else {
      return problem(ctx, "the form of " + ctx.at->text);
    }
    ctx.left.erase(ctx.left.begin());
  }
  p.saturate = takes(ctx, "SAT");
  return true;
}

// The element types; accumulators have 32 bits where `wide`. False: a problem.
bool take_types(MachineContext& ctx, WarpgroupProduct& p, bool& wide) {
  wide = ctx.at->name == "IGMMA" || takes(ctx, "F32");
  p.d = ctx.at->name == "IGMMA" ? ProductType::s32 : wide ? ProductType::f32 : ProductType::f16;
  if (!wide && !takes(ctx, "F16")) return problem(ctx, "the form of " + ctx.at->text);
  if (ctx.at->name != "HGMMA") return take_byte_types(ctx, p);
  p.a = p.b = takes(ctx, "BF16")   ? ProductType::bf16
              : takes(ctx, "TF32") ? ProductType::tf32
                                   : ProductType::f16;
  return p.k * bytes_of(p.a) == kProductBytes || problem(ctx, "the form of " + ctx.at->text);
}

bool take_layouts(MachineContext& ctx, const MachineOperand& matrices, WarpgroupProduct& p) {
  if (matrices.kind != OperandKind::memory || matrices.descriptor < 0)
    return problem(ctx, "the operands of " + ctx.at->text);
  for (const std::string& part : matrices.parts) {
    if (part == "tnspA") {
      p.a_by_columns = true;
    } else if (part == "tnspB") {
      p.b_by_rows = true;
    } else if (part == "negA") {
      p.scale_a = -1;
    } else if (part == "negB") {
      p.scale_b = -1;
    } else {
      return problem(ctx, "operand " + matrices.text);
    }
  }
  return true;
}

// Whether old accumulators count, and whether the group ends here: the operands from `first` on.
bool take_ends(MachineContext& ctx, std::size_t first, WarpgroupProduct& p, bool& commits) {
  p.scale_d = ctx.layout.always;
  for (std::size_t k = first; k < ctx.at->operands.size(); ++k) {
    const MachineOperand& o = ctx.at->operands[k];
    if (o.text == "gsb0") {
      commits = true;
    } else if (o.text == "!UPT") {
      p.scale_d = ctx.layout.zero;
    } else if (o.is_predicate() && !o.complement) {
      p.scale_d = predicate_source(ctx, o);
    } else {
      return problem(ctx, "operand " + o.text);
    }
  }
  return true;
}

void emit_commit(MachineContext& ctx, bool counts) {
  Instruction commit;
  commit.run = run_product_commit;
  emit(ctx, commit).counted = counts ? 1 : 0;
}

void emit_product(MachineContext& ctx, WarpgroupProduct p, int descriptors) {
  if (!p.a_in_registers) p.a_descriptor = descriptor(ctx, descriptors);
  p.b_descriptor = descriptor(ctx, descriptors + 2);
  Instruction i;
  i.kind = InstructionKind::warpgroup_product;
  i.space = AddressSpace::shared;
  i.immediate = static_cast<std::int64_t>(ctx.kernel.products.size());
  Instruction& added = emit(ctx, i);
  if (!p.a_in_registers) {
    p.a_site = static_cast<std::uint32_t>(ctx.kernel.sites.size());
    add_site(ctx, added, Space::shared, AccessKind::product_read, 16);
  }
  p.b_site = static_cast<std::uint32_t>(ctx.kernel.sites.size());
  add_site(ctx, ctx.kernel.code.back(), Space::shared, AccessKind::product_read, 16);
  ctx.kernel.products.push_back(std::move(p));
}

}  // namespace

// HGMMA.64x128x16.F32.BF16 R24, [R8,] gdesc[UR8], R24 [, UP0] [, gsb0]: the matrix A is described
// by UR8 and UR9 or lies in registers, B is described by UR10 and UR11.
bool decode_warpgroup_product(MachineContext& ctx) {
  ctx.kernel.has_warpgroups = true;
  const std::vector<MachineOperand>& all = ctx.at->operands;
  WarpgroupProduct p;
  bool wide = false, commits = false;
  if (!take_shape(ctx, p) || !take_types(ctx, p, wide)) return false;
  if (all.size() < 3) return problem(ctx, "the operands of " + ctx.at->text);
  const int count = wide ? p.n / 2 : p.n / 4;
  const MachineOperand& d = all[0];
  const bool nothing = d.text == "RZ";
  if (d.kind != OperandKind::general || (!nothing && d.number + count > kZeroRegister))
    return problem(ctx, "operand " + d.text);
  for (int r = 0; r < count; ++r) {
    p.accumulators.push_back(nothing ? new_slots(ctx, 1) : general_slot(ctx, d.number + r));
    if (!nothing) note_use(ctx, SlotRole::result, p.accumulators.back());
  }
  std::size_t k = 1;
  p.a_in_registers = all[k].kind == OperandKind::general;
  if (p.a_in_registers) {
    if (all[k].number + 4 > kZeroRegister) return problem(ctx, "operand " + all[k].text);
    for (int r = 0; r < 4; ++r)
      p.a_registers[static_cast<std::size_t>(r)] = general_slot(ctx, all[k].number + r);
    note_use(ctx, SlotRole::source, p.a_registers[0], 4);
    ++k;
  }
  const MachineOperand& matrices = all[k++];
  if (!take_layouts(ctx, matrices, p)) return false;
  // What it begins with: the same registers, or zeros.
  const bool from_zeros = k < all.size() && all[k].text == "RZ";
  if (k >= all.size() || (all[k].text != d.text && !from_zeros))
    return problem(ctx, "the operands of " + ctx.at->text);
  if (!take_ends(ctx, k + 1, p, commits)) return false;
  if (from_zeros && !nothing) p.scale_d = ctx.layout.zero;
  if (nothing) {
    // A product of nothing only marks the end of a group.
    emit_commit(ctx, true);
    return commits || problem(ctx, "the operands of " + ctx.at->text);
  }
  emit_product(ctx, std::move(p), matrices.descriptor);
  if (commits) emit_commit(ctx, false);
  return true;
}

// USETMAXREG.TRY_ALLOC.CTAPOOL UP0, 0xe8 and USETMAXREG.DEALLOC.CTAPOOL 0x28: setmaxnreg.
bool decode_register_change(MachineContext& ctx) {
  ctx.kernel.has_warpgroups = true;
  const std::vector<MachineOperand>& all = ctx.at->operands;
  const bool more = takes(ctx, "TRY_ALLOC");
  if (!takes(ctx, "CTAPOOL") || (!more && !takes(ctx, "DEALLOC")) || all.empty() ||
      all.back().kind != OperandKind::integer || all.size() != (more ? 2u : 1u))
    return problem(ctx, "the form of " + ctx.at->text);
  if (more) {
    // It succeeds: what a block's warps ask for together is looked at when they end.
    constexpr std::int64_t kTrue = 0xff;
    Instruction& yes = emit_extra(ctx, "logic.predicates", predicate_destination(ctx, all[0]), 0);
    yes.immediate = kTrue << kSubopShift;
    yes.extra = add_slots(
        ctx, {ctx.layout.no_predicate, ctx.layout.always, ctx.layout.always, ctx.layout.always});
  }
  Instruction i;
  i.run = run_set_registers;
  i.immediate = more ? all.back().value : -all.back().value;
  emit(ctx, i);
  return true;
}

}  // namespace warpscope
