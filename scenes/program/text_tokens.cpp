// scenes/program/text_tokens.cpp: a CUDA text as tokens with lines, its macros replaced.
#include "scenes/program/text_tokens.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <set>
#include <utility>

namespace warpscope::program {
namespace {

constexpr std::size_t kMostCharacters = 4 << 20, kMostTokens = 400'000, kMostMacroTokens = 2000;
constexpr std::size_t kMostNesting = 500, kMostHeaderTokens = 60'000;
constexpr int kMostMacroDepth = 8, kMostIncludeDepth = 20;

bool begins_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool in_name(char c) { return begins_name(c) || is_digit(c); }

struct FunctionMacro {
  std::vector<std::string> parameters;
  bool variadic = false;
  std::vector<Token> body;
};

// One line or more as tokens; a comment goes to the token before it.
class Lexer {
 public:
  Lexer(std::string_view text, int line) : text_(text), line_(line) {}

  bool ended() const { return at_ >= text_.size(); }
  int line() const { return line_; }

  // The next token; a directive as one sign "#" with its words; an empty one at the end.
  Token next(std::string& comments) {
    for (;;) {
      skip(comments);
      if (ended()) return {};
      if (peek() == '#' && line_begins_) return directive();
      line_begins_ = false;
      return token();
    }
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool joins_lines() const {
    return peek() == '\\' && (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n'));
  }
  void advance() {
    if (peek() == '\n') {
      ++line_;
      line_begins_ = true;
    }
    ++at_;
  }

  void skip(std::string& comments) {
    while (!ended()) {
      if (joins_lines()) {
        at_ += peek(1) == '\n' ? 2 : 3;
        ++line_;
      } else if (std::isspace(static_cast<unsigned char>(peek())) != 0) {
        advance();
      } else if (peek() == '/' && peek(1) == '/') {
        const std::size_t begin = at_;
        while (!ended() && peek() != '\n') ++at_;
        comments += text_.substr(begin + 2, at_ - begin - 2);
      } else if (peek() == '/' && peek(1) == '*') {
        const std::size_t end = std::min(text_.find("*/", at_ + 2), text_.size());
        comments += text_.substr(at_ + 2, end - std::min(end, at_ + 2));
        while (at_ < end) advance();
        at_ = std::min(at_ + 2, text_.size());
      } else {
        return;
      }
    }
  }

  // What stands up to the end of the line, lines that are joined to it included.
  Token directive() {
    Token found{Token::Kind::text, "", line_, 0, ""};
    ++at_;
    while (!ended() && peek() != '\n') {
      if (joins_lines()) {
        at_ += peek(1) == '\n' ? 2 : 3;
        ++line_;
        found.text += ' ';
      } else if (peek() == '/' && peek(1) == '*') {
        const std::size_t end = std::min(text_.find("*/", at_ + 2), text_.size());
        for (; at_ < end; ++at_) line_ += peek() == '\n' ? 1 : 0;
        at_ = std::min(at_ + 2, text_.size());
      } else {
        found.text += text_[at_++];
      }
    }
    found.match = 1;  // marks the directive
    return found;
  }

  Token token() {
    const std::size_t begin = at_;
    Token found{Token::Kind::sign, "", line_, 0, ""};
    const char c = peek();
    if (begins_name(c)) {
      while (in_name(peek())) ++at_;
      const std::string_view word = text_.substr(begin, at_ - begin);
      if (peek() == '"' && !word.empty() && word.back() == 'R' && word.size() < 4)
        return raw_text(found);
      found.kind = Token::Kind::name;
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      found.kind = Token::Kind::number;
      number();
    } else if (c == '"' || c == '\'') {
      found.kind = c == '"' ? Token::Kind::text : Token::Kind::number;
      literal();
      if (c == '\'') {
        // A character is a number.
        const std::string_view inner = text_.substr(begin + 1, at_ - begin - 1);
        const char value = inner.empty() ? '0' : inner[0];
        found.text = std::to_string(static_cast<int>(value));
        return found;
      }
    } else {
      at_ += sign_length();
    }
    found.text = std::string(text_.substr(begin, at_ - begin));
    return found;
  }

  void number() {
    ++at_;
    for (char before = text_[at_ - 1]; !ended(); before = text_[at_ - 1]) {
      const char c = peek();
      const bool power = before == 'e' || before == 'E' || before == 'p' || before == 'P';
      const bool separator = c == '\'' && in_name(peek(1));
      if (!in_name(c) && c != '.' && !((c == '+' || c == '-') && power) && !separator) return;
      ++at_;
    }
  }

  void literal() {
    const char quote = peek();
    for (++at_; !ended() && peek() != '\n'; ++at_) {
      if (peek() == '\\') {
        ++at_;
      } else if (peek() == quote) {
        ++at_;
        return;
      }
    }
    at_ = std::min(at_, text_.size());
  }

  Token raw_text(Token found) {
    const std::size_t open = std::min(text_.find('(', at_), text_.size());
    const std::string close =
        ")" + std::string(text_.substr(at_ + 1, open - std::min(open, at_ + 1))) + "\"";
    const std::size_t end = std::min(text_.find(close, open), text_.size());
    while (at_ < end) advance();
    at_ = std::min(at_ + close.size(), text_.size());
    line_begins_ = false;
    found.kind = Token::Kind::text;
    return found;
  }

  std::size_t sign_length() const {
    constexpr std::array<std::string_view, 27> kLong = {
        "<<<", ">>>", "<<=", ">>=", "...", "->*", "::", "->", "++", "--", "<<", ">>", "<=", ">=",
        "==",  "!=",  "&&",  "||",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^=", "##"};
    for (const std::string_view words : kLong) {
      if (text_.compare(at_, words.size(), words) == 0) return words.size();
    }
    return 1;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool line_begins_ = true;
};

std::vector<Token> lexed(std::string_view text, int line) {
  std::vector<Token> tokens;
  std::string comments;
  Lexer lexer(text, line);
  for (;;) {
    Token token = lexer.next(comments);
    if (token.text.empty() && token.kind == Token::Kind::sign) return tokens;
    if (tokens.size() >= kMostTokens) return tokens;
    token.line = line;
    token.match = 0;
    tokens.push_back(std::move(token));
  }
}

// What a macro without parameters stands for is not a value: a type, a statement, an attribute.
bool is_words(const std::vector<Token>& body) {
  static const std::set<std::string, std::less<>> kWords = {
      "float", "double", "int",    "unsigned", "char",   "void",     "half",    "long",
      "short", "const",  "static", "inline",   "extern", "struct",   "return",  "template",
      "bool",  "{",      "}",      ";",        "asm",    "typename", "volatile"};
  if (body.empty()) return true;
  int depth = 0;
  for (const Token& token : body) {
    if (token.is("(")) ++depth;
    if (token.is(")")) --depth;
    if (token.kind == Token::Kind::text) return true;
    if (token.is_name() && token.text.starts_with("__") && !token.text.starts_with("__CUDA"))
      return true;
    if (depth == 0 && kWords.contains(token.text)) return true;
  }
  return false;
}

class Preprocessor {
 public:
  Preprocessor(std::string_view text, const HeaderTexts& headers) : headers_(headers) {
    out_.cut = text.size() > kMostCharacters;
    text_ = text.substr(0, kMostCharacters);
  }

  TokenText all() {
    read(text_, true);
    std::set<std::string> active;
    expand(raw_, out_.tokens, active, 0);
    match_brackets(out_.tokens);
    return std::move(out_);
  }

 private:
  struct Part {
    bool taken = false, was_taken = false;
  };

  // The text itself, or a header.
  void read(std::string_view text, bool own) {
    Lexer lexer(text, 1);
    std::string comments;
    for (;;) {
      Token token = lexer.next(comments);
      const bool end = token.text.empty() && token.kind == Token::Kind::sign;
      if (own && !comments.empty() && !raw_.empty()) raw_.back().comment += comments;
      comments.clear();
      if (end || (!own && ++header_tokens_ > kMostHeaderTokens)) return;
      if (!own) token.line = 0;
      if (token.match == 1 && token.kind == Token::Kind::text) {
        directive(token);
      } else if (active()) {
        raw_.push_back(std::move(token));
      }
      if (raw_.size() >= kMostTokens) {
        out_.cut = true;
        return;
      }
    }
  }

  // A header that is given, once.
  void include(const std::string& directive) {
    const std::size_t open = directive.find_first_of("\"<"),
                      close = directive.find_first_of("\">", open + 1);
    if (open == std::string::npos || close == std::string::npos) return;
    const std::string name = directive.substr(open + 1, close - open - 1);
    const auto header = std::find_if(headers_.begin(), headers_.end(),
                                     [&](const auto& each) { return each.first == name; });
    if (header == headers_.end() || depth_ >= kMostIncludeDepth || !included_.insert(name).second)
      return;
    ++depth_;
    const std::size_t conditions = parts_.size(), begin = raw_.size();
    read(header->second, false);
    parts_.resize(std::min(conditions, parts_.size()));
    if (--depth_ == 0 && header_tokens_ > kMostHeaderTokens) end_cut_header(begin);
  }

  // What is left of a header that is cut off ends with a whole statement, in no namespace.
  void end_cut_header(std::size_t begin) {
    std::size_t end = begin;
    int open = 0, braces = 0, braces_there = 0;
    for (std::size_t i = begin; i < raw_.size(); ++i) {
      open += raw_[i].is("(") ? 1 : raw_[i].is(")") ? -1 : 0;
      braces += raw_[i].is("{") ? 1 : raw_[i].is("}") ? -1 : 0;
      if (open != 0 || !(raw_[i].is(";") || raw_[i].is("}"))) continue;
      end = i + 1;
      braces_there = braces;
    }
    raw_.resize(end);
    for (; braces_there > 0; --braces_there) raw_.push_back({Token::Kind::sign, "}", 0, 0, ""});
  }

  bool active() const {
    return std::all_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.taken; });
  }

  void directive(const Token& token) {
    const std::vector<Token> words = lexed(token.text, token.line);
    if (words.empty()) return;
    const std::string& word = words[0].text;
    if (word == "if" || word == "ifdef" || word == "ifndef") {
      bool taken = word == "if" ? holds(words) : words.size() > 1 && defined(words[1].text);
      if (word == "ifndef") taken = !taken;
      if (parts_.size() < 1000) parts_.push_back({taken, taken});
    } else if (word == "else" || word == "elif") {
      if (parts_.empty()) return;
      Part& part = parts_.back();
      part.taken = !part.was_taken && (word == "else" || holds(words));
      part.was_taken = part.was_taken || part.taken;
    } else if (word == "endif") {
      if (!parts_.empty()) parts_.pop_back();
    } else if (word == "include" && active()) {
      include(token.text);
    } else if (word == "define" && active()) {
      define(token, words);
    } else if (word == "undef" && active() && words.size() > 1) {
      out_.values.erase(words[1].text);
      functions_.erase(words[1].text);
    }
  }

  void define(const Token& token, const std::vector<Token>& words) {
    if (words.size() < 2 || !words[1].is_name() || words.size() > kMostMacroTokens) return;
    const std::string& name = words[1].text;
    const std::size_t place = token.text.find(name, token.text.find("define") + 6);
    const std::size_t after = place + name.size();
    const bool parameters = after < token.text.size() && token.text[after] == '(';
    if (!parameters) {
      out_.values[name] = {{words.begin() + 2, words.end()}, token.line};
      return;
    }
    FunctionMacro macro;
    std::size_t at = 3;
    for (; at < words.size() && !words[at].is(")"); ++at) {
      if (words[at].is_name()) macro.parameters.push_back(words[at].text);
      if (words[at].is("...")) {
        macro.variadic = true;
        if (at > 0 && !words[at - 1].is_name()) macro.parameters.emplace_back("__VA_ARGS__");
      }
    }
    if (at < words.size())
      macro.body.assign(words.begin() + static_cast<std::ptrdiff_t>(at) + 1, words.end());
    functions_[name] = std::move(macro);
  }

  bool defined(const std::string& name) const {
    return out_.values.contains(name) || functions_.contains(name) || name == "__CUDACC__" ||
           name == "__cplusplus" || name == "__CUDA_ARCH__" || name == "__NVCC__";
  }

  // The number that a name stands for in a condition.
  double value_of(const std::string& name, int depth) const {
    if (name == "__CUDA_ARCH__") return 900;
    if (name == "__cplusplus") return 202002;
    if (name == "CUDART_VERSION" || name == "CUDA_VERSION") return 13000;
    if (name == "true") return 1;
    const auto found = out_.values.find(name);
    if (found == out_.values.end() || found->second.body.size() != 1 || depth > kMostMacroDepth)
      return 0;
    const Token& token = found->second.body[0];
    return token.is_name() ? value_of(token.text, depth + 1)
                           : std::strtod(token.text.c_str(), nullptr);
  }

  // What conditions usually have: defined(X), numbers, names, !, a comparison, && and ||.
  bool holds(const std::vector<Token>& words) const {
    bool result = false, all = true, negated = false;
    double left = 0;
    std::string comparison;
    const auto term = [&](double value) {
      if (!comparison.empty()) {
        value = comparison == ">="   ? left >= value
                : comparison == ">"  ? left > value
                : comparison == "<=" ? left <= value
                : comparison == "<"  ? left < value
                : comparison == "==" ? left == value
                                     : left != value;
        comparison.clear();
      }
      left = negated ? (value == 0 ? 1 : 0) : value;
      negated = false;
    };
    for (std::size_t i = 1; i < words.size(); ++i) {
      const Token& word = words[i];
      if (word.is("!")) negated = !negated;
      if (word.is("defined")) {
        const std::size_t name = i + 1 < words.size() && words[i + 1].is("(") ? i + 2 : i + 1;
        if (name < words.size()) term(defined(words[name].text) ? 1 : 0);
        i = name;
      } else if (word.is_name()) {
        term(value_of(word.text, 0));
      } else if (word.kind == Token::Kind::number) {
        term(std::strtod(word.text.c_str(), nullptr));
      } else if (word.is("&&")) {
        all = all && left != 0;
      } else if (word.is("||")) {
        result = result || (all && left != 0);
        all = true;
      } else if (word.kind == Token::Kind::sign && !word.is("(") && !word.is(")") &&
                 !word.is("!")) {
        comparison = word.text;
      }
    }
    return result || (all && left != 0);
  }

  void put(const Token& token, std::vector<Token>& to) {
    if (to.size() >= kMostTokens) {
      out_.cut = true;
      return;
    }
    to.push_back(token);
  }

  void expand(const std::vector<Token>& from, std::vector<Token>& to, std::set<std::string>& active,
              int depth) {
    for (std::size_t i = 0; i < from.size() && to.size() < kMostTokens; ++i) {
      const Token& token = from[i];
      const bool named = token.is_name() && depth < kMostMacroDepth && !active.contains(token.text);
      const auto function = named ? functions_.find(token.text) : functions_.end();
      if (function != functions_.end() && i + 1 < from.size() && from[i + 1].is("(")) {
        if (const std::size_t end = replaced(function->second, from, i, to, active, depth);
            end > i) {
          i = end;
          continue;
        }
      }
      const auto value = named ? out_.values.find(token.text) : out_.values.end();
      if (value != out_.values.end() && is_words(value->second.body)) {
        std::vector<Token> body = value->second.body;
        for (Token& each : body) each.line = token.line;
        active.insert(token.text);
        expand(body, to, active, depth + 1);
        active.erase(token.text);
        continue;
      }
      put(token, to);
    }
  }

  // The macro at `at` with its arguments; gives the place of its closing parenthesis, or `at`.
  std::size_t replaced(const FunctionMacro& macro, const std::vector<Token>& from, std::size_t at,
                       std::vector<Token>& to, std::set<std::string>& active, int depth) {
    std::vector<std::vector<Token>> arguments(1);
    int open = 0;
    std::size_t end = at + 1;
    for (; end < from.size(); ++end) {
      const Token& token = from[end];
      const bool begins = token.is("(") || token.is("[") || token.is("{");
      const bool ends = token.is(")") || token.is("]") || token.is("}");
      if (ends && --open == 0) break;
      const bool last = macro.variadic && arguments.size() >= macro.parameters.size();
      if (token.is(",") && open == 1 && !last) {
        arguments.emplace_back();
      } else if (open > 0) {
        arguments.back().push_back(token);
      }
      if (begins) ++open;
      if (end - at > kMostTokens / 8) return at;
    }
    if (end >= from.size()) return at;
    const std::string name = from[at].text;
    std::vector<Token> body;
    for (std::size_t i = 0; i < macro.body.size() && body.size() < kMostTokens / 8; ++i)
      substitute(macro, arguments, i, from[at].line, body);
    active.insert(name);
    expand(body, to, active, depth + 1);
    active.erase(name);
    return end;
  }

  static void substitute(const FunctionMacro& macro,
                         const std::vector<std::vector<Token>>& arguments, std::size_t& i, int line,
                         std::vector<Token>& body) {
    const auto argument_of = [&](const Token& token) -> const std::vector<Token>* {
      const auto found = std::find(macro.parameters.begin(), macro.parameters.end(), token.text);
      const auto place = static_cast<std::size_t>(found - macro.parameters.begin());
      if (!token.is_name() || found == macro.parameters.end() || place >= arguments.size())
        return nullptr;
      return &arguments[place];
    };
    const Token& token = macro.body[i];
    if (token.is("#")) {  // the argument as text
      ++i;
      body.push_back({Token::Kind::text, "\"\"", line, 0, ""});
      return;
    }
    const bool pastes = i + 2 < macro.body.size() && macro.body[i + 1].is("##");
    if (pastes) {
      const auto word = [&](const Token& part) {
        const std::vector<Token>* argument = argument_of(part);
        return argument == nullptr ? part.text : argument->empty() ? "" : argument->front().text;
      };
      body.push_back({Token::Kind::name, word(token) + word(macro.body[i + 2]), line, 0, ""});
      i += 2;
      return;
    }
    if (const std::vector<Token>* argument = argument_of(token)) {
      for (Token each : *argument) {
        each.line = line;
        body.push_back(std::move(each));
      }
      return;
    }
    body.push_back(token);
    body.back().line = line;
  }

  std::string_view text_;
  const HeaderTexts& headers_;
  std::set<std::string> included_;
  int depth_ = 0;
  std::size_t header_tokens_ = 0;
  std::vector<Token> raw_;
  TokenText out_;
  std::map<std::string, FunctionMacro, std::less<>> functions_;
  std::vector<Part> parts_;
};

}  // namespace

void match_brackets(std::vector<Token>& tokens) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    Token& token = tokens[i];
    token.match = tokens.size();
    if (token.kind != Token::Kind::sign || token.text.size() != 1) continue;
    const char c = token.text[0];
    if ((c == '(' || c == '[' || c == '{') && open.size() < kMostNesting) open.push_back(i);
    if (c != ')' && c != ']' && c != '}') continue;
    const char opens = c == ')' ? '(' : c == ']' ? '[' : '{';
    const auto found = std::find_if(open.rbegin(), open.rend(),
                                    [&](std::size_t at) { return tokens[at].text[0] == opens; });
    // Only a brace may close brackets within it that are never closed.
    if (found == open.rend() || (found != open.rbegin() && c != '}')) continue;
    const std::size_t at = *found;
    open.erase(std::prev(found.base()), open.end());
    tokens[at].match = i;
    token.match = at;
  }
}

TokenText tokens_of(std::string_view text, const HeaderTexts& headers) {
  return Preprocessor(text, headers).all();
}

const Token& TokenText::operator[](std::size_t at) const {
  static const Token kEnd;
  return at < tokens.size() ? tokens[at] : kEnd;
}

std::size_t TokenText::after(std::size_t at) const {
  if (at >= tokens.size()) return tokens.size();
  const std::size_t match = tokens[at].match;
  return match >= tokens.size() ? tokens.size() : match < at ? at + 1 : match + 1;
}

std::size_t TokenText::after_angle(std::size_t at) const {
  constexpr std::size_t kMostAngle = 400;
  int depth = 0;
  for (std::size_t i = at; i < tokens.size() && i - at < kMostAngle; ++i) {
    const Token& token = tokens[i];
    if (token.kind == Token::Kind::text) return at;
    if (token.is("(") || token.is("[") || token.is("{")) {
      i = after(i) - 1;
      continue;
    }
    if (token.is("<")) ++depth;
    if (token.is("<<")) return at;
    if (token.is(";") || token.is(")") || token.is("]") || token.is("}") || token.is("&&") ||
        token.is("||") || token.is("<<<"))
      return at;
    if (token.is(">") || token.is(">>") || token.is(">>>")) {
      depth -= static_cast<int>(token.text.size());
      if (depth <= 0) return depth == 0 ? i + 1 : at;
    }
  }
  return at;
}

std::string TokenText::text(std::size_t begin, std::size_t end) const {
  std::string out;
  bool word = false;
  for (std::size_t i = begin; i < std::min(end, tokens.size()) && out.size() < 1000; ++i) {
    const Token& token = tokens[i];
    const bool is_word = token.kind == Token::Kind::name || token.kind == Token::Kind::number;
    if (word && is_word) out += ' ';
    out += token.text;
    if (token.is(",")) out += ' ';
    word = is_word;
  }
  return out;
}

}  // namespace warpscope::program
