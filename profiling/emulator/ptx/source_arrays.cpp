// profiling/emulator/ptx/source_arrays.cpp: what a CUDA text says about its arrays and PTX does
// not.
#include "profiling/emulator/ptx/source_arrays.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <set>

namespace warpscope {
namespace {

using Tokens = std::vector<std::string_view>;
using Constants = std::map<std::string_view, std::int64_t>;

constexpr std::size_t kMostText = 1 << 20;  // bytes that are read
constexpr int kMostDepth = 50;              // of parentheses

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Words and single characters, without comments and strings. The end of a #define's line is a ";".
Tokens tokens_of(std::string_view text) {
  Tokens tokens;
  bool defines = false;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    std::size_t end = at + 1;
    if (text.substr(at, 2) == "//") {
      end = text.find('\n', at);
    } else if (text.substr(at, 2) == "/*") {
      end = text.find("*/", at + 2);
      end = end == std::string_view::npos ? end : end + 2;
    } else if (c == '"') {
      while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
      ++end;
    } else if (c == '\n') {
      if (defines) tokens.push_back(";");
      defines = false;
    } else if (is_word(c)) {
      while (end < text.size() && is_word(text[end])) ++end;
      tokens.push_back(text.substr(at, end - at));
      defines = defines || tokens.back() == "define";
    } else if (std::isspace(static_cast<unsigned char>(c)) == 0) {
      tokens.push_back(text.substr(at, 1));
    }
    at = std::min(end, text.size());
  }
  return tokens;
}

// An expression of + - * / % and parentheses; no value where a name is not known.
class Arithmetic {
 public:
  Arithmetic(const Tokens& tokens, std::size_t first, std::size_t end, const Constants& constants)
      : tokens_(tokens), at_(first), end_(end), constants_(constants) {}
  std::optional<std::int64_t> value() {
    const std::optional<std::int64_t> sum = terms(0);
    return at_ == end_ ? sum : std::nullopt;
  }

 private:
  std::string_view peek() const { return at_ < end_ ? tokens_[at_] : std::string_view{}; }
  std::optional<std::int64_t> terms(int depth) {
    std::optional<std::int64_t> left = factors(depth);
    while (left && (peek() == "+" || peek() == "-")) {
      const bool adds = tokens_[at_++] == "+";
      const std::optional<std::int64_t> right = factors(depth);
      if (!right) return right;
      *left = adds ? *left + *right : *left - *right;
    }
    return left;
  }
  std::optional<std::int64_t> factors(int depth) {
    std::optional<std::int64_t> left = atom(depth);
    while (left && (peek() == "*" || peek() == "/" || peek() == "%")) {
      const char operation = tokens_[at_++][0];
      const std::optional<std::int64_t> right = atom(depth);
      if (!right || (operation != '*' && *right == 0)) return std::nullopt;
      if (std::abs(*left) > kMostValue || std::abs(*right) > kMostValue) return std::nullopt;
      *left = operation == '*'   ? *left * *right
              : operation == '/' ? *left / *right
                                 : *left % *right;
    }
    return left;
  }
  std::optional<std::int64_t> atom(int depth) {
    if (at_ >= end_ || depth > kMostDepth) return std::nullopt;
    const std::string_view token = tokens_[at_++];
    if (token == "(") {
      const std::optional<std::int64_t> inner = terms(depth + 1);
      if (peek() != ")") return std::nullopt;
      ++at_;
      return inner;
    }
    if (const auto known = constants_.find(token); known != constants_.end()) return known->second;
    std::string_view digits = token;
    while (!digits.empty() &&
           std::string_view("uUlL").find(digits.back()) != std::string_view::npos)
      digits.remove_suffix(1);
    std::int64_t number = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const bool whole = !digits.empty() && read.ec == std::errc() &&
                       read.ptr == digits.data() + digits.size() && number <= kMostValue;
    return whole ? std::optional(number) : std::nullopt;
  }

