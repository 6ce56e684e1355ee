// tests/scenes/folder_scene_test.cpp: scenes that are folders: what a description makes, and what
// is said of one that is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "scenes/base/element_inputs.h"
#include "scenes/catalogue.h"
#include "scenes/folder_watch.h"
#include "scenes/read_folder.h"
#include "tests/scenes/folder_parts.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

SceneText changed(const std::string& from, const std::string& to) {
  SceneText text = doubling_text();
  text.description = replaced(text.description, from, to);
  return text;
}

Workload at_defaults(const Scene& scene) {
  return {*configured(scene, scene.variants[0].name, {}), {}};
}

TEST(FolderScenes, AreMadeOfTheirDescription) {
  const Result<Scene> scene = scene_of(doubling_text());
  ASSERT_TRUE(scene) << sentence(scene.error());
  EXPECT_EQ(scene->name, "doubling");
  EXPECT_EQ(scene->baseline, "twice");
  const Workload w = at_defaults(*scene);
  const std::vector<BufferSpec> buffers = scene->buffers(w);
  ASSERT_EQ(buffers.size(), 2u);
  EXPECT_EQ(buffers[0].symbol, "x[n]");
  EXPECT_EQ(buffers[1].count, 1000);
  const std::vector<Step> steps = scene->variants[0].steps(w);
  ASSERT_EQ(steps.size(), 1u);
  const auto& kernel = std::get<KernelLaunch>(steps[0].action);
  EXPECT_EQ(kernel.source, "doubling/twice.cu");
  EXPECT_EQ(kernel.entry, "twice");
  EXPECT_EQ(kernel.launch.grid, (Dim3{8, 1, 1}));
  EXPECT_EQ(std::get<std::int32_t>(kernel.arguments[2]), 1000);
  EXPECT_TRUE(tolerance_of(scene->variants[0], w.axes).bit_exact);
  // The scales that the reference does not write are zero, never what lay there.
  EXPECT_EQ(scene->references.at(0).steps(w).size(), 3u);
}

TEST(FolderScenes, FillConstantArraysBeforeTheLaunch) {
  const Result<Scene> scene =
      scene_of(changed("arguments = [\"x\", \"y\", \"i32:n\"]",
                       "arguments = [\"x\", \"y\", \"i32:n\"]\nconstants = { table = \"x\" }"));
  ASSERT_TRUE(scene) << sentence(scene.error());
  const std::vector<Step> steps = scene->variants[0].steps(at_defaults(*scene));
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].phase, Phase::prepare);
  const auto& copy = std::get<ConstantCopy>(steps[0].action);
  EXPECT_EQ(copy.source, "doubling/twice.cu");
  EXPECT_EQ(copy.symbol, "table");
  EXPECT_EQ(copy.from, "x");
  EXPECT_EQ(std::get<KernelLaunch>(steps[1].action).entry, "twice");
}

