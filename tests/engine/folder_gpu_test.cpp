// tests/engine/folder_gpu_test.cpp: scenes that are folders on a device: right, timed, and compared
// with their own reference.
#include <gmock/gmock.h>

#include <filesystem>
#include <string>
#include <vector>

#include "profiling/engine/measure/measurer.h"
#include "scenes/catalogue.h"
#include "scenes/folder/fork/fork.h"
#include "scenes/read_folder.h"
#include "tests/engine/gpu_fixture.h"
#include "tests/scenes/folder_parts.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

class GpuFolders : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    // Not closed, as the device of GpuTest is not.
    static auto* measurer =
        new Result<std::unique_ptr<Measurer>>(Measurer::create(0, ProfilerUse::none, catalogue()));
    ASSERT_TRUE(*measurer) << sentence(measurer->error());
    measurer_ = (*measurer)->get();
  }

  // As an engine gets it: the text before the job, its kernels with it.
  Measurement measured(const SceneText& text, const std::string& variant) {
    return measured(text, variant, text.sources);
  }
  Measurement measured(const SceneText& text, const std::string& variant,
                       const std::vector<KernelSource>& sources) {
    Measurement last;
    const Result<const Scene*> scene = catalogue().open_text(text);
    EXPECT_TRUE(scene) << sentence(scene.error());
    Job job;
    job.job = 1;
    job.scene = text.name;
    job.scene_text = text.hash;
    job.sources = sources;
    job.variant = variant;
    job.time_limit_s = 0.2;
    JobChannel channel;
    channel.send = [&last](const Message& message) {
      if (const auto* m = std::get_if<Measurement>(&message)) last = *m;
    };
    channel.interrupted = [] { return false; };
    const Result<void> done = measurer_->run(job, channel);
    EXPECT_TRUE(done) << variant << ": " << sentence(done.error());
    return last;
  }

  // That the one engine of all tests has.
  static Catalogue& catalogue() {
    static Catalogue* const all = new Catalogue;
    return *all;
  }

  Measurer* measurer_ = nullptr;
};

TEST_F(GpuFolders, EveryExampleIsRightAndTimed) {
  int measured_variants = 0;
  for (const auto& entry :
       fs::directory_iterator(source_folder() / "assets" / "examples" / "kernels")) {
    const Result<SceneText> text = read_scene_folder(entry.path());
    ASSERT_TRUE(text) << sentence(text.error());
    const Result<Scene> scene = scene_of(*text);
    ASSERT_TRUE(scene) << sentence(scene.error());
    for (const Variant& variant : scene->variants) {
      const Measurement m = measured(*text, variant.name);
      EXPECT_EQ(m.verdict.outcome, Outcome::correct)
          << text->name << "/" << variant.name << ": " << m.verdict.sentence;
      EXPECT_TRUE(m.warm && m.cold) << text->name << "/" << variant.name;
      ++measured_variants;
    }
  }
  EXPECT_GT(measured_variants, 10);
}

TEST_F(GpuFolders, EveryExerciseIsRightAndTimed) {
  int measured_variants = 0;
  for (const auto& entry : fs::directory_iterator(source_folder() / "assets" / "exercises")) {
    if (!entry.is_directory()) continue;
    const Result<SceneText> text = read_scene_folder(entry.path());
    ASSERT_TRUE(text) << sentence(text.error());
    const Measurement m = measured(*text, "starter");
    EXPECT_EQ(m.verdict.outcome, Outcome::correct) << text->name << ": " << m.verdict.sentence;
    EXPECT_TRUE(m.warm && m.cold) << text->name;
    ++measured_variants;
  }
  EXPECT_GE(measured_variants, 12);
}

// The check has buffers of its own beside them.
TEST_F(GpuFolders, ABufferMayHaveAnyName) {
  SceneText text = doubling_text("names_on_device");
  for (const auto& [from, to] :
       {std::pair("\nx = ", "\nsums = "), std::pair("\ny = ", "\nresult = "),
        std::pair("[\"x\", \"y\"", "[\"sums\", \"result\""),
        std::pair("[\"x\", \"y.", "[\"sums\", \"result.")})
    text.description = replaced(text.description, from, to);
  text.hash = scene_hash(text);
  const Measurement m = measured(text, "twice");
  EXPECT_EQ(m.verdict.outcome, Outcome::correct) << m.verdict.sentence;
  EXPECT_EQ(m.verdict.checked_elements, 1000);
}

