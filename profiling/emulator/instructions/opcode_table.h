// profiling/emulator/instructions/opcode_table.h: the instructions that are functions of one lane,
// by name.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "profiling/emulator/state/kernel_code.h"
#include "scenes/host/enumerators.h"

// A name is an opcode without rounding, .ftz, .sat, .approx and .full: "add.f32", "setp.lt.s32".

namespace warpscope {

enum class OperandType : std::uint8_t { none, predicate, b16, b32, b64, f32, f64 };

enum class Rounding : std::uint8_t { nearest, zero, down, up };
// What a part of an opcode asks for: "rn", "rz", "rm" or "rp".
std::optional<Rounding> rounding_of(std::string_view part);

struct Opcode {
  OperandType result = OperandType::none;
  std::array<OperandType, 4> sources{};
  int source_count = 0;
  // By rounding, .ftz and .sat; null: the instruction does not take that.
  RunInstruction run[4][2][2] = {};
};

// A conversion goes from any of these to any other.
enum class Number : std::uint8_t { u8, s8, u16, s16, u32, s32, u64, s64, f16, bf16, f32, f64 };
inline constexpr std::size_t kNumberCount = kEnumeratorCount<Number>;
// How a conversion rounds to an integer.
enum class IntegerRounding : std::uint8_t { none, nearest, zero, down, up };

class OpcodeTable {
 public:
  void add(const char* name, OperandType result, std::initializer_list<OperandType> sources,
           RunInstruction run, Rounding rounding = Rounding::nearest, bool ftz = false,
           bool sat = false);
  const Opcode* find(const std::string& name) const;
  // ld and st of elements of 1, 2, 4 or 8 bytes, by the power of two.
  RunInstruction loads[4][2][2] = {};  // [width][8-byte slots][signed]
  RunInstruction stores[4][2] = {};    // [width][8-byte slots]
  // Instruction::subop holds Rounding + 4 × IntegerRounding, flags bit 0 ftz, 1 sat, 2 relu.
  std::array<std::array<RunInstruction, kNumberCount>, kNumberCount> conversions{};  // [to][from]

 private:
  std::unordered_map<std::string, Opcode> rows_;
};

// The table for this processor, made once.
const OpcodeTable& opcode_table();

// What a lane-wise file adds; each is compiled for any processor and, where the compiler can, for
// one with AVX2, FMA and F16C.
namespace any_processor {
void add_arithmetic(OpcodeTable& table);
void add_integer_parts(OpcodeTable& table);
void add_floating_point(OpcodeTable& table);
void add_half(OpcodeTable& table);
void add_conversions(OpcodeTable& table);
void add_memory(OpcodeTable& table);
}  // namespace any_processor
namespace with_avx2 {
void add_arithmetic(OpcodeTable& table);
void add_integer_parts(OpcodeTable& table);
void add_floating_point(OpcodeTable& table);
void add_half(OpcodeTable& table);
void add_conversions(OpcodeTable& table);
void add_memory(OpcodeTable& table);
}  // namespace with_avx2

}  // namespace warpscope
