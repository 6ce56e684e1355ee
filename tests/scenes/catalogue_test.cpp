// tests/scenes/catalogue_test.cpp: two catalogues know nothing of each other.
#include "scenes/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "scenes/base/element_inputs.h"
#include "scenes/base/npy_array.h"
#include "scenes/folder/fork/fork.h"
#include "tests/scenes/folder_parts.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

TEST(Catalogues, HaveEqualBuiltInScenesAndNothingOpenedAtFirst) {
  const Catalogue one, other;
  EXPECT_EQ(one.all().size(), built_in_scenes().size());
  EXPECT_EQ(*one.find("csrmm"), *other.find("csrmm")) << "built-in scenes are constant";
  EXPECT_TRUE(one.opened().empty());
}

TEST(Catalogues, DoNotSeeEachOthersScenes) {
  const OwnFolder folder("catalogues/apart");
  folder.write("scene.toml", kDoublingDescription);
  folder.write("twice.cu", kDoublingKernel);
  Catalogue one, other;
  ASSERT_TRUE(one.open_folder(folder.path()));
  ASSERT_TRUE(other.open_text(doubling_text("of_a_message")));
  EXPECT_TRUE(one.find("apart"));
  EXPECT_FALSE(other.find("apart"));
  EXPECT_FALSE(built_in_catalogue().find("apart"));
  EXPECT_EQ(one.all().size(), built_in_scenes().size() + 1);
  EXPECT_FALSE(one.find("of_a_message"));
  EXPECT_EQ(one.folder_of("apart").filename(), "apart");
  EXPECT_TRUE(other.folder_of("apart").empty());
  EXPECT_NE(one.text("apart"), nullptr);
  EXPECT_EQ(other.text("apart"), nullptr);
  // Nor their kernels.
  ASSERT_TRUE(one.kernel("apart/twice.cu"));
  EXPECT_EQ(one.kernel("apart/twice.cu")->text, kDoublingKernel);
  EXPECT_FALSE(other.kernel("apart/twice.cu"));
  EXPECT_FALSE(other.source_lookup()("apart/twice.cu"));
  EXPECT_EQ(one.sources_of("apart").value()->size(), 1u);
  EXPECT_TRUE(other.sources_of("apart").value()->empty());
}

// One name may be two scenes, each its own in its catalogue.
TEST(Catalogues, MayHaveOneNameForTwoScenes) {
  Catalogue one, other;
  SceneText text = doubling_text("twofold");
  ASSERT_TRUE(one.open_text(text));
  text.description = replaced(text.description, "Twice", "Thrice");
  text.hash = scene_hash(text);
  ASSERT_TRUE(other.open_text(text));
  EXPECT_EQ((*one.find("twofold"))->title, "Twice");
  EXPECT_EQ((*other.find("twofold"))->title, "Thrice");
  EXPECT_EQ(one.find("twofold", text.hash), nullptr);
}

TEST(Catalogues, ACopysKernelsStandBesideItsParents) {
  const OwnFolder folder("catalogues/copy");
  Catalogue catalogue;
  const Scene& csrmm = **catalogue.find("csrmm");
  const Result<Fork> fork = write_fork(catalogue, csrmm, *find_variant(csrmm, "row_split"),
                                       {folder.path() / "copied", {}});
  ASSERT_TRUE(fork) << sentence(fork.error());
  ASSERT_TRUE(catalogue.open_folder(fork->folder));
  EXPECT_EQ(catalogue.built_in_folder_of("copied"), "csrmm");
  EXPECT_EQ(catalogue.built_in_folder_of("csrmm"), "csrmm");
  const auto sources = catalogue.sources_of("copied");
  ASSERT_TRUE(sources);
  EXPECT_GT((*sources)->size(), catalogue.sources_of("csrmm").value()->size());
  EXPECT_EQ(sources->get(), catalogue.sources_of("copied").value().get())
      << "who asks in every frame gets the same texts";
  EXPECT_TRUE(catalogue.kernel("copied/row_split.cu"));
}

TEST(Catalogues, OfATestsOwnScenesTakeNoFolderOfTheirNames) {
  Scene own = **built_in_catalogue().find("patterns");
  own.name = "mine";
  Catalogue catalogue(std::vector<Scene>{own});
  EXPECT_FALSE(catalogue.find("csrmm"));
  const Result<const Scene*> opened = catalogue.open_text(doubling_text("mine"));
  ASSERT_FALSE(opened);
  EXPECT_THAT(sentence(opened.error()), HasSubstr("a built-in scene is called mine"));
}

// Pages of this process alone.
std::int64_t bytes_of_own_pages() {
  std::ifstream status("/proc/self/status");
  std::string word;
  std::int64_t kib = 0;
  while (status >> word) {
    if (word == "RssAnon:") status >> kib;
  }
  return kib << 10;
}

// A capture's memory may be 128 MB, and the scene is made of it: also after each edit.
TEST(Catalogues, KeepTheDataOfASceneOnce) {
  constexpr std::int64_t kBytes = 96 << 20;
  const auto data = [] {
    return std::vector<SceneData>{
        {"x.npy",
         npy_text(ElementType::f32, {kBytes / 4}, std::vector<std::byte>(kBytes, std::byte{1}))}};
  };
  const std::int64_t before = bytes_of_own_pages();
  SceneText text = doubling_text("large");
  text.description = replaced(text.description, "x = { type = \"f32\", count = \"n\"",
                              "x = { type = \"f32\", count = \"n\", file = \"x.npy\"");
  text.description = replaced(text.description, "[1, 65536]", "[1, 99999999]");
  text.data = data();
  text.hash = scene_hash(text);
  Catalogue catalogue;
  const Result<const Scene*> opened = catalogue.open_text(text);
  ASSERT_TRUE(opened) << sentence(opened.error());
  const std::int64_t kept = bytes_of_own_pages() - before;
  EXPECT_GT(kept, kBytes * 9 / 10);
  EXPECT_LT(kept, kBytes * 3 / 2);
  text.description += "# edited\n";
  text.data = data();  // as if the file was read anew
  text.hash = scene_hash(text);
  const Result<const Scene*> edited = catalogue.open_text(text);
  ASSERT_TRUE(edited) << sentence(edited.error());
  EXPECT_NE(*edited, *opened);
  // It is the catalogue's own: what was opened may go.
  text = {};
  EXPECT_LT(bytes_of_own_pages() - before, kBytes * 3 / 2);
  Workload w;
  Inputs inputs;
  const Configuration axes = *configured(**opened, "twice", {{"n", std::to_string(kBytes / 4)}});
  ASSERT_TRUE(regenerate_inputs_by_page(**opened, axes, {}, w, inputs));
  EXPECT_EQ(std::bit_cast<std::uint32_t>(inputs.at("x").elements<float>()[7]), 0x01010101u);
}

}  // namespace
}  // namespace warpscope
