// tests/scenes/allowed_folders_test.cpp: what a kernel or a description names outside of its folder
// is read only where a person allowed it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "scenes/base/texts/code_id.h"
#include "scenes/catalogue.h"
#include "scenes/folder_watch.h"
#include "scenes/host/input_file.h"
#include "scenes/read_folder.h"
#include "tests/scenes/folder_parts.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

const char* const kSecret = "int a_secret_of_another_folder;\n";

// A scene's folder and, beside it, a folder that is none of its business.
class AllowedFolders : public testing::Test {
 protected:
  AllowedFolders() {
    fs::create_directories(folder_.path() / "scene" / "sub");
    fs::create_directories(folder_.path() / "other");
    folder_.write("scene/scene.toml", kDoublingDescription);
    folder_.write("scene/twice.cu", kDoublingKernel);
    folder_.write("other/secret.h", kSecret);
    folder_.write("other/secret.npy", kSecret);
  }
  std::string path(const std::string& below) const { return (folder_.path() / below).string(); }
  void include(const std::string& line) const {
    folder_.write("scene/twice.cu", "#include " + line + "\n" + kDoublingKernel);
  }
  void look_at_paths() const;
  Result<SceneText> read() const { return read_scene_folder(folder_.path() / "scene"); }
  // All that would go into a session.
  std::string texts() const {
    std::string all;
    const Result<SceneText> text = read();
    EXPECT_TRUE(text) << sentence(text.error());
    for (const KernelSource& source : text ? text->sources : std::vector<KernelSource>{})
      all += source.path + ":\n" + source.text;
    return all;
  }
  OwnFolder folder_{"allowed"};
};

TEST_F(AllowedFolders, AHeaderElsewhereIsNotReadHoweverItIsNamed) {
  fs::create_symlink(path("other/secret.h"), path("scene/linked.h"));
  fs::create_directory_symlink(path("other"), path("scene/linked"));
  for (const std::string& line :
       {"\"" + path("other/secret.h") + "\"", std::string("\"../other/secret.h\""),
        std::string("\"sub/../../other/secret.h\""), std::string("\"linked.h\""),
        std::string("\"linked/secret.h\"")}) {
    include(line);
    const std::string all = texts();
    EXPECT_THAT(all, Not(HasSubstr("a_secret"))) << line;
    EXPECT_THAT(all, HasSubstr("#error \"this file is outside the kernel's folder")) << line;
    EXPECT_THAT(all, HasSubstr("-I " + fs::canonical(path("other")).string())) << line;
  }
  // Angle brackets are the toolkit's: nothing is looked for beside the kernel.
  include("<../other/secret.h>");
  EXPECT_THAT(texts(), Not(HasSubstr("a_secret")));
}

TEST_F(AllowedFolders, AHeaderInTheFolderIsReadByAnyName) {
  folder_.write("scene/sub/own.h", "int of_the_folder;\n");
  for (const std::string& line : {std::string("\"sub/own.h\""), std::string("\"sub/../sub/own.h\""),
                                  "\"" + path("scene/sub/own.h") + "\""}) {
    include(line);
    EXPECT_THAT(texts(), HasSubstr("of_the_folder")) << line;
  }
}

TEST_F(AllowedFolders, ALinkThatLeavesTheFolderIsNoKernelAndNoDescription) {
  fs::create_symlink(path("other/secret.h"), path("scene/linked.cu"));
  Result<SceneText> text = read();
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().kind, ErrorKind::input);
  EXPECT_THAT(sentence(text.error()), HasSubstr("linked.cu is outside the scene's folder"));
  EXPECT_THAT(sentence(text.error()), Not(HasSubstr("a_secret")));
  fs::remove(path("scene/linked.cu"));
  EXPECT_TRUE(read());
  fs::remove(path("scene/scene.toml"));
  fs::create_symlink(path("other/secret.h"), path("scene/scene.toml"));
  for (const char* name : {"scene", "scene/scene.toml"}) {
    text = read_scene_folder(path(name));
    ASSERT_FALSE(text);
    EXPECT_THAT(sentence(text.error()), HasSubstr("scene.toml is outside"));
    EXPECT_THAT(sentence(text.error()), Not(HasSubstr("a_secret")));
  }
}