// Each is one change of a description that is right.
TEST(FolderScenes, SayFileLineKeyAndRemedyOfAMistake) {
  struct Row {
    const char *from, *to, *where, *words;
  };
  const Row rows[] = {
      {"title", "titel", "scene.toml:1, titel", "did you mean title?"},
      {"block = 128\narguments", "block = 128\nconstants = { table = \"z\" }\narguments",
       "constants.table", "there is no buffer “z”"},
      {"scale = \"log\"", "scale = \"lin\"", "scene.toml:2, axes.n.scale", "there is no “lin”"},
      {"default = 1000", "default = 0", "axes.n.default", "0 is out of range"},
      {"range = [1, 65536], ", "", "axes.n.range", "write range = [1, 1024]"},
      {"axes.n", "axes.2n", "axes.2n", "is not a valid name for an axis"},
      {"type = \"f32\"", "type = \"float\"", "scene.toml:5, buffers.x.type", "there is no “float”"},
      {"count = \"n\"", "count = \"m\"", "buffers.x.count", "there is no axis or value “m”"},
      {"count = \"n\", role", "count = \"n\", shape = [\"n\"], role", "buffers.y.count", "or both"},
      {", role = \"output\"", "", "buffers", "a run has no result"},
      {"type = \"f32\", count = \"n\" }", "type = \"f32\", count = \"n\", fill = \"ones\" }",
       "buffers.x.fill", "did you mean one?"},
      {"grid = \"ceil_div(n, 128)\"\n", "", "variants.twice.grid", "it is missing"},
      {"block = 128", "blok = 128", "variants.twice.blok", "did you mean block?"},
      {"\"i32:n\"", "\"int:n\"", "variants.twice.arguments", "“int” is not a type of value"},
      {"[\"x\", \"y\"", "[\"x\", \"z\"", "variants.twice.arguments", "there is no buffer “z”"},
      {"[variants.twice]\n", "[variants.twice]\nsource = \"two.cu\"\n", "variants.twice.source",
       "there is no file two.cu"},
      {"\"y.reference\"", "\"x\"", "reference.arguments", "no argument writes y.reference"},
      {"[tolerance]\nbit_exact = true", "", "tolerance", "how far may an output be"},
      {"bit_exact = true", "magnitude = 1", "scene.toml:20, tolerance.magnitude",
       "the reference does not write .magnitude"},
      {"bit_exact = true", "", "tolerance", "it is empty"},
      {"title = \"Twice\"", "title = \"Twice", "scene.toml:1", "a quoted text is not closed"},
      {"title = \"Twice\"", "title : \"Twice\"", "scene.toml:1", "it is not TOML from column 7 on"},
      {"title = \"Twice\"", "title = 1\ntitle = 2", "scene.toml:2", "defined a second time"},
      {"title = \"Twice\"", "title = 1979-05-27", "scene.toml:1", "dates"},
      {"title = \"Twice\"", "baseline = \"thrice\"", "baseline", "there is no variant “thrice”"},
      {"title = \"Twice\"", "presets.small = { values = { n = 0 } }", "presets.small.values",
       "out of range"},
      {"entry = \"exact\"", "variant = \"thrice\"", "reference.variant", "there is no variant"},
  };
  for (const Row& row : rows) {
    ASSERT_NE(doubling_text().description.find(row.from), std::string::npos) << row.from;
    const Result<Scene> scene = scene_of(changed(row.from, row.to));
    ASSERT_FALSE(scene) << row.to;
    EXPECT_EQ(scene.error().kind, ErrorKind::input);
    EXPECT_THAT(scene.error().where, HasSubstr(row.where)) << sentence(scene.error());
    EXPECT_THAT(sentence(scene.error()), HasSubstr(row.words));
    EXPECT_FALSE(scene.error().remedy.empty()) << sentence(scene.error());
  }
}

TEST(FolderScenes, ALaunchThatIsNoSizeKeepsTheVariantFromRunning) {
  const Result<Scene> scene = scene_of(changed("ceil_div(n, 128)", "n / 128"));
  ASSERT_TRUE(scene) << sentence(scene.error());
  const auto reason = unavailable(scene->variants[0], at_defaults(*scene), {});
  ASSERT_TRUE(reason);
  EXPECT_THAT(*reason, HasSubstr("grid of twice: “n / 128” is 7.8125 at n = 1000"));
  const Workload fits{*configured(*scene, "twice", {{"n", "1024"}}), {}};
  EXPECT_FALSE(unavailable(scene->variants[0], fits, {}));
}

TEST(FolderScenes, AnArgumentThatItsTypeCannotHoldKeepsTheVariantFromRunning) {
  const Result<Scene> scene = scene_of(changed("i32:n", "i32:n * 4194304"));
  ASSERT_TRUE(scene) << sentence(scene.error());
  const auto reason = unavailable(scene->variants[0], at_defaults(*scene), {});
  ASSERT_TRUE(reason);
  EXPECT_THAT(*reason, HasSubstr("does not fit in i32"));
}

