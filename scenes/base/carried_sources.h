// scenes/base/carried_sources.h: kernels of scenes that are not files below kernels/.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/base/source.h"

// A folder's texts, or those that came with a session. Whoever asks for a kernel by its path below
// kernels/ ("saxpy/saxpy.cu") gets them as if they lay there; headers are found among the texts of
// the scene that includes them.

namespace warpscope {

// In place of those the scene had; `besides`: a built-in scene whose kernels it launches too,
// empty: none. From any thread.
void carry_sources(const std::string& scene, std::vector<KernelSource> sources,
                   std::string besides = {});
// Those of a scene; null: its kernels are files.
std::shared_ptr<const std::vector<KernelSource>> carried_sources(std::string_view scene);
// The built-in scene whose kernels a carried scene launches besides its own; empty: none.
std::string launched_besides(std::string_view scene);
// One by its path, or a header of any scene by the name it is included by; null: there is none.
std::shared_ptr<const KernelSource> carried_source(const std::string& path);

}  // namespace warpscope
