// profiling/listings/condition.cpp: the condition of an #if, evaluated as far as it is decided.
#include "profiling/listings/condition.h"

#include <array>
#include <charconv>
#include <utility>
#include <vector>

namespace warpscope {
namespace {

using Value = std::optional<std::int64_t>;  // no value: not decided
constexpr int kMostDepth = 64;              // of parentheses, and of names that stand for names

bool begins_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

Value of(bool truth) { return truth ? 1 : 0; }

struct Operator {
  std::string_view text;
  int binds = 0;  // higher takes precedence
};
// Longer ones first, so that "<=" is not read as "<".
constexpr std::array<Operator, 18> kOperators = {{{"||", 1},
                                                  {"&&", 2},
                                                  {"==", 6},
                                                  {"!=", 6},
                                                  {"<=", 7},
                                                  {">=", 7},
                                                  {"<<", 8},
                                                  {">>", 8},
                                                  {"|", 3},
                                                  {"^", 4},
                                                  {"&", 5},
                                                  {"<", 7},
                                                  {">", 7},
                                                  {"+", 9},
                                                  {"-", 9},
                                                  {"*", 10},
                                                  {"/", 10},
                                                  {"%", 10}}};

// Two operands, one of which may not be decided: where the other settles it, it is settled.
Value combine(std::string_view op, Value a, Value b) {
  if (op == "&&") {
    if ((a && *a == 0) || (b && *b == 0)) return 0;
    return a && b ? of(true) : Value{};
  }
  if (op == "||") {
    if ((a && *a != 0) || (b && *b != 0)) return 1;
    return a && b ? of(false) : Value{};
  }
  if (!a || !b) return {};
  const auto wrapped = [](std::uint64_t bits) { return static_cast<std::int64_t>(bits); };
  const auto x = static_cast<std::uint64_t>(*a), y = static_cast<std::uint64_t>(*b);
  if (op == "==") return of(*a == *b);
  if (op == "!=") return of(*a != *b);
  if (op == "<=") return of(*a <= *b);
  if (op == ">=") return of(*a >= *b);
  if (op == "<") return of(*a < *b);
  if (op == ">") return of(*a > *b);
  if (op == "+") return wrapped(x + y);
  if (op == "-") return wrapped(x - y);
  if (op == "*") return wrapped(x * y);
  if (op == "|") return wrapped(x | y);
  if (op == "^") return wrapped(x ^ y);
  if (op == "&") return wrapped(x & y);
  constexpr std::uint64_t kBits = 64;
  if (op == "<<" && y < kBits) return wrapped(x << y);
  if (op == ">>" && y < kBits) return *a >> *b;
  const bool divides = *b != 0 && !(*b == -1 && x == std::uint64_t{1} << 63);
  if (op == "/" && divides) return *a / *b;
  if (op == "%" && divides) return *a % *b;
  return {};
}

// Reads a condition by the strength of its operators. What it cannot read makes `broken`.
class ConditionReader {
 public:
  ConditionReader(std::string_view text, const Macros& macros, int depth)
      : text_(text), macros_(macros), depth_(depth) {}

  Value whole() {
    const Value value = choice();
    blank();
    if (at_ != text_.size()) broken_ = true;
    return broken_ ? Value{} : value;
  }

 private:
  void blank() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool take(std::string_view token) {
    blank();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  std::string word() {
    blank();
    const std::size_t begin = at_;
    while (at_ < text_.size() && (begins_word(text_[at_]) || is_digit(text_[at_]))) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }
  const Operator* operator_here() {
    blank();
    for (const Operator& op : kOperators) {
      if (text_.substr(at_).starts_with(op.text)) return &op;
    }
    return nullptr;
  }

  Value choice() {
    const Value condition = binary(1);
    if (!take("?")) return condition;
    const Value yes = choice();
    if (!take(":")) broken_ = true;
    const Value no = choice();
    if (condition) return *condition != 0 ? yes : no;
    return yes && no && *yes == *no ? yes : Value{};
  }

  Value binary(int binds) {
    Value left = unary();
    for (;;) {
      const Operator* op = operator_here();
      if (op == nullptr || op->binds < binds || broken_) return left;
      at_ += op->text.size();
      left = combine(op->text, left, binary(op->binds + 1));
    }
  }

  Value unary() {
    if (++depth_ > kMostDepth) broken_ = true;
    const Value value = broken_ ? Value{} : inner();
    --depth_;
    return value;
  }

  Value inner() {
    if (take("(")) {
      const Value value = choice();
      if (!take(")")) broken_ = true;
      return value;
    }
    if (take("!")) {
      const Value value = unary();
      return value ? of(*value == 0) : Value{};
    }
    if (take("-")) return combine("-", 0, unary());
    if (take("+")) return unary();
    if (take("~")) return combine("^", -1, unary());
    blank();
    if (at_ < text_.size() && is_digit(text_[at_])) return number();
    const std::string name = word();
    if (name.empty()) {
      broken_ = true;
      return {};
    }
    return name == "defined" ? defined() : named(name);
  }

  Value number() {
    std::string digits = word();
    int base = 10;
    if (digits.starts_with("0x") || digits.starts_with("0X")) {
      digits.erase(0, 2);
      base = 16;
    } else if (digits.size() > 1 && digits.front() == '0') {
      base = 8;
    }
    while (!digits.empty() && std::string_view("uUlL").find(digits.back()) != std::string::npos)
      digits.pop_back();
    std::int64_t value = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (read.ec != std::errc() || read.ptr != digits.data() + digits.size()) broken_ = true;
    return value;
  }

  Value defined() {
    const bool inside = take("(");
    const std::string name = word();
    if (name.empty() || (inside && !take(")"))) broken_ = true;
    const Decided known = is_defined(macros_, name);
    return known == Decided::open ? Value{} : of(known == Decided::yes);
  }

  // A name that stands for nothing is 0; one with arguments is not looked into.
  Value named(const std::string& name) {
    if (name == "true") return 1;
    blank();
    if (at_ < text_.size() && text_[at_] == '(') {
      broken_ = true;
      return {};
    }
    const Decided known = is_defined(macros_, name);
    if (known == Decided::open) return {};
    if (known == Decided::no) return 0;
    if (depth_ > kMostDepth) {
      broken_ = true;
      return {};
    }
    return ConditionReader(macros_.texts.at(name), macros_, depth_ + 1).whole();
  }

  std::string_view text_;
  const Macros& macros_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool broken_ = false;
};

}  // namespace

Decided is_defined(const Macros& macros, const std::string& name) {
  if (macros.open.count(name) != 0) return Decided::open;
  if (macros.texts.count(name) != 0) return Decided::yes;
  return name.starts_with("_") || name.starts_with("CUDA") ? Decided::open : Decided::no;
}

std::optional<std::int64_t> value_of_condition(std::string_view condition, const Macros& macros) {
  return ConditionReader(condition, macros, 0).whole();
}

}  // namespace warpscope
