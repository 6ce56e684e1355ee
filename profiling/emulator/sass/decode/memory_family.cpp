// profiling/emulator/sass/decode/memory_family.cpp: loads, stores, atomics and copies to shared
// memory.
#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "profiling/emulator/instructions/opcode_table.h"
#include "profiling/emulator/instructions/warp_instructions.h"
#include "profiling/emulator/sass/decode/machine_families.h"
#include "profiling/emulator/sass/lanes/machine_runs.h"
#include "profiling/emulator/sass/live/register_uses.h"
#include "scenes/base/texts/machine_code.h"

namespace warpscope {
namespace {

struct Place {
  AddressSpace space = AddressSpace::global;
  Space counted = Space::global;
};
// LDG, LDS, LDL, LD: the last letter says where.
Place place_of(const std::string& name) {
  switch (name.back()) {
    case 'S':
      return {AddressSpace::shared, Space::shared};
    case 'L':
      return {AddressSpace::local, Space::local};
    case 'G':
      return {AddressSpace::global, Space::global};
    default:
      return {AddressSpace::generic, Space::global};
  }
}

struct Shape {
  int element = 4, count = 1;
  bool is_signed = false;
  int bytes() const { return element * count; }
};
Shape take_shape(MachineContext& ctx) {
  switch (takes_one(ctx, {"U8", "S8", "U16", "S16", "64", "128", "32"})) {
    case 0:
      return {1, 1, false};
    case 1:
      return {1, 1, true};
    case 2:
      return {2, 1, false};
    case 3:
      return {2, 1, true};
    case 4:
      return {4, 2, false};
    case 5:
      return {4, 4, false};
    default:
      return {};
  }
}

// How caches treat an access changes nothing here, but what others see of it does.
std::uint8_t take_order(MachineContext& ctx) {
  ignores(ctx, {"E", "EF", "EL", "LU", "EU", "NA", "LTC64B", "LTC128B", "LTC256B", "PRIVATE"});
  if (ctx.image.compute_capability < 80) ignores(ctx, {"SYS", "U"});  // each plain access has one
  if (takes(ctx, "CONSTANT")) return kFlagReadOnly;
  // ".STRONG.SM" alone is how a store is made that others of the block see: not a flag.
  if (!takes(ctx, "STRONG")) return 0;
  const int scope = takes_one(ctx, {"SM", "CTA", "GPU", "SYS"});
  return scope == 2 || scope == 3 ? kFlagStrong : 0;
}

// Whether an ATOMS.CAST at the same place follows: an atomic that shared memory has no unit for is
// a loop of a load, what is done, and a swap if the word is still the same. The load is then
// ordered as the atomic is.
bool is_of_atomic_loop(const MachineContext& ctx, const MachineOperand& where) {
  constexpr std::size_t kMostBetween = 12;
  const std::vector<MachineInstruction>& code = ctx.function.code;
  const std::size_t at = ctx.at->offset / kMachineInstructionBytes;
  for (std::size_t k = at + 1; k < code.size() && k <= at + kMostBetween; ++k) {
    const auto& parts = code[k].modifiers;
    if (code[k].name != "ATOMS" || std::find(parts.begin(), parts.end(), "CAST") == parts.end())
      continue;
    for (const MachineOperand& o : code[k].operands) {
      if (o.kind == OperandKind::memory && o.text == where.text) return true;
    }
  }
  return false;
}

void set_address(MachineContext& ctx, Instruction& i, const MachineOperand& o, AddressSpace space) {
  const MachineAddress address = address_of(ctx, o, space, ctx.layout.address);
  i.a = address.slot;
  i.immediate = address.offset;
  i.space = space;
  if (address.narrow) i.flags |= kFlagAddress32;
  // Generic addresses of shared memory hold what the system keeps too.
  if (space == AddressSpace::generic) {
    Instruction fix;
    fix.run = run_fix_generic;
    fix.a = fix.d = address.slot;
    fix.immediate = address.offset;
    fix.subop = in_clusters(ctx) ? 1 : 0;
    fix.extra = static_cast<std::uint32_t>(ctx.image.system_shared);
    emit(ctx, fix).counted = 0;
    i.immediate = 0;
  }
}

std::uint32_t add_registers(MachineContext& ctx, std::uint32_t first, int count) {
  const auto index = static_cast<std::uint32_t>(ctx.kernel.slots.size());
  for (int k = 0; k < count; ++k) {
    ctx.kernel.slots.push_back(first + static_cast<std::uint32_t>(k) * kSlotBytes);
  }
  return index;
}

// A load marks what nobody wrote: see unwritten_registers.h.
void set_marks(MachineContext& ctx, Instruction& i) {
  i.undefined = UndefinedUse::mark;
  ctx.kernel.marks_loads = true;
}

bool access(MachineContext& ctx, const MachineOperand& where, const MachineOperand& what,
            bool load) {
  const Place place = place_of(ctx.at->name);
  const Shape shape = take_shape(ctx);
  Instruction i;
  const std::uint8_t order = take_order(ctx);
  if (order == kFlagReadOnly && !load) return problem(ctx, "the form of " + ctx.at->text);
  i.flags |= order;
  if (load && place.space == AddressSpace::shared && is_of_atomic_loop(ctx, where))
    i.flags |= kFlagStrong;
  set_address(ctx, i, where, place.space);
  const OpcodeTable& table = opcode_table();
  const int log_width = std::countr_zero(static_cast<unsigned>(shape.element));
  const std::uint32_t registers =
      load ? destination(ctx, what, shape.count) : source(ctx, what, kPlain, shape.count);
  i.d = registers;
  i.extra = add_registers(ctx, registers, shape.count);
  i.width = static_cast<std::uint8_t>(shape.element);
  i.count = static_cast<std::uint8_t>(shape.count);
  i.run = load ? table.loads[log_width][0][shape.is_signed ? 1 : 0] : table.stores[log_width][0];
  if (load) set_marks(ctx, i);
  Instruction& added = emit(ctx, i);
  add_site(ctx, added, place.counted, load ? AccessKind::load : AccessKind::store, shape.bytes());
  return true;
}

}  // namespace

bool decode_load(MachineContext& ctx) {
  const std::vector<MachineOperand>& all = ctx.at->operands;
  if (all.size() != 2) return problem(ctx, "the operands of " + ctx.at->text);
  return access(ctx, all[1], all[0], true);
}
bool decode_store(MachineContext& ctx) {
  const std::vector<MachineOperand>& all = ctx.at->operands;
  if (all.size() != 2) return problem(ctx, "the operands of " + ctx.at->text);
  return access(ctx, all[0], all[1], false);
}

namespace {

// The variables of bank 3 as run_find_constant takes them; their place in KernelCode::slots.
std::uint32_t add_constants(MachineContext& ctx) {
  const auto first = static_cast<std::uint32_t>(ctx.kernel.slots.size());
  for (std::size_t k = 0; k < ctx.image.variables.size(); ++k) {
    const MachineImage::Variable& v = ctx.image.variables[k];
    if (v.bank != 3) continue;
    if (ctx.kernel.slots.size() - first > 240) {
      problem(ctx, "more __constant__ variables than are looked through");
      break;
    }
    add_slots(ctx, {static_cast<std::uint32_t>(k), v.offset, static_cast<std::uint32_t>(v.bytes)});
  }
  return first;
}

// The offsets of functions as run_indexed_constant takes them.
void add_functions(MachineContext& ctx, Instruction& i) {
  i.c = static_cast<std::uint32_t>(ctx.image.variables.size());
  i.extra = static_cast<std::uint32_t>(ctx.kernel.slots.size());
  for (const CalledFunction& f : called_functions(ctx.function)) {
    ctx.kernel.slots.push_back(f.offset);
    ++i.target;
  }
}

// The slot of the register in c[0x3][R0+0x10].
std::uint32_t index_of(MachineContext& ctx, const MachineOperand& o) {
  if (o.terms.empty()) return ctx.layout.zero;
  const AddressTerm& t = o.terms[0];
  const std::uint32_t slot = t.uniform ? uniform_slot(ctx, t.number) : general_slot(ctx, t.number);
  note_use(ctx, SlotRole::address, slot);
  return slot;
}

}  // namespace

namespace {

// Whether the index of c[0x0][R0+…] is −0xa0 × SR_CgaSize, which finds words of the launch: CS2R.32
// R1, SR_CgaSize; IMAD R0, R1, -0xa0, RZ; perhaps R2UR UR0, R0.
bool is_by_cluster_size(const MachineContext& ctx, const AddressTerm& index) {
  const std::vector<MachineInstruction>& code = ctx.function.code;
  MachineOperand wanted;
  wanted.kind = index.uniform ? OperandKind::uniform : OperandKind::general;
  wanted.number = index.number;
  bool multiplied = false;
  for (std::size_t k = ctx.at->offset / kMachineInstructionBytes; k-- > 0;) {
    const MachineInstruction& i = code[k];
    const std::size_t place = static_cast<std::size_t>(wanted.number) +
                              (wanted.kind == OperandKind::uniform ? kUniformPlace : 0);
    if (!register_uses(i).writes[place]) continue;
    const std::vector<MachineOperand>& all = i.operands;
    if (i.guard.is_predicate() || all.size() < 2) return false;
    if (i.name == "R2UR" && all.size() == 2) {
      wanted = all[1];
    } else if (i.name == "IMAD" && i.modifiers.empty() && all.size() == 4 && !multiplied &&
               all[2].kind == OperandKind::integer && all[2].value == -0xa0 &&
               all[3].text == "RZ") {
      multiplied = true;
      wanted = all[1];
    } else {
      return multiplied && all[1].text == "SR_CgaSize";
    }
    if (!wanted.is_register() || wanted.negated || wanted.inverted) return false;
  }
  return false;
}

// A load from a __constant__ variable of the uniform datapath: lanes load, and one gives its value.
void emit_load(MachineContext& ctx, Instruction i, std::uint32_t d, const Shape& shape,
               bool counts) {
  const bool uniform = std::exchange(ctx.uniform, false);
  const std::uint32_t to = uniform ? ctx.layout.scratch : d;
  i.d = to;
  i.extra = add_registers(ctx, to, shape.count);
  set_marks(ctx, i);
  Instruction& load = emit(ctx, i);
  if (!counts) load.counted = 0;
  add_site(ctx, load, Space::constant, AccessKind::load, shape.bytes());
  if (uniform) emit_spread(ctx, d, to, shape.count);
}

// Variables are in memory: their addresses first, then an ordinary load.
void load_variable(MachineContext& ctx, Instruction i, const Shape& shape, bool counts = true) {
  Instruction find;
  find.run = run_find_constant;
  find.a = i.a;
  find.d = ctx.layout.address;
  find.immediate = i.immediate;
  find.extra = add_constants(ctx);
  find.width = static_cast<std::uint8_t>(ctx.kernel.slots.size() - find.extra);
  emit(ctx, find).counted = 0;
  i.a = ctx.layout.address;
  i.immediate = 0;
  i.space = AddressSpace::constant;
  const int log_width = std::countr_zero(static_cast<unsigned>(shape.element));
  i.run = opcode_table().loads[log_width][0][shape.is_signed ? 1 : 0];
  emit_load(ctx, i, i.d, shape, counts);
}

// c[0x0][R0+0x2a0]: a word of the launch, which SR_CgaSize finds. Any other way to it is a problem.
// False: it is another constant.
bool load_found_word(MachineContext& ctx, const MachineOperand& s, const Shape& shape,
                     std::uint32_t d) {
  constexpr std::int64_t kFirstFound = 0x250, kEndFound = 0x2d4;
  if (ctx.image.compute_capability < kFirstBlackwell || s.bank != 0 || s.terms.empty())
    return false;
  if (shape.bytes() == 4 && is_by_cluster_size(ctx, s.terms[0])) {
    index_of(ctx, s);
    emit_row(ctx, "move", d, word_by_cluster_size(ctx, s.value));
    return true;
  }
  if (s.value >= kFirstFound && s.value < kEndFound) {
    problem(ctx, "operand " + s.text);
    return true;
  }
  return false;
}

}  // namespace

void load_constant_word(MachineContext& ctx, std::uint32_t slot, std::uint32_t at) {
  Instruction i;
  i.a = ctx.layout.zero;
  i.d = slot;
  i.immediate = at;
  i.width = 4;
  i.count = 1;
  const bool uniform = std::exchange(ctx.uniform, false);
  load_variable(ctx, i, Shape{}, false);
  ctx.uniform = uniform;
}

// LDC, ULDC and LDCU: a word of a bank, or one at an index.
bool decode_constant_load(MachineContext& ctx) {
  const SplitOperands o = split_operands(ctx);
  const Shape shape = take_shape(ctx);
  takes(ctx, "IL");  // whether an index may lie outside: a fault is one here
  if (!has(ctx, o, 1, 0, 0)) return false;
  const MachineOperand& s = *o.sources[0];
  if (s.kind != OperandKind::constant || shape.count > 4) return problem(ctx, "operand " + s.text);
  const std::uint32_t d = destination(ctx, *o.result, shape.count);
  if (s.terms.empty() && shape.element == 4) {
    const std::uint32_t from = source(ctx, s, kPlain, shape.count);
    emit_row(ctx, shape.count >= 2 ? "move.pair" : "move", d, from);
    if (shape.count == 4) emit_extra(ctx, "move.pair", d + 2 * kSlotBytes, from + 2 * kSlotBytes);
    return true;
  }
  if (s.terms.size() > 1 || (!s.terms.empty() && !s.terms[0].part.empty()))
    return problem(ctx, "operand " + s.text);
  if (load_found_word(ctx, s, shape, d)) return ctx.problem.empty();
  const std::uint32_t index = index_of(ctx, s);
  Instruction i;
  i.a = index;
  i.immediate = s.value;
  i.width = static_cast<std::uint8_t>(shape.element);
  i.count = static_cast<std::uint8_t>(shape.count);
  i.flags = shape.is_signed ? kFlagSignExtend : 0;
  i.d = d;
  if (s.bank == 3) {
    load_variable(ctx, i, shape);
    return true;
  }
  if (s.bank == 4 && shape.element == 4 && !ctx.uniform)
    return load_address(ctx, d, index, s.value, shape.count);
  if (s.bank != 0 && s.bank != 2) return problem(ctx, "operand " + s.text);
  if (s.bank == 0) {
    i.immediate += std::int64_t{parameter_shift(ctx.image)} - ctx.image.parameters_at;
    if (s.terms.empty() && i.immediate < parameter_shift(ctx.image))
      return problem(ctx, "operand " + s.text);
  }
  if (s.bank == 2 && !s.terms.empty() && shape.element == 4) add_functions(ctx, i);
  i.subop = static_cast<std::uint8_t>(s.bank);
  i.b = ctx.uniform ? 1 : 0;
  i.run = run_indexed_constant;
  emit(ctx, i);
  return true;
}

std::optional<AtomicOperation> take_operation(MachineContext& ctx) {
  constexpr AtomicOperation kOperations[] = {
      AtomicOperation::add,       AtomicOperation::minimum,
      AtomicOperation::maximum,   AtomicOperation::increment,
      AtomicOperation::decrement, AtomicOperation::bit_and,
      AtomicOperation::bit_or,    AtomicOperation::bit_xor,
      AtomicOperation::exchange,  AtomicOperation::compare_and_swap};
  const int which =
      takes_one(ctx, {"ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR", "EXCH", "CAS"});
  if (which < 0) return std::nullopt;
  return kOperations[which];
}

std::optional<AtomicShape> take_atomic_type(MachineContext& ctx) {
  if (takes(ctx, "F32x4")) return AtomicShape{AtomicType::f32, 4, 4};
  if (takes(ctx, "F32x2")) return AtomicShape{AtomicType::f32, 4, 2};
  if (takes(ctx, "F32")) return AtomicShape{AtomicType::f32, 4, 1};
  if (takes(ctx, "F64")) return AtomicShape{AtomicType::f64, 8, 1};
  if (takes(ctx, "F16x8")) return AtomicShape{AtomicType::f16x2, 4, 4};
  if (takes(ctx, "F16x4")) return AtomicShape{AtomicType::f16x2, 4, 2};
  if (takes(ctx, "F16x2")) return AtomicShape{AtomicType::f16x2, 4, 1};
  if (takes(ctx, "BF16x8")) return AtomicShape{AtomicType::bf16x2, 4, 4};
  if (takes(ctx, "BF16x4")) return AtomicShape{AtomicType::bf16x2, 4, 2};
  if (takes(ctx, "BF16x2")) return AtomicShape{AtomicType::bf16x2, 4, 1};
  if (takes(ctx, "S32")) return AtomicShape{AtomicType::s32, 4, 1};
  if (takes(ctx, "S64")) return AtomicShape{AtomicType::s64, 8, 1};
  if (takes(ctx, "64") || takes(ctx, "U64")) return AtomicShape{AtomicType::u64, 8, 1};
  return AtomicShape{};
}

namespace {

// What an atomic instruction does, and with which of its operands.
struct AtomicForm {
  AtomicOperation operation = AtomicOperation::add;
  AtomicShape type;
  std::size_t memory = 0;  // the operand with the address
  std::size_t values = 1;  // operands after it
  bool counts_up = false;  // POPC.INC: a one that no register has
  bool tests = false;      // CAST: the result is whether it was swapped
  bool reduction = false;
  bool quad = false;  // 16 bytes: four words of one element
  AddressSpace space = AddressSpace::generic;
  std::uint32_t performed = 0;  // the predicate that says where it was done
  bool wide() const { return type.bytes == 8; }
};

bool take_form(MachineContext& ctx, AtomicForm& form) {
  const std::vector<MachineOperand>& all = ctx.at->operands;
  const std::string& name = ctx.at->name;
  while (form.memory < all.size() && all[form.memory].kind != OperandKind::memory) ++form.memory;
  if (form.memory == all.size()) return problem(ctx, "the operands of " + ctx.at->text);
  take_order(ctx);
  form.counts_up = takes(ctx, "POPC") && takes(ctx, "INC");
  form.tests = takes(ctx, "CAST");
  if (form.tests) takes(ctx, "SPIN");
  const std::optional<AtomicOperation> operation = form.counts_up ? AtomicOperation::add
                                                   : form.tests ? AtomicOperation::compare_and_swap
                                                                : take_operation(ctx);
  form.quad = takes(ctx, "128");
  const std::optional<AtomicShape> type =
      form.quad ? AtomicShape{AtomicType::u32, 4, 4} : take_atomic_type(ctx);
  ignores(ctx, {"32", "FTZ", "RN"});
  const bool swaps =
      operation == AtomicOperation::exchange || operation == AtomicOperation::compare_and_swap;
  if (!operation || !type || (form.quad && (!swaps || form.tests)))
    return problem(ctx, "the form of " + ctx.at->text);
  form.operation = *operation;
  form.type = *type;
  form.values = form.counts_up ? 0 : form.operation == AtomicOperation::compare_and_swap ? 2 : 1;
  form.reduction = name.starts_with("RED");
  form.space = name.back() == 'S'   ? AddressSpace::shared
               : name.back() == 'G' ? AddressSpace::global
                                    : AddressSpace::generic;
  const std::size_t results = form.reduction ? 0 : 1;
  if (all.size() != form.memory + 1 + form.values || form.memory < results ||
      form.memory > results + 1)
    return problem(ctx, "the operands of " + ctx.at->text);
  if (form.memory == results + 1)
    form.performed = predicate_destination(ctx, all[0]);
  else
    form.performed = ctx.layout.no_predicate;
  const bool asks = form.performed != ctx.layout.no_predicate;
  return !asks || form.space == AddressSpace::generic || problem(ctx, "operand " + all[0].text);
}

// The slots of what it returns, then of what it is given. Values of 64 bits are joined before.
std::vector<std::uint32_t> atomic_slots(MachineContext& ctx, const AtomicForm& form,
                                        std::uint32_t old) {
  std::vector<std::uint32_t> slots;
  const auto add_all = [&](std::uint32_t first) {
    for (int k = 0; k < form.type.count; ++k)
      slots.push_back(first + static_cast<std::uint32_t>(k) * kSlotBytes);
  };
  add_all(old);
  if (form.counts_up) slots.push_back(constant_slot(ctx, 1));
  for (std::size_t v = 0; v < form.values; ++v) {
    const std::uint32_t from = source(ctx, ctx.at->operands[form.memory + 1 + v], kPlain,
                                      form.wide() ? 2 : form.type.count);
    if (!form.wide()) {
      add_all(from);
      continue;
    }
    const std::uint32_t joined =
        ctx.layout.scratch + static_cast<std::uint32_t>(2 + 2 * v) * kSlotBytes;
    emit_joined(ctx, joined, from);
    slots.push_back(joined);
  }
  return slots;
}

}  // namespace

namespace {

// Where no unit does it, the atomic does nothing, and its predicate says so. source: what ptxas
// makes of atomics at generic addresses.
void narrow_to_performed(MachineContext& ctx, const AtomicForm& form, const Instruction& atomic) {
  Instruction i;
  i.run = run_is_performed;
  i.a = atomic.a;
  i.immediate = atomic.immediate;
  i.d = scratch_predicate(ctx, 8);
  const bool floats = form.type.type == AtomicType::f32 || form.type.type == AtomicType::f64;
  i.subop = floats && form.operation == AtomicOperation::add ? 1 : 0;
  emit(ctx, i).counted = 0;
  constexpr std::int64_t kFirst = 0xf0;
  Instruction& told = emit_extra(ctx, "logic.predicates", form.performed, 0);
  told.immediate = kFirst << kSubopShift;
  told.extra = add_slots(ctx, {ctx.layout.no_predicate, i.d, ctx.layout.always, ctx.layout.always});
  narrow_guard(ctx, i.d, 0);
}

}  // namespace

// ATOMG P0, R0, [address], R1; ATOMS R0, [address], R1; REDG [address], R1; of CAS two values.
bool decode_atomic(MachineContext& ctx) {
  const std::vector<MachineOperand>& all = ctx.at->operands;
  AtomicForm form;
  if (!take_form(ctx, form)) return false;
  Instruction i;
  set_address(ctx, i, all[form.memory], form.space);
  const std::uint32_t scratch = ctx.layout.scratch;
  std::uint32_t to = ctx.layout.nowhere;
  // Since compute capability 10.0, CAST says in a predicate whether it swapped.
  const bool says = form.tests && all[form.memory - 1].is_predicate();
  if (says)
    to = scratch + 4 * kSlotBytes;
  else if (!form.reduction)
    to = destination(ctx, all[form.memory - 1], form.wide() ? 2 : form.type.count);
  const bool wanted = to != ctx.layout.nowhere;
  const std::vector<std::uint32_t> slots =
      atomic_slots(ctx, form, form.wide() || form.tests ? scratch : to);
  i.run = run_of_atomic(form.type.type);
  i.subop = static_cast<std::uint8_t>(form.operation);
  i.width = static_cast<std::uint8_t>(form.type.bytes);
  i.count = static_cast<std::uint8_t>(form.type.count);
  if (wanted) i.flags |= kFlagHasOld;
  if (form.performed != ctx.layout.no_predicate) narrow_to_performed(ctx, form, i);
  if (form.quad) {
    i.run = run_atomic_quad;
    i.width = 16;
    i.count = 1;
  }
  i.extra = static_cast<std::uint32_t>(ctx.kernel.slots.size());
  ctx.kernel.slots.insert(ctx.kernel.slots.end(), slots.begin(), slots.end());
  Instruction& added = emit(ctx, i);
  // What an instruction is called decides how it is counted, as hardware does.
  add_site(ctx, added, form.space == AddressSpace::shared ? Space::shared : Space::global,
           form.reduction ? AccessKind::reduction : AccessKind::atomic,
           form.type.bytes * form.type.count);
  if (form.tests) {
    Instruction same;
    same.run = run_equal;
    same.d = to;
    same.a = scratch;
    same.b = slots[1];
    same.width = static_cast<std::uint8_t>(form.type.bytes);
    emit(ctx, same).counted = 0;
    if (says) {
      emit_extra(ctx, "compare.NE.U32", predicate_destination(ctx, all[form.memory - 1]), to,
                 ctx.layout.zero, ctx.layout.always)
          .extra = add_slots(ctx, {ctx.layout.no_predicate, ctx.layout.zero});
    }
  } else if (form.wide() && wanted) {
    emit_parted(ctx, to, scratch);
  }
  return true;
}

// LDGSTS.E [to], desc[…][from], P0: lanes without P0 write zeros and read nothing.
bool decode_copy_to_shared(MachineContext& ctx) {
  const std::vector<MachineOperand>& all = ctx.at->operands;
  if (all.size() < 2 || all.size() > 3) return problem(ctx, "the operands of " + ctx.at->text);
  const bool past_l1 = takes(ctx, "BYPASS");
  ignores(ctx, {"E", "LTC64B", "LTC128B", "LTC256B", "ACCESS"});
  const Shape shape = take_shape(ctx);
  const bool fills = takes(ctx, "ZFILL");
  MachineAddress from = address_of(ctx, all[1], AddressSpace::global, ctx.layout.address);
  const MachineAddress to = address_of(ctx, all[0], AddressSpace::shared, ctx.layout.scratch);
  emit_extra(ctx, "join", ctx.layout.second_address, to.slot, ctx.layout.zero);
  std::uint32_t size = 0;
  if (all.size() == 3) {
    size = ctx.layout.scratch + 2 * kSlotBytes;
    emit_extra(ctx, "choose", size, constant_slot(ctx, static_cast<std::uint64_t>(shape.bytes())),
               ctx.layout.zero, predicate_source(ctx, all[2]))
        .immediate = flip_of(all[2], 0);
  }
  if (fills) {
    if (size == 0) return problem(ctx, "the operands of " + ctx.at->text);
    Instruction fill;
    fill.run = run_fill_size;
    fill.a = from.slot;
    fill.immediate = std::exchange(from.offset, 0);
    fill.d = size;
    fill.width = static_cast<std::uint8_t>(shape.bytes());
    emit(ctx, fill).counted = 0;
  }
  Instruction i;
  i.run = run_async_copy;
  i.a = ctx.layout.second_address;
  i.immediate = to.offset;
  i.b = from.slot;
  i.space = AddressSpace::shared;
  i.width = static_cast<std::uint8_t>(shape.bytes());
  i.count = 1;
  i.extra = add_slots(ctx, {size, static_cast<std::uint32_t>(from.offset), past_l1 ? 1u : 0u});
  Instruction& added = emit(ctx, i);
  add_site(ctx, added, Space::global, AccessKind::async_copy, shape.bytes());
  add_site(ctx, ctx.kernel.code.back(), Space::shared, AccessKind::async_copy, shape.bytes());
  return true;
}

// LDSM.16.MT88.4 R0, [address] and STSM.
bool decode_matrix_load(MachineContext& ctx) {
  const std::vector<MachineOperand>& all = ctx.at->operands;
  const bool load = ctx.at->name == "LDSM";
  takes(ctx, "16");
  const int layout = takes_one(ctx, {"M88", "MT88"});
  const int count = takes(ctx, "4") ? 4 : takes(ctx, "2") ? 2 : 1;
  if (layout < 0 || all.size() != 2) return problem(ctx, "the form of " + ctx.at->text);
  Instruction i;
  set_address(ctx, i, all[load ? 1 : 0], AddressSpace::shared);
  const std::uint32_t registers =
      load ? destination(ctx, all[0], count) : source(ctx, all[1], kPlain, count);
  i.extra = add_registers(ctx, registers, count);
  i.count = static_cast<std::uint8_t>(count);
  i.width = 16;
  i.subop = layout == 1 ? 1 : 0;
  i.run = load ? run_load_matrix : run_store_matrix;
  Instruction& added = emit(ctx, i);
  add_site(ctx, added, Space::shared, load ? AccessKind::matrix_load : AccessKind::matrix_store,
           16);
  return true;
}

}  // namespace warpscope