TEST_F(AllowedFolders, AnArrayElsewhereIsNotRead) {
  fs::create_symlink(path("other/secret.npy"), path("scene/linked.npy"));
  for (const std::string& file :
       {path("other/secret.npy"), std::string("../other/secret.npy"), std::string("linked.npy")}) {
    folder_.write("scene/scene.toml", replaced(kDoublingDescription, "count = \"n\" }",
                                               "count = \"n\", file = \"" + file + "\" }"));
    const Result<SceneText> text = read();
    ASSERT_FALSE(text) << file;
    EXPECT_THAT(sentence(text.error()), HasSubstr("is outside the scene's folder"));
    EXPECT_THAT(sentence(text.error()), Not(HasSubstr("a_secret")));
  }
}

TEST_F(AllowedFolders, AFolderThatAPersonAllowsIsReadFromThenOn) {
  folder_.write("other/more.h", "int more_of_it;\n");
  include("\"../other/secret.h\"\n#include <more.h>");
  EXPECT_THAT(texts(), Not(HasSubstr("more_of_it")));
  const fs::path other = fs::canonical(path("other"));
  const auto asks = [&other] {
    const std::vector<MissedFile> missed = missed_files();
    return std::any_of(missed.begin(), missed.end(),
                       [&other](const MissedFile& file) { return file.folder == other; });
  };
  EXPECT_TRUE(asks());
  ASSERT_TRUE(allow_folder(path("other")));
  EXPECT_FALSE(asks());
  EXPECT_THAT(texts(), HasSubstr("a_secret_of_another_folder"));
  EXPECT_THAT(texts(), HasSubstr("more_of_it"));
  const auto absent = allow_folder(path("absent"));
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().kind, ErrorKind::usage);
}

// A header above the limit is not "not there".
TEST_F(AllowedFolders, AHeaderThatIsTooLargeSaysSo) {
  folder_.write("scene/large.h", "int large;\n");
  fs::resize_file(path("scene/large.h"), kMostTextFileBytes + 1);
  include("\"large.h\"");
  const std::string all = texts();
  EXPECT_THAT(all, HasSubstr("large.h:\n#error \""));
  EXPECT_THAT(all, HasSubstr("the file is 67.11 MB long, over the limit of 67.11 MB"));
  EXPECT_THAT(all, HasSubstr("make it smaller"));
}

TEST_F(AllowedFolders, AHeaderThatIsSavedThereIsSeen) {
  fs::create_directories(folder_.path() / "shared");
  fs::create_directories(folder_.path() / "scene" / "sub");
  folder_.write("shared/first.h", "#include \"second.h\"\n");
  folder_.write("shared/second.h", "int before;\n");
  folder_.write("scene/sub/own.h", "int own_before;\n");
  include("\"first.h\"\n#include \"sub/own.h\"\n#include \"later.h\"");
  folder_.write("scene/scene.toml",
                std::string("name = \"watched_headers\"\n") + kDoublingDescription);
  ASSERT_TRUE(allow_folder(path("shared")));
  Catalogue catalogue;
  const Result<const Scene*> opened = catalogue.open_folder(path("scene"));
  ASSERT_TRUE(opened) << sentence(opened.error());
  FolderWatch watch;
  EXPECT_FALSE(watch.look_now(catalogue, "watched_headers"));
  EXPECT_FALSE(watch.look_now(catalogue, "watched_headers")) << "nothing was saved";
  const Variant& twice = (*opened)->variants.front();
  const Workload usual{default_configuration((*opened)->axes), {}};
  const auto code = [&] {
    return current_code_id(twice, usual, catalogue.source_lookup(),
                           [](std::string_view) { return std::nullopt; });
  };
  std::optional<std::string> known = code();
  ASSERT_TRUE(known);
  const auto expect_seen = [&](const char* what) {
    const auto saved = watch.look_now(catalogue, "watched_headers");
    ASSERT_TRUE(saved) << what << " was not seen";
    ASSERT_TRUE(*saved) << sentence(saved->error());
    EXPECT_NE(code(), known) << what << " is other code";
    known = code();
    EXPECT_FALSE(watch.look_now(catalogue, "watched_headers")) << what << " is seen once";
  };
  folder_.write("shared/second.h", "int after_it;\n");
  expect_seen("a header of a header, in an allowed folder,");
  folder_.write("scene/sub/own.h", "int own_after;\n");
  expect_seen("a header in a folder below");
  folder_.write("shared/later.h", "int came_later;\n");
  expect_seen("a header that was not there before");
  fs::remove(path("shared/later.h"));
  expect_seen("a header that went");
  folder_.write("shared/unrelated.h", "int of_nobody;\n");
  EXPECT_FALSE(watch.look_now(catalogue, "watched_headers")) << "nobody includes it";
}

