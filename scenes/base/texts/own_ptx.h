// scenes/base/texts/own_ptx.h: PTX with the texts that it was compiled from.
#pragma once

#include <string>
#include <vector>

#include "scenes/base/source.h"

namespace warpscope {

// PTX that stands in the file at `path`, and after it the files that its .file lines name: in place
// where that was allowed (input_file.h), or beside it.
std::vector<KernelSource> own_ptx(const std::string& path, std::string ptx);
// The same of PTX that was read already.
std::vector<KernelSource> with_ptx_sources(KernelSource ptx);

}  // namespace warpscope
