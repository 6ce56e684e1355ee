// profiling/emulator/decode/functions.cpp: functions, what they declare, and where they stand in a
// text.
#include "profiling/emulator/decode/functions.h"

#include <algorithm>

#include "profiling/emulator/decode/context.h"
#include "profiling/emulator/decode/control_flow.h"
#include "profiling/emulator/decode/decode.h"
#include "profiling/emulator/decode/statement.h"
#include "profiling/emulator/decode/written_memory.h"
#include "profiling/emulator/instructions/warp_instructions.h"
#include "profiling/emulator/ptx/symbol_name.h"
#include "profiling/emulator/warpgroups/written_products.h"

namespace warpscope {
namespace {

// Registers that all functions declare, each as often as it is called: they are listed before they
// are used.
constexpr std::int64_t kMostDeclared = 1 << 24;

std::int64_t aligned(std::int64_t value, std::int64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

// Null: there is no such label in the scope of the jump or around it.
const std::uint32_t* target_of(const CallFrame& frame, const CallFrame::Jump& jump) {
  for (std::uint32_t scope = jump.scope;; scope = frame.outer_scopes[scope]) {
    if (const auto found = frame.labels.find({scope, jump.label}); found != frame.labels.end()) {
      return &found->second;
    }
    if (scope == 0) return nullptr;
  }
}

// Jumps to labels that are not there become traps.
void set_targets(DecodeContext& ctx, const CallFrame& frame, std::uint32_t end_pc) {
  const auto has_no_target = [&](Instruction& i, const CallFrame::Jump& jump) {
    i.kind = InstructionKind::trap;
    i.flags |= kFlagUnknown;
    i.extra = static_cast<std::uint32_t>(ctx.kernel.unknown.size());
    ctx.kernel.unknown.push_back(ctx.kernel.sources[i.source].opcode + " goes to " +
                                 std::string(jump.label.substr(0, 80)) + ", which is not there");
  };
  for (const CallFrame::Jump& jump : frame.jumps) {
    const std::uint32_t* const found = target_of(frame, jump);
    Instruction& i = ctx.kernel.code[jump.pc];
    if (found != nullptr) {
      i.target = *found;
    } else {
      has_no_target(i, jump);
    }
  }
  for (const CallFrame::Jump& jump : frame.table_jumps) {
    const std::uint32_t* const found = target_of(frame, jump);
    ctx.kernel.targets[jump.pc] = found != nullptr ? *found : end_pc;
    if (found != nullptr) continue;
    for (Instruction& i : ctx.kernel.code) {
      const bool of_table = i.kind == InstructionKind::branch_table && jump.pc - i.extra < i.c;
      if (of_table) has_no_target(i, jump);
    }
  }
}

void declare_registers(DecodeContext& ctx, CallFrame& frame, const PtxStatement& s) {
  const int type_bytes = ptx_type_bytes(s.name);
  const std::uint8_t bytes = s.name == "pred" ? 0 : type_bytes == 8 ? 8 : 4;
  for (std::uint32_t k = 0; k < s.count; ++k) {
    const PtxOperand& o = ctx.module.operands[s.first + k];
    if (o.value == 0) {
      frame.scopes.back().single[o.name] = {0, bytes};
    } else {
      ctx.declared_registers += o.value;
      const std::int64_t count = ctx.declared_registers > kMostDeclared ? 0 : o.value;
      frame.scopes.back().ranges[o.name] = {
          bytes, std::vector<std::uint32_t>(static_cast<std::size_t>(count), 0)};
    }
  }
}

SourcePosition shown_position(const DecodeContext& ctx, const PtxPosition& position) {
  const auto found = ctx.module.files.find(position.file);
  std::string file = found == ctx.module.files.end() ? ctx.main_file : found->second;
  if (!ctx.folder.empty() && file.starts_with(ctx.folder)) file = file.substr(ctx.folder.size());
  return {file, position.line, position.column};
}

void finish_kernel(DecodeContext& ctx) {
  const std::int64_t start = aligned(ctx.kernel.static_shared_bytes, ctx.symbols.dynamic_alignment);
  if (!ctx.symbols.dynamic_slots.empty()) {
    ctx.kernel.static_shared_bytes = start;
    ctx.kernel.shared_variables.push_back({kDynamicShared, start, 0, 1, {}});
  }
  for (const auto& [source, name] : ctx.symbols.of_sources) {
    const std::string_view wanted = name.empty() ? std::string_view(kDynamicShared) : name;
    int index = -1, same = 0;
    for (std::size_t k = 0; k < ctx.kernel.shared_variables.size(); ++k) {
      if (ctx.kernel.shared_variables[k].name != wanted) continue;
      index = static_cast<int>(k);
      ++same;
    }
    // A function that was inlined twice has an array of one name twice.
    if (same == 1) ctx.kernel.sources[source].shared_variable = index;
  }
  for (KernelCode::SharedVariable& v : ctx.kernel.shared_variables) {
    v.name = shown_name(v.name);
    const auto found = ctx.module.arrays.find(v.name.substr(v.name.rfind(':') + 1));
    if (found == ctx.module.arrays.end()) continue;
    v.source = found->second;
    if (const std::int64_t bytes = element_bytes(v.source, v.bytes); bytes > 0)
      v.element_bytes = bytes;
  }
  for (const ModuleSymbols::DynamicSlot& d : ctx.symbols.dynamic_slots) {
    ctx.kernel.constants.push_back(
        {d.slot, static_cast<std::uint8_t>(d.bytes), static_cast<std::uint64_t>(start + d.addend)});
  }
  ctx.kernel.local_bytes = aligned(ctx.kernel.local_bytes, 16);
  find_written_memory(ctx.kernel);
  place_joins(ctx.kernel);
  ctx.kernel.register_uses.resize(ctx.has_products ? ctx.kernel.sources.size() : 0);
  find_written_products(ctx.kernel);
}

}  // namespace

void decode_body(DecodeContext& ctx, CallFrame& frame) {
  CallFrame* const before = ctx.frame;
  frame.outer = before;
  ctx.frame = &frame;
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
            static_cast<std::uint32_t>(ctx.kernel.code.size());
        break;
      case PtxStatement::Kind::targets:
        frame.tables[s.name] = &s;
        break;
      case PtxStatement::Kind::registers:
        declare_registers(ctx, frame, s);
        break;
      case PtxStatement::Kind::variable:
        declare_variable(ctx, frame, ctx.module.variables[s.index],
                         static_cast<std::int32_t>(s.index));
        break;
      case PtxStatement::Kind::instruction:
      case PtxStatement::Kind::unreadable:
        decode_statement(ctx, frame, s);
        break;
    }
  }
  // The end of a function returns.
  Instruction end;
  end.kind = frame.depth == 0 ? InstructionKind::exit : InstructionKind::ordinary;
  end.run = run_nothing;
  end.counted = 0;
  end.source =
      ctx.kernel.sources.empty() ? 0 : static_cast<std::uint32_t>(ctx.kernel.sources.size()) - 1;
  if (ctx.kernel.sources.empty()) ctx.kernel.sources.emplace_back();
  const auto end_pc = static_cast<std::uint32_t>(ctx.kernel.code.size());
  ctx.kernel.code.push_back(end);
  for (const std::uint32_t pc : frame.returns) ctx.kernel.code[pc].target = end_pc;
  set_targets(ctx, frame, end_pc);
  ctx.frame = before;
}

