// profiling/emulator/decode/function_facts.cpp: what a function's text says of its registers.
#include "profiling/emulator/decode/function_facts.h"

#include "profiling/emulator/decode/operands.h"
#include "profiling/emulator/ptx/guarded_registers.h"
#include "profiling/emulator/ptx/provenance.h"
#include "profiling/emulator/ptx/uniformity.h"

namespace warpscope {
namespace {

FunctionFacts& facts_at_hand(DecodeContext& ctx) { return ctx.facts[ctx.frame->function]; }

}  // namespace

bool is_read(DecodeContext& ctx, std::string_view result) {
  if (result == "_") return false;
  std::optional<std::unordered_map<std::string_view, int>>& mentions = facts_at_hand(ctx).mentions;
  if (!mentions) {
    mentions.emplace();
    for (const PtxStatement& s : ctx.frame->function->body) {
      if (s.kind != PtxStatement::Kind::instruction) continue;
      ++(*mentions)[s.guard];
      for (std::uint32_t k = 0; k < s.count; ++k) {
        for (const PtxOperand& o : operand_parts(ctx, ctx.module.operands[s.first + k])) {
          ++(*mentions)[o.name];
          ++(*mentions)[o.second];
          if (o.kind != PtxOperand::Kind::address) continue;
          for (std::uint32_t c = 0; c < o.count; ++c) {
            ++(*mentions)[ctx.module.operands[o.first + c].name];
          }
        }
      }
    }
  }
  return (*mentions)[result] > 1;
}

bool differs_by_lane(DecodeContext& ctx, const PtxOperand& o) {
  auto& registers = facts_at_hand(ctx).lane_dependent;
  if (!registers) registers = lane_dependent_registers(ctx.module, *ctx.frame->function);
  return registers->contains(o.name);
}

const std::unordered_set<std::string_view>& guarded_at_hand(DecodeContext& ctx) {
  auto& registers = facts_at_hand(ctx).guarded;
  if (!registers) registers = guarded_registers(ctx.module, *ctx.frame->function);
  return *registers;
}

const std::unordered_map<std::string_view, std::string_view>& provenance_at_hand(
    DecodeContext& ctx) {
  auto& arrays = facts_at_hand(ctx).provenance;
  if (!arrays) arrays = shared_provenance(ctx.module, *ctx.frame->function);
  return *arrays;
}

}  // namespace warpscope
