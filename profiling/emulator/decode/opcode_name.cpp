// profiling/emulator/decode/opcode_name.cpp: the words of an opcode, and what they stand for.
#include "profiling/emulator/decode/opcode_name.h"

#include <algorithm>
#include <utility>

#include "profiling/emulator/instructions/warp_instructions.h"

namespace warpscope {

OpcodeName::OpcodeName(std::string_view opcode) {
  while (!opcode.empty()) {
    const std::size_t dot = opcode.find('.', 1);
    parts.push_back(opcode.substr(0, dot));
    opcode = dot == std::string_view::npos ? std::string_view{} : opcode.substr(dot + 1);
  }
  if (parts.empty()) parts.emplace_back("");
}

bool OpcodeName::has(std::string_view part) const {
  return std::find(parts.begin(), parts.end(), part) != parts.end();
}

std::optional<AtomicOperation> atomic_operation_of(std::string_view part) {
  constexpr std::pair<std::string_view, AtomicOperation> operations[] = {
      {"add", AtomicOperation::add},
      {"min", AtomicOperation::minimum},
      {"max", AtomicOperation::maximum},
      {"inc", AtomicOperation::increment},
      {"dec", AtomicOperation::decrement},
      {"exch", AtomicOperation::exchange},
      {"cas", AtomicOperation::compare_and_swap},
      {"and", AtomicOperation::bit_and},
      {"or", AtomicOperation::bit_or},
      {"xor", AtomicOperation::bit_xor}};
  for (const auto& [text, operation] : operations) {
    if (part == text) return operation;
  }
  return std::nullopt;
}

std::optional<AtomicType> atomic_type_of(std::string_view type) {
  constexpr std::pair<std::string_view, AtomicType> types[] = {
      {"b16", AtomicType::u16},      {"u32", AtomicType::u32},   {"b32", AtomicType::u32},
      {"s32", AtomicType::s32},      {"u64", AtomicType::u64},   {"b64", AtomicType::u64},
      {"s64", AtomicType::s64},      {"f32", AtomicType::f32},   {"f64", AtomicType::f64},
      {"f16", AtomicType::f16},      {"bf16", AtomicType::bf16}, {"f16x2", AtomicType::f16x2},
      {"bf16x2", AtomicType::bf16x2}};
  for (const auto& [text, atomic] : types) {
    if (type == text) return atomic;
  }
  return std::nullopt;
}

std::optional<AddressSpace> named_space(std::string_view part) {
  if (part == "global") return AddressSpace::global;
  if (part == "shared" || part == "shared::cta") return AddressSpace::shared;
  if (part == "local") return AddressSpace::local;
  if (part == "const") return AddressSpace::constant;
  if (part == "param" || part == "param::entry" || part == "param::func") {
    return AddressSpace::param;
  }
  return std::nullopt;
}

}  // namespace warpscope
