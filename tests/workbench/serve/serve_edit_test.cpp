// tests/workbench/serve/serve_edit_test.cpp: an edit writes texts of the scene and nothing else,
// and a number is the number that was sent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <string>
#include <vector>

#include "profiling/journal/fork_journal.h"
#include "scenes/host/input_file.h"
#include "tests/scenes/folder_parts.h"
#include "tests/workbench/serve/served.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

std::string text_of(const fs::path& file) { return read_input(file, 1 << 20).value_or(""); }

// A scene's folder, and beside it what is none of its business.
class ServeEdits : public Serve {
 protected:
  void SetUp() override {
    Serve::SetUp();
    inside_.write("scene.toml", kDoublingDescription);
    inside_.write("twice.cu", kDoublingKernel);
    outside_.write("victim.cu", "outside");
    fs::create_directories(inside_.path() / "real");
    fs::create_directories(outside_.path() / "deep");
  }
  // Before anything is put beside it that it would not open with.
  void open(Served& served) {
    ASSERT_EQ(served.ask({{"request", "list"}, {"scene", inside_.path().string()}})["ok"], true);
  }
  json edit(Served& served, const std::string& file, const std::string& text = "// hi\n") {
    return served.ask(
        {{"request", "edit"}, {"scene", inside_.path().string()}, {"file", file}, {"text", text}});
  }
  OwnFolder inside_{"serve_edits/inside"}, outside_{"serve_edits/outside"};
};

TEST_F(ServeEdits, NothingIsWrittenThroughALink) {
  const fs::path victim = outside_.path() / "victim.cu";
  Served served;
  open(served);
  fs::create_directory_symlink(outside_.path(), inside_.path() / "sub");
  fs::create_symlink(victim, inside_.path() / "link.cu");
  fs::create_symlink("twice.cu", inside_.path() / "inner.cu");
  fs::create_directory_symlink("../../outside", inside_.path() / "real" / "up");
  fs::create_directory_symlink(".", inside_.path() / "self");
  fs::create_symlink(outside_.path() / "new.cu", inside_.path() / "dangling.cu");
  for (const char* file : {"sub/victim.cu", "sub/new.cu", "sub/deep/new.cu", "link.cu", "inner.cu",
                           "real/up/victim.cu", "self/twice.cu", "dangling.cu"}) {
    const json said = edit(served, file);
    EXPECT_EQ(said["error"]["kind"], "usage") << file << said;
    EXPECT_THAT(said["error"]["what"].get<std::string>(), HasSubstr("a link")) << file;
  }
  EXPECT_EQ(text_of(victim), "outside");
  EXPECT_FALSE(fs::exists(outside_.path() / "new.cu"));
  EXPECT_TRUE(fs::is_empty(outside_.path() / "deep"));
  EXPECT_EQ(text_of(inside_.path() / "twice.cu"), kDoublingKernel);
}

