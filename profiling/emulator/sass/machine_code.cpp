// profiling/emulator/sass/machine_code.cpp: SASS, the GPU's machine code, as the instructions that
// the emulator runs.
#include "profiling/emulator/sass/machine_code.h"

#include <utility>

#include "profiling/emulator/emulate_code.h"
#include "profiling/emulator/run/launch_limits.h"
#include "profiling/emulator/sass/decode/machine_decode.h"
#include "profiling/emulator/state/memory.h"
#include "profiling/listings/source_name.h"
#include "scenes/base/texts/machine_code.h"

namespace warpscope {
namespace {

// The module's variables by the names that the cubin has for them; then what the module has for
// addresses of functions that the kernel may call.
Result<std::vector<std::uint64_t>> addresses_of(const MachineProgram& program,
                                                const Program& module, EmulatedMemory& memory) {
  const MachineImage& image = program.image();
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
  for (const CalledFunction& f : called_functions(program.function()))
    found.push_back(function_address(parsed, f.name));
  return found;
}

}  // namespace

const std::vector<std::string>& MachineProgram::unknown() const { return kernel_->unknown; }

Result<MachineProgram> MachineProgram::read(std::string_view cubin, std::string_view disassembly,
                                            const std::string& function,
                                            const std::string& main_file,
                                            std::span<const std::string> files) {
  Result<MachineImage> image = read_machine_image(cubin, function);
  if (!image) return tl::unexpected(image.error());
  if (!is_emulated_machine_code(image->compute_capability)) {
    return failure(
        ErrorKind::input,
        "machine code for sm_" + std::to_string(image->compute_capability) + " is not emulated",
        function, "compile for sm_90");
  }
  Result<MachineFunction> text = read_machine_text(disassembly, function);
  if (!text) return tl::unexpected(text.error());
  for (MachineInstruction& i : text->code) {
    for (SourcePosition& p : i.positions) p.file = source_name(p.file, files);
  }
  return of(std::move(*text), *image, main_file);
}

MachineProgram MachineProgram::of(MachineFunction function, const MachineImage& image,
                                  const std::string& main_file) {
  MachineProgram program;
  program.main_file_ = main_file;
  program.kernel_ = decode_machine_code(function, image, main_file);
  program.image_ = std::make_shared<MachineImage>(image);
  program.function_ = std::make_shared<MachineFunction>(std::move(function));
  return program;
}

namespace {

// Adds what instructions are to what they did.
Result<EmulatedRun> with_texts(Result<EmulatedRun> run, const MachineProgram& program) {
  if (!run || !run->trace.machine_code) return run;
  MachineFigures& code = *run->trace.machine_code;
  const MachineFunction& function = program.function();
  code.compute_capability = program.image().compute_capability;
  code.registers_per_thread = program.image().registers;
  for (std::size_t k = 0; k < code.rows.size() && k < function.code.size(); ++k) {
    code.rows[k].text = function.code[k].text;
    code.rows[k].spill = function.code[k].spill;
  }
  return run;
}

}  // namespace

namespace {

// Addresses of shared memory and constants have the cluster in them.
std::shared_ptr<KernelCode> code_for(const MachineProgram& program, const Launch& launch) {
  if (launch.cluster == Dim3{}) return nullptr;
  return decode_machine_code(program.function(), program.image(), program.main_file(),
                             launch.cluster);
}

}  // namespace

Result<EmulatedRun> emulate(const MachineProgram& program, const Launch& launch,
                            std::span<const ArgumentBytes> arguments, EmulatedMemory& memory,
                            const EmulateOptions& options) {
  const std::vector<std::uint64_t> addresses(program.image().variables.size());
  const std::shared_ptr<KernelCode> of_cluster = code_for(program, launch);
  const KernelCode& kernel = of_cluster != nullptr ? *of_cluster : program.kernel();
  return with_texts(
      emulate_code({kernel, program.main_file(), addresses}, launch, arguments, memory, options),
      program);
}

Result<EmulatedRun> emulate(const MachineProgram& program, const Program& module,
                            const Launch& given, std::span<const ArgumentBytes> arguments,
                            EmulatedMemory& memory, const EmulateOptions& options) {
  const Launch launch = with_own_cluster(module.parsed(), program.kernel().entry, given);
  const Result<void> good =
      within_limits(module.parsed(), program.kernel(), launch, options.compute_capability);
  if (!good) return tl::unexpected(good.error());
  const Result<std::vector<std::uint64_t>> addresses = addresses_of(program, module, memory);
  if (!addresses) return tl::unexpected(addresses.error());
  const std::shared_ptr<KernelCode> of_cluster = code_for(program, launch);
  const KernelCode& kernel = of_cluster != nullptr ? *of_cluster : program.kernel();
  return with_texts(
      emulate_code({kernel, program.main_file(), *addresses}, launch, arguments, memory, options),
      program);
}

}  // namespace warpscope
