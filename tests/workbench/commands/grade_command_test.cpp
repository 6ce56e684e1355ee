// tests/workbench/commands/grade_command_test.cpp: the shipped exercises with their submissions,
// graded by the real program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/folders.h"
#include "tests/workbench/commands/command_line.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

fs::path exercises() { return source_folder() / "assets" / "exercises"; }
fs::path submissions() { return source_folder() / "tests" / "exercises"; }

struct Expected {
  std::string file, verdict, missed;  // "2,3"; "-": none; "*": any
  fs::path path;                      // below tests/exercises
};

// By exercise, from the tables that were written before anything was graded: by the exercises'
// authors, and by others who knew only what a student knows.
std::map<std::string, std::vector<Expected>> table() {
  std::map<std::string, std::vector<Expected>> rows;
  for (const char* authors : {"", "students"}) {
    std::ifstream stream(submissions() / authors / "verdicts.txt");
    for (std::string line; std::getline(stream, line);) {
      if (line.empty() || line.front() == '#') continue;
      std::istringstream words(line);
      std::string path, verdict, missed;
      words >> path >> verdict >> missed;
      const std::size_t slash = path.find('/');
      rows[path.substr(0, slash)].push_back(
          {path.substr(slash + 1), verdict, missed, fs::path(authors) / path});
    }
  }
  return rows;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& [name, rows] : table()) all.push_back(name);
  return all;
}

std::string missed_goals(const json& grade) {
  std::string missed;
  int number = 0;
  for (const json& goal : grade.at("goals")) {
    ++number;
    if (goal.at("outcome") == "missed")
      missed += (missed.empty() ? "" : ",") + std::to_string(number);
  }
  return missed.empty() ? "-" : missed;
}

class GradeCommand : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    if (!fs::exists(built_program("warpscope-engine"))) GTEST_SKIP() << "the engine is not built";
  }
  Ran grade(const std::string& exercise, const fs::path& kernel,
            const std::string& options = "--json") const {
    return run("grade --emulated " + (exercises() / exercise).string() + " --kernel " +
               kernel.string() + " " + options);
  }
  // A copy of the saxpy exercise with a part of a file replaced.
  void copy_saxpy(const std::string& file, const std::string& from, const std::string& to) const {
    fs::remove_all(path("saxpy"));
    fs::copy(exercises() / "saxpy", path("saxpy"));
    std::string text = text_of(path("saxpy") + "/" + file);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    write("saxpy/" + file, text.replace(at, from.size(), to));
  }
};

// The first of each verdict with these goals missed: the starter and a solution are among them.
std::vector<Expected> one_of_each_grade(const std::vector<Expected>& rows) {
  std::vector<Expected> first;
  std::set<std::pair<std::string, std::string>> seen;
  for (const Expected& row : rows) {
    if (seen.emplace(row.verdict, row.missed).second) first.push_back(row);
  }
  return first;
}

class Grades : public GradeCommand, public testing::WithParamInterface<std::string> {
 protected:
  // Grades these submissions to the exercise.
  void grade_all(const std::vector<Expected>& rows) const {
    const std::string exercise = GetParam();
    for (const Expected& row : rows) {
      const bool starter = row.file == "starter.cu";
      const Ran ran =
          grade(exercise, starter ? exercises() / exercise / row.file : submissions() / row.path);
      const json found = json::parse(ran.out, nullptr, false);
      ASSERT_FALSE(found.is_discarded()) << row.path << ": " << ran.err;
      EXPECT_EQ(found.at("verdict"), row.verdict) << row.path << ": " << found.at("reason");
      EXPECT_EQ(ran.status, row.verdict == "met" ? 0 : 1) << row.path;
      if (row.missed != "*") {
        EXPECT_EQ(missed_goals(found), row.missed) << row.path << ran.out;
      }
      if (row.verdict == "met") {
        EXPECT_EQ(found.at("points"), found.at("of")) << row.path;
      }
      const bool counts = row.verdict == "met" || row.verdict == "missed";
      if (!counts) {
        EXPECT_EQ(found.at("points"), 0) << row.path;
      }
    }
  }
};
// Every submission.
class SlowGrades : public Grades {};

