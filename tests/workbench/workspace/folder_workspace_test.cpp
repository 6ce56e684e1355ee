// tests/workbench/workspace/folder_workspace_test.cpp: forks made, edited and gone back to from the
// window, and what survives the end of a process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <thread>

#include "profiling/journal/fork_journal.h"
#include "scenes/catalogue.h"
#include "scenes/folder/fork/fork.h"
#include "scenes/folder_watch.h"
#include "scenes/host/input_file.h"
#include "scenes/host/write_file.h"
#include "tests/scenes/folder_parts.h"
#include "workbench/window/remembered.h"
#include "workbench/workspace/workspace.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string text_of(const fs::path& file) { return read_input(file, 1 << 20).value_or(""); }

// A folder with a fork and its journal, open in a workspace without engines.
struct Forked {
  explicit Forked(const std::string& name) : folder("workspace/" + name) {
    folder.write("scene.toml", kDoublingDescription);
    folder.write("twice.cu", kDoublingKernel);
    EXPECT_TRUE(catalogue->open_folder(folder.path()));
    const Scene& scene = **catalogue->find(name);
    const Result<Fork> fork = write_fork(*catalogue, scene, scene.variants.front(), {});
    EXPECT_TRUE(fork) << sentence(fork.error());
    EXPECT_TRUE(catalogue->open_folder(folder.path()));
    EXPECT_TRUE(note_fork(catalogue, folder.path(), name, fork->variant, "half the loads"));
    EXPECT_TRUE(workspace.begin_at(name));
    workspace.update();
    static_cast<void>(watch.look_now(*catalogue, name));
  }
  void ask(Request request) {
    workspace.requests.ask(std::move(request));
    workspace.update();
    static_cast<void>(watch.look_now(*catalogue, workspace.scene().name));
  }
  void save(const std::string& text) { ask(request::Edit{"twice_fork.cu", text}); }
  std::vector<const Iteration*> noted() const {
    return workspace.session().outcomes().iterations();
  }
  OwnFolder folder;
  std::shared_ptr<Catalogue> catalogue = std::make_shared<Catalogue>();
  Workspace workspace{{}, {}, catalogue};
  FolderWatch watch;
};

TEST(FolderWorkspace, HasTheJournalOfItsFolder) {
  Forked forked("with_journal");
  ASSERT_EQ(forked.noted().size(), 2u);
  EXPECT_EQ(forked.noted()[1]->variant, "twice_fork");
  EXPECT_EQ(forked.noted()[1]->parent, 1);
  EXPECT_EQ(forked.noted()[1]->hypothesis, "half the loads");
}

TEST(FolderWorkspace, GoesBackToAnyIterationAndNotesWhatStoodThere) {
  Forked forked("gone_back");
  const fs::path kernel = forked.folder.path() / "twice_fork.cu";
  forked.save("// first\n");
  EXPECT_EQ(text_of(kernel), "// first\n");
  forked.ask(request::GoBack{*forked.noted()[1]});
  EXPECT_EQ(text_of(kernel), kDoublingKernel);
  ASSERT_EQ(forked.noted().size(), 3u) << "what stood there is an iteration now";
  EXPECT_THAT(forked.noted()[2]->hypothesis, HasSubstr("before going back to 2"));
  EXPECT_THAT(forked.noted()[2]->diff, HasSubstr("+// first"));
  forked.ask(request::GoBack{*forked.noted()[2]});
  EXPECT_EQ(text_of(kernel), "// first\n");
  EXPECT_EQ(forked.noted().size(), 3u) << "what is noted already is not noted again";
  // Another process reads all of it from the folder.
  const Result<SessionReading> read = read_session(forked.folder.path() / kJournalFile);
  ASSERT_TRUE(read) << sentence(read.error());
  ASSERT_EQ(read->session.outcomes().iterations().size(), 3u);
  for (const Iteration* each : read->session.outcomes().iterations())
    EXPECT_NE(read->session.catalogue().text("gone_back", each->scene_text), nullptr)
        << each->number;
}

