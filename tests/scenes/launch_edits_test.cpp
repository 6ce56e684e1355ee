// tests/scenes/launch_edits_test.cpp: the fields of a file's description are read, changed and
// kept, every kernel has a slider, and PTX has a description too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <span>

#include "scenes/catalogue.h"
#include "scenes/file_scene.h"
#include "scenes/first_description.h"
#include "scenes/folder/form/described_fill.h"
#include "scenes/folder_watch.h"
#include "scenes/host/input_file.h"
#include "scenes/ptx_description.h"
#include "tests/scenes/folder_parts.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kProgram = R"(
__global__ void scaled(const float* x, float* y, float by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = by * x[i];
}
__global__ void fixed(float* y) { y[blockIdx.x * 128 + threadIdx.x] = 1; }
__global__ void one_block(float* y) { y[threadIdx.x] = 2; }
__global__ void one_thread(float* y) { y[0] = 3; }
int main() {
  const int n = 5000;
  float *x, *y;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  scaled<<<(n + 127) / 128, 128>>>(x, y, 2.5f, n);
  fixed<<<8, 128>>>(y);
  one_block<<<1, 64>>>(y);
  one_thread<<<1, 1>>>(y);
}
)";

class LaunchEdits : public testing::Test {
 protected:
  void SetUp() override {
    folder_.write("scaled.cu", kProgram);
    const auto opened = catalogue_.open_file(file());
    ASSERT_TRUE(opened) << sentence(opened.error());
  }
  fs::path file() const { return folder_.path() / "scaled.cu"; }
  const Scene& scene() { return *catalogue_.find("scaled").value(); }
  std::vector<DescribedField> fields() {
    return described_fields(catalogue_.text("scaled")->description);
  }
  Launch launch_of(const std::string& variant, std::map<std::string, std::string> axes = {}) {
    const Configuration at = configured(scene(), variant, axes).value();
    return std::get<KernelLaunch>(find_variant(scene(), variant)->steps({at, {}})[0].action).launch;
  }
  // The elements that an input begins as.
  std::vector<float> elements_of(const std::string& buffer, std::size_t count) {
    const Configuration axes = default_configuration(scene().axes);
    std::vector<float> values(count);
    for (const InputGroup& group : scene().input_groups) {
      if (std::find(group.arrays.begin(), group.arrays.end(), buffer) == group.arrays.end())
        continue;
      group.elements({axes, {}}, buffer, 0, std::as_writable_bytes(std::span(values)));
    }
    return values;
  }

  OwnFolder folder_{"launch_edits"};
  Catalogue catalogue_;
};

TEST_F(LaunchEdits, AFieldHasItsValueAndTheLineThatSaysSo) {
  const std::vector<DescribedField> all = fields();
  const DescribedField* grid = find_field(all, "variants.scaled", "grid");
  ASSERT_NE(grid, nullptr);
  EXPECT_THAT(toml_texts(grid->value), ElementsAre("ceil_div(n, 128)"));
  EXPECT_EQ(grid->line(), 14) << "of the launch";
  EXPECT_FALSE(grid->guessed());
  const DescribedField* fill = find_field(all, "buffers.x", "fill");
  ASSERT_NE(fill, nullptr);
  EXPECT_TRUE(fill->guessed()) << "the program does not fill it";
}

TEST_F(LaunchEdits, AnEditReplacesItsFieldAlone) {
  DescriptionEdits edits;
  edits[{"variants.scaled", "block"}] = {"[32, 2]", {}};
  edits[{"variants.scaled", "new"}] = {"1", {}};
  edits[{"variants.absent", "grid"}] = {"7", {}};
  const std::string before = catalogue_.text("scaled")->description;
  const std::string after = edited(before, edits);
  const std::vector<DescribedField> all = described_fields(after);
  EXPECT_EQ(find_field(all, "variants.scaled", "block")->value, "[32, 2]");
  EXPECT_EQ(find_field(all, "variants.scaled", "new")->value, "1");
  EXPECT_EQ(find_field(all, "variants.absent", "grid"), nullptr);
  for (const DescribedField& field : described_fields(before)) {
    if (field.table == "variants.scaled" && field.key == "block") continue;
    const DescribedField* kept = find_field(all, field.table, field.key);
    ASSERT_NE(kept, nullptr) << field.table << "." << field.key;
  }
  EXPECT_EQ(edited(edited(before, edits), edits), after) << "applied again it changes nothing";
}

