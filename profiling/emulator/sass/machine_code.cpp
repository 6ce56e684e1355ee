// profiling/emulator/sass/machine_code.cpp: SASS, the GPU's machine code, as the instructions that
// the emulator runs.
#include "profiling/emulator/sass/machine_code.h"

#include "profiling/emulator/emulate_code.h"
#include "profiling/emulator/sass/decode/machine_decode.h"
#include "profiling/emulator/state/memory.h"

namespace warpscope {
namespace {

// The module's variables by the names that the cubin has for them.
Result<std::vector<std::uint64_t>> addresses_of(const MachineImage& image, const Program& module,
                                                EmulatedMemory& memory) {
  const PtxModule& parsed = module.parsed();
  const std::vector<std::uint64_t>& all = memory.state().place(module.identity(), parsed).addresses;
  std::vector<std::uint64_t> found;
  for (const MachineImage::Variable& v : image.variables) {
    std::uint64_t address = 0;
    for (std::size_t k = 0; k < parsed.variables.size(); ++k) {
      if (parsed.variables[k].name == v.name && all[k] != ~0ull) address = all[k];
    }
    found.push_back(address);
  }
  return found;
}

}  // namespace

const std::vector<std::string>& MachineProgram::unknown() const { return kernel_->unknown; }

Result<MachineProgram> MachineProgram::read(std::string_view cubin, std::string_view disassembly,
                                            const std::string& function,
                                            const std::string& main_file) {
  Result<MachineImage> image = read_machine_image(cubin, function);
  if (!image) return tl::unexpected(image.error());
  if (image->compute_capability != 90) {
    return failure(ErrorKind::input,
                   "machine code of compute capability " +
                       std::to_string(image->compute_capability) + " is not emulated",
                   function, "compile for compute capability 9.0");
  }
  const Result<MachineFunction> text = read_machine_text(disassembly, function);
  if (!text) return tl::unexpected(text.error());
  return of(*text, *image, main_file);
}

MachineProgram MachineProgram::of(const MachineFunction& function, const MachineImage& image,
                                  const std::string& main_file) {
  MachineProgram program;
  program.main_file_ = main_file;
  program.kernel_ = decode_machine_code(function, image, main_file);
  program.image_ = std::make_shared<MachineImage>(image);
  return program;
}

Result<EmulatedRun> emulate(const MachineProgram& program, const Launch& launch,
                            std::span<const ArgumentBytes> arguments, EmulatedMemory& memory,
                            const EmulateOptions& options) {
  const std::vector<std::uint64_t> addresses(program.image().variables.size());
  return emulate_code({program.kernel(), program.main_file(), addresses}, launch, arguments, memory,
                      options);
}

Result<EmulatedRun> emulate(const MachineProgram& program, const Program& module,
                            const Launch& launch, std::span<const ArgumentBytes> arguments,
                            EmulatedMemory& memory, const EmulateOptions& options) {
  const Result<std::vector<std::uint64_t>> addresses =
      addresses_of(program.image(), module, memory);
  if (!addresses) return tl::unexpected(addresses.error());
  return emulate_code({program.kernel(), program.main_file(), *addresses}, launch, arguments,
                      memory, options);
}

}  // namespace warpscope
