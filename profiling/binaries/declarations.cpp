// profiling/binaries/declarations.cpp: what a cubin declares, as PTX.
#include "profiling/binaries/declarations.h"

#include <array>
#include <cstdint>

#include "profiling/binaries/cubin.h"
#include "profiling/binaries/elf.h"

namespace warpscope {
namespace {

constexpr std::size_t kMostVariables = 1 << 12;
constexpr std::uint64_t kMostDeclaredBytes = 16 << 20;  // of all variables, as a text

// ".const .align 8 .b8 table[16] = {1,0,…};"
void declare_variable(const ElfSymbol& symbol, const ElfSection& section, std::string& text) {
  const bool constant = section.name == ".nv.constant3";
  text += constant ? ".const" : ".global";
  text += " .align 8 .b8 " + std::string(symbol.name) + "[" + std::to_string(symbol.size) + "]";
  const bool given =
      symbol.value <= section.bytes.size() && symbol.size <= section.bytes.size() - symbol.value;
  const std::string_view bytes =
      given ? section.bytes.substr(symbol.value, symbol.size) : std::string_view{};
  if (bytes.find_first_not_of('\0') != std::string_view::npos) {
    text += " = {";
    for (std::size_t k = 0; k < bytes.size(); ++k)
      text += (k == 0 ? "" : ",") + std::to_string(static_cast<unsigned char>(bytes[k]));
    text += "}";
  }
  text += ";\n";
}

void declare_kernel(const BinaryKernel& kernel, std::string& text) {
  text += ".visible .entry " + kernel.symbol + "(";
  for (std::size_t k = 0; k < kernel.parameters.size(); ++k) {
    const std::int64_t bytes = kernel.parameters[k].bytes;
    const std::string name = kernel.symbol + "_param_" + std::to_string(k);
    text += k == 0 ? "\n" : ",\n";
    if (bytes == 8 || bytes == 4) {
      text += ".param .u" + std::to_string(8 * bytes) + " " + name;
    } else {
      text += ".param .align 1 .b8 " + name + "[" + std::to_string(bytes) + "]";
    }
  }
  text += ")\n";
  const std::array<std::int64_t, 3>& block = kernel.required_block;
  if (block[0] > 0) {
    text += ".reqntid " + std::to_string(block[0]) + ", " + std::to_string(block[1]) + ", " +
            std::to_string(block[2]) + "\n";
  } else if (kernel.most_threads > 0) {
    text += ".maxntid " + std::to_string(kernel.most_threads) + ", 1, 1\n";
  }
  text += "{\nret;\n}\n";
}

}  // namespace

Result<std::string> declarations_of(std::string_view cubin, const std::string& where) {
  const Result<Cubin> read = read_cubin(cubin, where);
  if (!read) return tl::unexpected(read.error());
  const Result<ElfFile> elf = read_elf(cubin, where);
  if (!elf) return tl::unexpected(elf.error());
  std::string text = ".version 8.1\n.target sm_90\n.address_size 64\n";
  std::uint64_t bytes = 0;
  std::size_t count = 0;
  for (const ElfSymbol& symbol : elf->symbols) {
    if (symbol.section >= elf->sections.size() || symbol.size == 0 || symbol.name.empty()) continue;
    const ElfSection& section = elf->sections[symbol.section];
    const bool variable = section.name == ".nv.constant3" || section.name == ".nv.global" ||
                          section.name == ".nv.global.init";
    if (!variable || symbol.kind == kElfFunction) continue;
    bytes += symbol.size;
    if (bytes > kMostDeclaredBytes || ++count > kMostVariables)
      return failure(ErrorKind::input, "its variables are too large to be emulated", where,
                     "run it on a GPU");
    declare_variable(symbol, section, text);
  }
  for (const BinaryKernel& kernel : read->kernels) declare_kernel(kernel, text);
  return text;
}

}  // namespace warpscope
