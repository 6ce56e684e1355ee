// scenes/base/texts/code_tokens.cpp: a kernel's text as its tokens: what is left without comments
// and spaces; and its lines without comments.
#include "scenes/base/texts/code_tokens.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <utility>
#include <vector>

namespace warpscope {
namespace {

bool begins_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool in_name(char c) { return begins_name(c) || is_digit(c); }

// source: C++17 (N4659), [lex]; its phases of translation 1 to 3.
class Tokens {
 public:
  explicit Tokens(std::string_view original) : original_(original) {
    // A backslash before the end of a line joins it with the next.
    for (std::size_t i = 0; i < original.size(); ++i) {
      if (original[i] == '\\' && original.substr(i + 1, 1) == "\n") {
        ++i;
      } else if (original[i] == '\\' && original.substr(i + 1, 2) == "\r\n") {
        i += 2;
      } else {
        text_ += original[i];
        places_.push_back(i);
      }
    }
  }

  std::string all() {
    while (at_ < text_.size()) step();
    end_line();
    return std::move(out_);
  }

  // The original text, with a space and its line breaks in place of each comment.
  std::string lines() {
    while (at_ < text_.size()) step();
    std::string code;
    std::size_t from = 0;
    for (const auto& [begin, end] : comments_) {
      add_lines(original_.substr(from, begin - from), code);
      code += ' ';
      for (const char c : original_.substr(begin, end - begin)) {
        if (c == '\n') add_lines("\n", code);
      }
      from = end;
    }
    add_lines(original_.substr(from), code);
    strip_end(code);
    return code;
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool stands(std::string_view words) const { return text_.compare(at_, words.size(), words) == 0; }

  static void strip_end(std::string& code) { code.erase(code.find_last_not_of(" \t\r\f\v") + 1); }
  static void add_lines(std::string_view part, std::string& code) {
    for (const char c : part) {
      if (c == '\n') strip_end(code);
      code += c;
    }
  }

  void comment_up_to(std::size_t end) {
    comments_.emplace_back(places_[at_], end < places_.size() ? places_[end] : original_.size());
    at_ = end;
  }
  void put(std::string_view token) {
    out_ += std::to_string(token.size());
    out_ += ':';
    out_ += token;
    line_begins_ = false;
    if (in_directive_) ++directive_tokens_;
  }
  void put_up_to(std::size_t end) {
    const std::size_t begin = std::exchange(at_, std::min(end, text_.size()));
    put(std::string_view(text_).substr(begin, at_ - begin));
  }
  void end_line() {
    if (in_directive_) put("\n");
    in_directive_ = defines_ = false;
    line_begins_ = true;
  }

  void step() {
    const char c = peek();
    if (c == '\n') {
      ++at_;
      end_line();
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++at_;
    } else if (stands("//")) {
      comment_up_to(std::min(text_.find('\n', at_), text_.size()));
    } else if (stands("/*")) {
      const std::size_t end = text_.find("*/", at_ + 2);
      comment_up_to(end == std::string::npos ? text_.size() : end + 2);
    } else if (c == '#' && line_begins_) {
      in_directive_ = true;
      directive_tokens_ = 0;
      ++at_;
      put("#");
    } else if (begins_name(c)) {
      name();
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      number();
    } else if (c == '"' || c == '\'') {
      put_up_to(end_of_literal(at_));
    } else {
      put_up_to(at_ + punctuator_length());
    }
  }

  void name() {
    std::size_t end = at_;
    while (end < text_.size() && in_name(text_[end])) ++end;
    const std::string_view word = std::string_view(text_).substr(at_, end - at_);
    const char next = end < text_.size() ? text_[end] : '\0';
    const auto is_one_of = [&word](std::initializer_list<std::string_view> words) {
      return std::find(words.begin(), words.end(), word) != words.end();
    };
    if (next == '"' && is_one_of({"R", "uR", "UR", "LR", "u8R"})) return raw_string(end);
    if ((next == '"' || next == '\'') && is_one_of({"u", "U", "L", "u8"}))
      return put_up_to(end_of_literal(end));
    const bool defined = defines_ && directive_tokens_ == 2;
    if (in_directive_ && directive_tokens_ == 1) defines_ = word == "define";
    put_up_to(end);
    // A parenthesis directly after the name of a macro begins its parameters; after a space it
    // begins its replacement.
    if (defined && peek() == '(') {
      ++at_;
      put("( of parameters");
    }
  }

  void number() {
    std::size_t end = at_ + 1;
    while (end < text_.size()) {
      const char c = text_[end], before = text_[end - 1];
      const bool sign = (c == '+' || c == '-') &&
                        (before == 'e' || before == 'E' || before == 'p' || before == 'P');
      const bool separator = c == '\'' && end + 1 < text_.size() && in_name(text_[end + 1]);
      if (!in_name(c) && c != '.' && !sign && !separator) break;
      ++end;
    }
    put_up_to(end);
  }

  // The end of the literal whose quote is at `quote`. If the line ends first, as in the words of an
  // #error, the position after the quote.
  std::size_t end_of_literal(std::size_t quote) const {
    for (std::size_t i = quote + 1; i < text_.size() && text_[i] != '\n'; ++i) {
      if (text_[i] == '\\') {
        ++i;
      } else if (text_[i] == text_[quote]) {
        return i + 1;
      }
    }
    return quote + 1;
  }

  // R"mark( … )mark": nothing in it is joined or escaped, so it is taken from the original.
  void raw_string(std::size_t quote) {
    const std::size_t open = text_.find('(', quote);
    if (open == std::string::npos) return put_up_to(quote + 1);
    const std::string close = ")" + text_.substr(quote + 1, open - quote - 1) + "\"";
    const std::size_t begin = places_[at_];
    const std::size_t found = original_.find(close, places_[open]);
    const std::size_t end =
        found == std::string_view::npos ? original_.size() : found + close.size();
    put(original_.substr(begin, end - begin));
    at_ = static_cast<std::size_t>(std::lower_bound(places_.begin(), places_.end(), end) -
                                   places_.begin());
  }

  std::size_t punctuator_length() const {
    constexpr std::array<std::string_view, 26> kLong = {
        "<<=", ">>=", "...", "->*", "::", "->", "++", "--", "<<", ">>", "<=", ">=", "==",
        "!=",  "&&",  "||",  "+=",  "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##", ".*"};
    for (const std::string_view words : kLong) {
      if (stands(words)) return words.size();
    }
    return 1;
  }

  std::string_view original_;
  std::string text_;                                           // with joined lines
  std::vector<std::size_t> places_;                            // of its characters in the original
  std::vector<std::pair<std::size_t, std::size_t>> comments_;  // begin and end in the original
  std::size_t at_ = 0;
  std::string out_;
  bool line_begins_ = true, in_directive_ = false, defines_ = false;
  int directive_tokens_ = 0;
};

}  // namespace

std::string code_tokens(std::string_view text) { return Tokens(text).all(); }
std::string code_lines(std::string_view text) { return Tokens(text).lines(); }

std::string ptx_tokens(std::string_view text) {
  std::string code;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    const std::size_t word = std::min(line.find_first_not_of(" \t"), line.size());
    const std::string_view rest = line.substr(word);
    const auto is_directive = [&rest](std::string_view name) {
      return rest.starts_with(name) &&
             (rest.size() == name.size() || rest[name.size()] == ' ' || rest[name.size()] == '\t');
    };
    if (is_directive(".section") && rest.find(".debug") != std::string_view::npos) {
      const std::size_t close = text.find('}', begin);
      begin = close == std::string_view::npos ? text.size() : close + 1;
      continue;
    }
    if (!is_directive(".loc") && !is_directive(".file")) {
      code += line;
      code += '\n';
    }
    begin = end + 1;
  }
  return code_tokens(code);
}

}  // namespace warpscope