TEST_F(LaunchEdits, ValuesAreWrittenAsTomlReadsThem) {
  EXPECT_EQ(toml_value("64"), "64");
  EXPECT_EQ(toml_value("064"), "\"064\"");
  EXPECT_EQ(toml_value("a \"b\""), "\"a \\\"b\\\"\"");
  EXPECT_THAT(toml_texts(toml_list({"a, b", "3"})), ElementsAre("a, b", "3"));
  EXPECT_THAT(toml_texts(toml_value("a \"b\\")), ElementsAre("a \"b\\"));
}

TEST_F(LaunchEdits, ALaunchFollowsThemAndTheyStayWhenTheFileIsSaved) {
  FolderWatch watch;
  EXPECT_FALSE(watch.look_now(catalogue_, "scaled"));
  DescriptionEdits edits;
  edits[{"variants.scaled", "block"}] = {"64", {}};
  ASSERT_TRUE(catalogue_.edit_file("scaled", edits));
  EXPECT_EQ(launch_of("scaled").block.x, 64);
  EXPECT_EQ(catalogue_.edits_of("scaled"), edits);
  folder_.write("scaled.cu", replaced(kProgram, "n = 5000", "n = 7000"));
  const auto saved = watch.look_now(catalogue_, "scaled");
  ASSERT_TRUE(saved && *saved);
  EXPECT_EQ(launch_of("scaled").block.x, 64);
  EXPECT_EQ(default_configuration(scene().axes).integer("n"), 7000);
  ASSERT_TRUE(catalogue_.edit_file("scaled", {}));
  EXPECT_EQ(launch_of("scaled").block.x, 128) << "as the file says";
}

TEST_F(LaunchEdits, OneThatCannotBeReadLeavesTheSceneAsItWas) {
  DescriptionEdits edits;
  edits[{"variants.scaled", "grid"}] = {"\"ceil_div(m, 128)\"", {}};
  const auto refused = catalogue_.edit_file("scaled", edits);
  ASSERT_FALSE(refused);
  EXPECT_THAT(sentence(refused.error()), HasSubstr("m"));
  EXPECT_THAT(catalogue_.edits_of("scaled"), IsEmpty());
  EXPECT_EQ(launch_of("scaled").grid.x, 40) << "5000 elements in blocks of 128";
  EXPECT_FALSE(catalogue_.edit_file("csrmm", {})) << "it is not a file";
}

// range 2:10:2 is 2, 4, 6, 8 and again; the bytes 0x40404040 are the float 3.00392…
TEST_F(LaunchEdits, FillsAreThoseOfALaunch) {
  const auto begin_as = [&](const DescribedFill& fill) {
    DescriptionEdits edits;
    set_fill(edits, fields(), "x", fill);
    const auto opened = catalogue_.edit_file("scaled", edits);
    EXPECT_TRUE(opened) << sentence(opened.error());
    EXPECT_EQ(fill_of(fields(), "x"), fill) << "the form shows what was chosen";
    return elements_of("x", 6);
  };
  EXPECT_THAT(begin_as({"range", "2:10:2"}), ElementsAre(2, 4, 6, 8, 2, 4));
  EXPECT_THAT(begin_as({"range", "0:3"}), ElementsAre(0, 1, 2, 0, 1, 2));
  EXPECT_THAT(begin_as({"expression", "3 * i"}), ElementsAre(0, 3, 6, 9, 12, 15));
  EXPECT_THAT(begin_as({"one", ""}), ElementsAre(1, 1, 1, 1, 1, 1));
  const std::uint32_t bits = 0x40404040;
  float expected = 0;
  std::memcpy(&expected, &bits, sizeof expected);
  EXPECT_EQ(begin_as({"byte", "0x40"}).front(), expected);
  EXPECT_EQ(fill_words({"range", "0:3"}), "range 0:3");
  EXPECT_EQ(fill_words({"expression", "2*i"}), "=2*i");
}

TEST_F(LaunchEdits, AnOutputThatIsFilledBecomesAState) {
  DescriptionEdits edits;
  edits[{"buffers.y", "role"}] = {"\"output\"", {}};
  edits[{"buffers.y", "fill"}] = {"", {}};
  ASSERT_TRUE(catalogue_.edit_file("scaled", edits));
  set_fill(edits, fields(), "y", {"one", ""});
  ASSERT_TRUE(catalogue_.edit_file("scaled", edits));
  for (const BufferSpec& spec : scene().buffers({default_configuration(scene().axes), {}}))
    EXPECT_TRUE(spec.name != "y" || spec.role == BufferRole::state);
  set_fill(edits, fields(), "y", {"unset", ""});
  ASSERT_TRUE(catalogue_.edit_file("scaled", edits));
  for (const BufferSpec& spec : scene().buffers({default_configuration(scene().axes), {}}))
    EXPECT_TRUE(spec.name != "y" || spec.role == BufferRole::output);
}

