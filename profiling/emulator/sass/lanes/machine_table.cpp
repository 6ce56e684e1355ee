// profiling/emulator/sass/lanes/machine_table.cpp: what the opcodes of machine code do to 32 lanes,
// by name.
#include "profiling/emulator/sass/lanes/machine_table.h"

#ifdef WARPSCOPE_AVX2_LANES
#include <cpuid.h>
#endif

namespace warpscope {

const MachineTable& machine_table() {
  static const MachineTable table = [] {
    MachineTable t;
#ifdef WARPSCOPE_AVX2_LANES
    unsigned a = 0, b = 0, c = 0, d = 0;
    const bool halves = __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && halves) {
      with_avx2::add_machine_integers(t);
      with_avx2::add_machine_logic(t);
      with_avx2::add_machine_floats(t);
      with_avx2::add_machine_halves(t);
      return t;
    }
#endif
    any_processor::add_machine_integers(t);
    any_processor::add_machine_logic(t);
    any_processor::add_machine_floats(t);
    any_processor::add_machine_halves(t);
    return t;
  }();
  return table;
}

}  // namespace warpscope
