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

}  // namespace
}  // namespace warpscope
