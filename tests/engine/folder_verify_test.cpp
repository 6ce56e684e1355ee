// tests/engine/folder_verify_test.cpp: scenes that are folders, run by the emulator and compared
// with references from kernels, variants and files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "profiling/engine/run/emulated/emulated_stage.h"
#include "scenes/catalogue.h"
#include "scenes/read_folder.h"
#include "tests/scenes/folder_parts.h"

namespace warpscope {
namespace {

using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

using Changes = std::map<std::string, std::string>;

// Runs a variant and compares it with the reference. error: as the stage.
Result<Verdict> verdict_of(EmulatedStage& stage, const Scene& scene, const std::string& variant,
                           const Changes& changes) {
  const Result<Configuration> axes = configured(scene, variant, changes);
  if (!axes) return tl::unexpected(axes.error());
  if (Result<void> set = stage.set(scene, *axes); !set) return tl::unexpected(set.error());
  const Variant& row = *find_variant(scene, variant);
  if (const auto reason = unavailable(row, stage.workload(), {}))
    return failure(ErrorKind::usage, *reason);
  EmulatedStage::View view;
  view.sums = false;
  const Result<EmulatedStage::Run> run = stage.run(row, view);
  if (!run) return tl::unexpected(run.error());
  if (!run->faults.empty()) return failure(ErrorKind::fault, run->faults.front().sentence);
  return stage.check(row);
}

// A text's verdict at its defaults. Every text has a name of its own: the newest counts.
Result<Verdict> verdict_of(SceneText text, const Changes& changes = {}) {
  text.hash = scene_hash(text);
  Catalogue catalogue;
  const Result<const Scene*> scene = catalogue.open_text(text);
  if (!scene) return tl::unexpected(scene.error());
  EmulatedStage stage;
  stage.use(catalogue.source_lookup());
  return verdict_of(stage, **scene, (*scene)->variants[0].name, changes);
}

bool lacks_compiler() { return !nvrtc_version(); }

class FolderExamples : public testing::TestWithParam<std::string> {};

std::vector<std::string> example_names() {
  std::vector<std::string> names;
  for (const auto& entry :
       fs::directory_iterator(source_folder() / "assets" / "examples" / "kernels"))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

// At its defaults, at the least that an axis takes, and at sizes that no block divides.
TEST_P(FolderExamples, EveryVariantIsRightEmulated) {
  if (lacks_compiler()) GTEST_SKIP() << sentence(nvrtc_version().error());
  const fs::path folder = source_folder() / "assets" / "examples" / "kernels" / GetParam();
  Catalogue catalogue;
  const Result<const Scene*> scene = catalogue.open_folder(folder);
  ASSERT_TRUE(scene) << sentence(scene.error());
  Changes least, odd;
  for (const Axis& axis : (*scene)->axes) {
    if (axis.kind != AxisKind::integer) continue;
    least[axis.name] = to_text(AxisValue(axis.typed_minimum));
    odd[axis.name] = to_text(AxisValue(std::min(axis.typed_maximum, axis.typed_minimum + 34)));
  }
  EmulatedStage stage;
  stage.use(catalogue.source_lookup());
  int verified = 0;
  for (const Changes& changes : {Changes{}, least, odd}) {
    for (const Variant& variant : (*scene)->variants) {
      const Result<Verdict> verdict = verdict_of(stage, **scene, variant.name, changes);
      ASSERT_TRUE(verdict) << variant.name << ": " << sentence(verdict.error());
      EXPECT_EQ(verdict->outcome, Outcome::correct)
          << variant.name << " at " << stage.workload().axes.values().begin()->first << ": "
          << verdict->sentence;
      EXPECT_GT(verdict->checked_elements, 0);
      ++verified;
    }
  }
  EXPECT_EQ(verified, 3 * static_cast<int>((*scene)->variants.size()));
}

INSTANTIATE_TEST_SUITE_P(, FolderExamples, testing::ValuesIn(example_names()),
                         [](const auto& info) { return info.param; });

TEST(ExampleFolders, AreTenOfAtMostTwentyFiveLines) {
  EXPECT_EQ(example_names().size(), 10u);
  for (const std::string& name : example_names()) {
    const Result<SceneText> text =
        read_scene_folder(source_folder() / "assets" / "examples" / "kernels" / name);
    ASSERT_TRUE(text) << sentence(text.error());
    EXPECT_LE(std::count(text->description.begin(), text->description.end(), '\n'), 25) << name;
  }
}

TEST(FolderReferences, FindAWrongElement) {
  if (lacks_compiler()) GTEST_SKIP() << sentence(nvrtc_version().error());
  SceneText text = doubling_text("wrong_element");
  text.sources[0] = kernel_source(
      text.sources[0].path,
      replaced(kDoublingKernel, "y[i] = 2 * x[i]", "y[i] = i == 17 ? 3 * x[i] : 2 * x[i]"));
  const Result<Verdict> verdict = verdict_of(text);
  ASSERT_TRUE(verdict) << sentence(verdict.error());
  EXPECT_EQ(verdict->outcome, Outcome::wrong);
  EXPECT_EQ(verdict->mismatches, 1);
  EXPECT_THAT(verdict->sentence, HasSubstr("y[17]"));
}

TEST(FolderReferences, ThatGoWrongThemselvesAreNoVerdictOnTheVariant) {
  if (lacks_compiler()) GTEST_SKIP() << sentence(nvrtc_version().error());
  SceneText text = doubling_text("wrong_reference");
  text.sources[0] = kernel_source(text.sources[0].path,
                                  replaced(kDoublingKernel, "if (i < n) reference", "reference"));
  const Result<Verdict> verdict = verdict_of(text);
  ASSERT_FALSE(verdict);
  EXPECT_THAT(sentence(verdict.error()), HasSubstr("the reference has a fault"));
}

TEST(FolderReferences, ThatLeaveAnElementUnwrittenPassNothingThere) {
  if (lacks_compiler()) GTEST_SKIP() << sentence(nvrtc_version().error());
  SceneText text = doubling_text("unwritten");
  text.sources[0] =
      kernel_source(text.sources[0].path,
                    replaced(kDoublingKernel, "if (i < n) reference", "if (i < n - 1) reference"));
  const Result<Verdict> verdict = verdict_of(text);
  ASSERT_TRUE(verdict) << sentence(verdict.error());
  EXPECT_EQ(verdict->outcome, Outcome::wrong);
  EXPECT_EQ(verdict->mismatches, 1);
}

TEST(FolderReferences, MayBeAnotherVariant) {
  if (lacks_compiler()) GTEST_SKIP() << sentence(nvrtc_version().error());
  const std::string reference =
      "entry = \"exact\"\ngrid = \"ceil_div(n, 128)\"\nblock = 128\narguments = [\"x\", "
      "\"y.reference\", \"i32:n\"]";
  const std::string other =
      "[variants.thrice]\ngrid = \"ceil_div(n, 128)\"\nblock = 128\narguments = [\"x\", \"y\", "
      "\"i32:n\"]\n[reference]\nvariant = \"thrice\"";
  const std::string thrice = std::string(kDoublingKernel) +
                             "extern \"C\" __global__ void thrice(const float* x, float* y, int n) "
                             "{ const int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) "
                             "y[i] = FACTOR * x[i]; }";
  for (const auto& [factor, outcome] :
       {std::pair("2", Outcome::correct), std::pair("3", Outcome::wrong)}) {
    SceneText text = doubling_text(std::string("of_variant_") + factor);
    text.description = replaced(text.description, reference, "");
    text.description = replaced(text.description, "[reference]", other);
    text.sources[0] = kernel_source(text.sources[0].path, replaced(thrice, "FACTOR", factor));
    const Result<Verdict> verdict = verdict_of(text);
    ASSERT_TRUE(verdict) << sentence(verdict.error());
    EXPECT_EQ(verdict->outcome, outcome) << verdict->sentence;
  }
}

TEST(FolderReferences, ThatAreNotThereLeaveTheOutputUnchecked) {
  if (lacks_compiler()) GTEST_SKIP() << sentence(nvrtc_version().error());
  SceneText text = doubling_text("no_reference");
  text.description.resize(text.description.find("[reference]"));
  const Result<Verdict> verdict = verdict_of(text);
  ASSERT_TRUE(verdict) << sentence(verdict.error());
  EXPECT_EQ(verdict->outcome, Outcome::no_reference);
  EXPECT_THAT(verdict->sentence, HasSubstr("the scene has no reference"));
  EXPECT_THAT(verdict->sentence, Not(HasSubstr("never written")));
  text.name = "half_written";
  text.sources[0] = kernel_source(
      "half_written/twice.cu", replaced(kDoublingKernel, "if (i < n) y", "if (i < n && i != 7) y"));
  const Result<Verdict> one = verdict_of(text);
  ASSERT_TRUE(one) << sentence(one.error());
  EXPECT_THAT(one->sentence, HasSubstr("; y[7] was never written"));
  text.name = "less_written";
  text.sources[0] = kernel_source(
      "less_written/twice.cu", replaced(kDoublingKernel, "if (i < n) y", "if (i < n && i > 2) y"));
  const Result<Verdict> more = verdict_of(text);
  ASSERT_TRUE(more) << sentence(more.error());
  EXPECT_THAT(more->sentence, HasSubstr("; y[0] and 2 more of its elements were never written"));
}

TEST(FolderReferences, AreMadeAgainWhenAnAxisMoves) {
  if (lacks_compiler()) GTEST_SKIP() << sentence(nvrtc_version().error());
  SceneText text = doubling_text("moves");
  text.hash = scene_hash(text);
  Catalogue catalogue;
  const Result<const Scene*> scene = catalogue.open_text(text);
  ASSERT_TRUE(scene) << sentence(scene.error());
  EmulatedStage stage;
  stage.use(catalogue.source_lookup());
  for (const char* n : {"300", "17", "300"}) {
    const Result<Verdict> verdict = verdict_of(stage, **scene, "twice", {{"n", n}});
    ASSERT_TRUE(verdict) << sentence(verdict.error());
    EXPECT_EQ(verdict->outcome, Outcome::correct);
    EXPECT_EQ(std::to_string(verdict->checked_elements), n);
  }
}

}  // namespace
}  // namespace warpscope
