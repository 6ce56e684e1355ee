// profiling/emulator/ptx/symbol_name.h: what a person calls a symbol of a PTX text.
#pragma once

#include <string>
#include <string_view>

namespace warpscope {

// "tile" for the static array _ZZ9transposeIfEvPKfPfE4tile of a function, "ns::table" for
// _ZN2ns5tableE. A name that is not mangled stays as it is.
std::string shown_name(std::string_view symbol);

}  // namespace warpscope
