// tests/workbench/workspace/named_baselines_test.cpp: baselines with names are kept, chosen,
// renamed, removed, undone, recorded, and taken from other sessions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"
#include "workbench/workspace/kept_baselines.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// One sentence after another as ImGui logs them, without line breaks.
std::string flat(std::string words) {
  std::replace(words.begin(), words.end(), '\n', ' ');
  return words;
}

class NamedBaselinesTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("named_baselines_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    workspace_ = sample::recorded({sample::roofs(), sample::correct(sample::baseline, 240e3),
                                   sample::correct(sample::focus, 120e3),
                                   sample::correct(sample::focus, 300e3, 256)});
    selection().variant = sample::focus;
    workspace_->update();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Selection& selection() { return workspace_->selection; }
  NamedBaselines& baselines() { return selection().baselines; }
  void keep() {
    keep_baseline(workspace_->view(), selection(), selection().variant);
    workspace_->update();
  }
  std::vector<std::string> names() {
    std::vector<std::string> names;
    for (const auto& each : baselines().all) names.push_back(each->name);
    return names;
  }
  std::filesystem::path write(const char* name, const std::vector<Message>& messages) {
    const std::filesystem::path path = folder_ / name;
    std::ofstream file(path);
    for (const Message& message : messages) file << to_line(message) << "\n";
    return path;
  }
  std::string notices() {
    std::string all;
    for (const auto& line : workspace_->log.lines()) all += line.text + "\n";
    return all;
  }

  std::filesystem::path folder_;
  std::unique_ptr<Workspace> workspace_;
};

TEST_F(NamedBaselinesTest, AKeptPointIsChosenAndGetsAFreeName) {
  keep();
  keep();
  EXPECT_THAT(names(), testing::ElementsAre("float4 columns", "float4 columns 2"));
  EXPECT_EQ(baselines().chosen, baselines().all[1]->id);
  EXPECT_NE(baselines().all[0]->id, baselines().all[1]->id);
  EXPECT_EQ(workspace_->session().outcomes().baselines().size(), 2u);
}

TEST_F(NamedBaselinesTest, WithoutFiguresNothingIsKept) {
  selection().axes.set("n", std::int64_t{512});
  workspace_->update();
  keep();
  EXPECT_TRUE(baselines().all.empty());
}

TEST_F(NamedBaselinesTest, UndoAndRedoFollowEachChangeAlsoInTheSession) {
  keep();
  ASSERT_TRUE(rename_baseline(baselines(), baselines().chosen, "  before tiling "));
  workspace_->update();
  EXPECT_THAT(names(), testing::ElementsAre("before tiling"));
  remove_baseline(baselines(), baselines().chosen);
  workspace_->update();
  EXPECT_TRUE(workspace_->session().outcomes().baselines().empty());
  EXPECT_EQ(baselines().chosen, "");
  workspace_->undo();
  workspace_->update();
  EXPECT_THAT(names(), testing::ElementsAre("before tiling"));
  ASSERT_EQ(workspace_->session().outcomes().baselines().size(), 1u);
  workspace_->undo();
  workspace_->update();
  EXPECT_THAT(names(), testing::ElementsAre("float4 columns"));
  EXPECT_EQ(workspace_->session().outcomes().baselines()[0]->name, "float4 columns");
  workspace_->redo();
  workspace_->update();
  EXPECT_EQ(workspace_->session().outcomes().baselines()[0]->name, "before tiling");
}

TEST_F(NamedBaselinesTest, ANameIsNeitherEmptyNorTaken) {
  keep();
  keep();
  const std::string second = baselines().all[1]->id;
  for (const char* name : {"", "   ", "float4 columns"}) {
    const Result<void> renamed = rename_baseline(baselines(), second, name);
    ASSERT_FALSE(renamed) << name;
    EXPECT_FALSE(renamed.error().remedy.empty());
  }
  EXPECT_TRUE(rename_baseline(baselines(), second, "float4 columns 2"));  // its own
}

TEST_F(NamedBaselinesTest, ARecordedSessionHasThemWhenItIsOpenedAgain) {
  const std::filesystem::path file = folder_ / "recorded.wsj";
  ASSERT_TRUE(workspace_->record(file));
  keep();
  keep();
  ASSERT_TRUE(rename_baseline(baselines(), baselines().all[0]->id, "monday"));
  remove_baseline(baselines(), baselines().all[1]->id);
  workspace_->update();
  Workspace again({});
  ASSERT_TRUE(again.open(file));
  ASSERT_EQ(again.selection.baselines.all.size(), 1u);
  EXPECT_EQ(again.selection.baselines.all[0]->name, "monday");
  EXPECT_EQ(again.selection.baselines.all[0]->point.warm->median_ns, 120e3);
  EXPECT_EQ(again.selection.baselines.chosen, "");
}

