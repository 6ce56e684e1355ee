// profiling/emulator/decode/branches_and_calls.cpp: branches, returns, and calls, whose functions
// take their place.
#include <cxxabi.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "profiling/emulator/decode/decoder.h"
#include "profiling/emulator/instructions/warp_instructions.h"

namespace warpscope {
namespace {

constexpr int kDeepestCall = 32;
// Calls that a function makes of itself are put in place as often as they may stand in each other:
// so many at most.
constexpr double kMostRecursiveCalls = 4096;

// "fib(int)" of _Z3fibi.
std::string readable_name(std::string_view function) {
  const std::string name(function.substr(0, 200));
  int status = 0;
  char* const text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string readable = status == 0 && text != nullptr ? text : name;
  std::free(text);
  return readable;
}

}  // namespace

void Decoder::control(const PtxStatement& s, const Name& name) {
  Instruction i;
  const std::string_view base = name.base();
  if (base == "bra") {
    i.kind = InstructionKind::branch;
    frame_->jumps.push_back({static_cast<std::uint32_t>(kernel_->code.size()), operand(s, 0).name,
                             frame_->scopes.back().number});
  } else if (base == "brx") {
    i.kind = InstructionKind::branch_table;
    i.a = source(operand(s, 0), OperandType::b32);
    const auto table = frame_->tables.find(operand(s, 1).name);
    if (table == frame_->tables.end()) {
      problem("has no table of targets");
      return;
    }
    constexpr std::size_t kMostTargets = 1 << 20;  // of all tables, each as often as it is used
    if (kernel_->targets.size() + table->second->count > kMostTargets) {
      problem("has too many targets");
      return;
    }
    i.extra = static_cast<std::uint32_t>(kernel_->targets.size());
    i.c = table->second->count;
    for (std::uint32_t k = 0; k < i.c; ++k) {
      frame_->table_jumps.push_back({static_cast<std::uint32_t>(kernel_->targets.size()),
                                     module_.operands[table->second->first + k].name,
                                     frame_->scopes.back().number});
      kernel_->targets.push_back(0);
    }
  } else if (base == "trap") {
    i.kind = InstructionKind::trap;
  } else if (base == "ret" && frame_->depth > 0) {
    i.kind = InstructionKind::branch;
    frame_->returns.push_back(static_cast<std::uint32_t>(kernel_->code.size()));
  } else {
    i.kind = InstructionKind::exit;
  }
  emit(i);
}

// What a call passes at a place; of something else than a parameter nothing, and a problem.
Decoder::Symbol Decoder::passed(const std::vector<PtxOperand>& list, std::size_t k) {
  const Symbol* symbol = k < list.size() ? find_symbol(list[k].name) : nullptr;
  if (symbol == nullptr || !symbol->parameter) {
    problem("passes something else than parameters");
    return Symbol{};
  }
  return *symbol;
}

// vprintf, or else __assertfail: what a program may call without defining it.
void Decoder::system_call(bool prints, const std::vector<PtxOperand>& results,
                          const std::vector<PtxOperand>& arguments) {
  Instruction i;
  i.kind = prints ? InstructionKind::print : InstructionKind::assertion;
  i.extra = static_cast<std::uint32_t>(kernel_->slots.size());
  const std::size_t wanted = prints ? 2 : 3;
  for (std::size_t k = 0; k < wanted; ++k) {
    kernel_->slots.push_back(static_cast<std::uint32_t>(passed(arguments, k).offset));
  }
  if (prints) {
    kernel_->slots.push_back(
        static_cast<std::uint32_t>(results.empty() ? 0xffffffffll : passed(results, 0).offset));
  }
  emit(i);
}

// How many calls of `list` a function has.
int Decoder::calls_of(const PtxFunction& f, const std::vector<const PtxFunction*>& list) const {
  int calls = 0;
  for (const PtxStatement& s : f.body) {
    if (s.kind != PtxStatement::Kind::instruction || !s.name.starts_with("call")) continue;
    for (std::uint32_t k = 0; k < s.count; ++k) {
      const std::string_view name = module_.operands[s.first + k].name;
      calls += std::any_of(list.begin(), list.end(), [&](const auto* g) { return g->name == name; })
                   ? 1
                   : 0;
    }
  }
  return calls;
}

// A function that calls itself stands in itself, to a depth at which all of its calls together are
// not too many; false: a problem.
bool Decoder::may_call(const PtxFunction& f) {
  std::vector<const PtxFunction*> circle;  // functions through which it comes back to itself
  int depth = 0;
  for (const Frame* frame = frame_; frame != nullptr; frame = frame->outer) {
    const bool itself = frame->function == &f;
    depth += itself ? 1 : 0;
    if (depth == 0 || (itself && depth == 1)) circle.push_back(frame->function);
  }
  if (depth == 0) {
    return frame_->depth < kDeepestCall ||
           problem("calls " + readable_name(f.name) + " more than " + std::to_string(kDeepestCall) +
                   " calls deep, the emulator's limit");
  }
  const auto [known, is_new] = recursive_calls_.try_emplace(&f, 1.0);
  double& branches = known->second;
  if (is_new) {
    for (const PtxFunction* g : circle) branches *= std::max(1, calls_of(*g, circle));
  }
  const int deepest = branches < 2
                          ? kDeepestCall
                          : static_cast<int>(std::log(kMostRecursiveCalls) / std::log(branches));
  if (depth < deepest && frame_->depth < kDeepestCall) return true;
  return problem("calls " + readable_name(f.name) + " from within itself, " +
                 std::to_string(depth) + " deep, the emulator's limit for recursion");
}

// The function of a call that passes so many parameters; null: a problem.
const PtxFunction* Decoder::callable(std::string_view callee, std::size_t results,
                                     std::size_t arguments) {
  const auto found = functions_.find(callee);
  if (found == functions_.end()) {
    problem("calls " + std::string(callee.substr(0, 80)) + ", which the module does not define");
    return nullptr;
  }
  const PtxFunction& f = *found->second;
  if (!f.problem.empty()) {
    problem("calls " + std::string(callee.substr(0, 80)) + ", but " + f.problem);
    return nullptr;
  }
  if (!may_call(f)) return nullptr;
  if (f.parameters.size() != arguments || f.results.size() != results) {
    problem("passes another number of parameters than " + std::string(callee) + " takes");
    return nullptr;
  }
  return &f;
}

// The callee's instructions are put in place of the call, with registers of their own.
void Decoder::call(const PtxStatement& s) {
  std::vector<PtxOperand> results, arguments;
  std::string_view callee;
  for (std::uint32_t k = 0; k < s.count; ++k) {
    const PtxOperand& o = operand(s, k);
    if (o.kind == PtxOperand::Kind::vector) {
      (callee.empty() ? results : arguments) = parts_of(o);
    } else if (callee.empty()) {
      callee = o.name;
    }
  }
  if (callee == "__assertfail" || callee == "vprintf") {
    return system_call(callee == "vprintf", results, arguments);
  }
  Register found;
  if (const Register* r = find_register(callee, found); r != nullptr && r->bytes == 8) {
    return indirect_call(r->slot, results, arguments);
  }
  const PtxFunction* const f = callable(callee, results.size(), arguments.size());
  Frame inner;
  if (f == nullptr || !pass(*f, results, arguments, inner)) return;
  put_in_place(inner);
  problem_.clear();  // of statements inside the callee: each has its own trap
}

bool Decoder::pass(const PtxFunction& f, const std::vector<PtxOperand>& results,
                   const std::vector<PtxOperand>& arguments, Frame& inner) {
  inner.function = &f;
  inner.depth = frame_->depth + 1;
  for (std::size_t k = 0; k < f.parameters.size(); ++k) {
    inner.scopes[0].symbols[f.parameters[k].name] = passed(arguments, k);
  }
  for (std::size_t k = 0; k < f.results.size(); ++k) {
    inner.scopes[0].symbols[f.results[k].name] = passed(results, k);
  }
  if (!problem_.empty()) return false;
  const Place& here = place(*frame_, position_);
  inner.called_from = here.inlined_at;
  if (inner.called_from.empty() && here.position.line > 0) {
    inner.called_from.push_back(here.position);
  }
  return true;
}

std::vector<const PtxFunction*> Decoder::callable_indirectly(
    const std::vector<PtxOperand>& results, const std::vector<PtxOperand>& arguments) {
  if (!addresses_taken_) {
    addresses_taken_.emplace();
    for (const PtxVariable& v : module_.variables) {
      for (const PtxVariable::Address& a : v.addresses) addresses_taken_->insert(a.name);
    }
    for (const PtxFunction& f : module_.functions) {
      for (const PtxStatement& s : f.body) {
        if (s.kind != PtxStatement::Kind::instruction || !s.name.starts_with("mov")) continue;
        for (std::uint32_t k = 0; k < s.count; ++k) {
          addresses_taken_->insert(module_.operands[s.first + k].name);
        }
      }
    }
  }
  const auto fits = [&](const std::vector<PtxVariable>& wanted,
                        const std::vector<PtxOperand>& given) {
    bool all = wanted.size() == given.size();
    for (std::size_t k = 0; all && k < wanted.size(); ++k) {
      all = passed(given, k).bytes == wanted[k].bytes;
    }
    return all;
  };
  std::vector<const PtxFunction*> list;
  for (const PtxFunction& f : module_.functions) {
    if (!f.defined || f.entry || !f.problem.empty() || !addresses_taken_->contains(f.name))
      continue;
    bool runs = false;  // a function that may call itself is not put in place once more
    for (const Frame* frame = frame_; frame != nullptr; frame = frame->outer) {
      runs = runs || frame->function == &f;
    }
    if (!runs && fits(f.results, results) && fits(f.parameters, arguments)) list.push_back(&f);
  }
  return list;
}

// Each function that the address may be of is put in place, for the lanes whose address it is.
void Decoder::indirect_call(std::uint32_t address, const std::vector<PtxOperand>& results,
                            const std::vector<PtxOperand>& arguments) {
  const std::vector<const PtxFunction*> functions = callable_indirectly(results, arguments);
  if (!problem_.empty()) return;
  if (frame_->depth >= kDeepestCall) {
    problem("calls functions through addresses more than " + std::to_string(kDeepestCall) +
            " calls deep, the emulator's limit");
    return;
  }
  const std::uint32_t guard = guard_, flip = guard_flip_;
  const auto go_round = [&](std::uint32_t lanes, std::uint32_t unless) {
    Instruction around;
    around.kind = InstructionKind::branch;
    emit(around);
    kernel_->code.back().guard = lanes;
    kernel_->code.back().guard_flip = unless;
    return kernel_->code.size() - 1;
  };
  const auto lands_here = [&](std::size_t pc) {
    kernel_->code[pc].target = static_cast<std::uint32_t>(kernel_->code.size());
  };
  const std::size_t whole = guard != 0 ? go_round(guard, ~flip) : 0;
  guard_ = guard_flip_ = 0;
  std::vector<std::uint32_t> is;
  std::uint32_t any = 0;
  for (const PtxFunction* f : functions) {
    is.push_back(new_slot(4));
    emit_row("setp.eq.u64", is.back(), address, constant(8, function_address(module_, f->name)));
    const std::uint32_t both = new_slot(4);
    if (any != 0) emit_row("or.pred", both, any, is.back());
    any = any == 0 ? is.back() : both;
  }
  Instruction trap;
  trap.kind = InstructionKind::trap;
  trap.flags = kFlagUnknown;
  trap.extra = static_cast<std::uint32_t>(kernel_->unknown.size());
  kernel_->unknown.emplace_back(
      "call through an address that no function of this kind has, or which "
      "calls itself");
  emit(trap);
  kernel_->code.back().guard = any;
  kernel_->code.back().guard_flip = any == 0 ? 0 : kAllLanes;
  const std::uint32_t source = source_, position = position_;
  for (std::size_t k = 0; k < functions.size(); ++k) {
    source_ = source;
    position_ = position;
    const std::size_t round = go_round(is[k], kAllLanes);
    Frame inner;
    if (pass(*functions[k], results, arguments, inner)) body(inner);
    problem_.clear();
    guard_ = guard_flip_ = 0;
    lands_here(round);
  }
  if (guard != 0) lands_here(whole);
}

void Decoder::put_in_place(Frame& inner) {
  if (guard_ == 0) {
    Instruction marker;
    marker.run = run_nothing;
    emit(marker);
    body(inner);
    return;
  }
  // A guarded call: lanes without it go round.
  Instruction around;
  around.kind = InstructionKind::branch;
  emit(around);
  Instruction& placed = kernel_->code.back();
  placed.guard_flip = ~placed.guard_flip;
  const auto pc = static_cast<std::uint32_t>(kernel_->code.size()) - 1;
  body(inner);
  kernel_->code[pc].target = static_cast<std::uint32_t>(kernel_->code.size());
}

}  // namespace warpscope
