// workbench/client/own_binary.cpp: a compiled file of the person's own, and the PTX in it.
#include "workbench/client/own_binary.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "profiling/binaries/compiled_occupancy.h"
#include "profiling/binaries/declarations.h"
#include "profiling/binaries/library_code.h"
#include "profiling/capture/machine_code_text.h"
#include "scenes/base/texts/machine_code.h"
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

int emulated_machine_code(const std::vector<CodeTarget>& targets) {
  for (const int wanted : kEmulatedMachineCodes) {
    if (std::any_of(targets.begin(), targets.end(),
                    [&](const CodeTarget& target) { return target.compute_capability == wanted; }))
      return wanted;
  }
  return 0;
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
  if (compute_capability == kCheckedMachineCode && file.ptx.empty()) {
    if (const int emulated = emulated_machine_code(file.machine)) compute_capability = emulated;
  }
  if (wanted && (file.ptx.empty() || has_machine_code(file, compute_capability)))
    return machine_code_source(bytes, file, user, compute_capability);
  Result<std::string> ptx = ptx_of(bytes, file, user.entry, user.path);
  if (ptx) return own_ptx(user.path, std::move(*ptx));
  const int emulated = emulated_machine_code(file.machine);
  if (ptx.error().kind != ErrorKind::input || emulated == 0) return tl::unexpected(ptx.error());
  return machine_code_source(bytes, file, user, emulated);
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

// "scale has machine code for sm_80 alone, …: 40 registers per thread, …"
std::string without_ptx(const NamedKernel& kernel) {
  constexpr std::int64_t kUsualThreads = 256;
  std::string text = visible_name(kernel.name.name) +
                     " is not emulated: that needs PTX, or machine code for " +
                     kEmulatedMachineCodeNames + " that is not of a closed library";
  if (kernel.compiled.empty()) return text;
  const CompiledKernel& code = kernel.compiled.back();
  text += ". For " + machine_name(code.target) + " it has " + std::to_string(code.code.registers) +
          " registers per thread, " + std::to_string(code.code.static_shared_bytes) +
          " bytes of static shared memory";
  if (const auto found = occupancy_of(code, kUsualThreads)) {
    text += ", occupancy " + std::to_string(static_cast<int>(100 * found->occupancy.ratio + 0.5)) +
            " % in blocks of " + std::to_string(found->threads) + " threads";
  }
  return text;
}

// Takes the texts of a compiled file's kernels, each module of code once.
class TextsOfKernels {
 public:
  TextsOfKernels(const std::string& bytes, const BinaryFile& file, std::string path)
      : bytes_(bytes), file_(file), path_(std::move(path)) {}

  void add_ptx(const NamedKernel& kernel) {
    if (kernel.ptx.empty() || covered_.contains(kernel.symbol) || is_full()) return;
    Result<std::string> ptx = ptx_of(bytes_, file_, kernel.symbol, path_);
    if (ptx) add({std::move(*ptx), ""});
  }
  // If some kernels of a module have PTX, only these are taken.
  void add_machine_code(const NamedKernel& kernel) {
    if (!kernel.ptx.empty() || covered_.contains(kernel.symbol)) return;
    if (std::optional<CompiledText> text = machine_code(kernel)) {
      add(std::move(*text));
    } else {
      all_.left_out.push_back("? " + without_ptx(kernel) + ".");
    }
  }
  CompiledTexts take() { return std::move(all_); }

 private:
  bool is_full() const {
    constexpr std::size_t kMostModules = 16;
    return all_.texts.size() >= kMostModules;
  }
  std::optional<CompiledText> machine_code(const NamedKernel& kernel) const {
    std::vector<CodeTarget> targets;
    for (const CompiledKernel& code : kernel.compiled) targets.push_back(code.target);
    const int wanted = emulated_machine_code(targets);
    if (wanted == 0 || is_full() || closed_library_of_kernel(kernel.symbol)) return std::nullopt;
    Result<MachineModule> module =
        machine_code_of_kernel(bytes_, file_, kernel.symbol, wanted, path_);
    if (!module) return std::nullopt;
    Result<std::string> declared = declarations_of(module->cubin, path_);
    if (!declared) return std::nullopt;
    for (const std::string& other : ptx_entries(*declared))
      if (covered_.contains(other)) return std::nullopt;
    return CompiledText{std::move(*declared),
                        machine_code_text({std::move(module->cubin), wanted, ""})};
  }
  void add(CompiledText text) {
    for (std::string& symbol : ptx_entries(text.ptx)) covered_.insert(std::move(symbol));
    all_.texts.push_back(std::move(text));
  }

  const std::string& bytes_;
  const BinaryFile& file_;
  std::string path_;
  CompiledTexts all_;
  std::set<std::string> covered_;  // symbols of the texts
};

}  // namespace

Result<CompiledTexts> compiled_texts(const std::filesystem::path& path) {
  const Result<std::string> bytes = read_input(path.string(), kMostBinaryFileBytes);
  if (!bytes) return tl::unexpected(bytes.error());
  const Result<BinaryFile> file = read_binary(*bytes, path.string());
  if (!file) return tl::unexpected(file.error());
  TextsOfKernels texts(*bytes, *file, path.string());
  for (const NamedKernel& kernel : file->kernels) texts.add_ptx(kernel);
  for (const NamedKernel& kernel : file->kernels) texts.add_machine_code(kernel);
  CompiledTexts all = texts.take();
  if (!all.texts.empty()) return all;
  return failure(ErrorKind::input,
                 std::string("none of its kernels has PTX, or machine code for ") +
                     kEmulatedMachineCodeNames + " that may be emulated",
                 path.string(),
                 "compile it with PTX: nvcc -gencode arch=compute_90,code=compute_90");
}

}  // namespace warpscope
