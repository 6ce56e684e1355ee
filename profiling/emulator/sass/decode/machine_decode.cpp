// profiling/emulator/sass/decode/machine_decode.cpp: a function of machine code as the instructions
// that the emulator runs.
#include "profiling/emulator/sass/decode/machine_decode.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "profiling/emulator/sass/decode/machine_families.h"
#include "profiling/emulator/state/memory.h"

namespace warpscope {
namespace {

// Bytes of local memory beyond what a kernel's own frame takes: functions that it calls have
// frames too.
constexpr std::int64_t kCalledFrames = 512;
constexpr int kWidestVector = 8;     // registers, of an ordinary instruction
constexpr int kWidestProduct = 128;  // of a product of a warpgroup

// The highest registers that a function names, and what else its layout depends on.
struct Used {
  int general = 0, uniform = 0;
  bool local = false;
  bool calls_system = false;  // CALL.ABS
};
bool is_absolute(const MachineInstruction& i) {
  return std::find(i.modifiers.begin(), i.modifiers.end(), "ABS") != i.modifiers.end();
}
Used used_by(const MachineFunction& function) {
  Used used;
  const auto note = [&](bool uniform, int number, int width) {
    if (number == (uniform ? kZeroUniform : kZeroRegister)) return;
    int& most = uniform ? used.uniform : used.general;
    most = std::max(most, std::min(number + width, uniform ? kZeroUniform : kZeroRegister));
  };
  for (const MachineInstruction& i : function.code) {
    const int width = i.name.ends_with("GMMA") ? kWidestProduct : kWidestVector;
    used.local = used.local || i.name == "LDL" || i.name == "STL" || i.name == "CALL";
    used.calls_system = used.calls_system || (i.name == "CALL" && is_absolute(i));
    for (const MachineOperand& o : i.operands) {
      if (o.is_register()) note(o.kind == OperandKind::uniform, o.number, width);
      for (const AddressTerm& t : o.terms) note(t.uniform, t.number, kWidestVector);
      if (o.descriptor >= 0) note(true, o.descriptor, 4);
    }
  }
  return used;
}

void lay_out(MachineContext& ctx) {
  const Used used = used_by(ctx.function);
  MachineLayout& l = ctx.layout;
  l.zero = new_slots(ctx, 4);  // at 0: what "no slot" means elsewhere reads as zeros
  l.nowhere = new_slots(ctx, kWidestVector);
  l.predicates = new_slots(ctx, 1);
  l.always = new_slots(ctx, 1);
  l.no_predicate = new_slots(ctx, 1);
  l.address = new_slots(ctx, 2);
  l.second_address = new_slots(ctx, 2);
  l.scratch = new_slots(ctx, 16);
  l.votes = new_slots(ctx, 1);
  l.index = new_slots(ctx, 1);
  l.general = new_slots(ctx, used.general + kWidestVector);
  l.uniform = new_slots(ctx, used.uniform + kWidestVector);
  l.barriers = new_slots(ctx, 16);
  ctx.kernel.constants.push_back({l.always, 4, kAllLanes});
  if (used.local) ctx.kernel.local_bytes += kCalledFrames;
  if (used.calls_system) ctx.kernel.local_bytes += kSystemCallBytes;
  ctx.kernel.local_bytes = (ctx.kernel.local_bytes + 15) / 16 * 16;
}

// Names files as the person's own text is named: below the folder that its path is below.
class Places {
 public:
  Places(const MachineFunction& function, std::string main_file)
      : main_file_(std::move(main_file)) {
    for (const MachineInstruction& i : function.code) {
      for (const SourcePosition& p : i.positions) {
        if (p.file.size() > main_file_.size() && p.file.ends_with("/" + main_file_))
          folder_ = p.file.substr(0, p.file.size() - main_file_.size());
      }
    }
  }
  void place(KernelCode& kernel, InstructionSource& source, const MachineInstruction& i) {
    std::vector<SourcePosition> chain = i.positions;
    for (SourcePosition& p : chain) {
      if (!folder_.empty() && p.file.starts_with(folder_)) p.file.erase(0, folder_.size());
    }
    const auto own = std::find_if(chain.begin(), chain.end(),
                                  [&](const SourcePosition& p) { return p.file == main_file_; });
    if (own != chain.end()) {
      source.position = *own;
    } else if (!chain.empty()) {
      source.position = chain.front();
    }
    if (source.position.line > 0) {
      const auto [entry, added] = lines_.try_emplace({source.position.file, source.position.line},
                                                     static_cast<int>(kernel.lines.size()));
      if (added) kernel.lines.push_back(source.position);
      source.line_index = entry->second;
    }
    if (chain.size() > 1) source.inlined_at = std::move(chain);
  }

