// tests/profiling/journal/change_watch_test.cpp: a kernel that was saved and measured again is an
// iteration.
#include "profiling/journal/change_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiling/points/point.h"
#include "scenes/catalogue.h"
#include "tests/scenes/folder_parts.h"

namespace warpscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr const char* kText =
    "#include \"csrmm/rows.cuh\"\n\nfloat sum = 0;\n// adds\nsum += a;\nstore(sum);\n";

KernelTexts texts(const std::string& kernel, const std::string& header = "int rows;\n") {
  return std::make_shared<const std::vector<KernelSource>>(std::vector<KernelSource>{
      kernel_source("csrmm/float4_columns.cu", kernel), kernel_source("csrmm/rows.cuh", header),
      kernel_source("csrmm/other.cu", header)});
}

Measurement measured(double warm_ns, const char* code_id, const char* n = "128") {
  const Scene& scene = **built_in_catalogue().find("csrmm");
  Measurement m;
  m.scene = "csrmm";
  m.variant = "float4_columns";
  m.axes = *configured(scene, m.variant, {{"n", n}});
  m.key = configuration_key(scene.axes, m.axes, m.variant);
  m.problem = problem_key(scene.axes, m.axes);
  m.verdict.outcome = Outcome::correct;
  m.warm = Timing{CacheState::warm, {warm_ns, warm_ns, warm_ns}};
  summarise(*m.warm);
  m.metrics = {{"time.warm", warm_ns, Origin::measured, "", ""}};
  m.conditions.code_id = code_id;
  m.conditions.device = "NVIDIA H200";
  m.conditions.device_uuid = "GPU-1";
  m.conditions.toolkit = "13.0";
  StepRecord step;
  step.name = "multiply";
  step.kind = "kernel";
  step.source = "csrmm/float4_columns.cu";
  m.steps = {step};
  return m;
}

// A watch and the session whose measurements it sees.
struct Watched {
  Session session;
  ChangeWatch watch;
  std::vector<Iteration> see(const Measurement& m, const KernelTexts& of) {
    std::vector<Iteration> made = watch.see(m, of, session);
    session.apply(m);
    for (const Iteration& each : made) session.apply(each);
    return made;
  }
};

TEST(ChangeWatch, NotesTheBeginningAndTheChange) {
  Watched watched;
  EXPECT_THAT(watched.see(measured(200e3, "a"), texts(kText)), IsEmpty());
  const auto made = watched.see(measured(100e3, "b"), texts(std::string(kText) + "more();\n"));
  ASSERT_THAT(made, SizeIs(2));
  EXPECT_EQ(made[0].number, 1);
  EXPECT_EQ(made[0].code_id, "a");
  EXPECT_EQ(value_of(made[0].measured, "time.warm"), 200e3);
  EXPECT_EQ(made[1].parent, 1);
  EXPECT_EQ(made[1].code_id, "b");
  EXPECT_EQ(made[1].decision, Decision::open);
  EXPECT_EQ(value_of(made[1].measured, "time.warm"), 100e3);
  EXPECT_THAT(made[1].verdict, HasSubstr("faster"));
  EXPECT_THAT(made[1].diff, HasSubstr("--- csrmm/float4_columns.cu\n@@"));
  EXPECT_THAT(made[1].diff, HasSubstr("\n store(sum);\n+more();\n"));
  const auto next = watched.see(measured(90e3, "c"), texts(kText, "long rows;\n"));
  ASSERT_THAT(next, SizeIs(1)) << "the beginning is noted once";
  EXPECT_EQ(next[0].number, 3);
  EXPECT_EQ(next[0].parent, 2);
  EXPECT_THAT(next[0].diff, HasSubstr("--- csrmm/rows.cuh")) << "headers are part of it";
  EXPECT_THAT(next[0].diff, Not(HasSubstr("other.cu"))) << "files of other kernels are not";
}

TEST(ChangeWatch, TakesCommentsSpacesAndAxesForNoChange) {
  Watched watched;
  watched.see(measured(200e3, "a"), texts(kText));
  std::string other = kText;
  other.replace(other.find("// adds"), 7, "// adds up  ");
  EXPECT_THAT(watched.see(measured(100e3, "a"), texts(other)), IsEmpty());
  EXPECT_THAT(watched.see(measured(100e3, "unrolled", "64"), texts(other)), IsEmpty())
      << "another code_id with the same text is another value of an axis";
}

