// tests/workbench/panels/situations_test.cpp: a program that a person asks about is opened in the
// window as it is, and its answer stands first in Findings.
#include "tests/workbench/situations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "tests/folders.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/finish_work.h"
#include "workbench/client/own_binary.h"
#include "workbench/window/open_dialog.h"
#include "workbench/workspace/trace_state.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// A situation in the window: opened by its path, traced without a GPU.
class OpenedSituation {
 public:
  explicit OpenedSituation(const Situation& situation) {
    FrameState state;
    open_file(workspace_, state, source_folder() / "tests" / "situations" / situation.file);
    finish_work(workspace_);
  }
  // The first row of Findings for this variant, in the words of `warpscope trace`; empty: it has
  // none.
  std::string first_finding(const std::string& variant) {
    draw(variant, "findings");
    const FindingList& list = window_.panels.findings.list;
    if (list.findings.empty()) return "";
    const Finding& f = list.findings.front();
    return "1. " + std::string(to_text(f.severity)) + ", " + rule_of(f.kind).title + ", at " +
           fs::path(f.position.file).filename().string() + ":" + std::to_string(f.position.line) +
           "\n" + f.what + "\n" + f.figure + "\n" + f.better;
  }
  std::string draw(const std::string& variant, const char* panel) {
    if (workspace_.selection.variant != variant) {  // the second step: a click in Variants
      workspace_.selection.variant = variant;
      workspace_.update();
      workspace_.requests.ask(request::Trace{variant});
      finish_work(workspace_);
    }
    const TraceState state = trace_state(workspace_.view(), variant);
    EXPECT_NE(state.trace, nullptr) << (state.failure ? sentence(*state.failure) : "no trace");
    return window_.panel(workspace_, panel);
  }
  // Beginning with the one that has the focus.
  std::vector<std::string> variants() const {
    std::vector<std::string> names = {workspace_.selection.variant};
    for (const Variant& v : workspace_.scene().variants)
      if (v.name != names.front()) names.push_back(v.name);
    return names;
  }

 private:
  Workspace workspace_{{}, {built_program("warpscope-engine"), "--role", "emulate"}};
  NullWindow window_{1600, 900};
};

class SituationsInTheWindow : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(built_program("warpscope-engine"))) GTEST_SKIP() << "the engine is not built";
  }
};

bool has_all(const std::string& text, const std::vector<const char*>& parts) {
  for (const char* part : parts)
    if (text.find(part) == std::string::npos) return false;
  return true;
}

// All situations, or one of `every`; FileTrace has one of each kind for the command.
void expect_answers_first(std::size_t every) {
  const std::vector<Situation> all = situations();
  std::size_t opened_files = 0;
  for (std::size_t i = 0; i < all.size(); i += every) {
    const Situation& situation = all[i];
    if (situation.answer.size() == 3 && situation.status == 0 &&
        std::string_view(situation.answer[0]).find("no findings") != std::string_view::npos)
      continue;  // the next test
    OpenedSituation opened(situation);
    ++opened_files;
    std::string seen;
    bool answered = false;
    for (const std::string& variant : opened.variants()) {
      const std::string first = opened.first_finding(variant);
      answered = answered || has_all(first, situation.answer);
      seen += variant + ": " + first + "\n";
    }
    EXPECT_TRUE(answered) << situation.file << "\n" << seen;
  }
  EXPECT_GE(opened_files, 3U);
}

TEST_F(SituationsInTheWindow, HaveTheirAnswerFirstInFindingsAfterAtMostTwoSteps) {
  expect_answers_first(11);
}
using SlowSituationsInTheWindow = SituationsInTheWindow;
TEST_F(SlowSituationsInTheWindow, HaveTheirAnswerFirstInFindingsAfterAtMostTwoSteps) {
  expect_answers_first(1);
}

// Three ways to walk two matrices: lanes beside each other, one word for all lanes, and one of
// each.
TEST_F(SituationsInTheWindow, WithoutAFaultHaveTheirFiguresInMetrics) {
  OpenedSituation opened({"public/c05_matmul_patterns.cu", {}});
  EXPECT_EQ(opened.first_finding("walk_columns"), "");
  const std::string row = "sectors per load request, emulated | ";
  EXPECT_THAT(opened.draw("walk_columns", "metrics"), HasSubstr(row + "4 |"));
  EXPECT_THAT(opened.draw("walk_rows", "metrics"), HasSubstr(row + "1 |"));
  EXPECT_THAT(opened.draw("walk_rows_and_columns", "metrics"), HasSubstr(row + "2.5"));
}

// A row of tests/situations/THREADS.md.
struct PublicThread {
  std::string file, title, address;
};

std::vector<PublicThread> public_threads() {
  std::ifstream table(source_folder() / "tests/situations/THREADS.md");
  const std::regex row(R"(\| `([a-z_/]+\.cu)` \| \[(.+)\]\((https://[^)]+)\).*\| .+ \|)");
  std::vector<PublicThread> threads;
  std::smatch parts;
  for (std::string line; std::getline(table, line);)
    if (std::regex_match(line, parts, row)) threads.push_back({parts[1], parts[2], parts[3]});
  return threads;
}

// The tests of all situations, here and for the command, check that the answer stands first.
TEST(Situations, AtLeastTenFollowAPublicThread) {
  const std::vector<PublicThread> threads = public_threads();
  const std::vector<Situation> all = situations();
  std::set<std::string> files, addresses;
  for (const PublicThread& thread : threads) {
    EXPECT_TRUE(fs::exists(source_folder() / "tests/situations" / thread.file)) << thread.file;
    const bool asked = std::any_of(all.begin(), all.end(), [&](const Situation& situation) {
      return situation.file == thread.file && !situation.answer.empty();
    });
    EXPECT_TRUE(asked) << thread.file << " has no answer in tests/workbench/situations.h";
    files.insert(thread.file);
    addresses.insert(thread.address);
  }
  EXPECT_GE(threads.size(), 10U);
  EXPECT_EQ(files.size(), threads.size());
  EXPECT_EQ(addresses.size(), threads.size());
  for (const fs::directory_entry& entry :
       fs::directory_iterator(source_folder() / "tests/situations/threads"))
    EXPECT_EQ(files.count("threads/" + entry.path().filename().string()), 1U) << entry.path();
}

}  // namespace
}  // namespace warpscope
