// tests/workbench/lessons/lesson_test.cpp: lessons name only what exists and say what is missing.
#include "workbench/lessons/lesson.h"

#include <gtest/gtest.h>

#include "profiling/claims/claim_text.h"
#include "scenes/catalogue.h"
#include "tests/folders.h"
#include "workbench/client/program_catalogue.h"
#include "workbench/lessons/course.h"

namespace warpscope {
namespace {

TEST(Lesson, EveryLessonOfTheProductIsWhole) {
  int count = 0;
  for (const std::filesystem::path& path : shipped_lesson_paths()) {
    ++count;
    const Result<Lesson> lesson = read_lesson(path, program_catalogue());
    ASSERT_TRUE(lesson) << sentence(lesson.error());
    EXPECT_FALSE(lesson->title.empty()) << path;
    for (const LessonStep& step : lesson->steps) EXPECT_FALSE(step.text.empty()) << path;
  }
  EXPECT_GT(count, 0);
}

TEST(Lesson, RefusesAnUnknownVariantNamingTheStep) {
  const Result<Lesson> lesson = parse_lesson(
      R"({"title": "t", "scene": "csrmm", "steps": [{"text": "a", "variant": "no_such"}]})",
      "l.json");
  ASSERT_FALSE(lesson);
  EXPECT_NE(sentence(lesson.error()).find("step 1"), std::string::npos) << sentence(lesson.error());
  EXPECT_NE(sentence(lesson.error()).find("no_such"), std::string::npos);
}

TEST(Lesson, OpensAFolderOfTheAssetsAsItsScene) {
  const auto catalogue = std::make_shared<Catalogue>();
  const Result<Lesson> lesson = parse_lesson(
      R"({"title": "t", "folder": "examples/kernels/transpose", "steps": [
          {"text": "{time.warm:tiled}", "variant": "tiled", "axes": {"pad": "1", "rows": "77"}}]})",
      "l.json", catalogue);
  ASSERT_TRUE(lesson) << sentence(lesson.error());
  EXPECT_EQ(lesson->scene, "transpose");
  EXPECT_EQ(catalogue->folder_of("transpose").filename(), "transpose");
  const Result<Lesson> broken = parse_lesson(
      R"({"title": "t", "folder": "examples/kernels/transpose", "steps": [{"variant": "tilde"}]})",
      "l.json");
  ASSERT_FALSE(broken);
  EXPECT_NE(sentence(broken.error()).find("step 1"), std::string::npos);
  EXPECT_NE(sentence(broken.error()).find("tiled"), std::string::npos) << "what may be meant";
}

TEST(Lesson, SaysWhichFolderIsNoScene) {
  const std::pair<const char*, const char*> wrong[] = {
      {R"("folder": "examples/kernels/transposed")", "“examples/kernels/transposed” of assets has"},
      {R"("folder": "lessons")", "“lessons” of assets has no scene"},
      {R"("folder": "../kernels")", "is not in assets"},
      {R"("folder": "/")", "is not in assets"},
      {R"("folder": 7)", "must be texts"},
      {R"("folder": "examples/kernels/transpose", "scene": "csrmm")", "both a scene and a folder"}};
  for (const auto& [field, words] : wrong) {
    const Result<Lesson> lesson = parse_lesson(
        std::string(R"({"title": "t", )") + field + R"(, "steps": [{"text": "a"}]})", "l.json");
    ASSERT_FALSE(lesson) << field;
    EXPECT_EQ(lesson.error().kind, ErrorKind::input) << field;
    EXPECT_NE(sentence(lesson.error()).find(words), std::string::npos) << sentence(lesson.error());
    EXPECT_FALSE(lesson.error().remedy.empty()) << field;
  }
}

TEST(Lesson, AnAxisThatIsNullGoesBackToTheDefaultAndOneOfVariantsToEachOnesOwn) {
  const Scene& scene = *built_in_catalogue().find("deform").value();
  const Lesson lesson = parse_lesson(R"({"title": "t", "scene": "deform", "steps": [
      {"text": "a", "axes": {"batch": "6", "block_size": "64"}},
      {"text": "b", "axes": {"batch": null, "block_size": null}}]})",
                                     "l.json")
                            .value();
  const Configuration set =
      axes_at(lesson.steps[0], scene, default_configuration(scene.axes)).value();
  EXPECT_EQ(for_variant(scene.axes, set, "pair_row_gather").integer("block_size"), 64);
  EXPECT_EQ(axes_at(lesson.steps[1], scene, set).value(), default_configuration(scene.axes));
}

TEST(Lesson, AFigureThatIsNotThereIsADashWithItsReasonAndTheRestStays) {
  const Scene& scene = *built_in_catalogue().find("csrmm").value();
  const Session nothing;
  EXPECT_EQ(resolve("It takes {time.warm:warp_row_shuffle}, {ratio:a/b}, {ratio:a} and {open",
                    {&scene, &nothing, default_configuration(scene.axes), "", {}}),
            "It takes – (warp-row shuffle was not measured at this configuration), – (there is no "
            "variant “a”), – (a ratio needs two variants, a/b) and {open");
}

TEST(Lesson, AFigureThatIsMissingSaysWhatTheMeasurementSays) {
  const Scene& scene = *built_in_catalogue().find("csrmm").value();
  Session session;
  Measurement point;
  point.scene = "csrmm";
  point.axes = default_configuration(scene.axes);
  point.key = configuration_key(scene.axes, point.axes, point.variant);
  point.variant = "float4_columns";
  point.verdict.outcome = Outcome::correct;
  point.metrics = {{"time.warm", 119500.0, Origin::measured, "", ""},
                   {"l2.bytes", std::nullopt, Origin::measured, "only root reads counters", ""}};
  session.apply(point);
  point.variant = "warp_row_shuffle";
  point.axes = for_variant(scene.axes, point.axes, point.variant);
  point.key = configuration_key(scene.axes, point.axes, point.variant);
  point.verdict = {Outcome::wrong, "c[17, 3] differs", "", 0, 0, 0};
  point.metrics.clear();
  session.apply(point);
  const auto said = [&](const char* text) {
    return resolve(text, {&scene, &session, default_configuration(scene.axes), "", {}});
  };
  EXPECT_EQ(said("{time.warm:float4_columns}"), "119.5 µs");
  EXPECT_EQ(said("{l2.bytes:float4_columns}"), "– (only root reads counters)");
  EXPECT_EQ(said("{inst.ffma:float4_columns}"),
            "– (float4 columns was measured without “inst.ffma”)");
  EXPECT_EQ(said("{time.warm:warp_row_shuffle}"),
            std::string("– (warp-row shuffle: ") + to_text(Outcome::wrong) + ", c[17, 3] differs)");
}

}  // namespace
}  // namespace warpscope
