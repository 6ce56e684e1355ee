// profiling/emulator/decode/opcode_name.h: the words of an opcode, and what they stand for.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "profiling/emulator/state/kernel_code.h"

namespace warpscope {

enum class AtomicOperation : std::uint8_t;
enum class AtomicType : std::uint8_t;

// "ld.global.f32" in parts; there is always one.
struct OpcodeName {
  explicit OpcodeName(std::string_view opcode);
  std::vector<std::string_view> parts;
  bool has(std::string_view part) const;
  std::string_view base() const { return parts.front(); }
  std::string_view type() const { return parts.back(); }
};

// No value: the word is not an address space.
std::optional<AddressSpace> named_space(std::string_view part);
std::optional<AtomicOperation> atomic_operation_of(std::string_view part);
std::optional<AtomicType> atomic_type_of(std::string_view type);

}  // namespace warpscope
