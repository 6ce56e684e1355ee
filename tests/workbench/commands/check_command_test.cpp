// tests/workbench/commands/check_command_test.cpp: check of files, sessions from a pipe, tables to
// standard output, and a session that another program records into.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "profiling/gate/gate_record.h"
#include "profiling/session/session.h"
#include "tests/profiling/session/synthetic.h"
#include "tests/workbench/commands/command_line.h"
#include "tests/workbench/commands/run_warpscope.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

class CheckCommand : public CommandLine {
 protected:
  // A shell's line in which "warpscope" is the program; standard output alone is `said`.
  static WarpscopeRun shell(std::string line) {
    const std::string program = "timeout 60 " + built_program("warpscope");
    for (std::size_t at = 0; (at = line.find("warpscope ", at)) != std::string::npos;
         at += program.size() + 1)
      line.replace(at, std::string("warpscope").size(), program);
    return run_line(line);
  }
  std::string recorded(const std::string& name) {
    Result<SessionFile> file = SessionFile::open(path(name));
    EXPECT_TRUE(file && file->claim() && file->append(synthetic("row_split", 100)));
    return path(name);
  }
};

TEST_F(CheckCommand, SaysWholeTornAndAltered) {
  const std::string whole = recorded("whole.wsj");
  std::string text = text_of(whole);
  write("torn.wsj", text + text.substr(0, 30));
  text.replace(text.find("csrmm"), 5, "esrmm");
  write("altered.wsj", text);
  const WarpscopeRun one = run_warpscope("check " + whole);
  EXPECT_EQ(one.status, 0) << one.said;
  EXPECT_EQ(one.said, whole + ": whole (1 messages, 1 of 2 lines sealed)\n");
  const WarpscopeRun all = run_warpscope("check --json " + whole + " " + path("torn.wsj") + " " +
                                         path("altered.wsj") + " " + recorded_csrmm());
  EXPECT_EQ(all.status, 1);
  const json rows = json::parse(all.said, nullptr, false);
  ASSERT_EQ(rows.size(), 4u) << all.said;
  EXPECT_EQ(rows[0]["state"], "whole");
  EXPECT_EQ(rows[1]["state"], "torn");
  EXPECT_EQ(rows[2]["state"], "altered");
  EXPECT_EQ(rows[3]["state"], "whole") << "a shipped session";
}

TEST_F(CheckCommand, LooksAtCapturesAndRefusesWhatIsNeither) {
  const fs::path shipped = source_folder() / "assets/examples/captured_norm/norm.wcap";
  const std::string bytes = text_of(shipped);
  EXPECT_EQ(run_warpscope("check " + shipped.string()).said, shipped.string() + ": whole\n");
  write("early.wcap", bytes.substr(0, bytes.size() / 2));
  std::string changed = bytes;
  changed[changed.size() / 2] = static_cast<char>(changed[changed.size() / 2] ^ 1);
  write("changed.wcap", changed);
  const WarpscopeRun early = run_warpscope("check " + path("early.wcap")),
                     other = run_warpscope("check " + path("changed.wcap"));
  EXPECT_EQ(early.status, 1);
  EXPECT_THAT(early.said, HasSubstr("early.wcap: torn"));
  EXPECT_EQ(other.status, 1);
  EXPECT_THAT(other.said, HasSubstr("changed.wcap: altered"));
  write("notes.txt", "notes\n");
  EXPECT_EQ(run_warpscope("check " + path("notes.txt")).status, 2);
  EXPECT_EQ(run_warpscope("check " + path("nowhere.wsj")).status, 2);
}

