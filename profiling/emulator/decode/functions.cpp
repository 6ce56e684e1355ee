// profiling/emulator/decode/functions.cpp: functions, what they declare, and where they stand in a
// text.
#include <algorithm>

#include "profiling/emulator/decode/control_flow.h"
#include "profiling/emulator/decode/decoder.h"
#include "profiling/emulator/decode/written_memory.h"
#include "profiling/emulator/instructions/warp_instructions.h"
#include "profiling/emulator/ptx/symbol_name.h"
#include "profiling/emulator/warpgroups/written_products.h"

namespace warpscope {
namespace {

constexpr const char* kDynamicShared = "dynamic shared memory";
// Registers that all functions declare, each as often as it is called: they are listed before they
// are used.
constexpr std::int64_t kMostDeclared = 1 << 24;

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
    has_products_ = has_products_ || std::any_of(f.body.begin(), f.body.end(), [](const auto& s) {
                      return s.name.starts_with("wgmma.mma_async");
                    });
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
  frame.outer = before;
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
  set_targets(frame, end_pc);
  frame_ = before;
}

// Jumps to labels that are not there become traps.
void Decoder::set_targets(const Frame& frame, std::uint32_t end_pc) {
  const auto has_no_target = [&](Instruction& i, const Frame::Jump& jump) {
    i.kind = InstructionKind::trap;
    i.flags |= kFlagUnknown;
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
            {std::string(v.name), symbol.offset, v.bytes, v.element_bytes, {}});
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

void Decoder::finish(const PtxFunction& entry) {
  static_cast<void>(entry);
  const std::int64_t start = aligned(kernel_->static_shared_bytes, dynamic_alignment_);
  if (!dynamic_slots_.empty()) {
    kernel_->static_shared_bytes = start;
    kernel_->shared_variables.push_back({kDynamicShared, start, 0, 1, {}});
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
  for (KernelCode::SharedVariable& v : kernel_->shared_variables) {
    v.name = shown_name(v.name);
    const auto found = module_.arrays.find(v.name.substr(v.name.rfind(':') + 1));
    if (found == module_.arrays.end()) continue;
    v.source = found->second;
    if (const std::int64_t bytes = element_bytes(v.source, v.bytes); bytes > 0)
      v.element_bytes = bytes;
  }
  for (const DynamicSlot& d : dynamic_slots_) {
    kernel_->constants.push_back(
        {d.slot, static_cast<std::uint8_t>(d.bytes), static_cast<std::uint64_t>(start + d.addend)});
  }
  kernel_->local_bytes = aligned(kernel_->local_bytes, 16);
  find_written_memory(*kernel_);
  place_joins(*kernel_);
  kernel_->register_uses.resize(has_products_ ? kernel_->sources.size() : 0);
  find_written_products(*kernel_);
}

}  // namespace warpscope
