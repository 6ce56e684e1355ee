// profiling/emulator/decode/operands.cpp: registers, constants, symbols and addresses to slots.
#include <algorithm>
#include <bit>
#include <charconv>

#include "profiling/emulator/decode/decoder.h"
#include "profiling/emulator/ptx/provenance.h"
#include "profiling/emulator/ptx/uniformity.h"
#include "profiling/emulator/state/memory.h"

namespace warpscope {
namespace {

int bytes_of(OperandType type) {
  return type == OperandType::b64 || type == OperandType::f64 ? 8
         : type == OperandType::predicate                     ? 0
                                                              : 4;
}

struct SpecialName {
  std::string_view name;
  SpecialRegister which;
};
constexpr SpecialName kSpecials[] = {
    {"%tid.x", SpecialRegister::tid_x},
    {"%tid.y", SpecialRegister::tid_y},
    {"%tid.z", SpecialRegister::tid_z},
    {"%ntid.x", SpecialRegister::ntid_x},
    {"%ntid.y", SpecialRegister::ntid_y},
    {"%ntid.z", SpecialRegister::ntid_z},
    {"%ctaid.x", SpecialRegister::ctaid_x},
    {"%ctaid.y", SpecialRegister::ctaid_y},
    {"%ctaid.z", SpecialRegister::ctaid_z},
    {"%nctaid.x", SpecialRegister::nctaid_x},
    {"%nctaid.y", SpecialRegister::nctaid_y},
    {"%nctaid.z", SpecialRegister::nctaid_z},
    {"%laneid", SpecialRegister::laneid},
    {"%warpid", SpecialRegister::warpid},
    {"%nwarpid", SpecialRegister::nwarpid},
    {"%smid", SpecialRegister::smid},
    {"%nsmid", SpecialRegister::nsmid},
    {"%gridid", SpecialRegister::gridid},
    {"%lanemask_eq", SpecialRegister::lanemask_eq},
    {"%lanemask_le", SpecialRegister::lanemask_le},
    {"%lanemask_lt", SpecialRegister::lanemask_lt},
    {"%lanemask_ge", SpecialRegister::lanemask_ge},
    {"%lanemask_gt", SpecialRegister::lanemask_gt},
    {"%dynamic_smem_size", SpecialRegister::dynamic_shared_bytes},
    {"%total_smem_size", SpecialRegister::total_shared_bytes},
    {"%cluster_ctaid.x", SpecialRegister::cluster_ctaid_x},
    {"%cluster_ctaid.y", SpecialRegister::cluster_ctaid_y},
    {"%cluster_ctaid.z", SpecialRegister::cluster_ctaid_z},
    {"%cluster_ctarank", SpecialRegister::cluster_ctarank},
    {"%cluster_nctaid.x", SpecialRegister::cluster_nctaid_x},
    {"%cluster_nctaid.y", SpecialRegister::cluster_nctaid_y},
    {"%cluster_nctaid.z", SpecialRegister::cluster_nctaid_z},
    {"%cluster_nctarank", SpecialRegister::cluster_nctarank},
    {"%clusterid.x", SpecialRegister::clusterid_x},
    {"%clusterid.y", SpecialRegister::clusterid_y},
    {"%clusterid.z", SpecialRegister::clusterid_z},
    {"%nclusterid.x", SpecialRegister::nclusterid_x},
    {"%nclusterid.y", SpecialRegister::nclusterid_y},
    {"%nclusterid.z", SpecialRegister::nclusterid_z},
    // The driver's: cooperative groups find the grid's workspace there. The others are 0 here.
    {"%envreg1", SpecialRegister::workspace_high},
    {"%envreg2", SpecialRegister::workspace_low},
};

}  // namespace

std::uint32_t Decoder::new_slot(int bytes) {
  const std::uint32_t slot = kernel_->register_bytes;
  kernel_->register_bytes += bytes == 8 ? 256 : 128;
  return slot;
}

std::uint32_t Decoder::constant(int bytes, std::uint64_t value) {
  if (bytes != 8) value &= 0xffffffffull;
  const auto [entry, added] = constants_.try_emplace({bytes == 8 ? 8 : 4, value}, 0);
  if (added) {
    entry->second = new_slot(bytes);
    kernel_->constants.push_back(
        {entry->second, static_cast<std::uint8_t>(bytes == 8 ? 8 : 4), value});
  }
  return entry->second;
}

std::uint32_t Decoder::special(SpecialRegister which, int bytes) {
  const auto [entry, added] = specials_.try_emplace({static_cast<int>(which), bytes}, 0);
  if (added) {
    entry->second = new_slot(bytes);
    kernel_->specials.push_back({entry->second, which, static_cast<std::uint8_t>(bytes)});
  }
  return entry->second;
}

bool Decoder::special_register(std::string_view name, int bytes, std::uint32_t& slot) {
  for (const SpecialName& s : kSpecials) {
    if (s.name == name) {
      slot = special(s.which, bytes == 8 ? 8 : 4);
      return true;
    }
  }
  // What the driver tells a kernel from outside of PTX; of an ordinary launch, nothing.
  if (name.starts_with("%envreg")) {
    int number = -1;
    const auto read = std::from_chars(name.data() + 7, name.data() + name.size(), number);
    if (read.ptr == name.data() + name.size() && number >= 0 && number < 32) {
      slot = special(SpecialRegister::zero, bytes == 8 ? 8 : 4);
      return true;
    }
  }
  return false;
}

// Registers of the frame, the innermost block first; a slot is made at the first use.
const Decoder::Register* Decoder::find_register(std::string_view name, Register& found) {
  std::string_view prefix = name;
  while (!prefix.empty() && prefix.back() >= '0' && prefix.back() <= '9') prefix.remove_suffix(1);
  std::uint64_t index = ~0ull;
  const std::string_view digits = name.substr(prefix.size());
  if (!digits.empty() && digits.size() < 9 && (digits.size() == 1 || digits[0] != '0')) {
    std::from_chars(digits.data(), digits.data() + digits.size(), index);
  }
  for (auto scope = frame_->scopes.rbegin(); scope != frame_->scopes.rend(); ++scope) {
    if (const auto one = scope->single.find(name); one != scope->single.end()) {
      if (one->second.slot == 0) one->second.slot = new_slot(one->second.bytes);
      return &one->second;
    }
    if (const auto range = scope->ranges.find(prefix);
        range != scope->ranges.end() && index < range->second.slots.size()) {
      std::uint32_t& slot = range->second.slots[index];
      if (slot == 0) slot = new_slot(range->second.bytes);
      found = {slot, range->second.bytes};
      return &found;
    }
  }
  return nullptr;
}

const Decoder::Symbol* Decoder::find_symbol(std::string_view name) {
  for (auto scope = frame_->scopes.rbegin(); scope != frame_->scopes.rend(); ++scope) {
    if (const auto s = scope->symbols.find(name); s != scope->symbols.end()) return &s->second;
  }
  const auto global = module_names_.find(name);
  if (global == module_names_.end()) return nullptr;
  const auto known = module_symbols_.find(global->second);
  if (known != module_symbols_.end()) return &known->second;
  // Shared variables of the module get their place where the kernel first names them.
  Frame scratch;
  const PtxVariable& v = module_.variables[static_cast<std::size_t>(global->second)];
  variable(scratch, v, global->second);
  const auto made = scratch.scopes.back().symbols.find(v.name);
  if (made == scratch.scopes.back().symbols.end()) return nullptr;
  return &module_symbols_.emplace(global->second, made->second).first->second;
}

std::uint32_t Decoder::symbol_address(const Symbol& symbol, std::int64_t addend, int bytes) {
  if (symbol.dynamic) {
    const std::uint32_t slot = new_slot(bytes);
    dynamic_slots_.push_back({slot, bytes == 8 ? 8 : 4, addend});
    return slot;
  }
  if (symbol.variable >= 0) {
    const std::uint32_t slot = new_slot(8);
    kernel_->addresses.push_back({slot, static_cast<std::uint32_t>(symbol.variable), addend});
    if (bytes != 8) problem("takes half of an address");
    return slot;
  }
  return constant(bytes, static_cast<std::uint64_t>(symbol.offset + addend));
}

std::uint32_t Decoder::source(const PtxOperand& o, OperandType type) {
  if (type == OperandType::predicate) return source_predicate(o, nullptr);
  if (!o.second.empty() || (o.negated && o.kind == PtxOperand::Kind::name)) {
    problem("negates an operand or takes a part of it");
    return 0;
  }
  const int bytes = bytes_of(type);
  switch (o.kind) {
    case PtxOperand::Kind::name: {
      Register found;
      if (const Register* r = find_register(o.name, found)) {
        if (r->bytes == bytes) return r->slot;
        if (r->bytes == 8) {  // the lower half
          const std::uint32_t half = new_slot(4);
          const bool counted = counted_;
          const std::uint32_t slot = r->slot;
          emit_row("unpack.0.b32.b64", half, slot).counted = 0;
          counted_ = counted;
          return half;
        }
        problem("has an operand of another size: " + std::string(o.name.substr(0, 40)));
        return 0;
      }
      if (o.name == "WARP_SZ") return constant(bytes, 32);
      std::uint32_t slot = 0;
      if (special_register(o.name, bytes, slot)) return slot;
      if (const Symbol* symbol = find_symbol(o.name)) {
        return symbol_address(*symbol, o.value, bytes);
      }
      if (const std::uint64_t function = function_address(module_, o.name); function != 0) {
        return constant(bytes, function);
      }
      break;
    }
    case PtxOperand::Kind::integer: {
      auto bits = static_cast<std::uint64_t>(o.value);
      if (type == OperandType::f32)
        bits = std::bit_cast<std::uint32_t>(static_cast<float>(o.value));
      if (type == OperandType::f64)
        bits = std::bit_cast<std::uint64_t>(static_cast<double>(o.value));
      if (type == OperandType::b16) bits &= 0xffff;
      return constant(bytes, bits);
    }
    case PtxOperand::Kind::real: {
      auto bits = static_cast<std::uint64_t>(o.value);
      if (o.width == 4 && bytes == 8) {
        bits = std::bit_cast<std::uint64_t>(
            static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
      } else if (o.width != 4 && bytes == 4) {
        bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
      }
      return constant(bytes, bits);
    }
    default:
      break;
  }
  not_known("has an operand that is not known: ", o);
  return 0;
}

// What stands for a name may be what could not be read.
bool Decoder::not_known(std::string what, const PtxOperand& o) {
  what += o.name.substr(0, 40);
  return problem(module_.problems.empty() ? what : what + "; " + module_.problems.front());
}

// With `negated`, a !%p is reported there; without, its opposite is computed.
std::uint32_t Decoder::source_predicate(const PtxOperand& o, bool* negated) {
  std::uint32_t slot = 0;
  Register found;
  const Register* r = o.kind == PtxOperand::Kind::name ? find_register(o.name, found) : nullptr;
  if (r != nullptr && r->bytes == 0) {
    slot = r->slot;
  } else if (o.name == "%is_explicit_cluster") {
    slot = special(SpecialRegister::is_explicit_cluster);
  } else if (o.kind == PtxOperand::Kind::integer) {
    slot = new_slot(4);
    kernel_->constants.push_back({slot, 4, o.value != 0 ? 0xffffffffull : 0});
  } else {
    problem("has an operand that is not a predicate: " + std::string(o.name.substr(0, 40)));
    return 0;
  }
  if (negated != nullptr) {
    *negated = o.negated;
  } else if (o.negated) {
    const std::uint32_t opposite = new_slot(4);
    const bool counted = counted_;
    emit_row("not.pred", opposite, slot).counted = 0;
    counted_ = counted;
    return opposite;
  }
  return slot;
}

std::uint32_t Decoder::destination(const PtxOperand& o, OperandType type) {
  if (o.kind != PtxOperand::Kind::name) {
    problem("has a result that is not a register");
    return 0;
  }
  return destination_named(o.name, type);
}

std::uint32_t Decoder::destination_named(std::string_view name, OperandType type) {
  if (name == "_") return 0;
  Register found;
  const Register* r = find_register(name, found);
  if (r == nullptr || r->bytes != bytes_of(type)) {
    problem("has a result of another size: " + std::string(name.substr(0, 40)));
    return 0;
  }
  return r->slot;
}

bool Decoder::address(const PtxOperand& o, Instruction& i) {
  if (o.kind != PtxOperand::Kind::address) return problem("has no address");
  if (o.count != 0) return problem("has coordinates");
  i.immediate = o.value;
  if (o.name.empty()) {
    i.a = constant(8, 0);
    return true;
  }
  if (i.space == AddressSpace::generic || i.space == AddressSpace::shared) note_shared_array(o);
  Register found;
  if (const Register* r = find_register(o.name, found)) {
    if (r->bytes == 0) return problem("has a predicate for an address");
    i.a = r->slot;
    if (r->bytes == 4) i.flags |= kFlagAddress32;
    return true;
  }
  const Symbol* symbol = find_symbol(o.name);
  if (symbol == nullptr) {
    return not_known("has an address that is not known: ", o);
  }
  i.a = symbol_address(*symbol, 0, 8);
  if (i.space == AddressSpace::generic || i.space == AddressSpace::param) i.space = symbol->space;
  return true;
}

std::vector<PtxOperand> Decoder::parts_of(const PtxOperand& o) const {
  if (o.kind != PtxOperand::Kind::vector) return {o};
  const auto first = module_.operands.begin() + static_cast<std::ptrdiff_t>(o.first);
  return {first, first + static_cast<std::ptrdiff_t>(o.count)};
}

void Decoder::note_shared_array(const PtxOperand& o) {
  const auto [entry, added] = provenance_.try_emplace(frame_->function);
  if (added) entry->second = shared_provenance(module_, *frame_->function);
  Register found;
  std::string_view name = o.name;
  if (find_register(o.name, found) != nullptr) {
    const auto known = entry->second.find(o.name);
    if (known == entry->second.end()) return;
    name = known->second;
  }
  const Symbol* symbol = find_symbol(name);
  if (symbol == nullptr || symbol->space != AddressSpace::shared) return;
  shared_symbols_[source_] = symbol->dynamic ? std::string_view{} : name;
}

bool Decoder::is_read(std::string_view result) {
  if (result == "_") return false;
  const auto [entry, added] = mentions_.try_emplace(frame_->function);
  if (added) {
    for (const PtxStatement& s : frame_->function->body) {
      if (s.kind != PtxStatement::Kind::instruction) continue;
      ++entry->second[s.guard];
      for (std::uint32_t k = 0; k < s.count; ++k) {
        for (const PtxOperand& o : parts_of(module_.operands[s.first + k])) {
          ++entry->second[o.name];
          ++entry->second[o.second];
          if (o.kind != PtxOperand::Kind::address) continue;
          for (std::uint32_t c = 0; c < o.count; ++c) {
            ++entry->second[module_.operands[o.first + c].name];
          }
        }
      }
    }
  }
  return entry->second[result] > 1;
}

bool Decoder::differs_by_lane(const PtxOperand& o) {
  const auto [entry, added] = lane_dependent_.try_emplace(frame_->function);
  if (added) entry->second = lane_dependent_registers(module_, *frame_->function);
  return entry->second.contains(o.name);
}

}  // namespace warpscope
