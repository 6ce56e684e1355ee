// profiling/emulator/decode/statement.cpp: one statement to instructions, or to a trap that says
// why it has none.
#include "profiling/emulator/decode/statement.h"

#include <algorithm>

#include "profiling/emulator/decode/emit.h"
#include "profiling/emulator/decode/families.h"
#include "profiling/emulator/decode/function_facts.h"
#include "profiling/emulator/decode/functions.h"
#include "profiling/emulator/decode/operands.h"
#include "profiling/emulator/instructions/warp_instructions.h"
#include "profiling/emulator/warpgroups/products.h"

namespace warpscope {
namespace {

// Five times the largest known kernels, with every call in place. An instruction takes some 300
// bytes, plus one counter per thread.
constexpr std::size_t kMostInstructions = 1 << 19;
// The bytes of opcodes and source positions, which every instruction stores for itself.
constexpr std::size_t kMostTextBytes = 128 << 20;

// Notes what the instructions of a statement, from `first` on, do with values that were never
// written.
void note_undefined_uses(DecodeContext& ctx, const PtxStatement& s, std::size_t first) {
  const std::unordered_set<std::string_view>& guarded = guarded_at_hand(ctx);
  if (guarded.empty()) return;
  const auto runs = [](const Instruction& i, const char* row) {
    return i.run == opcode_table().find(row)->run[0][0][0];
  };
  for (std::size_t k = first; k < ctx.kernel.code.size(); ++k) {
    Instruction& i = ctx.kernel.code[k];
    if (i.kind != InstructionKind::ordinary) continue;
    const bool last = k + 1 == ctx.kernel.code.size();
    if (runs(i, "and.pred")) i.undefined = UndefinedUse::both;
    if (runs(i, "or.pred")) i.undefined = UndefinedUse::either;
    if (runs(i, "not.pred")) i.undefined = UndefinedUse::opposite;
    if (last && s.name.starts_with("setp.") && s.count == 3) i.undefined = UndefinedUse::compare;
    if (last && s.name.starts_with("selp.")) i.undefined = UndefinedUse::choose;
    if (last && s.name.starts_with("ld.") && i.count == 1 &&
        guarded.contains(ctx.module.operands[s.first].name)) {
      i.undefined = UndefinedUse::load;
      ctx.kernel.marks_loads = true;
    }
  }
}

// Long: one line for each family of opcodes.
void decode_opcode(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name) {
  const std::string_view base = name.base();
  if (base == "bra" || base == "brx" || base == "ret" || base == "exit" || base == "trap") {
    decode_branch(ctx, s, name);
  } else if (base == "call") {
    decode_call(ctx, s);
  } else if (base == "bar" || base == "barrier") {
    decode_barrier(ctx, s, name);
  } else if ((base == "st" || base == "red") && name.has("async")) {
    decode_async_store(ctx, s, name);
  } else if (base == "tensormap") {
    decode_tensor_map_edit(ctx, s, name);
  } else if (base == "ld" || base == "ldu" || base == "st") {
    decode_load_store(ctx, s, name);
  } else if (base == "atom" || base == "red") {
    decode_atomic(ctx, s, name);
  } else if (base == "shfl" || base == "vote" || base == "match" || base == "redux" ||
             base == "activemask" || base == "elect") {
    decode_collective(ctx, s, name);
  } else if (base == "cp" && name.has("bulk")) {
    decode_bulk_copy(ctx, s, name);
  } else if (base == "cp" && name.has("mbarrier")) {
    decode_arrive_after_copies(ctx, s, name);
  } else if (base == "cp") {
    decode_async_copy(ctx, s, name);
  } else if (base == "mbarrier") {
    decode_async_barrier(ctx, s, name);
  } else if (base == "ldmatrix" || base == "stmatrix" || base == "movmatrix" || base == "mma") {
    decode_matrix(ctx, s, name);
  } else if (base == "wmma") {
    decode_wmma(ctx, s, name);
  } else if (base == "wgmma") {
    decode_warpgroup(ctx, s, name);
  } else if (base == "setmaxnreg") {
    decode_register_change(ctx, s, name);
  } else if (base == "membar" ||
             (base == "fence" && !name.has("proxy") && !name.has("mbarrier_init"))) {
    Instruction i;
    i.run = run_fence;
    i.subop = name.has("cta") ? 0 : 1;
    emit(ctx, i);
  } else if (base == "fence" && name.has("proxy") && name.has("async")) {
    Instruction i;
    i.run = run_proxy_fence;
    emit(ctx, i);
  } else if (base == "mapa" || base == "getctarank") {
    decode_cluster_address(ctx, s, name);
  } else if (base == "createpolicy") {
    // Opaque, and no emulated figure depends on it: what L2 evicts is not emulated.
    emit_row(ctx, "mov.b64", destination_slot(ctx, s, 0, OperandType::b64),
             constant_slot(ctx, 8, 0));
  } else if (base == "nanosleep") {
    Instruction i;
    i.run = run_sleep;
    i.a = source_slot(ctx, s, 0, OperandType::b32);
    emit(ctx, i);
  } else if (base == "fence" || base == "prefetch" || base == "prefetchu" ||
             base == "applypriority" || base == "discard" || base == "pmevent" ||
             base == "griddepcontrol" || base == "brkpt") {
    // griddepcontrol: a launch that depends on no other waits for none.
    Instruction i;
    i.run = run_nothing;
    emit(ctx, i);
  } else if (is_video(name)) {
    decode_video(ctx, s, name);
  } else {
    decode_arithmetic(ctx, s, name);
  }
}

}  // namespace

void decode_statement(DecodeContext& ctx, CallFrame& frame, const PtxStatement& s) {
  const StatementPlace& p = place_at(ctx, frame, s.position);
  ctx.current.source = static_cast<std::uint32_t>(ctx.kernel.sources.size());
  ctx.text_bytes += s.name.size() + p.position.file.size();
  for (const SourcePosition& at : p.inlined_at) ctx.text_bytes += sizeof at + at.file.size();
  const bool too_much = ctx.text_bytes > kMostTextBytes;
  if (too_much) {
    ctx.kernel.sources.emplace_back();
  } else {
    ctx.kernel.sources.push_back({std::string(s.name), p.position, p.inlined_at, p.line_index});
  }
  const std::size_t code_before = ctx.kernel.code.size(), sites_before = ctx.kernel.sites.size();
  ctx.current.problem.clear();
  ctx.current.guard = ctx.current.guard_flip = 0;
  ctx.current.counted = false;
  ctx.current.position = s.position;
  if (!s.guard.empty()) {
    RegisterSlot found;
    const RegisterSlot* r = find_register(ctx, s.guard, found);
    if (r == nullptr || r->bytes != 0) {
      problem(ctx, "has a guard that is not a predicate");
    } else {
      ctx.current.guard = r->slot;
      ctx.current.guard_flip = s.guard_negated ? kAllLanes : 0;
    }
  }
  const OpcodeName name(s.name);
  const bool unreadable = s.kind == PtxStatement::Kind::unreadable;
  if (unreadable) problem(ctx, ctx.module.problems[s.index]);
  if (too_much || ctx.kernel.code.size() > kMostInstructions)
    problem(ctx, "is one of too many instructions");
  const std::size_t jumps_before = frame.jumps.size(), tables_before = frame.table_jumps.size();
  if (ctx.current.problem.empty()) decode_opcode(ctx, s, name);
  if (ctx.current.problem.empty() && ctx.has_products) note_registers(ctx, s, name);
  if (ctx.current.problem.empty()) note_undefined_uses(ctx, s, code_before);
  if (ctx.current.problem.empty()) return;
  // What was emitted for it is taken back; a trap stands in its place.
  ctx.kernel.code.resize(code_before);
  ctx.kernel.sites.resize(sites_before);
  frame.jumps.resize(jumps_before);
  frame.table_jumps.resize(tables_before);
  while (!frame.returns.empty() && frame.returns.back() >= code_before) frame.returns.pop_back();
  ctx.current.counted = false;
  ctx.kernel.unknown.push_back(unreadable
                                   ? ctx.current.problem
                                   : std::string(s.name.substr(0, 80)) + " " + ctx.current.problem);
  Instruction trap;
  trap.kind = InstructionKind::trap;
  trap.flags = kFlagUnknown;
  trap.extra = static_cast<std::uint32_t>(ctx.kernel.unknown.size()) - 1;
  emit(ctx, trap);
}

}  // namespace warpscope
