// tests/workbench/lessons/course_test.cpp: the order and the levels of lessons.
#include "workbench/lessons/course.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "tests/folders.h"
#include "workbench/client/program_catalogue.h"
#include "workbench/lessons/lesson_outline.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

const std::vector<LessonOutline>& outlines() {
  static const std::vector<LessonOutline> all = shipped_lessons();
  return all;
}

TEST(Course, EveryShippedLessonHasAPlaceAndEveryPlaceALesson) {
  const Result<Course> course = shipped_course();
  ASSERT_TRUE(course) << sentence(course.error());
  std::set<std::string> placed, shipped;
  for (const CourseLevel& level : course->levels) {
    EXPECT_FALSE(level.about.empty()) << level.name;
    placed.insert(level.lessons.begin(), level.lessons.end());
  }
  for (const auto& path : shipped_lesson_paths()) shipped.insert(path.stem().string());
  EXPECT_EQ(placed, shipped);
}

TEST(Course, LessonsAreListedInItsOrder) {
  int last = 0;
  for (const LessonOutline& lesson : outlines()) {
    EXPECT_EQ(lesson.broken, "");
    EXPECT_EQ(lesson.place.number, last + 1) << lesson.path;
    EXPECT_FALSE(lesson.place.level.empty()) << lesson.path;
    last = lesson.place.number;
  }
  EXPECT_EQ(outlines().front().path.stem(), "first_look");
}

TEST(Course, ALessonOutsideOfItHasNoPlace) {
  const Result<Course> course =
      parse_course("[[level]]\nname = \"A\"\nabout = \"a\"\nlessons = [\"x\", \"y\"]\n", "c.toml");
  ASSERT_TRUE(course) << sentence(course.error());
  EXPECT_EQ(course->place_of("y").number, 2);
  EXPECT_EQ(course->place_of("y").level, "A");
  EXPECT_EQ(course->place_of("z").number, 0);
}

TEST(Course, SaysWhatIsWrongAndInWhichLine) {
  const std::pair<const char*, const char*> broken[] = {
      {"[[level]]\nname = 3\n", "c.toml:2"},
      {"[[level]]\nname = \"a\"\nlesons = []\n", "did you mean lessons?"},
      {"[[level]]\nname = \"a\"\nlessons = [\"x\", \"x\"]\n", "in the course twice"},
      {"[[level]]\nname = \"a\"\nlessons = [3]\n", "names of files"},
      {"[[level]]\nname = \"a\"\n", "needs a name and lessons"},
      {"order = 3\n", "begin each level with [[level]]"},
      {"[[level]\n", "c.toml"}};
  for (const auto& [text, words] : broken) {
    const Result<Course> course = parse_course(text, "c.toml");
    ASSERT_FALSE(course) << text;
    EXPECT_THAT(sentence(course.error()), HasSubstr(words)) << text;
    EXPECT_EQ(exit_status(course.error().kind), 2) << text;
  }
}

int count_words(const std::string& text) {
  std::istringstream words(text);
  int count = 0;
  for (std::string word; words >> word;) ++count;
  return count;
}

// A text of the course is read from the last row: each of its ways has at most 40 words.
TEST(Course, NewLessonsHaveFewWordsPerStepAndQuestions) {
  constexpr int kMostWords = 40;
  int lessons = 0;
  for (const auto& path : shipped_lesson_paths()) {
    if (path.parent_path().filename() != "course") continue;
    ++lessons;
    const Result<Lesson> lesson = read_lesson(path, program_catalogue());
    ASSERT_TRUE(lesson) << sentence(lesson.error());
    EXPECT_GE(lesson->steps.size(), 6u) << path;
    EXPECT_LE(lesson->steps.size(), 9u) << path;
    int questions = 0;
    for (const LessonStep& step : lesson->steps) {
      questions += step.question ? 1 : 0;
      EXPECT_LE(count_words(spoken(step.text)), kMostWords) << path << ": " << step.text;
      EXPECT_FALSE(step.capture.empty()) << path << ": " << step.text;
      EXPECT_FALSE(step.notes.empty()) << path << ": " << step.text;
      if (!step.question) continue;
      EXPECT_LE(count_words(spoken(step.question->ask)), kMostWords) << step.question->ask;
      EXPECT_LE(count_words(spoken(step.question->explain)), kMostWords) << step.question->explain;
    }
    EXPECT_GE(questions, 2) << path;
    EXPECT_LE(questions, 3) << path;
  }
  EXPECT_EQ(lessons, 8);
}

}  // namespace
}  // namespace warpscope
