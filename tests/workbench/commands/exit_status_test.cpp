// tests/workbench/commands/exit_status_test.cpp: what commands answer to files that cannot be used.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "profiling/figures/csv_text.h"
#include "profiling/session/session.h"
#include "tests/folders.h"
#include "tests/workbench/commands/command_line.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

// An input of no use, and the words that say why.
struct BadInput {
  const char* name;
  std::vector<std::string> words;
};

// Nothing at a path that does not exist, a folder, a file whose first byte cannot be read (the
// memory of the process: page 0 is mapped by nobody), and two that hold something else.
const std::vector<BadInput> kBadFiles = {
    {"{folder}/missing.wsj", {"missing.wsj: there is no such file; check the path"}},
    {"{folder}/file/below.wsj", {"below.wsj", "check the path"}},
    {"{folder}/folder", {"folder: this is a folder, not a file; name a file in it"}},
    {"/proc/self/mem", {"/proc/self/mem", "could not be read to its end", "copy it again"}},
    {"/dev/null", {"/dev/null: this is not a regular file; write its output to a file"}},
};
const std::vector<BadInput> kBadSessions = {
    {"{folder}/other.wsj", {"other.wsj: the file is not a session; choose a .wsj file"}},
    {"{folder}/empty.wsj", {"empty.wsj: the file is empty; choose a .wsj file"}},
    {"{folder}/stub.wsj.gz", {"stub.wsj.gz: the packed file ends before its first line does"}},
};

class ExitStatus : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    fs::create_directories(path("folder"));
    write("file", "text\n");
    write("other.wsj", "a\nb\nc\nd\n");
    write("empty.wsj", "");
    fs::copy_file(source_folder() / "assets/examples/h200-another-card.wsj.gz",
                  path("small.wsj.gz"));
    write("stub.wsj.gz", text_of(recorded_csrmm()).substr(0, 20));
    write("lesson.json", R"({"title": "A lesson", "scene": "csrmm", "steps": [{"text": "One."}]})");
  }
  // "{input}" in each command line stands for every one of the inputs.
  static std::vector<StatusRow> each(const std::vector<std::string>& command_lines,
                                     const std::vector<BadInput>& inputs) {
    std::vector<StatusRow> rows;
    for (const std::string& line : command_lines) {
      for (const BadInput& input : inputs) {
        std::string arguments = line;
        arguments.replace(arguments.find("{input}"), 7, input.name);
        rows.push_back({arguments, 2, input.words, {"permissions"}, ""});
      }
    }
    return rows;
  }
};

const std::vector<std::string> kReadersOfSessions = {
    "export {input} --csv {folder}/a.csv",
    "export {input} --wsj {folder}/a.wsj",
    "report {input} --out {folder}/report",
    "compare {input} {session}",
    "compare {session} {input}",
    "agree model --session {input}",
    "agree emulator --session {input}",
    "agree ncu --csv {folder}/file --session {input}",
    "render {input} --out {folder}/a.png",
    "play {folder}/lesson.json --session {input} --offscreen --out {folder}/played",
};

TEST_F(ExitStatus, IsTwoForASessionThatCannotBeRead) {
  expect_statuses(each(kReadersOfSessions, kBadFiles));
  for (const char* made : {"a.csv", "a.wsj", "a.png", "report", "played"})
    EXPECT_FALSE(fs::exists(path(made))) << made << " was made of nothing";
}

TEST_F(ExitStatus, IsTwoForAFileThatIsNoSession) {
  expect_statuses(each(kReadersOfSessions, kBadSessions));
  for (const char* made : {"a.csv", "a.wsj", "a.png", "report", "played"})
    EXPECT_FALSE(fs::exists(path(made))) << made << " was made of nothing";
}

TEST_F(ExitStatus, IsTwoForOtherFilesThatCannotBeRead) {
  expect_statuses(each({"play {input} --offscreen --out {folder}/played",
                        "agree ncu --csv {input} --session {session}"},
                       kBadFiles));
  const std::vector<StatusRow> rows = {
      {"play {folder}/other.wsj --offscreen", 2, {"other.wsj: it is not JSON from line 1"}, {}, ""},
      {"play {folder}/empty.wsj --offscreen", 2, {"empty.wsj: the text ends too early"}, {}, ""},
      {"agree ncu --csv {folder}/other.wsj --session {session}",
       2,
       {"not a raw CSV page of ncu", "--page raw"},
       {},
       ""},
      {"agree ncu --csv {folder}/empty.wsj --session {session}",
       2,
       {"not a raw CSV page of ncu", "--page raw"},
       {"cannot be read"},
       ""},
  };
  expect_statuses(rows);
}

TEST_F(ExitStatus, IsZeroForATornSessionWhoseWarningIsSaid) {
  const std::string text = session_text(recorded_csrmm()).value_or("");
  ASSERT_GT(text.size(), 100000u);
  write("torn.wsj", text.substr(0, text.size() / 2));
  for (const char* arguments : {"export {folder}/torn.wsj --csv {folder}/a.csv",
                                "compare {folder}/torn.wsj {folder}/torn.wsj",
                                "render {folder}/torn.wsj --out {folder}/a.png"}) {
    // `render` says it in the picture.
    const bool says = std::string(arguments).find("render") == std::string::npos;
    expect_statuses(
        {{arguments,
          0,
          says ? std::vector<std::string>{"is torn and was skipped"} : std::vector<std::string>{},
          {},
          ""}});
  }
}