TEST_F(GpuFolders, AWrongElementIsFound) {
  SceneText text = doubling_text("wrong_on_device");
  text.sources[0] = kernel_source(
      text.sources[0].path,
      replaced(kDoublingKernel, "y[i] = 2 * x[i]", "y[i] = i == 17 ? 3 * x[i] : 2 * x[i]"));
  text.hash = scene_hash(text);
  const Measurement m = measured(text, "twice");
  EXPECT_EQ(m.verdict.outcome, Outcome::wrong) << m.verdict.sentence;
  EXPECT_EQ(m.verdict.mismatches, 1);
  EXPECT_FALSE(m.warm);
}

TEST_F(GpuFolders, WithoutAReferenceARunIsTimedAndSaysThatNothingCheckedIt) {
  SceneText text = doubling_text("unchecked_on_device");
  text.description.resize(text.description.find("[reference]"));
  text.hash = scene_hash(text);
  const Measurement m = measured(text, "twice");
  EXPECT_EQ(m.verdict.outcome, Outcome::no_reference);
  EXPECT_THAT(m.verdict.sentence, testing::HasSubstr("the scene has no reference"));
  EXPECT_TRUE(m.warm && m.cold);
}

TEST_F(GpuFolders, ThePatternsTwinIsRight) {
  const OwnFolder folder("gpu/patterns_twin");
  write_patterns_twin(folder);
  const Result<SceneText> text = read_scene_folder(folder.path());
  ASSERT_TRUE(text) << sentence(text.error());
  for (const char* variant : {"copy", "copy_grid_stride", "copy_in_flight", "copy_driver"}) {
    const Measurement m = measured(*text, variant);
    EXPECT_EQ(m.verdict.outcome, Outcome::correct) << variant << ": " << m.verdict.sentence;
  }
}

TEST_F(GpuFolders, WhoWritesIntoAnInputChangesNoReference) {
  SceneText text = doubling_text("writes_inputs");
  text.sources[0] = kernel_source(
      text.sources[0].path,
      replaced(replaced(kDoublingKernel, "const float* x, float* y", "float* x, float* y"),
               "if (i < n) y[i] = 2 * x[i];", "if (i < n) { y[i] = 0; x[i] = 0; }"));
  text.hash = scene_hash(text);
  const Measurement m = measured(text, "twice");
  EXPECT_EQ(m.verdict.outcome, Outcome::wrong) << m.verdict.sentence;
  EXPECT_FALSE(m.warm.has_value()) << "no time without a right output";
}

// Its first run is right, and the next ones find in x what the first one left.
TEST_F(GpuFolders, ARightRunThatWritesIntoAnInputIsRefusedByName) {
  SceneText text = doubling_text("keeps_answers");
  const SceneText honest = text;
  text.sources[0] = kernel_source(
      text.sources[0].path,
      replaced(replaced(kDoublingKernel, "const float* x, float* y", "float* x, float* y"),
               "if (i < n) y[i] = 2 * x[i];", "if (i < n) { y[i] = 2 * x[i]; x[i] = -x[i]; }"));
  text.hash = scene_hash(text);
  const Measurement m = measured(text, "twice");
  EXPECT_EQ(m.verdict.outcome, Outcome::wrong) << m.verdict.sentence;
  EXPECT_EQ(m.verdict.sentence, "it writes into the input x: its next run has another input");
  EXPECT_FALSE(m.warm.has_value()) << "no time without a right output";
  // The next variant has the inputs as they were.
  const Measurement behind = measured(honest, "twice");
  EXPECT_EQ(behind.verdict.outcome, Outcome::correct) << behind.verdict.sentence;
}

TEST_F(GpuFolders, AForkIsMeasuredBesideItsParent) {
  const OwnFolder folder("gpu_fork");
  const Scene& csrmm = **built_in_catalogue().find("csrmm");
  const Result<Fork> fork = write_fork(catalogue(), csrmm, *find_variant(csrmm, "row_split"),
                                       {folder.path() / "gpu_forked", {}});
  ASSERT_TRUE(fork) << sentence(fork.error());
  const Result<SceneText> text = read_scene_folder(fork->folder);
  ASSERT_TRUE(text) << sentence(text.error());
  ASSERT_TRUE(catalogue().open_text(*text));
  const auto sources = catalogue().sources_of("gpu_forked");  // its parent's kernels as well
  ASSERT_TRUE(sources) << sentence(sources.error());
  const Measurement copy = measured(*text, fork->variant, **sources);
  const Measurement parent = measured(*text, "row_split", **sources);
  EXPECT_EQ(copy.verdict.outcome, Outcome::correct) << copy.verdict.sentence;
  ASSERT_TRUE(copy.warm && parent.warm);
  EXPECT_NEAR(copy.warm->median_ns, parent.warm->median_ns, 0.1 * parent.warm->median_ns);
}

}  // namespace
}  // namespace warpscope
