// scenes/base/texts/code_tokens.h: a kernel's text as its tokens: what is left without comments and
// spaces.
#pragma once

#include <string>
#include <string_view>

namespace warpscope {

// The tokens of C++ or CUDA text, one after the other, each with its length, so that two texts have
// equal ones just where a compiler reads the same. Comments, white space and continued lines are
// gone; strings and characters stand as they are written; directives keep their ends.
std::string code_tokens(std::string_view text);

// The same of PTX that another compiler made, without what it says of its source: .loc and .file
// lines and sections of debug data.
std::string ptx_tokens(std::string_view text);

}  // namespace warpscope
