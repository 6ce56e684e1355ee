// tests/scenes/write_file_test.cpp: a file appears whole or not at all, and links and permissions
// stay.
#include "scenes/host/write_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace warpscope {
namespace {

namespace fs = std::filesystem;

class WriteFile : public testing::Test {
 protected:
  WriteFile()
      : folder_(fs::path(testing::TempDir()) / ("write_file_" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "far");
  }
  ~WriteFile() override { fs::remove_all(folder_); }
  static std::string text_of(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  std::size_t files() const {
    std::size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder_))
      count += entry.symlink_status().type() == fs::file_type::regular;
    return count;
  }
  fs::path folder_;
};

TEST_F(WriteFile, ALinkStaysAndWhatItLeadsToIsReplaced) {
  std::ofstream(folder_ / "far/real.csv") << "before";
  fs::create_symlink("far/real.csv", folder_ / "inner");
  fs::create_symlink(folder_ / "inner", folder_ / "outer");
  ASSERT_TRUE(write_file(folder_ / "outer", "after"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "outer") && fs::is_symlink(folder_ / "inner"));
  EXPECT_EQ(text_of(folder_ / "far/real.csv"), "after");
  EXPECT_EQ(files(), 1u) << "nothing is left beside it";
}

TEST_F(WriteFile, ALinkToNothingMakesWhatItNames) {
  fs::create_symlink("far/new.csv", folder_ / "link");
  ASSERT_TRUE(write_file(folder_ / "link", "text"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(text_of(folder_ / "far/new.csv"), "text");
}

// Where everyone may make files, as in /tmp: what another user planted is not written to.
TEST_F(WriteFile, AnotherUsersLinksAndPipesAreRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make files of another user";
  constexpr uid_t kOther = 60002;
  const auto shared = folder_ / "shared";
  fs::create_directory(shared);
  ASSERT_EQ(::chmod(shared.c_str(), 01777), 0);
  const auto own = folder_ / "own";
  ASSERT_TRUE(write_file(own, "mine"));
  const auto link = shared / "a.csv", pipe = shared / "b.csv";
  fs::create_symlink(own, link);
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0666), 0);
  for (const auto& planted : {link, pipe}) {
    ASSERT_EQ(::lchown(planted.c_str(), kOther, kOther), 0);
    const Result<void> written = write_file(planted, "new");
    ASSERT_FALSE(written) << planted;
    EXPECT_NE(written.error().what.find("another user's"), std::string::npos);
  }
  EXPECT_EQ(text_of(own), "mine");
  // A link in the place of the file beside it, whose name is easy to guess.
  const auto partial = shared / ("c.csv.partial-" + std::to_string(::getpid()));
  fs::create_symlink(own, partial);
  EXPECT_TRUE(write_file(shared / "c.csv", "new"));
  EXPECT_EQ(text_of(own), "mine");
  EXPECT_EQ(text_of(shared / "c.csv"), "new");
}

TEST_F(WriteFile, PermissionsStay) {
  const fs::path path = folder_ / "own.csv";
  std::ofstream(path) << "before";
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  ASSERT_TRUE(write_file(path, "after"));
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_EQ(text_of(path), "after");
}

TEST_F(WriteFile, AFailureLeavesWhatWasThere) {
  const fs::path path = folder_ / "kept.csv";
  std::ofstream(path) << "before";
  const Result<void> failed = write_file(path, [](const TextSink& write) -> Result<void> {
    write("half");
    return failure(ErrorKind::input, "no more", "", "");
  });
  EXPECT_FALSE(failed);
  EXPECT_EQ(text_of(path), "before");
  EXPECT_EQ(files(), 1u);
}

// As a signal's handler does, before it ends the program.
TEST_F(WriteFile, WhatIsUnfinishedCanBeRemoved) {
  const fs::path path = folder_ / "kept.csv";
  std::ofstream(path) << "before";
  std::size_t begun = 0, left = 0;
  const Result<void> failed = write_file(path, [&](const TextSink& write) -> Result<void> {
    write("half");
    begun = files();
    remove_unfinished_files();
    left = files();
    return failure(ErrorKind::input, "ended", "", "");
  });
  EXPECT_FALSE(failed);
  EXPECT_EQ(begun, 2u);
  EXPECT_EQ(left, 1u);
  EXPECT_EQ(text_of(path), "before");
  // Later, another file of that name is nobody's.
  ASSERT_TRUE(write_file(path, "after"));
  std::ofstream(path.string() + ".partial-" + std::to_string(::getpid())) << "another's";
  remove_unfinished_files();
  EXPECT_EQ(files(), 2u);
  EXPECT_EQ(text_of(path), "after");
}

}  // namespace
}  // namespace warpscope
