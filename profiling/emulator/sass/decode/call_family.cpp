// profiling/emulator/sass/decode/call_family.cpp: calls of what the driver brings: printf, failed
// assertions, malloc and free.
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

#include "profiling/emulator/sass/decode/machine_families.h"
#include "profiling/emulator/sass/lanes/machine_runs.h"

// A program may call four functions that it does not define. Bank 4 has their addresses, by
// relocations; LDC takes one from there, and CALL.ABS goes where it says. They take their arguments
// in R4 and up, an address in a pair, and return in R4. source: what ptxas makes of them.

namespace warpscope {
namespace {

struct SystemFunction {
  std::string_view name;
  InstructionKind kind;
  int words;                            // registers of arguments, from R4 on
  int results;                          // registers from R4 on
  std::array<std::uint32_t, 3> places;  // of what the emulator takes, in local memory
};
constexpr std::uint32_t kResultAt = 48;  // bytes after the arguments
static_assert(kResultAt + 8 <= kSystemCallBytes);
constexpr SystemFunction kFunctions[] = {
    {"vprintf", InstructionKind::print, 4, 1, {0, 8, kResultAt}},
    {"__assertfail", InstructionKind::assertion, 5, 0, {0, 8, 16}},
    {"malloc", InstructionKind::allocation, 2, 2, {0, kResultAt, 0}},
    {"free", InstructionKind::ordinary, 0, 0, {}}};
constexpr std::uint32_t kFunctionCount = static_cast<std::uint32_t>(std::size(kFunctions));
constexpr int kFirstArgument = 4;

// Which of the functions a variable of bank 4 names.
std::optional<std::uint32_t> function_of(const MachineImage::Variable& v) {
  for (std::uint32_t k = 0; k < kFunctionCount; ++k) {
    if (v.name == kFunctions[k].name) return k;
  }
  return std::nullopt;
}

// The guard of lanes whose address is that of the function, or of `count` of them: is, or is not.
void narrow_to_function(MachineContext& ctx, std::uint32_t address, std::uint32_t function,
                        std::uint32_t count, bool is) {
  Instruction i;
  i.run = run_is_function;
  i.a = address;
  i.d = scratch_predicate(ctx, 10);
  i.immediate = kSystemFunctions + std::int64_t{function};
  i.target = count;
  emit(ctx, i).counted = 0;
  narrow_guard(ctx, i.d, is ? 0 : kAllLanes);
}

void emit_function(MachineContext& ctx, const SystemFunction& function) {
  if (function.kind == InstructionKind::ordinary) return;  // memory is not given out again
  const std::uint32_t first = general_slot(ctx, kFirstArgument);
  Instruction pass;
  pass.run = run_pass_arguments;
  pass.a = first;
  pass.count = static_cast<std::uint8_t>(function.words);
  note_use(ctx, SlotRole::source, first, function.words);
  emit(ctx, pass).counted = 0;
  Instruction call;
  call.kind = function.kind;
  call.extra = static_cast<std::uint32_t>(ctx.kernel.slots.size());
  ctx.kernel.slots.insert(ctx.kernel.slots.end(), function.places.begin(), function.places.end());
  ctx.kernel.allocates = ctx.kernel.allocates || function.kind == InstructionKind::allocation;
  emit(ctx, call).counted = 0;
  if (function.results == 0) return;
  Instruction result;
  result.run = run_take_result;
  result.d = first;
  result.count = static_cast<std::uint8_t>(function.results);
  result.immediate = kResultAt;
  note_use(ctx, SlotRole::result, first, function.results);
  emit(ctx, result).counted = 0;
}

}  // namespace

// LDC.64 R2, c[0x4][R0]: the address that a relocation names.
bool load_address(MachineContext& ctx, std::uint32_t to, std::uint32_t index, std::int64_t offset,
                  int words) {
  Instruction i;
  i.run = run_bank_address;
  i.a = index;
  i.d = to;
  i.immediate = offset;
  i.count = static_cast<std::uint8_t>(words);
  i.extra = static_cast<std::uint32_t>(ctx.kernel.slots.size());
  for (std::size_t k = 0; k < ctx.image.variables.size(); ++k) {
    const MachineImage::Variable& v = ctx.image.variables[k];
    if (v.bank != 4) continue;
    const std::optional<std::uint32_t> function = function_of(v);
    ctx.kernel.slots.push_back(v.offset);
    ctx.kernel.slots.push_back(function ? kSystemFunctions + *function
                                        : static_cast<std::uint32_t>(k));
    ++i.target;
  }
  emit(ctx, i);
  return true;
}

// LEPC R20, `(label): where a function that is called returns to.
bool decode_return_address(MachineContext& ctx) {
  const std::vector<MachineOperand>& all = ctx.at->operands;
  if (all.size() != 2) return problem(ctx, "the operands of " + ctx.at->text);
  const auto label = ctx.function.labels.find(all[1].text);
  if (all[1].kind != OperandKind::label || label == ctx.function.labels.end())
    return problem(ctx, "operand " + all[1].text);
  const std::uint32_t d = destination(ctx, all[0], 2);
  emit_row(ctx, "move", d, constant_slot(ctx, label->second));
  emit_extra(ctx, "move", d + kSlotBytes, ctx.layout.zero);
  return true;
}

// CALL.ABS.NOINC R2: of one of those functions. Any other address is a fault.
bool call_system_function(MachineContext& ctx, const MachineOperand& target) {
  if (target.kind != OperandKind::general) return problem(ctx, "target " + target.text);
  // The driver's substitutes for what an architecture has no instruction for.
  for (const MachineImage::Variable& v : ctx.image.variables) {
    if (v.bank == 4 && v.name.starts_with("__cuda_syscall_"))
      return problem(ctx, "the driver's function " + v.name);
  }
  const std::uint32_t address = source(ctx, target, kPlain, 2);
  const std::uint32_t guard = ctx.guard, flip = ctx.guard_flip;
  Instruction call;  // what is counted
  call.run = run_nothing;
  emit(ctx, call);
  std::uint32_t called = 0;
  for (const MachineImage::Variable& v : ctx.image.variables) {
    const std::optional<std::uint32_t> function = v.bank == 4 ? function_of(v) : std::nullopt;
    if (!function || (called >> *function & 1) != 0) continue;
    called |= 1u << *function;
    narrow_to_function(ctx, address, *function, 1, true);
    emit_function(ctx, kFunctions[*function]);
    ctx.guard = guard;
    ctx.guard_flip = flip;
  }
  narrow_to_function(ctx, address, 0, kFunctionCount, false);
  Instruction nowhere;
  nowhere.kind = InstructionKind::branch_table;
  nowhere.a = constant_slot(ctx, kAllLanes);
  ctx.tables.push_back(static_cast<std::uint32_t>(ctx.kernel.code.size()));
  emit(ctx, nowhere).counted = 0;
  return true;
}

}  // namespace warpscope