TEST(FolderScenes, AConstraintSaysItsSentenceWithTheNumbers) {
  const Result<Scene> scene =
      scene_of(changed("block = 128\n",
                       "block = 128\nconstraints = [{ holds = \"n % 4 == 0\", "
                       "sentence = \"n must be a multiple of 4\" }]\n"));
  ASSERT_TRUE(scene) << sentence(scene.error());
  EXPECT_FALSE(unavailable(scene->variants[0], at_defaults(*scene), {}));
  const Workload odd{*configured(*scene, "twice", {{"n", "1001"}}), {}};
  EXPECT_EQ(unavailable(scene->variants[0], odd, {}), "n must be a multiple of 4: n = 1001");
}

// Elements as `kind` describes x.
std::vector<float> x_as(const std::string& kind, std::int64_t first = 0) {
  const Result<Scene> scene = scene_of(changed("x = { type = \"f32\", count = \"n\"",
                                               "x = { type = \"f32\", count = \"n\", " + kind));
  EXPECT_TRUE(scene) << sentence(scene.error());
  Workload w;
  Inputs inputs;
  const auto made = regenerate_inputs_by_page(*scene, at_defaults(*scene).axes, {}, w, inputs);
  EXPECT_TRUE(made);
  const ElementsOf<float> x = inputs.at("x").elements<float>();
  return {x[first], x[first + 1], x[first + 2]};
}

TEST(FolderScenes, InputsBeginAsTheDescriptionSays) {
  EXPECT_EQ(x_as("fill = \"one\""), (std::vector<float>{1, 1, 1}));
  EXPECT_EQ(x_as("fill = \"iota\"", 7), (std::vector<float>{7, 8, 9}));
  EXPECT_EQ(x_as("element = \"n - 2 * i\"", 3), (std::vector<float>{994, 992, 990}));
  const std::vector<float> random = x_as("fill = \"random\"");
  EXPECT_NE(random[0], random[1]);
  EXPECT_EQ(random, x_as("fill = \"random\""));
}

TEST(FolderScenes, ABuiltInSceneKeepsItsName) {
  Catalogue catalogue;
  const Result<const Scene*> opened = catalogue.open_text(doubling_text("patterns"));
  ASSERT_FALSE(opened);
  EXPECT_THAT(sentence(opened.error()), HasSubstr("a built-in scene is called patterns"));
  EXPECT_EQ((*built_in_catalogue().find("patterns"))->variants.size(), 21u);
}

TEST(FolderScenes, SavedAgainAreNewAndTheirOldOnesLiveOn) {
  Catalogue catalogue;
  const OwnFolder folder("saved_again");
  folder.write("scene.toml", kDoublingDescription);
  folder.write("twice.cu", kDoublingKernel);
  const Result<const Scene*> first = catalogue.open_folder(folder.path());
  ASSERT_TRUE(first) << sentence(first.error());
  EXPECT_EQ(catalogue.open_folder(folder.path() / "scene.toml").value_or(nullptr), *first);
  EXPECT_EQ(catalogue.find("saved_again").value_or(nullptr), *first);
  folder.write("scene.toml", replaced(kDoublingDescription, "Twice", "Two times"));
  const Result<const Scene*> second = catalogue.open_folder(folder.path());
  ASSERT_TRUE(second) << sentence(second.error());
  EXPECT_NE(*second, *first);
  EXPECT_EQ((*first)->title, "Twice");
  EXPECT_EQ(catalogue.find("saved_again").value_or(nullptr), *second);
  EXPECT_EQ(catalogue.kernel("saved_again/twice.cu")->text, kDoublingKernel);
  // A recorded text of another day is found by its hash and takes nothing's place.
  const SceneText recorded = doubling_text("saved_again");
  ASSERT_TRUE(catalogue.open_text(recorded));
  EXPECT_EQ(catalogue.find("saved_again").value_or(nullptr), *second);
  EXPECT_NE(catalogue.find("saved_again", recorded.hash), nullptr);
  folder.write("scene.toml", "title = 3");
  EXPECT_FALSE(catalogue.open_folder(folder.path()));
  EXPECT_EQ(catalogue.find("saved_again").value_or(nullptr), *second);
}