 private:
  std::string main_file_, folder_;
  std::map<std::pair<std::string, int>, int> lines_;
};

bool decode_guard(MachineContext& ctx) {
  const MachineOperand& guard = ctx.at->guard;
  ctx.guard = ctx.guard_flip = 0;
  if (guard.kind == OperandKind::none) return true;
  ctx.guard = predicate_source(ctx, guard);
  ctx.guard_flip = guard.complement ? kAllLanes : 0;
  if (guard.number == kTruePredicate && !guard.complement) ctx.guard = 0;
  return ctx.problem.empty();
}

void decode_known(MachineContext& ctx) {
  const MachineFamily family = machine_family(ctx, ctx.at->name);
  if (family == nullptr) {
    problem(ctx, "the opcode " + ctx.at->name);
    return;
  }
  if (family(ctx) && !ctx.left.empty()) problem(ctx, "the modifier ." + ctx.left.front());
}

void decode_instruction(MachineContext& ctx, const MachineInstruction& i) {
  ctx.at = &i;
  ctx.problem.clear();
  ctx.uniform = false;
  ctx.left = i.modifiers;
  const std::size_t code = ctx.kernel.code.size(), sites = ctx.kernel.sites.size(),
                    jumps = ctx.jumps.size(), tables = ctx.tables.size();
  const bool good = decode_guard(ctx);
  const std::uint32_t guard = ctx.guard;
  ctx.uses.clear();  // of the guard
  if (good) decode_known(ctx);
  if (ctx.problem.empty()) {
    ctx.kernel.code[code].begins = true;
    return add_flow(ctx, guard);
  }
  // It becomes a trap that says what is not known.
  ctx.kernel.code.resize(code);
  ctx.kernel.sites.resize(sites);
  ctx.jumps.resize(jumps);
  ctx.tables.resize(tables);
  Instruction trap;
  trap.kind = InstructionKind::trap;
  trap.flags = kFlagUnknown;
  trap.extra = static_cast<std::uint32_t>(ctx.kernel.unknown.size());
  ctx.kernel.unknown.push_back(ctx.problem + " in " + i.text);
  const std::string why = ctx.problem;
  ctx.problem.clear();
  decode_guard(ctx);
  emit(ctx, trap);
  ctx.kernel.flows.emplace_back();
}

// Branches get the places of their targets; a register may branch to any instruction.
void link(MachineContext& ctx, const std::vector<std::uint32_t>& pc_of) {
  for (const MachineContext::Jump& jump : ctx.jumps) {
    const std::size_t index = jump.offset / kMachineInstructionBytes;
    Instruction& i = ctx.kernel.code[jump.pc];
    i.target = index < pc_of.size() ? pc_of[index] : pc_of.back();
  }
  if (ctx.tables.empty()) return;
  const auto first = static_cast<std::uint32_t>(ctx.kernel.targets.size());
  ctx.kernel.targets.insert(ctx.kernel.targets.end(), pc_of.begin(), pc_of.end() - 1);
  for (const std::uint32_t pc : ctx.tables) {
    ctx.kernel.code[pc].extra = first;
    ctx.kernel.code[pc].c = static_cast<std::uint32_t>(pc_of.size() - 1);
  }
}

}  // namespace

std::shared_ptr<KernelCode> decode_machine_code(const MachineFunction& function,
                                                const MachineImage& image,
                                                const std::string& main_file, const Dim3& cluster) {
  auto kernel = std::make_shared<KernelCode>();
  kernel->entry = function.name;
  kernel->of_machine_code = true;
  kernel->parameters = image.parameters;
  for (ParameterInfo& p : kernel->parameters) p.offset += parameter_shift(image);
  kernel->parameter_bytes = image.parameter_bytes + parameter_shift(image);
  kernel->static_shared_bytes = image.shared_bytes;
  kernel->local_bytes = image.local_bytes;
  kernel->most_threads = image.most_threads;
  kernel->written.anywhere = true;
  kernel->literals.resize((image.bank_of_literals.size() + 3) / 4);
  if (!kernel->literals.empty())
    std::memcpy(kernel->literals.data(), image.bank_of_literals.data(),
                image.bank_of_literals.size());
  MachineContext ctx{.function = function, .image = image, .kernel = *kernel, .cluster = cluster};
  lay_out(ctx);
  ctx.ends_bulk_groups =
      std::any_of(function.code.begin(), function.code.end(),
                  [](const MachineInstruction& i) { return i.name == "UTMACMDFLUSH"; });
  Places places(function, main_file);
  std::vector<std::uint32_t> pc_of;
  for (const MachineInstruction& i : function.code) {
    pc_of.push_back(static_cast<std::uint32_t>(kernel->code.size()));
    InstructionSource& source = kernel->sources.emplace_back();
    source.opcode = i.opcode;
    places.place(*kernel, source, i);
    decode_instruction(ctx, i);
  }
  // What products of a warpgroup are looked at for, as registers of the source language, is not
  // known here.
  if (kernel->has_warpgroups) kernel->register_uses.resize(kernel->sources.size());
  pc_of.push_back(static_cast<std::uint32_t>(kernel->code.size()));
  // Whatever runs past the end has ended.
  Instruction end;
  end.kind = InstructionKind::exit;
  end.counted = 0;
  kernel->code.push_back(end);
  link(ctx, pc_of);
  kernel->register_bytes = ctx.next_slot;
  return kernel;
}

}  // namespace warpscope
