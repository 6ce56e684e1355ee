// scenes/folder/expression.cpp: arithmetic that a person writes in a scene's description: sizes,
// grids, work.
#include "scenes/folder/expression.h"

#include <muParser.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <utility>

#include "scenes/base/axis.h"
#include "scenes/folder/expression_text.h"
#include "scenes/host/random.h"

namespace warpscope {
namespace expression_parts {  // of a type that another file can see the name of

struct Draw {
  std::uint64_t seed = 0;
};

}  // namespace expression_parts

namespace {

using expression_parts::Draw;

constexpr double kMostWhole = 9007199254740992.0;  // 2^53
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

double modulo(double a, double b) { return std::fmod(a, b); }
double opposite(double a) { return a == 0 ? 1 : 0; }
double ceil_div(double a, double b) { return std::ceil(a / b); }
double round_up(double a, double b) { return std::ceil(a / b) * b; }
double down(double a) { return std::floor(a); }
double up(double a) { return std::ceil(a); }

std::uint64_t index_of(double value) {
  return value >= 0 && value <= kMostWhole ? static_cast<std::uint64_t>(value) : 0;
}

RandomStream stream_of(const void* draw, double stream) {
  return {static_cast<const Draw*>(draw)->seed, static_cast<std::uint32_t>(index_of(stream))};
}
double uniform(void* draw, double stream, double index) {
  return stream_of(draw, stream).uniform(index_of(index));
}
double below(void* draw, double stream, double index, double bound) {
  if (!(bound >= 1)) return kNothing;
  return static_cast<double>(stream_of(draw, stream).below(index_of(index), index_of(bound)));
}

}  // namespace

namespace expression_parts {

// A parser with the values that its names stand at. It is never copied: it points into itself.
struct Machine {
  mu::Parser parser;
  std::vector<double> values;
  double i = 0;
  Draw draw;

  Machine(const std::string& code, const std::vector<std::string>& names, bool element)
      : values(names.size()) {
    parser.DefineOprt("%", modulo, mu::prMUL_DIV);
    parser.DefineInfixOprt("!", opposite);
    parser.DefineFun("ceil_div", ceil_div);
    parser.DefineFun("round_up", round_up);
    parser.DefineFun("floor", down);
    parser.DefineFun("ceil", up);
    parser.DefineConst("nothing", kNothing);
    if (element) {
      parser.DefineFunUserData("uniform", uniform, &draw, false);
      parser.DefineFunUserData("below", below, &draw, false);
      parser.DefineVar("i", &i);
    }
    for (std::size_t n = 0; n < names.size(); ++n) parser.DefineVar(names[n], &values[n]);
    parser.SetExpr(code);
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // Throws mu::ParserError.
  double run() {
    int results = 0;
    const double* all = parser.Eval(results);
    if (results != 1) throw mu::ParserError("there is more than one value between commas");
    return all[0];
  }
};

}  // namespace expression_parts

using expression_parts::Machine;

struct Expression::State {
  std::string text;
  ExpressionText read;
  bool element = false;
  std::mutex mutex;  // of the machine: several threads ask for sizes
  std::unique_ptr<Machine> machine;

  std::unique_ptr<Machine> fresh() const {
    return std::make_unique<Machine>(read.code, read.names, element);
  }
};

Result<Expression> Expression::parse(std::string_view text, std::span<const ExpressionName> names,
                                     Use use) {
  Result<ExpressionText> read = read_expression(text, names, use == Use::element);
  if (!read) return tl::unexpected(read.error());
  Expression expression;
  expression.state_ = std::make_shared<State>();
  State& state = *expression.state_;
  state.text = std::string(text);
  state.read = std::move(*read);
  state.element = use == Use::element;
  try {
    state.machine = state.fresh();
    std::fill(state.machine->values.begin(), state.machine->values.end(), 1.0);
    static_cast<void>(state.machine->run());
  } catch (const mu::ParserError& error) {
    return failure(ErrorKind::input,
                   "“" + state.text + "” is not an expression: " + parser_words(error.GetMsg()), "",
                   "write arithmetic, such as ceil_div(n, 256) or n > 4 ? 2 * n : 8");
  }
  return expression;
}

Expression Expression::number(double value) { return *parse(to_text(AxisValue(value)), {}); }

const std::string& Expression::text() const { return state_->text; }
const std::vector<std::string>& Expression::uses() const { return state_->read.names; }

double Expression::value(const Lookup& lookup) const {
  std::vector<double> values;
  values.reserve(uses().size());
  for (const std::string& name : uses()) values.push_back(lookup(name));
  const std::lock_guard lock(state_->mutex);
  // Into its place: the parser points there.
  std::copy(values.begin(), values.end(), state_->machine->values.begin());
  try {
    return state_->machine->run();
  } catch (const mu::ParserError&) {
    return kNothing;
  }
}

std::string Expression::at(const Lookup& lookup) const {
  std::string words;
  for (const std::string& name : uses())
    words += (words.empty() ? " at " : ", ") + name + " = " + to_text(AxisValue(lookup(name)));
  return words;
}

Result<double> Expression::finite(const Lookup& lookup) const {
  const double found = value(lookup);
  if (std::isfinite(found)) return found;
  return failure(ErrorKind::usage, "“" + text() + "” has no value" + at(lookup), "",
                 "look for a division by zero, or guard it: n > 0 ? m / n : 0");
}

Result<std::int64_t> Expression::whole(const Lookup& lookup) const {
  const Result<double> found = finite(lookup);
  if (!found) return tl::unexpected(found.error());
  if (*found == std::floor(*found) && std::abs(*found) <= kMostWhole)
    return static_cast<std::int64_t>(*found);
  const bool large = std::abs(*found) > kMostWhole;
  return failure(
      ErrorKind::usage,
      "“" + text() + "” is " + to_text(AxisValue(*found)) + at(lookup) +
          (large ? ", more than 2^53" : ", which is not a whole number"),
      "", large ? "lower its operands" : "use ceil_div(a, b) or floor(a / b) for a whole number");
}

void Expression::elements(const Lookup& lookup, std::uint64_t seed, std::int64_t first,
                          std::span<double> values) const {
  try {
    const std::unique_ptr<Machine> machine = state_->fresh();
    for (std::size_t n = 0; n < uses().size(); ++n) machine->values[n] = lookup(uses()[n]);
    machine->draw.seed = seed;
    for (double& value : values) {
      machine->i = static_cast<double>(first++);
      value = machine->run();
    }
  } catch (const mu::ParserError&) {
    std::fill(values.begin(), values.end(), kNothing);  // it was parsed before: this is not reached
  }
}

}  // namespace warpscope