TEST(FolderWatches, SeeWhatIsSavedAndKeepTheLastGoodScene) {
  Catalogue catalogue;
  const OwnFolder folder("watched");
  folder.write("scene.toml", kDoublingDescription);
  folder.write("twice.cu", kDoublingKernel);
  const Result<const Scene*> opened = catalogue.open_folder(folder.path());
  ASSERT_TRUE(opened) << sentence(opened.error());
  FolderWatch watch;
  EXPECT_FALSE(watch.look_now(catalogue, "watched")) << "it is looked at for the first time";
  EXPECT_FALSE(watch.look_now(catalogue, "watched")) << "nothing was saved";
  folder.write("twice.cu", replaced(kDoublingKernel, "2 * x[i]", "x[i] + x[i]"));
  const auto saved = watch.look_now(catalogue, "watched");
  ASSERT_TRUE(saved && *saved);
  EXPECT_NE(**saved, *opened);
  EXPECT_THAT(catalogue.kernel("watched/twice.cu")->text, HasSubstr("x[i] + x[i]"));
  folder.write("scene.toml", replaced(kDoublingDescription, "block", "blocks"));
  const auto broken = watch.look_now(catalogue, "watched");
  ASSERT_TRUE(broken && !*broken);
  EXPECT_THAT(sentence(broken->error()), HasSubstr("scene.toml:10, variants.twice.blocks"));
  EXPECT_EQ(catalogue.find("watched").value_or(nullptr), **saved);
  EXPECT_FALSE(watch.look_now(catalogue, "watched")) << "a mistake is said once";
  EXPECT_FALSE(watch.look_now(catalogue, "patterns")) << "a built-in scene is no folder";
}

TEST(FolderScenes, TwoFoldersOfOneNameAreNotMixedUp) {
  Catalogue catalogue;
  const OwnFolder one("first/same_name"), other("second/same_name");
  for (const OwnFolder* folder : {&one, &other}) {
    folder->write("scene.toml", kDoublingDescription);
    folder->write("twice.cu", kDoublingKernel);
  }
  ASSERT_TRUE(catalogue.open_folder(one.path()));
  const Result<const Scene*> second = catalogue.open_folder(other.path());
  ASSERT_FALSE(second);
  EXPECT_THAT(sentence(second.error()),
              HasSubstr("another folder already has the scene same_name"));
}

TEST(FolderScenes, FilesOfNumpyAreInputsAndReferences) {
  const auto npy = [](const std::string& shape, std::span<const float> values) {
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }\n";
    std::string bytes = std::string("\x93NUMPY\x01\x00", 8);
    bytes += static_cast<char>(header.size() & 255);
    bytes += static_cast<char>(header.size() >> 8);
    bytes += header;
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    return bytes;
  };
  SceneText text = changed("x = { type = \"f32\", count = \"n\"",
                           "x = { type = \"f32\", count = \"n\", file = \"x.npy\"");
  const Result<Scene> lacking = scene_of(text);
  ASSERT_FALSE(lacking);
  EXPECT_THAT(sentence(lacking.error()), HasSubstr("there is no file x.npy"));
  EXPECT_EQ(data_files_of(text.description), std::vector<std::string>{"x.npy"});
  const std::vector<float> values = {1.5f, 2.5f, 3.5f};
  text.data = {{"x.npy", npy("(3,)", values)}};
  const Result<Scene> scene = scene_of(text);
  ASSERT_TRUE(scene) << sentence(scene.error());
  EXPECT_THAT(sentence(scene->admit(at_defaults(*scene).axes).error()),
              HasSubstr("its file has 3 elements, and 1000 are needed"));
  const Configuration three = *configured(*scene, "twice", {{"n", "3"}});
  ASSERT_TRUE(scene->admit(three));
  Workload w;
  Inputs inputs;
  ASSERT_TRUE(regenerate_inputs_by_page(*scene, three, {}, w, inputs));
  const ElementsOf<float> x = inputs.at("x").elements<float>();
  EXPECT_EQ(x[0] + 10 * x[2], 36.5f);
  text.data = {{"x.npy", std::string("no such thing")}};
  EXPECT_FALSE(scene_of(text));
}

}  // namespace
}  // namespace warpscope