// A launch without sizes has a slider for its blocks; one of one block for its threads.
TEST_F(LaunchEdits, EveryKernelHasASliderThatChangesItsLaunch) {
  const std::map<std::string, std::map<std::string, std::string>> moved = {
      {"scaled", {{"n", "100"}}},
      {"fixed", {{"blocks", "3"}}},
      {"one_block", {{"threads", "7"}}},
      {"one_thread", {{"blocks_2", "5"}}}};
  ASSERT_EQ(scene().variants.size(), moved.size());
  for (const auto& [variant, axes] : moved) {
    const Launch usual = launch_of(variant), other = launch_of(variant, axes);
    EXPECT_TRUE(usual.grid.x != other.grid.x || usual.block.x != other.block.x) << variant;
  }
  EXPECT_EQ(launch_of("fixed", {{"blocks", "3"}}).grid.x, 3);
  EXPECT_EQ(launch_of("one_block", {{"threads", "7"}}).block.x, 7);
  EXPECT_EQ(launch_of("one_thread").grid.x, 1) << "it begins as the program says";
}

TEST_F(LaunchEdits, AFolderIsWrittenOnceAndTakesTheFilesName) {
  DescriptionEdits edits;
  edits[{"variants.scaled", "block"}] = {"64", {}};
  ASSERT_TRUE(catalogue_.edit_file("scaled", edits));
  const fs::path to = folder_.path() / "made" / "scaled";
  const auto written = write_scene_folder(*catalogue_.text("scaled"), to);
  ASSERT_TRUE(written) << sentence(written.error());
  EXPECT_EQ(read_input(to / "scaled.cu", 1 << 20).value(), kProgram);
  const auto again = write_scene_folder(*catalogue_.text("scaled"), to);
  ASSERT_FALSE(again);
  EXPECT_THAT(sentence(again.error()), HasSubstr("is not overwritten"));
  const auto opened = catalogue_.open_folder(to);
  ASSERT_TRUE(opened) << sentence(opened.error());
  EXPECT_EQ((*opened)->name, "scaled");
  EXPECT_EQ(launch_of("scaled").block.x, 64) << "what was chosen is in the description";
  EXPECT_TRUE(catalogue_.file_of("scaled").empty());
  EXPECT_EQ(catalogue_.open_file(file()).value()->name, "scaled_2");
}

constexpr const char* kPtx = R"(// a comment with .entry in it
.version 8.0
.target sm_90
.address_size 64
.extern .shared .align 4 .b8 all[];
.visible .entry _Z3addPKfPfi(
	.param .u64 _Z3addPKfPfi_param_0,
	.param .u64 _Z3addPKfPfi_param_1,
	.param .u32 _Z3addPKfPfi_param_2
)
.maxntid 64, 2, 1
{
	ret;
}
.visible .entry plain(.param .u64 .ptr .global .align 1 a, .param .f32 b, .param .align 8 .b8 c[16])
.reqntid 128
{ ret; }
.visible .entry declared(.param .u64 a);
)";

TEST(PtxDescription, EntriesHaveTheirParametersAndBounds) {
  const std::vector<PtxKernel> kernels = ptx_kernels(kPtx);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].name, "add");
  EXPECT_EQ(kernels[0].symbol, "_Z3addPKfPfi");
  EXPECT_EQ(kernels[0].most_threads, 128);
  EXPECT_TRUE(kernels[0].dynamic_shared);
  ASSERT_EQ(kernels[0].parameters.size(), 3u);
  EXPECT_TRUE(kernels[0].parameters[0].pointer);
  EXPECT_EQ(kernels[0].parameters[0].element, "f32");
  EXPECT_FALSE(kernels[0].parameters[2].pointer);
  EXPECT_EQ(kernels[1].required_block[0], 128);
  ASSERT_EQ(kernels[1].parameters.size(), 3u);
  EXPECT_TRUE(kernels[1].parameters[0].pointer);
  EXPECT_EQ(kernels[1].parameters[2].bytes, 16);
}