TEST_F(AllowedFolders, ADeclinedFolderIsNotAskedForAgain) {
  fs::create_directories(folder_.path() / "declined");
  folder_.write("declined/secret.h", kSecret);
  include("\"../declined/secret.h\"");
  EXPECT_THAT(texts(), Not(HasSubstr("a_secret")));
  const fs::path declined = fs::canonical(path("declined"));
  decline_folder(declined);
  EXPECT_THAT(texts(), Not(HasSubstr("a_secret")));
  for (const MissedFile& missed : missed_files()) EXPECT_NE(missed.folder, declined);
}

// Traces and journals of sessions name files, too.
TEST_F(AllowedFolders, NoKernelOfTheProductsLiesOutsideOfIt) {
  fs::create_directories(folder_.path() / "never");  // allowed by no test of this process
  folder_.write("never/secret.h", kSecret);
  EXPECT_FALSE(read_kernel(path("never/secret.h")));
  EXPECT_FALSE(read_kernel("../README.md"));
  name_path(path("never/secret.h"));  // as who opens it in the window
  EXPECT_TRUE(read_kernel(path("never/secret.h")));
  EXPECT_FALSE(read_kernel("csrmm/../../README.md"));
  EXPECT_TRUE(read_kernel("csrmm/../csrmm/seed_warp_row.cu"));
}

// In a process of its own: that a session was read cannot be taken back.
TEST_F(AllowedFolders, PathsOfASessionAreOpenedOnlyWhereAPersonNamedThem) {
  fs::create_directories(folder_.path() / "unnamed");
  folder_.write("unnamed/a.mtx", "");
  const auto names_paths = [this] {
    look_at_paths();
    std::_Exit(HasFailure() ? 1 : 0);
  };
  EXPECT_EXIT(names_paths(), testing::ExitedWithCode(0), "");
}

void AllowedFolders::look_at_paths() const {
  EXPECT_TRUE(admit_path(path("other/secret.npy")));  // no session was read in this process
  only_named_paths();
  const auto refused = admit_path(path("unnamed/a.mtx"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::input);
  EXPECT_THAT(sentence(refused.error()), HasSubstr("a session names this file"));
  EXPECT_FALSE(admit_path(path("scene/twice.cu") + ";" + path("unnamed/a.mtx")));
  name_path(path("unnamed"));
  EXPECT_TRUE(admit_path(path("unnamed/a.mtx")));
  EXPECT_FALSE(admit_path(path("unnamed/../scene/twice.cu")));
  name_path(path("scene/twice.cu") + "," + path("scene/scene.toml"));
  EXPECT_TRUE(admit_path(path("scene/scene.toml")));
  EXPECT_TRUE(admit_path(""));
}

}  // namespace
}  // namespace warpscope
