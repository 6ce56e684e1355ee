// tests/scenes/cache_test.cpp: what someone else could have planted in a cache is never read.
#include "scenes/host/cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <thread>

#include "scenes/host/paths.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMost = 1000;

mode_t mode_of(const fs::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

// Folders of its own in place of the home, the cache and the temporary folder.
class CacheFolder : public testing::Test {
 protected:
  void SetUp() override {
    top_ = fs::path(testing::TempDir()) / ("warpscope_cache_" + std::to_string(::getpid()));
    fs::remove_all(top_);
    fs::create_directories(top_ / "tmp");
    for (const char* name : kNames) {
      const char* value = std::getenv(name);
      kept_[name] = value == nullptr ? std::optional<std::string>{} : value;
    }
    ::setenv("XDG_CACHE_HOME", (top_ / "xdg").c_str(), 1);
    ::setenv("HOME", (top_ / "home").c_str(), 1);
    ::setenv("TMPDIR", (top_ / "tmp").c_str(), 1);
  }
  void TearDown() override {
    for (const char* name : kNames) {
      kept_[name] ? ::setenv(name, kept_[name]->c_str(), 1) : ::unsetenv(name);
    }
    fs::remove_all(top_);
  }
  fs::path folder() const { return top_ / "xdg" / "warpscope"; }
  // Why there is no cache.
  static std::string refusal() {
    const Result<Cache> cache = Cache::open();
    return cache ? "" : sentence(cache.error());
  }
  fs::path top_;

 private:
  static constexpr const char* kNames[] = {"XDG_CACHE_HOME", "HOME", "TMPDIR"};
  std::map<std::string, std::optional<std::string>> kept_;
};

// source: XDG Base Directory Specification, "Basics": relative paths are ignored.
TEST_F(CacheFolder, IsInTheHomeWhereItsVariableIsRelative) {
  for (const char* relative : {"no-cache", "./no-cache", "../no-cache"}) {
    ::setenv("XDG_CACHE_HOME", relative, 1);
    const Result<Cache> cache = Cache::open();
    ASSERT_TRUE(cache) << sentence(cache.error());
    EXPECT_TRUE(fs::exists(top_ / "home" / ".cache" / "warpscope")) << relative;
    EXPECT_FALSE(fs::exists(relative));
    EXPECT_EQ(user_folder("XDG_CACHE_HOME", ".cache"), top_ / "home" / ".cache");
  }
  ::setenv("HOME", "home", 1);
  EXPECT_FALSE(user_folder("XDG_CACHE_HOME", ".cache"));
  EXPECT_TRUE(Cache::open());  // in the temporary folder
}

TEST_F(CacheFolder, KeepsFilesForThisUserAlone) {
  const Result<Cache> cache = Cache::open();
  ASSERT_TRUE(cache) << sentence(cache.error());
  EXPECT_EQ(cache->folder(), folder());
  EXPECT_FALSE(cache->read("ptx", "a.bin", kMost));
  cache->write("ptx", "a.bin", "text");
  EXPECT_EQ(cache->read("ptx", "a.bin", kMost), "text");
  EXPECT_FALSE(cache->read("ptx", "a.bin", 3)) << "over the limit";
  EXPECT_EQ(mode_of(folder()), 0700u);
  EXPECT_EQ(mode_of(folder() / "ptx"), 0700u);
  EXPECT_EQ(mode_of(folder() / "ptx" / "a.bin"), 0600u);
  cache->write("ptx", "a.bin", "newer");
  EXPECT_EQ(cache->read("ptx", "a.bin", kMost), "newer");
  for (const auto& entry : fs::directory_iterator(folder() / "ptx"))
    EXPECT_EQ(entry.path().filename(), "a.bin");
}

TEST_F(CacheFolder, ClosesWhatWasReadableForOthers) {
  fs::create_directories(folder());
  ::chmod(folder().c_str(), 0755);
  ASSERT_TRUE(Cache::open());
  EXPECT_EQ(mode_of(folder()), 0700u);
}

TEST_F(CacheFolder, LiesInTheTemporaryFolderUnderTheUsersNumberWhereThereIsNoHome) {
  std::ofstream(top_ / "file") << "no folder";
  ::setenv("XDG_CACHE_HOME", (top_ / "file" / "below").c_str(), 1);
  ::setenv("HOME", (top_ / "file").c_str(), 1);
  const Result<Cache> cache = Cache::open();
  ASSERT_TRUE(cache) << sentence(cache.error());
  EXPECT_EQ(cache->folder(), top_ / "tmp" / ("warpscope-" + std::to_string(::geteuid())));
  EXPECT_EQ(mode_of(cache->folder()), 0700u);
}

TEST_F(CacheFolder, IsNotUsedWhereOthersMayWrite) {
  fs::create_directories(folder() / "ptx");
  std::ofstream(folder() / "ptx" / "a.bin") << "planted";
  for (const mode_t mode : {0777, 0770, 0702, 01777}) {
    ::chmod(folder().c_str(), mode);
    const std::string why = refusal();
    EXPECT_NE(why.find("others may write to it"), std::string::npos) << why;
    EXPECT_NE(why.find("XDG_CACHE_HOME"), std::string::npos) << why;
  }
}

TEST_F(CacheFolder, IsNoLink) {
  fs::create_directories(top_ / "elsewhere");
  fs::create_directories(top_ / "xdg");
  fs::create_directory_symlink(top_ / "elsewhere", folder());
  EXPECT_NE(refusal().find("it is a link"), std::string::npos) << refusal();
  fs::remove(folder());
  std::ofstream(folder()) << "a file";
  EXPECT_NE(refusal().find("not a folder"), std::string::npos) << refusal();
}

TEST_F(CacheFolder, ReadsNoFileThatCouldBeSomeoneElses) {
  const Result<Cache> cache = Cache::open();
  ASSERT_TRUE(cache);
  cache->write("ptx", "a.bin", "text");
  const fs::path file = folder() / "ptx" / "a.bin";
  ASSERT_TRUE(cache->read("ptx", "a.bin", kMost));
  ::chmod(file.c_str(), 0666);
  EXPECT_FALSE(cache->read("ptx", "a.bin", kMost)) << "others may write to it";
  ::chmod(file.c_str(), 0600);
  fs::create_hard_link(file, top_ / "link");
  EXPECT_FALSE(cache->read("ptx", "a.bin", kMost)) << "it has another name";
  fs::remove(top_ / "link");
  EXPECT_TRUE(cache->read("ptx", "a.bin", kMost));
  fs::rename(file, top_ / "moved");
  fs::create_symlink(top_ / "moved", file);
  EXPECT_FALSE(cache->read("ptx", "a.bin", kMost)) << "a link";
  cache->write("ptx", "a.bin", "mine");
  EXPECT_EQ(cache->read("ptx", "a.bin", kMost), "mine") << "the link was replaced";
  fs::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_FALSE(cache->read("ptx", "a.bin", kMost)) << "a pipe";
  ::chmod((folder() / "ptx").c_str(), 0777);
  EXPECT_FALSE(cache->read("ptx", "a.bin", kMost)) << "a folder that others may write to";
  cache->write("ptx", "b.bin", "text");
  EXPECT_FALSE(fs::exists(folder() / "ptx" / "b.bin"));
}

// A turn of another process is one of another open file, as that of another Cache here is.
TEST_F(CacheFolder, AFullShelfLosesWhatWasNotUsedForLongest) {
  const Result<Cache> cache = Cache::open(300);
  ASSERT_TRUE(cache) << sentence(cache.error());
  const std::string text(100, 'x');
  const CacheTurn turn = cache->turn("ptx", "a", 1);
  const auto used_at = [&](const char* name, int second) {
    const timespec times[] = {{second, 0}, {second, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, (folder() / "ptx" / name).c_str(), times, 0), 0);
  };
  for (const char* name : {"a", "b", "c"}) cache->write("ptx", name, text);
  used_at("a", 1000);
  used_at("b", 2000);
  used_at("c", 3000);
  ASSERT_TRUE(cache->read("ptx", "a", kMost)) << "three files of 100 B fit into 300 B";
  // Now "b" was not used for longest, because "a" was read.
  cache->write("ptx", "d", text);
  EXPECT_FALSE(cache->read("ptx", "b", kMost));
  for (const char* name : {"a", "c", "d"}) EXPECT_TRUE(cache->read("ptx", name, kMost)) << name;
  // Another shelf has room of its own, and the file of the locks is not an entry.
  cache->write("cubin", "e", text);
  EXPECT_TRUE(cache->read("ptx", "a", kMost));
  EXPECT_TRUE(fs::exists(folder() / "ptx" / "turns"));
  // What is larger than a shelf is not kept.
  cache->write("cubin", "f", std::string(301, 'x'));
  EXPECT_FALSE(cache->read("cubin", "f", kMost));
  EXPECT_TRUE(cache->read("cubin", "e", kMost));
}

TEST_F(CacheFolder, AnotherProcessWaitsForItsTurnAtTheSameFile) {
  const Result<Cache> cache = Cache::open();
  ASSERT_TRUE(cache);
  std::optional<CacheTurn> first(cache->turn("ptx", "a", 0));
  std::string order;
  std::thread second([&] {
    const CacheTurn turn = cache->turn("ptx", "a", 60);
    order += "second";
  });
  {
    const CacheTurn other = cache->turn("ptx", "b", 60);  // does not wait
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  order += "first ";
  first.reset();
  second.join();
  EXPECT_EQ(order, "first second");
}

TEST_F(CacheFolder, ATurnThatIsNotGivenInTimeIsNotWaitedForLonger) {
  const Result<Cache> cache = Cache::open();
  ASSERT_TRUE(cache);
  CacheTurn first = cache->turn("ptx", "a", 0);
  const CacheTurn second = cache->turn("ptx", "a", 0.02);  // returns
  first = CacheTurn();
}

TEST_F(CacheFolder, ATurnEndsWithItsProcess) {
  const Result<Cache> cache = Cache::open();
  ASSERT_TRUE(cache);
  const pid_t child = ::fork();
  if (child == 0) {
    const CacheTurn turn = cache->turn("ptx", "a", 0);
    ::_exit(0);  // without its destructor
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  const auto begun = std::chrono::steady_clock::now();
  const CacheTurn turn = cache->turn("ptx", "a", 60);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(30));
}

TEST_F(CacheFolder, BelongsToThisUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files to another user";
  constexpr uid_t kOther = 12345;
  fs::create_directories(folder());
  ::chmod(folder().c_str(), 0700);
  ASSERT_EQ(::chown(folder().c_str(), kOther, kOther), 0);
  EXPECT_NE(refusal().find("it belongs to user 12345"), std::string::npos) << refusal();
  ASSERT_EQ(::chown(folder().c_str(), 0, 0), 0);
  const Result<Cache> cache = Cache::open();
  ASSERT_TRUE(cache);
  cache->write("ptx", "a.bin", "text");
  const fs::path file = folder() / "ptx" / "a.bin";
  ASSERT_EQ(::chown(file.c_str(), kOther, kOther), 0);
  EXPECT_FALSE(cache->read("ptx", "a.bin", kMost));
  ASSERT_EQ(::chown(file.c_str(), 0, 0), 0);
  EXPECT_TRUE(cache->read("ptx", "a.bin", kMost));
  ASSERT_EQ(::chown((folder() / "ptx").c_str(), kOther, kOther), 0);
  EXPECT_FALSE(cache->read("ptx", "a.bin", kMost));
}

}  // namespace
}  // namespace warpscope
