// profiling/engine/run/emulated/programs.cpp: kernels compiled for the emulator, kept by their
// texts.
#include "profiling/engine/run/emulated/programs.h"

#include <chrono>
#include <utility>

#include "scenes/host/clock.h"

namespace warpscope {

std::string text_of(const std::vector<KernelSource>& sources,
                    const std::vector<std::pair<std::string, std::string>>& defines) {
  std::string text;
  for (const auto& [name, value] : defines) text += "#define " + name + " " + value + "\n";
  for (const KernelSource& source : sources) text += source.text + "\n";
  return text;
}

Result<EmulatedPrograms::Compiled> EmulatedPrograms::of(const CompileRequest& request) {
  const Result<std::vector<KernelSource>> sources = sources_(request.source);
  if (!sources) return tl::unexpected(sources.error());
  const std::string hash = compile_hash(request, *sources);
  if (const auto found = programs_.find(hash); found != programs_.end()) return found->second;
  const auto start = std::chrono::steady_clock::now();
  const Result<CompiledPtx> ptx = compile_to_ptx(request, *sources);
  if (!ptx) return tl::unexpected(ptx.error());
  auto program = Program::parse(ptx->ptx, request.source, text_of(*sources, request.defines));
  if (!program) return tl::unexpected(program.error());
  Compiled compiled{std::move(*program), ptx->hash, milliseconds_since(start)};
  std::string& last = requests_[request];
  programs_.erase(last);
  last = hash;
  return programs_.emplace(hash, std::move(compiled)).first->second;
}

}  // namespace warpscope
