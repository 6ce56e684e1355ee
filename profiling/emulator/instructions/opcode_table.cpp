// profiling/emulator/instructions/opcode_table.cpp: the instructions that are functions of one
// lane, by name.
#include "profiling/emulator/instructions/opcode_table.h"

#ifdef WARPSCOPE_AVX2_LANES
#include <cpuid.h>
#endif

namespace warpscope {
#ifdef WARPSCOPE_AVX2_LANES
namespace {

// Whether this processor has F16C. __builtin_cpu_supports does not know it in clang 14.
bool converts_halves() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}

}  // namespace
#endif

std::optional<Rounding> rounding_of(std::string_view part) {
  if (part == "rn") return Rounding::nearest;
  if (part == "rz") return Rounding::zero;
  if (part == "rm") return Rounding::down;
  if (part == "rp") return Rounding::up;
  return std::nullopt;
}

void OpcodeTable::add(const char* name, OperandType result,
                      std::initializer_list<OperandType> sources, RunInstruction run,
                      Rounding rounding, bool ftz, bool sat) {
  Opcode& row = rows_[name];
  row.result = result;
  row.source_count = 0;
  for (const OperandType source : sources) {
    row.sources[static_cast<std::size_t>(row.source_count++)] = source;
  }
  row.run[static_cast<int>(rounding)][ftz ? 1 : 0][sat ? 1 : 0] = run;
}

const Opcode* OpcodeTable::find(const std::string& name) const {
  const auto found = rows_.find(name);
  return found == rows_.end() ? nullptr : &found->second;
}

const OpcodeTable& opcode_table() {
  static const OpcodeTable table = [] {
    OpcodeTable t;
#ifdef WARPSCOPE_AVX2_LANES
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && converts_halves()) {
      with_avx2::add_arithmetic(t);
      with_avx2::add_integer_parts(t);
      with_avx2::add_floating_point(t);
      with_avx2::add_half(t);
      with_avx2::add_conversions(t);
      with_avx2::add_memory(t);
      return t;
    }
#endif
    any_processor::add_arithmetic(t);
    any_processor::add_integer_parts(t);
    any_processor::add_floating_point(t);
    any_processor::add_half(t);
    any_processor::add_conversions(t);
    any_processor::add_memory(t);
    return t;
  }();
  return table;
}

}  // namespace warpscope
