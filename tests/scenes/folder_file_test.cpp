// tests/scenes/folder_file_test.cpp: a file in a folder is reached without a link, also where one
// appears after it was looked for.
#include "scenes/folder_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "scenes/host/input_file.h"
#include "tests/scenes/folder_parts.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) { return read_input(file, 1 << 20).value_or(""); }

struct FolderFiles : testing::Test {
  OwnFolder inside{"folder_file/inside"}, outside{"folder_file/outside"};
  void SetUp() override {
    inside.write("k.cu", "kernel");
    fs::create_directories(inside.path() / "part");
    inside.write("part/k.cuh", "header");
    outside.write("k.cu", "outside");
    outside.write("k.cuh", "outside");
  }
};

TEST_F(FolderFiles, AreReadAndWrittenWhereTheyLie) {
  for (const char* path : {"k.cu", "./k.cu", "part/../k.cu", "part/k.cuh"}) {
    const Result<FolderFile> file = FolderFile::at(inside.path(), path);
    ASSERT_TRUE(file) << path;
    EXPECT_TRUE(file->there());
    ASSERT_TRUE(file->write(std::string("new ") + path));
    EXPECT_EQ(file->read(100).value_or(""), std::string("new ") + path);
    EXPECT_EQ(text_of(inside.path() / path), std::string("new ") + path);
  }
  const Result<FolderFile> fresh = FolderFile::at(inside.path(), "part/new.h");
  ASSERT_TRUE(fresh);
  EXPECT_FALSE(fresh->there());
  EXPECT_FALSE(fresh->read(100));
  ASSERT_TRUE(fresh->write("x"));
  EXPECT_EQ(text_of(inside.path() / "part" / "new.h"), "x");
  EXPECT_EQ(fresh->read(1).value_or(""), "x");
  ASSERT_TRUE(fresh->write("xy"));
  EXPECT_FALSE(fresh->read(1)) << "it is longer";
  fresh->remove();
  EXPECT_FALSE(fs::exists(inside.path() / "part" / "new.h"));
}

TEST_F(FolderFiles, AreNotOutside) {
  ASSERT_EQ(::mkfifo((inside.path() / "pipe").c_str(), 0600), 0);
  fs::create_directory_symlink(outside.path(), inside.path() / "way");
  fs::create_directory_symlink("part", inside.path() / "inner");
  fs::create_symlink("k.cu", inside.path() / "link");
  for (const std::string& path :
       {std::string(), std::string("."), std::string(".."), std::string("/"), std::string("part"),
        std::string("part/"), std::string("k.cu/"), std::string("k.cu/x"), std::string("nowhere/x"),
        std::string("../outside/k.cu"), (outside.path() / "k.cu").string(), std::string("way/k.cu"),
        std::string("way/new"), std::string("inner/k.cuh"), std::string("link"),
        std::string("pipe"), std::string("k.cu\0", 5), std::string("\0", 1)}) {
    const Result<FolderFile> file = FolderFile::at(inside.path(), path);
    ASSERT_FALSE(file) << path;
    EXPECT_EQ(file.error().kind, ErrorKind::usage) << path;
    EXPECT_FALSE(write_in_folder(inside.path(), path, "x")) << path;
  }
  EXPECT_EQ(text_of(outside.path() / "k.cu"), "outside");
  EXPECT_FALSE(FolderFile::at(inside.path() / "nowhere", "k.cu"));
}

// Whoever may write in the folder changes it between the look and the write.
TEST_F(FolderFiles, WhatTakesTheNameMeanwhileIsReplacedAndNeverFollowed) {
  const fs::path name = inside.path() / "k.cu";
  const auto changed = [&](auto change) {
    Result<FolderFile> file = FolderFile::at(inside.path(), "k.cu");
    EXPECT_TRUE(file);
    fs::remove(name);
    change();
    return file;
  };
  auto link = changed([&] { fs::create_symlink(outside.path() / "k.cu", name); });
  EXPECT_FALSE(link->read(100));
  ASSERT_TRUE(link->write("inside"));
  EXPECT_FALSE(fs::is_symlink(name));
  auto pipe = changed([&] { ASSERT_EQ(::mkfifo(name.c_str(), 0600), 0); });
  EXPECT_FALSE(pipe->read(100)) << "and nobody waits for a writer";
  ASSERT_TRUE(pipe->write("inside"));
  auto folder = changed([&] { fs::create_directories(name); });
  EXPECT_FALSE(folder->read(100));
  EXPECT_FALSE(folder->write("inside"));
  fs::remove(name);
  auto hard = changed([&] { fs::create_hard_link(outside.path() / "k.cu", name); });
  ASSERT_TRUE(hard->write("inside"));
  EXPECT_EQ(text_of(name), "inside");
  EXPECT_EQ(text_of(outside.path() / "k.cu"), "outside");
}

TEST_F(FolderFiles, AFolderOnTheWayThatBecomesALinkIsNotFollowed) {
  Result<FolderFile> file = FolderFile::at(inside.path(), "part/k.cuh");
  ASSERT_TRUE(file);
  fs::rename(inside.path() / "part", inside.path() / "moved");
  fs::create_directory_symlink(outside.path(), inside.path() / "part");
  ASSERT_TRUE(file->write("inside"));
  EXPECT_EQ(text_of(outside.path() / "k.cuh"), "outside");
  EXPECT_EQ(text_of(inside.path() / "moved" / "k.cuh"), "inside");
  EXPECT_FALSE(FolderFile::at(inside.path(), "part/k.cuh"));
}

// What a killed process left under the temporary name is not followed either.
TEST_F(FolderFiles, ATemporaryNameThatIsALinkIsNotFollowed) {
  const std::string partial = ".k.cu.partial-" + std::to_string(::getpid());
  fs::create_symlink(outside.path() / "k.cu", inside.path() / partial);
  ASSERT_TRUE(write_in_folder(inside.path(), "k.cu", "inside"));
  EXPECT_EQ(text_of(outside.path() / "k.cu"), "outside");
  EXPECT_EQ(text_of(inside.path() / "k.cu"), "inside");
}

}  // namespace
}  // namespace warpscope
