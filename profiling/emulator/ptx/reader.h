// profiling/emulator/ptx/reader.h: tokens taken one at a time, and the first thing that was wrong.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "profiling/emulator/ptx/lexer.h"

namespace warpscope {

// After a failure nothing is taken any more, so a parser need not look after every step.
class PtxReader {
 protected:
  explicit PtxReader(std::string_view text) : lexer_(text) { advance(); }

  void advance() {
    now_ = lexer_.next();
    if (now_.kind == PtxToken::Kind::number && now_.text.size() > 64) fail("a number is too long");
  }
  bool fail(std::string what) {
    if (!failed_) {
      failed_ = true;
      error_ = std::move(what);
      error_line_ = now_.line;
    }
    return false;
  }
  std::string shown() const {
    if (now_.kind == PtxToken::Kind::end) return "the end of the text";
    std::string text;
    for (const char c : now_.text.substr(0, 40)) text += c >= ' ' && c <= '~' ? c : '?';
    return '"' + text + '"';
  }
  bool expect(char c) {
    if (failed_) return false;
    if (!now_.is(c)) return fail(std::string("expected '") + c + "', found " + shown());
    advance();
    return true;
  }
  bool take(char c) {
    if (failed_ || !now_.is(c)) return false;
    advance();
    return true;
  }
  bool take(std::string_view word) {
    if (failed_ || !now_.is(word)) return false;
    advance();
    return true;
  }
  std::string_view expect_word() {
    if (failed_ || now_.kind != PtxToken::Kind::word) {
      fail("expected a name, found " + shown());
      return {};
    }
    const std::string_view word = now_.text;
    advance();
    return word;
  }
  // An integer of any base with an optional sign and trailing U.
  std::int64_t expect_integer() {
    const bool negative = take('-');
    if (failed_ || now_.kind != PtxToken::Kind::number) {
      fail("expected a number, found " + shown());
      return 0;
    }
    const std::optional<std::uint64_t> value = integer_of(now_.text);
    if (!value) {
      fail("expected an integer, found " + shown());
      return 0;
    }
    advance();
    return static_cast<std::int64_t>(negative ? 0 - *value : *value);
  }
  static std::optional<std::uint64_t> integer_of(std::string_view text) {
    int base = 10;
    if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
      base = 16;
      text.remove_prefix(2);
    } else if (text.size() > 2 && text[0] == '0' && (text[1] == 'b' || text[1] == 'B')) {
      base = 2;
      text.remove_prefix(2);
    } else if (text.size() > 1 && text[0] == '0') {
      base = 8;
    }
    if (!text.empty() && text.back() == 'U') text.remove_suffix(1);
    std::uint64_t value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (status != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
  }
  // Where a reader stands, to go back to after a failure.
  struct Place {
    PtxLexer lexer;
    PtxToken now;
  };
  Place here() const { return {lexer_, now_}; }
  void return_to(const Place& place) {
    lexer_ = place.lexer;
    now_ = place.now;
  }
  void skip() { now_ = lexer_.next(); }
  void skip_to_semicolon() {
    while (!failed_ && now_.kind != PtxToken::Kind::end && !now_.is(';')) advance();
    expect(';');
  }

  PtxLexer lexer_;
  PtxToken now_;
  bool failed_ = false;
  std::string error_;
  int error_line_ = 0;
};

}  // namespace warpscope