// A person may say what was expected when the save is judged already, and of any folder what is
// noted is kept.
TEST(FolderWorkspace, TakesAHypothesisAfterTheSaveAndBeginsAJournal) {
  const OwnFolder folder("workspace/unexplained");
  folder.write("scene.toml", kDoublingDescription);
  folder.write("twice.cu", kDoublingKernel);
  const auto catalogue = std::make_shared<Catalogue>();
  ASSERT_TRUE(catalogue->open_folder(folder.path()));
  Workspace workspace({}, {}, catalogue);
  ASSERT_TRUE(workspace.begin_at("unexplained"));
  workspace.update();
  const auto note = [&](Iteration iteration) {
    workspace.requests.ask(request::Note{"twice", std::move(iteration)});
    workspace.update();
  };
  Iteration save;
  save.number = 2;
  save.scene = "unexplained";
  save.variant = "twice";
  save.diff = "--- twice.cu\n";
  note(save);  // as one that a save made
  Iteration words;
  words.hypothesis = "an addition is cheaper";
  note(words);
  const auto noted = workspace.session().outcomes().iterations();
  ASSERT_EQ(noted.size(), 1u) << "the words are of the save";
  EXPECT_EQ(noted[0]->hypothesis, "an addition is cheaper");
  EXPECT_EQ(noted[0]->diff, save.diff);
  words.hypothesis = "and then a shift";
  note(words);
  ASSERT_EQ(workspace.session().outcomes().iterations().size(), 2u);
  const Result<std::vector<Iteration>> kept = folder_journal(catalogue, "unexplained");
  ASSERT_TRUE(kept) << sentence(kept.error());
  ASSERT_EQ(kept->size(), 2u);
  EXPECT_EQ((*kept)[0].hypothesis, "an addition is cheaper");
}

// A `warpscope serve` notes in the folder that the window shows.
TEST(FolderWorkspace, SeesWhatAnotherProgramNotesAndNumbersOn) {
  Forked forked("shared_folder");
  ASSERT_EQ(forked.noted().size(), 2u);
  const auto note_elsewhere = [&](std::int64_t number, Decision decision) {
    Result<SessionFile> file =
        SessionFile::open(forked.folder.path() / kJournalFile, forked.catalogue);
    ASSERT_TRUE(file);
    Iteration noted;
    noted.number = number;
    noted.scene = "shared_folder";
    noted.variant = "twice_fork";
    noted.hypothesis = "of another program";
    noted.decision = decision;
    ASSERT_TRUE(file->append(noted));
  };
  note_elsewhere(3, Decision::open);
  forked.workspace.update();
  ASSERT_EQ(forked.noted().size(), 3u);
  EXPECT_EQ(forked.noted()[2]->hypothesis, "of another program");
  // What came since the last frame has its number already.
  note_elsewhere(4, Decision::open);
  request::Note note{"twice_fork", {}};
  note.iteration.hypothesis = "of the window";
  forked.ask(note);
  ASSERT_EQ(forked.noted().size(), 5u);
  EXPECT_EQ(forked.noted()[4]->number, 5);
  EXPECT_EQ(forked.noted()[4]->hypothesis, "of the window");
  // A decision of the window takes nothing back that was said meanwhile.
  request::Note decide{"twice_fork", *forked.noted()[3]};
  decide.iteration.hypothesis = "";
  decide.iteration.decision = Decision::kept;
  forked.ask(decide);
  EXPECT_EQ(forked.noted()[3]->decision, Decision::kept);
  EXPECT_EQ(forked.noted()[3]->hypothesis, "of another program");
  const Result<std::vector<Iteration>> kept = folder_journal(forked.catalogue, "shared_folder");
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->size(), 5u);
}

TEST(FolderWorkspace, WritesNothingOutsideOfItsFolder) {
  Forked forked("outside");
  for (const char* file : {"../other.cu", "/tmp/other.cu", ""}) {
    forked.workspace.log.clear_notices();
    forked.ask(request::Edit{file, "x"});
    ASSERT_FALSE(forked.workspace.view().log.notices().empty()) << file;
    EXPECT_THAT(forked.workspace.view().log.notices().back(),
                HasSubstr("not the name of a file in the folder"));
  }
  EXPECT_FALSE(fs::exists(forked.folder.path().parent_path() / "other.cu"));
}

