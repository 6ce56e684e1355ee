// scenes/base/texts/code_tokens.h: a kernel's text as its tokens: what is left without comments and
// spaces; and its lines without comments.
#pragma once

#include <string>
#include <string_view>

namespace warpscope {

// The tokens of C++ or CUDA text, one after the other, each with its length, so that two texts have
// equal ones just where a compiler reads the same. Comments, white space and continued lines are
// gone; strings and characters stand as they are written; directives keep their ends.
std::string code_tokens(std::string_view text);

// The same text without its comments. Every line break stays, those in comments too, so that the
// code of line N is on line N. A comment leaves one space; blanks at the end of a line are removed.
std::string code_lines(std::string_view text);

// The tokens of PTX that another compiler made, without what it says of its source: .loc and .file
// lines and sections of debug data.
std::string ptx_tokens(std::string_view text);

}  // namespace warpscope
