// workbench/client/own_binary.cpp: a compiled file of the person's own, and the PTX in it.
#include "workbench/client/own_binary.h"

#include <algorithm>
#include <array>
#include <set>

#include "profiling/binaries/compiled_occupancy.h"
#include "profiling/capture/machine_code_text.h"
#include "scenes/base/texts/own_ptx.h"
#include "scenes/host/input_file.h"
#include "scenes/host/program.h"

namespace warpscope {

BinaryKind kind_of_file(const std::string& path) {
  constexpr std::size_t kElfHeaderBytes = 64;
  std::array<char, kElfHeaderBytes> begin{};
  Result<InputFile> file = InputFile::open(path, kMostBinaryFileBytes);
  if (!file) return BinaryKind::none;
  const Result<std::size_t> count = file->read(begin.data(), begin.size());
  return count ? binary_kind({begin.data(), *count}) : BinaryKind::none;
}

bool opens_as_scene(const std::string& path) {
  return is_scene_file(path) || kind_of_file(path) != BinaryKind::none;
}

Result<BinaryFile> read_own_binary(const std::string& path) {
  return read_input(path, kMostBinaryFileBytes).and_then([&](const std::string& bytes) {
    return read_binary(bytes, path);
  });
}

namespace {

Result<std::vector<KernelSource>> machine_code_source(const std::string& bytes,
                                                      const BinaryFile& file,
                                                      const UserKernel& user,
                                                      int compute_capability) {
  return machine_code_of_kernel(bytes, file, user.entry, compute_capability, user.path)
      .map([&](MachineModule&& module) {
        const MachineCode code{std::move(module.cubin), module.target.compute_capability, ""};
        return std::vector<KernelSource>{kernel_source(user.path, machine_code_text(code))};
      });
}

bool has_machine_code(const BinaryFile& file, int compute_capability) {
  return std::any_of(file.machine.begin(), file.machine.end(), [&](const CodeTarget& target) {
    return target.compute_capability == compute_capability;
  });
}

Result<std::vector<KernelSource>> sources_in(const std::string& bytes, const BinaryFile& file,
                                             const UserKernel& user, int compute_capability) {
  const bool wanted = compute_capability != 0;
  if (wanted && (file.ptx.empty() || has_machine_code(file, compute_capability)))
    return machine_code_source(bytes, file, user, compute_capability);
  Result<std::string> ptx = ptx_of(bytes, file, user.entry, user.path);
  if (ptx) return own_ptx(user.path, std::move(*ptx));
  if (ptx.error().kind != ErrorKind::input || !has_machine_code(file, kEmulatedMachineCode))
    return tl::unexpected(ptx.error());
  return machine_code_source(bytes, file, user, kEmulatedMachineCode);
}

}  // namespace

std::optional<Result<std::vector<KernelSource>>> sources_in_binary(const UserKernel& user,
                                                                   int compute_capability) {
  if (kind_of_file(user.path) == BinaryKind::none) return std::nullopt;
  return read_input(user.path, kMostBinaryFileBytes).and_then([&](const std::string& bytes) {
    return read_binary(bytes, user.path).and_then([&](const BinaryFile& file) {
      return sources_in(bytes, file, user, compute_capability);
    });
  });
}

namespace {

// "scale has machine code for sm_90 alone: 40 registers per thread, …"
std::string without_ptx(const NamedKernel& kernel) {
  constexpr std::int64_t kUsualThreads = 256;
  std::string text = visible_name(kernel.name.name) +
                     " has machine code alone, which is not "
                     "emulated yet";
  if (kernel.compiled.empty()) return text;
  const CompiledKernel& code = kernel.compiled.back();
  text += ": for " + machine_name(code.target) + " " + std::to_string(code.code.registers) +
          " registers per thread, " + std::to_string(code.code.static_shared_bytes) +
          " bytes of static shared memory";
  if (const auto found = occupancy_of(code, kUsualThreads)) {
    text += ", occupancy " + std::to_string(static_cast<int>(100 * found->occupancy.ratio + 0.5)) +
            " % in blocks of " + std::to_string(found->threads) + " threads";
  }
  return text;
}

}  // namespace

Result<CompiledTexts> compiled_texts(const std::filesystem::path& path) {
  constexpr std::size_t kMostModules = 16;
  const Result<std::string> bytes = read_input(path.string(), kMostBinaryFileBytes);
  if (!bytes) return tl::unexpected(bytes.error());
  const Result<BinaryFile> file = read_binary(*bytes, path.string());
  if (!file) return tl::unexpected(file.error());
  CompiledTexts texts;
  std::set<std::string> covered;
  for (const NamedKernel& kernel : file->kernels) {
    if (kernel.ptx.empty()) {
      texts.left_out.push_back("? " + without_ptx(kernel) + ".");
    } else if (!covered.contains(kernel.symbol) && texts.ptx.size() < kMostModules) {
      Result<std::string> ptx = ptx_of(*bytes, *file, kernel.symbol, path.string());
      if (!ptx) continue;
      for (std::string& symbol : ptx_entries(*ptx)) covered.insert(std::move(symbol));
      texts.ptx.push_back(std::move(*ptx));
    }
  }
  if (!texts.ptx.empty()) return texts;
  return failure(ErrorKind::input, "its kernels have machine code alone, which is not emulated yet",
                 path.string(),
                 "compile it with PTX: nvcc -gencode arch=compute_90,code=compute_90");
}

}  // namespace warpscope
