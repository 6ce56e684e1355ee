// profiling/emulator/decode/statement.cpp: one statement to instructions, or to a trap that says
// why it has none.
#include <algorithm>

#include "profiling/emulator/decode/decoder.h"
#include "profiling/emulator/instructions/warp_instructions.h"
#include "profiling/emulator/ptx/guarded_registers.h"
#include "profiling/emulator/warpgroups/products.h"

namespace warpscope {
namespace {

// Five times the largest kernels there are, with every call in place: an instruction takes some 300
// bytes, and as many counters as there are threads.
constexpr std::size_t kMostInstructions = 1 << 19;
// Of opcodes and source positions, which every instruction has for itself.
constexpr std::size_t kMostTextBytes = 128 << 20;

}  // namespace

bool Decoder::Name::has(std::string_view part) const {
  return std::find(parts.begin(), parts.end(), part) != parts.end();
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
      problem("has a guard that is not a predicate");
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
  if (problem_.empty() && has_products_) note_registers(s, name);
  if (problem_.empty()) note_undefined_uses(s, code_before);
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
  trap.flags = kFlagUnknown;
  trap.extra = static_cast<std::uint32_t>(kernel_->unknown.size()) - 1;
  emit(trap);
}

void Decoder::note_undefined_uses(const PtxStatement& s, std::size_t first) {
  const auto [entry, added] = guarded_.try_emplace(frame_->function);
  if (added) entry->second = guarded_registers(module_, *frame_->function);
  if (entry->second.empty()) return;
  const auto runs = [](const Instruction& i, const char* row) {
    return i.run == opcode_table().find(row)->run[0][0][0];
  };
  for (std::size_t k = first; k < kernel_->code.size(); ++k) {
    Instruction& i = kernel_->code[k];
    if (i.kind != InstructionKind::ordinary) continue;
    const bool last = k + 1 == kernel_->code.size();
    if (runs(i, "and.pred")) i.undefined = UndefinedUse::both;
    if (runs(i, "or.pred")) i.undefined = UndefinedUse::either;
    if (runs(i, "not.pred")) i.undefined = UndefinedUse::opposite;
    if (last && s.name.starts_with("setp.") && s.count == 3) i.undefined = UndefinedUse::compare;
    if (last && s.name.starts_with("selp.")) i.undefined = UndefinedUse::choose;
    if (last && s.name.starts_with("ld.") && i.count == 1 &&
        entry->second.count(module_.operands[s.first].name) != 0) {
      i.undefined = UndefinedUse::load;
      kernel_->has_guarded_loads = true;
    }
  }
}

// Long: one line for each family of opcodes.
void Decoder::decode_one(const PtxStatement& s, const Name& name) {
  const std::string_view base = name.base();
  if (base == "bra" || base == "brx" || base == "ret" || base == "exit" || base == "trap") {
    control(s, name);
  } else if (base == "call") {
    call(s);
  } else if (base == "bar" || base == "barrier") {
    barrier(s, name);
  } else if ((base == "st" || base == "red") && name.has("async")) {
    store_async(s, name);
  } else if (base == "tensormap") {
    tensor_map_edit(s, name);
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
  } else if (base == "ldmatrix" || base == "stmatrix" || base == "movmatrix" || base == "mma") {
    matrix(s, name);
  } else if (base == "wmma") {
    wmma(s, name);
  } else if (base == "wgmma") {
    warpgroup(s, name);
  } else if (base == "setmaxnreg") {
    set_registers(s, name);
  } else if (base == "membar" ||
             (base == "fence" && !name.has("proxy") && !name.has("mbarrier_init"))) {
    Instruction i;
    i.run = run_fence;
    i.subop = name.has("cta") ? 0 : 1;
    emit(i);
  } else if (base == "fence" && name.has("proxy") && name.has("async")) {
    Instruction i;
    i.run = run_proxy_fence;
    emit(i);
  } else if (base == "mapa" || base == "getctarank") {
    cluster_address(s, name);
  } else if (base == "createpolicy") {
    // Opaque, and no emulated figure depends on it: what L2 evicts is not emulated.
    emit_row("mov.b64", destination(operand(s, 0), OperandType::b64), constant(8, 0));
  } else if (base == "nanosleep") {
    Instruction i;
    i.run = run_sleep;
    i.a = source(operand(s, 0), OperandType::b32);
    emit(i);
  } else if (base == "fence" || base == "prefetch" || base == "prefetchu" ||
             base == "applypriority" || base == "discard" || base == "pmevent" ||
             base == "griddepcontrol" || base == "brkpt") {
    // griddepcontrol: a launch that depends on no other waits for none.
    Instruction i;
    i.run = run_nothing;
    emit(i);
  } else if (is_video(name)) {
    video(s, name);
  } else {
    arithmetic(s, name);
  }
}

}  // namespace warpscope
