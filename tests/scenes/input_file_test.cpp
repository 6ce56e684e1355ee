// tests/scenes/input_file_test.cpp: regular files are read, everything else is refused at once.
#include "scenes/host/input_file.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

namespace warpscope {
namespace {

namespace fs = std::filesystem;

class AnInput : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("warpscope_input_" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  void expect_refused(const fs::path& path, const std::string& words) const {
    const Result<std::string> text = read_input(path, 1000);
    ASSERT_FALSE(text) << path;
    EXPECT_EQ(text.error().kind, ErrorKind::input) << path;
    EXPECT_NE(sentence(text.error()).find(words), std::string::npos) << sentence(text.error());
    EXPECT_FALSE(text.error().remedy.empty());
  }
  fs::path folder_;
};

TEST_F(AnInput, IsReadWhole) {
  const std::string bytes = std::string("a\0b\n", 4) + std::string(996, 'x');
  std::ofstream(folder_ / "file", std::ios::binary) << bytes;
  EXPECT_EQ(read_input(folder_ / "file", 1000), bytes);
  fs::create_symlink(folder_ / "file", folder_ / "link");
  EXPECT_EQ(read_input(folder_ / "link", 1000), bytes) << "links are followed";
  std::ofstream(folder_ / "empty");
  EXPECT_EQ(read_input(folder_ / "empty", 1000), "");
  // Files whose size says that they are empty.
  EXPECT_FALSE(read_input("/proc/self/status", 1 << 20)->empty());
}

TEST_F(AnInput, IsNoLongerThanItsLimit) {
  std::ofstream(folder_ / "file") << std::string(1001, 'x');
  expect_refused(folder_ / "file", "over the limit");
  expect_refused("/proc/self/status", "more than 0.001 MB");
}

TEST_F(AnInput, IsARegularFile) {
  expect_refused(folder_ / "nothing", "there is no such file");
  std::ofstream(folder_ / "file");
  expect_refused(folder_ / "file" / "below", "there is no such file");
  expect_refused(folder_, "this is a folder");
  // To open a pipe that nobody writes to would wait for ever.
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  expect_refused(folder_ / "pipe", "this is not a regular file but a pipe");
  expect_refused("/dev/zero", "this is not a regular file; write");
  expect_refused("/dev/null", "this is not a regular file; write");
  const int number = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, (folder_ / "socket").c_str(), sizeof address.sun_path - 1);
  if (::bind(number, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
    expect_refused(folder_ / "socket", "this is not a regular file but a socket");
  ::close(number);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  expect_refused("/dev/fd/" + std::to_string(ends[0]), "like <(…) and /dev/stdin");
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(AnInput, MayNotBeReadWithoutPermission) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  std::ofstream(folder_ / "file");
  ::chmod((folder_ / "file").c_str(), 0);
  expect_refused(folder_ / "file", "Permission denied");
}

}  // namespace
}  // namespace warpscope
