// tests/workbench/commands/help_test.cpp: what --help of every command says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "tests/workbench/commands/run_warpscope.h"
#include "workbench/commands/commands.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

TEST(Help, OfEveryCommandHasAnExampleAndReadableRanges) {
  for (const CommandRow& row : all_command_rows()) {
    const WarpscopeRun help = run_warpscope(std::string(row.name) + " --help");
    EXPECT_EQ(help.status, 0) << row.name;
    EXPECT_THAT(help.said, AllOf(HasSubstr("Example:\n  warpscope " + std::string(row.name)),
                                 Not(HasSubstr("e+0")), Not(HasSubstr(" in ["))))
        << row.name;
  }
}

TEST(Help, SaysWhatIsTakenWhereNothingIsNamed) {
  EXPECT_THAT(run_warpscope("play --help").said, AllOf(HasSubstr("=out"), HasSubstr("=1600x900"),
                                                       HasSubstr("=dark"), Not(HasSubstr("=[]"))));
  EXPECT_THAT(run_warpscope("render --help").said, HasSubstr("=window"));
}

TEST(Help, PlayAndRenderNameWhatWasProbablyMeant) {
  const WarpscopeRun lesson = run_warpscope("play coalescng --offscreen");
  EXPECT_EQ(lesson.status, 2);
  EXPECT_THAT(lesson.said, HasSubstr("coalescing"));
  const WarpscopeRun panel = run_warpscope("render --panel overveiw --out x.png");
  EXPECT_EQ(panel.status, 2);
  EXPECT_THAT(panel.said, HasSubstr("overview"));
}

TEST(Help, TheCommandSaysWhatTheOptionSays) {
  EXPECT_EQ(run_warpscope("help").said, run_warpscope("--help").said);
  EXPECT_EQ(run_warpscope("help trace").said, run_warpscope("trace --help").said);
  const WarpscopeRun unknown = run_warpscope("help mesure");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.said, HasSubstr("did you mean measure?"));
  EXPECT_EQ(run_warpscope("help --completions tcsh").status, 2);
}

// Every long option of a text of --help, in its order.
std::vector<std::string> options_of(const std::string& help) {
  std::vector<std::string> options;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find("--");
    if (!line.starts_with("  -") || at == std::string::npos) continue;
    options.push_back(line.substr(at, line.find_first_of(" ,", at) - at));
  }
  return options;
}

// The part of a text from `begin` to the next `end`.
std::string part(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t at = text.find(begin);
  if (at == std::string::npos) return "";
  return text.substr(at, text.find(end, at + begin.size()) - at);
}

TEST(Help, TheManualPageAndCompletionsHaveEveryOptionOfEveryCommand) {
  const std::string man = run_warpscope("help --man").said,
                    bash = run_warpscope("help --completions bash").said,
                    zsh = run_warpscope("help --completions zsh").said,
                    fish = run_warpscope("help --completions fish").said;
  for (const CommandRow& row : all_command_rows()) {
    const std::string name = row.name;
    const std::string section = part(man, "\n.SS " + name + "\n", "\n.SS "),
                      arm = part(bash, "\n  " + name + ") options=", ";;"),
                      arguments = part(zsh, "\n    " + name + ")\n", "\n      ;;");
    const std::vector<std::string> options = options_of(run_warpscope(name + " --help").said);
    ASSERT_FALSE(options.empty()) << name;
    for (const std::string& option : options) {
      std::string minus = option;  // as man(7) writes it
      for (std::size_t at = 0; (at = minus.find('-', at)) != std::string::npos; at += 2)
        minus.insert(at, "\\");
      EXPECT_THAT(section, HasSubstr(minus + "\\fR")) << name;
      EXPECT_THAT(arm, AnyOf(HasSubstr(option + " "), HasSubstr(option + "'"))) << name;
      EXPECT_THAT(arguments, HasSubstr(option + "[")) << name;
      EXPECT_THAT(fish, HasSubstr("__fish_seen_subcommand_from " + name + "'")) << name;
      EXPECT_THAT(fish, HasSubstr(" -l " + option.substr(2) + " ")) << name;
    }
  }
}

// What bash offers for the last of these words.
std::string offered(const std::string& words) {
  const std::string script = "source <(" + built_program("warpscope") +
                             " help --completions bash); COMP_WORDS=(warpscope " + words +
                             "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _warpscope; "
                             "printf \"%s \" \"${COMPREPLY[@]}\"";
  FILE* pipe = popen(("bash -c '" + script + "' 2>&1").c_str(), "r");
  if (pipe == nullptr) return "";
  std::string said;
  char chunk[4096];
  while (std::fgets(chunk, sizeof chunk, pipe) != nullptr) said += chunk;
  pclose(pipe);
  return said;
}

TEST(Help, BashCompletesCommandsScenesOptionsAndTheirWords) {
  EXPECT_EQ(offered("mea"), "measure ");
  EXPECT_EQ(offered("list csr"), "csrmm ");
  EXPECT_EQ(offered("trace csrmm --sar"), "--sarif ");
  EXPECT_EQ(offered("render --theme d"), "dark ");
  EXPECT_EQ(offered("help compl --completions z"), "zsh ");
  EXPECT_EQ(offered("trace csrmm --csv re"), " ") << "a file, which bash completes itself";
}

}  // namespace
}  // namespace warpscope
