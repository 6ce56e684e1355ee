// workbench/lessons/lesson_outline.h: the shipped lessons, one line each: place in the course,
// title, scene, minutes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "workbench/lessons/course.h"
#include "workbench/lessons/lesson.h"

namespace warpscope {

struct LessonOutline {
  std::filesystem::path path;
  std::string title, scene;
  std::size_t steps = 0;
  int minutes = 0;
  std::string broken = {};  // why it cannot be played; empty: it can
  std::size_t questions = 0;
  CoursePlace place = {};
};

// In the order of the course; lessons outside of it follow, sorted by title. A file that is not a
// lesson comes last, with its error.
std::vector<LessonOutline> shipped_lessons();
// The same with path, title and scene alone: nothing else of the files is read, which takes half a
// second. A file without a title is left out.
std::vector<LessonOutline> lesson_titles();

// The lesson that the first start plays; empty: it is not there.
std::filesystem::path tour_lesson();

// A file, or a shipped lesson by its name, such as "coalescing". error: usage, with the nearest
// name; input, if a path does not exist.
Result<std::filesystem::path> lesson_file(const std::string& text);

// How long a lesson takes, in whole minutes: as it says itself; otherwise its words read aloud at
// 150 per minute, three seconds to look at each step, ten seconds to answer each question, and the
// moves of its drags at ten per second.
int minutes_of(const Lesson& lesson);

// A step's text, about as long as when shown: each claim by its first words, a figure per brace.
std::string spoken(const std::string& text);

}  // namespace warpscope
