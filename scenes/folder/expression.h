// scenes/folder/expression.h: arithmetic that a person writes in a scene's description: sizes,
// grids, work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/host/result.h"

// Numbers are doubles: whole ones are exact up to 2^53. There are + − * / % ^, comparisons, && ||
// !, c ? a : b, and min, max, ceil_div(a, b), round_up(a, b), floor, ceil, abs, sqrt, log2, exp,
// ln. A choice is compared with its text: op == 'copy'. `nothing` means that there is no value.
// Elements of inputs may also name i, the index, and draw uniform(stream, i) in [0, 1) or
// below(stream, i, bound).
//
//   Result<Expression> blocks = Expression::parse("ceil_div(n, 256)", {{"n", {}}});
//   Result<std::int64_t> count = blocks->whole([](const std::string&) { return 1000.0; });   // 4

namespace warpscope {

// A name that an expression may use. `choices`: the texts of a choice whose texts are not numbers,
// by place.
struct ExpressionName {
  std::string name;
  std::vector<std::string> choices;
};

class Expression {
 public:
  // The value of a name; NaN: it has none.
  using Lookup = std::function<double(const std::string&)>;
  enum class Use { value, element };

  // error: input: what is not understood, with the nearest name or what to write.
  static Result<Expression> parse(std::string_view text, std::span<const ExpressionName> names,
                                  Use use = Use::value);
  static Expression number(double value);

  const std::string& text() const;
  const std::vector<std::string>& uses() const;  // names, each once

  // Infinite or NaN where it has no value here.
  double value(const Lookup& lookup) const;
  // error: usage: it is not a whole number from −2^53 to 2^53 here, with the values used.
  Result<std::int64_t> whole(const Lookup& lookup) const;
  // error: usage: as above, no finite number.
  Result<double> finite(const Lookup& lookup) const;
  // The values at i = first, first + 1, …; any thread.
  void elements(const Lookup& lookup, std::uint64_t seed, std::int64_t first,
                std::span<double> values) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
  std::string at(const Lookup& lookup) const;  // " at n = 1000"
};

}  // namespace warpscope