TEST(PtxDescription, AFileOfItIsASceneWithASliderPerKernel) {
  const OwnFolder folder("ptx_file");
  folder.write("add.ptx", kPtx);
  Catalogue catalogue;
  const auto opened = catalogue.open_file(folder.path() / "add.ptx");
  ASSERT_TRUE(opened) << sentence(opened.error());
  const Scene& scene = **opened;
  ASSERT_EQ(scene.variants.size(), 2u);
  EXPECT_EQ(scene.variants[0].name, "add");
  const Configuration at = configured(scene, "add", {{"n", "1000"}}).value();
  const auto launch = std::get<KernelLaunch>(scene.variants[0].steps({at, {}})[0].action);
  EXPECT_EQ(launch.entry, "_Z3addPKfPfi");
  EXPECT_EQ(launch.source, "add/add.ptx");
  EXPECT_EQ(launch.launch.block.x, 128);
  EXPECT_EQ(launch.launch.grid.x, 8) << "1000 elements in blocks of 128";
  const Configuration plain = configured(scene, "plain", {{"n_2", "300"}}).value();
  const auto other = std::get<KernelLaunch>(scene.variants[1].steps({plain, {}})[0].action);
  EXPECT_EQ(other.launch.grid.x, 3);
}

TEST(PtxDescription, WithoutAKernelSaysSo) {
  const auto none = ptx_description({{"a.ptx", ".version 8.0\n"}}, "a.ptx");
  ASSERT_FALSE(none);
  EXPECT_THAT(sentence(none.error()), HasSubstr("no kernel"));
}

// PTX of compilers that write their own names.
TEST(PtxDescription, FilesOfOtherCompilersAreScenes) {
  std::size_t opened = 0;
  for (const auto& entry :
       fs::directory_iterator(source_folder() / "tests" / "emulator" / "foreign")) {
    if (entry.path().extension() != ".ptx") continue;
    Catalogue catalogue;
    const auto scene = catalogue.open_file(entry.path());
    EXPECT_TRUE(scene) << entry.path() << ": " << sentence(scene.error());
    if (!scene) continue;
    ++opened;
    EXPECT_FALSE((*scene)->axes.empty()) << entry.path();
  }
  EXPECT_GE(opened, 20u);
}

TEST(GuessedSizes, AreFoundThroughLetAndInShapes) {
  const std::string text =
      "[axes.n]\ndefault = 4096 # a guess\n[let]\nwidth = 64 # a guess\n"
      "depth = 3 # from line 2: constexpr int depth = 3;\narea = \"n * depth\"\n"
      "[buffers.x]\ncount = \"depth * width\" # elements, from line 9: cudaMalloc(&x, s);\n"
      "[buffers.y]\ncount = \"depth\" # elements, from line 10: cudaMalloc(&y, t);\n"
      "[buffers.z]\nshape = [\"n\", \"depth\"] # from the comment after the parameter\n"
      "[buffers.w]\nshape = [\"depth\", 4] # from the comment after the parameter\n"
      "[buffers.v]\ncount = \"area\" # elements, from line 11: cudaMalloc(&v, u);\n";
  EXPECT_THAT(buffers_of_guessed_size(text), ElementsAre("x", "z", "v"));
}

TEST(GuessedSizes, AreThoseThatTheProgramDoesNotSayUntilAPersonDoes) {
  const std::string text =
      "[axes.n]\ndefault = 4096 # a guess\n[axes.rows]\ndefault = 8 # from line 3: rows = 8\n"
      "[buffers.x]\ncount = \"n * 4\" # elements, from line 9: cudaMalloc(&x, n * 16);\n"
      "[buffers.y]\ncount = \"rows\" # elements, from line 10: cudaMalloc(&y, rows * 4);\n"
      "[buffers.z]\ncount = 64 # elements: a guess, one element per thread\n"
      "[buffers.nn]\ncount = \"rows + 1\" # elements, from line 11: n is not in it\n"
      "[variants.k]\nshared = \"4 * n\" # bytes of dynamic shared memory\n"
      "[variants.l]\nshared = 0 # the kernel uses it, and the text does not say how many\n"
      "[variants.m]\nshared = \"4 * rows\" # bytes of dynamic shared memory\n";
  EXPECT_THAT(buffers_of_guessed_size(text), ElementsAre("x", "z"));
  EXPECT_TRUE(is_shared_size_guessed(text, "k"));
  EXPECT_TRUE(is_shared_size_guessed(text, "l"));
  EXPECT_FALSE(is_shared_size_guessed(text, "m"));
  EXPECT_FALSE(is_shared_size_guessed(text, "no_such_variant"));
  DescriptionEdits edits;
  edits[{"axes.n", "default"}] = {"100", {}};
  EXPECT_FALSE(is_shared_size_guessed(edited(text, edits), "k"));
  edits[{"buffers.z", "count"}] = {"128", {}};
  EXPECT_THAT(buffers_of_guessed_size(edited(text, edits)), IsEmpty());
}

}  // namespace
}  // namespace warpscope
