// profiling/emulator/sass/decode/machine_context.cpp: what the functions share that decode machine
// code.
#include "profiling/emulator/sass/decode/machine_context.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "profiling/emulator/sass/lanes/machine_runs.h"
#include "profiling/emulator/state/cluster.h"
#include "profiling/emulator/state/memory.h"
#include "scenes/base/texts/machine_code.h"

namespace warpscope {

bool problem(MachineContext& ctx, std::string what) {
  if (ctx.problem.empty()) ctx.problem = std::move(what);
  return false;
}

bool takes(MachineContext& ctx, std::string_view modifier) {
  const auto found = std::find(ctx.left.begin(), ctx.left.end(), modifier);
  if (found == ctx.left.end()) return false;
  ctx.left.erase(found);
  return true;
}

int takes_one(MachineContext& ctx, std::initializer_list<std::string_view> modifiers) {
  int k = 0;
  for (const std::string_view modifier : modifiers) {
    if (takes(ctx, modifier)) return k;
    ++k;
  }
  return -1;
}

void ignores(MachineContext& ctx, std::initializer_list<std::string_view> modifiers) {
  for (const std::string_view modifier : modifiers) takes(ctx, modifier);
}

std::uint32_t new_slots(MachineContext& ctx, int count) {
  const std::uint32_t slot = ctx.next_slot;
  ctx.next_slot += static_cast<std::uint32_t>(count) * kSlotBytes;
  return slot;
}

std::uint32_t constant_slot(MachineContext& ctx, std::uint64_t value, int words) {
  if (value == 0) return ctx.layout.zero;
  const auto known = ctx.constants.find({value, words});
  if (known != ctx.constants.end()) return known->second;
  const std::uint32_t slot = new_slots(ctx, words);
  for (int k = 0; k < words; ++k) {
    const std::uint64_t word = k < 2 ? value >> (32 * k) & kAllLanes : 0;
    ctx.kernel.constants.push_back({slot + static_cast<std::uint32_t>(k) * kSlotBytes, 4, word});
  }
  ctx.constants[{value, words}] = slot;
  return slot;
}

std::uint32_t general_slot(const MachineContext& ctx, int number) {
  return number == kZeroRegister
             ? ctx.layout.zero
             : ctx.layout.general + static_cast<std::uint32_t>(number) * kSlotBytes;
}
std::uint32_t uniform_slot(const MachineContext& ctx, int number) {
  return number == kZeroUniform
             ? ctx.layout.zero
             : ctx.layout.uniform + static_cast<std::uint32_t>(number) * kSlotBytes;
}

namespace {

// source: CUDA's launch values as machine code of compute capability 9.0 reads them, and the list
// in kernels that were compiled for it: block and grid at 0, the stack's top at 0x28, the
// descriptor of global memory at 0x208, parameters from 0x210 on. For older architectures only the
// first three and the last two are known, these at 0x118 and 0x160.
constexpr std::uint32_t kStackTop = 0x28, kLocalWindowAt = 0x20, kBankAddress = 0x198;

// Since compute capability 10.0 they lie elsewhere. source: what ptxas of CUDA 13.0 makes for
// sm_100, 103, 120 and 121 of kernels that each read one of these values. Some are found by
// SR_CgaSize: c[0x0][R0+0x2a0] with −0xa0 × that register in R0.
struct MovedWords {
  std::uint32_t first, bytes;
  std::uint32_t before;  // where 9.0 has them
  bool by_cluster_size = false;
};
constexpr MovedWords kMovedWords[] = {{0x254, 8, 0x44, true},     {0x2a0, 12, 0x144, true},
                                      {0x2ac, 4, 0x2c, true},     {0x2b0, 12, 0x150, true},
                                      {0x2c0, 12, 0x15c, true},   {0x2cc, 4, 0x188, true},
                                      {0x2f8, 8, kLocalWindowAt}, {0x348, 8, kBankAddress},
                                      {0x358, 8, 0x208},          {0x360, 12, 0},
                                      {0x36c, 4, 0x140},          {0x370, 12, 0xc},
                                      {0x37c, 4, kStackTop}};
constexpr std::uint32_t kNowhereBefore = 0xffff;

std::uint32_t place_before(std::uint32_t at, bool by_cluster_size) {
  for (const MovedWords& m : kMovedWords) {
    if (m.by_cluster_size == by_cluster_size && at >= m.first && at < m.first + m.bytes)
      return m.before + (at - m.first);
  }
  return kNowhereBefore;
}

void fill_constant(MachineContext& ctx, std::uint32_t slot, std::uint64_t value) {
  if (value != 0) ctx.kernel.constants.push_back({slot, 4, value & kAllLanes});
}

// Constants about clusters and the launch. source: what ptxas makes of %is_explicit_cluster,
// %cluster_nctaid, %cluster_ctaid (a product with 1 / extent), %nclusterid, %cluster_nctarank,
// %dynamic_smem_size, %envreg1 and %envreg2. False: it is another.
bool fill_launch_word(MachineContext& ctx, std::uint32_t slot, std::uint32_t at) {
  const Dim3& c = ctx.cluster;
  const std::int64_t extents[] = {c.x, c.y, c.z};
  const auto special = [&](SpecialRegister which) {
    ctx.kernel.specials.push_back({slot, which, 4});
  };
  const auto axis = [&](std::uint32_t first) { return at >= first && at < first + 12; };
  if (at == 0x140) {
    fill_constant(ctx, slot, in_clusters(ctx) ? 1 : 0);
  } else if (axis(0x144)) {
    fill_constant(ctx, slot, static_cast<std::uint64_t>(extents[(at - 0x144) / 4]));
  } else if (axis(0x150)) {
    const float part = 1.0F / static_cast<float>(extents[(at - 0x150) / 4]);
    fill_constant(ctx, slot, std::bit_cast<std::uint32_t>(part));
  } else if (axis(0x15c)) {
    special(static_cast<SpecialRegister>(static_cast<std::uint32_t>(SpecialRegister::nclusterid_x) +
                                         (at - 0x15c) / 4));
  } else if (at == 0x188) {
    fill_constant(ctx, slot, static_cast<std::uint64_t>(blocks_of(c)));
  } else if (at == 0x2c) {
    special(SpecialRegister::dynamic_shared_bytes);
  } else if (at == 0x44 || at == 0x48) {
    special(at == 0x44 ? SpecialRegister::workspace_high : SpecialRegister::workspace_low);
  } else {
    return false;
  }
  return true;
}

void fill_special(MachineContext& ctx, std::uint32_t slot, std::uint32_t at) {
  const auto first =
      static_cast<std::uint32_t>(at < 12 ? SpecialRegister::ntid_x : SpecialRegister::nctaid_x);
  const std::uint32_t axis = at % 12 / 4;
  ctx.kernel.specials.push_back({slot, static_cast<SpecialRegister>(first + axis), 4});
}

void fill_parameter(MachineContext& ctx, std::uint32_t slot, std::uint32_t offset, int bytes,
                    bool sign_extend) {
  const auto end = static_cast<std::uint32_t>(ctx.kernel.parameter_bytes);
  if (offset >= end) {
    problem(ctx, "constants after the parameters");
    return;
  }
  const auto there = std::min<std::uint32_t>(end - offset, static_cast<std::uint32_t>(bytes));
  ctx.kernel.parameter_slots.push_back(
      {slot, offset, static_cast<std::uint8_t>(there), 4, sign_extend});
}

// False: no variable holds the word.
bool fill_variable(MachineContext& ctx, std::uint32_t slot, int bank, std::uint32_t at) {
  for (std::size_t k = 0; k < ctx.image.variables.size(); ++k) {
    const MachineImage::Variable& v = ctx.image.variables[k];
    const std::int64_t bytes = bank == 3 ? v.bytes : 8;
    if (v.bank != bank || at < v.offset || at - v.offset >= bytes) continue;
    using Word = KernelCode::BankSlot::Word;
    const std::uint32_t offset = at - v.offset;
    const Word word = bank == 3     ? Word::value
                      : offset == 0 ? Word::address_low
                                    : Word::address_high;
    ctx.kernel.bank_slots.push_back({slot, static_cast<std::uint32_t>(k), offset, word});
    return true;
  }
  return false;
}

// ptxas knows an index beyond a __constant__ variable. The word is loaded where it is used, which
// is a fault of the kernel.
void fill_outside(MachineContext& ctx, std::uint32_t slot, int bank, std::uint32_t at) {
  if (bank != 3) return (void)problem(ctx, "a constant that no variable has");
  load_constant_word(ctx, slot, at);
}

void fill_word(MachineContext& ctx, std::uint32_t slot, int bank, std::uint32_t at,
               bool by_cluster_size = false) {
  const bool moved = ctx.image.compute_capability >= kFirstBlackwell;
  const bool of_launch = bank == 0 && (at < ctx.image.parameters_at || by_cluster_size);
  if (of_launch && moved) {
    at = place_before(at, by_cluster_size);
    if (at == kNowhereBefore) return (void)problem(ctx, "a constant whose meaning is not known");
  }
  if (of_launch && at < 0x18) return fill_special(ctx, slot, at);
  if (bank == 0 && !of_launch)
    return fill_parameter(ctx, slot, at - ctx.image.parameters_at + parameter_shift(ctx.image), 4,
                          false);
  if (bank == 0 && at == kStackTop) {
    ctx.kernel.constants.push_back({slot, 4, static_cast<std::uint64_t>(ctx.kernel.local_bytes)});
    return;
  }
  const bool known = ctx.image.compute_capability >= kCheckedMachineCode;
  if (bank == 0 && known && fill_launch_word(ctx, slot, at)) return;
  if (bank == 0 && (at == kLocalWindowAt || at == kLocalWindowAt + 4)) {
    const std::uint64_t window = kLocalWindow;
    ctx.kernel.constants.push_back(
        {slot, 4, at == kLocalWindowAt ? window & kAllLanes : window >> 32});
    return;
  }
  if (bank == 0 && known && (at == kBankAddress || at == kBankAddress + 4)) {
    // Parameters by address: tensor maps.
    const std::uint64_t base = kParamWindow + parameter_shift(ctx.image);
    ctx.kernel.constants.push_back({slot, 4, at == kBankAddress ? base & kAllLanes : base >> 32});
    return;
  }
  const std::uint32_t descriptor = moved ? 0x208 : ctx.image.descriptor_at;
  if (bank == 0 && (at == descriptor || at == descriptor + 4)) return;  // zeros
  if (bank == 2 && at / 4 < ctx.kernel.literals.size()) {
    ctx.kernel.constants.push_back({slot, 4, ctx.kernel.literals[at / 4]});
    return;
  }
  if ((bank == 3 || bank == 4) && fill_variable(ctx, slot, bank, at)) return;
  if (bank == 3 || bank == 4) return fill_outside(ctx, slot, bank, at);
  problem(ctx, "a constant whose meaning is not known");
}

std::uint32_t bank_slot(MachineContext& ctx, int bank, std::int64_t at, int words) {
  if (at < 0 || at > 0xffff || at % 4 != 0) {
    problem(ctx, "a constant at an offset that is not of a word");
    return 0;
  }
  const std::uint64_t key = static_cast<std::uint64_t>(bank) << 32 | static_cast<std::uint64_t>(at);
  const auto known = ctx.bank_words.find({key, words});
  if (known != ctx.bank_words.end()) return known->second;
  const std::uint32_t slot = new_slots(ctx, words);
  const std::size_t instructions = ctx.kernel.code.size();
  for (int k = 0; k < words; ++k) {
    fill_word(ctx, slot + static_cast<std::uint32_t>(k) * kSlotBytes, bank,
              static_cast<std::uint32_t>(at) + 4 * static_cast<std::uint32_t>(k));
  }
  // A word that is loaded is loaded by each instruction that takes it.
  const bool is_loaded = ctx.kernel.code.size() != instructions;
  if (ctx.problem.empty() && !is_loaded) ctx.bank_words[{key, words}] = slot;
  return slot;
}

}  // namespace

std::uint32_t word_by_cluster_size(MachineContext& ctx, std::int64_t at) {
  const std::uint32_t slot = new_slots(ctx, 1);
  fill_word(ctx, slot, 0, static_cast<std::uint32_t>(at), true);
  return slot;
}

std::uint32_t source(MachineContext& ctx, const MachineOperand& o, unsigned allowed, int words) {
  const bool odd = (o.negated && (allowed & kMayNegate) == 0) ||
                   (o.inverted && (allowed & kMayInvert) == 0) ||
                   (o.absolute && (allowed & kMayBeAbsolute) == 0) || o.complement;
  const bool halves = (allowed & kMayBeHalves) != 0;
  if (odd || (!o.parts.empty() && !halves)) problem(ctx, "operand " + o.text);
  switch (o.kind) {
    case OperandKind::general:
    case OperandKind::uniform: {
      const std::uint32_t slot = o.kind == OperandKind::general ? general_slot(ctx, o.number)
                                                                : uniform_slot(ctx, o.number);
      note_use(ctx, SlotRole::source, slot, words);
      return slot;
    }
    case OperandKind::integer: {
      const auto value = static_cast<std::uint64_t>(o.value);
      return constant_slot(ctx, words == 1 ? value & kAllLanes : value, words);
    }
    case OperandKind::number:
      return constant_slot(ctx, ctx.at->immediate(), words);
    case OperandKind::constant:
      if (o.terms.empty()) return bank_slot(ctx, o.bank, o.value, words);
      break;
    default:
      break;
  }
  problem(ctx, "operand " + o.text);
  return 0;
}

std::int64_t decoration(const MachineOperand& o, int number) {
  return (o.negated ? negated_bit(number) : 0) |
         (o.absolute || o.inverted ? absolute_bit(number) : 0);
}
std::int64_t flip_of(const MachineOperand& o, int number) {
  return o.complement ? flipped_bit(number) : 0;
}

std::uint32_t destination(MachineContext& ctx, const MachineOperand& o, int words) {
  const bool bare = !o.negated && !o.inverted && !o.absolute && !o.complement && o.parts.empty();
  if (!bare || !o.is_register() || words > 8) {
    problem(ctx, "operand " + o.text);
    return ctx.layout.nowhere;
  }
  const bool none = o.number == (o.kind == OperandKind::general ? kZeroRegister : kZeroUniform);
  if (none) return ctx.layout.nowhere;
  const std::uint32_t slot =
      o.kind == OperandKind::general ? general_slot(ctx, o.number) : uniform_slot(ctx, o.number);
  note_use(ctx, SlotRole::result, slot, words);
  return slot;
}

namespace {

std::uint32_t predicate_slot(const MachineContext& ctx, const MachineOperand& o) {
  const int word = o.kind == OperandKind::predicate ? o.number : 8 + o.number;
  return ctx.layout.predicates + 4 * static_cast<std::uint32_t>(word);
}

}  // namespace

std::uint32_t predicate_source(MachineContext& ctx, const MachineOperand& o) {
  if (!o.is_predicate() || !o.parts.empty() || o.negated) {
    problem(ctx, "operand " + o.text);
    return ctx.layout.zero;
  }
  if (o.number == kTruePredicate) return ctx.layout.always;
  const std::uint32_t slot = predicate_slot(ctx, o);
  note_use(ctx, SlotRole::predicate, slot);
  return slot;
}
std::uint32_t predicate_destination(MachineContext& ctx, const MachineOperand& o) {
  if (!o.is_predicate() || o.complement || !o.parts.empty()) {
    problem(ctx, "operand " + o.text);
    return ctx.layout.no_predicate;
  }
  if (o.number == kTruePredicate) return ctx.layout.no_predicate;
  const std::uint32_t slot = predicate_slot(ctx, o);
  note_use(ctx, SlotRole::predicate_result, slot);
  return slot;
}

Instruction& emit(MachineContext& ctx, Instruction i) {
  i.guard = ctx.guard;
  i.guard_flip = ctx.guard_flip;
  i.source = ctx.at->offset / kMachineInstructionBytes;
  ctx.kernel.code.push_back(i);
  return ctx.kernel.code.back();
}
Instruction& emit_row(MachineContext& ctx, const std::string& row, std::uint32_t d, std::uint32_t a,
                      std::uint32_t b, std::uint32_t c) {
  const MachineTable::Row* const found = machine_table().find(row);
  if (found == nullptr) problem(ctx, "a form that is not known (" + row + ")");
  Instruction i;
  if (found != nullptr) i.run = ctx.uniform ? found->warp : found->lanes;
  i.d = d;
  i.a = a;
  i.b = b;
  i.c = c;
  return emit(ctx, i);
}
Instruction& emit_extra(MachineContext& ctx, const std::string& row, std::uint32_t d,
                        std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  Instruction& i = emit_row(ctx, row, d, a, b, c);
  i.counted = 0;
  return i;
}
void emit_joined(MachineContext& ctx, std::uint32_t wide, std::uint32_t low) {
  emit_extra(ctx, "join", wide, low, low + kSlotBytes);
}
void emit_parted(MachineContext& ctx, std::uint32_t low, std::uint32_t wide) {
  emit_extra(ctx, "part", low, wide);
}

void emit_spread(MachineContext& ctx, std::uint32_t d, std::uint32_t from, int words) {
  for (int k = 0; k < words; ++k) {
    Instruction i;
    i.run = run_broadcast;
    i.d = d + static_cast<std::uint32_t>(k) * kSlotBytes;
    i.a = from + static_cast<std::uint32_t>(k) * kSlotBytes;
    emit(ctx, i).counted = 0;
  }
}

namespace {

std::uint32_t slot_of(MachineContext& ctx, const AddressTerm& t, int words) {
  const std::uint32_t slot = t.uniform ? uniform_slot(ctx, t.number) : general_slot(ctx, t.number);
  note_use(ctx, SlotRole::address, slot, words);
  return slot;
}

// Addresses of 8 bytes: "R2.64", a uniform pair beside a descriptor; "R2.U32" adds a word to such a
// pair.
void add_up_wide(MachineContext& ctx, const MachineOperand& o, std::uint32_t scratch) {
  const std::uint32_t none = ctx.layout.zero;
  std::uint32_t pair = none, other = none, word = none;
  bool second_pair = false;
  for (const AddressTerm& t : o.terms) {
    const bool alone = !t.uniform && o.descriptor < 0 && o.terms.size() == 1;  // "[R6]"
    // Older code has no descriptor: "[UR4+0x8]", "[R7.U32+UR4]".
    const bool known = o.descriptor >= 0 || ctx.image.compute_capability < kCheckedMachineCode;
    if (t.part == "64" || (t.part.empty() && (alone || (t.uniform && known)))) {
      second_pair = pair != none;
      (second_pair ? other : pair) = slot_of(ctx, t, 2);
    } else if (t.part == "U32" && !t.uniform) {
      word = slot_of(ctx, t, 1);
    } else {
      problem(ctx, "address " + o.text);
    }
  }
  const bool was = std::exchange(ctx.uniform, false);
  if (second_pair) {
    emit_extra(ctx, "join.add", scratch, pair, other);
    if (word != none) problem(ctx, "address " + o.text);
  } else if (word != none) {
    emit_extra(ctx, "join.add.word", scratch, pair, word);
  } else {
    emit_joined(ctx, scratch, pair);
  }
  ctx.uniform = was;
}

// Addresses of 4 bytes, of shared or local memory; returns their slot.
std::uint32_t add_up_narrow(MachineContext& ctx, const MachineOperand& o, std::uint32_t scratch) {
  std::uint32_t sum = ctx.layout.zero;
  for (const AddressTerm& t : o.terms) {
    const int scale = t.part.empty()    ? 0
                      : t.part == "X4"  ? 2
                      : t.part == "X8"  ? 3
                      : t.part == "X16" ? 4
                                        : -1;
    if (scale < 0) problem(ctx, "address " + o.text);
    if (scale == 0 && sum == ctx.layout.zero) {
      sum = slot_of(ctx, t, 1);
      continue;
    }
    const bool was = std::exchange(ctx.uniform, false);
    emit_extra(ctx, "add.scaled", scratch, sum, slot_of(ctx, t, 1)).immediate =
        static_cast<std::int64_t>(scale) << kSubopShift;
    ctx.uniform = was;
    sum = scratch;
  }
  return sum;
}

}  // namespace

MachineAddress address_of(MachineContext& ctx, const MachineOperand& o, AddressSpace space,
                          std::uint32_t scratch) {
  MachineAddress address;
  address.offset = o.value;
  if (o.kind != OperandKind::memory || o.terms.size() > 2 || !o.parts.empty()) {
    problem(ctx, "address " + o.text);
    return address;
  }
  address.narrow = space == AddressSpace::shared || space == AddressSpace::local;
  if (!address.narrow) {
    address.slot = scratch;
    add_up_wide(ctx, o, scratch);
    return address;
  }
  // Shared memory begins with what the system keeps of it.
  if (space == AddressSpace::shared) address.offset -= ctx.image.system_shared;
  address.slot = add_up_narrow(ctx, o, scratch);
  if (space == AddressSpace::shared && in_clusters(ctx))
    address.slot = mapped_slot(ctx, address.slot, ctx.by_rank);
  return address;
}

std::uint32_t mapped_slot(MachineContext& ctx, std::uint32_t slot, bool by_rank) {
  if (!in_clusters(ctx)) return slot;
  Instruction i;
  i.run = run_map_shared;
  i.a = slot;
  i.d = new_slots(ctx, 1);
  i.subop = by_rank ? 1 : 0;
  emit(ctx, i).counted = 0;
  return i.d;
}

void narrow_guard(MachineContext& ctx, std::uint32_t predicate, std::uint32_t flip) {
  if (ctx.guard == 0) {
    ctx.guard = predicate;
    ctx.guard_flip = flip;
    return;
  }
  const std::uint32_t both = scratch_predicate(ctx, 0);
  const std::uint32_t guard = ctx.guard, guard_flip = ctx.guard_flip;
  ctx.guard = ctx.guard_flip = 0;
  constexpr std::int64_t kBoth = 0xc0;
  Instruction& i = emit_extra(ctx, "logic.predicates", both, 0);
  i.immediate = kBoth << kSubopShift | (guard_flip != 0 ? flipped_bit(0) : 0) |
                (flip != 0 ? flipped_bit(1) : 0);
  i.extra = add_slots(ctx, {ctx.layout.no_predicate, guard, predicate, ctx.layout.always});
  ctx.guard = both;
}

void add_site(MachineContext& ctx, Instruction& i, Space space, AccessKind kind, int width) {
  const InstructionSource& from = ctx.kernel.sources[i.source];
  AccessSite site;
  site.instruction = i.source;
  site.space = space;
  site.kind = kind;
  site.width_bytes = width;
  site.position = from.position;
  site.inlined_at = from.inlined_at;
  site.text = from.opcode;
  const auto index = static_cast<std::uint32_t>(ctx.kernel.sites.size());
  ctx.kernel.sites.push_back(std::move(site));
  if (i.site == kNoSite) i.site = index;
}

std::uint32_t add_slots(MachineContext& ctx, std::initializer_list<std::uint32_t> slots) {
  const auto first = static_cast<std::uint32_t>(ctx.kernel.slots.size());
  ctx.kernel.slots.insert(ctx.kernel.slots.end(), slots);
  return first;
}

SplitOperands split_operands(const MachineContext& ctx) {
  const std::vector<MachineOperand>& all = ctx.at->operands;
  SplitOperands o;
  std::size_t begin = 0, end = all.size();
  if (begin < end) o.result = &all[begin++];
  while (begin < end && all[begin].is_predicate()) o.results.push_back(&all[begin++]);
  while (begin < end && all[end - 1].is_predicate()) --end;
  for (std::size_t k = begin; k < end; ++k) o.sources.push_back(&all[k]);
  for (std::size_t k = end; k < all.size(); ++k) o.conditions.push_back(&all[k]);
  return o;
}

bool has(MachineContext& ctx, const SplitOperands& o, std::size_t sources, std::size_t most_results,
         std::size_t most_conditions) {
  if (o.result != nullptr && o.sources.size() == sources && o.results.size() <= most_results &&
      o.conditions.size() <= most_conditions) {
    return true;
  }
  return problem(ctx, "the operands of " + ctx.at->text);
}

}  // namespace warpscope