TEST(FolderWorkspace, AMistakeInADescriptionKeepsTheLastGoodScene) {
  Forked forked("mistaken");
  FolderWatch watch;
  follow_folder(watch, forked.workspace);
  const std::string description = text_of(forked.folder.path() / "scene.toml");
  forked.folder.write("scene.toml", replaced(description, "block = 128", "block = [128"));
  std::this_thread::sleep_for(std::chrono::milliseconds(320));
  follow_folder(watch, forked.workspace);
  ASSERT_TRUE(forked.workspace.view().folder.mistake().has_value());
  EXPECT_GT(forked.workspace.view().folder.mistake()->line, 1);
  EXPECT_NE(find_variant(forked.workspace.scene(), "twice_fork"), nullptr);
  forked.folder.write("scene.toml", description + "\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(320));
  follow_folder(watch, forked.workspace);
  EXPECT_FALSE(forked.workspace.view().folder.mistake().has_value());
}

TEST(FolderWorkspace, ForksABuiltInVariantAtTheSamePoint) {
  const OwnFolder data("workspace/data");
  const char* was = std::getenv("XDG_DATA_HOME");
  const std::string before = was != nullptr ? was : "";
  ::setenv("XDG_DATA_HOME", data.path().c_str(), 1);
  Workspace workspace({}, {});
  ASSERT_TRUE(workspace.begin_at("csrmm"));
  workspace.selection.axes.set("n", std::int64_t{48});
  workspace.update();
  workspace.requests.ask(request::Fork{"row_split"});
  workspace.update();
  was == nullptr ? ::unsetenv("XDG_DATA_HOME") : ::setenv("XDG_DATA_HOME", before.c_str(), 1);
  EXPECT_EQ(workspace.scene().name, "csrmm_row_split");
  EXPECT_EQ(workspace.selection.variant, "row_split_fork");
  EXPECT_EQ(workspace.selection.baseline, "row_split");
  EXPECT_EQ(workspace.selection.axes.integer("n"), 48);
  EXPECT_EQ(workspace.view().journals.own().size(), 2u);
  Workspace later({}, {}, workspace.catalogue());
  ASSERT_TRUE(later.begin_at("csrmm_row_split"));
  EXPECT_EQ(later.selection.variant, "row_split_fork") << "whoever opens it looks at the copy";
  EXPECT_EQ(later.selection.baseline, "row_split");
}

// A process that saves and notes as fast as it can is killed at any moment: the file is one of the
// texts that were saved, whole, and every iteration that was noted is there with its text.
TEST(FolderWorkspace, AKilledProcessLosesNoIteration) {
  const OwnFolder folder("workspace/killed");
  folder.write("scene.toml", kDoublingDescription);
  folder.write("twice.cu", kDoublingKernel);
  const auto catalogue = std::make_shared<Catalogue>();
  std::int64_t most = 0;
  for (int round = 0; round < 12; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      if (!catalogue->open_folder(folder.path())) ::_exit(1);
      Result<SessionFile> file = SessionFile::open(folder.path() / kJournalFile, catalogue);
      for (std::int64_t i = 1000 * round + 1; file; ++i) {
        const std::string text =
            kDoublingKernel + std::string(4000, '/') + std::to_string(i) + "\n";
        if (!write_file(folder.path() / "twice.cu", text)) ::_exit(1);
        if (!catalogue->open_folder(folder.path())) ::_exit(1);
        Iteration noted;
        noted.number = i;
        noted.scene = "killed";
        noted.variant = "twice";
        noted.scene_text = catalogue->text("killed")->hash;
        if (!file->append(noted) || ::write(ends[1], &i, sizeof i) != sizeof i) ::_exit(1);
      }
      ::_exit(1);
    }
    ::close(ends[1]);
    std::int64_t last = 0, read = 0;
    while (last < 1000 * round + 2 && ::read(ends[0], &read, sizeof read) == sizeof read)
      last = read;
    ::usleep(static_cast<useconds_t>(700 * round));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    while (::read(ends[0], &read, sizeof read) == sizeof read) last = read;
    ::close(ends[0]);
    ASSERT_TRUE(WIFSIGNALED(status)) << "it ended by itself";
    most = std::max(most, last);
    const std::string text = text_of(folder.path() / "twice.cu");
    ASSERT_TRUE(text.starts_with(kDoublingKernel) && text.ends_with("\n")) << text.size();
    const Result<SessionReading> reading = read_session(folder.path() / kJournalFile);
    ASSERT_TRUE(reading) << sentence(reading.error());
    const auto noted = reading->session.outcomes().iterations();
    const auto found = std::find_if(noted.begin(), noted.end(),
                                    [last](const Iteration* each) { return each->number == last; });
    ASSERT_NE(found, noted.end()) << "iteration " << last << " was noted and is lost";
    EXPECT_NE(reading->session.catalogue().text("killed", (*found)->scene_text), nullptr);
  }
  EXPECT_GT(most, 1000);
}

}  // namespace
}  // namespace warpscope