void declare_variable(DecodeContext& ctx, CallFrame& frame, const PtxVariable& v,
                      std::int32_t index) {
  SymbolPlace symbol;
  symbol.bytes = v.bytes;
  switch (v.space) {
    case PtxSpace::shared:
      symbol.space = AddressSpace::shared;
      if (v.external || v.bytes == 0) {
        symbol.dynamic = true;
        ctx.symbols.dynamic_alignment = std::max(ctx.symbols.dynamic_alignment, v.alignment);
      } else {
        symbol.offset = aligned(ctx.kernel.static_shared_bytes, v.alignment);
        ctx.kernel.static_shared_bytes = symbol.offset + v.bytes;
        ctx.kernel.shared_variables.push_back(
            {std::string(v.name), symbol.offset, v.bytes, v.element_bytes, {}});
      }
      break;
    case PtxSpace::local:
    case PtxSpace::param:
      symbol.space = AddressSpace::local;
      symbol.parameter = v.space == PtxSpace::param;
      symbol.offset = aligned(ctx.kernel.local_bytes, std::max<std::int64_t>(v.alignment, 8));
      ctx.kernel.local_bytes = symbol.offset + v.bytes;
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

// Walks outward from the innermost function to the first line of the person's own text.
const StatementPlace& place_at(DecodeContext& ctx, CallFrame& frame, std::uint32_t position) {
  const auto known = frame.sources.find(position);
  if (known != frame.sources.end()) return ctx.places[known->second];
  StatementPlace p;
  std::vector<SourcePosition> chain;
  for (int at = static_cast<int>(position); at > 0 && chain.size() < 64;
       at = ctx.module.positions[static_cast<std::size_t>(at)].outer) {
    chain.push_back(shown_position(ctx, ctx.module.positions[static_cast<std::size_t>(at)]));
  }
  chain.insert(chain.end(), frame.called_from.begin(), frame.called_from.end());
  const auto own = std::find_if(chain.begin(), chain.end(),
                                [&](const SourcePosition& s) { return s.file == ctx.main_file; });
  if (own != chain.end()) {
    p.position = *own;
  } else if (!chain.empty()) {
    p.position = chain.front();
  }
  if (chain.size() > 1) p.inlined_at = chain;
  if (p.position.line > 0) {
    const auto [entry, added] = ctx.line_indices.try_emplace(
        {p.position.file, p.position.line}, static_cast<int>(ctx.kernel.lines.size()));
    if (added) {
      SourcePosition line = p.position;
      line.column = 0;
      ctx.kernel.lines.push_back(line);
    }
    p.line_index = entry->second;
  }
  frame.sources[position] = static_cast<std::uint32_t>(ctx.places.size());
  ctx.places.push_back(std::move(p));
  return ctx.places.back();
}

std::shared_ptr<KernelCode> decode_kernel(const PtxModule& module, const std::string& main_file,
                                          const PtxFunction& entry) {
  auto kernel = std::make_shared<KernelCode>();
  DecodeContext ctx{.module = module, .kernel = *kernel, .main_file = main_file};
  ctx.kernel.entry = std::string(entry.name);
  ctx.kernel.most_threads = entry.most_threads;
  // Slot 0 stands for "none", and is where results go that nobody wants.
  ctx.kernel.register_bytes = 256;
  for (std::size_t i = 0; i < ctx.module.globals.size(); ++i) {
    const auto index = static_cast<std::int32_t>(ctx.module.globals[i]);
    ctx.symbols.names.emplace(ctx.module.variables[static_cast<std::size_t>(index)].name, index);
  }
  for (const PtxFunction& f : ctx.module.functions) {
    if (f.defined) ctx.functions[f.name] = &f;
    ctx.has_products =
        ctx.has_products || std::any_of(f.body.begin(), f.body.end(), [](const auto& s) {
          return s.name.starts_with("wgmma.mma_async");
        });
  }
  for (const auto& [number, path] : ctx.module.files) {
    if (path.size() > ctx.main_file.size() && path.ends_with("/" + ctx.main_file)) {
      ctx.folder = path.substr(0, path.size() - ctx.main_file.size());
    }
  }
  CallFrame frame;
  frame.function = &entry;
  std::int64_t offset = 0;
  for (const PtxVariable& p : entry.parameters) {
    offset = aligned(offset, p.alignment);
    SymbolPlace symbol;
    symbol.space = AddressSpace::param;
    symbol.offset = offset;
    symbol.bytes = p.bytes;
    frame.scopes[0].symbols[p.name] = symbol;
    ctx.kernel.parameters.push_back({p.bytes, offset, p.alignment});
    offset += p.bytes;
  }
  ctx.kernel.parameter_bytes = offset;
  decode_body(ctx, frame);
  finish_kernel(ctx);
  return kernel;
}

}  // namespace warpscope
