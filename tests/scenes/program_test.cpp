// tests/scenes/program_test.cpp: text from outside is shown on a terminal, never obeyed.
#include "scenes/host/program.h"

#include <gtest/gtest.h>

namespace warpscope {
namespace {

TEST(Visible, ShowsControlCharactersButNewlineAndTab) {
  EXPECT_EQ(visible("a\x1b[31mred\x07\r\n\tb"), "a\\x1b[31mred\\x07\\x0d\n\tb");
  EXPECT_EQ(visible(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(visible_name("a\nb\tc"), "a\\x0ab\\x09c");
  for (char c = 1; c < ' '; ++c) {
    if (c == '\n' || c == '\t') continue;
    EXPECT_EQ(visible(std::string(1, c)).size(), 4u) << static_cast<int>(c);
  }
}

TEST(Visible, ShowsTheControlsOfEightBits) {
  EXPECT_EQ(visible("\x7f"), "\\u007f");
  EXPECT_EQ(visible("\xc2\x9b[2J"), "\\u009b[2J") << "the CSI of ISO 6429";
  EXPECT_EQ(visible("\x9b[2J"), "\\x9b[2J") << "no UTF-8";
  EXPECT_EQ(visible("\xe2\x80\xae"), "\\u202e") << "turns the direction of writing";
  EXPECT_EQ(visible("\xe2\x81\xa6"), "\\u2066");
}

TEST(Visible, KeepsTextInEveryLanguage) {
  for (const char* text :
       {"plain ASCII ~", "µs × 16 “quoted” – ✔", "日本語", "\xf0\x9f\x98\x80", "\xc2\xa0", ""}) {
    EXPECT_EQ(visible(text), text);
    EXPECT_EQ(visible_name(text), text);
  }
}

TEST(Visible, ShowsBytesThatAreNoUtf8) {
  EXPECT_EQ(visible("\xff"), "\\xff");
  EXPECT_EQ(visible("\xc0\xaf"), "\\xc0\\xaf") << "longer than needed";
  EXPECT_EQ(visible("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "half a surrogate";
  EXPECT_EQ(visible("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond Unicode";
  EXPECT_EQ(visible("a\xe2\x80"), "a\\xe2\\x80") << "cut off";
}

}  // namespace
}  // namespace warpscope