// The window keeps them in a file of the person's, whichever session is open.
class UserBaselinesTest : public NamedBaselinesTest {
 protected:
  void SetUp() override {
    NamedBaselinesTest::SetUp();
    keep_in_file(*workspace_);
  }
  void keep_in_file(Workspace& workspace) const {
    workspace.requests.ask(request::KeepBaselines{file().string()});
    workspace.update();
  }
  std::filesystem::path file() const { return folder_ / "data" / "baselines.wsj"; }
  // The names that a window lists that opens another session.
  std::vector<std::string> names_in_another() const {
    const auto other = sample::recorded({sample::correct(sample::focus, 90e3)});
    keep_in_file(*other);
    EXPECT_TRUE(other->log.notices().empty()) << other->log.notices().front();
    std::vector<std::string> names;
    for (const auto& each : other->selection.baselines.all) names.push_back(each->name);
    return names;
  }
};

TEST_F(UserBaselinesTest, AreListedAfterTheNextStart) {
  EXPECT_FALSE(std::filesystem::exists(file()));  // nothing was kept
  keep();
  keep();
  ASSERT_TRUE(rename_baseline(baselines(), baselines().all[0]->id, "monday"));
  workspace_->update();
  EXPECT_THAT(names_in_another(), testing::ElementsAre("monday", "float4 columns 2"));
  remove_baseline(baselines(), baselines().all[0]->id);
  workspace_->update();
  EXPECT_THAT(names_in_another(), testing::ElementsAre("float4 columns 2"));
  workspace_->undo();
  workspace_->update();
  EXPECT_THAT(names_in_another(), testing::UnorderedElementsAre("monday", "float4 columns 2"));
}

TEST_F(UserBaselinesTest, StayWhenAnotherSessionIsOpened) {
  keep();
  const auto other = write("other.wsj", {sample::correct(sample::focus, 90e3)});
  ASSERT_TRUE(workspace_->open(other));
  workspace_->update();
  EXPECT_THAT(names(), testing::ElementsAre("float4 columns"));
  EXPECT_TRUE(workspace_->session().outcomes().baselines().empty());  // it is not that session's
  workspace_->undo();
  workspace_->update();
  EXPECT_THAT(names(), testing::ElementsAre("float4 columns"));
}

TEST_F(UserBaselinesTest, ARecordedFileGetsNoneOfEarlierWindows) {
  keep();
  const auto other = sample::recorded({sample::correct(sample::focus, 90e3)});
  keep_in_file(*other);
  ASSERT_TRUE(other->record(folder_ / "recorded.wsj"));
  other->selection.variant = sample::focus;
  other->update();
  keep_baseline(other->view(), other->selection, sample::focus);
  other->update();
  ASSERT_EQ(other->selection.baselines.all.size(), 2u);
  Workspace again({});
  ASSERT_TRUE(again.open(folder_ / "recorded.wsj"));
  ASSERT_EQ(again.selection.baselines.all.size(), 1u);
  EXPECT_EQ(again.selection.baselines.all[0]->name, "float4 columns 2");
}

