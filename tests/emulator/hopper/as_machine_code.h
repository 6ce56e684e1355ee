// tests/emulator/hopper/as_machine_code.h: a launch in the emulator, as machine code.
#pragma once

#ifdef WARPSCOPE_WITH_COMPILER

#include <span>

#include "profiling/emulator/emulator.h"
#include "scenes/base/step.h"

namespace warpscope {

enum class EmulatedAs {
  ptx,
  machine_code,
  sm_75,
  sm_80,
  sm_86,
  sm_89,
  sm_100,
  sm_103,
  sm_120,
  sm_121
};
// For which architecture the code is made. machine_code: for 9.0.
int architecture_of(EmulatedAs as);

// `module` is the same text as PTX. error: as compile, disassemble_function (environment: there is
// no nvdisasm) and emulate; input also if some instruction is not known.
Result<EmulatedRun> emulate_launch(const KernelLaunch& launch, const Program& module, EmulatedAs as,
                                   std::span<const ArgumentBytes> arguments,
                                   EmulatedMemory& memory);

}  // namespace warpscope

#endif  // WARPSCOPE_WITH_COMPILER
