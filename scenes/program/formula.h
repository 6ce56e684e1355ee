// scenes/program/formula.h: arithmetic of host code with the names that it was written with.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

// A formula keeps the names of constants, so that (n + 255) / 256 with n = 1000 has the value 4 and
// the text "ceil_div(n, 256)" of scenes/folder/expression.h. A null pointer is a value that is not
// known; whatever is computed from it is not known either.
//
//   Formula n = named(std::make_shared<NamedNumber>(NamedNumber{"n", 1000, true, 3}));
//   Formula blocks = binary("/", binary("+", n, whole_number(255)), whole_number(256));
//   text_of(blocks);   // "ceil_div(n, 256)"

namespace warpscope::program {

// A constant of the program that has a name: `const int n = 1000;` in line 3.
struct NamedNumber {
  std::string name;
  double value = 0;
  bool whole = true;
  int line = 0;
  std::string why;     // where the value is from
  bool fixed = false;  // device code or the name of an instance uses it
  bool asked = false;  // its value is not in the text
  bool loop = false;   // it is the variable of a loop, at its first value
};

struct FormulaNode;
using Formula = std::shared_ptr<const FormulaNode>;

struct FormulaNode {
  std::string operation;  // empty: a number, or a name
  std::vector<Formula> operands;
  std::shared_ptr<NamedNumber> name;
  double value = 0;
  bool whole = true;  // of a whole-number type: / cuts off
  int size = 1, depth = 1;
};

Formula whole_number(double value);
Formula real_number(double value);
Formula named(std::shared_ptr<NamedNumber> name);

// As C++ computes it: + - * / % << >> & | ^ == != < > <= >= && ||.
Formula binary(std::string_view operation, const Formula& a, const Formula& b);
// - + ! ~
Formula unary(std::string_view operation, const Formula& a);
Formula conditional(const Formula& condition, const Formula& a, const Formula& b);
// min, max, ceil, floor, abs, sqrt, log2, exp, ln, ceil_div, round_up; null for other functions.
Formula call(std::string_view function, const std::vector<Formula>& arguments);
// A cast to a whole-number type or to a floating-point type.
Formula as_whole(const Formula& a);
Formula as_real(const Formula& a);
// a / bytes where the remainder is known to be 0, such as n * 4 / 4.
Formula divided(const Formula& a, double bytes);

bool same(const Formula& a, const Formula& b);
// The text in the language of a scene's expressions.
std::string text_of(const Formula& formula);
// The names that it uses, each once.
std::vector<std::shared_ptr<NamedNumber>> names_of(const Formula& formula);

}  // namespace warpscope::program
