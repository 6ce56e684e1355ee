// profiling/launches/device_part.h: what of a CUDA text a GPU needs, where the rest does not
// compile.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/host/result.h"

// A kernel is often in a file whose host code needs a library or a project's headers that are not
// here: torch/extension.h, helper_cuda.h. Its kernels compile all the same without the host part:
// functions and variables without __global__, __device__ or __constant__. Lines stay where they
// are.
//
//   const std::string alone = device_part(text, {"torch/extension.h"});

namespace warpscope {

// The text with blanks for host functions, host variables and the includes of these names. Types,
// constants, templates of types and macros stay.
std::string device_part(std::string_view text, const std::set<std::string>& left_out);

// The standard headers among `included` that only host code uses, which take a compiler most of its
// time: <vector>, <iostream>, <string>.
std::set<std::string> host_headers(const std::vector<std::string>& included);

// The name of the include that the compiler's log says is not there; empty: it names none.
std::string missing_include(std::string_view log);

// "only the device part was compiled: helper_cuda.h is not here".
std::string left_out_text(const std::set<std::string>& missing);

// What to say if neither the whole text nor its device part compiles. Without the missing headers,
// the remaining mistakes are the person's own.
Error error_of_parts(const Error& whole, const Error& parts, const std::set<std::string>& missing);

}  // namespace warpscope
