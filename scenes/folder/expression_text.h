// scenes/folder/expression_text.h: an expression's text, its names checked and made ready for the
// parser.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/folder/expression.h"

namespace warpscope {

struct ExpressionText {
  std::string code;                // choices compared by number: op == 'copy' is op == 0
  std::vector<std::string> names;  // used, in the order of their first use
};

// error: input: a character or a name that no expression has, with the nearest name or what to
// write.
Result<ExpressionText> read_expression(std::string_view text, std::span<const ExpressionName> names,
                                       bool element);

// What the parser says of an expression, as the middle of a sentence.
std::string parser_words(std::string message);

}  // namespace warpscope
