// profiling/emulator/decode/emit.cpp: instructions that a statement becomes, and what it accesses.
#include "profiling/emulator/decode/emit.h"

#include <utility>

#include "profiling/emulator/instructions/opcode_table.h"
#include "profiling/emulator/instructions/warp_instructions.h"

namespace warpscope {
namespace {

Space traced_space(AddressSpace space) {
  switch (space) {
    case AddressSpace::shared:
      return Space::shared;
    case AddressSpace::local:
      return Space::local;
    case AddressSpace::constant:
      return Space::constant;
    default:
      return Space::global;  // of generic accesses: what is met when they run
  }
}

}  // namespace

bool problem(DecodeContext& ctx, std::string what) {
  if (ctx.current.problem.empty()) ctx.current.problem = std::move(what);
  return false;
}

Instruction& emit(DecodeContext& ctx, Instruction i) {
  i.guard = ctx.current.guard;
  i.guard_flip = ctx.current.guard_flip;
  i.source = ctx.current.source;
  i.counted = ctx.current.counted ? 0 : 1;
  ctx.current.counted = true;
  ctx.kernel.code.push_back(i);
  return ctx.kernel.code.back();
}

Instruction& emit_row(DecodeContext& ctx, const std::string& name, std::uint32_t d, std::uint32_t a,
                      std::uint32_t b, std::uint32_t c) {
  Instruction i;
  const Opcode* row = opcode_table().find(name);
  if (row == nullptr) {
    problem(ctx, "is not known");
    i.run = run_nothing;
    return emit(ctx, i);
  }
  i.run = row->run[0][0][0];
  i.d = d;
  i.a = a;
  i.b = b;
  i.c = c;
  return emit(ctx, i);
}

void add_site(DecodeContext& ctx, Instruction& i, AddressSpace space, AccessKind kind, int width) {
  AccessSite site;
  const InstructionSource& from = ctx.kernel.sources[ctx.current.source];
  site.instruction = ctx.current.source;
  site.space = traced_space(space);
  site.kind = kind;
  site.width_bytes = width;
  site.position = from.position;
  site.inlined_at = from.inlined_at;
  site.text = from.opcode;
  if (i.site == kNoSite) i.site = static_cast<std::uint32_t>(ctx.kernel.sites.size());
  ctx.kernel.sites.push_back(std::move(site));
}

}  // namespace warpscope
