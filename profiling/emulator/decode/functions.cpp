// profiling/emulator/decode/functions.cpp: functions, statements, control flow and calls.
#include <algorithm>

#include "profiling/emulator/decode/control_flow.h"
#include "profiling/emulator/decode/decoder.h"
#include "profiling/emulator/decode/written_memory.h"
#include "profiling/emulator/instructions/warp_instructions.h"

namespace warpscope {
namespace {

constexpr int kDeepestCall = 32;
constexpr const char* kDynamicShared = "dynamic shared memory";
// Five times the largest kernels there are, with every call in place: an instruction takes some 300
// bytes, and as many counters as there are threads.
constexpr std::size_t kMostInstructions = 1 << 19;
// Registers that all functions declare, each as often as it is called: they are listed before they
// are used.
constexpr std::int64_t kMostDeclared = 1 << 24;
// Of opcodes and source positions, which every instruction has for itself.
constexpr std::size_t kMostTextBytes = 128 << 20;

std::int64_t aligned(std::int64_t value, std::int64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

}  // namespace

const std::uint32_t* Decoder::Frame::target_of(const Jump& jump) const {
  for (std::uint32_t scope = jump.scope;; scope = outer_scopes[scope]) {
    if (const auto found = labels.find({scope, jump.label}); found != labels.end()) {
      return &found->second;
    }
    if (scope == 0) return nullptr;
  }
}

bool Decoder::Name::has(std::string_view part) const {
  return std::find(parts.begin(), parts.end(), part) != parts.end();
}

std::shared_ptr<KernelCode> Decoder::decode(const PtxFunction& entry) {
  kernel_ = std::make_shared<KernelCode>();
  kernel_->entry = std::string(entry.name);
  kernel_->most_threads = entry.most_threads;
  // Slot 0 stands for "none", and is where results go that nobody wants.
  kernel_->register_bytes = 256;
  for (std::size_t i = 0; i < module_.globals.size(); ++i) {
    const auto index = static_cast<std::int32_t>(module_.globals[i]);
    module_names_.emplace(module_.variables[static_cast<std::size_t>(index)].name, index);
  }
  for (const PtxFunction& f : module_.functions) {
    if (f.defined) functions_[f.name] = &f;
  }
  for (const auto& [number, path] : module_.files) {
    if (path.size() > main_file_.size() && path.ends_with("/" + main_file_)) {
      folder_ = path.substr(0, path.size() - main_file_.size());
    }
  }
  Frame frame;
  frame.function = &entry;
  std::int64_t offset = 0;
  for (const PtxVariable& p : entry.parameters) {
    offset = aligned(offset, p.alignment);
    Symbol symbol;
    symbol.space = AddressSpace::param;
    symbol.offset = offset;
    symbol.bytes = p.bytes;
    frame.scopes[0].symbols[p.name] = symbol;
    kernel_->parameters.push_back({p.bytes, offset, p.alignment});
    offset += p.bytes;
  }
  kernel_->parameter_bytes = offset;
  body(frame);
  finish(entry);
  return kernel_;
}

void Decoder::body(Frame& frame) {
  Frame* const before = frame_;
  frame_ = &frame;
  for (const PtxStatement& s : frame.function->body) {
    switch (s.kind) {
      case PtxStatement::Kind::open:
        frame.outer_scopes.push_back(frame.scopes.back().number);
        frame.scopes.emplace_back().number =
            static_cast<std::uint32_t>(frame.outer_scopes.size()) - 1;
        break;
      case PtxStatement::Kind::close:
        if (frame.scopes.size() > 1) frame.scopes.pop_back();
        break;
      case PtxStatement::Kind::label:
        frame.labels[{frame.scopes.back().number, s.name}] =
            static_cast<std::uint32_t>(kernel_->code.size());
        break;
      case PtxStatement::Kind::targets:
        frame.tables[s.name] = &s;
        break;
      case PtxStatement::Kind::registers:
        declare(frame, s);
        break;
      case PtxStatement::Kind::variable:
        variable(frame, module_.variables[s.index], static_cast<std::int32_t>(s.index));
        break;
      case PtxStatement::Kind::instruction:
      case PtxStatement::Kind::unreadable:
        instruction(frame, s);
        break;
    }
  }
  // The end of a function returns.
  Instruction end;
  end.kind = frame.depth == 0 ? InstructionKind::exit : InstructionKind::ordinary;
  end.run = run_nothing;
  end.counted = 0;
  end.source =
      kernel_->sources.empty() ? 0 : static_cast<std::uint32_t>(kernel_->sources.size()) - 1;
  if (kernel_->sources.empty()) kernel_->sources.emplace_back();
  const auto end_pc = static_cast<std::uint32_t>(kernel_->code.size());
  kernel_->code.push_back(end);
  for (const std::uint32_t pc : frame.returns) kernel_->code[pc].target = end_pc;
  const auto has_no_target = [&](Instruction& i, const Frame::Jump& jump) {
    i.kind = InstructionKind::trap;
    i.flags |= flag_unknown;
    i.extra = static_cast<std::uint32_t>(kernel_->unknown.size());
    kernel_->unknown.push_back(kernel_->sources[i.source].opcode + " goes to " +
                               std::string(jump.label.substr(0, 80)) + ", which is not there");
  };
  for (const Frame::Jump& jump : frame.jumps) {
    const std::uint32_t* const found = frame.target_of(jump);
    Instruction& i = kernel_->code[jump.pc];
    if (found != nullptr) {
      i.target = *found;
    } else {
      has_no_target(i, jump);
    }
  }
  for (const Frame::Jump& jump : frame.table_jumps) {
    const std::uint32_t* const found = frame.target_of(jump);
    kernel_->targets[jump.pc] = found != nullptr ? *found : end_pc;
    if (found != nullptr) continue;
    for (Instruction& i : kernel_->code) {
      const bool of_table = i.kind == InstructionKind::branch_table && jump.pc - i.extra < i.c;
      if (of_table) has_no_target(i, jump);
    }
  }
  frame_ = before;
}

void Decoder::declare(Frame& frame, const PtxStatement& s) {
  const int type_bytes = ptx_type_bytes(s.name);
  const std::uint8_t bytes = s.name == "pred" ? 0 : type_bytes == 8 ? 8 : 4;
  for (std::uint32_t k = 0; k < s.count; ++k) {
    const PtxOperand& o = module_.operands[s.first + k];
    if (o.value == 0) {
      frame.scopes.back().single[o.name] = {0, bytes};
    } else {
      declared_ += o.value;
      const std::int64_t count = declared_ > kMostDeclared ? 0 : o.value;
      frame.scopes.back().ranges[o.name] = {
          bytes, std::vector<std::uint32_t>(static_cast<std::size_t>(count), 0)};
    }
  }
}

void Decoder::variable(Frame& frame, const PtxVariable& v, std::int32_t index) {
  Symbol symbol;
  symbol.bytes = v.bytes;
  switch (v.space) {
    case PtxSpace::shared:
      symbol.space = AddressSpace::shared;
      if (v.external || v.bytes == 0) {
        symbol.dynamic = true;
        dynamic_alignment_ = std::max(dynamic_alignment_, v.alignment);
      } else {
        symbol.offset = aligned(kernel_->static_shared_bytes, v.alignment);
        kernel_->static_shared_bytes = symbol.offset + v.bytes;
        kernel_->shared_variables.push_back(
            {std::string(v.name), symbol.offset, v.bytes, v.element_bytes});
      }
      break;
    case PtxSpace::local:
    case PtxSpace::param:
      symbol.space = AddressSpace::local;
      symbol.parameter = v.space == PtxSpace::param;
      symbol.offset = aligned(kernel_->local_bytes, std::max<std::int64_t>(v.alignment, 8));
      kernel_->local_bytes = symbol.offset + v.bytes;
      break;
    case PtxSpace::global:
    case PtxSpace::constant:
      symbol.space = v.space == PtxSpace::global ? AddressSpace::global : AddressSpace::constant;
      symbol.variable = index;
      break;
    default:
      return;
  }
  frame.scopes.back().symbols[v.name] = symbol;
}

SourcePosition Decoder::shown(const PtxPosition& position) const {
  const auto found = module_.files.find(position.file);
  std::string file = found == module_.files.end() ? main_file_ : found->second;
  if (!folder_.empty() && file.starts_with(folder_)) file = file.substr(folder_.size());
  return {file, position.line, position.column};
}

// Walks outward from the innermost function to the first line of the person's own text.
const Decoder::Place& Decoder::place(Frame& frame, std::uint32_t position) {
  const auto known = frame.sources.find(position);
  if (known != frame.sources.end()) return places_[known->second];
  Place p;
  std::vector<SourcePosition> chain;
  for (int at = static_cast<int>(position); at > 0 && chain.size() < 64;
       at = module_.positions[static_cast<std::size_t>(at)].outer) {
    chain.push_back(shown(module_.positions[static_cast<std::size_t>(at)]));
  }
  chain.insert(chain.end(), frame.called_from.begin(), frame.called_from.end());
  const auto own = std::find_if(chain.begin(), chain.end(),
                                [&](const SourcePosition& s) { return s.file == main_file_; });
  if (own != chain.end()) {
    p.position = *own;
  } else if (!chain.empty()) {
    p.position = chain.front();
  }
  if (chain.size() > 1) p.inlined_at = chain;
  if (p.position.line > 0) {
    const auto [entry, added] = line_indices_.try_emplace({p.position.file, p.position.line},
                                                          static_cast<int>(kernel_->lines.size()));
    if (added) {
      SourcePosition line = p.position;
      line.column = 0;
      kernel_->lines.push_back(line);
    }
    p.line_index = entry->second;
  }
  frame.sources[position] = static_cast<std::uint32_t>(places_.size());
  places_.push_back(std::move(p));
  return places_.back();
}

bool Decoder::problem(std::string what) {
  if (problem_.empty()) problem_ = std::move(what);
  return false;
}

const PtxOperand& Decoder::operand(const PtxStatement& s, std::uint32_t k) {
  static const PtxOperand none{.kind = PtxOperand::Kind::other};
  if (k >= s.count) {
    problem("has too few operands");
    return none;
  }
  return module_.operands[s.first + k];
}

Instruction& Decoder::emit(Instruction i) {
  i.guard = guard_;
  i.guard_flip = guard_flip_;
  i.source = source_;
  i.counted = counted_ ? 0 : 1;
  counted_ = true;
  kernel_->code.push_back(i);
  return kernel_->code.back();
}

Instruction& Decoder::emit_row(const std::string& name, std::uint32_t d, std::uint32_t a,
                               std::uint32_t b, std::uint32_t c) {
  Instruction i;
  const Opcode* row = opcode_table().find(name);
  if (row == nullptr) {
    problem("is not known");
    i.run = run_nothing;
    return emit(i);
  }
  i.run = row->run[0][0][0];
  i.d = d;
  i.a = a;
  i.b = b;
  i.c = c;
  return emit(i);
}

void Decoder::instruction(Frame& frame, const PtxStatement& s) {
  const Place& p = place(frame, s.position);
  source_ = static_cast<std::uint32_t>(kernel_->sources.size());
  text_bytes_ += s.name.size() + p.position.file.size();
  for (const SourcePosition& at : p.inlined_at) text_bytes_ += sizeof at + at.file.size();
  const bool too_much = text_bytes_ > kMostTextBytes;
  if (too_much) {
    kernel_->sources.emplace_back();
  } else {
    kernel_->sources.push_back({std::string(s.name), p.position, p.inlined_at, p.line_index});
  }
  const std::size_t code_before = kernel_->code.size(), sites_before = kernel_->sites.size();
  problem_.clear();
  guard_ = guard_flip_ = 0;
  counted_ = false;
  position_ = s.position;
  if (!s.guard.empty()) {
    Register found;
    const Register* r = find_register(s.guard, found);
    if (r == nullptr || r->bytes != 0) {
      problem("has a guard that is no predicate");
    } else {
      guard_ = r->slot;
      guard_flip_ = s.guard_negated ? kAllLanes : 0;
    }
  }
  Name name;
  std::string_view rest = s.name;
  while (!rest.empty()) {
    const std::size_t dot = rest.find('.', 1);
    name.parts.push_back(rest.substr(0, dot));
    rest = dot == std::string_view::npos ? std::string_view{} : rest.substr(dot + 1);
  }
  if (name.parts.empty()) name.parts.emplace_back("");
  const bool unreadable = s.kind == PtxStatement::Kind::unreadable;
  if (unreadable) problem(module_.problems[s.index]);
  if (too_much || kernel_->code.size() > kMostInstructions)
    problem("is one of too many instructions");
  const std::size_t jumps_before = frame.jumps.size(), tables_before = frame.table_jumps.size();
  if (problem_.empty()) decode_one(s, name);
  if (problem_.empty()) return;
  // What was emitted for it is taken back; a trap stands in its place.
  kernel_->code.resize(code_before);
  kernel_->sites.resize(sites_before);
  frame.jumps.resize(jumps_before);
  frame.table_jumps.resize(tables_before);
  while (!frame.returns.empty() && frame.returns.back() >= code_before) frame.returns.pop_back();
  counted_ = false;
  kernel_->unknown.push_back(unreadable ? problem_
                                        : std::string(s.name.substr(0, 80)) + " " + problem_);
  Instruction trap;
  trap.kind = InstructionKind::trap;
  trap.flags = flag_unknown;
  trap.extra = static_cast<std::uint32_t>(kernel_->unknown.size()) - 1;
  emit(trap);
}

void Decoder::decode_one(const PtxStatement& s, const Name& name) {
  const std::string_view base = name.base();
  if (base == "bra" || base == "brx" || base == "ret" || base == "exit" || base == "trap") {
    control(s, name);
  } else if (base == "call") {
    call(s);
  } else if (base == "bar" || base == "barrier") {
    barrier(s, name);
  } else if (base == "ld" || base == "ldu" || base == "st") {
    load_store(s, name);
  } else if (base == "atom" || base == "red") {
    atomic(s, name);
  } else if (base == "shfl" || base == "vote" || base == "match" || base == "redux" ||
             base == "activemask" || base == "elect") {
    collective(s, name);
  } else if (base == "cp" && name.has("bulk")) {
    bulk_copy(s, name);
  } else if (base == "cp" && name.has("mbarrier")) {
    arrive_after_copies(s, name);
  } else if (base == "cp") {
    async_copy(s, name);
  } else if (base == "mbarrier") {
    async_barrier(s, name);
  } else if (base == "ldmatrix" || base == "stmatrix" || base == "mma") {
    matrix(s, name);
  } else if (base == "wmma") {
    wmma(s, name);
  } else if (base == "membar" ||
             (base == "fence" && !name.has("proxy") && !name.has("mbarrier_init"))) {
    Instruction i;
    i.run = run_fence;
    i.subop = name.has("cta") ? 0 : 1;
    emit(i);
  } else if (base == "nanosleep") {
    Instruction i;
    i.run = run_sleep;
    i.a = source(operand(s, 0), OperandType::b32);
    emit(i);
  } else if (base == "fence" || base == "prefetch" || base == "prefetchu" ||
             base == "applypriority" || base == "discard" || base == "pmevent" ||
             base == "setmaxnreg" || base == "brkpt") {
    Instruction i;
    i.run = run_nothing;
    emit(i);
  } else {
    arithmetic(s, name);
  }
}

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

void Decoder::barrier(const PtxStatement& s, const Name& name) {
  Instruction i;
  if (name.has("warp")) {
    i.kind = InstructionKind::collective;
    i.run = run_warp_barrier;
    i.c = source(operand(s, 0), OperandType::b32);
    if (operand(s, 0).kind == PtxOperand::Kind::integer) i.flags |= flag_one_mask;
    emit(i);
    return;
  }
  if (name.has("cluster")) {
    problem("works on clusters, which the emulator does not have");
    return;
  }
  i.kind = InstructionKind::barrier;
  if (name.has("red")) {
    const bool count = name.has("popc");
    i.subop = static_cast<std::uint8_t>(count             ? BarrierAction::reduce_popc
                                        : name.has("and") ? BarrierAction::reduce_and
                                                          : BarrierAction::reduce_or);
    i.d = destination(operand(s, 0), count ? OperandType::b32 : OperandType::predicate);
    i.a = source(operand(s, 1), OperandType::b32);
    if (s.count > 3) i.b = source(operand(s, 2), OperandType::b32);
    bool negated = false;
    i.c = source_predicate(operand(s, s.count - 1), &negated);
    if (negated) i.flags |= flag_negated;
  } else {
    i.subop =
        static_cast<std::uint8_t>(name.has("arrive") ? BarrierAction::arrive : BarrierAction::sync);
    i.a = s.count > 0 ? source(operand(s, 0), OperandType::b32) : constant(4, 0);
    if (s.count > 1) i.b = source(operand(s, 1), OperandType::b32);
  }
  emit(i);
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
  const auto parameter = [&](const std::vector<PtxOperand>& list, std::size_t k) {
    const Symbol* symbol = k < list.size() ? find_symbol(list[k].name) : nullptr;
    if (symbol == nullptr || !symbol->parameter) {
      problem("passes something else than parameters");
      return Symbol{};
    }
    return *symbol;
  };
  if (callee == "__assertfail" || callee == "vprintf") {
    Instruction i;
    i.kind = callee == "vprintf" ? InstructionKind::print : InstructionKind::assertion;
    i.extra = static_cast<std::uint32_t>(kernel_->slots.size());
    const std::size_t wanted = callee == "vprintf" ? 2 : 3;
    for (std::size_t k = 0; k < wanted; ++k) {
      kernel_->slots.push_back(static_cast<std::uint32_t>(parameter(arguments, k).offset));
    }
    if (callee == "vprintf") {
      kernel_->slots.push_back(static_cast<std::uint32_t>(
          results.empty() ? 0xffffffffll : parameter(results, 0).offset));
    }
    emit(i);
    return;
  }
  const auto found = functions_.find(callee);
  if (found == functions_.end()) {
    problem("calls " + std::string(callee.substr(0, 80)) + ", which the module does not define");
    return;
  }
  const PtxFunction& f = *found->second;
  if (!f.problem.empty()) {
    problem("calls " + std::string(callee.substr(0, 80)) + ", but " + f.problem);
    return;
  }
  if (frame_->depth >= kDeepestCall) {
    problem("calls too deeply: recursion is not emulated");
    return;
  }
  if (f.parameters.size() != arguments.size() || f.results.size() != results.size()) {
    problem("passes another number of parameters than " + std::string(callee) + " takes");
    return;
  }
  Frame inner;
  inner.function = &f;
  inner.depth = frame_->depth + 1;
  for (std::size_t k = 0; k < f.parameters.size(); ++k) {
    inner.scopes[0].symbols[f.parameters[k].name] = parameter(arguments, k);
  }
  for (std::size_t k = 0; k < f.results.size(); ++k) {
    inner.scopes[0].symbols[f.results[k].name] = parameter(results, k);
  }
  if (!problem_.empty()) return;
  const Place& here = place(*frame_, position_);
  inner.called_from = here.inlined_at;
  if (inner.called_from.empty() && here.position.line > 0) {
    inner.called_from.push_back(here.position);
  }
  if (guard_ != 0) {
    // A guarded call: lanes without it go round.
    Instruction around;
    around.kind = InstructionKind::branch;
    emit(around);
    Instruction& placed = kernel_->code.back();
    placed.guard_flip = ~placed.guard_flip;
    const auto pc = static_cast<std::uint32_t>(kernel_->code.size()) - 1;
    body(inner);
    kernel_->code[pc].target = static_cast<std::uint32_t>(kernel_->code.size());
  } else {
    Instruction marker;
    marker.run = run_nothing;
    emit(marker);
    body(inner);
  }
  problem_.clear();  // of statements inside the callee: each has its own trap
}

void Decoder::finish(const PtxFunction& entry) {
  static_cast<void>(entry);
  const std::int64_t start = aligned(kernel_->static_shared_bytes, dynamic_alignment_);
  if (!dynamic_slots_.empty()) {
    kernel_->static_shared_bytes = start;
    kernel_->shared_variables.push_back({kDynamicShared, start, 0, 1});
  }
  for (const auto& [source, name] : shared_symbols_) {
    const std::string_view wanted = name.empty() ? std::string_view(kDynamicShared) : name;
    int index = -1, same = 0;
    for (std::size_t k = 0; k < kernel_->shared_variables.size(); ++k) {
      if (kernel_->shared_variables[k].name != wanted) continue;
      index = static_cast<int>(k);
      ++same;
    }
    // A function that was inlined twice has an array of one name twice.
    if (same == 1) kernel_->sources[source].shared_variable = index;
  }
  for (const DynamicSlot& d : dynamic_slots_) {
    kernel_->constants.push_back(
        {d.slot, static_cast<std::uint8_t>(d.bytes), static_cast<std::uint64_t>(start + d.addend)});
  }
  kernel_->local_bytes = aligned(kernel_->local_bytes, 16);
  find_written_memory(*kernel_);
  place_joins(*kernel_);
}

}  // namespace warpscope