  static constexpr std::int64_t kMostValue = 1ll << 30;
  const Tokens& tokens_;
  std::size_t at_, end_;
  const Constants& constants_;
};

// Where the expression that begins at `at` ends: at a "," or ";" or what closes it.
std::size_t end_of_expression(const Tokens& tokens, std::size_t at) {
  int depth = 0;
  for (; at < tokens.size(); ++at) {
    const std::string_view t = tokens[at];
    if (depth == 0 && (t == "," || t == ";" || t == ")" || t == "]" || t == "}")) break;
    if (t == "(" || t == "[" || t == "{") ++depth;
    if (t == ")" || t == "]" || t == "}") --depth;
  }
  return at;
}

// constexpr int N = 32; const int N = 32; enum { N = 32 }; #define N 32. One defined twice is not
// known.
Constants constants_of(const Tokens& tokens) {
  Constants known;
  std::set<std::string_view> twice;
  const auto define = [&](std::string_view name, std::size_t first) {
    const std::size_t end = end_of_expression(tokens, first);
    const auto value = Arithmetic(tokens, first, end, known).value();
    if (!value || twice.count(name) != 0) return;
    const auto [entry, added] = known.emplace(name, *value);
    if (added || entry->second == *value) return;
    known.erase(entry);
    twice.insert(name);
  };
  bool constant = false;
  for (std::size_t at = 0; at + 2 < tokens.size(); ++at) {
    const std::string_view t = tokens[at];
    if (t == "constexpr" || t == "const" || t == "enum") constant = true;
    if (t == ";" || t == "(") constant = false;
    if (t == "define" && at > 0 && tokens[at - 1] == "#") define(tokens[at + 1], at + 2);
    if (constant && is_word(t[0]) && tokens[at + 1] == "=") define(t, at + 2);
  }
  return known;
}

bool declares_array(std::string_view token) {
  return token == "__shared__" || token == "__constant__" || token == "__device__";
}

}  // namespace

std::map<std::string, SourceArray, std::less<>> source_arrays(std::string_view text) {
  const Tokens tokens = tokens_of(text.substr(0, kMostText));
  const Constants constants = constants_of(tokens);
  std::map<std::string, SourceArray, std::less<>> arrays;
  std::set<std::string, std::less<>> differ;
  bool declares = false;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    const std::string_view t = tokens[at];
    if (declares_array(t)) declares = true;
    if (t == ";" || t == "(" || t == "{") declares = false;
    const bool named = declares && is_word(t[0]) && at + 1 < tokens.size() && tokens[at + 1] == "[";
    if (!named) continue;
    SourceArray array;
    std::size_t next = at + 1;
    while (next < tokens.size() && tokens[next] == "[") {
      const std::size_t end = end_of_expression(tokens, next + 1);
      const auto extent = Arithmetic(tokens, next + 1, end, constants).value();
      array.extents.push_back(extent && *extent > 0 ? *extent : 0);
      next = end + 1;
    }
    array.has_values = next < tokens.size() && (tokens[next] == "=" || tokens[next] == "{");
    const auto [entry, added] = arrays.emplace(t, array);
    if (!added && entry->second != array) differ.emplace(t);
    at = next - 1;
  }
  for (const std::string& name : differ) arrays.erase(name);
  return arrays;
}

std::int64_t element_bytes(const SourceArray& array, std::int64_t bytes) {
  std::int64_t count = array.extents.empty() ? 0 : 1;
  for (const std::int64_t extent : array.extents) {
    if (count > bytes) return 0;
    count *= extent;
  }
  return count > 0 && bytes % count == 0 ? bytes / count : 0;
}

std::string index_text(const SourceArray& array, std::int64_t index) {
  const std::size_t rank = array.extents.size();
  const bool known =
      rank > 1 && index >= 0 &&
      std::all_of(array.extents.begin() + 1, array.extents.end(), [](auto n) { return n > 0; });
  std::string text;
  for (std::size_t d = rank; known && d-- > 1;) {
    text = "[" + std::to_string(index % array.extents[d]) + "]" + text;
    index /= array.extents[d];
  }
  return "[" + std::to_string(index) + "]" + text;
}

}  // namespace warpscope
