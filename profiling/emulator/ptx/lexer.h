// profiling/emulator/ptx/lexer.h: PTX text to words, numbers, strings and punctuation.
#pragma once

#include <cstdint>
#include <string_view>

namespace warpscope {

struct PtxToken {
  // word: identifiers, registers, opcodes with their dots ("ld.global.f32") and single directives.
  enum class Kind : std::uint8_t { end, word, number, string, punctuation };
  Kind kind = Kind::end;
  std::string_view text;  // a string is without its quotes
  int line = 0;           // of the PTX, 1-based
  // Number of the inline assembly that it stands in, by LLVM's comments around it; 0: in none.
  std::uint32_t assembly = 0;
  bool is(char c) const { return kind == Kind::punctuation && text[0] == c; }
  bool is(std::string_view word) const { return kind == Kind::word && text == word; }
};

// Reads one token after the other; comments are white space. Bytes that begin nothing are
// punctuation of their own, for the parser to refuse.
class PtxLexer {
 public:
  explicit PtxLexer(std::string_view text) : text_(text) {}
  PtxToken next();

 private:
  void skip_space();

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::uint32_t assembly_ = 0, assemblies_ = 0;
};

}  // namespace warpscope
