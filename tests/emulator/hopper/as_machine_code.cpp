// tests/emulator/hopper/as_machine_code.cpp: a launch in the emulator, as machine code.
#include "tests/emulator/hopper/as_machine_code.h"

#ifdef WARPSCOPE_WITH_COMPILER

#include "profiling/emulator/sass/machine_code.h"
#include "profiling/engine/compile/compiler.h"
#include "profiling/engine/compile/disassembly.h"

namespace warpscope {

int architecture_of(EmulatedAs as) {
  switch (as) {
    case EmulatedAs::sm_75:
      return 75;
    case EmulatedAs::sm_80:
      return 80;
    case EmulatedAs::sm_86:
      return 86;
    case EmulatedAs::sm_89:
      return 89;
    case EmulatedAs::sm_100:
      return 100;
    case EmulatedAs::sm_103:
      return 103;
    case EmulatedAs::sm_120:
      return 120;
    case EmulatedAs::sm_121:
      return 121;
    default:
      return 90;
  }
}

Result<EmulatedRun> emulate_launch(const KernelLaunch& launch, const Program& module, EmulatedAs as,
                                   std::span<const ArgumentBytes> arguments,
                                   EmulatedMemory& memory) {
  if (as == EmulatedAs::ptx)
    return emulate(module, launch.entry, launch.launch, arguments, memory, {});
  const Result<Compiled> code =
      compile({launch.source, launch.defines, architecture_of(as), launch.architecture_features});
  if (!code) return tl::unexpected(code.error());
  const Result<std::string> text =
      disassemble_function(code->cubin, launch.entry, Disassembly::code);
  if (!text) return tl::unexpected(text.error());
  const Result<MachineProgram> program =
      MachineProgram::read(code->cubin, *text, launch.entry, launch.source);
  if (!program) return tl::unexpected(program.error());
  if (!program->unknown().empty())
    return failure(ErrorKind::input, program->unknown().front(), launch.entry);
  return emulate(*program, module, launch.launch, arguments, memory, {});
}

}  // namespace warpscope

#endif  // WARPSCOPE_WITH_COMPILER