TEST_F(ExitStatus, IsThreeForAnOutputThatCannotBeWritten) {
  const std::vector<std::pair<std::string, std::string>> places = {
      {"{folder}/folder", "Is a directory"},
      {"{folder}/nowhere/a.txt", "No such file or directory"},
      {"{folder}/file/a.txt", "Not a directory"},
      {"/dev/full", "No space left on device"},
  };
  std::vector<StatusRow> rows;
  for (const auto& [place, why] : places) {
    for (const char* arguments :
         {"export {folder}/small.wsj.gz --csv ", "export {folder}/small.wsj.gz --json ",
          "export {folder}/small.wsj.gz --trace ", "export {folder}/small.wsj.gz --wsj ",
          "render {folder}/small.wsj.gz --panel timing --out "})
      rows.push_back({arguments + place, 3, {"the file cannot be written: " + why}, {}, ""});
  }
  rows.push_back({"--session {session} --tell {folder}/nowhere/told",
                  3,
                  {"the file cannot be written: No such file or directory"},
                  {},
                  ""});
  // A folder that is to be made.
  for (const char* place : {"{folder}/file", "{folder}/file/below", "/proc/nothing"}) {
    rows.push_back({std::string("report {folder}/small.wsj.gz --out ") + place,
                    3,
                    {"the folder cannot be made", "choose"},
                    {"no figure of"},
                    ""});
    rows.push_back(
        {std::string("play {folder}/lesson.json --session {session} --offscreen --out ") + place,
         3,
         {"the folder cannot be made", "choose"},
         {},
         ""});
  }
  expect_statuses(rows);
}

TEST_F(ExitStatus, OfAReportNeedsNoDriverThatDraws) {
  const std::string no_egl = "__EGL_VENDOR_LIBRARY_FILENAMES=/nonexistent/vendor.json";
  const Ran drawn = run("report {session} --out {folder}/drawn", no_egl);
  EXPECT_EQ(drawn.status, 0) << drawn.err;
  EXPECT_NE(text_of(path("drawn/report.html")).find("<svg "), std::string::npos);
  EXPECT_NE(text_of(path("drawn/report.md")).find("](figure-1.svg)"), std::string::npos);
  EXPECT_NE(text_of(path("drawn/figure-1.svg")).find("<style>"), std::string::npos);
  // One picture's place is taken.
  fs::create_directories(path("some/figure-1.svg"));
  const Ran some = run("report {session} --out {folder}/some");
  EXPECT_EQ(some.status, 3) << some.err;
  EXPECT_EQ(some.sentences(), 1) << some.err;
  EXPECT_NE(some.err.find("figure-1.svg"), std::string::npos) << some.err;
}

TEST_F(ExitStatus, OfVerifyIsOneWhereAnOutputIsWrongAndTheTableHasARowAPoint) {
  const std::string verify = "verify csrmm/warp_row_zero_test n=8 --csv {folder}/v.csv";
  for (const auto& [mode, status] : {std::pair("good", 0), std::pair("wrong", 1)}) {
    const Ran ran = run_fake(verify, mode);
    EXPECT_EQ(ran.status, status) << ran.out << ran.err;
    const auto rows = parse_csv(text_of(path("v.csv")));
    ASSERT_TRUE(rows);
    ASSERT_EQ(rows->size(), 3u) << "a header, the emulator's row and the GPU's";
    const auto column = [&rows](const std::string& name) {
      return static_cast<std::size_t>(std::find(rows->front().begin(), rows->front().end(), name) -
                                      rows->front().begin());
    };
    for (std::size_t row : {1, 2}) {
      EXPECT_EQ(rows->at(row).at(column("variant")), "warp_row_zero_test");
      EXPECT_EQ(rows->at(row).at(column("n")), "8");
      EXPECT_EQ(rows->at(row).at(column("verdict")), status == 0 ? "correct" : "wrong");
      EXPECT_EQ(rows->at(row).at(column("finding")), status == 0 ? "no" : "yes");
    }
    EXPECT_EQ(rows->at(1).at(column("where")), "emulator");
    EXPECT_EQ(rows->at(2).at(column("where")), "GPU");
  }
  const Ran json = run_fake("verify csrmm/warp_row_zero_test n=8 --json", "wrong");
  EXPECT_EQ(json.status, 1);
  EXPECT_NE(json.out.find("c[3, 4] is 7 and not 8"), std::string::npos) << json.out;
}

// Rows that are wrong on purpose are exhibits: off unless they are asked for, and then no findings.
TEST_F(ExitStatus, OfMeasureIsZeroWhereOnlyExhibitsAreWrong) {
  const std::pair<const char*, const char*> exhibits[] = {
      {"led frames=3", "frames_per_warp_early_exit"},
      {"esmm", "skip_before_barrier"},
      {"deform", "second_weight_load"},
      {"autoencoder part=step", "step_naive_faulty"}};
  for (const auto& [scene, exhibit] : exhibits) {
    const std::string measure = std::string("measure ") + scene;
    const Ran plain = run_fake(measure, "exhibits");
    EXPECT_EQ(plain.status, 0) << measure << plain.out << plain.err;
    EXPECT_EQ(plain.out.find(exhibit), std::string::npos) << "nobody asked for it";
    const Ran asked = run_fake(measure + " broken=on", "exhibits");
    EXPECT_EQ(asked.status, 0) << measure << asked.out << asked.err;
    EXPECT_NE(asked.out.find(exhibit), std::string::npos) << asked.out;
    EXPECT_NE(asked.out.find("c[3, 4] is 7 and not 8"), std::string::npos) << "and it says so";
    EXPECT_EQ(run_fake(measure + " broken=on", "unfit").status, 1) << measure << ": others count";
  }
}

}  // namespace
}  // namespace warpscope