TEST_F(UserBaselinesTest, BaselinesOfASessionStayWithIt) {
  keep();
  const std::filesystem::path saved = folder_ / "saved.wsj";
  std::ofstream(saved) << session_of(baselines());
  std::filesystem::remove(file());
  Workspace other({});
  keep_in_file(other);
  ASSERT_TRUE(other.open(saved));
  other.update();
  ASSERT_EQ(other.selection.baselines.all.size(), 1u);
  EXPECT_FALSE(std::filesystem::exists(file()));
  remove_baseline(other.selection.baselines, other.selection.baselines.all[0]->id);
  other.update();
  EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(UserBaselinesTest, OfTwoWindowsAtOnceAreAllKept) {
  const auto second = sample::recorded({sample::correct(sample::baseline, 90e3)});
  keep_in_file(*second);
  keep_baseline(second->view(), second->selection, sample::baseline);
  ASSERT_TRUE(rename_baseline(second->selection.baselines, second->selection.baselines.chosen,
                              "of the second"));
  second->update();
  keep();
  EXPECT_THAT(names_in_another(), testing::ElementsAre("of the second", "float4 columns"));
}

TEST_F(UserBaselinesTest, AFileThatIsNotASessionIsLeftAlone) {
  std::filesystem::create_directories(file().parent_path());
  std::ofstream(file()) << "my notes\n";
  Workspace other({});
  keep_in_file(other);
  ASSERT_EQ(other.log.notices().size(), 1u);
  EXPECT_THAT(other.log.notices().front(), HasSubstr("baselines.wsj"));
  std::ifstream left(file());
  std::string text;
  std::getline(left, text);
  EXPECT_EQ(text, "my notes");
}

TEST_F(UserBaselinesTest, ThatCannotBeWrittenAreSaidOnce) {
  std::ofstream(folder_ / "data") << "a file where the folder would be";
  keep();
  keep();
  const auto& said = workspace_->log.notices();
  EXPECT_EQ(std::count_if(said.begin(), said.end(),
                          [](const std::string& words) {
                            return words.find("are not kept") != std::string::npos;
                          }),
            1);
}

TEST_F(NamedBaselinesTest, AnotherSessionGivesItsPointWhereTheFocusIs) {
  const auto file = write("before.wsj", {sample::correct(sample::focus, 180e3),
                                         sample::correct(sample::baseline, 500e3)});
  workspace_->requests.ask(request::TakeBaselines{file.string()});
  workspace_->update();
  ASSERT_THAT(names(), testing::ElementsAre("float4 columns, before"));
  EXPECT_EQ(baselines().all[0]->session, "before.wsj");
  EXPECT_EQ(baselines().all[0]->point.warm->median_ns, 180e3);
  EXPECT_THAT(describe(*baselines().all[0]), HasSubstr("float4 columns"));
  EXPECT_THAT(describe(*baselines().all[0]), HasSubstr("from before.wsj"));
}

TEST_F(NamedBaselinesTest, AnotherSessionGivesItsNamedBaselinesWhereItHasSome) {
  keep();
  selection().axes.set("n", std::int64_t{256});
  workspace_->update();
  keep();
  const std::filesystem::path file = folder_ / "saved.wsj";
  std::ofstream(file) << session_of(baselines());
  auto other = sample::recorded({sample::correct(sample::focus, 100e3)});
  ASSERT_TRUE(take_baselines(file, other->view(), other->selection));
  ASSERT_EQ(other->selection.baselines.all.size(), 2u);
  EXPECT_EQ(other->selection.baselines.all[1]->point.warm->median_ns, 300e3);
}

TEST_F(NamedBaselinesTest, ASessionWithoutSuchAPointIsRefusedWithARemedy) {
  const auto file = write("other.wsj", {sample::correct(sample::focus, 180e3, 512)});
  const Result<void> taken = take_baselines(file, workspace_->view(), selection());
  ASSERT_FALSE(taken);
  EXPECT_THAT(sentence(taken.error()),
              AllOf(HasSubstr("no baselines of csrmm"), HasSubstr("float4 columns")));
  EXPECT_FALSE(take_baselines(folder_ / "none.wsj", workspace_->view(), selection()));
  EXPECT_TRUE(baselines().all.empty());
}

TEST_F(NamedBaselinesTest, MetricsAndOverviewCompareWithTheChosenOne) {
  const auto file = write("before.wsj", {sample::correct(sample::focus, 180e3)});
  ASSERT_TRUE(take_baselines(file, workspace_->view(), selection()));
  ASSERT_TRUE(rename_baseline(baselines(), baselines().chosen, "before tiling"));
  workspace_->update();
  NullWindow window;
  EXPECT_THAT(window.panel(*workspace_, "metrics"),
              AllOf(HasSubstr("float4 columns beside “before tiling”"), HasSubstr("180.0 µs")));
  EXPECT_THAT(flat(window.panel(*workspace_, "overview")),
              HasSubstr("1.50× faster than “before tiling”, the baseline"));
  baselines().chosen.clear();
  workspace_->update();
  EXPECT_THAT(flat(window.panel(*workspace_, "overview")),
              AllOf(HasSubstr("2.00× faster than"), Not(HasSubstr("before tiling"))));
}

TEST_F(NamedBaselinesTest, APointOfAnotherProblemIsNotCompared) {
  keep();
  selection().axes.set("n", std::int64_t{256});
  workspace_->update();
  NullWindow window;
  EXPECT_THAT(flat(window.panel(*workspace_, "overview")),
              AllOf(HasSubstr("Not compared with the baseline “float4 columns”: n is 128"),
                    Not(HasSubstr("slower than"))));
  EXPECT_THAT(window.panel_under(*workspace_, "metrics", "not comparable with “float4 columns”"),
              HasSubstr("n is 128"));
}

TEST_F(NamedBaselinesTest, TheListAndThePaletteChoose) {
  keep();
  baselines().chosen.clear();
  workspace_->update();
  NullWindow window;
  window.state.open.baselines.wanted = true;
  const std::string words = window.window(*workspace_);
  EXPECT_THAT(words, AllOf(HasSubstr("the variant that is the baseline"),
                           HasSubstr("take from another session"), HasSubstr("float4 columns")));
  for (const PaletteEntry& entry : palette_entries(*workspace_)) {
    if (entry.kind == PaletteKind::baseline)
      choose_entry(entry, *workspace_, window.panels, window.state);
  }
  EXPECT_EQ(baselines().chosen, baselines().all[0]->id);
}

// The keys: one keeps the focus, one makes a variant the baseline again.
TEST_F(NamedBaselinesTest, KeysKeepTheFocusAndGoBackToAVariant) {
  NullWindow window;
  window.window(*workspace_);
  window.hold_control(true);
  window.hold('4', true);
  window.step(*workspace_);
  window.hold('4', false);
  window.hold_control(false);
  window.step(*workspace_);
  ASSERT_EQ(baselines().all.size(), 1u);
  EXPECT_FALSE(baselines().chosen.empty());
  window.hold('V', true);
  window.step(*workspace_);
  window.hold('V', false);
  window.step(*workspace_);
  EXPECT_TRUE(baselines().chosen.empty());
  EXPECT_EQ(baselines().all.size(), 1u);
}

}  // namespace
}  // namespace warpscope
