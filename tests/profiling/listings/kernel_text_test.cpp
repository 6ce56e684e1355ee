// tests/profiling/listings/kernel_text_test.cpp: where a kernel begins in its text, and what is
// found there.
#include "profiling/listings/kernel_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenes/base/source.h"
#include "scenes/catalogue.h"

namespace warpscope {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(KernelText, IsTakenApartAtNewlines) {
  EXPECT_THAT(lines_of("a\n\nb\r\n"), ElementsAre("a", "", "b"));
  EXPECT_THAT(lines_of("a\nb"), ElementsAre("a", "b"));
  EXPECT_THAT(lines_of(""), IsEmpty());
}

TEST(KernelText, BeginsAtTheKernelAndNotAtItsHeader) {
  const auto lines = lines_of(
      "// head\n// saxpy comes below\n#include <x>\n__device__ float f() { return 1; }\n\n"
      "// Scales.\nextern \"C\" __global__ void scale(float* x) {}\n\n"
      "extern \"C\" __global__ void __launch_bounds__(128)\n    saxpy(float* x) {\n}\n");
  EXPECT_EQ(first_line_of(lines, "saxpy"), 9);
  EXPECT_EQ(first_line_of(lines, "scale"), 6) << "the comment right above belongs to it";
  EXPECT_EQ(first_line_of(lines, "axpy"), 6) << "a part of a name is not a name: the first kernel";
  EXPECT_EQ(first_line_of(lines, ""), 6);
}

TEST(KernelText, WithoutAKernelBeginsAtTheFirstLineOfCode) {
  EXPECT_EQ(first_line_of(lines_of("// head\n\n#pragma once\nint f();\n"), "k"), 4);
  EXPECT_EQ(first_line_of(lines_of("// head\n"), "k"), 1);
  EXPECT_EQ(first_line_of({}, "k"), 1);
}

TEST(KernelText, OfEveryVariantBeginsBehindTheFilesHeader) {
  for (const Scene& scene : built_in_catalogue().scenes()) {
    const auto sources = sources_of_scene(scene.name);
    ASSERT_TRUE(sources);
    for (const KernelSource& source : *sources) {
      if (!source.path.ends_with(".cu")) continue;
      const auto lines = lines_of(source.text);
      const int first = first_line_of(lines, "");
      EXPECT_GT(first, 1) << source.path;
      EXPECT_LE(first, static_cast<int>(lines.size())) << source.path;
    }
  }
}

TEST(Matches, AreFoundWhateverTheirCaseAndDoNotOverlap) {
  const std::vector<std::string> lines = {"aXa xaxa", "", "Xa"};
  EXPECT_THAT(matches_of(lines, "xa"), ElementsAre(TextMatch{0, 1, 3}, TextMatch{0, 4, 6},
                                                   TextMatch{0, 6, 8}, TextMatch{2, 0, 2}));
  EXPECT_THAT(matches_of({"aaa"}, "aa"), ElementsAre(TextMatch{0, 0, 2}));
  EXPECT_THAT(matches_of(lines, ""), IsEmpty());
  EXPECT_THAT(matches_of(lines, "xax "), IsEmpty());
}

TEST(Matches, BeginAtTheLineInViewAndGoRound) {
  const std::vector<TextMatch> matches = {{3, 0, 1}, {3, 4, 5}, {9, 0, 1}};
  EXPECT_EQ(match_from(matches, 0), 0U);
  EXPECT_EQ(match_from(matches, 3), 0U);
  EXPECT_EQ(match_from(matches, 4), 2U);
  EXPECT_EQ(match_from(matches, 10), 0U);
  EXPECT_EQ(match_from({}, 10), 0U);
}

}  // namespace
}  // namespace warpscope
