// profiling/engine/compile/own_sources.h: the engine's own kernels, which stand in its program.
#pragma once

#include <string>
#include <vector>

#include "scenes/base/source.h"

namespace warpscope {

// kernels/engine/, kernels/roofs/ and the headers at the top of kernels/, as they were when this
// program was built: an engine on another machine is one file.
const std::vector<KernelSource>& own_sources();

// Hash of the kernels that measure roofs. A roof that other kernels measured is measured anew.
std::string roof_kernels_hash();

// The engine's own kernels, and of `others` whatever else is asked for.
SourceLookup with_own_sources(SourceLookup others);

}  // namespace warpscope
