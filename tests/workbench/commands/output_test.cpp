// tests/workbench/commands/output_test.cpp: what cannot be printed is said, and never lands in a
// file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>

#include "profiling/session/session.h"
#include "tests/folders.h"
#include "tests/fuzz/budget.h"
#include "tests/workbench/commands/command_line.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class Output : public CommandLine {
 protected:
  // `line` is for the shell, in which "warpscope" is the program; its standard error is `err`.
  Ran shell(const std::string& line) const {
    const std::string program = built_program("warpscope");
    const std::string script = write("script", "warpscope() { \"" + program +
                                                   "\" \"$@\"; }\n"
                                                   "export WARPSCOPE_ENGINE=" +
                                                   fake_engine() + " XDG_CONFIG_HOME=" + path("") +
                                                   "\ncd " + path("") + "\n" + line + "\n");
    // Whoever runs the tests may ignore the signal of a pipe; what they start would as well.
    const int status = std::system(
        ("env --default-signal=PIPE timeout 60 bash " + script + " </dev/null").c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(path("out")),
            text_of(path("err"))};
  }
};

TEST_F(Output, ThatCannotBeWrittenIsStatusThreeAndASentence) {
  for (const char* command :
       {"list", "list --json", "--help", "--version", "measure --help",
        "measure csrmm/float4_columns", "doctor", "compare {s} {s}",
        "measure csrmm/float4_columns --json", "sweep csrmm/float4_columns",
        "verify csrmm/float4_columns", "roofs", "roofs --json", "list --metrics",
        "journal --scene csrmm", "agree model --session {s}", "compare {s} {s} --json", "serve",
        "serve --schema"}) {
    std::string words = command;
    for (std::size_t at = words.find("{s}"); at != std::string::npos; at = words.find("{s}"))
      words.replace(at, 3, recorded_csrmm());
    const Ran full = shell("warpscope " + words + " >/dev/full 2>err");
    EXPECT_EQ(full.status, 3) << command;
    EXPECT_THAT(full.err, HasSubstr("standard output cannot be written: No space left on device"));
    const Ran closed = shell("warpscope " + words + " >&- 2>err");
    EXPECT_EQ(closed.status, 3) << command;
    EXPECT_THAT(closed.err, HasSubstr("standard output cannot be written: Bad file descriptor"));
    for (const Ran& ran : {full, closed}) EXPECT_EQ(ran.sentences(), 1) << ran.err;
  }
}

TEST_F(Output, IsNeededOnlyByWhatPrints) {
  const Ran ran = shell("warpscope export " + recorded_csrmm() + " --csv a.csv >&- 2>err");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(shell("warpscope nothing >/dev/full 2>err").status, 2);
}

TEST_F(Output, NeverLandsInASession) {
  for (const char* closed : {">&-", "<&- >&-", "<&- >&- 2>&-", "2>&-"}) {
    fs::remove(path("run.wsj"));
    shell("warpscope measure csrmm/float4_columns --json --session run.wsj " + std::string(closed));
    const Result<SessionReading> reading = read_session(path("run.wsj"));
    ASSERT_TRUE(reading) << closed;
    EXPECT_TRUE(reading->warnings.empty()) << closed << ": " << reading->warnings.front();
    EXPECT_FALSE(reading->session.all_points().empty()) << closed;
  }
}

// `warpscope list | head` is not a failure: it ends like other programs do there.
TEST_F(Output, EndsByTheSignalWhereItsReaderGoesAway) {
  for (const char* command : {"list", "measure csrmm/float4_columns"}) {
    const Ran ran =
        shell("{ sleep 0.3; warpscope " + std::string(command) + " 2>err; echo $? >out; } | true");
    EXPECT_EQ(ran.out, "141\n") << command << ran.err;
    EXPECT_EQ(ran.err, "") << command;
  }
  // Where whoever started it ignores that signal, it is a sentence.
  const Ran ran = shell("trap '' PIPE; { sleep 0.3; warpscope list 2>err; echo $? >out; } | true");
  EXPECT_EQ(ran.out, "3\n");
  EXPECT_THAT(ran.err, HasSubstr("standard output cannot be written: Broken pipe"));
  EXPECT_EQ(ran.sentences(), 1) << ran.err;
}

TEST_F(Output, SaysThatThereIsNoMemory) {
  const std::string line = to_line(Hello{}) + "\n";
  const std::string large =
      write("large.wsj", line + R"({"type":"x","x":")" + std::string(100'000'000, 'a') + "\"}\n");
  // 250 MB of address space: enough to start, not for a line of 100 MB and what is made of it.
  const Ran ran = shell("ulimit -v 250000; warpscope export " + large + " --csv a.csv >out 2>err");
  EXPECT_EQ(ran.status, 3) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("there is not enough memory"));
  EXPECT_EQ(ran.sentences(), 1) << ran.err;
}

// A whole session with names, verdicts and a device that would colour, move and retitle.
TEST_F(Output, ShowsControlCharactersOfASession) {
  std::string text = session_text(recorded_csrmm()).value_or("");
  ASSERT_FALSE(text.empty());
  const std::string name = "\"variant\":\"";
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1))
    text.insert(at + name.size(), R"(\u001b]0;title\u0007\u009b31m\n)");
  const std::string session = write("red.wsj", text);
  const Ran ran = shell("warpscope compare " + session + " " + session + " >out 2>err");
  EXPECT_THAT(ran.out, HasSubstr("\\x1b]0;title\\x07\\u009b31m"));
  EXPECT_THAT(ran.out + ran.err, Not(HasSubstr("\x1b")));
  EXPECT_THAT(ran.out + ran.err, Not(HasSubstr("\xc2\x9b")));
}

// Memory is not given to whatever an engine sends.
TEST_F(Output, OfAnEngineThatSendsALineWithoutEndIsRefused) {
  const std::string engine = write("engine", "#!/bin/sh\nexec tr '\\0' a </dev/zero\n");
  fs::permissions(engine, fs::perms::owner_all);
  expect_within_budget("a line of an engine without end", [&] {
    const Ran ran =
        shell("warpscope measure csrmm/float4_columns --engine " + engine + " >out 2>err");
    if (ran.status != 3 ||
        ran.err.find("the engine sent a line that does not end within 134.2 MB") ==
            std::string::npos)
      throw std::runtime_error(std::to_string(ran.status) + " " + ran.err);
  });
  const std::string errors = write("errors", "#!/bin/sh\nexec tr '\\0' a </dev/zero >&2\n");
  fs::permissions(errors, fs::perms::owner_all);
  expect_within_budget("errors of an engine without end", [&] {
    shell("timeout 3 \"" + built_program("warpscope") +
          "\" measure csrmm/float4_columns --engine " + errors + " >out 2>err");
  });
}

}  // namespace
}  // namespace warpscope
