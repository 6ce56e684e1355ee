// tests/profiling/journal/folder_journals_test.cpp: several writers on one folder lose no iteration
// and give no number twice.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "profiling/journal/change_watch.h"
#include "profiling/journal/folder_lock.h"
#include "profiling/journal/fork_journal.h"
#include "scenes/catalogue.h"
#include "tests/scenes/folder_parts.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

// What a window or a `serve` is to a journal.
struct Writer {
  std::string scene;
  std::shared_ptr<Catalogue> catalogue;
  Session session{catalogue};
  FolderJournals journals{catalogue};

  Writer(std::string name, std::shared_ptr<Catalogue> with)
      : scene(std::move(name)), catalogue(std::move(with)) {
    EXPECT_TRUE(journals.begin(scene, taking()));
  }
  FolderJournals::TakeIn taking() {
    return [this](const Iteration& each) { session.apply(each); };
  }
  // Returns its number; 0: it was not kept.
  std::int64_t note(const std::string& hypothesis) {
    std::int64_t number = 0;
    const Result<void> kept = journals.locked(scene, taking(), [&]() -> Result<void> {
      Iteration made;
      made.number = next_iteration(session, scene);
      made.scene = scene;
      made.variant = "twice";
      made.hypothesis = hypothesis;
      made.scene_text = catalogue->text(scene)->hash;
      session.apply(made);
      number = made.number;
      return journals.keep(made);
    });
    return kept ? number : 0;
  }
  std::map<std::int64_t, std::string> noted() {
    EXPECT_TRUE(journals.look(scene, taking()));
    std::map<std::int64_t, std::string> all;
    for (const Iteration* each : session.outcomes().iterations())
      all[each->number] = each->hypothesis;
    return all;
  }
};

class FolderJournalWriters : public testing::Test {
 protected:
  void SetUp() override {
    folder.write("scene.toml", kDoublingDescription);
    folder.write("twice.cu", kDoublingKernel);
    ASSERT_TRUE(catalogue->open_folder(folder.path()));
  }
  std::map<std::int64_t, std::string> on_disk() const {
    std::map<std::int64_t, std::string> all;
    const Result<std::vector<Iteration>> kept = folder_journal(catalogue, "writers");
    EXPECT_TRUE(kept);
    for (const Iteration& each : kept ? *kept : std::vector<Iteration>{}) {
      EXPECT_NE(catalogue->text("writers", each.scene_text), nullptr) << each.number;
      all[each.number] = each.hypothesis;
    }
    return all;
  }
  OwnFolder folder{"journals/writers"};
  std::shared_ptr<Catalogue> catalogue = std::make_shared<Catalogue>();
};

// Numbers follow one another from 1 whoever asks, so that n iterations have 1 … n.
void expect_numbers_to(std::int64_t count, const std::map<std::int64_t, std::string>& noted) {
  ASSERT_EQ(static_cast<std::int64_t>(noted.size()), count);
  EXPECT_EQ(noted.begin()->first, 1);
  EXPECT_EQ(noted.rbegin()->first, count);
}

TEST_F(FolderJournalWriters, InOneProcessGiveEachNumberOnceAndSeeAll) {
  Writer first("writers", catalogue), second("writers", catalogue), third("writers", catalogue);
  std::map<std::int64_t, std::string> said;
  for (int i = 0; i < 60; ++i) {
    Writer& one = i % 7 < 3 ? first : i % 3 == 0 ? second : third;
    const std::string words = "change " + std::to_string(i);
    const std::int64_t number = one.note(words);
    ASSERT_GT(number, 0);
    EXPECT_TRUE(said.emplace(number, words).second) << number << " was given twice";
  }
  expect_numbers_to(60, said);
  EXPECT_EQ(on_disk(), said);
  for (Writer* each : {&first, &second, &third}) EXPECT_EQ(each->noted(), said);
}

// A process that notes until it has noted so many, or is killed; what it says is in the pipe.
pid_t start_writer(const std::shared_ptr<Catalogue>& catalogue, const std::string& name, int count,
                   int to) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  Writer writer("writers", catalogue);
  for (int i = 0; i < count; ++i) {
    const std::int64_t number = writer.note(name + " " + std::to_string(i));
    if (number == 0 || ::write(to, &number, sizeof number) != sizeof number) ::_exit(1);
  }
  ::_exit(0);
}

TEST_F(FolderJournalWriters, InTwoProcessesKeepAllIterations) {
  constexpr int kEach = 150;
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::set<pid_t> children = {start_writer(catalogue, "first", kEach, ends[1]),
                              start_writer(catalogue, "second", kEach, ends[1])};
  ::close(ends[1]);
  std::set<std::int64_t> numbers;
  std::int64_t number = 0;
  while (::read(ends[0], &number, sizeof number) == sizeof number)
    EXPECT_TRUE(numbers.insert(number).second) << number << " was given twice";
  ::close(ends[0]);
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  const auto noted = on_disk();
  expect_numbers_to(2 * kEach, noted);
  EXPECT_EQ(numbers.size(), noted.size());
  std::set<std::string> words;
  for (const auto& [each, said] : noted) words.insert(said);
  EXPECT_EQ(words.size(), noted.size()) << "both iterations are kept";
}