TEST(ChangeWatch, WaitsForWhatIsMeasuredToItsEnd) {
  Watched watched;
  watched.see(measured(200e3, "a"), texts(kText));
  Measurement partial = measured(100e3, "b");
  partial.partial = true;
  EXPECT_THAT(watched.see(partial, texts("changed();\n")), IsEmpty());
  EXPECT_THAT(watched.see(measured(100e3, "b"), texts("changed();\n")), SizeIs(2));
  EXPECT_THAT(watched.see(measured(100e3, "b"), nullptr), IsEmpty()) << "the texts are not known";
}

TEST(ChangeWatch, AWrongOutputIsAnIterationWithItsVerdict) {
  Watched watched;
  watched.see(measured(200e3, "a"), texts(kText));
  Measurement wrong = measured(1e3, "b");
  wrong.verdict = {Outcome::wrong, "largest error 3 times the bound"};
  wrong.warm.reset();
  wrong.metrics.clear();
  const auto made = watched.see(wrong, texts("changed();\n"));
  ASSERT_THAT(made, SizeIs(2));
  EXPECT_THAT(made[1].verdict, HasSubstr("largest error 3 times the bound"));
  EXPECT_THAT(made[1].measured, IsEmpty());
}

TEST(ChangeWatch, TakesWhatWasEmulatedBeforeForThePrediction) {
  Watched watched;
  watched.see(measured(200e3, "a"), texts(kText));
  Trace trace;
  trace.scene = "csrmm";
  trace.variant = "float4_columns";
  trace.key = measured(0, "").key;
  trace.step = "multiply";
  trace.source_hash = std::string(32, 'b');
  trace.metrics = {{"emulated.inst.executed", 4096.0, Origin::modelled, "", ""}};
  watched.session.apply(trace);
  const auto other = watched.see(measured(100e3, std::string(32, 'c').c_str()), texts("c();\n"));
  EXPECT_THAT(other[1].predicted, IsEmpty()) << "of another text";
  const auto made = watched.see(measured(100e3, std::string(32, 'b').c_str()), texts("b();\n"));
  EXPECT_EQ(value_of(made[0].predicted, "inst.executed"), 4096.0);
}

// The emulator is the first to say that a text is right; its figures come with the device.
TEST(ChangeWatch, ADeviceAddsItsFiguresToWhatTheEmulatorJudged) {
  Watched watched;
  watched.see(measured(200e3, "a"), texts(kText));
  Measurement emulated = measured(0, "b");
  emulated.warm.reset();
  emulated.metrics.clear();
  emulated.conditions.device = "emulator";
  emulated.conditions.device_uuid.clear();
  const KernelTexts changed = texts("changed();\n");
  ASSERT_THAT(watched.see(emulated, changed), SizeIs(2));
  Iteration expected = *watched.session.outcomes().iterations()[1];
  expected.hypothesis = "half the time";
  expected.decision = Decision::kept;
  watched.session.apply(expected);
  const auto made = watched.see(measured(100e3, "b"), changed);
  ASSERT_THAT(made, SizeIs(1));
  EXPECT_EQ(made[0].number, 2);
  EXPECT_EQ(made[0].hypothesis, "half the time") << "what a person said of it stays";
  EXPECT_EQ(made[0].decision, Decision::kept);
  EXPECT_EQ(made[0].device_uuid, "GPU-1");
  EXPECT_EQ(value_of(made[0].measured, "time.warm"), 100e3);
  EXPECT_THAT(made[0].verdict, HasSubstr("faster"));
  EXPECT_THAT(watched.see(measured(101e3, "b"), changed), IsEmpty()) << "once";
}

// An engine that was killed in the middle reports only that.
TEST(ChangeWatch, ATextWhoseEngineDiedIsAnIterationThatTheNextMeasurementCompletes) {
  Watched watched;
  watched.see(measured(200e3, "a"), texts(kText));
  Measurement died = measured(0, "");
  died.verdict = {Outcome::engine_died, "the engine was ended by signal 9"};
  died.warm.reset();
  died.metrics.clear();
  died.steps.clear();
  const KernelTexts changed = texts("changed();\n");
  const auto made = watched.see(died, changed);
  ASSERT_THAT(made, SizeIs(2));
  EXPECT_THAT(made[1].verdict, HasSubstr("signal 9"));
  EXPECT_THAT(made[1].diff, HasSubstr("+changed();"));
  EXPECT_THAT(watched.see(died, changed), IsEmpty()) << "once";
  const auto later = watched.see(measured(100e3, "b"), changed);
  ASSERT_THAT(later, SizeIs(1));
  EXPECT_EQ(later[0].number, made[1].number);
  EXPECT_EQ(later[0].code_id, "b");
  EXPECT_EQ(value_of(later[0].measured, "time.warm"), 100e3);
}

