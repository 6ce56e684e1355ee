// profiling/emulator/sass/read/machine_image.cpp: the parts of a cubin that emulation needs,
// without its instructions.
#include "profiling/emulator/sass/read/machine_image.h"

#include <cstring>
#include <optional>

#include "profiling/binaries/cubin.h"
#include "profiling/binaries/elf.h"
#include "scenes/base/texts/machine_code.h"

namespace warpscope {
namespace {

constexpr std::size_t kMostVariables = 1 << 12;

template <typename T>
T at(std::string_view bytes, std::size_t offset) {
  T value{};
  if (offset + sizeof value <= bytes.size())
    std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// Variables of bank 3 are symbols of its section.
void take_constants(const ElfFile& elf, MachineImage& image) {
  for (const ElfSymbol& symbol : elf.symbols) {
    if (symbol.section >= elf.sections.size() || symbol.size == 0) continue;
    if (elf.sections[symbol.section].name != ".nv.constant3") continue;
    if (image.variables.size() >= kMostVariables) return;
    image.variables.push_back({std::string(symbol.name), 3,
                               static_cast<std::uint32_t>(symbol.value),
                               static_cast<std::int64_t>(symbol.size)});
  }
}

// Bank 4 holds addresses, which relocations name. source: System V ABI, "Relocation".
void take_addresses(const ElfFile& elf, MachineImage& image) {
  const bool with_addends = elf.section(".rela.nv.constant4") != nullptr;
  const ElfSection* const section =
      elf.section(with_addends ? ".rela.nv.constant4" : ".rel.nv.constant4");
  if (section == nullptr) return;
  const std::size_t each = with_addends ? 24 : 16;
  for (std::size_t k = 0; k + each <= section->bytes.size(); k += each) {
    const auto symbol = at<std::uint64_t>(section->bytes, k + 8) >> 32;
    const bool moved = with_addends && at<std::uint64_t>(section->bytes, k + 16) != 0;
    if (symbol >= elf.symbols.size() || moved) continue;
    if (image.variables.size() >= kMostVariables) return;
    image.variables.push_back({std::string(elf.symbols[symbol].name), 4,
                               at<std::uint32_t>(section->bytes, k),
                               static_cast<std::int64_t>(elf.symbols[symbol].size)});
  }
}

}  // namespace

Result<MachineImage> read_machine_image(std::string_view cubin, const std::string& function) {
  const Result<Cubin> read = read_cubin(cubin, function);
  if (!read) return tl::unexpected(read.error());
  const std::optional<BinaryKernel> kernel = kernel_in_cubin(cubin, function);
  if (!kernel) {
    return failure(ErrorKind::input, "the machine code has no kernel " + function, function,
                   "choose a kernel of the file");
  }
  MachineImage image;
  image.compute_capability = read->compute_capability;
  if (image.compute_capability < 90) {
    // source: what ptxas of CUDA 13.0 makes of kernels for these architectures.
    image.parameters_at = 0x160;
    image.descriptor_at = 0x118;
    image.system_shared = 0;
  } else if (image.compute_capability >= kFirstBlackwell) {
    image.parameters_at = 0x380;
    image.descriptor_at = 0x358;
  }
  image.shared_bytes = kernel->static_shared_bytes;
  image.local_bytes = kernel->local_bytes;
  image.parameter_bytes = kernel->parameter_bytes;
  image.most_threads = kernel->most_threads;
  image.registers = kernel->registers;
  for (const BinaryParameter& p : kernel->parameters)
    image.parameters.push_back({p.bytes, p.offset, 0});
  const Result<ElfFile> elf = read_elf(cubin, function);
  if (!elf) return tl::unexpected(elf.error());
  const ElfSection* literals = elf->section(".nv.constant2." + function);
  if (literals == nullptr) literals = elf->section(".nv.constant2");
  if (literals != nullptr) image.bank_of_literals = literals->bytes;
  take_constants(*elf, image);
  take_addresses(*elf, image);
  return image;
}

namespace {}  // namespace

}  // namespace warpscope
