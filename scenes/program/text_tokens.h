// scenes/program/text_tokens.h: a CUDA text as tokens with lines, its macros replaced.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/program/program.h"

// Nothing is compiled, and no file is opened: an include takes one of the headers that are given,
// and its tokens have line 0. A macro with parameters is replaced; one without stays a name if it
// stands for a value, so that `#define N 1024` keeps the name N. For #if and #ifdef, the part is
// read that follows from the text's own definitions; a name that it does not define counts as not
// defined.

namespace warpscope::program {

struct Token {
  enum class Kind { name, number, text, sign };
  Kind kind = Kind::sign;
  std::string text;
  int line = 0;
  std::size_t match = 0;  // the place of the bracket that belongs to this one; beyond all: none
  std::string comment;    // what comments after it say, up to the next token

  bool is(std::string_view words) const { return text == words && kind != Kind::text; }
  bool is_name() const { return kind == Kind::name; }
};

struct Macro {
  std::vector<Token> body;
  int line = 0;
};

struct TokenText {
  std::vector<Token> tokens;
  std::map<std::string, Macro, std::less<>> values;  // macros without parameters
  bool cut = false;                                  // the text is larger than what is read of it

  std::size_t size() const { return tokens.size(); }
  // The token at a place; an empty sign beyond the end.
  const Token& operator[](std::size_t at) const;
  // After the bracket that closes the one at `at`, at most the end.
  std::size_t after(std::size_t at) const;
  // After the > that closes the < at `at`; `at` itself where none does.
  std::size_t after_angle(std::size_t at) const;
  // The tokens of [begin, end) as text: "const float*", "Span<const double>".
  std::string text(std::size_t begin, std::size_t end) const;
};

TokenText tokens_of(std::string_view text, const HeaderTexts& headers = {});

// Sets `match` of every bracket.
void match_brackets(std::vector<Token>& tokens);

}  // namespace warpscope::program
