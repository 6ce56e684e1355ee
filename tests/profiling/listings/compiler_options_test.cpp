// tests/profiling/listings/compiler_options_test.cpp: which options of a compiler are passed on.
#include "profiling/listings/compiler_options.h"

#include <gtest/gtest.h>

namespace warpscope {
namespace {

TEST(CompilerOptions, ReadsThoseThatOnlySayHowToCompile) {
  const auto options = parse_compiler_options(
      words_of_line("-Iinc -I 'a folder' -DN=4 -D NAME -UX --std=c++17 -arch=sm_80 "
                    "-maxrregcount=64 --use_fast_math -lineinfo -D \"T=unsigned int\""));
  ASSERT_TRUE(options) << sentence(options.error());
  EXPECT_EQ(options->folders, (std::vector<std::string>{"inc", "a folder"}));
  using Macros = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(options->defines, (Macros{{"N", "4"}, {"NAME", "1"}, {"T", "unsigned int"}}));
  EXPECT_EQ(options->undefined, std::vector<std::string>{"X"});
  EXPECT_EQ(options->architecture, "compute_80");
  EXPECT_EQ(options->passed,
            (std::vector<std::string>{"--std=c++17", "--maxrregcount=64", "--use_fast_math"}));
  EXPECT_EQ(parse_compiler_options({"-arch", "sm_90a"})->architecture, "compute_90a");
}

// Each of the first row runs a program or reads a file when nvcc has it.
TEST(CompilerOptions, RefusesAllOthersInOneSentence) {
  for (const char* line : {"-ccbin /tmp/x",
                           "--compiler-bindir=/tmp/x",
                           "-Xcompiler -fplugin=x.so",
                           "-optf=x",
                           "--options-file x",
                           "-include /etc/passwd",
                           "--pre-include x",
                           "-run",
                           "--dryrun",
                           "-Xptxas",
                           "-o out",
                           "other.cu",
                           "@file",
                           "-O3",
                           "-G",
                           "--std=c++99",
                           "-arch=native",
                           "-arch=sm_90;x",
                           "-maxrregcount=$(id)",
                           "-UX;Y",
                           "-D",
                           "-arch=sm_",
                           "-arch=all"}) {
    const auto options = parse_compiler_options(words_of_line(line));
    ASSERT_FALSE(options) << line;
    EXPECT_EQ(options.error().kind, ErrorKind::usage);
    EXPECT_NE(options.error().remedy.find("--use_fast_math"), std::string::npos);
  }
}

TEST(CompilerOptions, WordsArePartedBySpacesOutsideOfQuotes) {
  EXPECT_EQ(words_of_line("  a 'b c'd \"e\" '' "),
            (std::vector<std::string>{"a", "b cd", "e", ""}));
  EXPECT_TRUE(words_of_line(" ").empty());
}

}  // namespace
}  // namespace warpscope