// One of two is killed at any moment, also within a line and while it has the lock.
TEST_F(FolderJournalWriters, GoOnWhereOneIsKilled) {
  std::set<std::int64_t> numbers;
  Writer here("writers", catalogue);
  for (int round = 0; round < 15; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = start_writer(catalogue, "round " + std::to_string(round), 1 << 20, ends[1]);
    ::close(ends[1]);
    std::int64_t number = 0;
    ASSERT_EQ(::read(ends[0], &number, sizeof number), static_cast<ssize_t>(sizeof number));
    EXPECT_TRUE(numbers.insert(number).second);
    for (int i = 0; i < 10; ++i) {
      const std::int64_t ours = here.note("here");
      ASSERT_GT(ours, 0);
      EXPECT_TRUE(numbers.insert(ours).second) << ours << " was given twice";
    }
    ::usleep(static_cast<useconds_t>(300 * round));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    while (::read(ends[0], &number, sizeof number) == sizeof number)
      EXPECT_TRUE(numbers.insert(number).second) << number << " was given twice";
    ::close(ends[0]);
  }
  const std::int64_t last = here.note("the last");
  const auto noted = on_disk();
  EXPECT_EQ(noted.rbegin()->first, last);
  for (const std::int64_t number : numbers) EXPECT_EQ(noted.count(number), 1u) << number;
  EXPECT_EQ(here.noted(), noted);
}

TEST_F(FolderJournalWriters, PassByALineThatOneLeftUnfinished) {
  Writer first("writers", catalogue), second("writers", catalogue);
  ASSERT_EQ(first.note("one"), 1);
  ASSERT_EQ(second.note("two"), 2);
  std::ofstream(folder.path() / kJournalFile, std::ios::app)
      << R"({"type": "iteration", "number": 3, "sce)";
  EXPECT_EQ(second.noted().size(), 2u) << "it is not finished yet";
  EXPECT_EQ(first.note("three"), 3);
  EXPECT_EQ(second.note("four"), 4);
  const std::map<std::int64_t, std::string> all = {
      {1, "one"}, {2, "two"}, {3, "three"}, {4, "four"}};
  EXPECT_EQ(first.noted(), all);
  EXPECT_EQ(second.noted(), all);
  EXPECT_EQ(on_disk(), all);
}

// The first line of all is torn.
TEST_F(FolderJournalWriters, BeginAfterAFirstLineThatIsTorn) {
  folder.write(kJournalFile, R"({"type":"iteration","number":1,)");
  Writer writer("writers", catalogue);
  EXPECT_EQ(writer.note("one"), 1);
  EXPECT_EQ(writer.note("two"), 2);
  EXPECT_EQ(on_disk().size(), 2u);
}

TEST_F(FolderJournalWriters, TakeInAFileThatWasPutInPlaceOfTheirs) {
  Writer first("writers", catalogue), second("writers", catalogue);
  ASSERT_EQ(first.note("one"), 1);
  ASSERT_EQ(second.note("two"), 2);
  ASSERT_EQ(first.note("three"), 3);
  // As a version control does: another file of that name, which is shorter.
  const fs::path journal = folder.path() / kJournalFile;
  fs::remove(journal);
  {
    Writer third("writers", catalogue);
    ASSERT_EQ(third.note("another one"), 1);
  }
  EXPECT_EQ(first.note("four"), 4) << "what it knows keeps its numbers";
  const auto noted = on_disk();
  EXPECT_EQ(noted, (std::map<std::int64_t, std::string>{{1, "another one"}, {4, "four"}}));
}

TEST_F(FolderJournalWriters, WaitForTheLockAndSayWhoseItIs) {
  Writer writer("writers", catalogue);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const Result<FolderLock> lock = FolderLock::take(folder.path());
    const char told = lock ? 1 : 0;
    if (::write(ends[1], &told, 1) != 1) ::_exit(1);
    ::pause();
    ::_exit(0);
  }
  char told = 0;
  ASSERT_EQ(::read(ends[0], &told, 1), 1);
  ASSERT_EQ(told, 1);
  const Result<void> refused =
      writer.journals.locked("writers", writer.taking(), [] { return Result<void>{}; });
  ::kill(child, SIGKILL);  // with which its lock ends
  ::waitpid(child, nullptr, 0);
  ASSERT_FALSE(refused) << "a program that is stopped must not stop this one";
  EXPECT_EQ(refused.error().kind, ErrorKind::environment);
  EXPECT_EQ(writer.note("one"), 1);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(FolderJournals, OfASceneThatIsNoFolderKeepNothing) {
  FolderJournals journals(std::make_shared<Catalogue>());
  int acted = 0;
  EXPECT_TRUE(journals.begin("csrmm", {}));
  EXPECT_TRUE(journals.look("csrmm", {}));
  EXPECT_TRUE(journals.locked("csrmm", {}, [&]() -> Result<void> {
    ++acted;
    Iteration made;
    made.scene = "csrmm";
    return journals.keep(made);
  }));
  EXPECT_EQ(acted, 1);
}

}  // namespace
}  // namespace warpscope
