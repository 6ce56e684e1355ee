// profiling/binaries/declarations.h: what a cubin declares, as PTX.
#pragma once

#include <string>
#include <string_view>

#include "scenes/host/result.h"

namespace warpscope {

// PTX that declares what a cubin has, for code that works on PTX modules: its variables with their
// values, and its kernels with their parameters and without their instructions. error: input, as
// read_cubin; its variables are too large.
Result<std::string> declarations_of(std::string_view cubin, const std::string& where);

}  // namespace warpscope
