// scenes/base/texts/kernel_files.h: whether the kernels of a scene are all where they were
// installed.
#pragma once

#include <string>

#include "scenes/host/result.h"

namespace warpscope {

// Compares kernels/FOLDER with the names of the files that it had when this program was built.
// Files that were added since do not matter. An empty name has none. error: environment; it names
// the first missing file.
Result<void> check_kernel_files(const std::string& folder);

}  // namespace warpscope