TEST_P(Grades, AreThoseWrittenDownBeforehand) {
  const std::vector<Expected> rows = one_of_each_grade(table().at(GetParam()));
  EXPECT_GE(rows.size(), 4U);
  grade_all(rows);
}
TEST_P(SlowGrades, AreThoseWrittenDownBeforehand) { grade_all(table().at(GetParam())); }

INSTANTIATE_TEST_SUITE_P(Exercises, Grades, testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(SlowExercises, SlowGrades, testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

TEST(Submissions, AreAllInTheTableOfVerdicts) {
  std::set<std::string> listed, there;
  for (const auto& [exercise, rows] : table()) {
    for (const Expected& row : rows) {
      if (row.file != "starter.cu") listed.insert(row.path.generic_string());
    }
    std::set<std::string> files;
    for (const Expected& row : rows) files.insert(row.file);
    EXPECT_TRUE(files.contains("starter.cu")) << exercise;
    EXPECT_TRUE(files.contains("solution.cu")) << exercise;
  }
  for (const auto& entry : fs::recursive_directory_iterator(submissions())) {
    if (entry.path().extension() == ".cu")
      there.insert(fs::relative(entry.path(), submissions()).generic_string());
  }
  EXPECT_EQ(listed, there);
  EXPECT_GE(there.size(), 200U);
  for (const auto& entry : fs::directory_iterator(exercises())) {
    if (entry.is_directory()) {
      EXPECT_TRUE(table().contains(entry.path().filename())) << entry.path();
    }
  }
}

TEST(Starters, AreTheFilesThatAStudentBeginsWith) {
  for (const std::string& name : names()) {
    const std::string description = text_of(exercises() / name / "exercise.toml");
    const std::size_t at = description.find("kernel = \"");
    ASSERT_NE(at, std::string::npos) << name;
    const std::size_t begin = at + std::string("kernel = \"").size();
    const std::string kernel = description.substr(begin, description.find('"', begin) - begin);
    const auto code = [&](const std::string& file) {
      const std::string text = text_of(exercises() / name / file);
      return text.substr(text.find('\n'));  // after the comment with the file's name
    };
    EXPECT_EQ(code(kernel), code("starter.cu")) << name;
  }
}

TEST_F(GradeCommand, GivesTheSameBytesTheSameGrade) {
  const fs::path race = submissions() / "saxpy" / "slow_one_lane.cu";
  const std::string first = grade("saxpy", race).out;
  EXPECT_FALSE(first.empty());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(grade("saxpy", race).out, first);
}

TEST_F(GradeCommand, ShowsGoalsWithTheLineAndTheReason) {
  const Ran ran = run("grade " + (exercises() / "saxpy").string());
  EXPECT_EQ(ran.status, 1);
  // Four neighbouring floats per lane: 32 lanes × 16 bytes are 16 sectors.
  EXPECT_THAT(ran.out, HasSubstr("saxpy.cu: missed, 5 of 10 points"));
  EXPECT_THAT(ran.out, HasSubstr("saxpy.cu:8  if (i < n) y[i] = a * x[i] + y[i];"));
  EXPECT_THAT(ran.out, HasSubstr("Neighbouring lanes read addresses 16 B apart"));
}

TEST_F(GradeCommand, WritesGradescopesFileAndAPage) {
  const Ran ran = grade("saxpy", submissions() / "saxpy" / "solution.cu",
                        "--gradescope {folder}/results.json --html {folder}/grade.html");
  EXPECT_EQ(ran.status, 0) << ran.err;
  const json results = json::parse(text_of(path("results.json")));
  double most = 0;
  for (const json& test : results.at("tests")) most += test.at("max_score").get<double>();
  EXPECT_EQ(results.at("score"), 10);
  EXPECT_EQ(most, 10);
  EXPECT_THAT(text_of(path("grade.html")), HasSubstr("solution.cu: met, 10 of 10 points"));
}

TEST_F(GradeCommand, LeavesTimesOutOfThePointsIfNoneAreMeasured) {
  const Ran ran = grade("softmax", submissions() / "softmax" / "solution.cu");
  const json found = json::parse(ran.out);
  const json& speed = found.at("goals").back();
  EXPECT_EQ(speed.at("goal"), "at least 5x as fast as the starter on a GPU");
  EXPECT_EQ(speed.at("outcome"), "not measured");
  EXPECT_EQ(speed.at("of"), 0);
  EXPECT_EQ(found.at("of"), 10) << "right 4, instructions 3, sectors 3";
  EXPECT_EQ(ran.status, 0);
}

TEST_F(GradeCommand, PrintsOneHintAtATime) {
  const std::string folder = (exercises() / "saxpy").string();
  EXPECT_THAT(run("grade " + folder + " --hint 0").out, HasSubstr("y = a·x + y for n floats"));
  const Ran first = run("grade " + folder + " --hint 1");
  EXPECT_THAT(first.out, HasSubstr("At least how many sectors is that?"));
  EXPECT_EQ(first.status, 0);
  expect_statuses({{"grade " + folder + " --hint 4", 2, {"3 hints"}, {}, ""},
                   {"grade " + folder + " --hint -1", 2, {"--hint"}, {}, ""}});
}

TEST_F(GradeCommand, RefusesBadFoldersInOneSentence) {
  fs::create_directories(path("empty"));
  expect_statuses({
      {"grade {folder}/nothing", 2, {"nothing"}, {}, ""},
      {"grade " + (exercises() / "saxpy").string() + " --engine {folder}/none",
       3,
       {"does not start"},
       {},
       ""},
      {"grade " + (exercises() / "saxpy").string() + " --html {folder}/none/a.html",
       3,
       {"a.html"},
       {},
       ""},
      {"grade {folder}/empty", 2, {"is not an exercise", "assets/exercises/saxpy"}, {}, ""},
      {"grade " + (exercises() / "saxpy").string() + " --kernel {folder}/no.cu",
       2,
       {"no.cu"},
       {},
       ""},
  });
  const std::tuple<const char*, const char*, const char*, std::vector<std::string>> rows[] = {
      {"exercise.toml", "hidden", "hiden", {"exercise.toml:", "hidden"}},
      {"exercise.toml", "saxpy.cu", "sxpy.cu", {"has no kernel “sxpy.cu”"}},
      {"exercise.toml", "{ n = 5000 }", "{ m = 5000 }", {"exercise.toml", "m"}},
      {"exercise.toml", "{ n = 5000 }", "{ n = 0 }", {"exercise.toml", "n"}},
      {"exercise.toml", "for every global access", "for every global access in add", {"add"}},
      {"scene.toml", "[variants.yours]", "[variants.mine]", {"yours"}},
      {"scene.toml", "[reference]", "[work]\nflops = \"n\"\n[ref]", {"scene.toml"}},
      {"reference.cu", "exact", "exakt", {"exact"}},
  };
  for (const auto& [file, from, to, words] : rows) {
    copy_saxpy(file, from, to);
    const Ran ran =
        run("grade {folder}/saxpy --kernel " + (submissions() / "saxpy" / "solution.cu").string());
    EXPECT_EQ(ran.status, 2) << to << ": " << ran.out << ran.err;
    EXPECT_EQ(ran.sentences(), 1) << to << ": " << ran.err;
    for (const std::string& word : words) EXPECT_THAT(ran.err, HasSubstr(word)) << to;
  }
}

}  // namespace
}  // namespace warpscope
