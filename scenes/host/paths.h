// scenes/host/paths.h: where kernels/ and assets/ lie at run time.
#pragma once

#include <filesystem>
#include <string>

#include "scenes/host/result.h"

namespace warpscope {

// The folder that holds kernels/ and assets/: $WARPSCOPE_HOME, else the nearest folder at or above
// the executable that has them, else the source folder of the build. error: environment.
Result<std::filesystem::path> home_folder();

// The text of a kernel file below kernels/. error: environment, naming the path.
Result<std::string> read_kernel_source(const std::string& path_below_kernels);

}  // namespace warpscope
