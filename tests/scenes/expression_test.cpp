// tests/scenes/expression_test.cpp: arithmetic of descriptions: what it comes to, and what is said
// of what it is not.
#include "scenes/folder/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "scenes/host/random.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

const std::vector<ExpressionName> kNames = {{"n", {}}, {"m", {}}, {"op", {"copy", "sum"}}};

double values(const std::string& name) { return name == "n" ? 1000 : name == "m" ? 3 : 1; }

TEST(Expressions, HaveTheValuesOfArithmetic) {
  const std::pair<const char*, double> rows[] = {
      {"n", 1000},
      {"n + 2 * m", 1006},
      {"n - m - 1", 996},
      {"n % 7", 6},
      {"n / 4", 250},
      {"2 ^ -3", 0.125},
      {"1e3", 1000},
      {"min(n, m, 5)", 3},
      {"max(n, m)", 1000},
      {"ceil_div(n, 256)", 4},
      {"ceil_div(1024, 256)", 4},
      {"round_up(n, 256)", 1024},
      {"floor(n / 256)", 3},
      {"ceil(m / 2)", 2},
      {"n > m ? n : m", 1000},
      {"n >= 1000 && !(m == 4)", 1},
      {"n != 1000 || m <= 2", 0},
      {"op == 'sum' ? 7 : 8", 7},
      {"op != 'sum'", 0},
      {"op=='copy'?7:op == 'sum'?9:8", 9},
  };
  for (const auto& [text, value] : rows) {
    const Result<Expression> parsed = Expression::parse(text, kNames);
    ASSERT_TRUE(parsed) << sentence(parsed.error());
    EXPECT_EQ(parsed->value(values), value) << text;
    EXPECT_EQ(parsed->value(values), value) << text << ", asked for a second time";
  }
}

TEST(Expressions, SayWhatIsWrongAndWhatToWrite) {
  const std::pair<const char*, const char*> rows[] = {
      {"", "empty"},
      {"k + 1", "there is no axis or value “k”; there are n, m, op"},
      {"op == 'sun'", "op is never 'sun'; did you mean sum?"},
      {"n == 'sum'", "not compared with a choice"},
      {"n = 4", "write == to compare"},
      {"cell_div(n, 2)", "there is no function “cell_div”; did you mean ceil_div?"},
      {"uniform(1, n)", "there is no function “uniform”"},
      {"(n", "a parenthesis is not closed"},
      {"n)", "has no opening one"},
      {"n & m", "write && or ||"},
      {"n, m", "more than one value"},
      {"n m", "is not an expression"},
      {"2 3", "is not an expression"},
      {"n $ 2", "is not part of an expression"},
      {"\"n\"", "is not part of an expression"},
  };
  for (const auto& [text, words] : rows) {
    const Result<Expression> parsed = Expression::parse(text, kNames);
    ASSERT_FALSE(parsed) << text;
    EXPECT_THAT(sentence(parsed.error()), HasSubstr(words));
    EXPECT_FALSE(parsed.error().remedy.empty()) << text;
  }
}

TEST(Expressions, AreWholeOrSayAtWhichValuesTheyAreNot) {
  const auto whole = [](const char* text) {
    return Expression::parse(text, kNames)->whole(values);
  };
  EXPECT_EQ(whole("n / 8").value_or(0), 125);
  EXPECT_THAT(sentence(whole("n / m").error()),
              HasSubstr("“n / m” is 333.3333333333333 at n = 1000, m = 3"));
  EXPECT_THAT(sentence(whole("n / m").error()), HasSubstr("use ceil_div(a, b)"));
  EXPECT_THAT(sentence(whole("n / (m - 3)").error()), HasSubstr("has no value at n = 1000, m = 3"));
  EXPECT_THAT(sentence(whole("2 ^ 60").error()), HasSubstr("more than 2^53"));
  EXPECT_TRUE(std::isnan(Expression::parse("nothing", kNames)->value(values)));
}

TEST(Expressions, OfElementsSeeTheirIndexAndDrawByIt) {
  const Result<Expression> parsed =
      Expression::parse("i < 2 ? m * i : uniform(5, i)", kNames, Expression::Use::element);
  ASSERT_TRUE(parsed) << sentence(parsed.error());
  std::vector<double> elements(3);
  parsed->elements(values, 42, 1, elements);
  const RandomStream stream(42, 5);
  EXPECT_EQ(elements, (std::vector<double>{3, stream.uniform(2), stream.uniform(3)}));
}

}  // namespace
}  // namespace warpscope
