// scenes/kernel_signature.h: the parameters of the kernels that a text declares.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpscope {

// A parameter as it is declared: "const float*", "x", and what stands in brackets in a comment
// behind it: "rows, columns".
struct KernelParameter {
  std::string type, name, shape;
};
struct KernelSignature {
  std::string name;
  std::vector<KernelParameter> parameters;
  bool plain = false;    // extern "C": its name is not mangled
  int threads = 256;     // of __launch_bounds__, where that is a number
  bool by_rows = false;  // it reads threadIdx.y or blockIdx.y
};

// The kernels that a text declares, in order; templates are left out.
std::vector<KernelSignature> kernels_in(std::string_view text);

}  // namespace warpscope