TEST_F(CheckCommand, LooksAtTheRecordedPartOfAGate) {
  GateRecords records{"13.0", {}};
  records.records.resize(2);
  for (GateRecord& record : records.records) record.counts = {{"instructions", 928}};
  records.records[0].kernel = "copy";
  records.records[1].kernel = "gather";
  const std::string own = "[[kernel]]\nscene = \"patterns/copy\"\n";
  const std::string text = with_recorded(own, records);
  write("gate.toml", text);
  EXPECT_EQ(run_warpscope("check " + path("gate.toml")).said,
            path("gate.toml") + ": whole (1 kernel, 2 records)\n");
  std::string edited = text;
  edited.replace(edited.find("928"), 3, "929");
  write("edited.toml", edited);
  const WarpscopeRun altered = run_warpscope("check " + path("edited.toml"));
  EXPECT_EQ(altered.status, 1);
  EXPECT_THAT(altered.said,
              HasSubstr("edited.toml: altered (1 kernel, 0 records)\n  the recorded"));
  write("early.toml", text.substr(0, text.size() - 5));
  EXPECT_THAT(run_warpscope("check " + path("early.toml")).said, HasSubstr("early.toml: torn"));
  write("own.toml", own);
  const WarpscopeRun unrecorded = run_warpscope("check " + path("own.toml"));
  EXPECT_EQ(unrecorded.status, 0);
  EXPECT_THAT(unrecorded.said, HasSubstr("nothing is recorded in it yet"));
  write("other.toml", "[[kernels]]\n");
  EXPECT_EQ(run_warpscope("check " + path("other.toml")).status, 2);
}

TEST_F(CheckCommand, ASessionComesThroughAPipe) {
  const std::string from_file = shell("warpscope export " + recorded_csrmm() + " --csv -").said;
  EXPECT_THAT(from_file.substr(0, 80), StartsWith("date,device,"));
  for (const char* name : {"-", "/dev/stdin"}) {
    const WarpscopeRun piped =
        shell("cat " + recorded_csrmm() + " | warpscope export " + name + " --csv -");
    EXPECT_EQ(piped.status, 0);
    EXPECT_TRUE(piped.said == from_file) << name;
  }
  const WarpscopeRun copied = shell("bash -c 'warpscope export <(cat " + recorded_csrmm() +
                                    ") --csv - --wsj " + path("copy.wsj") + "'");
  EXPECT_TRUE(copied.said == from_file) << "read twice, for the table and for its lines";
  EXPECT_EQ(run_warpscope("check " + path("copy.wsj")).status, 0);
  EXPECT_EQ(shell("warpscope check - < " + recorded_csrmm()).status, 0) << "a file as its input";
  EXPECT_EQ(shell("printf notes | warpscope check - 2>&1").status, 2);
}

TEST_F(CheckCommand, ATableOnStandardOutputStandsAlone) {
  const std::string file = path("table.csv"),
                    engine = "WARPSCOPE_ENGINE=" + fake_engine() + " FAKE_ENGINE_MODE=good ";
  ASSERT_EQ(
      shell(engine + "warpscope measure csrmm/row_split --csv " + file + " >/dev/null").status, 0);
  const WarpscopeRun printed = shell(engine + "warpscope measure csrmm/row_split --csv -");
  EXPECT_EQ(printed.status, 0);
  const std::string table = text_of(file);
  EXPECT_THAT(printed.said, StartsWith(table.substr(0, table.find('\n') + 1)));
  EXPECT_EQ(std::count(printed.said.begin(), printed.said.end(), '\n'),
            std::count(table.begin(), table.end(), '\n'))
      << "other lines than those of the table: " << printed.said;
}

TEST_F(CheckCommand, ASecondRecordingIsRefusedInASentence) {
  Result<SessionFile> file = SessionFile::open(path("run.wsj"));
  ASSERT_TRUE(file && file->claim());
  expect_statuses({{"measure csrmm/row_split --session {folder}/run.wsj",
                    3,
                    {"another program records into this session (pid ", "record into another file"},
                    {},
                    "WARPSCOPE_ENGINE=" + fake_engine() + " FAKE_ENGINE_MODE=good"}});
}

TEST_F(CheckCommand, DoctorSaysTheSameAsJson) {
  const WarpscopeRun ran = shell("warpscope doctor --json");
  const json rows = json::parse(ran.said, nullptr, false);
  ASSERT_TRUE(rows.is_array() && !rows.empty()) << ran.said;
  for (const json& row : rows)
    EXPECT_TRUE(row["name"].is_string() && row["works"].is_boolean() && row["words"].is_string());
}

}  // namespace
}  // namespace warpscope
