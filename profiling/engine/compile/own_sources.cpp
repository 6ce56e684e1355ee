// profiling/engine/compile/own_sources.cpp: the engine's own kernels, which stand in its program.
#include "profiling/engine/compile/own_sources.h"

#include <algorithm>
#include <utility>

namespace warpscope {

const std::vector<KernelSource>& own_sources() {
  static const std::vector<KernelSource> sources = {
#include "own_sources.inc"
  };
  return sources;
}

std::string roof_kernels_hash() {
  std::string all;
  for (const KernelSource& source : own_sources()) {
    if (source.path.starts_with("roofs/")) all += source.path + " " + source.hash + "\n";
  }
  return hash_of(all);
}

SourceLookup with_own_sources(SourceLookup others) {
  static const SourceLookup own = sources_among(own_sources());
  return [others = std::move(others)](const std::string& path) {
    const auto& all = own_sources();
    const bool is_own =
        std::any_of(all.begin(), all.end(), [&](const KernelSource& s) { return s.path == path; });
    return is_own ? own(path) : others(path);
  };
}

}  // namespace warpscope
