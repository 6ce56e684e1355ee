// profiling/engine/run/emulated/programs.cpp: kernels compiled for the emulator, kept by their
// texts.
#include "profiling/engine/run/emulated/programs.h"

#include <chrono>
#include <string_view>
#include <utility>

#include "profiling/engine/compile/entry_names.h"
#include "scenes/host/clock.h"

namespace warpscope {

std::string text_of(const std::vector<KernelSource>& sources,
                    const std::vector<std::pair<std::string, std::string>>& defines) {
  std::string text;
  for (const auto& [name, value] : defines) text += "#define " + name + " " + value + "\n";
  for (const KernelSource& source : sources) text += source.text + "\n";
  return text;
}

namespace {

// As host code may write them.
std::vector<std::string> kernel_names(const std::string& ptx, const std::string& file) {
  std::vector<std::string> names;
  const auto kernels = kernels_of_ptx(ptx, file);
  if (!kernels) return names;
  constexpr std::string_view kUnnamed = "(anonymous namespace)::";
  for (const ListedKernel& kernel : *kernels) {
    std::string name = kernel.name;
    for (std::size_t at = 0; (at = name.find(kUnnamed)) != std::string::npos;)
      name.erase(at, kUnnamed.size());
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

Result<EmulatedPrograms::Compiled> EmulatedPrograms::of(const CompileRequest& request) {
  const Result<std::vector<KernelSource>> sources = sources_(request.source);
  if (!sources) return tl::unexpected(sources.error());
  const std::string hash = compile_hash(request, *sources);
  if (const auto found = programs_.find(hash); found != programs_.end()) return found->second;
  const auto start = std::chrono::steady_clock::now();
  std::string& last = requests_[request];
  CompileRequest wanted = request;
  if (const auto earlier = programs_.find(last);
      request.any_text && earlier != programs_.end() && whole_.count(request) == 0)
    wanted.earlier = earlier->second.kernels;
  const Result<CompiledPtx> ptx = compile_to_ptx(wanted, *sources);
  if (!ptx) return tl::unexpected(ptx.error());
  auto program = Program::parse(ptx->ptx, request.source, text_of(*sources, request.defines));
  if (!program) return tl::unexpected(program.error());
  Compiled compiled{std::move(*program), ptx->hash, milliseconds_since(start), ptx->compiler, {}};
  if (!ptx->left_out.empty()) compiled.compiler += "; " + ptx->left_out;
  if (request.any_text) compiled.kernels = kernel_names(ptx->ptx, request.source);
  // A kernel that was removed or has another name does not say that the device part is not enough.
  const bool whole = !ptx->device_part || !ptx->left_out.empty();
  if (whole && !wanted.earlier.empty() && compiled.kernels == wanted.earlier)
    whole_.insert(request);
  programs_.erase(last);
  last = hash;
  return programs_.emplace(hash, std::move(compiled)).first->second;
}

}  // namespace warpscope
