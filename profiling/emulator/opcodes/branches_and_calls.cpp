// profiling/emulator/opcodes/branches_and_calls.cpp: branches, returns, and calls, whose functions
// take their place.
#include <algorithm>
#include <cmath>
#include <optional>

#include "profiling/emulator/decode/emit.h"
#include "profiling/emulator/decode/families.h"
#include "profiling/emulator/decode/functions.h"
#include "profiling/emulator/decode/operands.h"
#include "profiling/emulator/instructions/warp_instructions.h"
#include "profiling/listings/kernel_name.h"

namespace warpscope {
namespace {

constexpr int kDeepestCall = 32;
// Recursive calls are put in place as often as they may be nested, at most this many times.
constexpr double kMostRecursiveCalls = 4096;

// "fib(int)" of _Z3fibi.
std::string readable_name(std::string_view function) {
  return demangled(std::string(function.substr(0, 200)));
}

// What a call passes at a place; of something else than a parameter nothing, and a problem.
SymbolPlace passed_parameter(DecodeContext& ctx, const std::vector<PtxOperand>& list,
                             std::size_t k) {
  const SymbolPlace* symbol = k < list.size() ? find_symbol(ctx, list[k].name) : nullptr;
  if (symbol == nullptr || !symbol->parameter) {
    problem(ctx, "passes something else than parameters");
    return SymbolPlace{};
  }
  return *symbol;
}

// What a program may call without defining it. Memory that is freed is not given out again, so that
// free() does nothing.
struct SystemCall {
  std::string_view name;
  InstructionKind kind;
  std::size_t arguments;
  bool has_result;
};
constexpr SystemCall kSystemCalls[] = {{"vprintf", InstructionKind::print, 2, true},
                                       {"__assertfail", InstructionKind::assertion, 3, false},
                                       {"malloc", InstructionKind::allocation, 1, true},
                                       {"free", InstructionKind::ordinary, 0, false}};

const SystemCall* system_call_of(std::string_view name) {
  const auto* found = std::find_if(std::begin(kSystemCalls), std::end(kSystemCalls),
                                   [&](const SystemCall& call) { return call.name == name; });
  return found == std::end(kSystemCalls) ? nullptr : found;
}

void system_call(DecodeContext& ctx, const SystemCall& call, const std::vector<PtxOperand>& results,
                 const std::vector<PtxOperand>& arguments) {
  if (call.kind == InstructionKind::ordinary) return;
  Instruction i;
  i.kind = call.kind;
  i.extra = static_cast<std::uint32_t>(ctx.kernel.slots.size());
  ctx.kernel.allocates = ctx.kernel.allocates || call.kind == InstructionKind::allocation;
  for (std::size_t k = 0; k < call.arguments; ++k) {
    ctx.kernel.slots.push_back(
        static_cast<std::uint32_t>(passed_parameter(ctx, arguments, k).offset));
  }
  if (call.has_result) {
    ctx.kernel.slots.push_back(static_cast<std::uint32_t>(
        results.empty() ? 0xffffffffll : passed_parameter(ctx, results, 0).offset));
  }
  emit(ctx, i);
}

// How many calls of `list` a function has.
int calls_of(const DecodeContext& ctx, const PtxFunction& f,
             const std::vector<const PtxFunction*>& list) {
  int calls = 0;
  for (const PtxStatement& s : f.body) {
    if (s.kind != PtxStatement::Kind::instruction || !s.name.starts_with("call")) continue;
    for (std::uint32_t k = 0; k < s.count; ++k) {
      const std::string_view name = ctx.module.operands[s.first + k].name;
      calls += std::any_of(list.begin(), list.end(), [&](const auto* g) { return g->name == name; })
                   ? 1
                   : 0;
    }
  }
  return calls;
}

// A function that calls itself stands in itself, to a depth at which all of its calls together are
// not too many; false: a problem.
bool may_call(DecodeContext& ctx, const PtxFunction& f) {
  std::vector<const PtxFunction*> circle;  // functions through which it comes back to itself
  int depth = 0;
  for (const CallFrame* frame = ctx.frame; frame != nullptr; frame = frame->outer) {
    const bool itself = frame->function == &f;
    depth += itself ? 1 : 0;
    if (depth == 0 || (itself && depth == 1)) circle.push_back(frame->function);
  }
  if (depth == 0) {
    return ctx.frame->depth < kDeepestCall ||
           problem(ctx, "calls " + readable_name(f.name) + " more than " +
                            std::to_string(kDeepestCall) + " calls deep, the emulator's limit");
  }
  std::optional<double>& branches = ctx.facts[&f].recursive_calls;
  if (!branches) {
    branches = 1;
    for (const PtxFunction* g : circle) *branches *= std::max(1, calls_of(ctx, *g, circle));
  }
  const int deepest = *branches < 2
                          ? kDeepestCall
                          : static_cast<int>(std::log(kMostRecursiveCalls) / std::log(*branches));
  if (depth < deepest && ctx.frame->depth < kDeepestCall) return true;
  return problem(ctx, "calls " + readable_name(f.name) + " from within itself, " +
                          std::to_string(depth) + " deep, the emulator's limit for recursion");
}

// The function of a call that passes this many parameters; null: a problem.
const PtxFunction* callable_function(DecodeContext& ctx, std::string_view callee,
                                     std::size_t results, std::size_t arguments) {
  const auto found = ctx.functions.find(callee);
  if (found == ctx.functions.end()) {
    problem(ctx,
            "calls " + std::string(callee.substr(0, 80)) + ", which the module does not define");
    return nullptr;
  }
  const PtxFunction& f = *found->second;
  if (!f.problem.empty()) {
    problem(ctx, "calls " + std::string(callee.substr(0, 80)) + ", but " + f.problem);
    return nullptr;
  }
  if (!may_call(ctx, f)) return nullptr;
  if (f.parameters.size() != arguments || f.results.size() != results) {
    problem(ctx, "passes another number of parameters than " + std::string(callee) + " takes");
    return nullptr;
  }
  return &f;
}

bool pass_parameters(DecodeContext& ctx, const PtxFunction& f,
                     const std::vector<PtxOperand>& results,
                     const std::vector<PtxOperand>& arguments, CallFrame& inner) {
  inner.function = &f;
  inner.depth = ctx.frame->depth + 1;
  for (std::size_t k = 0; k < f.parameters.size(); ++k) {
    inner.scopes[0].symbols[f.parameters[k].name] = passed_parameter(ctx, arguments, k);
  }
  for (std::size_t k = 0; k < f.results.size(); ++k) {
    inner.scopes[0].symbols[f.results[k].name] = passed_parameter(ctx, results, k);
  }
  if (!ctx.current.problem.empty()) return false;
  const StatementPlace& here = place_at(ctx, *ctx.frame, ctx.current.position);
  inner.called_from = here.inlined_at;
  if (inner.called_from.empty() && here.position.line > 0) {
    inner.called_from.push_back(here.position);
  }
  return true;
}

// Functions whose addresses the module takes, that a call which passes these may mean.
std::vector<const PtxFunction*> callable_indirectly(DecodeContext& ctx,
                                                    const std::vector<PtxOperand>& results,
                                                    const std::vector<PtxOperand>& arguments) {
  if (!ctx.addresses_taken) {
    ctx.addresses_taken.emplace();
    for (const PtxVariable& v : ctx.module.variables) {
      for (const PtxVariable::Address& a : v.addresses) ctx.addresses_taken->insert(a.name);
    }
    for (const PtxFunction& f : ctx.module.functions) {
      for (const PtxStatement& s : f.body) {
        if (s.kind != PtxStatement::Kind::instruction || !s.name.starts_with("mov")) continue;
        for (std::uint32_t k = 0; k < s.count; ++k) {
          ctx.addresses_taken->insert(ctx.module.operands[s.first + k].name);
        }
      }
    }
  }
  const auto fits = [&](const std::vector<PtxVariable>& wanted,
                        const std::vector<PtxOperand>& given) {
    bool all = wanted.size() == given.size();
    for (std::size_t k = 0; all && k < wanted.size(); ++k) {
      all = passed_parameter(ctx, given, k).bytes == wanted[k].bytes;
    }
    return all;
  };
  std::vector<const PtxFunction*> list;
  for (const PtxFunction& f : ctx.module.functions) {
    if (!f.defined || f.entry || !f.problem.empty() || !ctx.addresses_taken->contains(f.name))
      continue;
    bool runs = false;  // a function that may call itself is not put in place once more
    for (const CallFrame* frame = ctx.frame; frame != nullptr; frame = frame->outer) {
      runs = runs || frame->function == &f;
    }
    if (!runs && fits(f.results, results) && fits(f.parameters, arguments)) list.push_back(&f);
  }
  return list;
}

// Each function that the address may be of is put in place, for the lanes whose address it is.
void indirect_call(DecodeContext& ctx, std::uint32_t address,
                   const std::vector<PtxOperand>& results,
                   const std::vector<PtxOperand>& arguments) {
  const std::vector<const PtxFunction*> functions = callable_indirectly(ctx, results, arguments);
  if (!ctx.current.problem.empty()) return;
  if (ctx.frame->depth >= kDeepestCall) {
    problem(ctx, "calls functions through addresses more than " + std::to_string(kDeepestCall) +
                     " calls deep, the emulator's limit");
    return;
  }
  const std::uint32_t guard = ctx.current.guard, flip = ctx.current.guard_flip;
  const auto go_round = [&](std::uint32_t lanes, std::uint32_t unless) {
    Instruction around;
    around.kind = InstructionKind::branch;
    emit(ctx, around);
    ctx.kernel.code.back().guard = lanes;
    ctx.kernel.code.back().guard_flip = unless;
    return ctx.kernel.code.size() - 1;
  };
  const auto lands_here = [&](std::size_t pc) {
    ctx.kernel.code[pc].target = static_cast<std::uint32_t>(ctx.kernel.code.size());
  };
  const std::size_t whole = guard != 0 ? go_round(guard, ~flip) : 0;
  ctx.current.guard = ctx.current.guard_flip = 0;
  std::vector<std::uint32_t> is;
  std::uint32_t any = 0;
  for (const PtxFunction* f : functions) {
    is.push_back(new_slot(ctx, 4));
    emit_row(ctx, "setp.eq.u64", is.back(), address,
             constant_slot(ctx, 8, function_address(ctx.module, f->name)));
    const std::uint32_t both = new_slot(ctx, 4);
    if (any != 0) emit_row(ctx, "or.pred", both, any, is.back());
    any = any == 0 ? is.back() : both;
  }
  Instruction trap;
  trap.kind = InstructionKind::trap;
  trap.flags = kFlagUnknown;
  trap.extra = static_cast<std::uint32_t>(ctx.kernel.unknown.size());
  ctx.kernel.unknown.emplace_back(
      "call through an address that no function of this kind has, or which "
      "calls itself");
  emit(ctx, trap);
  ctx.kernel.code.back().guard = any;
  ctx.kernel.code.back().guard_flip = any == 0 ? 0 : kAllLanes;
  const std::uint32_t source = ctx.current.source, position = ctx.current.position;
  for (std::size_t k = 0; k < functions.size(); ++k) {
    ctx.current.source = source;
    ctx.current.position = position;
    const std::size_t round = go_round(is[k], kAllLanes);
    CallFrame inner;
    if (pass_parameters(ctx, *functions[k], results, arguments, inner)) decode_body(ctx, inner);
    ctx.current.problem.clear();
    ctx.current.guard = ctx.current.guard_flip = 0;
    lands_here(round);
  }
  if (guard != 0) lands_here(whole);
}

void put_in_place(DecodeContext& ctx, CallFrame& inner) {
  if (ctx.current.guard == 0) {
    Instruction marker;
    marker.run = run_nothing;
    emit(ctx, marker);
    decode_body(ctx, inner);
    return;
  }
  // A guarded call: lanes without it go round.
  Instruction around;
  around.kind = InstructionKind::branch;
  emit(ctx, around);
  Instruction& placed = ctx.kernel.code.back();
  placed.guard_flip = ~placed.guard_flip;
  const auto pc = static_cast<std::uint32_t>(ctx.kernel.code.size()) - 1;
  decode_body(ctx, inner);
  ctx.kernel.code[pc].target = static_cast<std::uint32_t>(ctx.kernel.code.size());
}

}  // namespace

void decode_branch(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name) {
  Instruction i;
  const std::string_view base = name.base();
  if (base == "bra") {
    i.kind = InstructionKind::branch;
    ctx.frame->jumps.push_back({static_cast<std::uint32_t>(ctx.kernel.code.size()),
                                operand_at(ctx, s, 0).name, ctx.frame->scopes.back().number});
  } else if (base == "brx") {
    i.kind = InstructionKind::branch_table;
    i.a = source_slot(ctx, s, 0, OperandType::b32);
    const auto table = ctx.frame->tables.find(operand_at(ctx, s, 1).name);
    if (table == ctx.frame->tables.end()) {
      problem(ctx, "has no table of targets");
      return;
    }
    constexpr std::size_t kMostTargets = 1 << 20;  // of all tables, each as often as it is used
    if (ctx.kernel.targets.size() + table->second->count > kMostTargets) {
      problem(ctx, "has too many targets");
      return;
    }
    i.extra = static_cast<std::uint32_t>(ctx.kernel.targets.size());
    i.c = table->second->count;
    for (std::uint32_t k = 0; k < i.c; ++k) {
      ctx.frame->table_jumps.push_back({static_cast<std::uint32_t>(ctx.kernel.targets.size()),
                                        ctx.module.operands[table->second->first + k].name,
                                        ctx.frame->scopes.back().number});
      ctx.kernel.targets.push_back(0);
    }
  } else if (base == "trap") {
    i.kind = InstructionKind::trap;
  } else if (base == "ret" && ctx.frame->depth > 0) {
    i.kind = InstructionKind::branch;
    ctx.frame->returns.push_back(static_cast<std::uint32_t>(ctx.kernel.code.size()));
  } else {
    i.kind = InstructionKind::exit;
  }
  emit(ctx, i);
}

// The callee's instructions are put in place of the call, with registers of their own.
void decode_call(DecodeContext& ctx, const PtxStatement& s) {
  std::vector<PtxOperand> results, arguments;
  std::string_view callee;
  for (std::uint32_t k = 0; k < s.count; ++k) {
    const PtxOperand& o = operand_at(ctx, s, k);
    if (o.kind == PtxOperand::Kind::vector) {
      (callee.empty() ? results : arguments) = operand_parts(ctx, o);
    } else if (callee.empty()) {
      callee = o.name;
    }
  }
  const bool defined = ctx.functions.find(callee) != ctx.functions.end();
  if (const SystemCall* system = system_call_of(callee); system != nullptr && !defined)
    return system_call(ctx, *system, results, arguments);
  RegisterSlot found;
  if (const RegisterSlot* r = find_register(ctx, callee, found); r != nullptr && r->bytes == 8) {
    return indirect_call(ctx, r->slot, results, arguments);
  }
  const PtxFunction* const f = callable_function(ctx, callee, results.size(), arguments.size());
  CallFrame inner;
  if (f == nullptr || !pass_parameters(ctx, *f, results, arguments, inner)) return;
  put_in_place(ctx, inner);
  ctx.current.problem.clear();  // of statements inside the callee: each has its own trap
}

}  // namespace warpscope
