// tests/profiling/listings/active_lines_test.cpp: branches that a variant is not compiled with, and
// those of which that is not known.
#include "profiling/listings/active_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiling/listings/condition.h"
#include "profiling/listings/kernel_text.h"

namespace warpscope {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The lines that are left out, as they stand in the text.
std::vector<std::string> dimmed(const std::string& text, const Defines& defines,
                                const HeaderLookup& header = {}) {
  const std::vector<std::string> lines = lines_of(text);
  std::vector<std::string> found;
  for (const std::size_t line : inactive_lines(lines, defines, header))
    found.push_back(lines[line]);
  return found;
}

TEST(InactiveLines, AreThoseOfTheBranchesNotTaken) {
  const std::string text = "#if TYPE == 0\na\n#elif TYPE == 2\nb\n#else\nc\n#endif\nd\n";
  EXPECT_THAT(dimmed(text, {{"TYPE", "0"}}), ElementsAre("b", "c"));
  EXPECT_THAT(dimmed(text, {{"TYPE", "2"}}), ElementsAre("a", "c"));
  EXPECT_THAT(dimmed(text, {{"TYPE", "7"}}), ElementsAre("a", "b"));
  EXPECT_THAT(dimmed(text, {}), ElementsAre("b", "c")) << "a name that stands for nothing is 0";
}

TEST(InactiveLines, KnowDefinedNamesAndTheirDefaults) {
  const std::string text = "#ifndef N\n#define N 4\n#endif\n#if N > 2\na\n#else\nb\n#endif\n";
  EXPECT_THAT(dimmed(text, {}), ElementsAre("b"));
  EXPECT_THAT(dimmed(text, {{"N", "1"}}), ElementsAre("#define N 4", "a"));
  EXPECT_THAT(dimmed("#ifdef A\na\n#endif\n#if defined(A) && !defined B\nb\n#endif\n", {{"B", ""}}),
              ElementsAre("a", "b"));
  EXPECT_THAT(dimmed("#define A\n#undef A\n#ifdef A\na\n#endif\n", {}), ElementsAre("a"));
}

TEST(InactiveLines, AreNoneWhereAConditionIsNotDecided) {
  EXPECT_THAT(dimmed("#if __CUDA_ARCH__ >= 900\na\n#else\nb\n#endif\n", {}), IsEmpty());
  EXPECT_THAT(dimmed("#if F(2)\na\n#else\nb\n#endif\n", {}), IsEmpty());
  EXPECT_THAT(dimmed("#if 1 +\na\n#else\nb\n#endif\n", {}), IsEmpty());
  EXPECT_THAT(dimmed("#if 1 / 0\na\n#else\nb\n#endif\n", {}), IsEmpty());
  // What an undecided branch defines is not known after it.
  EXPECT_THAT(dimmed("#if __X\n#define A 1\n#endif\n#if A\na\n#else\nb\n#endif\n", {}), IsEmpty());
  // One side can decide alone.
  EXPECT_THAT(dimmed("#if __CUDA_ARCH__ >= 900 && COLUMNS == 4\na\n#endif\n", {{"COLUMNS", "2"}}),
              ElementsAre("a"));
  EXPECT_THAT(dimmed("#if __CUDA_ARCH__ >= 900 || 1\na\n#else\nb\n#endif\n", {}), ElementsAre("b"));
  // A branch after an undecided one may be left out for its own reason.
  EXPECT_THAT(dimmed("#if __X\na\n#elif 0\nb\n#else\nc\n#endif\n", {}), ElementsAre("b"));
  EXPECT_THAT(dimmed("#if __X\na\n#elif 1\nb\n#else\nc\n#endif\n", {}), ElementsAre("c"));
}

TEST(InactiveLines, NestAndGoOverLines) {
  EXPECT_THAT(dimmed("#if 0\na\n#if 1\nb\n#else\nc\n#endif\n#endif\nd\n", {}),
              ElementsAre("a", "b", "c"));
  EXPECT_THAT(dimmed("#if 1 && \\\n    0\na\n#endif\n", {}), ElementsAre("a"));
  EXPECT_THAT(dimmed("/* #if 0\n*/ a\n#if 0 // why\nb\n  #  endif\nc\n", {}), ElementsAre("b"));
  EXPECT_THAT(dimmed("#endif\na\n#else\n", {}), IsEmpty());
}

TEST(InactiveLines, FollowTheNamesThatHeadersDefine) {
  const HeaderLookup header = [](const std::string& name) -> std::optional<std::string> {
    if (name == "own.cuh") return "#include \"own.cuh\"\n#define WIDE 1\n";
    return std::nullopt;
  };
  const std::string text = "#include \"own.cuh\"\n#include \"x\"\n#if WIDE\na\n#else\nb\n#endif\n";
  EXPECT_THAT(dimmed(text, {}, header), ElementsAre("b"));
  EXPECT_THAT(dimmed(text, {}), ElementsAre("a"));
  EXPECT_THAT(
      dimmed("#if __X\n#include \"own.cuh\"\n#endif\n#if WIDE\na\n#else\nb\n#endif\n", {}, header),
      IsEmpty());
}

TEST(Condition, IsReadByTheStrengthOfItsOperators) {
  Macros macros;
  macros.texts = {{"TWO", "(1 + 1)"}, {"TYPE", "float"}, {"SELF", "SELF"}, {"EMPTY", ""}};
  const auto value = [&macros](const char* text) { return value_of_condition(text, macros); };
  EXPECT_EQ(value("1 + 2 * 3 == 7"), 1);
  EXPECT_EQ(value("(1 + 2) * 3 - -1"), 10);
  EXPECT_EQ(value("1 << 2 < 8"), 1);
  EXPECT_EQ(value("8 - 4 - 2"), 2);
  EXPECT_EQ(value("6 & 3 | 8 ^ 8"), 2);
  EXPECT_EQ(value("!0 && ~0 == -1"), 1);
  EXPECT_EQ(value("0x10 + 010 + 3UL"), 27);
  EXPECT_EQ(value("TWO * 3 ? TWO : 9"), 2);
  EXPECT_EQ(value("TYPE == 0"), 1) << "float stands for nothing";
  EXPECT_EQ(value("SELF"), std::nullopt);
  EXPECT_EQ(value("EMPTY"), std::nullopt);
  EXPECT_EQ(value("(1"), std::nullopt);
  EXPECT_EQ(value("1 2"), std::nullopt);
  EXPECT_EQ(value("9 % 0"), std::nullopt);
  EXPECT_EQ(value(std::string(10000, '(').c_str()), std::nullopt);
  EXPECT_EQ(value((std::string(10000, '!') + "1").c_str()), std::nullopt);
}

}  // namespace
}  // namespace warpscope