TEST_F(ServeEdits, NothingButTextsOfTheSceneIsWritten) {
  Served served;
  open(served);
  inside_.write("x.npy", "data");
  inside_.write(kJournalFile, "{}\n");
  ASSERT_EQ(::mkfifo((inside_.path() / "pipe.cu").c_str(), 0600), 0);
  fs::create_directories(inside_.path() / "folder.cu");
  const std::string victim = (outside_.path() / "victim.cu").string();
  for (const std::string& file : std::vector<std::string>{kJournalFile,
                                                          "./journal.wsj",
                                                          "real/../journal.wsj",
                                                          "x.npy",
                                                          "notes.txt",
                                                          "run.wsj",
                                                          ".bashrc",
                                                          "",
                                                          ".",
                                                          "..",
                                                          "/",
                                                          "real",
                                                          "real/",
                                                          "twice.cu/",
                                                          "twice.cu/x.cu",
                                                          "../outside/victim.cu",
                                                          "real/../../outside/victim.cu",
                                                          victim,
                                                          "nowhere/new.cu",
                                                          "folder.cu",
                                                          "pipe.cu",
                                                          std::string("twice.cu\0.txt", 12),
                                                          std::string("a\0.cu", 5)}) {
    const json said = edit(served, file);
    EXPECT_EQ(said["error"]["kind"], "usage") << file << said;
    EXPECT_FALSE(said["error"]["remedy"].get<std::string>().empty()) << file;
  }
  EXPECT_EQ(text_of(inside_.path() / kJournalFile), "{}\n");
  EXPECT_EQ(text_of(inside_.path() / "x.npy"), "data");
  EXPECT_EQ(text_of(victim), "outside");
  EXPECT_EQ(text_of(inside_.path() / "twice.cu"), kDoublingKernel);
  EXPECT_FALSE(fs::exists(inside_.path() / "a"));
  // What a scene is made of may be edited, and what it is to be made of.
  fs::remove_all(inside_.path() / "pipe.cu");
  fs::remove_all(inside_.path() / "folder.cu");
  fs::remove(inside_.path() / kJournalFile);
  for (const char* file : {"twice.cu", "real/../twice.cu", "real/part.cuh", "new.h", "more.hpp"})
    EXPECT_EQ(edit(served, file, kDoublingKernel)["ok"], true) << file;
  EXPECT_EQ(edit(served, "scene.toml", std::string(kDoublingDescription) + "# more\n")["ok"], true);
}

TEST_F(ServeEdits, AJournalThatIsALinkIsNotAppendedTo) {
  fs::create_symlink(outside_.path() / "journal.wsj", inside_.path() / kJournalFile);
  Served served;
  EXPECT_EQ(edit(served, "twice.cu", replaced(kDoublingKernel, "2 * x[i]", "x[i] + x[i]"))["ok"],
            true);
  const json judged =
      served.ask({{"request", "verify"}, {"variant", inside_.path().string() + "/twice"}});
  ASSERT_EQ(judged["ok"], false) << judged;
  if (judged["error"]["what"].get<std::string>().find("link") == std::string::npos)
    GTEST_SKIP() << "there is no NVRTC here: " << judged;
  EXPECT_THAT(judged["error"]["what"].get<std::string>(), HasSubstr("the journal is a link"));
  EXPECT_FALSE(fs::exists(outside_.path() / "journal.wsj"));
}

// 2³² + 2 is not 2.
TEST_F(ServeEdits, ANumberOutsideItsRangeIsRefusedAndWritesNothing) {
  {
    Result<SessionFile> journal = SessionFile::open(inside_.path() / kJournalFile);
    ASSERT_TRUE(journal);
    for (const std::int64_t number : {1, 2}) {
      Iteration noted;
      noted.number = number;
      noted.scene = "inside";
      noted.variant = "twice";
      ASSERT_TRUE(journal->append(noted));
    }
  }
  const std::string before = text_of(inside_.path() / kJournalFile);
  Served served;
  const std::string scene = inside_.path().string();
  for (const json& number :
       {json(4294967298LL), json(-4294967294LL), json(0), json(-1), json(1LL << 53),
        json(9223372036854775807LL), json(18446744073709551615ULL), json(2.5), json("2")}) {
    for (const char* request : {"note", "go_back"}) {
      const json said = served.ask(
          {{"request", request}, {"scene", scene}, {"number", number}, {"decision", "kept"}});
      EXPECT_EQ(said["error"]["kind"], "usage") << said;
      EXPECT_THAT(said["error"]["what"].get<std::string>(), HasSubstr("“number” ")) << number;
    }
  }
  EXPECT_EQ(text_of(inside_.path() / kJournalFile), before);
  for (const json& points :
       {json(0), json(-3), json(4294967297LL), json(18446744073709551615ULL)}) {
    const json said =
        served.ask({{"request", "tune"}, {"variant", "csrmm/rows_per_block"}, {"points", points}});
    EXPECT_THAT(said["error"]["what"].get<std::string>(), HasSubstr("“points” is")) << points;
  }
  for (const json& seconds : {json(0), json(-1.5), json(1e300)}) {
    const json said = served.ask(
        {{"request", "tune"}, {"variant", "csrmm/rows_per_block"}, {"seconds", seconds}});
    EXPECT_THAT(said["error"]["what"].get<std::string>(), HasSubstr("“seconds” is")) << seconds;
  }
  for (const json& value : {json(18446744073709551615ULL), json(9223372036854775808ULL)}) {
    const json said = served.ask(
        {{"request", "verify"}, {"variant", "csrmm/row_split"}, {"axes", {{"n", value}}}});
    EXPECT_EQ(said["ok"], false) << said;
  }
  for (const auto& [from, to] : std::vector<std::pair<json, json>>{{0, 1},
                                                                   {-1, 1},
                                                                   {1, 4294967298LL},
                                                                   {4294967297LL, 4294967297LL},
                                                                   {18446744073709551615ULL, 1},
                                                                   {1, 18446744073709551615ULL},
                                                                   {1.5, 2}}) {
    const json said = served.ask({{"request", "edit"},
                                  {"scene", scene},
                                  {"file", "twice.cu"},
                                  {"lines", {{{"from", from}, {"to", to}, {"text", "x"}}}}});
    EXPECT_EQ(said["error"]["kind"], "usage") << from << to << said;
  }
  EXPECT_EQ(text_of(inside_.path() / "twice.cu"), kDoublingKernel);
}

