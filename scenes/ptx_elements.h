// scenes/ptx_elements.h: what a kernel's pointers point to, by its loads and stores.
#pragma once

#include <string>
#include <string_view>
#include <vector>

// PTX does not declare what a pointer points to, but each access names a type:
//
//   ld.param.u64 %rd1, [k_param_0];  …  ld.global.f16 %h1, [%rd1+4];   // f16
//
// Bits without a type (.b32) say nothing; 16 bits are f16 or bf16 if the kernel computes with
// those.

namespace warpscope {

// `body`: of a kernel, from its bracket on. `names`: of its parameters. The element type of each,
// such as "u32"; empty: no access says it, or accesses differ.
std::vector<std::string> ptx_elements(std::string_view body, const std::vector<std::string>& names);

}  // namespace warpscope
