// scenes/program/formula.cpp: arithmetic of host code with the names that it was written with.
#include "scenes/program/formula.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "scenes/base/axis.h"

namespace warpscope::program {
namespace {

// What is larger is replaced by its value: an expression of a scene has at most 1000 characters.
constexpr int kMostNodes = 40, kMostDepth = 20;
constexpr double kMostWhole = 9007199254740992.0;  // 2^53

Formula number(double value, bool whole) {
  if (!std::isfinite(value)) return nullptr;
  FormulaNode node;
  node.value = whole ? std::trunc(value) : value;
  node.whole = whole;
  return std::make_shared<const FormulaNode>(std::move(node));
}

bool is_number(const Formula& a) { return a && a->operation.empty() && !a->name; }
bool is_number(const Formula& a, double value) { return is_number(a) && a->value == value; }

Formula operation(std::string_view name, std::vector<Formula> operands, double value, bool whole) {
  FormulaNode node;
  bool constant = true;
  for (const Formula& operand : operands) {
    node.size += operand->size;
    node.depth = std::max(node.depth, operand->depth + 1);
    constant = constant && is_number(operand);
  }
  if (!std::isfinite(value)) return nullptr;
  if (constant || node.size > kMostNodes || node.depth > kMostDepth) return number(value, whole);
  node.operation = name;
  node.operands = std::move(operands);
  node.value = value;
  node.whole = whole;
  return std::make_shared<const FormulaNode>(std::move(node));
}

std::int64_t bits_of(double value) {
  return std::abs(value) <= kMostWhole ? static_cast<std::int64_t>(value) : 0;
}

double value_of(std::string_view op, double a, double b, bool whole) {
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  if (op == "/")
    return b == 0 ? std::numeric_limits<double>::quiet_NaN() : whole ? std::trunc(a / b) : a / b;
  if (op == "%") return b == 0 ? std::numeric_limits<double>::quiet_NaN() : std::fmod(a, b);
  if (op == "==") return a == b ? 1 : 0;
  if (op == "!=") return a != b ? 1 : 0;
  if (op == "<") return a < b ? 1 : 0;
  if (op == ">") return a > b ? 1 : 0;
  if (op == "<=") return a <= b ? 1 : 0;
  if (op == ">=") return a >= b ? 1 : 0;
  if (op == "&&") return a != 0 && b != 0 ? 1 : 0;
  if (op == "||") return a != 0 || b != 0 ? 1 : 0;
  if (op == "&") return static_cast<double>(bits_of(a) & bits_of(b));
  if (op == "|") return static_cast<double>(bits_of(a) | bits_of(b));
  if (op == "^") return static_cast<double>(bits_of(a) ^ bits_of(b));
  return std::numeric_limits<double>::quiet_NaN();
}

// x of x + (b − 1), in any order: what (x + b − 1) / b rounds up.
Formula without_rounding(const Formula& sum, const Formula& b) {
  if (!sum || sum->operands.size() != 2) return nullptr;
  const Formula &left = sum->operands[0], &right = sum->operands[1];
  const auto is_one_less = [&b](const Formula& part) {
    if (is_number(part) && is_number(b)) return part->value == b->value - 1;
    return part->operation == "-" && same(part->operands[0], b) && is_number(part->operands[1], 1);
  };
  if (sum->operation == "+") {
    if (is_one_less(right)) return left;
    if (is_one_less(left)) return right;
    // (x − 1) + b
    for (const bool first : {true, false}) {
      const Formula &part = first ? left : right, &rest = first ? right : left;
      if (same(rest, b) && part->operation == "-" && is_number(part->operands[1], 1))
        return part->operands[0];
    }
  }
  if (sum->operation == "-" && is_number(right, 1) && left->operation == "+") {
    if (same(left->operands[1], b)) return left->operands[0];
    if (same(left->operands[0], b)) return left->operands[1];
  }
  return nullptr;
}

Formula ceil_div(const Formula& a, const Formula& b) {
  if (b->value == 0) return nullptr;
  return operation("ceil_div", {a, b}, std::ceil(a->value / b->value), true);
}

// The product without one of its factors; null: it is none of them.
Formula without_factor(const Formula& product, const Formula& factor) {
  if (same(product, factor)) return number(1, true);
  if (product->operation != "*") return nullptr;
  for (const std::size_t each : {std::size_t{1}, std::size_t{0}}) {
    const Formula rest = without_factor(product->operands[each], factor);
    if (rest)
      return each == 1 ? binary("*", product->operands[0], rest)
                       : binary("*", rest, product->operands[1]);
  }
  return nullptr;
}

Formula quotient(const Formula& a, const Formula& b) {
  const bool whole = a->whole && b->whole;
  if (is_number(b, 1)) return a;
  if (whole && b->value != 0) {
    if (const Formula rest = without_factor(a, b)) return rest;
    if (is_number(b)) {
      if (Formula exact = divided(a, b->value)) return exact;
    }
    if (const Formula rounded = without_rounding(a, b)) return ceil_div(rounded, b);
    return operation("div", {a, b}, value_of("/", a->value, b->value, true), true);
  }
  return operation("/", {a, b}, value_of("/", a->value, b->value, false), false);
}

// a << b and a >> b as products and quotients.
Formula shifted(bool left, const Formula& a, const Formula& b) {
  if (b->value < 0 || b->value > 62) return nullptr;
  const double power = std::exp2(b->value);
  const Formula factor =
      is_number(b) ? number(power, true) : operation("pow", {number(2, true), b}, power, true);
  if (left && is_number(a, 1)) return factor;
  return left ? binary("*", a, factor) : quotient(a, factor);
}

// a & ~(p − 1) for a power of two p: a rounded down to a multiple of it.
Formula masked(const Formula& a, const Formula& b) {
  if (is_number(b) && b->value < 0 && std::exp2(std::round(std::log2(-b->value))) == -b->value) {
    const Formula power = number(-b->value, true);
    return binary("*", quotient(a, power), power);
  }
  return number(value_of("&", a->value, b->value, true), true);
}

int precedence(const std::string& operation) {
  if (operation.empty()) return 9;
  if (operation == "?") return 0;
  if (operation == "||") return 1;
  if (operation == "&&") return 2;
  if (operation == "+" || operation == "-") return 4;
  if (operation == "*" || operation == "/" || operation == "%") return 5;
  if (operation == "negative" || operation == "!") return 6;
  if (operation == "pow") return 7;
  const char first = operation.front();
  return first == '=' || first == '!' || first == '<' || first == '>' ? 3 : 9;
}

std::string in_parentheses(const Formula& a, int least) {
  const std::string text = text_of(a);
  const bool negative = is_number(a) && a->value < 0;
  return precedence(a->operation) < least || (negative && least > 4) ? "(" + text + ")" : text;
}

void gather(const Formula& formula, std::vector<std::shared_ptr<NamedNumber>>& names) {
  if (!formula) return;
  if (formula->name) {
    if (std::find(names.begin(), names.end(), formula->name) == names.end())
      names.push_back(formula->name);
    return;
  }
  for (const Formula& operand : formula->operands) gather(operand, names);
}

}  // namespace

Formula whole_number(double value) { return number(value, true); }
Formula real_number(double value) { return number(value, false); }

Formula named(std::shared_ptr<NamedNumber> name) {
  FormulaNode node;
  node.value = name->value;
  node.whole = name->whole;
  node.name = std::move(name);
  return std::make_shared<const FormulaNode>(std::move(node));
}

Formula binary(std::string_view op, const Formula& a, const Formula& b) {
  if (!a || !b) return nullptr;
  if (op == "/") return quotient(a, b);
  if (op == "<<" || op == ">>") return shifted(op == "<<", a, b);
  if (op == "&") return masked(a, b);
  const bool whole = a->whole && b->whole;
  const double value = value_of(op, a->value, b->value, whole);
  if (op == "|" || op == "^") return number(value, true);
  const bool sum = op == "+" || op == "-";
  if (sum && is_number(b, 0) && (b->whole || !a->whole)) return a;
  if (op == "+" && is_number(a, 0) && (a->whole || !b->whole)) return b;
  if (op == "*" && is_number(b, 1) && b->whole) return a;
  if (op == "*" && is_number(a, 1) && a->whole) return b;
  // (a − 1) / b + 1
  if (op == "+" && is_number(b, 1) && a->operation == "div" && a->operands[0]->operation == "-" &&
      is_number(a->operands[0]->operands[1], 1))
    return ceil_div(a->operands[0]->operands[0], a->operands[1]);
  const bool arithmetic = sum || op == "*" || op == "%";
  return operation(op, {a, b}, value, arithmetic ? whole : true);
}

Formula unary(std::string_view op, const Formula& a) {
  if (!a || op == "+") return a;
  if (op == "-") return operation("negative", {a}, -a->value, a->whole);
  if (op == "!") return operation("!", {a}, a->value == 0 ? 1 : 0, true);
  return op == "~" ? number(static_cast<double>(~bits_of(a->value)), true) : nullptr;
}

Formula conditional(const Formula& condition, const Formula& a, const Formula& b) {
  if (!condition) return nullptr;
  if (is_number(condition)) return condition->value != 0 ? a : b;
  if (!a || !b) return condition->value != 0 ? a : b;
  return operation("?", {condition, a, b}, condition->value != 0 ? a->value : b->value,
                   a->whole && b->whole);
}

Formula call(std::string_view function, const std::vector<Formula>& arguments) {
  if (arguments.empty() ||
      std::any_of(arguments.begin(), arguments.end(), [](const Formula& a) { return !a; }))
    return nullptr;
  const Formula& a = arguments[0];
  const double x = a->value;
  if (arguments.size() == 2) {
    const Formula& b = arguments[1];
    if (function == "min" || function == "max") {
      const double value = function == "min" ? std::min(x, b->value) : std::max(x, b->value);
      return operation(function, arguments, value, a->whole && b->whole);
    }
    if (function == "ceil_div") return ceil_div(a, b);
    if (function == "pow" && !is_number(b, 0))
      return operation("pow", arguments, std::pow(x, b->value), false);
    return nullptr;
  }
  if (arguments.size() != 1) return nullptr;
  if (function == "ceil") {
    if (a->whole) return a;
    if (a->operation == "/" && is_number(a->operands[1]) &&
        a->operands[1]->value == std::floor(a->operands[1]->value))
      return ceil_div(a->operands[0], a->operands[1]);
    return operation("ceil", {a}, std::ceil(x), false);
  }
  if (function == "floor") return a->whole ? a : operation("floor", {a}, std::floor(x), false);
  if (function == "abs") return operation("abs", {a}, std::abs(x), a->whole);
  if (function == "sqrt") return operation("sqrt", {a}, std::sqrt(x), false);
  if (function == "log2") return operation("log2", {a}, std::log2(x), false);
  if (function == "exp") return operation("exp", {a}, std::exp(x), false);
  return function == "ln" ? operation("ln", {a}, std::log(x), false) : nullptr;
}

Formula as_whole(const Formula& a) {
  if (!a || a->whole) return a;
  if (is_number(a)) return number(a->value, true);
  const bool rounded = a->operation == "ceil" || a->operation == "floor";
  FormulaNode node = *a;
  node.whole = true;
  if (rounded) return std::make_shared<const FormulaNode>(std::move(node));
  return operation("floor", {a}, std::trunc(a->value), true);
}

Formula as_real(const Formula& a) {
  if (!a || !a->whole) return a;
  FormulaNode node = *a;
  node.whole = false;
  return std::make_shared<const FormulaNode>(std::move(node));
}

Formula divided(const Formula& a, double bytes) {
  if (!a || bytes == 0) return nullptr;
  if (bytes == 1) return a;
  if (is_number(a))
    return std::fmod(a->value, bytes) == 0 ? number(a->value / bytes, true) : nullptr;
  if (a->operation == "*") {
    for (const std::size_t each : {std::size_t{1}, std::size_t{0}}) {
      if (const Formula part = divided(a->operands[each], bytes))
        return each == 1 ? binary("*", a->operands[0], part) : binary("*", part, a->operands[1]);
    }
    return nullptr;
  }
  if (a->operation == "+" || a->operation == "-") {
    const Formula left = divided(a->operands[0], bytes), right = divided(a->operands[1], bytes);
    return left && right ? binary(a->operation, left, right) : nullptr;
  }
  return nullptr;
}

bool same(const Formula& a, const Formula& b) {
  if (!a || !b) return false;
  if (a == b) return true;
  if (a->operation != b->operation || a->name != b->name || a->value != b->value ||
      a->operands.size() != b->operands.size())
    return false;
  for (std::size_t i = 0; i < a->operands.size(); ++i) {
    if (!same(a->operands[i], b->operands[i])) return false;
  }
  return true;
}

std::string text_of(const Formula& formula) {
  if (!formula) return {};
  const std::string& op = formula->operation;
  const std::vector<Formula>& parts = formula->operands;
  if (formula->name) return formula->name->name;
  if (op.empty()) {
    const bool plain =
        formula->value == std::floor(formula->value) && std::abs(formula->value) < kMostWhole;
    return plain ? std::to_string(static_cast<std::int64_t>(formula->value))
                 : to_text(AxisValue(formula->value));
  }
  if (op == "?") {
    return in_parentheses(parts[0], 1) + " ? " + in_parentheses(parts[1], 1) + " : " +
           in_parentheses(parts[2], 1);
  }
  if (op == "div")
    return "floor(" + in_parentheses(parts[0], 5) + " / " + in_parentheses(parts[1], 6) + ")";
  if (op == "pow") return in_parentheses(parts[0], 8) + "^" + in_parentheses(parts[1], 8);
  if (op == "negative") return "-" + in_parentheses(parts[0], 6);
  if (op == "!") return "!" + in_parentheses(parts[0], 8);
  const int own = precedence(op);
  if (own == 9) {
    std::string text = op + "(";
    for (std::size_t i = 0; i < parts.size(); ++i) text += (i == 0 ? "" : ", ") + text_of(parts[i]);
    return text + ")";
  }
  return in_parentheses(parts[0], own) + " " + op + " " + in_parentheses(parts[1], own + 1);
}

std::vector<std::shared_ptr<NamedNumber>> names_of(const Formula& formula) {
  std::vector<std::shared_ptr<NamedNumber>> names;
  gather(formula, names);
  return names;
}

}  // namespace warpscope::program