// What the window and another serve note is seen, and numbers are given once.
TEST_F(ServeEdits, TwoOnOneFolderKeepAllIterationsAndSeeEachOthers) {
  const std::string scene = inside_.path().string();
  Served first, second;
  std::vector<Served*> both = {&first, &second};
  for (Served* each : both)
    ASSERT_EQ(each->ask({{"request", "journal"}, {"scene", scene}})["ok"], true);
  std::set<std::int64_t> numbers;
  for (int i = 0; i < 6; ++i) {
    Served& one = *both[static_cast<std::size_t>(i % 2)];
    const std::string text = replaced(
        kDoublingKernel, "2 * x[i]", "2 * x[i] + " + std::to_string(i) + " - " + std::to_string(i));
    ASSERT_EQ(edit(one, "twice.cu", text)["ok"], true);
    const json judged = one.ask({{"request", "verify"}, {"variant", scene + "/twice"}});
    if (judged["ok"] == false && judged["error"]["kind"] == "environment")
      GTEST_SKIP() << "there is no NVRTC here";
    ASSERT_EQ(judged["ok"], true) << judged;
    ASSERT_TRUE(judged["result"].contains("iteration")) << judged;
    EXPECT_TRUE(numbers.insert(judged["result"]["iteration"].get<std::int64_t>()).second)
        << "the number was given before: " << judged["result"];
  }
  for (Served* each : both) {
    const json noted = each->ask({{"request", "journal"}, {"scene", scene}});
    std::set<std::int64_t> seen;
    for (const json& row : noted["result"]["iterations"])
      seen.insert(row["number"].get<std::int64_t>());
    for (const std::int64_t number : numbers) EXPECT_EQ(seen.count(number), 1u) << number;
    EXPECT_EQ(seen.size(), noted["result"]["iterations"].size()) << "each number once";
  }
  // Each may decide on what the other noted, and neither takes back what the other said of it.
  const std::int64_t last = *numbers.rbegin();
  ASSERT_EQ(
      first.ask(
          {{"request", "note"}, {"scene", scene}, {"number", last}, {"hypothesis", "why"}})["ok"],
      true);
  const json decided =
      second.ask({{"request", "note"}, {"scene", scene}, {"number", last}, {"decision", "kept"}});
  EXPECT_EQ(decided["result"]["iteration"]["hypothesis"], "why") << decided;
}

}  // namespace
}  // namespace warpscope
