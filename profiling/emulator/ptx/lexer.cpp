// profiling/emulator/ptx/lexer.cpp: PTX text to words, numbers, strings and punctuation.
#include "profiling/emulator/ptx/lexer.h"

namespace warpscope {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%' ||
         c == '.';
}
bool continues_word(char c) { return begins_word(c) || is_digit(c); }

}  // namespace

void PtxLexer::skip_space() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '\n') {
      ++line_;
      ++at_;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++at_;
    } else if (text_.substr(at_, 2) == "//") {
      constexpr std::string_view kBegin = "// begin inline asm", kEnd = "// end inline asm";
      if (text_.substr(at_, kBegin.size()) == kBegin) assembly_ = ++assemblies_;
      if (text_.substr(at_, kEnd.size()) == kEnd) assembly_ = 0;
      at_ = text_.find('\n', at_);
      if (at_ == std::string_view::npos) at_ = text_.size();
    } else if (text_.substr(at_, 2) == "/*") {
      std::size_t end = text_.find("*/", at_ + 2);
      end = end == std::string_view::npos ? text_.size() : end + 2;
      for (; at_ < end; ++at_) line_ += text_[at_] == '\n';
    } else {
      return;
    }
  }
}

PtxToken PtxLexer::next() {
  skip_space();
  PtxToken token{PtxToken::Kind::end, text_.substr(text_.size()), line_, assembly_};
  if (at_ >= text_.size()) return token;
  const std::size_t start = at_;
  const char c = text_[at_];
  if (c == '"') {
    std::size_t end = start + 1;
    while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') {
      end += text_[end] == '\\' && end + 1 < text_.size() && text_[end + 1] != '\n' ? 2 : 1;
    }
    token.kind = PtxToken::Kind::string;
    token.text = text_.substr(start + 1, end - start - 1);
    at_ = end < text_.size() && text_[end] == '"' ? end + 1 : end;
  } else if (is_digit(c)) {
    ++at_;
    const bool hexadecimal = c == '0' && at_ < text_.size() &&
                             (text_[at_] == 'x' || text_[at_] == 'X' || text_[at_] == 'f' ||
                              text_[at_] == 'F' || text_[at_] == 'd' || text_[at_] == 'D');
    while (at_ < text_.size()) {
      const char here = text_[at_], before = text_[at_ - 1];
      const bool exponent_sign =
          !hexadecimal && (here == '-' || here == '+') && (before == 'e' || before == 'E');
      if (!continues_word(here) && !exponent_sign) break;
      ++at_;
    }
    token.kind = PtxToken::Kind::number;
    token.text = text_.substr(start, at_ - start);
  } else if (begins_word(c)) {
    ++at_;
    // Directives may stand without space between them: ".reg.b16".
    const bool directive = c == '.';
    while (at_ < text_.size() && !(directive && text_[at_] == '.')) {
      if (continues_word(text_[at_])) {
        ++at_;
      } else if (text_.substr(at_, 2) == "::") {
        at_ += 2;
      } else {
        break;
      }
    }
    token.kind = PtxToken::Kind::word;
    token.text = text_.substr(start, at_ - start);
  } else {
    ++at_;
    token.kind = PtxToken::Kind::punctuation;
    token.text = text_.substr(start, 1);
  }
  return token;
}

}  // namespace warpscope
