// tests/workbench/lesson_test.cpp: lessons name only what exists and say what is missing.
#include "workbench/lesson.h"

#include <gtest/gtest.h>

#include "scenes/registry.h"

namespace warpscope {
namespace {

TEST(Lesson, EveryLessonOfTheProductIsWhole) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(
           std::filesystem::path(WARPSCOPE_SOURCE_FOLDER) / "assets" / "lessons")) {
    ++count;
    const Result<Lesson> lesson = read_lesson(entry.path());
    ASSERT_TRUE(lesson) << sentence(lesson.error());
    EXPECT_FALSE(lesson->title.empty()) << entry.path();
    for (const LessonStep& step : lesson->steps) EXPECT_FALSE(step.text.empty()) << entry.path();
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

TEST(Lesson, AFigureThatIsNotThereIsADashAndTheRestStays) {
  const Scene& scene = *find_scene("csrmm").value();
  EXPECT_EQ(filled_in("It takes {time.warm:warp_row}, {ratio:a/b} and {open", Session(), scene, ""),
            "It takes –, – and {open");
}

}  // namespace
}  // namespace warpscope
