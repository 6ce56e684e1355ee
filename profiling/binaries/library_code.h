// profiling/binaries/library_code.h: NVIDIA's closed libraries, whose code is not disassembled.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace warpscope {

// NVIDIA's terms forbid disassembling its libraries. Returns the library's name where a file is one
// of them ("libcublasLt.so.13"), or where a kernel's symbol is of one; no value: it is not.
std::optional<std::string> closed_library_of_file(std::string_view path);
std::optional<std::string> closed_library_of_kernel(std::string_view symbol);

}  // namespace warpscope