// First samples of the new text are not a time of the old one.
TEST(ChangeWatch, HoldsAChangeToTheCodeBeforeIt) {
  Watched watched;
  watched.see(measured(200e3, "a"), texts(kText));
  Measurement partial = measured(100e3, "b");
  partial.partial = true;
  watched.see(partial, texts("changed();\n"));
  const auto made = watched.see(measured(100e3, "b"), texts("changed();\n"));
  ASSERT_THAT(made, SizeIs(2));
  EXPECT_EQ(value_of(made[0].measured, "time.warm"), 200e3);
  EXPECT_THAT(made[1].verdict, HasSubstr("faster"));
}

TEST(ChangeWatch, HoldsTheFirstSaveToWhatStoodBeforeIt) {
  Watched watched;
  watched.watch.begin("csrmm", texts(kText));
  const auto made = watched.see(measured(100e3, "b"), texts("changed();\n"));
  ASSERT_THAT(made, SizeIs(2));
  EXPECT_EQ(made[0].hypothesis, "as it was");
  EXPECT_THAT(made[0].code_id, IsEmpty()) << "nobody measured it";
  EXPECT_THAT(made[0].measured, IsEmpty());
  EXPECT_EQ(made[1].parent, made[0].number);
  Watched other;
  other.watch.begin("csrmm", std::make_shared<const std::vector<KernelSource>>());
  EXPECT_THAT(other.see(measured(100e3, "b"), texts("new();\n")), IsEmpty())
      << "a kernel that was not there is no change of one";
}

TEST(ChangeWatch, NumbersAfterWhatAPersonNoted) {
  Watched watched;
  Iteration noted;
  noted.number = 7;
  noted.scene = "csrmm";
  noted.variant = "k_tiles";
  watched.session.apply(noted);
  watched.see(measured(200e3, "a"), texts(kText));
  const auto made = watched.see(measured(100e3, "b"), texts("changed();\n"));
  EXPECT_EQ(made[0].number, 8);
  EXPECT_EQ(made[1].number, 9);
}

// A fork begins with what it was copied from: its first save is an iteration.
TEST(ChangeWatch, HoldsTheFirstSaveOfAFolderToWhatItsJournalHas) {
  const SceneText text = doubling_text("noted_folder");
  const auto catalogue = std::make_shared<Catalogue>();
  ASSERT_TRUE(catalogue->open_text(text));
  Watched watched{Session(catalogue)};
  Iteration noted;
  noted.number = 4;
  noted.scene = "noted_folder";
  noted.variant = "twice";
  noted.scene_text = text.hash;
  watched.session.apply(noted);
  SceneText saved = text;
  saved.sources[0] =
      kernel_source(saved.sources[0].path, replaced(kDoublingKernel, "2 * x[i]", "x[i] + x[i]"));
  saved.hash = scene_hash(saved);
  ASSERT_TRUE(catalogue->open_text(saved));
  const Scene& scene = **catalogue->find("noted_folder");
  Measurement m = measured(100e3, "b");
  m.scene = scene.name;
  m.variant = "twice";
  m.axes = *configured(scene, "twice", {});
  m.key = configuration_key(scene.axes, m.axes, "twice");
  m.problem = problem_key(scene.axes, m.axes);
  m.steps[0].source = "noted_folder/twice.cu";
  m.verdict.outcome = Outcome::compile_failed;
  const auto texts = std::make_shared<const std::vector<KernelSource>>(saved.sources);
  EXPECT_THAT(watched.see(m, texts), IsEmpty()) << "a save half-way is none";
  m.verdict.outcome = Outcome::correct;
  const auto made = watched.see(m, texts);
  ASSERT_THAT(made, SizeIs(1));
  EXPECT_EQ(made[0].number, 5);
  EXPECT_EQ(made[0].parent, 4);
  EXPECT_EQ(made[0].scene_text, saved.hash);
  EXPECT_THAT(made[0].diff, HasSubstr("x[i] + x[i]"));
  EXPECT_THAT(watched.see(m, texts), IsEmpty());
}

}  // namespace
}  // namespace warpscope
