// profiling/emulator/sass/machine_code.h: SASS, the GPU's machine code, as the instructions that
// the emulator runs.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/emulator/emulator.h"
#include "profiling/emulator/sass/read/machine_image.h"
#include "profiling/emulator/sass/read/machine_text.h"
#include "scenes/host/result.h"

// A cubin and what nvdisasm prints of it become KernelCode, which PTX becomes too: so warps,
// blocks, memory, faults, sums and samples are the same code.
//
//   Result<MachineProgram> program = MachineProgram::read(cubin, text, "saxpy", "saxpy.cu");
//   Result<EmulatedRun> run = emulate(*program, launch, arguments, memory, options);

namespace warpscope {

// A kernel's machine code, decoded. Cheap to copy.
class MachineProgram {
 public:
  // `main_file` as of Program::parse. `files`: the names of the texts that it was compiled from,
  // as source_name(); none: positions are named below the folder of `main_file`. error: input.
  static Result<MachineProgram> read(std::string_view cubin, std::string_view disassembly,
                                     const std::string& function, const std::string& main_file,
                                     std::span<const std::string> files = {});
  // The same from instructions that were read already, for a kernel as the image describes it.
  static MachineProgram of(MachineFunction function, const MachineImage& image,
                           const std::string& main_file);
  const KernelCode& kernel() const { return *kernel_; }
  const MachineImage& image() const { return *image_; }
  const MachineFunction& function() const { return *function_; }
  const std::string& main_file() const { return main_file_; }
  // What the decoder does not know, each once: "opcode …", "modifier .X of …".
  const std::vector<std::string>& unknown() const;

 private:
  std::shared_ptr<KernelCode> kernel_;
  std::shared_ptr<MachineImage> image_;
  std::shared_ptr<MachineFunction> function_;
  std::string main_file_;
};

// The trace is as of PTX, with Trace::machine_code. `module`: the same text as PTX, or declarations
// of the cubin (declarations.h), whose variables this program uses and whose launch bounds are
// those of the kernel; without it a program that has no variables. error: as emulate() of PTX.
Result<EmulatedRun> emulate(const MachineProgram& program, const Launch& launch,
                            std::span<const ArgumentBytes> arguments, EmulatedMemory& memory,
                            const EmulateOptions& options);
Result<EmulatedRun> emulate(const MachineProgram& program, const Program& module,
                            const Launch& launch, std::span<const ArgumentBytes> arguments,
                            EmulatedMemory& memory, const EmulateOptions& options);

}  // namespace warpscope
